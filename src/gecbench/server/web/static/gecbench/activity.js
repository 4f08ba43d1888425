// How long somebody really works: the page is seen, and something was done within a minute.
// Nothing of it is shown while they work.

const IDLE = 60000;

export class Activity {
  constructor() {
    this.start(0);
    for (const kind of ["input", "keydown", "pointerdown", "pointermove", "scroll"]) {
      addEventListener(kind, () => this.seen(), { capture: true, passive: true });
    }
    document.addEventListener("visibilitychange", () => this.seen());
  }

  /** Begin a task on which `spent` milliseconds were worked before. */
  start(spent) {
    this.spent = spent;
    this.last = performance.now();
  }

  seen() {
    const now = performance.now();
    if (!document.hidden || now - this.last < IDLE) this.spent += Math.min(now - this.last, IDLE);
    this.last = now;
  }

  /** Return the milliseconds so far. */
  get milliseconds() {
    const open = document.hidden ? 0 : Math.min(performance.now() - this.last, IDLE);
    return Math.round(this.spent + open);
  }
}
