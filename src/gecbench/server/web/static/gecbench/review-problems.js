// What the server finds wrong: beside the row or box that caused it, and one line on the whole.

import { Unreached } from "./wire.js";

const QUIET = 600;
/** What is shown while one works; that something is not judged yet is shown when one decides. */
const LIVE = /^(?:CON-|ANN-10|REV-4)/;

export class Problems {
  constructor(review) {
    this.review = review;
    this.words = review.words;
    this.line = document.querySelector("[data-consistency]");
  }

  place(name) {
    const addition = /^addition-(\d+)$/.exec(name);
    if (addition) return this.review.additions[Number(addition[1])]?.element.querySelector("[data-problems]");
    return document.querySelector(`[data-problems="${CSS.escape(name)}"]`);
  }

  clear(root = document) {
    for (const place of root.querySelectorAll("[data-problems]")) place.replaceChildren();
  }

  /** Show problems {place, words, blocking}; those of a place that is not there, on the whole. */
  show(problems) {
    this.clear();
    for (const { place, words, blocking } of problems) {
      const shown = document.createElement("p");
      shown.className = blocking ? "problem" : "warning";
      shown.textContent = blocking ? words : `${this.words.warning}: ${words}`;
      (this.place(place) ?? this.place("review")).append(shown);
    }
  }

  say(words) {
    const place = this.place("review");
    place.replaceChildren(Object.assign(document.createElement("p"), { className: "problem", textContent: words }));
    place.scrollIntoView({ block: "nearest" });
  }

  /** Go to the first thing that refuses. */
  focus(problems) {
    const first = problems.find(({ blocking }) => blocking);
    const place = this.place(first.place);
    const row = place?.closest("[data-row]");
    const cited = document.querySelector(`[name="${CSS.escape(first.place)}"]`); // a field of the same name
    const box = cited ?? place?.parentElement.querySelector("textarea, select");
    if (/^(?:modified|addition|reason|section)/.test(first.place) && box) box.focus();
    else if (row) this.review.go(this.review.rows[Number(row.dataset.row)]);
    place?.scrollIntoView({ block: "nearest" });
  }

  edited(row) {
    this.clear(row?.element ?? document);
    if (row) this.place("review").replaceChildren();
  }

  /** Ask the server what the rules make of the review as it stands. */
  ask() {
    if (!this.review.mine) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.asked(), QUIET);
  }

  async asked() {
    const { review } = this;
    const payload = review.payload();
    this.asking = (this.asking ?? 0) + 1;
    const number = this.asking;
    try {
      const { status, data } = await review.wire.send("POST", review.data.urls.examine, { payload });
      if (status !== 200 || number !== this.asking || review.busy) return;
      const kept = [...document.querySelectorAll("[data-problems] .problem")].length;
      if (!kept) this.show(data.problems.filter(({ code }) => LIVE.test(code)));
      this.consistency(data, payload);
    } catch (error) {
      if (!(error instanceof Unreached)) throw error;
    }
  }

  consistency({ checks, golden }, payload) {
    const left = Object.values(payload.rows).filter(({ correct }) => correct === null).length;
    const words = [this.words.golden.replace("{count}", String(golden))];
    if (left) words.push(this.words.left.replace("{count}", String(left)));
    const parts = words.map((text) => [text, ""]);
    for (const [name, kept] of Object.entries(checks)) parts.push([`${kept ? "✓" : "✗"} ${this.words.checks[name]}`, kept ? "kept" : "broken"]);
    this.line.replaceChildren(...parts.map(([textContent, className]) => Object.assign(document.createElement("span"), { textContent, className })));
  }

  /**
   * There are two versions: nothing is overwritten before the person has said which one holds.
   * `other` is the payload that does not stand in the page, `words` say where it comes from,
   * `load` that it shall come. It stays until one is chosen, whatever is edited meanwhile.
   */
  conflict(other, words, load) {
    const { review } = this;
    const place = this.place("review");
    this.note?.remove();
    const note = Object.assign(document.createElement("div"), { className: "note warn" });
    note.setAttribute("role", "alert");
    this.note = note;
    const button = (words, act) => {
      const made = Object.assign(document.createElement("button"), { type: "button", textContent: words });
      made.addEventListener("click", () => {
        note.remove();
        act();
        if (review.autosave.theirs) review.autosave.goOn();
        else review.changed();
      });
      return made;
    };
    note.append(
      Object.assign(document.createElement("p"), { textContent: words }),
      button(this.words.mine, () => {}),
      " ",
      button(load, () => review.load(other)),
    );
    place.before(note);
    note.scrollIntoView({ block: "nearest" });
  }
}
