// Requests of which only the newest counts: one is under way at a time, and those that a newer one replaces are dropped.

export class RequestQueue {
  // handle(request, isNewest) answers one request. isNewest() tells whether no newer request waits.
  constructor(handle) {
    Object.assign(this, { handle, waiting: null, working: null });
  }

  get isBusy() {
    return this.working !== null;
  }

  // Replaces a waiting request. Resolves when no request waits any more.
  async send(request) {
    this.waiting = { request };
    this.working ??= this.#work();
    await this.working;
  }

  async #work() {
    try {
      while (this.waiting) {
        const { request } = this.waiting;
        this.waiting = null;
        await this.handle(request, () => this.waiting === null);
      }
    } finally {
      this.working = null;
    }
  }
}
