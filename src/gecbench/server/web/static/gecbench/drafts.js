// Saves what is being written (specification, section 4.9): in this browser at once, on the server
// after a short pause, and never over what another window has written.

import { UnreachableError } from "./server.js";

const PAUSE = 800;
const LONGEST_WAIT = 5000;
const RETRIES = [1000, 2000, 5000, 10000];
const MOST_SENT = 4;
const OLD = 30 * 24 * 3600 * 1000;
const DISK_FULL = "507";
const RETRIED = ["offline", "full"];
const FAILURES = [...RETRIED, "refused", "signedout"];

export const retryDelay = (failures) => RETRIES[Math.min(failures, RETRIES.length - 1)];

/** Milliseconds of real work: the page was seen, and something was done within a minute. */
export class ActivityTimer {
  static IDLE = 60000;

  constructor() {
    this.start(0);
    const add = () => Object.assign(this, { spent: this.spent + this.sinceLast(), last: performance.now() });
    for (const kind of ["input", "keydown", "pointerdown", "pointermove", "scroll"]) {
      addEventListener(kind, add, { capture: true, passive: true });
    }
    document.addEventListener("visibilitychange", add);
  }

  /** Begin a task on which some milliseconds were worked before. */
  start(spent) {
    Object.assign(this, { spent, last: performance.now() });
  }

  sinceLast() {
    const passed = performance.now() - this.last;
    return document.hidden && passed >= ActivityTimer.IDLE ? 0 : Math.min(passed, ActivityTimer.IDLE);
  }

  get milliseconds() {
    return Math.round(this.spent + (document.hidden ? 0 : this.sinceLast()));
  }
}

/**
 * Choose the draft with which a page begins, the newest: {payload, unsaved, other}.
 *
 * `saved` is the server's {rev, payload, at} or null, `local` this browser's {rev, payload, at,
 * unsaved, sent} or null; `summarize` gives what a payload says, `ahead` how far this machine's
 * clock is before the server's. `other` is the version that the person can take instead.
 */
export function chooseDraft(saved, local, summarize, ahead = 0) {
  const isSaved = (payload) => Boolean(saved) && summarize(payload) === summarize(saved.payload);
  const chosen = { payload: saved?.payload ?? null, unsaved: false, other: null };
  if (!local || isSaved(local.payload)) return chosen;
  const ours = { payload: local.payload, unsaved: true, other: null };
  const isLater = !saved || local.at - ahead > Date.parse(saved.at);
  // The page may have been fetched before the last save was answered.
  if (!local.unsaved) return !saved || (local.rev > saved.rev && isLater) ? ours : chosen;
  // What was on its way when the page was left may have arrived since.
  if (!saved || (local.sent ?? []).some(isSaved)) return ours;
  if (local.rev >= saved.rev || isLater) return { ...ours, other: saved.payload };
  return { ...chosen, other: local.payload };
}

/**
 * What is kept in this browser, by person: drafts (draft/SLOT), and submissions (submit/SLOT) that
 * wait for the connection. Each has `at`, when it was written.
 */
export class DraftStore {
  constructor(person) {
    this.prefix = `gecbench/${person}/`;
    this.removeSaved(OLD);
  }

  read(name) {
    return JSON.parse(localStorage.getItem(this.prefix + name));
  }

  remove(name) {
    localStorage.removeItem(this.prefix + name);
  }

  /** All of a folder, the oldest first. */
  list(folder) {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(`${this.prefix}${folder}/`));
    const values = names.map((name) => ({ ...this.read(name.slice(this.prefix.length)), name }));
    return values.sort((a, b) => a.at - b.at);
  }

  /** Write, if need be where saved drafts stood; return whether there was room. */
  write(name, value) {
    const put = () => {
      try {
        localStorage.setItem(this.prefix + name, JSON.stringify({ ...value, at: Date.now() }));
        return true;
      } catch {
        return false;
      }
    };
    if (put()) return true;
    this.removeSaved(0);
    return put();
  }

  /** Remove old drafts that the server has, too. */
  removeSaved(age) {
    const isOld = ({ unsaved, at }) => !unsaved && Date.now() - at > age;
    for (const { name } of this.list("draft").filter(isOld)) localStorage.removeItem(name);
  }
}

/**
 * Saves the draft of one task after another.
 *
 * States: saved, saving, offline, full (the server's disk), conflict, gone, refused, signedout, and
 * unkept: neither the server nor this browser has it. They are shown in the element `status`.
 */
export class Autosave {
  /**
   * `server`, `store`, `status` (where the state is shown) and `messages` (its texts by state);
   * `read` gives the payload as it is now, `extra` what only this browser keeps with it, `summarize`
   * what a payload says. `onSaved()`, `onConflict(payload)` and `onGone(message)` show what happens:
   * the texts of the page are never changed here.
   */
  constructor(options) {
    Object.assign(this, { extra: () => ({}), onSaved: () => {}, ...options, task: null, isKept: true });
    this.server.onSignedOut = () => this.show("signedout");
    this.server.onSignedIn = () => this.show("saving");
    addEventListener("online", () => this.task && RETRIED.includes(this.state) && this.save());
    addEventListener("pagehide", () => this.leave());
    addEventListener("beforeunload", (event) => this.task && !this.isKept && this.isUnsaved && event.preventDefault());
    document.addEventListener("visibilitychange", () => document.hidden && this.isChanged && this.save());
  }

