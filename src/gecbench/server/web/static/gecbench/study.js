// The study page: a box, a check that says how far it is, and the next item.

import { alignRows } from "./align-rows.js";
import { isComposing } from "./composition.js";
import { DraftStore } from "./drafts.js";
import { GuidelineDrawer } from "./guideline-drawer.js";
import { Keys } from "./keys.js";
import { byId, createElement, normalizeText, readJson } from "./page.js";
import { Server, UnreachableError, newKey } from "./server.js";
import { TextBox, typeText } from "./textbox.js";

class StudyPage {
  constructor() {
    this.data = readJson("study-data");
    this.messages = readJson("study-words");
    this.form = byId("study-form");
    this.name = `draft/study/${this.data.study}`;
    this.store = new DraftStore(this.data.person);
    this.keys = new Keys(this.data.keys);
    this.keys.on({ complain: () => this.openComplaint() });
    new GuidelineDrawer(this.keys);
    alignRows(document);
    const message = sessionStorage.getItem(this.name);
    sessionStorage.removeItem(this.name);
    if (this.form) this.begin(message);
    else {
      this.store.remove(this.name);
      document.querySelector("[data-next]")?.focus();
    }
  }

  begin(message) {
    const { data, form, messages } = this;
    const { source, lang, placeholder } = data;
    this.key = newKey();
    this.message = form.querySelector("[data-told]");
    this.server = new Server(form.querySelector("[name=csrfmiddlewaretoken]").value, data.urls.login);
    const area = form.querySelector("textarea");
    const draft = this.store.read(this.name)?.payload.text;
    if (draft && draft !== area.value) {
      area.value = draft;
      this.say(messages.kept);
    }
    if (message) this.say(message);
    this.box = new TextBox(area, {
      source,
      project: { lang, placeholder },
      words: messages.diff,
      place: form.querySelector("[data-box-diff]"),
      onChange: () => this.change(),
    });
    this.box.refresh();
    this.keys.on({
      submit: () => this.attempt("corrected"),
      error_free: () => this.attempt("error_free"),
      not_annotatable: () => this.attempt("not_annotatable"),
      reset: () => this.box.replaceText(data.original),
      placeholder: () => isComposing() || typeText(area, placeholder),
    });
    area.focus({ preventScroll: true });
  }

  change() {
    this.key = newKey();
    this.store.write(this.name, { rev: 0, payload: { text: this.box.text }, unsaved: true });
    this.showProblems([]);
    const isUnchanged = normalizeText(this.box.text) === normalizeText(this.data.source);
    this.say(isUnchanged ? this.messages.source : "");
  }

  /** Open the complaint, with the argument to be written. */
  openComplaint() {
    const details = document.querySelector(".insist");
    if (!details) return false;
    details.open = true;
    details.querySelector("textarea").focus();
  }

  say(message) {
    if (this.message.textContent !== message) this.message.textContent = message;
  }

  showProblems(problems) {
    const lines = problems.map((problem) => createElement("p", { className: "problem" }, problem));
    this.form.querySelector("[data-problems]").replaceChildren(...lines);
    lines.at(-1)?.scrollIntoView({ block: "nearest" });
    this.box.area.setAttribute("aria-invalid", String(problems.length > 0));
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    for (const button of this.form.querySelectorAll("button")) button.disabled = isBusy;
  }

  async attempt(decision) {
    if (this.isBusy || isComposing()) return;
    this.setBusy(true);
    try {
      const texts = decision === "corrected" ? [this.box.text] : [];
      const body = { version: this.data.version, client_key: this.key, decision, texts };
      this.handleAnswer(await this.server.send("POST", this.data.urls.attempt, body));
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      this.showProblems([this.messages.unreached]);
    } finally {
      this.setBusy(false);
    }
  }

  handleAnswer({ status, data }) {
    if (status === 422) return this.showProblems(data.problems.map(({ words }) => words));
    if (status !== 200) return this.showProblems([data.message ?? data.error ?? String(status)]);
    this.data.version = data.version;
    this.key = newKey();
    // What is golden now comes from the server; the text that was tried stands in the box again.
    if (data.matched || (data.revealed && !byId("golden"))) {
      if (data.matched) this.store.remove(this.name);
      sessionStorage.setItem(this.name, data.words);
      return location.reload();
    }
    this.say(data.words);
    this.box.area.focus({ preventScroll: true });
    this.message.scrollIntoView({ block: "nearest" });
  }
}

new StudyPage();
