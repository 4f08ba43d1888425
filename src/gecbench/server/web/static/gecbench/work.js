// The work screen: one task after another, none of what is typed ever lost.

import { Activity } from "./activity.js";
import { Autosave } from "./autosave.js";
import { Copies, newest } from "./copies.js";
import { Drawer } from "./drawer.js";
import { toggleClean } from "./draw-diff.js";
import { Editor } from "./editor.js";
import { Keys } from "./keys.js";
import { signInForm } from "./signin.js";
import { Submitting } from "./submitting.js";
import { UndoBar } from "./undo.js";
import { Versions } from "./versions.js";
import { Wire, clock } from "./wire.js";

const CALM = new Set(["saved", "saving"]);
const at = (id) => document.getElementById(id);
const read = (id) => JSON.parse(at(id).textContent);

/** Shows the state of saving, always in the same corner. */
class Corner {
  constructor(words) {
    this.element = at("saving");
    this.words = words;
    this.time = clock();
  }

  show(state, when) {
    const time = when ? this.time.format(new Date(when)) : "";
    const text = (this.words[state] ?? state).replace("{time}", time).trim();
    this.element.dataset.state = state;
    // Read aloud is what goes wrong, not each time that it went well.
    this.element.setAttribute("aria-live", CALM.has(state) ? "off" : "polite");
    if (this.element.textContent !== text) this.element.textContent = text;
  }
}

class Work {
  constructor() {
    this.page = read("page");
    this.words = read("words");
    this.copies = new Copies(this.page.person);
    this.skippedAt = -Infinity;
    this.drawer = new Drawer();
    this.activity = new Activity();
    this.corner = new Corner(this.words.states);
    this.wire = new Wire(this.page.token, signInForm(this.page.login, {
      onShown: () => this.corner.show("signedout"),
      onDone: () => this.corner.show("saving"),
    }));
    this.autosave = new Autosave({
      wire: this.wire,
      copies: this.copies,
      read: () => this.payload(),
      extra: () => ({ removed: this.editor.removed, slot: this.task.slot, draftUrl: this.task.draftUrl }),
      onState: (state, { at: when }) => {
        this.corner.show(state, when);
        if (state === "saved") this.afterEdit();
      },
      onConflict: (theirs) => this.versions.conflict(theirs.payload),
      onGone: (message) => this.versions.gone(message),
    });
    this.undo = new UndoBar({ wire: this.wire, words: this.words, before: () => this.autosave.flush(), onTask: (task) => this.begin(task), onProblem: (text) => this.say(text) });
    this.keys = new Keys(this.page.keys);
    this.bindAll();
    this.keys.show();
  }

  start() {
    if (this.page.after) this.undo.show(this.page.after);
    if (!this.page.task) return this.resume(null);
    this.editor = new Editor({ project: this.page.project, words: this.words, onChange: () => this.changed() });
    this.versions = new Versions({ words: this.words, editor: this.editor, autosave: this.autosave, onUsed: () => this.changed() });
    this.submitting = new Submitting(this);
    this.bindWork();
    this.keys.show();
    this.keys.show(at("box").content); // boxes are made of it, now and later
    this.begin(this.page.task);
    this.resume(this.page.task.slot);
  }

  /** Show a task: in the same page, with the caret at the start of its first box. */
  begin(task) {
    if (!this.editor) return location.reload();
    const local = this.copies.draft(task.slot);
    const ahead = Date.now() - Date.parse(task.now);
    const { payload, unsaved, other } = newest(task.draft, local, ahead);
    this.task = task;
    this.touched = Boolean(payload);
    at("task-number").textContent = String(task.number);
    at("task-source").textContent = task.source;
    at("task-source").hidden = !task.source;
    at("sentence").textContent = task.text;
    at("context").open = false;
    at("context").hidden = !task.contextUrl;
    at("context-lines").replaceChildren();
    this.say("");
    this.versions.clear();
    this.editor.load(task.text, payload);
    if (local?.removed && unsaved) this.editor.removed = local.removed;
    this.editor.show();
    this.editor.disable(false);
    this.activity.start(payload?.active_ms ?? 0);
    this.autosave.begin(task, { rev: task.draft?.rev ?? 0, at: task.draft?.at, unsaved, sent: local?.sent });
    if (other) this.versions.offer(other);
    this.suggestion();
    this.submitting.begin(task);
    document.title = this.words.title.replace("{number}", String(task.number));
    this.editor.focus();
    scrollTo({ top: 0 });
  }

  payload() {
    return { ...this.editor.read(), active_ms: this.activity.milliseconds };
  }

  changed() {
    this.touched = true;
    this.submitting.edited();
    this.autosave.typed();
  }

  /** A suggestion that was shown stays; before that there is a button, or nothing until the first own edit. */
  suggestion() {
    if (!at("suggest")) return;
    const { shown, suggestion } = this.task;
    at("suggest").hidden = Boolean(shown) || !suggestion || this.page.project.suggestions === "after_typing";
    at("suggestion").hidden = !shown;
    at("suggestion-text").textContent = shown?.text ?? "";
    at("suggestion-model").textContent = shown?.model ?? "";
    at("suggestion-same").hidden = !shown || shown.changes;
  }

  /** After the first own edit the server has, it may be shown; the server decides. */
  afterEdit() {
    const { task, page, touched } = this;
    if (touched && task?.suggestion && !task.shown && page.project.suggestions === "after_typing") this.suggest({ quiet: true });
  }

  /** Ask for it; that it was shown is kept there, so it never comes with the page. */
  async suggest({ quiet = false } = {}) {
    const { task } = this;
    const shown = await this.ask("show", quiet);
    if (shown && this.task === task) {
      task.shown = shown;
      this.suggestion();
    }
  }

