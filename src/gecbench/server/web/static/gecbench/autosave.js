// Saves what is being written (specification, section 4.9): on this machine at once, on the server
// after a short quiet, and never over what another tab has written.
//
// States: saved, saving, offline, full (the server's disk), conflict, gone, refused, signedout, and
// unkept: neither the server nor this machine has it. They are shown in one place.

import { same } from "./copies.js";
import { Unreached } from "./wire.js";

const QUIET = 800;
const MOST = 5000;
const AGAIN = [1000, 2000, 5000, 10000];
const MOST_SENT = 4;
const FULL = "507"; // what a server says whose disk is full
const AWAY = new Set(["offline", "full"]); // tried again by itself
const FAILS = new Set([...AWAY, "refused", "signedout"]);

export class Autosave {
  /**
   * `read` returns the draft's payload as it is now, `extra` what only this machine keeps with it. `onState(state, {at})`, `onConflict(theirs)`
   * and `onGone()` are told what happens; the texts are theirs to show, never changed here.
   * `alike` says whether two payloads say the same.
   */
  constructor({ wire, copies, read, extra = () => ({}), alike = same, onState, onConflict, onGone }) {
    Object.assign(this, { wire, copies, read, extra, alike, onState, onConflict, onGone });
    this.task = null;
    this.kept = true;
    addEventListener("online", () => this.task && AWAY.has(this.state) && this.save());
    addEventListener("pagehide", () => this.leave());
    addEventListener("beforeunload", (event) => this.task && !this.kept && this.unsaved && event.preventDefault());
    document.addEventListener("visibilitychange", () => document.hidden && this.changed && this.save());
  }

  /** Begin with a task {slot, draftUrl} whose draft is at a revision. */
  begin(task, { rev, at = null, unsaved = false, sent = [] }) {
    this.stop();
    // What the server may have from here without our knowing it: it is no other window's.
    const known = unsaved ? [...sent, this.read()] : [];
    Object.assign(this, { task, rev, changed: unsaved, since: null, failures: 0, sent: known, kept: true });
    this.tell(unsaved ? "saving" : "saved", at);
    if (unsaved) this.later(QUIET);
  }

  /** Save no more: it was handed in, or there is another task. */
  stop() {
    clearTimeout(this.timer);
    this.abort?.abort();
    Object.assign(this, { task: null, busy: false, abort: null, changed: false, theirs: null });
  }

  /** Whether the server may not have what stands in the page. */
  get unsaved() {
    return Boolean(this.changed || this.busy);
  }

  tell(state, at = null) {
    this.state = state;
    this.onState(!this.kept && FAILS.has(state) ? "unkept" : state, { at });
  }

  /** Something was written. */
  typed() {
    if (!this.task) return;
    this.changed = true;
    this.keep();
    if (this.state === "gone" || this.state === "conflict") return;
    const now = performance.now();
    this.since ??= now;
    if (!AWAY.has(this.state)) {
      if (this.state !== "signedout") this.tell("saving");
      this.later(Math.max(0, Math.min(QUIET, this.since + MOST - now)));
    }
  }

  /** Keep it on this machine. */
  keep() {
    if (!this.task) return;
    const { rev, sent, unsaved } = this;
    this.kept = this.copies.keepDraft(this.task.slot, { rev, payload: this.read(), unsaved, sent: unsaved ? sent : [], ...this.extra() });
  }

  later(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), wait);
  }

  /** Save what is not saved yet, and wait for it, one try only. */
  async flush() {
    await this.running;
    await this.save();
  }

  save() {
    clearTimeout(this.timer);
    if (!this.task || this.busy || !this.changed || this.theirs) return this.running;
    this.running = this.put();
    return this.running;
  }

  async put() {
    const { task } = this;
    const payload = this.read();
    this.busy = true;
    this.changed = false;
    this.since = null;
    this.sent = [...this.sent, payload].slice(-MOST_SENT);
    this.keep();
    this.abort = new AbortController();
    let answer = null;
    try {
      const body = { rev: this.rev, payload, client_at: new Date().toISOString() };
      answer = await this.wire.send("PUT", task.draftUrl, body, { signal: this.abort.signal });
    } catch (error) {
      if (this.task !== task) return;
      this.busy = false;
      this.changed = true;
      if (error instanceof Unreached) this.failed(error.message === FULL ? "full" : "offline");
      return;
    }
    if (this.task !== task) return;
    this.busy = false;
    this.failures = 0;
    this.answered(answer);
  }

  answered({ status, data }) {
    if (status === 200) {
      this.rev = data.rev;
      this.sent = [];
      this.task.version = data.version ?? this.task.version; // a lost place was taken again
      this.keep();
      if (this.changed) return this.later(QUIET);
      return this.tell("saved", data.at);
    }
    this.changed = true;
    if (status === 409) return data.payload ? this.conflict(data) : this.failed();
    this.keep();
    if (status === 404 || status === 410) {
      this.tell("gone");
      return this.onGone(status === 404 ? "" : data.message);
    }
    this.tell("refused");
  }

  failed(state = "offline") {
    this.keep();
    this.tell(state);
    this.later(AGAIN[Math.min(this.failures, AGAIN.length - 1)]);
    this.failures += 1;
  }

  /** Another tab wrote, or an answer to us was lost on its way. */
  conflict(theirs) {
    const now = this.read();
    if ([now, ...this.sent].some((own) => this.alike(theirs.payload, own))) {
      this.rev = theirs.rev;
      this.changed = !this.alike(theirs.payload, now);
      this.keep();
      return this.changed ? this.save() : this.tell("saved", theirs.at);
    }
    this.keep();
    this.theirs = theirs;
    this.tell("conflict");
    this.onConflict(theirs);
  }

  /** Go on after a conflict, with what stands in the page now; the server keeps both. */
  goOn() {
    if (!this.theirs) return;
    this.rev = this.theirs.rev;
    this.theirs = null;
    this.changed = true;
    this.keep();
    this.tell("saving");
    this.save();
  }

  leave() {
    if (!this.task || this.theirs || !this.unsaved || this.state === "gone") return;
    this.sent = [...this.sent, this.read()].slice(-MOST_SENT);
    this.keep();
    this.wire.beacon(this.task.draftUrl, { rev: this.rev, payload: this.read(), client_at: new Date().toISOString() });
  }
}
