// The study screen: a box, a check that says how far it is, and the next item.

import { alignRows } from "./aligning.js";
import { type } from "./box.js";
import { composing } from "./composing.js";
import { Copies } from "./copies.js";
import { Drawer } from "./drawer.js";
import { Keys } from "./keys.js";
import { signInForm } from "./signin.js";
import { TextBox, plain } from "./textbox.js";
import { Unreached, Wire, newKey } from "./wire.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);

class Study {
  constructor() {
    this.data = read("study-data");
    this.words = read("study-words");
    this.form = document.getElementById("study-form");
    this.slot = `study/${this.data.study}`;
    this.copies = new Copies(this.data.person);
    this.drawer = new Drawer();
    this.keys = new Keys(this.data.keys);
    this.keys
      .on("guide", () => this.drawer.toggle())
      .on("close", () => this.drawer.close())
      .on("complain", () => this.insist());
    alignRows(document);
    if (this.form) this.begin();
    else {
      this.copies.dropDraft(this.slot);
      document.querySelector("[data-next]")?.focus();
    }
    this.keys.show();
  }

  begin() {
    const { source, lang, placeholder } = this.data;
    this.key = newKey();
    this.told = this.form.querySelector("[data-told]");
    this.wire = new Wire(this.form.querySelector("[name=csrfmiddlewaretoken]").value, signInForm(this.data.urls.login));
    const kept = this.copies.draft(this.slot)?.payload?.text;
    const area = this.form.querySelector("textarea");
    if (kept && kept !== area.value) {
      area.value = kept;
      this.told.textContent = this.words.kept;
    }
    this.box = new TextBox(area, {
      source,
      options: { lang, placeholder },
      words: this.words.diff,
      shown: this.form.querySelector("[data-box-diff]"),
      changed: () => this.changed(),
    });
    this.keys
      .on("submit", () => this.attempt("corrected"))
      .on("error_free", () => this.attempt("error_free"))
      .on("not_annotatable", () => this.attempt("not_annotatable"))
      .on("reset", () => this.reset())
      .on("placeholder", () => this.placeholder());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.attempt(event.submitter?.value ?? "corrected");
    });
    this.form.addEventListener("click", (event) => {
      const act = event.target.closest("[data-do]")?.dataset.do;
      if (act === "reset") this.reset();
      if (act === "placeholder") this.placeholder();
    });
    area.focus({ preventScroll: true });
  }

  changed() {
    this.key = newKey();
    this.copies.keepDraft(this.slot, { rev: 0, payload: { text: this.box.text }, unsaved: true });
    this.problems([]);
    const same = plain(this.box.text) === plain(this.data.source);
    this.say(same ? this.words.source : "");
  }

  reset() {
    type(this.box.area, this.data.original, [0, this.box.text.length]);
  }

  placeholder() {
    if (!composing()) type(this.box.area, this.data.placeholder);
  }

  /** Open the complaint, with the argument to be written. */
  insist() {
    const details = document.querySelector(".insist");
    if (!details) return false;
    details.open = true;
    details.querySelector("textarea").focus();
    return true;
  }

  say(words) {
    if (this.told.textContent !== words) this.told.textContent = words;
  }

  problems(found) {
    const place = this.form.querySelector("[data-problems]");
    place.replaceChildren(...found.map((textContent) => Object.assign(document.createElement("p"), { className: "problem", textContent })));
    this.box.area.setAttribute("aria-invalid", String(found.length > 0));
  }

  async attempt(decision) {
    if (this.busy || composing()) return;
    this.busy = true;
    for (const button of this.form.querySelectorAll("button")) button.disabled = true;
    try {
      const texts = decision === "corrected" ? [this.box.text] : [];
      const body = { version: this.data.version, client_key: this.key, decision, texts };
      this.answered(await this.wire.send("POST", this.data.urls.attempt, body));
    } catch (error) {
      if (!(error instanceof Unreached)) throw error;
      this.problems([this.words.unreached]);
    } finally {
      this.busy = false;
      for (const button of this.form.querySelectorAll("button")) button.disabled = false;
    }
  }

  answered({ status, data }) {
    if (status === 422) return this.problems(data.problems.map(({ words }) => words));
    if (status !== 200) return this.problems([data.message ?? data.error ?? String(status)]);
    this.data.version = data.version;
    this.key = newKey();
    // What is golden now comes from the server; the text that was tried stands in the box again.
    const shows = document.getElementById("golden") === null;
    if (data.matched || (data.revealed && shows)) {
      if (data.matched) this.copies.dropDraft(this.slot);
      sessionStorage.setItem(this.slot, data.words);
      location.reload();
      return;
    }
    this.say(data.words);
    this.box.area.focus({ preventScroll: true });
  }
}

const study = new Study();
const before = sessionStorage.getItem(study.slot);
sessionStorage.removeItem(study.slot);
if (before && study.form) study.say(before);