  /** Take it over, once the server knows that it was. */
  async takeOver() {
    const { task, editor } = this;
    const taken = await this.ask("take");
    if (!taken || this.task !== task) return;
    const decision = taken.changes ? "corrected" : "error_free";
    if (editor.decision !== decision) editor.decide(decision);
    if (taken.changes) editor.box.fill(taken.text);
  }

  async ask(act, quiet = false) {
    const answer = await this.wire.send("POST", this.task.suggestionUrl, { act }).catch(() => null);
    if (answer?.status === 200) return answer.data;
    if (!quiet) this.say(answer ? (answer.data.message ?? this.words.failed) : this.words.unreached);
    return null;
  }

  /** Say something about the whole answer. */
  say(text) {
    at("said").textContent = text;
    at("said").hidden = !text;
  }

  /** The task is no longer this page's: nothing is saved from it any more, and it says so. */
  lost(message) {
    this.autosave.keep();
    this.autosave.stop();
    this.corner.show("gone");
    this.versions.gone(message);
  }

  async skip() {
    const { submitting, task } = this;
    // A second press is not about the next task, however quickly that came.
    if (submitting.busy || performance.now() - this.skippedAt < 500) return;
    submitting.busyNow(true);
    await this.autosave.flush();
    const answer = await this.wire.send("POST", task.skipUrl, { version: task.version }).catch(() => null);
    if (this.task !== task) return;
    submitting.busyNow(false);
    if (!answer) return this.say(this.words.unreached);
    if (answer.status !== 200) return this.say(answer.data.message ?? this.words.failed);
    this.skippedAt = performance.now();
    this.follow(answer.data);
  }

  /** Go on with what an answer of the server says comes next. */
  follow(data) {
    if (data.next) this.begin(data.next);
    else location.assign(data.url);
  }

  /** Bring to the server what was left on this machine when a page was closed. */
  async resume(slot) {
    await this.handIn(slot);
    for (const { slot: left, draftUrl, rev, payload } of this.copies.left(slot)) {
      const answer = await this.wire.send("PUT", draftUrl, { rev, payload }).catch(() => null);
      if (![200, 409, 410].includes(answer?.status)) continue;
      this.copies.settled(left);
      if (answer.status === 410) this.say(answer.data.message);
    }
  }

  /** Hand in what waited for the connection. */
  async handIn(slot) {
    for (const one of this.copies.waiting()) {
      if (one.slot === slot) this.submitting.send(one.body);
      else {
        const answer = await this.wire.send("POST", one.url, one.body).catch(() => null);
        if (answer) this.copies.dropWaiting(one.slot);
        if (answer?.status === 200) this.copies.dropDraft(one.slot);
        if (answer && answer.status !== 200) this.say(this.words.notHandedIn.replace("{number}", String(one.number)));
      }
    }
  }

  bindAll() {
    const go = (rel) => () => {
      const link = document.querySelector(`a[rel=${rel}]`);
      if (!link?.href) return false;
      location.assign(link.href);
      return true;
    };
    this.keys
      .on("guide", () => this.drawer.toggle())
      .on("close", () => this.drawer.close())
      .on("keys", () => at("keys-list")?.toggleAttribute("open") ?? false)
      .on("undo", () => this.undo.press())
      .on("previous", go("prev"))
      .on("next", go("next"));
    addEventListener("pageshow", (event) => event.persisted && location.reload());
  }

  bindWork() {
    const { editor } = this;
    const acts = {
      submit: () => this.submitting.press(),
      add: () => editor.add(),
      remove: () => editor.remove(),
      bring_back: () => editor.bringBack(),
      copy: () => editor.copyPrevious(),
      placeholder: () => editor.decision === "corrected" && editor.box.placeholder(),
      reset: () => editor.decision === "corrected" && editor.box.reset(),
      error_free: () => this.submitting.errorFree(),
      not_annotatable: () => editor.decide("not_annotatable"),
      skip: () => this.skip(),
      other_version: () => this.versions.swap(),
      clean: () => editor.decision === "corrected" && toggleClean(editor.box.element),
      suggestion: () => !at("suggest")?.hidden && this.suggest(),
      box_up: () => editor.go(editor.current - 1),
      box_down: () => editor.go(editor.current + 1),
    };
    for (const [action, act] of Object.entries(acts)) this.keys.on(action, act);
    for (let number = 1; number <= 9; number += 1) this.keys.on(`box_${number}`, () => editor.go(number - 1));
    const clicks = { submit: "submit", add: "add", "bring-back": "bring_back", placeholder: "placeholder", skip: "skip", suggest: "suggestion" };
    for (const [id, action] of Object.entries(clicks)) at(id)?.addEventListener("click", () => acts[action]());
    for (const button of document.querySelectorAll("[data-decide]")) {
      button.addEventListener("click", () => (button.dataset.decide === "error_free" ? acts.error_free() : editor.decide(button.dataset.decide)));
    }
    at("context").addEventListener("toggle", ({ target }) => target.open && globalThis.htmx.ajax("GET", this.task.contextUrl, "#context-lines"));
    at("suggestion-use")?.addEventListener("click", () => this.takeOver());
    if (this.page.enterSubmits) this.enterSubmits(acts.submit);
  }

  /** For those who want it: Enter alone hands in, too, never while an input method composes. */
  enterSubmits(submit) {
    this.keys.table = { ...this.keys.table, submit: [...this.keys.table.submit, "Enter"] };
    this.keys.alsoInside = new Set(["Enter"]);
    this.keys.on("submit", (event) => {
      const alone = event.key === "Enter" && !event.ctrlKey && !event.metaKey;
      return alone && event.target.closest("button, a, summary, select, #drawer, #signin") ? false : submit();
    });
  }
}

new Work().start();
