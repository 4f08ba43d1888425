// The review screen: every text judged, one decision, nothing lost. Keys do all of it.

import { Activity } from "./activity.js";
import { alignRows } from "./aligning.js";
import { Autosave } from "./autosave.js";
import { type } from "./box.js";
import { composing, whenWritten } from "./composing.js";
import { Copies, overtook } from "./copies.js";
import { Drawer } from "./drawer.js";
import { toggleClean } from "./draw-diff.js";
import { Keys } from "./keys.js";
import { Problems } from "./review-problems.js";
import { Row } from "./review-row.js";
import { said } from "./review-said.js";
import { undo } from "./review-undo.js";
import { signInForm } from "./signin.js";
import { TextBox, plain } from "./textbox.js";
import { Unreached, Wire, clock, newKey } from "./wire.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);

class Review {
  constructor() {
    this.data = read("review-data");
    this.words = read("review-words");
    this.form = document.getElementById("review-form");
    this.mine = this.form.dataset.mine === "yes";
    this.undo = [];
    this.confirmed = false;
    this.key = newKey();
    this.boxed = {
      source: this.data.source,
      options: { lang: this.data.lang, placeholder: this.data.placeholder },
      words: this.words.diff,
    };
    alignRows(document);
    this.drawer = new Drawer();
    this.keys = new Keys(this.data.keys);
    this.keys.on("guide", () => this.drawer.toggle()).on("close", () => this.close());
    this.rows = [...document.querySelectorAll("[data-row]")].map((element, at) => new Row(element, this.data.rows[at], this));
    this.additions = [...document.querySelectorAll("[data-addition]")].map((element) => this.boxOf(element));
    this.problems = new Problems(this);
    this.keys.show();
    this.keys.on("clean", () => toggleClean(document.activeElement.closest("[data-row]") ?? (this.row ?? this.rows[0])?.element));
    this.form.addEventListener("click", ({ target }) => target.closest("[data-act=clean]") && toggleClean(target.closest("[data-row]")));
    if (this.mine) this.begin();
    else this.readOnly();
  }

  /** Nothing can be changed, but looked at: a disabled fieldset would take its buttons, too. */
  readOnly() {
    const whole = this.form.querySelector("fieldset.whole");
    whole.disabled = false;
    for (const field of whole.elements) field.disabled = field.dataset.act !== "clean";
  }

  begin() {
    this.activity = new Activity();
    this.activity.start(this.data.activeMs);
    this.wire = new Wire(
      this.form.querySelector("[name=csrfmiddlewaretoken]").value,
      signInForm(this.data.urls.login, { onShown: () => this.show("signedout"), onDone: () => this.show("saving") }),
    );
    this.copies = new Copies(this.data.person);
    this.autosave = new Autosave({
      wire: this.wire,
      copies: this.copies,
      read: () => this.payload(),
      alike: (one, two) => said(one) === said(two),
      onState: (state, { at }) => this.show(state, at),
      onConflict: (theirs) => this.problems.conflict(theirs.payload, this.words.conflict, this.words.theirs),
      onGone: (message) => this.problems.say(message || this.words.gone),
    });
    this.bind();
    const other = this.resume();
    this.problems.show(read("review-problems"));
    this.look();
    if (other) this.problems.conflict(other, this.words.older, this.words.older_load);
    this.go(this.rows.find((row) => row.verdict === null) ?? this.rows[0]);
  }

  /**
   * Begin with what this machine kept and the server has not, where there is such a thing; where
   * another window has saved since, the person says which one holds.
   */
  resume() {
    const { rev, at, task, urls } = this.data;
    const slot = `review/${task}`;
    const local = this.copies.draft(slot);
    const saved = said(this.payload());
    const late = Boolean(local) && !local.unsaved && overtook(at ? { rev, at } : null, local);
    const differs = Boolean(local?.unsaved || late) && said(local.payload) !== saved;
    const newer = differs && (late || local.rev >= rev || (local.sent ?? []).some((one) => said(one) === saved));
    if (newer) this.load(local.payload);
    this.autosave.begin({ slot, draftUrl: urls.draft }, { rev, at: at || null, unsaved: newer, sent: local?.sent });
    return differs && !newer ? local.payload : null;
  }

  show(state, at = null) {
    const corner = document.querySelector("[data-saving]");
    const time = at ? ` ${clock().format(new Date(at))}` : "";
    corner.dataset.state = state;
    corner.setAttribute("aria-live", state === "saved" || state === "saving" ? "off" : "polite");
    const text = state === "saved" && !at ? "" : `${this.words.saving[state] ?? state}${time}`;
    if (corner.textContent !== text) corner.textContent = text;
  }

