// One candidate: its verdict, its reasons, and the box in which a wrong text becomes a right one.

import { type } from "./box.js";
import { composing, whenWritten } from "./composing.js";
import { TextBox, plain } from "./textbox.js";

export class Row {
  /** `data` is {key, text, pieces, off}; `page` is told of every change and asked for words. */
  constructor(element, data, page) {
    Object.assign(this, { element, data, page, number: Number(element.dataset.row) + 1 });
    this.picks = [...element.querySelectorAll("input[type=radio]")];
    this.reasons = [...element.querySelectorAll(".reasons input")];
    this.details = element.querySelector("[data-modify]");
    this.off = new Set(data.off);
    this.verdict = this.picked;
    for (const pick of this.picks) pick.addEventListener("change", () => this.judge(this.picked));
    for (const reason of this.reasons) reason.addEventListener("change", () => this.chose(reason));
    for (const field of element.querySelectorAll(".cite input")) whenWritten(field, () => page.changed(this));
    if (this.details) this.prepare();
  }

  prepare() {
    const { element, page } = this;
    const area = element.querySelector("textarea");
    this.made = element.querySelector("[data-same]");
    this.box = new TextBox(area, { ...page.boxed, shown: element.querySelector("[data-box-diff]"), changed: () => page.changed(this) });
    this.details.addEventListener("toggle", () => {
      if (this.details.open && !area.value) this.fill(this.restored());
      this.refresh();
      page.changed(this);
    });
    for (const button of element.querySelectorAll("[data-switch]")) {
      button.addEventListener("click", () => this.toggle(Number(button.dataset.switch)));
    }
  }

  get picked() {
    return this.picks.find((pick) => pick.checked)?.value ?? null;
  }

  get isText() {
    return Boolean(this.details);
  }

  get open() {
    return Boolean(this.details?.open) && this.verdict === "wrong";
  }

  /** Give a verdict; return how to take it back. */
  judge(verdict) {
    const before = this.verdict;
    for (const pick of this.picks) pick.checked = pick.value === verdict;
    this.verdict = verdict;
    if (before !== verdict) this.page.did(() => this.judge(before));
    this.page.judged(this);
    this.refresh();
  }

  chose(reason) {
    this.page.did(() => {
      reason.checked = !reason.checked;
      this.page.changed(this);
    });
    // Over-correction alone is mended by restoring (REV-9): the edits come into sight at once.
    if (reason.value === "overcorrection" && reason.checked && this.details && !this.details.open) this.details.open = true;
    this.page.changed(this);
  }

  /** Choose or drop the reason of a number, from 1. */
  reason(number) {
    const reason = this.reasons[number - 1];
    if (!reason || this.verdict !== "wrong") return false;
    reason.checked = !reason.checked;
    this.chose(reason);
    return true;
  }

  /** Return the submitted text with the edits that are off put back to the original. */
  restored() {
    return this.data.pieces.map(({ source, target, switch: number }) => (this.off.has(number) ? source : target)).join("");
  }

  /** Put an edit back to the original, or take it again. */
  toggle(number) {
    if (composing() || !this.element.querySelector(`[data-switch="${number}"]`)) return false;
    this.details.open = true;
    if (this.off.has(number)) this.off.delete(number);
    else this.off.add(number);
    this.fill(this.restored());
    this.page.did(() => this.toggle(number));
    this.refresh();
    this.page.changed(this);
    return true;
  }

  /** Type a text into the box, as if by hand, and leave the focus where it was. */
  fill(text) {
    if (this.box.text === text) return;
    const before = document.activeElement;
    type(this.box.area, text, [0, this.box.text.length]);
    before?.focus?.({ preventScroll: true });
  }

  modify() {
    if (!this.details) return false;
    if (this.verdict !== "wrong") this.judge("wrong");
    this.details.open = true;
    if (!this.box.text) this.fill(this.restored());
    this.box.area.focus();
    return true;
  }

  reset() {
    this.off.clear();
    this.fill(this.restored());
    this.box.area.focus();
    this.refresh();
    this.page.changed(this);
  }

  drop() {
    this.details.open = false;
    this.element.focus({ preventScroll: true });
  }

  refresh() {
    for (const button of this.element.querySelectorAll("[data-switch]")) {
      button.setAttribute("aria-pressed", String(!this.off.has(Number(button.dataset.switch))));
    }
    this.box?.refresh();
  }

  /** Return what the answer says of this candidate. */
  read() {
    const value = (name) => this.element.querySelector(`.cite [name^=${name}]`)?.value ?? "";
    return {
      correct: this.verdict === null ? null : this.verdict === "correct",
      reasons: this.reasons.filter((reason) => reason.checked).map((reason) => reason.value),
      note: value("note"),
      section: value("section"),
      modified: this.open ? this.box.text : null,
      off: [...this.off].sort((one, two) => one - two),
    };
  }

  /** Make the page say what a draft says. */
  load(said = {}) {
    this.verdict = said.correct === true ? "correct" : said.correct === false ? "wrong" : null;
    for (const pick of this.picks) pick.checked = pick.value === this.verdict;
    for (const reason of this.reasons) reason.checked = (said.reasons ?? []).includes(reason.value);
    for (const name of ["note", "section"]) {
      const field = this.element.querySelector(`.cite [name^=${name}]`);
      if (field) field.value = said[name] ?? "";
    }
    if (!this.details) return;
    this.off = new Set(said.off ?? []);
    this.box.area.value = said.modified ?? "";
    this.details.open = (said.modified ?? null) !== null;
    this.refresh();
  }

  get same() {
    return this.open ? plain(this.box.text) : null;
  }
}
