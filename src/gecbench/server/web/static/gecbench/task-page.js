// A page of one task after another, on which nothing that is typed is ever lost: what annotation and
// perturbation share. A page has an answer (load, read, plainText, focus, disable, removed, lang) and
// says how it shows a task, what it submits, and where the problems of a refusal belong.

import { isComposing } from "./composition.js";
import { ActivityTimer, Autosave, DraftStore, chooseDraft, retryDelay } from "./drafts.js";
import { GuidelineDrawer } from "./guideline-drawer.js";
import { Keys } from "./keys.js";
import { UndoBar, byId, readJson } from "./page.js";
import { Server, UnreachableError, newKey } from "./server.js";
import { Versions } from "./versions.js";

const ABANDONED = 10 * 60 * 1000;

/** What the payload of a draft says. */
const summarize = ({ decision, texts = [], reason = "", note = "", proposal = 0 }) =>
  JSON.stringify([decision, texts, reason, note, proposal]);

export class TaskPage {
  constructor() {
    this.page = readJson("page");
    this.messages = readJson("words");
    const { page, messages } = this;
    this.store = new DraftStore(page.person);
    this.timer = new ActivityTimer();
    this.keys = new Keys(page.keys);
    new GuidelineDrawer(this.keys);
    this.skippedAt = -Infinity;
    this.server = new Server(page.token, page.login);
    this.autosave = new Autosave({
      server: this.server,
      store: this.store,
      status: byId("saving"),
      messages: messages.saving,
      summarize,
      read: () => this.payload(),
      extra: () => ({ removed: this.answer.removed, slot: this.task.slot, draftUrl: this.task.draftUrl }),
      onSaved: () => this.afterSave(),
      onConflict: (theirs) => this.versions.showConflict(theirs),
      onGone: (message) => this.versions.showGone(message),
    });
    this.undo = new UndoBar(this.keys, () => this.reopen());
    addEventListener("pageshow", (event) => event.persisted && location.reload());
  }

  start() {
    const { page, messages, autosave } = this;
    if (page.after) this.offerUndo(page.after);
    if (page.task) {
      this.answer = this.createAnswer({ project: page.project, messages, onChange: () => this.change() });
      this.versions = new Versions({ answer: this.answer, autosave, onSwap: () => this.change() });
      this.bind();
      this.begin(page.task);
    }
    this.resume(page.task?.slot ?? null);
  }

  bind() {
    const { answer, keys } = this;
    keys.on({
      submit: () => this.submit(),
      skip: () => this.skip(),
      other_version: () => this.versions.swap(),
      box_up: () => answer.goTo(answer.current - 1),
      box_down: () => answer.goTo(answer.current + 1),
    });
    keys.onNumbers("box", (number) => answer.goTo(number - 1));
    byId("keep-editing").addEventListener("click", () => this.keepEditing());
    byId("context").addEventListener("toggle", ({ target }) => {
      if (target.open) globalThis.htmx.ajax("GET", this.task.contextUrl, "#context-lines");
    });
    addEventListener("online", () => this.queued && this.send(this.queued));
    if (this.page.enterSubmits) this.submitByEnter();
  }

  /** For those who want it: Enter alone submits, too. */
  submitByEnter() {
    const { keys } = this;
    keys.table = { ...keys.table, submit: [...keys.table.submit, "Enter"] };
    keys.alsoInText.add("Enter");
    keys.on({
      submit: ({ key, ctrlKey, metaKey, target }) => {
        const isAlone = key === "Enter" && !ctrlKey && !metaKey;
        return isAlone && target.closest("button, a, summary, select, #drawer") ? false : this.submit();
      },
    });
  }

  /** Show a task, in the same page, with the caret at its start. */
  begin(task) {
    if (!this.answer) return location.reload();
    const { autosave } = this;
    const local = this.store.read(`draft/${task.slot}`);
    const ahead = Date.now() - Date.parse(task.now);
    const { payload, unsaved, other } = chooseDraft(task.draft, local, summarize, ahead);
    clearTimeout(this.retryTimer);
    Object.assign(this, { task, key: newKey(), isConfirmed: false, queued: null, failures: 0 });
    this.isEdited = Boolean(payload);
    byId("task-number").textContent = String(task.number);
    byId("task-source").textContent = task.source;
    byId("task-source").hidden = !task.source;
    byId("context").open = false;
    byId("context").hidden = !task.contextUrl;
    byId("context-lines").replaceChildren();
    this.say("");
    this.versions.clear();
    this.show(task, payload, (unsaved && local?.removed) || []);
    this.setBusy(false);
    this.timer.start(payload?.active_ms ?? 0);
    autosave.begin(task, { rev: task.draft?.rev ?? 0, at: task.draft?.at, unsaved, sent: local?.sent });
    if (other) this.versions.offer(other);
    if (!unsaved) this.afterSave();
    document.title = this.messages.title.replace("{number}", String(task.number));
    this.answer.focus();
    scrollTo({ top: 0 });
  }

  payload() {
    return { ...this.answer.read(), active_ms: this.timer.milliseconds };
  }

  change() {
    this.isEdited = true;
    this.isConfirmed = false;
    this.autosave.change();
  }

  /** The server has what stands in the page; also when a task begins with that. */
  afterSave() {}

  /** Say something about the whole answer. */
  say(text) {
    byId("said").textContent = text;
    byId("said").hidden = !text;
  }

  /** Say what is wrong with the answer; `confirm`: submitting it once more is enough. */
  sayProblems(problems, confirm) {
    this.isConfirmed = Boolean(confirm);
    this.say([...problems.map(({ message }) => message), ...(confirm ? [this.messages.confirm] : [])].join(" "));
  }

  sayFailure(reply) {
    this.say(reply ? (reply.data.message ?? this.messages.failed) : this.messages.unreached);
  }

