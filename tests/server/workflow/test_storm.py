"""Many people and a manager act at once, at random: no fault, and every invariant holds after it.

The state machine takes one step at a time; here steps meet. What each comes to is chance, what
must be true of it is not.
"""

from __future__ import annotations

import random
from collections import Counter
from uuid import uuid4

import pytest
from server.workflow.races import together
from server.workflow.reviewing import member_of
from server.workflow.stories import a_project, joined, time_passes

from gecbench.server.choices import ComplaintState, Decision, MemberStatus, RejectReason
from gecbench.server.models import Complaint, Member, Sentence, Slot, Study
from gecbench.server.workflow import (
    claims,
    complaints,
    drafts,
    management,
    members,
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

ANNOTATORS = ("a1", "a2", "a3", "both")
REVIEWERS = ("r1", "r2", "both")
THREADS, ACTS = 6, 14


class Actor:
    """Does one random act after the other; names of acts are the names of methods."""

    OFTEN = ("work",) * 8 + ("review",) * 6 + ("study", "complain", "rule", "take_back") * 2
    SELDOM = ("time", "status", "more", "reopen", "reopen", "withdraw", "restore", "restore")

    def __init__(self, project, seed):
        self.project, self.chance = project, random.Random(seed)
        self.done = Counter()

    def act(self):
        name = self.chance.choice(self.OFTEN + self.SELDOM)
        try:
            getattr(self, name)()
        except WorkflowError:
            return  # somebody else was first: they are told so
        self.done[name] += 1

    def member(self, *logins):
        return member_of(self.project, self.chance.choice(logins))

    def one_of(self, rows):
        return rows.order_by("?").first()

    def work(self):
        member = self.member(*ANNOTATORS)
        slot = claims.current(member).slot
        if slot is None:
            return
        k, text = self.chance.randrange(8), slot.sentence.text
        if k == 0:
            claims.skip(member, slot.pk, version=slot.version)
            return
        if k < 4:
            payload = {"decision": "corrected", "texts": [text]}
            drafts.save_draft(member, slot.pk, rev=0, payload=payload)
        answer = Answer(Decision.CORRECTED, tuple(f"{text}{n}" for n in range(1 + k % 3)))
        submissions.submit(
            member, slot.pk, version=slot.version, client_key=uuid4(),
            answer=Answer(Decision.ERROR_FREE) if k == 7 else answer,
        )  # fmt: skip

    def take_back(self):
        slot = self.one_of(Slot.objects.filter(state="submitted").select_related("person"))
        if slot is not None:
            submissions.reopen(member_of(self.project, slot.person.login), slot.pk)

    def review(self):
        member = self.member(*REVIEWERS)
        task = reviews.current_review(member).task
        if task is None:
            return
        k = self.chance.randrange(8)
        options = {"version": task.version}
        if k == 0:
            reviews.hand_on(member, task.sentence_id, note="？", **options)
        elif k == 1:
            review_tasks.return_for_more(member, task.sentence_id, more=1, **options)
        else:
            answer = self.decision(reviews.candidates(task, member), task.sentence)
            reviews.finalise(member, task.sentence_id, client_key=uuid4(), answer=answer, **options)

    def decision(self, shown, sentence):
        right = {
            candidate.key for candidate in shown if candidate.text and self.chance.random() < 0.5
        }
        words = [
            VerdictAnswer(candidate.key, candidate.key in right, (RejectReason.ERRONEOUS,))
            for candidate in shown
        ]
        extra = [Addition(f"{sentence.text}审{self.chance.randrange(9)}")]
        return ReviewAnswer(Decision.CORRECTED, words, extra, confirmed=True)

    def item(self):
        rows = Study.objects.filter(state="open").select_related("person", "sentence__golden")
        return self.one_of(rows)

    def study(self):
        item = self.item()
        if item is None:
            return
        golden = item.sentence.golden
        entry = golden.entries.select_related("reference").first()
        right = Answer(Decision(golden.kind), (entry.reference.text,) if entry else ())
        studies.attempt(
            member_of(self.project, item.person.login), item.pk, version=item.version,
            client_key=uuid4(), answer=right,
        )  # fmt: skip

    def complain(self):
        item = self.item()
        if item is not None:
            member = member_of(self.project, item.person.login)
            complaints.complain(member, item.pk, argument="？", client_key=uuid4())

    def rule(self):
        complaint = self.one_of(Complaint.objects.filter(state="open"))
        if complaint is None:
            return
        able = Member.objects.select_related("person", "project").order_by("pk")
        able = [member for member in able if complaints.may_decide_now(member, complaint)]
        outcome = self.chance.choice([ComplaintState.UPHELD, ComplaintState.DISMISSED])
        if able:
            complaints.decide(
                able[0], complaint.pk, version=complaint.version, client_key=uuid4(),
                ruling=Ruling(outcome, "因为", confirmed=True),
            )  # fmt: skip

    def time(self):
        time_passes()
        claims.expire(self.project)

    def status(self):
        member = self.member(*ANNOTATORS, *REVIEWERS)
        for status in (MemberStatus.PAUSED, MemberStatus.ACTIVE):
            members.change_member(member, by=None, status=status)

    def any_sentence(self, **fields):
        return self.one_of(Sentence.objects.filter(**fields))

    def more(self):
        sentence = self.any_sentence(needed__lt=4)
        if sentence is not None:
            management.raise_needed(self.member("boss"), sentence.pk, more=1)

    def reopen(self):
        sentence = self.any_sentence(state="golden")
        if sentence is not None:
            management.reopen_sentence(self.member("boss"), sentence.pk, reason="再看")

    def withdraw(self):
        management.withdraw(self.member("boss"), [self.any_sentence().pk], reason="重复")

    def restore(self):
        out = Sentence.objects.filter(state="withdrawn").values_list("pk", flat=True)
        management.restore(self.member("boss"), list(out))


@pytest.mark.slow
def test_a_storm_of_acts_makes_no_fault_and_breaks_no_invariant(database):
    project = a_project(6, annotators=2)
    for login in {*ANNOTATORS, *REVIEWERS}:
        roles = ["annotator"] if login in ANNOTATORS else []
        joined(project, login, *roles, *(["reviewer"] if login in REVIEWERS else []))
    actors = [Actor(project, n) for n in range(THREADS)]

    def life(n):
        for _ in range(ACTS):
            actors[n].act()

    faults = [fault for fault in together(THREADS, life) if fault is not None]
    assert faults == []
    assert check() == ()
    done = sum((actor.done for actor in actors), Counter())
    assert done["work"] > 0
    assert done["review"] > 0
