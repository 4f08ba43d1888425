// The page of a reviewer: rows to decide on, one decision for all of them, and nothing lost. What the
// review of texts and the check of variants share. A page has rows with an element, and says what it
// sends (payload, load), what belongs to a change, and where the problems of a refusal belong.

import { isComposing } from "./composition.js";
import { ActivityTimer, Autosave, DraftStore, chooseDraft } from "./drafts.js";
import { GuidelineDrawer } from "./guideline-drawer.js";
import { Keys } from "./keys.js";
import { UndoBar, byId, createElement } from "./page.js";
import { Server, newKey } from "./server.js";

/** A row to decide on: its verdict, and the reasons for one that rejects it (`rejection`). */
export class Row {
  /** `page` is told of every change. */
  constructor(element, data, page, rejection) {
    Object.assign(this, { element, data, page, rejection });
    this.fields = [...element.querySelectorAll("input[type=radio]")];
    this.reasons = [...element.querySelectorAll(".reasons input")];
    this.verdict = this.fields.find(({ checked }) => checked)?.value ?? null;
    for (const field of this.fields) field.addEventListener("change", () => this.judge(field.value));
    for (const reason of this.reasons) reason.addEventListener("change", () => this.changeReason(reason));
  }

  setVerdict(verdict) {
    for (const field of this.fields) field.checked = field.value === verdict;
    this.verdict = verdict;
  }

  judge(verdict) {
    const before = this.verdict;
    this.setVerdict(verdict);
    if (before !== verdict) this.page.remember(() => this.judge(before));
    this.page.afterVerdict(this);
  }

  changeReason() {
    this.page.change(this);
  }

  /** Choose or drop the reason of a number, from 1. */
  toggleReason(number) {
    const reason = this.reasons[number - 1];
    if (!reason || this.verdict !== this.rejection) return false;
    reason.checked = !reason.checked;
    this.changeReason(reason);
  }

  get chosenReasons() {
    return this.reasons.filter(({ checked }) => checked).map(({ value }) => value);
  }

  set chosenReasons(reasons) {
    for (const reason of this.reasons) reason.checked = reasons.includes(reason.value);
  }
}

export class DecisionPage {
  /** `summarize` says what a payload decides, in one order whatever the database made of it. */
  constructor(data, messages, summarize) {
    Object.assign(this, { data, messages, summarize, acts: [], isUndoing: false, key: newKey() });
    this.keys = new Keys(data.keys);
    this.undo = new UndoBar(this.keys);
    this.drawer = new GuidelineDrawer(this.keys);
    this.keys.on({ close: () => this.close() });
  }

  connect(form) {
    const { data, messages } = this;
    this.form = form;
    this.timer = new ActivityTimer();
    this.timer.start(data.activeMs);
    this.server = new Server(form.querySelector("[name=csrfmiddlewaretoken]").value, data.urls.login);
    this.store = new DraftStore(data.person);
    this.autosave = new Autosave({
      server: this.server,
      store: this.store,
      status: document.querySelector("[data-saving]"),
      messages: messages.saving,
      summarize: this.summarize,
      read: () => this.payload(),
      onConflict: (theirs) => this.offer(theirs, messages.conflict, messages.theirs),
      onGone: (message) => this.say(message || messages.gone),
    });
  }

  get draftName() {
    return `draft/review/${this.data.task}`;
  }

  /**
   * Begin with the newest of what the server and this browser have; the other one can be loaded.
   *
   * `saved` is the server's {rev, at, payload} or null, `rev` and `at` are those of the page.
   */
  resume(saved, { rev, at }) {
    const { data, messages, store, summarize } = this;
    const local = store.read(this.draftName);
    const { payload, unsaved, other } = chooseDraft(saved, local, summarize);
    if (payload && payload !== saved?.payload) this.load(payload);
    const task = { slot: `review/${data.task}`, draftUrl: data.urls.draft };
    this.autosave.begin(task, { rev, at, unsaved, sent: local?.sent });
    if (!other || local.rev >= rev) return; // an earlier version of one's own is no other one
    const { older, older_load: loadOlder, conflict, theirs } = messages;
    this.offer(other, ...(unsaved ? [conflict, theirs] : [older, loadOlder]));
  }

