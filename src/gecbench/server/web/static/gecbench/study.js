// The study page: a box, a check that says how far it is, and the next item.

import { isComposing } from "./composition.js";
import { byId, createProblem, readJson } from "./page.js";
import { Server, newKey } from "./server.js";
import { TextPage } from "./text-page.js";

class StudyPage extends TextPage {
  constructor() {
    const data = readJson("study-data");
    super(data, byId("study-form"), `draft/study/${data.study}`);
    this.keys.on({ complain: () => this.openComplaint() });
    const message = sessionStorage.getItem(this.name);
    sessionStorage.removeItem(this.name);
    if (!this.form) return;
    this.key = newKey();
    this.server = new Server(this.form.querySelector("[name=csrfmiddlewaretoken]").value, data.urls.login);
    this.begin(readJson("study-words"), data.original);
    if (message) this.say(message);
  }

  change() {
    this.key = newKey();
    this.showProblems([]);
    super.change();
  }

  /** Open the complaint, with the argument to be written. */
  openComplaint() {
    const details = document.querySelector(".insist");
    if (!details) return false;
    details.open = true;
    details.querySelector("textarea").focus();
  }

  showProblems(problems) {
    const lines = problems.map((problem) => createProblem(problem));
    this.form.querySelector("[data-problems]").replaceChildren(...lines);
    lines.at(-1)?.scrollIntoView({ block: "nearest" });
    this.box.area.setAttribute("aria-invalid", String(problems.length > 0));
  }

  setBusy(isBusy) {
    this.isBusy = isBusy;
    for (const button of this.form.querySelectorAll("button")) button.disabled = isBusy;
  }

  async submit(decision) {
    if (this.isBusy || isComposing()) return;
    this.setBusy(true);
    const texts = decision === "corrected" ? [this.box.text] : [];
    const body = { version: this.data.version, client_key: this.key, decision, texts };
    const answer = await this.server.trySend("POST", this.data.urls.attempt, body);
    this.setBusy(false);
    if (answer) this.handleAnswer(answer);
    else this.showProblems([this.messages.unreached]);
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
