// What a lesson needs of the page: the facts that its goals are checked by, and to change what is shown.
import { lessonFacts } from "./lesson_facts.js";
import { lessonState } from "./lesson_state.js";
import { HIDDEN_LAYERS } from "./page_state.js";

// actions: { rememberPoints(), showPoints(), showView(), save() }
export const lessonHost = (page, { rememberPoints, showPoints, showView, save }) => ({
  root: page.root,
  lessons: page.about.lessons,

  // null until the run of the present points is there.
  facts() {
    const { run } = page.scene;
    if (!run || page.requests.isBusy || page.isRefused || page.playback.isPlaying) return null;
    return lessonFacts({ state: page.state, learners: page.about.learners, run, proofs: page.theoryPanel.proofs });
  },

  // Shows the state of a step, or changes the present one as a solution says.
  async apply(given, isWhole) {
    const { changes, step, origin, hidden } = await lessonState(given, isWhole, page.state, page.ask);
    if (origin) rememberPoints();
    Object.assign(page.state, changes);
    if (hidden) page.state.hideLayers(hidden);
    if (origin) page.pointsPanel.setOrigin(origin);
    page.recipePanel.show();
    page.pointsPanel.show();
    showView();
    await page.requestRun(step);
  },

  putFirst: (parameters) => page.recipePanel.putFirst(parameters),

  // Stores the lesson and its step, "xor/2", and shows the points that it is about.
  remember(lesson) {
    page.state.lesson = lesson;
    showPoints();
    save();
    page.redraw();
  },

  // Shows the page as it is without a lesson.
  leave() {
    page.state.lesson = null;
    page.state.hideLayers(HIDDEN_LAYERS);
    page.recipePanel.putFirst([]);
    showView();
    save();
    page.redraw();
  },
});
