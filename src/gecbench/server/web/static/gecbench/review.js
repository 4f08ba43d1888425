// The review page: every candidate judged, one decision, nothing lost. Keys do all of it.

import { alignRows } from "./align-rows.js";
import { Candidate } from "./candidate.js";
import { isComposing, onWritten } from "./composition.js";
import { DecisionPage } from "./decision-page.js";
import { toggleClean } from "./draw-diff.js";
import { byId, createElement, createProblem, normalizeText, readJson } from "./page.js";
import { newKey } from "./server.js";
import { TextBox, typeText } from "./textbox.js";

const PAUSE = 600;
/** What is shown while one works; that something is not judged yet is shown when one decides. */
const LIVE_PROBLEMS = /^(?:CON-|ANN-10|REV-4)/;
const ROW_FIELDS = ["correct", "reasons", "note", "section", "modified", "off"];

/** What a payload decides, in one order whatever the database made of it. */
function summarize({ decision, rows = {}, additions = [], reason = "", note = "" }) {
  const verdicts = Object.keys(rows).sort().map((key) => [key, ...ROW_FIELDS.map((field) => rows[key][field] ?? null)]);
  return JSON.stringify([decision, verdicts, additions, reason, note]);
}

class ReviewPage extends DecisionPage {
  constructor() {
    super(readJson("review-data"), readJson("review-words"), summarize);
    this.form = byId("review-form");
    Object.assign(this, { isConfirmed: false, examinations: 0 });
    alignRows(document);
    const rows = [...document.querySelectorAll("[data-row]")];
    this.rows = rows.map((element, index) => new Candidate(element, this.data.rows[index], this));
    const additions = [...document.querySelectorAll("[data-addition]")];
    this.additions = additions.map((element) => this.createAddition(element));
    this.keys.on({
      clean: ({ target }) => toggleClean(target.closest("[data-row]") ?? (this.row ?? this.rows[0])?.element),
    });
    if (this.form.dataset.mine === "yes") this.begin();
    else this.makeReadOnly();
  }

  /** Nothing can be changed, but looked at: a disabled fieldset would disable those buttons, too. */
  makeReadOnly() {
    const fieldset = this.form.querySelector("fieldset.whole");
    fieldset.disabled = false;
    for (const field of fieldset.elements) field.disabled = field.dataset.act !== "clean";
  }

  begin() {
    this.connect(this.form);
    this.bind((row, verdict) => row.judge(verdict));
    this.resumeForm();
    this.showProblems(readJson("review-problems"));
    this.look();
    this.goTo(this.rows.find(({ verdict }) => verdict === null) ?? this.rows[0]);
  }

  /** The form of the page holds what the server has; without scripts it is sent as it is. */
  resumeForm() {
    const { rev, at } = this.data;
    const local = this.store.read(this.draftName);
    const payload = this.payload();
    const isSame = local && summarize(local.payload) === summarize(payload);
    this.resume(at || isSame ? { rev, at, payload } : null, { rev, at });
  }

  bind(judge) {
    super.bind(judge);
    const { keys, form } = this;
    keys.onNumbers("restore", (number) => (this.row?.isModified ? this.row.toggleEdit(number) : false));
    keys.on({
      add: () => this.add(),
      remove: ({ target }) => this.remove(target),
      reset: ({ target }) => this.reset(target),
      placeholder: () => this.typePlaceholder(),
      error_free: () => this.decide("error_free"),
      not_annotatable: () => this.decide("not_annotatable"),
    });
    for (const field of form.querySelectorAll("[name=decision]")) {
      field.addEventListener("change", () => this.decide(field.value));
    }
    for (const field of form.querySelectorAll("#note, #reason")) onWritten(field, () => this.change());
  }

  enter(target) {
    super.enter(target);
    if (target.matches("[data-box]")) this.area = target;
  }

  // --- what is decided ---------------------------------------------------------------------------

  get decision() {
    return this.form.elements.decision.value;
  }

  set decision(decision) {
    this.form.elements.decision.value = decision;
    this.decided = decision;
  }

