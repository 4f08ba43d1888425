// The annotation page: one task after another, and nothing that is typed is ever lost.

import { Answer } from "./answer.js";
import { toggleClean } from "./draw-diff.js";
import { byId } from "./page.js";
import { TaskPage } from "./task-page.js";
import { typeText } from "./textbox.js";

class AnnotationPage extends TaskPage {
  createAnswer(options) {
    return new Answer(options);
  }

  bind() {
    super.bind();
    const { answer, keys } = this;
    this.offer = byId("offer"); // it moves into the box that it is about
    const ifCorrected = (act) => (event) => answer.isCorrected && act(event);
    keys.on({
      add: () => answer.add(),
      remove: ({ target }) => answer.remove(answer.indexOf(target)),
      bring_back: () => answer.bringBack(),
      copy: ({ target }) => answer.copyPrevious(answer.indexOf(target)),
      placeholder: ifCorrected(() => typeText(answer.box.area, this.page.project.placeholder)),
      reset: ifCorrected(({ target }) => answer.boxes[answer.indexOf(target)].replaceText(answer.source)),
      error_free: () => this.decideErrorFree(),
      not_annotatable: () => answer.decide("not_annotatable"),
      clean: ifCorrected(({ target }) => toggleClean(answer.boxes[answer.indexOf(target)].element)),
      suggestion: () => !byId("suggest")?.hidden && this.suggest(),
    });
    byId("suggestion-use")?.addEventListener("click", () => this.takeSuggestion());
    for (const button of document.querySelectorAll("[data-decide=corrected]")) {
      button.addEventListener("click", () => answer.decide("corrected"));
    }
  }

  show(task, payload, removed) {
    byId("sentence").textContent = task.text;
    this.answer.load(task.text, payload);
    this.answer.removed = removed;
    this.offerErrorFree(null);
    this.showSuggestion();
  }

  readSubmission() {
    return { ...this.answer.readDecision(), confirmed: this.isConfirmed };
  }

  change() {
    this.offerErrorFree(null);
    super.change();
  }

  afterSave() {
    this.suggestAfterEdit();
  }

  // --- suggestions -------------------------------------------------------------------------------

  /** A suggestion that was shown stays; before, there is a button, or nothing until the first edit. */
  showSuggestion() {
    if (!byId("suggest")) return;
    const { shown, suggestion } = this.task;
    byId("suggest").hidden = Boolean(shown) || !suggestion || this.page.project.suggestions === "after_typing";
    byId("suggestion").hidden = !shown;
    byId("suggestion-text").textContent = shown?.text ?? "";
    byId("suggestion-model").textContent = shown?.model ?? "";
    byId("suggestion-same").hidden = !shown || shown.changes;
  }

  /** After the first edit that the server has, a suggestion may be shown; the server decides. */
  suggestAfterEdit() {
    const { task, isEdited } = this;
    const isDue = this.page.project.suggestions === "after_typing" && task.suggestion && !task.shown;
    if (isEdited && isDue) this.suggest({ isQuiet: true });
  }

  /** Fetch it: the server records that it was shown, so it never comes with the page. */
  async suggest({ isQuiet = false } = {}) {
    const { task } = this;
    const shown = await this.askSuggestion("show", isQuiet);
    if (!shown || this.task !== task) return;
    task.shown = shown;
    this.showSuggestion();
  }

  /** Take it over, once the server knows that it was. */
  async takeSuggestion() {
    const { task, answer } = this;
    const suggestion = await this.askSuggestion("take");
    if (!suggestion || this.task !== task) return;
    const decision = suggestion.changes ? "corrected" : "error_free";
    if (answer.decision !== decision) answer.decide(decision);
    if (suggestion.changes) answer.box.replaceText(suggestion.text);
  }

  async askSuggestion(act, isQuiet = false) {
    const reply = await this.server.trySend("POST", this.task.suggestionUrl, { act });
    if (reply?.status === 200) return reply.data;
    if (!isQuiet) this.sayFailure(reply);
    return null;
  }

  /** Decide that the sentence is error free; where the page offers that, submit it at once. */
  decideErrorFree() {
    if (this.isBusy) return;
    const isOffered = !this.offer.hidden;
    this.answer.decide("error_free");
    if (isOffered) this.submit();
  }

  offerErrorFree(box) {
    this.offer.hidden = !box;
    if (box) box.element.append(this.offer);
  }

  showProblems({ texts, problems, confirm }) {
    const { answer } = this;
    if (texts) answer.mergeTexts(texts);
    this.sayProblems(answer.showProblems(problems), confirm);
    const unchanged = problems.find(({ code }) => code === "ANN-10")?.field ?? "";
    this.offerErrorFree(answer.boxes[Number(/^reference-(\d+)$/.exec(unchanged)?.[1] ?? -1)]);
  }
}

new AnnotationPage().start();
