"""Gold tasks: drawn by a share, like other tasks on the page, judged at once, watched by leads."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from server.remembering import remembered
from server.rest.calls import Caller
from server.workflow.practising import known, reference, source
from server.workflow.stories import (
    a_project,
    claimed,
    correction,
    joined,
    sentence_of,
    submit_answer,
)

from gecbench.server.choices import MemberStatus, Purpose, SlotState
from gecbench.server.models import (
    Assignment,
    Audit,
    GoldResult,
    Member,
    Notice,
    Sentence,
    Slot,
    Submission,
)
from gecbench.server.statistics import member_figures
from gecbench.server.statistics.report import build_report, quality
from gecbench.server.web.navigation import standings
from gecbench.server.workflow import claims, members, practice, review_tasks, submissions
from gecbench.server.workflow.assignments import give_batch, give_quota
from gecbench.server.workflow.assignments import standings as quotas
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import ConflictError, NotYoursError, RefusedError


@remembered
def with_gold(gold: int = 5, texts: int = 30, **options: object):
    project = a_project(texts, **{"gold_percent": 50, **options})
    known(project, Purpose.GOLD, gold)
    return project


def gold_claimed(member: Member, monkeypatch) -> Slot:
    """The next task, which is a gold one."""
    monkeypatch.setattr(claims._CHANCE, "randrange", lambda _: 0, raising=False)
    slot = claims.current(member).slot
    assert slot.sentence.purpose == Purpose.GOLD
    return slot


def gold_done(member: Member, right: bool, monkeypatch) -> None:
    slot = gold_claimed(member, monkeypatch)
    text = slot.sentence.text.replace("句句", "句" if right else "段句")
    submit_answer(member, slot, correction(text))


def test_none_are_drawn_where_the_share_is_nothing(site, monkeypatch):
    project = with_gold(gold_percent=0)
    monkeypatch.setattr(claims._CHANCE, "randrange", lambda _: 0, raising=False)
    assert claims.current(joined(project, "li")).slot.sentence.purpose == Purpose.REAL


def test_about_the_share_of_tasks_are_gold_and_each_person_gets_each_once(site):
    project = with_gold(gold=10, texts=40, gold_percent=50)
    member = joined(project, "li")
    sentences_ = []
    for _ in range(30):
        slot = claims.current(member).slot
        sentences_.append(slot.sentence)
        submit_answer(member, slot)
    gold = [sentence.number for sentence in sentences_ if sentence.purpose == Purpose.GOLD]
    assert len(set(gold)) == len(gold)
    assert 4 <= len(gold) <= 10
    assert check() == ()


def test_a_gold_task_is_never_full_and_waits_for_no_reviewer(site, monkeypatch):
    project = with_gold(gold=1, annotators=1)
    for n in range(5):
        gold_done(joined(project, f"a{n}"), n % 2 == 0, monkeypatch)
    sentence = Sentence.objects.get(purpose=Purpose.GOLD)
    assert (sentence.state, sentence.submitted, sentence.needed) == ("annotating", 5, 6)
    assert Slot.objects.filter(sentence=sentence, state=SlotState.FREE).count() == 1
    assert not sentence.review_tasks.exists()
    assert check() == ()


def test_a_gold_task_taken_back_after_it_was_put_off_is_never_full(site, monkeypatch):
    project = with_gold(gold=1, annotators=1)
    li, wang = joined(project, "li"), joined(project, "wang")
    slot = gold_claimed(li, monkeypatch)
    claims.skip(li, slot.pk, version=slot.version)
    theirs = gold_claimed(wang, monkeypatch)
    mine = claims.recall(li, slot.sentence_id).slot
    submit_answer(wang, theirs)
    submit_answer(li, mine)
    sentence = Sentence.objects.get(purpose=Purpose.GOLD)
    assert sentence.state == "annotating"
    assert Slot.objects.filter(sentence=sentence, state=SlotState.FREE).exists()
    assert not sentence.review_tasks.exists()
    assert check() == ()


def test_a_gold_task_is_taken_back_and_put_off_like_others(site, monkeypatch):
    project = with_gold()
    member = joined(project, "li")
    slot = gold_claimed(member, monkeypatch)
    done = submit_answer(member, slot, correction(slot.sentence.text.replace("句句", "段句")))
    assert submissions.may_reopen(done)
    again = submissions.reopen(member, slot.pk)
    submit_answer(member, again, correction(slot.sentence.text.replace("句句", "句")))
    assert practice.gold_accuracies(project)[member.person_id] == practice.Accuracy(1, 1)
    other = gold_claimed(member, monkeypatch)
    claims.skip(member, other.pk, version=other.version)
    assert check() == ()


def test_no_number_tells_an_annotator_which_tasks_are_gold(site, monkeypatch):
    """Two answers, one of them gold: every count of one's own says two."""
    project = with_gold()
    boss = Member.objects.get(person__login="boss")
    member = joined(project, "li")
    due = timezone.now() + timedelta(days=3)
    give_quota(boss, member, number=5, due_at=due)
    slot = gold_claimed(member, monkeypatch)
    submit_answer(member, slot, correction("一句。", active_ms=3_600_000))
    monkeypatch.undo()
    real = claimed(member, sentence_of(project, 1))
    submit_answer(member, real, correction("二句。", active_ms=3_600_000))
    figures = member_figures(member)
    assert (figures.today, figures.done, figures.hours) == (2, 2, 2)
    assert standings(member.person_id, [project.pk])[project.pk]["done"] == 2
    assert [quota.done for quota in quotas(Assignment.objects.all())] == [2]
    assert len(submissions.history(member)) == 2
    items = Caller(member.person).get("projects/story/submissions")[1]["items"]
    assert [item["texts"] for item in items] == [["一句。"], ["二句。"]]
    assert items[0].keys() == items[1].keys()


