// The page on which a reviewer checks the variants of a sentence: each is accepted, edited or returned.

import { isComposing, onWritten } from "./composition.js";
import { ActivityTimer, Autosave, DraftStore, chooseDraft } from "./drafts.js";
import { Gaps } from "./gaps.js";
import { GuidelineDrawer } from "./guideline-drawer.js";
import { Keys } from "./keys.js";
import { UndoBar, byId, createElement, readJson } from "./page.js";
import { Server, UnreachableError, newKey } from "./server.js";

const FIELDS = ["position", "decision", "gaps", "reasons", "note", "allow_moved"];

/** What a payload decides, in one order whatever the database made of it. */
const summarize = ({ checks = [] }) =>
  JSON.stringify(checks.map((check) => FIELDS.map((field) => check[field] ?? null)));

/** One variant: its decision, and what belongs to it. */
class Check {
  constructor(element, data, page) {
    Object.assign(this, { element, data, page });
    this.number = data.number; // its place in the case
    this.decisions = [...element.querySelectorAll("input[type=radio]")];
    this.reasons = [...element.querySelectorAll(".reasons input")];
    this.note = element.querySelector("[data-note]");
    this.allow = element.querySelector("[data-allow]");
    this.allowPart = element.querySelector("[data-allow-part]");
    this.decision = null;
    for (const field of this.decisions) field.addEventListener("change", () => this.decide(field.value));
    for (const field of [...this.reasons, this.allow]) field.addEventListener("change", () => page.change(this));
    onWritten(this.note, () => page.change(this));
    const { project, messages } = page.data;
    const place = element.querySelector(".edit-part");
    this.editor = new Gaps({ place, project, messages, onChange: () => page.change(this) });
    this.load();
  }

  /** Show what a draft says. */
  load({ decision = null, gaps = [], reasons = [], note = "", allow_moved: isAllowed = false } = {}) {
    const { original, chips } = this.page.data;
    const texts = gaps.length === chips.length + 1 ? gaps : this.data.gaps;
    this.setDecision(decision);
    for (const reason of this.reasons) reason.checked = reasons.includes(reason.value);
    this.note.value = note;
    this.allow.checked = isAllowed;
    this.editor.load({ gaps: original, chips }, { texts });
  }

  read() {
    return {
      position: this.number,
      decision: this.decision,
      gaps: this.editor.texts,
      reasons: this.reasons.filter(({ checked }) => checked).map(({ value }) => value),
      note: this.note.value,
      allow_moved: this.allow.checked,
    };
  }

  setDecision(decision) {
    this.decision = decision;
    for (const field of this.decisions) field.checked = field.value === decision;
  }

  decide(decision) {
    const before = this.decision;
    this.setDecision(decision);
    if (before !== decision) this.page.remember(() => this.decide(before));
    this.page.change(this);
  }

  edit() {
    if (this.decision !== "edited") this.decide("edited");
    this.editor.focus();
  }

  /** Choose or drop the reason of a number, from 1. */
  toggleReason(number) {
    const reason = this.reasons[number - 1];
    if (!reason || this.decision !== "returned") return false;
    reason.checked = !reason.checked;
    this.page.change(this);
  }

  get problems() {
    return this.element.querySelector("[data-problems]");
  }

  showProblems(problems) {
    const lines = problems.map(({ message, blocking }) =>
      createElement("p", { className: blocking ? "problem" : "warning" }, message),
    );
    this.problems.replaceChildren(...lines);
    const moved = problems.filter(({ code }) => code.startsWith("PER-4"));
    if (moved.length) this.allowPart.hidden = false;
    this.editor.showMoved(moved.map(({ error }) => error));
  }
}

class CheckPage {
  constructor() {
    this.data = { ...readJson("check-data"), messages: readJson("check-words") };
    const { data } = this;
    Object.assign(this, { acts: [], isUndoing: false, key: newKey() });
    this.undo = new UndoBar(() => this.undo.element.requestSubmit());
    this.keys = new Keys(data.keys);
    this.drawer = new GuidelineDrawer(this.keys);
    this.keys.on({ close: () => this.close(), undo: () => this.undo.press() });
    if (byId("check-form")) this.begin();
  }

