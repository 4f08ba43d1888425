// An answer to one sentence: its boxes, or the decision that it has no errors or cannot be done.

import { Box } from "./box.js";
import { whenWritten } from "./composing.js";
import { toggleClean } from "./draw-diff.js";

/** Return the element of an id, which the page has. */
const at = (id) => document.getElementById(id);

export class Editor {
  /** `project` is {lang, placeholder, aliases, most}; `onChange` is told of every change. */
  constructor({ project, words, onChange }) {
    Object.assign(this, { project, words, onChange, boxes: [], removed: [], current: 0, disabled: false });
    this.list = at("boxes");
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("focusin", (event) => {
      const found = this.boxes.findIndex((box) => box.element.contains(event.target));
      if (found >= 0) this.current = found;
    });
    for (const id of ["reason", "reason-note"]) whenWritten(at(id), () => this.changed());
  }

  /** Begin with a sentence and, where there is one, a draft. */
  load(source, draft) {
    this.source = source;
    this.removed = [];
    this.current = 0;
    const texts = draft?.texts?.length ? draft.texts : [source];
    this.fill(texts);
    at("reason").value = draft?.reason ?? "";
    at("reason-note").value = draft?.note ?? "";
    this.decision = draft?.decision ?? "corrected";
    this.show();
  }

  fill(texts) {
    const clean = this.boxes.map(({ element }) => Boolean(element.querySelector(".diff.clean")));
    this.boxes = texts.map((text) => this.made(text));
    this.boxes.forEach(({ element }, index) => toggleClean(element, clean[index] ?? false));
    this.list.replaceChildren(...this.boxes.map((box) => box.element));
    for (const box of this.boxes) box.refresh();
  }

  made(text) {
    const { source, project, words } = this;
    return new Box({ source, text, project, words, changed: () => this.changed() });
  }

  /** Return the draft's payload. */
  read() {
    return {
      decision: this.decision,
      texts: this.boxes.map((box) => box.text),
      reason: at("reason").value,
      note: at("reason-note").value,
    };
  }

  /** Return the answer that is handed in: only what belongs to the decision. */
  answer() {
    const draft = this.read();
    const cannot = draft.decision === "not_annotatable";
    return {
      decision: draft.decision,
      texts: draft.decision === "corrected" ? draft.texts : [],
      reason: cannot ? draft.reason : "",
      note: cannot ? draft.note : "",
    };
  }

  changed() {
    this.problems([]);
    this.onChange();
  }

  show() {
    this.boxes.forEach((box, index) => box.number(index, { last: this.boxes.length < 2, first: index === 0 }));
    for (const button of document.querySelectorAll("[data-decide]")) {
      button.setAttribute("aria-pressed", String(button.dataset.decide === this.decision));
    }
    const corrected = this.decision === "corrected";
    at("rewriting").hidden = !corrected;
    at("error-free").hidden = this.decision !== "error_free";
    at("not-annotatable").hidden = this.decision !== "not_annotatable";
    at("add").disabled = this.boxes.length >= this.project.most;
    at("bring-back").hidden = !this.removed.length || this.boxes.length >= this.project.most;
  }

  /** Decide; the same decision again goes back to rewriting. */
  decide(decision) {
    if (this.disabled) return;
    this.decision = this.decision === decision ? "corrected" : decision;
    this.show();
    if (this.decision === "not_annotatable") at("reason").focus();
    else if (this.decision === "error_free") at("error-free").focus();
    else this.box?.focus();
    this.changed();
  }

  get box() {
    return this.boxes[this.current];
  }

  add(text = this.source) {
    if (this.disabled || this.decision !== "corrected" || this.boxes.length >= this.project.most) return;
    const box = this.made(text);
    this.boxes.push(box);
    this.list.append(box.element);
    box.refresh();
    this.current = this.boxes.length - 1;
    this.show();
    box.focus({ start: true });
    this.changed();
  }

  remove(index = this.current) {
    if (this.disabled || this.decision !== "corrected" || this.boxes.length < 2) return;
    const [box] = this.boxes.splice(index, 1);
    this.removed.push(box.text);
    box.element.remove();
    this.current = Math.min(index, this.boxes.length - 1);
    this.show();
    this.box.focus();
    this.changed();
  }

  bringBack() {
    if (this.disabled) return;
    if (this.removed.length && this.boxes.length < this.project.most) this.add(this.removed.pop());
    this.show();
  }

  go(index) {
    if (this.decision !== "corrected" || index < 0 || index >= this.boxes.length) return false;
    this.current = index;
    this.box.focus();
    this.box.element.scrollIntoView({ block: "nearest" });
    return true;
  }

  copyPrevious(index = this.current) {
    if (index > 0) this.boxes[index].fill(this.boxes[index - 1].text);
  }

  clicked(event) {
    const act = event.target.closest("[data-act]")?.dataset.act;
    const index = this.boxes.findIndex((box) => box.element.contains(event.target));
    if (!act || index < 0) return;
    if (act === "clean") toggleClean(this.boxes[index].element);
    if (act === "reset") this.boxes[index].reset();
    if (act === "copy") this.copyPrevious(index);
    if (act === "remove") this.remove(index);
  }

  /** Show problems where they belong; return the fields for which the page has no place. */
  problems(found) {
    const rest = [];
    this.boxes.forEach((box, index) => {
      box.problems(found.filter(({ field }) => field === `reference-${index}`));
    });
    const reason = found.filter(({ field }) => field === "reason" || field === "note");
    at("reason-problem").textContent = reason.map(({ message }) => message).join(" ");
    for (const one of found) {
      const box = /^reference-(\d+)$/.exec(one.field);
      const shown = box ? this.decision === "corrected" && Number(box[1]) < this.boxes.length : reason.includes(one) && this.decision === "not_annotatable";
      if (!shown) rest.push(one);
    }
    const first = /^reference-(\d+)$/.exec(found[0]?.field ?? "");
    if (first) this.go(Number(first[1]));
    else if (reason.length) at("reason").focus();
    return rest;
  }

  /** Keep texts once each: `texts` are the ones that stay (ANN-11). */
  merge(texts) {
    this.removed.push(...this.boxes.slice(texts.length).map((box) => box.text));
    this.fill(texts);
    this.current = Math.min(this.current, texts.length - 1);
    this.show();
    this.box.focus();
  }

  focus() {
    if (this.decision === "corrected") this.boxes[0].focus({ start: true });
    else at(this.decision === "error_free" ? "error-free" : "reason").focus({ preventScroll: true });
  }

  /** Let nobody write for a while: neither by hand nor by any key. */
  disable(disabled) {
    this.disabled = disabled;
    at("reason").disabled = disabled;
    at("reason-note").readOnly = disabled;
    for (const box of this.boxes) box.disable(disabled);
    for (const button of document.querySelectorAll("[data-decide], #add, #bring-back, #placeholder")) button.disabled = disabled;
    if (!disabled) this.show();
  }
}