  /** Begin with a task {slot, draftUrl} whose draft on the server is at a revision. */
  begin(task, { rev, at = null, unsaved = false, sent = [] }) {
    this.stop();
    // What the server may have from here without our knowing it: it is no other window's.
    Object.assign(this, { task, rev, sent: unsaved ? [...sent, this.read()] : [] });
    Object.assign(this, { isChanged: unsaved, firstChange: null, failures: 0, isKept: true });
    this.show(unsaved ? "saving" : "saved", at);
    if (unsaved) this.schedule(PAUSE);
  }

  /** Save no more: it was submitted, or there is another task. */
  stop() {
    clearTimeout(this.timer);
    this.controller?.abort();
    Object.assign(this, { task: null, isSaving: false, isChanged: false, isHeld: false, theirs: null });
  }

  /** Whether the server may not have what stands in the page. */
  get isUnsaved() {
    return Boolean(this.isChanged || this.isSaving);
  }

  show(state, at = null) {
    this.state = state;
    const name = !this.isKept && FAILURES.includes(state) ? "unkept" : state;
    const text = this.messages[name].replace("{time}", at ? formatTime(at) : "").trim();
    this.status.dataset.state = name;
    // Read aloud is what goes wrong, not each time that it went well.
    this.status.setAttribute("aria-live", ["saved", "saving"].includes(name) ? "off" : "polite");
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  /** Something was written. */
  change() {
    if (!this.task) return;
    this.isChanged = true;
    this.keep();
    if (["gone", "conflict", ...RETRIED].includes(this.state)) return;
    const now = performance.now();
    this.firstChange ??= now;
    if (this.state !== "signedout") this.show("saving");
    this.schedule(Math.max(0, Math.min(PAUSE, this.firstChange + LONGEST_WAIT - now)));
  }

  /** Keep it in this browser. */
  keep() {
    if (!this.task) return;
    const { rev, isUnsaved: unsaved } = this;
    const draft = { rev, payload: this.read(), unsaved, sent: unsaved ? this.sent : [], ...this.extra() };
    this.isKept = this.store.write(`draft/${this.task.slot}`, draft);
  }

  schedule(wait) {
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
    const isIdle = !this.isSaving && !this.isHeld && !this.theirs;
    if (this.task && this.isChanged && isIdle) this.running = this.put();
    return this.running;
  }

  /** Save nothing while the answer itself is on its way, which a draft would reach too late. */
  async hold() {
    clearTimeout(this.timer);
    this.isHeld = true;
    await this.running;
  }

  /** Save again: the answer was not taken. */
  release() {
    this.isHeld = false;
    if (this.task && this.isChanged) this.schedule(PAUSE);
  }

  async put() {
    const { task } = this;
    const payload = this.read();
    Object.assign(this, { isSaving: true, isChanged: false, firstChange: null });
    this.sent = [...this.sent, payload].slice(-MOST_SENT);
    this.keep();
    this.controller = new AbortController();
    let answer = null;
    try {
      const body = { rev: this.rev, payload, client_at: new Date().toISOString() };
      answer = await this.server.send("PUT", task.draftUrl, body, this.controller.signal);
    } catch (error) {
      if (this.task !== task) return;
      Object.assign(this, { isSaving: false, isChanged: true });
      if (error instanceof UnreachableError) this.retry(error.message === DISK_FULL ? "full" : "offline");
      return;
    }
    if (this.task !== task) return;
    Object.assign(this, { isSaving: false, failures: 0 });
    this.handleAnswer(answer);
  }

  handleAnswer({ status, data }) {
    if (status === 200) {
      Object.assign(this, { rev: data.rev, sent: [] });
      this.task.version = data.version ?? this.task.version; // a lost place was taken again
      this.keep();
      if (this.isChanged) return this.schedule(PAUSE);
      this.show("saved", data.at);
      return this.onSaved();
    }
    this.isChanged = true;
    if (status === 409) return data.payload ? this.handleConflict(data) : this.retry("offline");
    this.keep();
    if (status !== 404 && status !== 410) return this.show("refused");
    this.show("gone");
    this.onGone(status === 404 ? "" : data.message);
  }

  retry(state) {
    this.keep();
    this.show(state);
    this.schedule(retryDelay(this.failures));
    this.failures += 1;
  }

  /** Another window wrote, or an answer to this one was lost on its way. */
  handleConflict(theirs) {
    const says = this.summarize(theirs.payload);
    const now = this.read();
    if ([now, ...this.sent].some((payload) => this.summarize(payload) === says)) {
      Object.assign(this, { rev: theirs.rev, isChanged: this.summarize(now) !== says });
      this.keep();
      if (this.isChanged) return this.save();
      this.show("saved", theirs.at);
      return this.onSaved();
    }
    this.keep();
    this.theirs = theirs;
    this.show("conflict");
    this.onConflict(theirs.payload);
  }

  /** Go on after a conflict, with what stands in the page now; the server keeps both. */
  resolveConflict() {
    if (!this.theirs) return;
    Object.assign(this, { rev: this.theirs.rev, theirs: null, isChanged: true });
    this.keep();
    this.show("saving");
    this.save();
  }

  leave() {
    if (!this.task || this.theirs || !this.isUnsaved || this.state === "gone") return;
    this.sent = [...this.sent, this.read()].slice(-MOST_SENT);
    this.keep();
    const body = { rev: this.rev, payload: this.read(), client_at: new Date().toISOString() };
    this.server.beacon(this.task.draftUrl, body);
  }
}

/** Hours and minutes by the person's clock; by the browser's if it knows no such time zone. */
function formatTime(at) {
  const { lang, dataset } = document.documentElement;
  const format = { hour: "2-digit", minute: "2-digit" };
  try {
    return new Date(at).toLocaleTimeString(lang, { ...format, timeZone: dataset.zone });
  } catch {
    return new Date(at).toLocaleTimeString(lang, format);
  }
}