  /** Decide on the whole sentence; rows that say the same follow. */
  decide(decision) {
    const before = this.decided ?? "corrected";
    this.decision = decision;
    if (before !== decision) this.remember(() => this.decide(before));
    this.actSilently(() => {
      for (const row of this.rows.filter(({ isText }) => !isText)) {
        if (row.data.key === decision) row.judge("correct");
        else row.judge(row.verdict === "correct" ? null : row.verdict);
      }
    });
    if (decision === "not_annotatable") byId("reason").focus();
    this.change();
  }

  /** A verdict on a decision decides. */
  afterVerdict(row) {
    const { key } = row.data;
    if (!row.isText) {
      this.actSilently(() => {
        if (row.verdict === "correct" && this.decision !== key) this.decide(key);
        if (row.verdict !== "correct" && this.decision === key) this.decide("corrected");
      });
    }
    this.change(row);
  }

  createBox(element, onChange) {
    return TextBox.in(element, this.data, this.messages.diff, onChange);
  }

  createAddition(element) {
    return { element, box: this.createBox(element, () => this.change()) };
  }

  add(text = this.data.source) {
    const element = byId("addition").content.firstElementChild.cloneNode(true);
    this.added = (this.added ?? 0) + 1;
    const id = `addition-new-${this.added}`;
    element.querySelector("textarea").id = id;
    element.querySelector("label").htmlFor = id;
    element.querySelector("textarea").value = text;
    document.querySelector("[data-additions]").append(element);
    const addition = this.createAddition(element);
    this.additions.push(addition);
    addition.box.area.focus();
    addition.box.area.setSelectionRange(0, 0);
    element.scrollIntoView({ block: "nearest" });
    this.change();
  }

  rowOf(target) {
    return this.rows.find(({ element }) => element.contains(target));
  }

  additionOf(target) {
    return this.additions.findIndex(({ element }) => element.contains(target));
  }

  remove(target) {
    const row = this.rowOf(target);
    if (row?.isModified) return row.removeText();
    const index = this.additionOf(target);
    if (index < 0) return false;
    const [addition] = this.additions.splice(index, 1);
    addition.element.remove();
    this.remember(() => {
      const next = this.additions[index]?.element ?? null;
      document.querySelector("[data-additions]").insertBefore(addition.element, next);
      this.additions.splice(index, 0, addition);
      this.change();
    });
    this.goTo(this.row ?? this.rows[0]);
    this.change();
  }

  reset(target) {
    const row = this.rowOf(target);
    if (row) return row.isModified ? row.reset() : false;
    const index = this.additionOf(target);
    if (index < 0) return false;
    this.additions[index].box.replaceText(this.data.source);
  }

  typePlaceholder() {
    if (!this.area?.isConnected || isComposing()) return false;
    typeText(this.area, this.data.placeholder);
  }

  // --- what the page says ------------------------------------------------------------------------

  payload() {
    return {
      decision: this.decision,
      rows: Object.fromEntries(this.rows.map((row) => [row.data.key, row.read()])),
      additions: this.additions.map(({ box }) => box.text),
      reason: byId("reason").value,
      note: byId("note").value,
      confirmed: this.isConfirmed,
      active_ms: this.timer.milliseconds,
    };
  }

  load({ rows = {}, additions = [], decision = "corrected", reason = "", note = "" }) {
    for (const row of this.rows) row.load(rows[row.data.key]);
    for (const { element } of this.additions) element.remove();
    this.additions = [];
    for (const text of additions) this.add(text);
    this.decision = decision;
    byId("reason").value = reason;
    byId("note").value = note;
    this.look();
  }

  change(row = null) {
    if (!this.autosave) return;
    this.isConfirmed = false;
    this.key = newKey(); // another answer: the server must not take it for the one before
    this.autosave.change();
    this.clearProblems(row);
    this.look();
  }

