// The state of the page in its memory: saved a moment after the last change, and read back.
import { linkOf, stateOfLink } from "./link_text.js";
import { SPEEDS } from "./playback_controls.js";
import { decodeState, encodeState } from "./saved_state.js";

const SAVE_DELAY = 100; // milliseconds

// memory: { load(), save(text, link) }; it may keep either of the two, and gives back what it kept. state: a PageState. origin() tells where its points come from; onSaved() follows a save.
export class StateMemory {
  constructor(memory, { state, origin, onSaved }) {
    Object.assign(this, { memory, state, origin, onSaved, timer: null });
  }

  // Whether a state waits to be saved.
  get isBusy() {
    return this.timer !== null;
  }

  save() {
    clearTimeout(this.timer);
    const timer = (this.timer = setTimeout(async () => {
      const text = encodeState(this.state, this.origin());
      const link = await linkOf(text);
      if (timer !== this.timer) return; // a newer state is about to be saved
      this.memory.save(text, link);
      this.timer = null;
      this.onSaved();
    }, SAVE_DELAY));
  }

  // The saved state, or null if there is none that can be read.
  async read(limits) {
    return decodeState(await stateOfLink(this.memory.load()), limits, SPEEDS);
  }
}
