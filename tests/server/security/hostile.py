"""A project in which every text is an attempt: in each field that people fill, all payloads.

Long fields hold bundles of payloads, short ones have a row for each; everything goes the way of
real work, through the services.
"""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch
from uuid import uuid4

from django.utils import timezone
from server.security.payloads import PAYLOADS
from server.workflow.paying import closed, paying
from server.workflow.reviewing import finalised, member_of, opened, word
from server.workflow.stories import (
    a_project,
    all_submitted,
    claimed,
    joined,
    sentence_of,
    submitted,
)

from gecbench.server.choices import ComplaintState, Decision, MemberStatus, Purpose, Role
from gecbench.server.import_export.releases import make_release
from gecbench.server.models import (
    Acknowledgement,
    Invitation,
    Member,
    Message,
    Notice,
    Person,
    Project,
    Release,
    Resolution,
    Sentence,
    Source,
    Study,
    Suggestion,
    Token,
)
from gecbench.server.rules.text import clean, digest
from gecbench.server.workflow import (
    assignments,
    claims,
    complaints,
    drafts,
    inspection,
    management,
    members,
    pay,
    practice,
    projects,
    reviews,
    sentences,
    studies,
    suggestions,
)
from gecbench.server.workflow.answers import Addition, Answer, ReviewAnswer, Ruling

SIZE = 30
BUNDLES = tuple(
    " ".join(f"{n}{payload}" for n, payload in enumerate(PAYLOADS[start : start + SIZE], start))
    for start in range(0, len(PAYLOADS), SIZE)
)
"""Many payloads after another, each with its number before it."""

NUMBERS = tuple(f"{n}{payload}" for n, payload in enumerate(PAYLOADS))
"""Payloads as short texts, none equal to another; a letter before it would make it harmless."""


def bundle(n: int, role: str) -> str:
    """A long text: which field it is for, then payloads."""
    return f"{role}{n} {BUNDLES[n % len(BUNDLES)]}"


def short(n: int) -> str:
    """A payload as it is, for fields where two may be equal."""
    return clean(PAYLOADS[n % len(PAYLOADS)]).text


def hostile() -> Project:
    """Make it; people are a0, a1 (annotators), rita, rolf (reviewers), j0, j1 (judges), boss."""
    count = len(BUNDLES)
    project = a_project(
        [clean(bundle(n, "来源")).text for n in range(count + 6)],
        slug="hostile",
        annotators=2,
        reviewer_sees_names=True,
        open_tasks=5,
        suggestions="on_demand",
        instructions=BUNDLES[0][:500],
        reveal_after=0,
        trial_size=1,
    )
    writers = [joined(project, f"a{n}") for n in range(2)]
    for name in ("rita", "rolf"):
        joined(project, name, "reviewer")
    _publish(project)
    for n in range(count):
        _decided(project, writers, n)
    _in_work(project, writers, count + 1)
    _light(project)
    _practised(project)
    _inspected(project)
    paying(project)
    with patch.object(pay, "SETTLED", timedelta(seconds=-9)):
        closed(project)
    _people(project)
    due = timezone.now() + timedelta(days=3)
    assignments.give_quota(member_of(project, "boss"), writers[0], number=count + 9, due_at=due)
    return Project.objects.get(pk=project.pk)


def _publish(project: Project) -> None:
    boss = Person.objects.get(login="boss")
    text = "# 指南\n\n" + "\n\n".join(f"## 节{n}\n\n{bundle}" for n, bundle in enumerate(BUNDLES))
    projects.publish_guideline(project, markdown=text, note=bundle(0, "变更"), by=boss)
    project.refresh_from_db()


def _decided(project: Project, writers: list[Member], n: int) -> None:
    """One sentence through the whole loop: rejected, studied, complained about, ruled."""
    number, again = n + 1, (n + 3) % len(BUNDLES)
    good, bad = bundle(n, "好"), bundle(again, "坏")
    sentence = sentence_of(project, number)
    reason = Answer(Decision.NOT_ANNOTATABLE, reason="other", note=bundle(n, "不可"))
    all_submitted(sentence, writers, [Answer(Decision.CORRECTED, (good, bad)), reason])
    task = opened(project, "rita", number)
    boss, rita = member_of(project, "boss"), member_of(project, "rita")
    words = []
    for candidate in reviews.candidates(task, rita):
        right = candidate.key == digest(clean(good).text)
        verdict_answer = word(candidate.key, right, note=bundle(n, "判"), section=f"<i id=pwn>{n}")
        words.append(verdict_answer)
    answer = ReviewAnswer(
        Decision.CORRECTED, words, [Addition(bundle(n, "加"))], note=bundle(n, "审"), confirmed=True
    )
    finalised(project, login="rita", number=number, answer=answer)
    for study in Study.objects.filter(sentence=sentence).order_by("pk"):
        _studied(project, study, n, boss)


