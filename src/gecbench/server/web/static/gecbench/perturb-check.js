// The page on which a reviewer checks the variants of a sentence: each is accepted, edited or returned.

import { onWritten } from "./composition.js";
import { DecisionPage } from "./decision-page.js";
import { Gaps } from "./gaps.js";
import { byId, createElement, readJson } from "./page.js";
import { newKey } from "./server.js";

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
    const { data: { project }, messages } = page;
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

  modify() {
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
    this.bind((row, verdict) => row.decide(verdict === "correct" ? "accepted" : "returned"));
    this.goTo(this.rows.find(({ decision }) => decision === null) ?? this.rows[0]);
    this.count();
  }

  bind(judge) {
    super.bind(judge);
    this.keys.on({
      reset: () => (this.row?.decision === "edited" ? this.row.editor.replaceTexts(this.row.data.gaps) : false),
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

  count() {
    const left = this.rows.filter(({ decision }) => decision === null).length;
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