def test_none_are_drawn_where_no_real_task_is_left(site, monkeypatch):
    project = with_gold(texts=1)
    member = joined(project, "li")
    submit_answer(member, claimed(member, sentence_of(project, 1)))
    monkeypatch.setattr(claims._CHANCE, "randrange", lambda _: 0, raising=False)
    assert claims.current(member).nothing == claims.NoTask.NONE_FOR_YOU


def test_none_are_drawn_where_an_own_batch_comes_first(site, monkeypatch):
    """A task that is not of the batch would stand out, and not count for it."""
    project = with_gold()
    boss, member = Member.objects.get(person__login="boss"), joined(project, "li")
    due = timezone.now() + timedelta(days=3)
    give_batch(boss, member, number=1, due_at=due)
    monkeypatch.setattr(claims._CHANCE, "randrange", lambda _: 0, raising=False)
    slot = claims.current(member).slot
    assert slot.assignment is not None
    submit_answer(member, slot)
    assert claims.current(member).slot.sentence.purpose == Purpose.GOLD


def test_a_gold_task_ends_for_its_annotator_when_later_tasks_do(site, monkeypatch):
    """It would be one's own to change, and fill the places of tasks put off, for ever."""
    project = with_gold(annotators=1, open_skips=1)
    member, reviewer = joined(project, "li"), joined(project, "wu", "reviewer")
    slot = gold_claimed(member, monkeypatch)
    done = submit_answer(member, slot)
    put_off = gold_claimed(member, monkeypatch)
    claims.skip(member, put_off.pk, version=put_off.version)
    monkeypatch.undo()
    assert submissions.may_reopen(done)
    assert claims.skipped_sentences(member) == (put_off.sentence,)
    submit_answer(member, claimed(member, sentence_of(project, 1)))
    assert claims.skipped_sentences(member) == (), "others have filled real tasks by now"
    assert submissions.may_reopen(done), "no reviewer has begun with a later one"
    with transaction.atomic():
        review_tasks.claim_random_task(reviewer)
    done = submissions.history(member)[1]
    assert not submissions.may_reopen(done)
    with pytest.raises(ConflictError):
        submissions.reopen(member, slot.pk)
    assert check() == ()