def _studied(project: Project, study: Study, n: int, boss: Member) -> None:
    member = Member.objects.select_related("project", "person").get(
        project=project, person=study.person_id
    )
    tried = Answer(Decision.CORRECTED, (bundle(n, "试"),))
    studies.attempt(member, study.pk, version=study.version, client_key=uuid4(), answer=tried)
    complaint = complaints.complain(member, study.pk, argument=bundle(n, "诉"), client_key=uuid4())
    rolf = member_of(project, "rolf")
    complaints.add_message(rolf, complaint.pk, text=bundle(n, "说"), client_key=uuid4())
    complaints.mark_case(boss, complaint.pk, note=bundle(n, "案"))
    complaint.refresh_from_db()
    if n % 3:
        note = bundle(n, "裁")
        ruling = Ruling(ComplaintState.DISMISSED, note=note, section=short(n)[:100])
        complaints.decide(
            rolf, complaint.pk, version=complaint.version, client_key=uuid4(), ruling=ruling
        )


def _in_work(project: Project, writers: list[Member], number: int) -> None:
    """Sentences in review, in work with drafts, put off, withdrawn, sent back."""
    texts = tuple(bundle(n, "候") for n in range(3))
    more = tuple(bundle(n, "选") for n in (0, 3, 4))
    answers = [Answer(Decision.CORRECTED, texts), Answer(Decision.CORRECTED, more)]
    boss, rita = member_of(project, "boss"), member_of(project, "rita")
    for place in (number, number + 1):
        all_submitted(sentence_of(project, place), writers, answers)
    task = opened(project, "rita", number)
    payload = {
        "decision": "corrected",
        "rows": {},
        "additions": [bundle(0, "稿")],
        "note": short(3),
    }
    drafts.save_review_draft(rita, task.sentence, rev=0, payload=payload)
    sentence = sentence_of(project, number + 1)
    reviews.assign(boss, sentence.pk, to=member_of(project, "rolf"), note=bundle(0, "派"))
    management.withdraw(boss, [sentence_of(project, number + 2).pk], reason=bundle(0, "撤"))
    slot = claimed(writers[0], sentence_of(project, number + 3))
    saved = {
        "decision": "corrected",
        "texts": [bundle(n, "草") for n in range(3)],
        "note": short(9),
    }
    drafts.save_draft(writers[0], slot.pk, rev=0, payload=saved)
    Suggestion.objects.create(
        sentence=slot.sentence, model=short(0), model_version=short(1), text=bundle(4, "荐")
    )
    suggestions.show(writers[0], slot.pk)
    off = claimed(writers[1], sentence_of(project, number + 4))
    drafts.save_draft(writers[1], off.pk, rev=0, payload=saved)
    claims.skip(writers[1], off.pk, version=off.version)
    submitted(writers[0], sentence_of(project, number + 4), Answer(Decision.CORRECTED, (short(5),)))


def _light(project: Project) -> None:
    """A sentence for each payload, with its name, source and facts; nobody works on them."""
    rows = [
        sentences.NewSentence(
            external_id=clean(number).text[:190] or str(n),
            text=clean(f"{number}我").text,
            source=f"{number}"[:100],
            meta={"注": number},
            priority=500,
        )
        for n, number in enumerate(NUMBERS)
    ]
    sentences.add_sentences(project, rows)
    for n, source in enumerate(Source.objects.filter(project=project, pk__gt=1).order_by("pk")):
        if n < len(PAYLOADS) and not Source.objects.filter(name=PAYLOADS[n][:100]).exists():
            Source.objects.filter(pk=source.pk).update(name=PAYLOADS[n][:100])