  /** Bind what all pages have; `judge` makes the act of a row and a verdict, "correct" or "wrong". */
  bind(judge) {
    const { keys } = this;
    for (const verdict of ["correct", "wrong"]) {
      const act = (number) => {
        this.goTo(this.rows[number - 1]);
        judge(this.rows[number - 1], verdict);
      };
      keys.onNumbers(verdict, act, this.rows.length);
    }
    keys.onNumbers("reason", (number) => (this.row ? this.row.toggleReason(number) : false));
    keys.on({
      row_down: () => this.step(1),
      row_up: () => this.step(-1),
      modify: () => (this.row ? this.row.modify() : false),
      undo_row: () => this.undoAct(),
      undo: ({ target }) => (!target.closest("#undo") && this.undoAct()) || this.undo.press(),
      second_opinion: () => this.askSecondOpinion(),
      submit: () => this.submit(),
    });
    this.form.addEventListener("focusin", ({ target }) => this.enter(target));
    for (const away of document.querySelectorAll("[data-away]")) {
      away.addEventListener("submit", (event) => this.giveAway(event));
    }
  }

  // --- where one is ------------------------------------------------------------------------------

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

  /** Close the drawer, or leave the field for its row. */
  close() {
    if (this.drawer.close()) return;
    const field = document.activeElement;
    const row = field?.closest("[data-row]");
    if (row && row !== field) this.goTo(this.rows[Number(row.dataset.row)]);
    else if (field?.matches("textarea, input, select")) field.blur();
    else return false;
  }

  // --- acts, and how they are taken back ---------------------------------------------------------

  /** Remember how to take an act back. */
  remember(undo) {
    if (!this.isUndoing) this.acts.push(undo);
  }

  /** Act without remembering: as a part of what is remembered, or to take it back. */
  actSilently(act) {
    const before = this.isUndoing;
    this.isUndoing = true;
    act();
    this.isUndoing = before;
  }

  undoAct() {
    const undo = this.acts.pop();
    if (!undo) return false;
    this.actSilently(undo);
    return true;
  }

  /**
   * There are two versions: nothing is overwritten before the person has said which one holds.
   *
   * `other` is the payload that is not in the page, `message` says where it comes from, `load` is
   * the button that loads it. The question stays until it is answered, whatever is edited meanwhile.
   */
  offer(other, message, load) {
    this.question?.remove();
    const question = createElement("div", { className: "note warn", role: "alert" }, createElement("p", {}, message));
    const addButton = (textContent, act) => {
      const onclick = () => {
        question.remove();
        act();
        if (this.autosave.theirs) this.autosave.resolveConflict();
        else this.change();
      };
      question.append(createElement("button", { type: "button", textContent, onclick }), " ");
    };
    addButton(this.messages.mine, () => {});
    addButton(load, () => this.load(other));
    this.question = question;
    this.messagePlace.before(question);
    question.scrollIntoView({ block: "nearest" });
  }

  // --- deciding ----------------------------------------------------------------------------------

  async submit() {
    if (this.isBusy || isComposing()) return;
    const button = this.form.querySelector("[data-submit]");
    this.isBusy = button.disabled = true;
    try {
      const body = { version: this.data.version, client_key: this.key, payload: this.payload() };
      await this.autosave.hold();
      const answer = await this.server.trySend("POST", this.data.urls.finalise, body);
      this.autosave.release();
      if (!answer) {
        this.autosave.keep();
        return this.say(this.messages.unreached);
      }
      // What was written while the decision was on its way is saved, too, though it comes too late.
      const isChanged = this.summarize(this.payload()) !== this.summarize(body.payload);
      if (answer.status === 200 && isChanged) await this.autosave.flush();
      this.handleDecision(answer);
    } finally {
      this.isBusy = button.disabled = false;
    }
  }

  handleDecision({ status, data }) {
    if (status === 200) {
      this.autosave.stop();
      this.store.remove(this.draftName);
      return location.assign(data.next);
    }
    if (status === 422) this.refuse(data.problems);
    else this.say(`${this.messages.changed} ${data.message ?? data.error ?? status}`);
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