  bind() {
    const { keys } = this;
    this.rows.forEach((row, at) => {
      keys.on(`correct_${at + 1}`, () => this.judge(row, "correct"));
      keys.on(`wrong_${at + 1}`, () => this.judge(row, "wrong"));
    });
    for (let number = 1; number <= 9; number += 1) {
      keys.on(`reason_${number}`, () => this.row?.reason(number) ?? false);
      keys.on(`restore_${number}`, () => (this.row?.open ? this.row.toggle(number) : false));
    }
    keys
      .on("row_down", () => this.step(1))
      .on("row_up", () => this.step(-1))
      .on("modify", () => this.row?.modify() ?? false)
      .on("undo_row", () => this.takeBack())
      .on("undo", () => this.takeBack() || undo())
      .on("add", () => this.add())
      .on("remove", () => this.remove(document.activeElement))
      .on("reset", () => this.reset(document.activeElement))
      .on("placeholder", () => this.placeholder())
      .on("error_free", () => this.decide("error_free"))
      .on("not_annotatable", () => this.decide("not_annotatable"))
      .on("second_opinion", () => this.ask())
      .on("submit", () => this.submit());
    this.form.addEventListener("click", (event) => this.clicked(event));
    this.form.addEventListener("focusin", (event) => this.entered(event.target));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    for (const field of this.form.querySelectorAll("[name=decision]")) {
      field.addEventListener("change", () => this.decide(field.value));
    }
    for (const field of this.form.querySelectorAll("#note, #reason")) whenWritten(field, () => this.changed());
    for (const form of document.querySelectorAll("[data-away]")) form.addEventListener("submit", (event) => this.away(event));
  }

  // --- where one is ----------------------------------------------------------------------------

  entered(target) {
    const element = target.closest("[data-row]");
    if (element) this.row = this.rows[Number(element.dataset.row)];
    this.area = target.matches("[data-box]") ? target : this.area;
    for (const row of this.rows) row.element.toggleAttribute("data-current", row === this.row);
  }

  go(row) {
    if (!row) return;
    row.element.focus({ preventScroll: true });
    row.element.scrollIntoView({ block: "nearest" });
    this.entered(row.element);
  }

  step(by) {
    const at = this.rows.indexOf(this.row) + by;
    if (at >= 0 && at < this.rows.length) this.go(this.rows[at]);
  }

  /** Leave the box, or the drawer. */
  close() {
    if (this.drawer.close()) return true;
    if (!document.activeElement?.matches("textarea, input, select")) return false;
    const row = document.activeElement.closest("[data-row]");
    if (row) this.go(this.rows[Number(row.dataset.row)]);
    else document.activeElement.blur();
    return true;
  }

  // --- what is done ----------------------------------------------------------------------------

  judge(row, verdict) {
    this.go(row);
    row.judge(verdict);
  }

  /** Remember how to take an act back. */
  did(back) {
    if (!this.backwards) this.undo.push(back);
  }

  /** Act without remembering: as a part of what is remembered, or to take it back. */
  silently(act) {
    const before = this.backwards;
    this.backwards = true;
    act();
    this.backwards = before;
  }

  takeBack() {
    const back = this.undo.pop();
    if (!back) return false;
    this.silently(back);
    return true;
  }

  get decision() {
    return this.form.querySelector("[name=decision]:checked").value;
  }

  setDecision(decision) {
    for (const field of this.form.querySelectorAll("[name=decision]")) field.checked = field.value === decision;
  }

  /** Decide on the whole sentence; undo takes it back. Rows that say the same follow. */
  decide(next) {
    const before = this.decided ?? "corrected";
    this.setDecision(next);
    this.decided = next;
    if (before !== next) this.did(() => this.decide(before));
    this.silently(() => {
      for (const row of this.rows.filter((one) => !one.isText)) {
        row.judge(row.data.key === next ? "correct" : row.verdict === "correct" ? null : row.verdict);
      }
    });
    if (next === "not_annotatable") document.getElementById("reason").focus();
    this.changed();
  }

  /** A verdict was given; that on a decision decides. */
  judged(row) {
    if (!row.isText) {
      const { key } = row.data;
      this.silently(() => {
        if (row.verdict === "correct" && this.decision !== key) this.decide(key);
        if (row.verdict !== "correct" && this.decision === key) this.decide("corrected");
      });
    }
    this.changed(row);
  }

  boxOf(element, text = null) {
    const area = element.querySelector("textarea");
    if (text !== null) area.value = text;
    const box = new TextBox(area, { ...this.boxed, shown: element.querySelector("[data-box-diff]"), changed: () => this.changed() });
    return { element, box };
  }

  add(text = this.data.source) {
    const element = document.getElementById("addition").content.firstElementChild.cloneNode(true);
    this.added = (this.added ?? this.additions.length) + 1;
    for (const one of element.querySelectorAll("[id], [for]")) {
      if (one.id) one.id = `addition-new-${this.added}`;
      if (one.htmlFor) one.htmlFor = `addition-new-${this.added}`;
    }
    document.querySelector("[data-additions]").append(element);
    this.keys.show(element);
    const made = this.boxOf(element, text);
    this.additions.push(made);
    made.box.area.focus();
    made.box.area.setSelectionRange(0, 0);
    element.scrollIntoView({ block: "nearest" });
    this.changed();
  }