def _practised(project: Project) -> None:
    """Somebody in training and on trial, and gold tasks; a lead has overruled each."""
    boss = member_of(project, "boss")
    for purpose in (Purpose.TRAINING, Purpose.TRIAL, Purpose.GOLD):
        golden = sentences.NewGolden(Decision.CORRECTED, (clean(bundle(1, "知")).text,))
        text = clean(bundle(2, f"{purpose}")).text
        row = sentences.NewSentence(f"{purpose}", text, purpose=purpose, golden=golden)
        sentences.add_sentences(project, [row])
    answer = Answer(Decision.CORRECTED, (bundle(3, "练"),))
    training = Sentence.objects.get(project=project, purpose=Purpose.TRAINING)
    for n in range(2):
        person = Person.objects.create(login=f"c{n}", name=short(n) or "-", password="!")
        candidate = members.add_member(
            project, person, roles=[Role.ANNOTATOR], by=None, status=MemberStatus.TRAINING
        )
        practice.train(candidate, training.number, client_key=uuid4(), answer=answer)
        trial = practice.begin(candidate)
        task = practice.next_task(trial)
        tried = practice.answer_task(candidate, task.pk, client_key=uuid4(), answer=answer)
        if n:
            practice.overrule(boss, tried.pk, right=True, reason=bundle(0, "改"))
    gold = Sentence.objects.get(project=project, purpose=Purpose.GOLD)
    watched = submitted(member_of(project, "a1"), gold, answer)
    practice.overrule_gold(boss, watched.gold_result.pk, right=True, reason=bundle(0, "改"))


def _inspected(project: Project) -> None:
    """A closed round whose judges differ, with their talk, and one under way."""
    boss = member_of(project, "boss")
    judges = [joined(project, f"j{n}", "judge") for n in range(2)]
    criteria = [inspection.Criterion("a", bundle(1, "问"), bundle(2, "问"))]
    words = {"size": 1, "judges": [judge.pk for judge in judges], "criteria": criteria}
    for n in range(2):
        inspection.begin(boss, name=clean(short(n)).text[:90] + str(n), **words)
    done = project.inspections.first()
    item = done.items.get()
    for n, judge in enumerate(judges):
        rating = {"answers": {"a": bool(n)}, "note": bundle(n, "注")}
        inspection.rate(judge, item.pk, client_key=uuid4(), **rating)
    Message.objects.create(
        item=item, person=judges[0].person, text=bundle(3, "议"), client_key=uuid4()
    )
    Resolution.objects.create(
        item=item, criterion="a", accept=True, note=bundle(0, "定"), by=judges[1].person
    )
    inspection.close(boss, done.pk)


def _people(project: Project) -> None:
    boss = Person.objects.get(login="boss")
    for n in range(len(PAYLOADS)):
        worker = Person.objects.create(login=NUMBERS[n][:150], name=short(n) or "-", password="!")
        Member.objects.create(project=project, person=worker, is_annotator=True, status="active")
    invited = members.invite(project, roles=[Role.ANNOTATOR], by=boss, note="x")[0]
    release = make_release(project, name="r1", by=boss, note=bundle(0, "发布"))
    for n in range(len(PAYLOADS)):
        Invitation.objects.create(
            project=project, token_hash=f"{n:064}", roles=["annotator"], note=short(n),
            expires_at=invited.expires_at, by=boss,
        )  # fmt: skip
        Token.objects.create(person=boss, name=short(n), token_hash=f"{n:064}", scopes=["read"])
        Release.objects.create(
            project=project, name=NUMBERS[n], note=short(n), manifest=release.manifest,
            manifest_sha256=release.manifest_sha256, by=boss,
        )  # fmt: skip
    for person in Person.objects.filter(login__in=["a0", "a1", "rita", "rolf", "boss"]):
        for n, seen in enumerate(Notice.objects.values_list("kind", "data").distinct()[:60]):
            Notice.objects.create(
                person=person, project=project, kind=seen[0], data=_hurt(seen[1], n)
            )
        Acknowledgement.objects.get_or_create(guideline=project.guideline, person=person)
    Person.objects.filter(login__in=["a0", "rita", "boss"]).update(
        name=short(0)[:150], language="en", preferences={"goal": 3}
    )
    Project.objects.filter(pk=project.pk).update(name=short(6)[:150])


def _hurt(value: object, n: int) -> object:
    """The value with a payload in place of each text in it."""
    if isinstance(value, dict):
        return {key: _hurt(member, n) for key, member in value.items()}
    return short(n) if isinstance(value, str) else value
