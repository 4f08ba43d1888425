// An answer to one sentence: its boxes, or the decision that it has no errors or cannot be done.

import { onWritten } from "./composition.js";
import { drawDiff, toggleClean } from "./draw-diff.js";
import { findHints, formatHint } from "./hints.js";
import { byId, createElement, formatCount, languageTag } from "./page.js";
import { TextBox, typeText } from "./textbox.js";

const MOST_HINTS = 4;

/** One correction: a box with its difference, its hints and its problems. */
class CorrectionBox extends TextBox {
  constructor({ source, text, project, messages, onChange }) {
    const element = byId("box").content.firstElementChild.cloneNode(true);
    const part = (name) => element.querySelector(`[data-part="${name}"]`);
    const change = () => {
      this.showProblems([]);
      onChange();
    };
    super(part("text"), { source, project, words: messages.diff, place: part("diff"), onChange: change });
    Object.assign(this, { element, part, messages });
    this.area.value = text;
    this.area.lang = this.place.lang = languageTag(project.lang);
  }

  /** Say which number it has, and whether it is the only one. */
  setNumber(index, isOnly) {
    const name = this.messages.box.replace("{number}", String(index + 1));
    this.part("title").textContent = name;
    this.area.id = `reference-${index}`;
    this.area.setAttribute("aria-label", name);
    this.element.querySelector("[data-act=remove]").hidden = isOnly;
    this.element.querySelector("[data-act=copy]").hidden = index === 0;
  }

  refresh() {
    super.refresh();
    this.hints = findHints(this.source, this.text, this.project);
    this.showHints();
  }

  showDiff({ pieces, edits }) {
    drawDiff(this.place, pieces, this.words, this.project.placeholder);
    const { unchanged, edits: forms } = this.messages;
    this.part("count").textContent = this.text === this.source ? unchanged : formatCount(forms, edits);
  }

  showHints() {
    const items = this.hints.slice(0, MOST_HINTS).map((hint) => {
      const item = createElement("li", {}, formatHint(hint, this.messages.hints));
      Object.assign(item.dataset, { code: hint.code, text: hint.text });
      if (hint.repair === null) return item;
      const button = { type: "button", className: "quiet small", textContent: this.messages.repair };
      button.onclick = () => typeText(this.area, hint.repair, [hint.start, hint.end]);
      item.append(" ", createElement("button", button));
      return item;
    });
    this.part("hints").replaceChildren(...items);
  }

  /** Show {message, hint, text} of the server; a hint that says the same becomes the problem, with its repair. */
  showProblems(problems) {
    this.showHints();
    const lines = problems.map(({ message, hint, text }) => {
      const hints = [...this.part("hints").children];
      const same = hints.find(({ dataset }) => dataset.code === hint && dataset.text === text);
      same?.remove();
      return createElement("p", { className: "problem" }, ...(same?.childNodes ?? [message]));
    });
    this.part("problems").replaceChildren(...lines);
    this.area.setAttribute("aria-invalid", String(problems.length > 0));
  }

  focus({ atStart = false } = {}) {
    this.area.focus({ preventScroll: !atStart });
    if (atStart) this.area.setSelectionRange(0, 0);
  }

  disable(isDisabled) {
    this.area.readOnly = isDisabled;
    for (const button of this.element.querySelectorAll("button")) button.disabled = isDisabled;
  }
}

export class Answer {
  /** `project` is {lang, placeholder, aliases, most}; `onChange` is called on every change. */
  constructor({ project, messages, onChange }) {
    Object.assign(this, { project, messages, onChange, boxes: [], removed: [], current: 0, isDisabled: false });
    this.list = byId("boxes");
    this.list.addEventListener("focusin", ({ target }) => (this.current = this.indexOf(target)));
    for (const id of ["reason", "reason-note"]) onWritten(byId(id), () => this.change());
  }

  /** Begin with a sentence and, where there is one, a draft. */
  load(source, draft) {
    Object.assign(this, { source, removed: [], current: 0, decision: draft?.decision ?? "corrected" });
    this.setTexts(draft?.texts?.length ? draft.texts : [source]);
    byId("reason").value = draft?.reason ?? "";
    byId("reason-note").value = draft?.note ?? "";
    this.show();
  }

  setTexts(texts) {
    const wereClean = this.boxes.map(({ place }) => place.classList.contains("clean"));
    this.boxes = texts.map((text) => this.createBox(text));
    this.list.replaceChildren(...this.boxes.map(({ element }) => element));
    this.boxes.forEach((box, index) => {
      toggleClean(box.element, wereClean[index] ?? false);
      box.refresh();
    });
  }

  createBox(text) {
    const { source, project, messages } = this;
    return new CorrectionBox({ source, text, project, messages, onChange: () => this.change() });
  }

  get box() {
    return this.boxes[this.current];
  }

  get lang() {
    return this.project.lang;
  }

  get isCorrected() {
    return this.decision === "corrected";
  }

  get mayAdd() {
    return this.boxes.length < this.project.most;
  }

