"""What managers and time do in the state machine: one rule, so that the others come more often."""

from __future__ import annotations

from collections import Counter

from hypothesis import strategies as st
from hypothesis.stateful import rule
from server.workflow.stories import sentence_of, time_passes

from gecbench.server.choices import Decision, MemberStatus, Role
from gecbench.server.models import Sentence
from gecbench.server.workflow import (
    claims,
    management,
    members,
    projects,
    sentences,
    studies,
)
from gecbench.server.workflow.errors import WorkflowError

ANNOTATORS = ("a1", "a2", "a3", "both")
REVIEWERS = ("both", "r1", "r2")
EVERYBODY = (*ANNOTATORS, "r1", "r2")
WHICH = st.integers(0, 50)
MOST_SENTENCES = 5
STATUSES = ("active", "left", "paused")


class Managing:
    """Rules of the state machine; `model`, `project`, `member`, `study` and `did` are its own."""

    @rule(
        what=st.sampled_from(
            [
                *("expire", "waive", "change_status", "promote_or_not", "add_sentence"),
                *("raise_n", "reopen", "reopen", "withdraw", "restore"),
            ]
        ),
        n=WHICH,
    )
    def manage(self, what: str, n: int) -> None:
        """Do one of them."""
        getattr(self, what)(n)

    def expire(self, n: int) -> None:
        del n
        time_passes()
        claims.expire(self.project)
        self.model.end_all()
        self.model.reviewing.clear()
        self.did("expire")

    def waive(self, n: int) -> None:
        study = self.study(n)
        if study is not None:
            studies.waive(self.member("boss"), study.pk, note="算了")
            self.did("waive")

    def change_status(self, n: int) -> None:
        login, status = EVERYBODY[n // 3 % len(EVERYBODY)], STATUSES[n % len(STATUSES)]
        member = self.member(login)
        try:
            members.change_member(member, by=None, status=MemberStatus(status))
        except WorkflowError:
            return
        if status != "active":
            self.model.end_all(login=login)
            self.model.reviewing.pop(login, None)
        self.did(status)

    def promote_or_not(self, n: int) -> None:
        login = "both" if n % 2 else "a1"
        roles = set(self.member(login).roles) ^ {Role.REVIEWER}
        members.change_member(self.member(login), by=None, roles=sorted(roles))
        if Role.REVIEWER not in roles:
            self.model.reviewing.pop(login, None)
        self.did("promote")

    def add_sentence(self, n: int) -> None:
        number, golden = len(self.model.needed) + 1, n % 3 == 0
        if number > MOST_SENTENCES:
            return
        text = f"第{number}句是新来的。"
        new = sentences.NewGolden(Decision.CORRECTED, (f"{text}好",)) if golden else None
        sentences.add_sentences(self.project, [sentences.NewSentence("", text, golden=new)])
        self.project.refresh_from_db()
        self.model.needed[number] = 0 if golden else self.project.annotators
        self.model.golden += Counter({number: int(golden)})
        self.did("add")

    def raise_n(self, n: int) -> None:
        if self.project.annotators > 2 or n % 2:
            return
        states = dict(Sentence.objects.filter(golden=None).values_list("number", "state"))
        boss = self.member("boss").person
        self.project = projects.change_project(self.project, by=boss, annotators=3)
        for number, state in states.items():
            if state in ("open", "annotating", "review_ready"):
                self.model.needed[number] = max(3, self.model.needed[number])
        self.did("raise")

    def reopen(self, n: int) -> None:
        golden = Sentence.objects.filter(state="golden").order_by("pk")
        if not golden:
            return
        management.reopen_sentence(self.member("boss"), golden[n % len(golden)].pk, reason="再看")
        self.did("reopen")

    def withdraw(self, n: int) -> None:
        numbers = self.numbers()
        number = numbers[n % len(numbers)]
        pk = sentence_of(self.project, number).pk
        changed = management.withdraw(self.member("boss"), [pk], reason="重复")
        assert changed == (number not in self.model.withdrawn)
        self.model.end_all(number=number)
        self.model.withdrawn.add(number)
        for login, reviewed in [*self.model.reviewing.items()]:
            if reviewed == number:
                del self.model.reviewing[login]
        self.did("withdraw")

    def restore(self, n: int) -> None:
        del n
        ids = [sentence_of(self.project, number).pk for number in sorted(self.model.withdrawn)]
        assert management.restore(self.member("boss"), ids) == len(ids)
        self.model.withdrawn.clear()
        self.did("restore")