  // --- submitting ---------------------------------------------------------------------------------

  setBusy(isBusy) {
    this.isBusy = isBusy;
    byId("submit").disabled = isBusy;
    byId("skip").disabled = isBusy;
    byId("keep-editing").hidden = !this.queued;
    this.answer.disable(isBusy);
  }

  async submit() {
    if (this.isBusy || isComposing()) return;
    const { task } = this;
    this.setBusy(true);
    await this.autosave.hold();
    if (this.task !== task) return;
    this.send({
      version: task.version,
      client_key: this.key,
      active_ms: this.timer.milliseconds,
      ...this.readSubmission(),
    });
  }

  async send(body) {
    const { task } = this;
    clearTimeout(this.retryTimer);
    this.controller?.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.setBusy(true);
    try {
      const reply = await this.server.send("POST", task.submitUrl, body, signal);
      if (this.task !== task) return;
      Object.assign(this, { queued: null, failures: 0 });
      this.store.remove(`submit/${task.slot}`);
      if (reply.status === 200) return this.finish(reply.data);
      this.autosave.release();
      this.setBusy(false);
      this.showRefusal(reply);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UnreachableError)) throw error;
      if (this.task === task) this.queue(body);
    }
  }

  /** The server is not reached: the submission waits in this browser, and goes out when it is. */
  queue(body) {
    const { slot, submitUrl, number } = this.task;
    this.queued = body;
    this.autosave.keep();
    const isKept = this.store.write(`submit/${slot}`, { slot, url: submitUrl, number, body });
    this.say(isKept ? this.messages.queued : this.messages.queuedHere);
    this.autosave.show(isKept ? "offline" : "unkept");
    this.setBusy(true);
    this.retryTimer = setTimeout(() => this.send(body), retryDelay(this.failures));
    this.failures += 1;
  }

  /** Take the submission out of the queue. It may have arrived: then the next one is told so. */
  keepEditing() {
    clearTimeout(this.retryTimer);
    this.controller?.abort(); // what it would answer is about a text that is another one by then
    this.store.remove(`submit/${this.task.slot}`);
    Object.assign(this, { queued: null, key: newKey() });
    this.say("");
    this.autosave.release();
    this.setBusy(false);
    this.answer.focus();
  }

  finish(data) {
    this.autosave.stop();
    this.store.remove(`draft/${this.task.slot}`);
    const previous = document.querySelector("a[rel=prev]");
    if (previous) Object.assign(previous, { href: data.submitted.url, hidden: false });
    if (byId("done-today")) byId("done-today").textContent = String(data.done);
    if (byId("done-bar")) byId("done-bar").value = data.done;
    this.offerUndo(data.submitted);
    this.goOn(data);
  }

  goOn({ next, url }) {
    if (next) this.begin(next);
    else location.assign(url);
  }

  showRefusal({ status, data }) {
    if (status === 422) return this.showProblems(data);
    const isGone = status === 404 || status === 410 || (status === 409 && !data.version);
    if (isGone) {
      // The task is no longer this page's: nothing is saved from it any more, and it says so.
      this.autosave.keep();
      this.autosave.stop();
      this.autosave.show("gone");
      return this.versions.showGone(status === 404 ? "" : data.message);
    }
    if (status === 409) this.task.version = data.version;
    this.say(data.message ?? this.messages.failed);
  }

  // --- undo, skipping, what was left ---------------------------------------------------------------

  /** Offer to take back a submission {number, reopenUrl, seconds, notice}. */
  offerUndo(submitted) {
    this.submitted = submitted;
    const text = this.messages.submitted.replace("{number}", String(submitted.number));
    byId("undo-text").textContent = `${text} ${submitted.notice ?? ""}`.trim();
    this.undo.show(submitted.seconds);
  }

  async reopen() {
    this.undo.hide();
    await this.autosave.flush();
    const reply = await this.server.trySend("POST", this.submitted.reopenUrl, {});
    if (reply?.status === 200) this.begin(reply.data.next);
    else this.say(reply?.data.message ?? this.messages.unreached);
  }

  async skip() {
    const { task } = this;
    // A second press is not about the next task, however quickly that came.
    if (this.isBusy || performance.now() - this.skippedAt < 500) return;
    this.setBusy(true);
    await this.autosave.flush();
    const reply = await this.server.trySend("POST", task.skipUrl, { version: task.version });
    if (this.task !== task) return;
    this.setBusy(false);
    if (reply?.status !== 200) return this.sayFailure(reply);
    this.skippedAt = performance.now();
    this.goOn(reply.data);
  }

  /** Bring to the server what was left in this browser when a page was closed. */
  async resume(slot) {
    for (const { slot: other, url, body, number } of this.store.list("submit")) {
      if (other === slot) {
        this.send(body);
        continue;
      }
      const reply = await this.server.trySend("POST", url, body);
      if (!reply) continue;
      this.store.remove(`submit/${other}`);
      if (reply.status === 200) this.store.remove(`draft/${other}`);
      else this.say(this.messages.notHandedIn.replace("{number}", String(number)));
    }
    // Not those that somebody writes now, in another window.
    const isAbandoned = (draft) =>
      draft.unsaved && draft.draftUrl && draft.slot !== slot && Date.now() - draft.at > ABANDONED;
    for (const draft of this.store.list("draft").filter(isAbandoned)) {
      const { rev, payload } = draft;
      const reply = await this.server.trySend("PUT", draft.draftUrl, { rev, payload });
      if (![200, 409, 410].includes(reply?.status)) continue;
      this.store.write(`draft/${draft.slot}`, { ...draft, unsaved: false, sent: [] });
      if (reply.status === 410) this.say(reply.data.message);
    }
  }
}