def test_gold_tasks_reach_no_statistics_of_real_work(site, monkeypatch):
    project = with_gold()
    member = joined(project, "li")
    before = quality(project)
    for right in (True, False):
        gold_done(member, right, monkeypatch)
    after = quality(project)
    assert replace(after, gold=()) == before, "they have a table of their own"
    assert after.gold == (("Li", practice.Accuracy(1, 2)),)
    assert practice.gold_accuracies(project)[member.person_id].share == 0.5
    report = build_report(after)
    (table,) = [table for table in report.tables if table.name == "gold"]
    assert table.rows == (("Li", 2, 1, 0.5),)
    assert report.data["gold"] == [{"name": "Li", "right": 1, "judged": 2}]


def test_below_the_threshold_a_member_is_paused_and_managers_are_told(site, monkeypatch):
    project = with_gold(gold=8, gold_pause_percent=75, gold_window=4)
    member = joined(project, "li")
    for right in (True, True, True):
        gold_done(member, right, monkeypatch)
    gold_done(member, False, monkeypatch)
    member.refresh_from_db()
    assert member.status == "active", "3 of 4 are 75 per cent"
    gold_done(member, False, monkeypatch)
    member.refresh_from_db()
    assert member.status == "paused"
    notice = Notice.objects.get(person__login="boss", kind="gold_paused")
    assert (notice.data["right"], notice.data["size"], notice.data["member"]) == (2, 4, member.pk)
    assert Notice.objects.filter(person=member.person, kind="paused").exists()
    # A lead lifts the pause: what was before does not count again.
    members.change_member(member, by=None, status=MemberStatus.ACTIVE)
    gold_done(member, False, monkeypatch)
    member.refresh_from_db()
    assert member.status == "active"


def test_the_pause_is_part_of_the_submission(site, monkeypatch):
    """Whoever calls it, and all or nothing."""
    project = with_gold(gold_pause_percent=75, gold_window=1)
    member = joined(project, "li")
    slot = gold_claimed(member, monkeypatch)
    monkeypatch.setattr(practice, "tell_managers", broken)
    with pytest.raises(ZeroDivisionError):
        submit_answer(member, slot, correction("错的。"))
    member.refresh_from_db()
    assert member.status == "active"
    assert not Submission.objects.exists()
    assert check() == ()


def broken(*_: object) -> None:
    raise ZeroDivisionError


def test_nobody_is_paused_before_the_window_is_full_or_without_a_threshold(site, monkeypatch):
    project = with_gold(gold_pause_percent=0, gold_window=2)
    member = joined(project, "li")
    for _ in range(4):
        gold_done(member, False, monkeypatch)
    member.refresh_from_db()
    assert member.status == "active"


def test_a_lead_overrules_a_result_with_a_reason(site, monkeypatch):
    project = with_gold()
    member, boss = joined(project, "li"), Member.objects.get(person__login="boss")
    gold_done(member, False, monkeypatch)
    result = GoldResult.objects.get()
    with pytest.raises(RefusedError):
        practice.overrule_gold(boss, result.pk, right=True, reason="")
    practice.overrule_gold(boss, result.pk, right=True, reason="as good")
    assert practice.gold_accuracies(project)[member.person_id] == practice.Accuracy(1, 1)
    assert Audit.objects.filter(what="gold.overruled").get().data["reason"] == "as good"
    with pytest.raises(NotYoursError):
        practice.overrule_gold(boss, result.pk + 99, right=True, reason="x")
    members.change_member(member, by=None, roles=("annotator", "manager"))
    with pytest.raises(RefusedError) as refused:
        practice.overrule_gold(member, result.pk, right=False, reason="mine")
    assert refused.value.problems[0].code == "overrule-own"


def test_known_answers_are_those_of_the_golden_set(site):
    with_gold(gold=1)
    sentence = Sentence.objects.get(purpose=Purpose.GOLD)
    assert sentence.text == source("gold", 1)
    assert sentence.golden.entries.get().reference.text == reference("gold", 1)