  /** Say which boxes hold a text that is there already, and ask the server about the whole. */
  look() {
    const texts = this.rows.filter(({ isText }) => isText);
    for (const row of texts) this.showSame(row.sameAs, row.isModified ? row.box.text : null, texts, row);
    for (const { element, box } of this.additions) this.showSame(element.querySelector("[data-same]"), box.text, texts);
    clearTimeout(this.examineTimer);
    if (this.server) this.examineTimer = setTimeout(() => this.examine(), PAUSE);
  }

  showSame(place, text, candidates, row = null) {
    const { sameAs, sameAsWrong, untouched, sameAsSource } = this.messages;
    const isSame = (other) => text !== null && normalizeText(text) === normalizeText(other);
    const same = candidates.find(({ data }) => isSame(data.text));
    let message = "";
    if (same && same === row) message = untouched;
    else if (same) message = (same.verdict === "wrong" ? sameAsWrong : sameAs).replace("{number}", String(same.number));
    else if (isSame(this.data.source)) message = sameAsSource;
    if (place.textContent !== message) place.textContent = message;
  }

  // --- problems ----------------------------------------------------------------------------------

  problemPlace(name) {
    const addition = /^addition-(\d+)$/.exec(name);
    if (addition) return this.additions[Number(addition[1])]?.element.querySelector("[data-problems]");
    return document.querySelector(`[data-problems="${CSS.escape(name)}"]`);
  }

  /** Show problems {place, words, blocking}; those of a place that is not there, on the whole. */
  showProblems(problems) {
    for (const place of document.querySelectorAll("[data-problems]")) place.replaceChildren();
    for (const { place, words, blocking } of problems) {
      const line = createProblem(blocking ? words : `${this.messages.warning}: ${words}`, blocking);
      (this.problemPlace(place) ?? this.problemPlace("review")).append(line);
    }
  }

  clearProblems(row) {
    for (const place of (row?.element ?? document).querySelectorAll("[data-problems]")) place.replaceChildren();
    this.problemPlace("review").replaceChildren();
  }

  say(message) {
    const place = this.problemPlace("review");
    place.replaceChildren(createProblem(message));
    place.scrollIntoView({ block: "nearest" });
  }

  /** Go to the first problem that refuses. */
  focusProblem(problems) {
    const { place: name } = problems.find(({ blocking }) => blocking);
    const place = this.problemPlace(name);
    const field = this.form.querySelector(`[name="${CSS.escape(name)}"]`);
    const box = field ?? place?.parentElement.querySelector("textarea, select");
    const row = this.rowOf(place);
    if (/^(?:modified|addition|reason|section)/.test(name) && box) box.focus();
    else if (row) this.goTo(row);
    place?.scrollIntoView({ block: "nearest" });
  }

  /** Ask the server what the rules say of the review as it stands. */
  async examine() {
    const payload = this.payload();
    this.examinations += 1;
    const number = this.examinations;
    const answer = await this.server.trySend("POST", this.data.urls.examine, { payload });
    if (answer?.status !== 200 || number !== this.examinations || this.isBusy) return;
    const { problems, checks, golden } = answer.data;
    if (!document.querySelector("[data-problems] .problem")) {
      this.showProblems(problems.filter(({ code }) => LIVE_PROBLEMS.test(code)));
    }
    const { messages } = this;
    const left = Object.values(payload.rows).filter(({ correct }) => correct === null).length;
    const parts = [createElement("span", {}, messages.golden.replace("{count}", String(golden)))];
    if (left) parts.push(createElement("span", {}, messages.left.replace("{count}", String(left))));
    for (const [name, holds] of Object.entries(checks)) {
      const text = `${holds ? "✓" : "✗"} ${messages.checks[name]}`;
      parts.push(createElement("span", { className: holds ? "kept" : "broken" }, text));
    }
    document.querySelector("[data-consistency]").replaceChildren(...parts);
  }

  get messagePlace() {
    return this.problemPlace("review");
  }

  refuse(problems) {
    this.showProblems(problems);
    // Warnings alone: who decides again has seen them.
    this.isConfirmed = problems.every(({ blocking }) => !blocking);
    if (this.isConfirmed) this.say(this.messages.again);
    else this.focusProblem(problems);
  }
}

new ReviewPage();
