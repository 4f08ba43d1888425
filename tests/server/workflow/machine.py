"""Random histories of a team over the real services, each step checked (section 4.2)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import ClassVar
from uuid import UUID

from django.db import connection
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from server.workflow.managing import ANNOTATORS, EVERYBODY, REVIEWERS, WHICH, Managing
from server.workflow.stories import a_project, joined, sentence_of
from server.workflow.team import Model

from gecbench.server.choices import ComplaintState, Decision, RejectReason, Role
from gecbench.server.models import Complaint, Draft, Member, Sentence, Slot, Study
from gecbench.server.workflow import (
    claims,
    complaints,
    drafts,
    review_tasks,
    reviews,
    studies,
    submissions,
)
from gecbench.server.workflow.answers import (
    Addition,
    Answer,
    ReviewAnswer,
    Ruling,
    VerdictAnswer,
)
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import WorkflowError

ANNOTATOR, REVIEWER = st.sampled_from(ANNOTATORS), st.sampled_from(REVIEWERS)
READING = ("SELECT ", "BEGIN", "SAVEPOINT ", "RELEASE SAVEPOINT ", "ROLLBACK TO SAVEPOINT ")


class Team(Managing, RuleBasedStateMachine):
    """Two of four annotators rewrite each sentence; three review; one manages."""

    prepare: ClassVar[Callable[[], Callable[[], None]]]
    """Makes an empty database the current one; returns what throws it away."""
    done: ClassVar[Counter[str]] = Counter()
    """How often each act succeeded in all histories: a machine that does nothing proves nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.throw_away = type(self).prepare()
        self.wrote = True
        connection.execute_wrappers.append(self.listen)
        # Draws are the machine's own: the same rules are the same history.
        self.chances = claims._CHANCE, review_tasks._CHANCE
        claims._CHANCE = review_tasks._CHANCE = random.Random(0)  # type: ignore[misc]
        self.model = Model()
        self.calls = 0

    @initialize()
    def begin(self) -> None:
        self.project = a_project(2, annotators=2, lease_minutes=30, complaints_to="other")
        for login in EVERYBODY:
            roles = [Role.REVIEWER] if login in REVIEWERS else []
            joined(self.project, login, *roles, *([Role.ANNOTATOR] if login in ANNOTATORS else []))
        self.model.needed = {1: 2, 2: 2}
        for login in ("a1", "a2"):
            for _ in range(2):
                self.claim(login)
                self.submit(1 if login == "a1" else 3)
        self.review("r1")
        self.finalise(0, addition=True)

    def teardown(self) -> None:
        claims._CHANCE, review_tasks._CHANCE = self.chances
        self.throw_away()

    # what the rules share

    def listen(self, execute: Callable[..., object], sql: str, *rest: object) -> object:
        """Note whether a statement may write; what is rolled back later counts, too."""
        self.wrote |= not sql.startswith(READING)
        return execute(sql, *rest)

    def member(self, login: str) -> Member:
        members = Member.objects.select_related("person", "project")
        return members.get(project=self.project, person__login=login)

    def key(self) -> UUID:
        self.calls += 1
        return UUID(int=self.calls)

    def opened(self, n: int) -> Slot | None:
        """One of the open slots."""
        rows = Slot.objects.select_related("sentence", "person").filter(state="open")
        ordered = rows.order_by("pk")
        return ordered[n % len(ordered)] if ordered else None

    def did(self, what: str) -> None:
        type(self).done[what] += 1

    def numbers(self) -> list[int]:
        return [*Sentence.objects.order_by("number").values_list("number", flat=True)]

    def answer(self, sentence: Sentence, n: int) -> Answer:
        """One of a few answers, so that many are the same."""
        kind = n % 6
        if kind < 4:
            return Answer(
                Decision.CORRECTED,
                tuple(f"{sentence.text}{k}" for k in range(1 + kind % 2, kind + 2)),
            )
        if kind == 4:
            return Answer(Decision.ERROR_FREE)
        return Answer(Decision.NOT_ANNOTATABLE, reason="personal")

    # annotators

    @rule(login=ANNOTATOR)
    def claim(self, login: str) -> None:
        held = [place for place in self.model.open if place[0] == login]
        claimed = claims.current(self.member(login))
        if claimed.slot is None:
            assert not held
            return
        place = login, claimed.slot.sentence.number
        if claimed.fresh:
            self.model.take(*place)
            self.did("claim")
        else:
            assert held == [place]

    @precondition(lambda self: self.model.open)
    @rule(n=WHICH)
    def draft(self, n: int) -> None:
        slot = self.opened(n)
        login = slot.person.login
        rev = Draft.objects.filter(slot=slot, person=slot.person).first()
        text = f"{slot.sentence.text}草稿{n}"
        payload = {"decision": "corrected", "texts": [text], "reason": "", "note": ""}
        saved = drafts.save_draft(
            self.member(login), slot.pk, rev=rev.rev if rev else 0, payload=payload
        )
        self.model.drafts.append((slot.pk, login, saved.rev, text))
        self.did("draft")

    @precondition(lambda self: self.model.open)
    @rule(n=WHICH)
    def submit(self, n: int) -> None:
        slot = self.opened(n)
        login = slot.person.login
        answer, key = self.answer(slot.sentence, n), self.key()
        handing = {"version": slot.version, "client_key": key, "answer": answer}
        submission = submissions.submit(self.member(login), slot.pk, **handing)
        number = slot.sentence.number
        self.model.hand_in(login, number)
        self.model.keys[key] = (submission.pk, login, number, answer.texts)
        again = submissions.submit(self.member(login), slot.pk, **handing)
        assert again.pk == submission.pk
        self.did("submit")

    @precondition(lambda self: self.model.handed)
    @rule(n=WHICH)
    def take_back(self, n: int) -> None:
        rows = Slot.objects.filter(state="submitted").order_by("pk")
        if not rows:
            return
        login, number = rows.values_list("person__login", "sentence__number")[n % len(rows)]
        slot = Slot.objects.get(person__login=login, sentence__number=number)
        try:
            submissions.reopen(self.member(login), slot.pk)
        except WorkflowError:
            return
        # A task that was not begun makes room.
        self.model.end_all(login=login)
        self.model.handed.discard((login, number))
        self.model.open[login, number] = True
        self.did("take back")

    @precondition(lambda self: self.model.open)
    @rule(n=WHICH)
    def skip(self, n: int) -> None:
        slot = self.opened(n)
        login = slot.person.login
        claims.skip(self.member(login), slot.pk, version=slot.version)
        del self.model.open[login, slot.sentence.number]
        self.did("skip")

    @rule(login=ANNOTATOR)
    def recall(self, login: str) -> None:
        member = self.member(login)
        if any(who == login for who, _ in self.model.open):
            return
        for sentence in claims.skipped_sentences(member):
            if claims.recall(member, sentence.pk).slot is not None:
                self.model.take(login, sentence.number)
                self.did("recall")
                return

    # reviewers

    @rule(login=REVIEWER)
    def review(self, login: str) -> None:
        if not self.member(login).is_reviewer:
            return
        review = reviews.current_review(self.member(login))
        if review.task is None:
            assert login not in self.model.reviewing
            return
        number = review.task.sentence.number
        assert (login, number) not in self.model.ever
        assert self.model.reviewing.get(login, number) == number
        self.model.reviewing[login] = number
        self.did("review")

    @precondition(lambda self: self.model.reviewing)
    @rule(n=WHICH, addition=st.booleans())
    def finalise(self, n: int, addition: bool) -> None:
        login, task = self.task(n)
        member = self.member(login)
        answer = self.decision(reviews.candidates(task, member), task.sentence, n, addition)
        handing = {"version": task.version, "client_key": self.key(), "answer": answer}
        golden = reviews.finalise(member, task.sentence_id, **handing)
        self.model.golden[task.sentence.number] += 1
        del self.model.reviewing[login]
        assert golden.golden.version >= self.model.golden[task.sentence.number]
        assert reviews.finalise(member, task.sentence_id, **handing).answered_before
        self.did(f"finalise {golden.golden.kind}")

    @rule(login=REVIEWER)
    def undo(self, login: str) -> None:
        member = self.member(login)
        review = reviews.last_decision(member)
        if review is None or member.status != "active" or not member.is_reviewer:
            return
        task = reviews.undo(member, review.sentence_id)
        self.model.golden[task.sentence.number] -= 1
        self.model.reviewing[login] = task.sentence.number
        self.did("undo")

    def task(self, n: int) -> tuple[str, reviews.ReviewTask]:
        """One of the open reviews, and whose it is."""
        login, number = sorted(self.model.reviewing.items())[n % len(self.model.reviewing)]
        sentence = sentence_of(self.project, number)
        return login, reviews.open_review(self.member(login), sentence.pk)

    def decision(self, shown, sentence: Sentence, n: int, addition: bool) -> ReviewAnswer:
        """A valid review: some texts are right by the bits of n, or a decision is."""
        right = {
            candidate.key for k, candidate in enumerate(shown) if candidate.text and n >> k & 1
        }
        extra = [Addition(f"{sentence.text}审{n}")] if addition else []
        if right or extra:
            decision = Decision.CORRECTED
        else:
            decision = Decision.ERROR_FREE if n % 2 else Decision.NOT_ANNOTATABLE
            right, extra = {str(decision)}, []
        words = [
            VerdictAnswer(candidate.key, candidate.key in right, (RejectReason.ERRONEOUS,))
            for candidate in shown
        ]
        return ReviewAnswer(decision, words, extra, reason="personal", confirmed=True)

    @precondition(lambda self: self.model.reviewing)
    @rule(n=WHICH, second=st.booleans())
    def pass_on(self, n: int, second: bool) -> None:
        login, task = self.task(n)
        act = reviews.second_opinion if second else reviews.hand_on
        try:
            act(self.member(login), task.sentence_id, version=task.version, note="？")
        except WorkflowError:
            return
        del self.model.reviewing[login]
        self.did("pass on")

    @precondition(lambda self: self.model.reviewing)
    @rule(n=WHICH)
    def return_for_more(self, n: int) -> None:
        login, task = self.task(n)
        try:
            review_tasks.return_for_more(
                self.member(login), task.sentence_id, version=task.version, more=1
            )
        except WorkflowError:
            return
        self.model.needed[self.model.reviewing.pop(login)] += 1
        self.did("return for more")

    # study and complaints

    def study(self, n: int) -> Study | None:
        rows = Study.objects.filter(state="open").select_related("person", "sentence")
        ordered = rows.order_by("pk")
        return ordered[n % len(ordered)] if ordered else None

    @rule(n=WHICH, right=st.booleans())
    def attempt(self, n: int, right: bool) -> None:
        study = self.study(n)
        if study is None:
            return
        golden = study.sentence.golden
        text = f"{study.sentence.text}试{n}"
        answer = Answer(Decision.CORRECTED, (text,))
        if right and golden.kind == Decision.CORRECTED:
            entry = golden.entries.select_related("reference").first()
            answer = Answer(Decision.CORRECTED, (entry.reference.text,))
        elif right:
            answer = Answer(Decision(golden.kind))
        try:
            tried = studies.attempt(
                self.member(study.person.login), study.pk,
                version=study.version, client_key=self.key(), answer=answer,
            )  # fmt: skip
        except WorkflowError:
            return  # who left does not study
        assert tried.matched == right
        self.did(f"attempt {right}")

    @rule(n=WHICH)
    def complain(self, n: int) -> None:
        study = self.study(n)
        if study is None:
            return
        try:
            complaint = complaints.complain(
                self.member(study.person.login), study.pk, argument="？", client_key=self.key()
            )
        except WorkflowError:
            return
        self.did(f"complain {complaint.level}")

    @rule(n=WHICH, outcome=st.sampled_from(["upheld", "upheld_changed", "dismissed"]))
    def decide(self, n: int, outcome: str) -> None:
        rows = Complaint.objects.filter(state__in=["open", "discussed"]).order_by("pk")
        if not rows:
            return
        complaint = rows[n % len(rows)]
        sentence = complaint.study.sentence
        able = [
            member
            for member in Member.objects.all()
            if complaints.may_decide_now(member, complaint)
        ]
        if not able:
            return
        text = f"{sentence.text}诉{self.calls}"
        complaints.decide(
            able[n % len(able)], complaint.pk, version=complaint.version, client_key=self.key(),
            ruling=Ruling(ComplaintState(outcome), "因为", text, confirmed=True),
        )  # fmt: skip
        if outcome != "dismissed":
            self.model.golden[sentence.number] += 1
        self.did(f"decide {outcome}")

    @invariant()
    def holds(self) -> None:
        if self.wrote:  # else the same rows were found whole the step before
            violations = check()
            assert violations == (), violations
            self.wrote = False
        self.model.agree()
