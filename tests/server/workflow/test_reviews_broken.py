"""Finalising and ruling are all or nothing; of two who race one wins, and the other is told."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from server.remembering import remembered
from server.workflow.races import BrokenError, breaking, together
from server.workflow.reviewing import (
    BAD,
    GOOD,
    member_of,
    opened,
    review_answer,
    study_of,
    waiting,
)
from server.workflow.stories import correction, sentence_of

from gecbench.server.choices import ComplaintState
from gecbench.server.models import Complaint, Golden, Review, ReviewTask, StudyTry, Verdict
from gecbench.server.workflow import complaints, reviews, studies
from gecbench.server.workflow.answers import Addition, Ruling
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import ConflictError

UPHELD = Ruling(ComplaintState.UPHELD_CHANGED, "有理", "昨天我在图书馆借书了。", confirmed=True)


def everything() -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables that an act may touch."""
    tables = sorted(set(connection.introspection.table_names()) - {"django_session"})
    rows = {}
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f'SELECT * FROM "{table}" ORDER BY 1')  # noqa: S608 - our own names
            rows[table] = cursor.fetchall()
    return rows


def break_everywhere(act) -> int:
    """Fail at each statement in turn until the act comes through; nothing is ever left behind."""
    before = everything()
    for at in range(1, 500):
        try:
            with breaking(at) as seen:
                act()
        except BrokenError:
            assert everything() == before, f"statement {at} left something behind"
            continue
        return len(seen)
    raise AssertionError("it never came through")


@pytest.mark.slow
def test_rev_11_finalising_is_all_or_nothing_at_every_statement(database):
    project = waiting(correction(GOOD), correction(BAD), correction(GOOD, BAD))
    task, rita, key = opened(project), member_of(project, "rita"), uuid4()
    answer = review_answer(project, additions=[Addition("昨天我去图书馆借书了。")])
    handing = {"version": task.version, "client_key": key, "answer": answer}
    statements = break_everywhere(lambda: reviews.finalise(rita, task.sentence_id, **handing))
    assert statements > 20
    assert (Golden.objects.count(), Verdict.objects.count()) == (1, 2)
    assert check() == ()


@remembered
def disputed():
    project = waiting(
        correction(GOOD), correction(BAD), correction(BAD), reviewers=["rita", "rolf"]
    )
    task = opened(project)
    answer = review_answer(project, [GOOD])
    reviews.finalise(
        member_of(project, "rita"),
        task.sentence_id,
        version=task.version,
        client_key=uuid4(),
        answer=answer,
    )
    complaints.complain(
        member_of(project, "a2"), study_of(project, "a2").pk, argument="？", client_key=uuid4()
    )
    return project


@pytest.mark.slow
def test_cmp_3_a_ruling_is_all_or_nothing_at_every_statement(site):
    project = disputed()
    complaint, rolf = Complaint.objects.get(), member_of(project, "rolf")
    ruling = {"version": complaint.version, "client_key": uuid4(), "ruling": UPHELD}
    assert break_everywhere(lambda: complaints.decide(rolf, complaint.pk, **ruling)) > 20
    assert sentence_of(project).golden.version == 2
    assert check() == ()


def test_inv_5_of_two_who_finalise_at_once_one_wins(database):
    project = waiting()
    task, rita = opened(project), member_of(project, "rita")
    answer = review_answer(project)

    def finalise(n):
        handing = {"version": task.version, "client_key": uuid4(), "answer": answer}
        return reviews.finalise(rita, task.sentence_id, **handing)

    results = together(6, finalise)
    losers = [result for result in results if isinstance(result, Exception)]
    assert len(losers) == 5
    assert {type(error) for error in losers} == {ConflictError}
    assert all("kept in the page" in str(error) for error in losers)
    assert (Review.objects.count(), Golden.objects.count()) == (1, 1)
    assert check() == ()


def test_inv_9_the_same_key_at_once_is_one_review(database):
    project = waiting()
    task, rita, key = opened(project), member_of(project, "rita"), uuid4()
    answer = review_answer(project)
    handing = {"version": task.version, "client_key": key, "answer": answer}
    results = together(6, lambda _: reviews.finalise(rita, task.sentence_id, **handing))
    assert {result.golden for result in results} == {Golden.objects.get()}
    assert sorted(result.answered_before for result in results) == [False] + [True] * 5


def test_rev_12_of_many_reviewers_who_ask_for_one_sentence_one_gets_it(database):
    names = [f"r{n}" for n in range(6)]
    project = waiting(reviewers=names)
    everybody = [member_of(project, name) for name in names]
    results = together(6, lambda n: reviews.current_review(everybody[n]))
    assert not any(isinstance(result, Exception) for result in results), results
    taken = [result.task for result in results if result.task is not None]
    assert len(taken) == 1
    assert ReviewTask.objects.get().reviewer == taken[0].reviewer
    assert check() == ()


def test_of_two_who_rule_at_once_one_wins(database):
    project = disputed()
    complaint, rolf = Complaint.objects.get(), member_of(project, "rolf")

    def rule(n):
        ruling = {"version": complaint.version, "client_key": uuid4(), "ruling": UPHELD}
        return complaints.decide(rolf, complaint.pk, **ruling)

    results = together(5, rule)
    losers = [result for result in results if isinstance(result, Exception)]
    assert [type(error) for error in losers] == [ConflictError] * 4
    assert Golden.objects.count() == 2
    assert check() == ()


def test_of_many_tries_at_once_each_is_counted_or_refused(database):
    project = disputed()
    item, a3 = study_of(project, "a3"), member_of(project, "a3")

    def attempt(n):
        trying = {"version": item.version, "client_key": uuid4(), "answer": correction(f"错{n}。")}
        return studies.attempt(a3, item.pk, **trying)

    results = together(5, attempt)
    losers = [result for result in results if isinstance(result, Exception)]
    assert [type(error) for error in losers] == [ConflictError] * 4
    assert StudyTry.objects.filter(counted=True).count() == 1
    assert StudyTry.objects.filter(counted=False).count() == 4


def test_a_compare_and_set_that_finds_another_version_changes_nothing(site, monkeypatch):
    from gecbench.server.workflow import complaints, golden
    from gecbench.server.workflow import studies as study_module

    project = disputed()
    complaint = Complaint.objects.select_related("study__sentence", "person").get()
    complaint.version = 99
    rolf = member_of(project, "rolf")
    with pytest.raises(ConflictError, match="the complaint has changed meanwhile"):
        complaints._write_decision(complaint, ComplaintState.UPHELD, rolf, None, "", "")
    item = study_of(project, "a3")
    item.version = 99
    with pytest.raises(ConflictError, match="the item has changed meanwhile"):
        study_module._count_try(item)
    with pytest.raises(ConflictError, match="the study item has changed meanwhile"):
        golden.close_study(item, "waived")
    task = ReviewTask.objects.get()
    task.version = 99
    with pytest.raises(ConflictError, match="somebody else was first"):
        reviews.end_task(task, rolf)
    slot = item.submission.slot
    slot.version = 99
    from gecbench.server.workflow import sentences

    with pytest.raises(ConflictError, match="has changed meanwhile"):
        sentences.change_slot_state(slot, "passed", by=None)