  begin() {
    const { data } = this;
    const { messages } = data;
    this.form = byId("check-form");
    const rows = [...document.querySelectorAll("[data-row]")];
    this.rows = rows.map((element, index) => new Check(element, data.rows[index], this));
    this.timer = new ActivityTimer();
    this.timer.start(data.activeMs);
    this.server = new Server(this.form.querySelector("[name=csrfmiddlewaretoken]").value, data.urls.login, {
      onSignedOut: () => this.autosave.show("signedout"),
      onSignedIn: () => this.autosave.show("saving"),
    });
    this.store = new DraftStore(data.person);
    this.autosave = new Autosave({
      server: this.server,
      store: this.store,
      status: byId("saving"),
      messages: messages.states,
      summarize,
      read: () => this.payload(),
      onConflict: (theirs) => this.offer(theirs, messages.conflict, messages.theirs),
      onGone: (message) => this.say(message || messages.gone),
    });
    this.resume();
    this.bind();
    this.goTo(this.rows.find(({ decision }) => decision === null) ?? this.rows[0]);
    this.count();
  }

  /** Begin with the newest of what the server and this browser have; the other one can be loaded. */
  resume() {
    const { draft, task, urls } = this.data;
    const slot = `review/${task}`;
    const local = this.store.read(`draft/${slot}`);
    const { payload, unsaved, other } = chooseDraft(draft, local, summarize);
    this.load(payload ?? {});
    const { rev = 0, at = null } = draft ?? {};
    this.autosave.begin({ slot, draftUrl: urls.draft }, { rev, at, unsaved, sent: local?.sent });
    const { older, older_load: loadOlder, conflict, theirs } = this.data.messages;
    if (other && local.rev >= rev) this.offer(other, ...(unsaved ? [conflict, theirs] : [older, loadOlder]));
  }

  bind() {
    const { keys } = this;
    this.rows.forEach((row, index) => {
      const decide = (decision) => () => {
        this.goTo(row);
        row.decide(decision);
      };
      keys.on({ [`correct_${index + 1}`]: decide("accepted"), [`wrong_${index + 1}`]: decide("returned") });
    });
    for (let number = 1; number <= 9; number += 1) {
      keys.on({ [`reason_${number}`]: () => (this.row ? this.row.toggleReason(number) : false) });
    }
    keys.on({
      row_down: () => this.step(1),
      row_up: () => this.step(-1),
      modify: () => (this.row ? this.row.edit() : false),
      reset: () => (this.row?.decision === "edited" ? this.row.editor.replaceTexts(this.row.data.gaps) : false),
      undo_row: () => this.undoAct(),
      undo: ({ target }) => (!target.closest("#undo") && this.undoAct()) || this.undo.press(),
      second_opinion: () => this.askSecondOpinion(),
      submit: () => this.submit(),
    });
    this.form.addEventListener("focusin", ({ target }) => this.enter(target));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    for (const away of document.querySelectorAll("[data-away]")) {
      away.addEventListener("submit", (event) => this.giveAway(event));
    }
  }

  // --- where one is ------------------------------------------------------------------------------------

  enter(target) {
    const element = target.closest("[data-row]");
    if (element) this.row = this.rows[Number(element.dataset.row)];
    for (const row of this.rows) row.element.toggleAttribute("data-current", row === this.row);
  }

  goTo(row) {
    if (!row) return;
    row.element.focus({ preventScroll: true });
    row.element.scrollIntoView({ block: "nearest" });
    this.enter(row.element);
  }

  step(by) {
    this.goTo(this.rows[this.rows.indexOf(this.row) + by]);
  }

  /** Close the drawer, or leave the text. */
  close() {
    if (this.drawer.close()) return;
    const row = document.activeElement?.closest("[data-row]");
    if (!row || row === document.activeElement) return false;
    this.goTo(this.rows[Number(row.dataset.row)]);
  }

