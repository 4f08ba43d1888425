// One candidate of a review: its verdict, its reasons, and the box in which a wrong text is corrected.

import { isComposing, onWritten } from "./composition.js";
import { Row } from "./decision-page.js";

export class Candidate extends Row {
  /** `data` is {key, text, pieces, off}; `review` is told of every change. */
  constructor(element, data, review) {
    super(element, data, review, "wrong");
    Object.assign(this, { number: Number(element.dataset.row) + 1, off: new Set(data.off) });
    this.details = element.querySelector("[data-modify]"); // of a text; a decision has none
    this.switches = [...element.querySelectorAll("[data-switch]")];
    for (const field of element.querySelectorAll(".cite input")) onWritten(field, () => review.change(this));
    for (const button of this.switches) {
      button.addEventListener("click", (event) => {
        event.preventDefault(); // its key is that of the current row
        this.toggleEdit(Number(button.dataset.switch));
      });
    }
    if (!this.isText) return;
    this.sameAs = element.querySelector("[data-same]");
    this.box = review.createBox(element, () => review.change(this));
    this.details.addEventListener("toggle", () => {
      if (this.details.open && !this.box.text) this.typeRestored();
      this.refresh();
      review.change(this);
    });
  }

  get isText() {
    return Boolean(this.details);
  }

  /** Whether a correct text is made of it. */
  get isModified() {
    return Boolean(this.details?.open) && this.verdict === "wrong";
  }

  judge(verdict) {
    super.judge(verdict);
    this.refresh();
  }

  changeReason(reason) {
    this.page.remember(() => {
      reason.checked = !reason.checked;
      this.page.change(this);
    });
    // Over-correction alone is corrected by restoring (REV-9): the edits come into sight at once.
    if (reason.value === "overcorrection" && reason.checked && this.details) this.details.open = true;
    super.changeReason(reason);
  }

  /** Put an edit back to the original, or take it again. */
  toggleEdit(number) {
    if (isComposing() || !this.switches.some((button) => Number(button.dataset.switch) === number)) return false;
    this.details.open = true;
    if (!this.off.delete(number)) this.off.add(number);
    this.typeRestored();
    this.page.remember(() => this.toggleEdit(number));
    this.refresh();
    this.page.change(this);
  }

  /** Type the submitted text, without the edits that are off, and leave the focus where it was. */
  typeRestored() {
    const before = document.activeElement;
    const textOf = ({ source, target, switch: number }) => (this.off.has(number) ? source : target);
    this.box.replaceText(this.data.pieces.map(textOf).join(""));
    before?.focus?.({ preventScroll: true });
  }

  modify() {
    if (!this.isText) return false;
    if (this.verdict !== "wrong") this.judge("wrong");
    this.details.open = true;
    if (!this.box.text) this.typeRestored();
    this.box.area.focus();
  }

  reset() {
    this.off.clear();
    this.typeRestored();
    this.box.area.focus();
    this.refresh();
    this.page.change(this);
  }

  /** Make no text of it. */
  removeText() {
    this.details.open = false;
    this.element.focus({ preventScroll: true });
  }

  refresh() {
    for (const button of this.switches) {
      button.setAttribute("aria-pressed", String(!this.off.has(Number(button.dataset.switch))));
    }
    this.box?.refresh();
  }

  field(name) {
    return this.element.querySelector(`.cite [name^=${name}]`);
  }

  /** What the answer says of this candidate. */
  read() {
    return {
      correct: this.verdict === null ? null : this.verdict === "correct",
      reasons: this.chosenReasons,
      note: this.field("note")?.value ?? "",
      section: this.field("section")?.value ?? "",
      modified: this.isModified ? this.box.text : null,
      off: [...this.off].sort((a, b) => a - b),
    };
  }

  /** Show what a draft says. */
  load({ correct = null, reasons = [], note = "", section = "", modified = null, off = [] } = {}) {
    this.setVerdict(correct === null ? null : correct ? "correct" : "wrong");
    this.chosenReasons = reasons;
    if (this.field("note")) this.field("note").value = note;
    if (this.field("section")) this.field("section").value = section;
    if (!this.isText) return;
    this.off = new Set(off);
    this.box.area.value = modified ?? "";
    this.details.open = modified !== null;
    this.refresh();
  }
}
