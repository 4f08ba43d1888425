"""Gold tasks: drawn by a share, like other tasks on the page, judged at once, watched by leads."""

from __future__ import annotations

import pytest
from server.workflow.practising import known, reference, source
from server.workflow.stories import a_project, correction, handed_in, joined

from gecbench.server.choices import MemberStatus, Purpose, SlotState
from gecbench.server.models import Audit, GoldResult, Member, Notice, Sentence, Slot
from gecbench.server.statistics.report import quality
from gecbench.server.workflow import claims, gold_tasks, members, submissions
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import NotYoursError, RefusedError


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
    handed_in(member, slot, correction(text))
    gold_tasks.pause_if_needed(member)


def test_none_are_drawn_where_the_share_is_nothing(site, monkeypatch):
    project = with_gold(gold_percent=0)
    monkeypatch.setattr(claims._CHANCE, "randrange", lambda _: 0, raising=False)
    assert claims.current(joined(project, "li")).slot.sentence.purpose == Purpose.REAL


def test_about_the_share_of_tasks_are_gold_and_each_person_gets_each_once(site):
    project = with_gold(gold=10, texts=40, gold_percent=50)
    member = joined(project, "li")
    got = []
    for _ in range(30):
        slot = claims.current(member).slot
        got.append(slot.sentence)
        handed_in(member, slot)
    gold = [one.number for one in got if one.purpose == Purpose.GOLD]
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
    handed_in(wang, theirs)
    handed_in(li, mine)
    sentence = Sentence.objects.get(purpose=Purpose.GOLD)
    assert sentence.state == "annotating"
    assert Slot.objects.filter(sentence=sentence, state=SlotState.FREE).exists()
    assert not sentence.review_tasks.exists()
    assert check() == ()


def test_a_gold_task_is_taken_back_and_put_off_like_others(site, monkeypatch):
    project = with_gold()
    member = joined(project, "li")
    slot = gold_claimed(member, monkeypatch)
    done = handed_in(member, slot, correction(slot.sentence.text.replace("句句", "段句")))
    assert submissions.may_reopen(done)
    again = submissions.reopen(member, slot.pk)
    handed_in(member, again, correction(slot.sentence.text.replace("句句", "句")))
    assert gold_tasks.accuracies(project)[member.person_id] == gold_tasks.Accuracy(1, 1)
    other = gold_claimed(member, monkeypatch)
    claims.skip(member, other.pk, version=other.version)
    assert check() == ()


def test_gold_tasks_reach_no_statistics_of_real_work(site, monkeypatch):
    project = with_gold()
    member = joined(project, "li")
    before = quality(project)
    for right in (True, False):
        gold_done(member, right, monkeypatch)
    assert quality(project) == before
    assert gold_tasks.accuracies(project)[member.person_id].share == 0.5


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
        gold_tasks.overrule(boss, result.pk, right=True, reason="")
    gold_tasks.overrule(boss, result.pk, right=True, reason="as good")
    assert gold_tasks.accuracies(project)[member.person_id] == gold_tasks.Accuracy(1, 1)
    assert Audit.objects.filter(what="gold.overruled").get().data["reason"] == "as good"
    with pytest.raises(NotYoursError):
        gold_tasks.overrule(boss, result.pk + 99, right=True, reason="x")


def test_known_answers_are_those_of_the_golden_set(site):
    with_gold(gold=1)
    sentence = Sentence.objects.get(purpose=Purpose.GOLD)
    assert sentence.text == source("gold", 1)
    assert sentence.golden.entries.get().reference.text == reference("gold", 1)