  /** The payload of the draft. */
  read() {
    return {
      decision: this.decision,
      texts: this.boxes.map(({ text }) => text),
      reason: byId("reason").value,
      note: byId("reason-note").value,
    };
  }

  /** What is submitted: only what belongs to the decision. */
  readDecision() {
    const { decision, texts, reason, note } = this.read();
    const isReasonNeeded = decision === "not_annotatable";
    return {
      decision,
      texts: this.isCorrected ? texts : [],
      reason: isReasonNeeded ? reason : "",
      note: isReasonNeeded ? note : "",
    };
  }

  /** A draft as a person reads it. */
  plainText({ decision, texts = [] } = this.read()) {
    return [...(decision === "corrected" ? [] : [this.messages.decisions[decision]]), ...texts].join("\n");
  }

  change() {
    this.showProblems([]);
    this.onChange();
  }

  show() {
    this.boxes.forEach((box, index) => box.setNumber(index, this.boxes.length < 2));
    for (const button of document.querySelectorAll("[data-decide]")) {
      button.setAttribute("aria-pressed", String(button.dataset.decide === this.decision));
    }
    byId("rewriting").hidden = !this.isCorrected;
    byId("error-free").hidden = this.decision !== "error_free";
    byId("not-annotatable").hidden = this.decision !== "not_annotatable";
    byId("add").disabled = !this.mayAdd;
    byId("bring-back").hidden = !this.removed.length || !this.mayAdd;
  }

  /** Decide; the same decision again goes back to the corrections. */
  decide(decision) {
    if (this.isDisabled) return;
    this.decision = this.decision === decision ? "corrected" : decision;
    this.show();
    if (this.decision === "not_annotatable") byId("reason").focus();
    else if (this.decision === "error_free") byId("error-free").focus();
    else this.box?.focus();
    this.change();
  }

  add(text = this.source) {
    if (this.isDisabled || !this.isCorrected || !this.mayAdd) return;
    const box = this.createBox(text);
    this.current = this.boxes.push(box) - 1;
    this.list.append(box.element);
    box.refresh();
    this.show();
    box.focus({ atStart: true });
    this.change();
  }

  remove(index) {
    if (this.isDisabled || !this.isCorrected || this.boxes.length < 2) return;
    const [box] = this.boxes.splice(index, 1);
    this.removed.push(box.text);
    box.element.remove();
    this.current = Math.min(index, this.boxes.length - 1);
    this.show();
    this.box.focus();
    this.change();
  }

  bringBack() {
    if (!this.isDisabled && this.removed.length && this.mayAdd) this.add(this.removed.pop());
    this.show();
  }

  goTo(index) {
    if (!this.isCorrected || !this.boxes[index]) return false;
    this.current = index;
    this.box.focus();
    this.box.element.scrollIntoView({ block: "nearest" });
  }

  copyPrevious(index) {
    if (index > 0) this.boxes[index].replaceText(this.boxes[index - 1].text);
  }

  /** The number of the box that an element is in; of the current one, if it is in none. */
  indexOf(element) {
    const index = this.boxes.findIndex((box) => box.element.contains(element));
    return index < 0 ? this.current : index;
  }

  /** Show problems where they belong; return those for which the page has no place. */
  showProblems(problems) {
    const boxOf = ({ field }) => Number(/^reference-(\d+)$/.exec(field)?.[1] ?? -1);
    const ofReason = problems.filter(({ field }) => field === "reason" || field === "note");
    this.boxes.forEach((box, index) => box.showProblems(problems.filter((problem) => boxOf(problem) === index)));
    byId("reason-problem").textContent = ofReason.map(({ message }) => message).join(" ");
    if (problems.length && boxOf(problems[0]) >= 0) this.goTo(boxOf(problems[0]));
    else if (ofReason.length) byId("reason").focus();
    return problems.filter((problem) => {
      if (ofReason.includes(problem)) return this.decision !== "not_annotatable";
      return !(this.isCorrected && this.boxes[boxOf(problem)]);
    });
  }

  /** Of equal texts one stays (ANN-11). */
  mergeTexts(texts) {
    this.removed.push(...this.boxes.slice(texts.length).map(({ text }) => text));
    this.setTexts(texts);
    this.current = Math.min(this.current, texts.length - 1);
    this.show();
    this.box.focus();
  }

  focus() {
    if (this.isCorrected) this.boxes[0].focus({ atStart: true });
    else byId(this.decision === "error_free" ? "error-free" : "reason").focus({ preventScroll: true });
  }

  /** Let nobody write for a while, neither by hand nor by any key. */
  disable(isDisabled) {
    this.isDisabled = isDisabled;
    byId("reason").disabled = isDisabled;
    byId("reason-note").readOnly = isDisabled;
    for (const box of this.boxes) box.disable(isDisabled);
    const buttons = document.querySelectorAll("[data-decide], #add, #bring-back, #placeholder");
    for (const button of buttons) button.disabled = isDisabled;
    if (!isDisabled) this.show();
  }
}
