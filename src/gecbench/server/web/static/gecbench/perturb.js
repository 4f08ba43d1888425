// The page on which somebody perturbs a sentence: other words around its errors, which stay.

import { onWritten } from "./composition.js";
import { drawDiff } from "./draw-diff.js";
import { Gaps } from "./gaps.js";
import { byId } from "./page.js";
import { TaskPage } from "./task-page.js";

/** A variant in work: its gaps, the proposal that it comes from (0: none), and a note to the reviewer. */
class Variant extends Gaps {
  load(source, draft) {
    super.load(source, draft);
    this.proposal = draft?.proposal ?? 0;
    byId("ask-note").value = draft?.note ?? "";
  }

  /** The payload of a draft. */
  read() {
    return { decision: "corrected", texts: this.texts, reason: "", note: byId("ask-note").value, proposal: this.proposal };
  }

  disable(isDisabled) {
    super.disable(isDisabled);
    byId("ask-note").readOnly = isDisabled;
  }
}

class PerturbationPage extends TaskPage {
  createAnswer(options) {
    return new Variant({ ...options, place: byId("variant") });
  }

  bind() {
    super.bind();
    this.keys.on({
      reset: () => this.answer.replaceTexts(this.task.gaps),
      suggestion: () => Boolean(byId("hint-ask")) && this.askHint(),
    });
    byId("proposal-use").addEventListener("click", () => this.useProposal());
    byId("proposal-reject").addEventListener("click", () => this.rejectProposal());
    byId("ask-send").addEventListener("click", () => this.askReviewer());
    onWritten(byId("ask-note"), () => super.change());
  }

  show(task, payload, removed) {
    // What a program proposes stands in the gaps at first: submitted as it is, it is accepted.
    const { proposal } = task;
    this.answer.load(task, payload ?? (proposal && { texts: proposal.gaps, proposal: proposal.id }));
    this.answer.removed = removed;
    this.isAsking = false;
    byId("sentence").textContent = task.text;
    byId("ask").hidden = true;
    this.showReturned(task.returned);
    this.showProposal();
    this.showHint(null);
  }

  change() {
    super.change();
    this.isAsking = false;
    byId("ask").hidden = true; // what moved may be where it was
    this.showProposal();
    this.showHint(null);
  }

  readSubmission() {
    const { isAsking, isConfirmed } = this;
    const { decision, texts, note, proposal } = this.answer.read();
    return { decision, texts, note: isAsking ? note : "", proposal, ask_reviewer: isAsking, confirmed: isConfirmed };
  }

  /** Submit although an error has moved: a reviewer decides. What is to be confirmed is asked so again. */
  askReviewer() {
    this.isAsking = true;
    this.submit();
  }

  // --- what a reviewer returned ------------------------------------------------------------------------

  showReturned(returned) {
    byId("returned").hidden = !returned;
    byId("returned-reasons").textContent = returned?.reasons.join(" · ") ?? "";
    byId("returned-note").textContent = returned?.note ?? "";
  }

  // --- what a program proposes -------------------------------------------------------------------------

  showProposal() {
    const { proposal } = this.task;
    byId("proposal").hidden = !proposal;
    if (!proposal) return;
    const isRejected = !this.answer.proposal;
    const isSame = this.answer.texts.every((text, index) => text === proposal.gaps[index]);
    const state = isRejected ? "rejected" : isSame ? "accepted" : "edited";
    byId("proposal-who").textContent = proposal.who;
    byId("proposal-state").textContent = this.messages.proposal[state];
    byId("proposal-use").hidden = state === "accepted";
    byId("proposal-reject").hidden = isRejected;
  }

  useProposal() {
    this.answer.proposal = this.task.proposal.id;
    this.answer.replaceTexts(this.task.proposal.gaps);
    this.change();
  }

  rejectProposal() {
    this.answer.proposal = 0;
    this.answer.replaceTexts(this.task.gaps);
    this.change();
  }

  // --- what a corrector would change -------------------------------------------------------------------

  async askHint() {
    const { task, isBusy } = this;
    if (isBusy || byId("hint-ask").disabled) return;
    const gaps = this.answer.texts;
    byId("hint-ask").disabled = true;
    const reply = await this.server.trySend("POST", task.hintUrl, { gaps });
    byId("hint-ask").disabled = false;
    if (this.task !== task || String(this.answer.texts) !== String(gaps)) return;
    if (reply?.status === 200) this.showHint(reply.data);
    else this.sayFailure(reply);
  }

  /** Show {target, text, pieces, corrector}; nothing of it is kept. */
  showHint(hint) {
    if (!byId("hint")) return;
    const isSame = hint?.target === hint?.text;
    byId("hint").hidden = !hint;
    byId("hint-who").textContent = hint?.corrector ?? "";
    byId("hint-none").hidden = !isSame;
    byId("hint-diff").hidden = isSame;
    drawDiff(byId("hint-diff"), hint?.pieces ?? [], this.messages.diff, "");
  }

  // --- what is refused ---------------------------------------------------------------------------------

  showProblems({ problems, confirm }) {
    this.sayProblems(problems, confirm);
    const moved = problems.filter(({ code }) => code.startsWith("PER-4"));
    this.answer.showMoved(moved.map(({ error }) => error));
    if (!confirm) {
      this.isAsking = false;
      byId("ask").hidden = !moved.length;
    }
    if (moved.some(({ field }) => field === "note")) return byId("ask-note").focus();
    const error = moved.find((problem) => problem.error)?.error;
    if (error) this.answer.goTo(error - 1, { atEnd: true });
  }
}

new PerturbationPage().start();
