"""Builders of stories: a project with sentences and people, and what they have done so far.

They go through the real services, so that what a test finds is what could happen. Use::

    from server.workflow.stories import a_project, people, submitted
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import uuid4

from django.db.models import F
from server.remembering import remembered

from gecbench.server.choices import Decision, Role
from gecbench.server.models import (
    Audit,
    Draft,
    DraftRevision,
    Member,
    Person,
    Project,
    Reference,
    Sentence,
    Slot,
    SlotEvent,
    Submission,
)
from gecbench.server.workflow import (
    claims,
    members,
    projects,
    sentences,
    submissions,
)
from gecbench.server.workflow.answers import Answer
from gecbench.server.workflow.transactions import lock_member, lock_sentence

TEXTS = (
    "我昨天去了图书馆借书了。",
    "他的汉语说得很好多。",
    "这个电影对我很兴趣。",
    "我们应该保护环境的重要性。",
    "妈妈给我做了一个好吃饭。",
    "他是昨天来中国。",
    "我每天都跑步在公园里。",
    "老师把书看完在桌子上。",
    "因为下雨，但是我没去。",
    "我想学习中文很努力。",
)
UNUSABLE = "!"
"""A password hash that nobody can sign in with; making real ones costs a tenth of a second."""


def somebody(login: str, **fields: object) -> Person:
    """A person, made once."""
    person = Person.objects.filter(login=login).first()
    return person or Person.objects.create(
        **{"login": login, "name": login.title(), "password": UNUSABLE, **fields}
    )


@remembered
def joined(project: Project, login: str, *roles: Role | str) -> Member:
    """A member with these roles (an annotator, if none is named), made or changed."""
    chosen_roles = tuple(Role(role) for role in roles) or (Role.ANNOTATOR,)
    return members.add_member(project, somebody(login), roles=chosen_roles, by=None)


@remembered
def people(project: Project, count: int, *, prefix: str = "a") -> tuple[Member, ...]:
    """Annotators a1, a2, ..."""
    return tuple(joined(project, f"{prefix}{n}") for n in range(1, count + 1))


@remembered
def a_project(
    texts: Sequence[str] | int = 3,
    *,
    slug: str = "story",
    lang: str = "zh",
    annotators: int = 3,
    manager: str = "boss",
    **options: object,
) -> Project:
    """A project with sentences s1, s2, ...; `texts` may be how many. Options by keyword."""
    project = projects.create_project(
        slug=slug,
        name=slug.title(),
        lang=lang,
        by=somebody(manager),
        annotators=annotators,
        options=options,
    )
    if isinstance(texts, int):
        texts = [TEXTS[n] if n < len(TEXTS) else f"{TEXTS[n % 10]}{n}" for n in range(texts)]
    rows = [
        sentences.NewSentence(external_id=f"s{n}", text=text, source="story")
        for n, text in enumerate(texts, 1)
    ]
    sentences.add_sentences(project, rows)
    return Project.objects.get(pk=project.pk)


def sentence_of(project: Project, number: int = 1) -> Sentence:
    """A sentence of a project, as it is now."""
    return Sentence.objects.select_related("project").get(project=project, number=number)


def correction(*texts: str, **fields: object) -> Answer:
    """An answer with corrections; without any, one for every sentence alike."""
    return Answer(Decision.CORRECTED, texts or ("我改过的句子。",), **fields)


def error_free() -> Answer:
    return Answer(Decision.ERROR_FREE)


def not_annotatable(reason: str = "incomprehensible", note: str = "") -> Answer:
    return Answer(Decision.NOT_ANNOTATABLE, reason=reason, note=note)


@remembered
def claimed(member: Member, sentence: Sentence) -> Slot:
    """The member's open slot of this very sentence, claimed if need be (chance is left out)."""
    from django.db import transaction

    held = Slot.objects.filter(sentence=sentence, person=member.person, state="open").first()
    if held is not None:
        return held
    with transaction.atomic():
        fresh = lock_member(member)
        row = lock_sentence(sentence.pk, fresh.project_id)
        free = Slot.objects.filter(sentence=row, state="free").order_by("no").first()
        assert free is not None, f"sentence {row.number} has no free slot"
        open_no = sentences.free_task_number(fresh, fresh.project.rules)
        assert open_no is not None, f"{fresh.person} has as many open tasks as they may"
        slot = sentences.open_slot(fresh, row, free.pk, open_no=open_no)
        assert slot is not None
        return slot


def submit_answer(
    member: Member, slot: Slot, answer: Answer | None = None, **changed: object
) -> Submission:
    """What the member hands in for a slot as they see it; version and key may be given."""
    words = {"version": slot.version, "client_key": uuid4(), "answer": answer or correction()}
    return submissions.submit(member, slot.pk, **(words | changed))


def row_counts() -> dict[str, object]:
    """All that handing in and taking back change, to compare before and after."""
    tables = (Submission, Reference, SlotEvent, Audit, Draft, DraftRevision)
    return {
        "rows": [table.objects.count() for table in tables],
        "slots": sorted(Slot.objects.values_list("pk", "state", "version")),
        "sentences": list(Sentence.objects.values_list("state", "submitted", "version")),
    }


@remembered
def submitted(member: Member, sentence: Sentence, answer: Answer | None = None) -> Submission:
    """What the member hands in for this sentence."""
    slot = claimed(member, sentence)
    return submissions.submit(
        member,
        slot.pk,
        version=slot.version,
        client_key=uuid4(),
        answer=answer or correction(f"{sentence.text}（{member.person.login}）"),
    )


@remembered
def all_submitted(
    sentence: Sentence, annotators: Sequence[Member], answers: Sequence[Answer] = ()
) -> Sentence:
    """The sentence after all have handed in: ready for review, if they are N."""
    for n, member in enumerate(annotators):
        submitted(member, sentence, answers[n] if n < len(answers) else None)
    return sentence_of(sentence.project, sentence.number)


def time_passes(*, minutes: float = 24 * 60) -> int:
    """Set all leases back, as if so much time had passed; returns how many slots were open."""
    from gecbench.server.models import ReviewTask

    back = timedelta(minutes=minutes)
    ReviewTask.objects.filter(state="open").update(lease_until=F("lease_until") - back)
    return Slot.objects.filter(state="open").update(lease_until=F("lease_until") - back)


def expired(project: Project) -> int:
    """All open tasks of a project after their leases are over."""
    time_passes()
    return claims.expire(project)