  remove(target) {
    const row = this.rows.find((one) => one.element.contains(target));
    if (row?.open) return row.drop();
    const found = this.additions.find(({ element }) => element.contains(target));
    if (!found) return false;
    const at = this.additions.indexOf(found);
    const back = () => {
      this.additions.splice(at, 0, found);
      const after = this.additions[at + 1]?.element ?? null;
      document.querySelector("[data-additions]").insertBefore(found.element, after);
      this.changed();
    };
    this.additions.splice(at, 1);
    found.element.remove();
    this.did(back);
    this.go(this.row ?? this.rows[0]);
    this.changed();
  }

  reset(target) {
    const row = this.rows.find((one) => one.element.contains(target));
    if (row) return row.open ? row.reset() : false;
    const found = this.additions.find(({ element }) => element.contains(target));
    if (!found) return false;
    type(found.box.area, this.data.source, [0, found.box.text.length]);
  }

  placeholder() {
    if (!this.area?.isConnected || composing()) return false;
    type(this.area, this.data.placeholder);
  }

  clicked(event) {
    const act = event.target.closest("[data-do]")?.dataset.do;
    if (act === "add") this.add();
    if (act === "placeholder") this.placeholder();
    if (act === "remove") this.remove(event.target);
    if (act === "reset") this.reset(event.target);
  }

  // --- what it says ----------------------------------------------------------------------------

  payload() {
    return {
      decision: this.decision,
      rows: Object.fromEntries(this.rows.map((row) => [row.data.key, row.read()])),
      additions: this.additions.map(({ box }) => box.text),
      reason: document.getElementById("reason").value,
      note: document.getElementById("note").value,
      confirmed: this.confirmed,
      active_ms: this.activity.milliseconds,
    };
  }

  load(payload) {
    for (const row of this.rows) row.load(payload.rows?.[row.data.key]);
    for (const { element } of this.additions) element.remove();
    this.additions = [];
    for (const text of payload.additions ?? []) this.add(text);
    this.setDecision(payload.decision ?? "corrected");
    this.decided = this.decision;
    document.getElementById("reason").value = payload.reason ?? "";
    document.getElementById("note").value = payload.note ?? "";
    this.look();
  }

  changed(row = null) {
    if (!this.autosave) return;
    this.confirmed = false;
    this.key = newKey(); // another answer: the server must not take it for the one before
    this.autosave.typed();
    this.problems.edited(row);
    this.look();
  }

  /** Say which boxes hold a text that is there already, and ask what the rules make of it all. */
  look() {
    const texts = this.rows.filter((row) => row.isText).map((row) => [row, plain(row.data.text)]);
    const boxes = [
      ...this.rows.filter((row) => row.isText).map((row) => [row.made, row.open ? row.box.text : null, row]),
      ...this.additions.map(({ element, box }) => [element.querySelector("[data-same]"), box.text]),
    ];
    for (const [place, text, row] of boxes) {
      const now = text === null ? null : plain(text);
      const twin = texts.find(([, own]) => own === now)?.[0];
      const words = twin?.verdict === "wrong" ? this.words.sameAsWrong : this.words.sameAs;
      const told = twin && twin === row ? this.words.untouched : twin ? words.replace("{number}", String(twin.number)) : now === plain(this.data.source) ? this.words.sameAsSource : "";
      if (place.textContent !== told) place.textContent = told;
    }
    this.problems.ask();
  }

  async submit() {
    if (this.busy || composing()) return;
    this.busy = true;
    const button = this.form.querySelector("[data-submit]");
    button.disabled = true;
    try {
      const body = { version: this.data.version, client_key: this.key, payload: this.payload() };
      const answer = await this.wire.send("POST", this.data.urls.finalise, body);
      // What was written while the decision was on its way is kept, too, though it comes too late.
      if (answer.status === 200 && said(this.payload()) !== said(body.payload)) await this.autosave.flush();
      this.answered(answer);
    } catch (error) {
      if (!(error instanceof Unreached)) throw error;
      this.autosave.keep();
      this.problems.say(this.words.unreached);
    } finally {
      this.busy = false;
      button.disabled = false;
    }
  }

  answered({ status, data }) {
    if (status === 200) {
      this.autosave.stop();
      this.copies.dropDraft(`review/${this.data.task}`);
      location.assign(data.next);
      return;
    }
    if (status !== 422) return this.problems.say(`${this.words.changed} ${data.message ?? data.error ?? status}`);
    this.problems.show(data.problems);
    // Warnings alone: who decides again has seen them.
    this.confirmed = data.problems.every(({ blocking }) => !blocking);
    if (this.confirmed) this.problems.say(this.words.again);
    else this.problems.focus(data.problems);
  }

  /** Open the form that asks for a second opinion. */
  ask() {
    const note = document.getElementById("second-note");
    note.closest("details").open = true;
    note.focus();
    note.scrollIntoView({ block: "center" });
  }

  /** Before the sentence is given away, all that was done on it is saved. */
  async away(event) {
    if (!this.autosave.unsaved) return;
    event.preventDefault();
    await this.autosave.flush();
    event.target.submit();
  }
}

new Review();