  // --- acts, and how they are taken back -----------------------------------------------------------------

  remember(undo) {
    if (!this.isUndoing) this.acts.push(undo);
  }

  undoAct() {
    const undo = this.acts.pop();
    if (!undo) return false;
    this.isUndoing = true;
    undo();
    this.isUndoing = false;
    return true;
  }

  payload() {
    return { checks: this.rows.map((row) => row.read()), note: "", active_ms: this.timer.milliseconds };
  }

  load({ checks = [] }) {
    for (const row of this.rows) row.load(checks.find(({ position }) => position === row.number));
  }

  change(row) {
    if (!this.autosave) return;
    this.key = newKey(); // another answer: the server must not take it for the one before
    this.autosave.change();
    row.showProblems([]);
    this.say("");
    this.count();
  }

  count() {
    const left = this.rows.filter(({ decision }) => decision === null).length;
    byId("left").textContent = left ? this.data.messages.left.replace("{count}", String(left)) : "";
  }

  say(message) {
    byId("said").textContent = message;
    byId("said").hidden = !message;
  }

  /** There are two versions: nothing is overwritten before the person has said which one holds. */
  offer(other, message, load) {
    this.question?.remove();
    const question = createElement("div", { className: "note warn", role: "alert" });
    question.append(createElement("p", {}, message));
    const addButton = (textContent, act) => {
      const onclick = () => {
        question.remove();
        act();
        if (this.autosave.theirs) this.autosave.resolveConflict();
        else this.autosave.change();
      };
      question.append(createElement("button", { type: "button", textContent, onclick }), " ");
    };
    addButton(this.data.messages.mine, () => {});
    addButton(load, () => this.load(other));
    this.question = question;
    byId("said").before(question);
    question.scrollIntoView({ block: "nearest" });
  }

  // --- deciding ------------------------------------------------------------------------------------------

  async submit() {
    if (this.isBusy || isComposing()) return;
    this.isBusy = byId("submit").disabled = true;
    try {
      const { data, key } = this;
      const body = { version: data.version, client_key: key, payload: this.payload() };
      const answer = await this.server.send("POST", data.urls.finalise, body);
      // What was written while the decision was on its way is saved, too, though it comes too late.
      const isChanged = summarize(this.payload()) !== summarize(body.payload);
      if (answer.status === 200 && isChanged) await this.autosave.flush();
      this.handleDecision(answer);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      this.autosave.keep();
      this.say(this.data.messages.unreached);
    } finally {
      this.isBusy = byId("submit").disabled = false;
    }
  }

  handleDecision({ status, data }) {
    const { messages } = this.data;
    if (status === 200) {
      this.autosave.stop();
      this.store.remove(`draft/review/${this.data.task}`);
      return location.assign(data.next);
    }
    if (status !== 422) return this.say(`${messages.changed} ${data.message ?? data.error ?? status}`);
    const rowOf = ({ field }) => this.rows.find(({ number }) => field.endsWith(`-${number}`));
    for (const row of this.rows) row.showProblems(data.problems.filter((problem) => rowOf(problem) === row));
    const rest = data.problems.filter((problem) => !rowOf(problem));
    this.say(rest.map(({ message }) => message).join(" "));
    const first = data.problems.map(rowOf).find(Boolean);
    if (!first) return;
    this.goTo(first);
    first.problems.scrollIntoView({ block: "nearest" });
  }

  /** Open the form that asks for a second opinion. */
  askSecondOpinion() {
    const note = byId("second-note");
    note.closest("details").open = true;
    note.focus();
    note.scrollIntoView({ block: "center" });
  }

  /** Before the sentence is given away, all that was done on it is saved. */
  async giveAway(event) {
    if (!this.autosave.isUnsaved) return;
    event.preventDefault();
    await this.autosave.flush();
    event.target.submit();
  }
}

new CheckPage();
