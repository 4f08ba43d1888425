// The page on which a reviewer checks the variants of a sentence: each is accepted, edited or returned.

import { onWritten } from "./composition.js";
import { DecisionPage, Row } from "./decision-page.js";
import { Gaps } from "./gaps.js";
import { byId, createProblem, readJson } from "./page.js";
import { newKey } from "./server.js";

const FIELDS = ["position", "decision", "gaps", "reasons", "note", "allow_moved"];

/** What a payload decides, in one order whatever the database made of it. */
const summarize = ({ checks = [] }) =>
  JSON.stringify(checks.map((check) => FIELDS.map((field) => check[field] ?? null)));

/** One variant: its decision, and what belongs to it. */
class Check extends Row {
  constructor(element, data, page) {
    super(element, data, page, "returned");
    this.number = data.number; // its place in the case
    this.note = element.querySelector("[data-note]");
    this.allow = element.querySelector("[data-allow]");
    this.allowPart = element.querySelector("[data-allow-part]");
    this.allow.addEventListener("change", () => page.change(this));
    onWritten(this.note, () => page.change(this));
    const { data: { project }, messages } = page;
    const place = element.querySelector(".edit-part");
    this.editor = new Gaps({ place, project, messages, onChange: () => page.change(this) });
    this.load();
  }

  /** Show what a draft says. */
  load({ decision = null, gaps = [], reasons = [], note = "", allow_moved: isAllowed = false } = {}) {
    const { original, chips } = this.page.data;
    const texts = gaps.length === chips.length + 1 ? gaps : this.data.gaps;
    this.setVerdict(decision);
    this.chosenReasons = reasons;
    this.note.value = note;
    this.allow.checked = isAllowed;
    this.editor.load({ gaps: original, chips }, { texts });
  }

  read() {
    return {
      position: this.number,
      decision: this.verdict,
      gaps: this.editor.texts,
      reasons: this.chosenReasons,
      note: this.note.value,
      allow_moved: this.allow.checked,
    };
  }

  modify() {
    if (this.verdict !== "edited") this.judge("edited");
    this.editor.focus();
  }

  get problems() {
    return this.element.querySelector("[data-problems]");
  }

  showProblems(problems) {
    const lines = problems.map(({ message, blocking }) => createProblem(message, blocking));
    this.problems.replaceChildren(...lines);
    const moved = problems.filter(({ code }) => code.startsWith("PER-4"));
    if (moved.length) this.allowPart.hidden = false;
    this.editor.showMoved(moved.map(({ error }) => error));
  }
}

class CheckPage extends DecisionPage {
  constructor() {
    super(readJson("check-data"), readJson("check-words"), summarize);
    if (byId("check-form")) this.begin();
  }

  begin() {
    const rows = [...document.querySelectorAll("[data-row]")];
    this.rows = rows.map((element, index) => new Check(element, this.data.rows[index], this));
    this.connect(byId("check-form"));
    const { draft } = this.data;
    this.load(draft?.payload ?? {});
    this.resume(draft, draft ?? { rev: 0, at: null });
    this.bind((row, verdict) => row.judge(verdict === "correct" ? "accepted" : "returned"));
    this.goTo(this.rows.find(({ verdict }) => verdict === null) ?? this.rows[0]);
    this.count();
  }

  bind(judge) {
    super.bind(judge);
    this.keys.on({
      reset: () => (this.row?.verdict === "edited" ? this.row.editor.replaceTexts(this.row.data.gaps) : false),
    });
    this.form.addEventListener("submit", (event) => event.preventDefault());
  }

  payload() {
    return { checks: this.rows.map((row) => row.read()), note: "", active_ms: this.timer.milliseconds };
  }

  load({ checks = [] }) {
    for (const row of this.rows) row.load(checks.find(({ position }) => position === row.number));
  }

  change(row = null) {
    if (!this.autosave) return;
    this.key = newKey(); // another answer: the server must not take it for the one before
    this.autosave.change();
    row?.showProblems([]);
    this.say("");
    this.count();
  }

  afterVerdict(row) {
    this.change(row);
  }

  count() {
    const left = this.rows.filter(({ verdict }) => verdict === null).length;
    byId("left").textContent = left ? this.messages.left.replace("{count}", String(left)) : "";
  }

  say(message) {
    byId("said").textContent = message;
    byId("said").hidden = !message;
  }

  get messagePlace() {
    return byId("said");
  }

  refuse(problems) {
    const rowOf = ({ field }) => this.rows.find(({ number }) => field.endsWith(`-${number}`));
    for (const row of this.rows) row.showProblems(problems.filter((problem) => rowOf(problem) === row));
    const rest = problems.filter((problem) => !rowOf(problem));
    this.say(rest.map(({ message }) => message).join(" "));
    const first = problems.map(rowOf).find(Boolean);
    if (!first) return;
    this.goTo(first);
    first.problems.scrollIntoView({ block: "nearest" });
  }
}

new CheckPage();
