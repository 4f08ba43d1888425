"""Who gets which task: random, once, leased, put off, given back."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from server.workflow.races import together
from server.workflow.stories import (
    a_project,
    all_submitted,
    claimed,
    joined,
    people,
    sentence_of,
    submitted,
    time_passes,
)

from gecbench.server.choices import MemberStatus, Purpose
from gecbench.server.models import Member, Sentence, Skip, Slot, SlotEvent, Study
from gecbench.server.workflow import claims, members, projects, sentences
from gecbench.server.workflow.claims import NoTask
from gecbench.server.workflow.errors import ConflictError, NotYoursError, RefusedError


def numbers(member: Member, count: int) -> list[int]:
    """Task numbers that a member gets one after the other, handing in each."""
    numbers_ = []
    for _ in range(count):
        slot = claims.current(member).slot
        numbers_.append(slot.sentence.number)
        submitted(member, slot.sentence)
    return numbers_


def test_wfl_3_a_task_is_drawn_at_random_among_those_that_come_first(site):
    project = a_project(100, annotators=1)
    first = set(
        Slot.objects.order_by("priority", "order_key").values_list("sentence_id", flat=True)[:60]
    )
    drawn = {claims.current(annotator).slot.sentence_id for annotator in people(project, 12)}
    assert len(drawn) == 12
    # The window moves on as tasks are taken, by one each.
    later = Slot.objects.order_by("priority", "order_key").values_list("sentence_id", flat=True)
    assert drawn <= set(later[:72])
    assert drawn != set(later[:12])
    assert len(first) == 60


def test_wfl_3_trios_vary_and_sentences_finish(site, monkeypatch):
    monkeypatch.setattr(claims, "_CHANCE", Random(1))  # one draw in sixty finishes fewer than five
    project = a_project(30)
    trio = people(project, 5)
    for _ in range(12):
        for member in trio:
            slot = claims.current(member).slot
            submitted(member, slot.sentence)
    done = Sentence.objects.filter(state="review_ready")
    trios = {frozenset(sentence.slots.values_list("person", flat=True)) for sentence in done}
    assert done.count() >= 5
    assert len(trios) > 1


def test_urgent_sentences_come_first(site):
    project = a_project(20, annotators=1)
    urgent = sentences.NewSentence(external_id="now", text="很急的句子。", priority=1)
    sentences.add_sentences(project, [urgent])
    external_ids = {
        claims.free_slots_for(annotator).first().sentence.external_id
        for annotator in people(project, 3)
    }
    assert external_ids == {"now"}


def test_begun_sentences_come_before_others_of_their_priority_and_fall_back(site):
    project = a_project(80)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    others = Slot.objects.filter(sentence=slot.sentence, state="free")
    assert set(others.values_list("priority", flat=True)) == {100 - sentences.BEGUN}
    assert claims.free_slots_for(second).first().sentence_id == slot.sentence_id
    claims.skip(first, slot.pk, version=slot.version)
    row = sentence_of(project, slot.sentence.number)
    assert row.state == "open"
    assert set(row.slots.values_list("priority", flat=True)) == {100}


def test_reloading_shows_the_same_task_and_writes_nothing(database):
    project = a_project(5)
    (annotator,) = people(project, 1)
    first = claims.current(annotator)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        again = claims.current(annotator)
    assert (first.fresh, again.fresh) == (True, False)
    assert first.slot == again.slot
    assert [query["sql"][:6] for query in queries] == ["SELECT"]


def test_inv_1_fifty_people_and_five_sentences_make_exactly_fifteen_slots(database):
    project = a_project(5)
    fifty = people(project, 50)
    results = together(50, lambda n: claims.current(fifty[n]))
    assert [result for result in results if isinstance(result, Exception)] == []
    held = Slot.objects.filter(state="open")
    assert held.count() == 15
    assert len(set(held.values_list("sentence_id", "person_id"))) == 15
    assert len([result for result in results if result.slot is not None]) == 15
    assert {result.nothing for result in results if result.slot is None} == {NoTask.ALL_DONE}
    assert set(Sentence.objects.values_list("state", flat=True)) == {"annotating"}


def test_inv_2_one_person_in_eight_windows_gets_one_task(database):
    project = a_project(9)
    (annotator,) = people(project, 1)
    results = together(8, lambda _: claims.current(annotator))
    assert [result for result in results if isinstance(result, Exception)] == []
    assert len({result.slot.pk for result in results}) == 1
    assert Slot.objects.filter(state="open").count() == 1


def test_inv_2_nobody_holds_more_open_tasks_than_the_project_allows(site):
    project = a_project(9, open_tasks=2)
    (annotator,) = people(project, 1)
    first = claims.current(annotator).slot
    second = claims.claim(annotator).slot
    third = claims.claim(annotator)
    assert first != second
    assert (third.slot, third.fresh) == (first, False)
    assert claims.open_tasks(annotator) == (first, second)
    assert {first.open_no, second.open_no} == {1, 2}
    submitted(annotator, first.sentence)
    assert claims.claim(annotator).slot.open_no == 1


def test_inv_2_nobody_fills_two_slots_of_a_sentence(site):
    project = a_project(1, open_tasks=5)
    (annotator,) = people(project, 1)
    claims.current(annotator)
    assert claims.claim(annotator).nothing == NoTask.NONE_FOR_YOU
    submitted(annotator, sentence_of(project))
    assert claims.current(annotator).nothing == NoTask.NONE_FOR_YOU


def test_no_task_says_why(site):
    project = a_project(1, annotators=1)
    first, second = people(project, 2)
    submitted(first, sentence_of(project))
    assert claims.current(second).nothing == NoTask.ALL_DONE
    reader = joined(project, "r", "reviewer")
    assert claims.current(reader).nothing == NoTask.NOT_ACTIVE
    members.change_member(second, by=None, status=MemberStatus.PAUSED)
    assert claims.current(second).nothing == NoTask.NOT_ACTIVE
    projects.archive_project(project, by=project.created_by)
    assert claims.current(Member.objects.get(pk=first.pk)).nothing == NoTask.CLOSED


@pytest.mark.parametrize("status", ["invited", "training", "trial", "paused", "left"])
def test_rol_4_only_active_members_are_served_even_by_a_stale_page(site, status):
    project = a_project(3)
    (annotator,) = people(project, 1)
    Member.objects.filter(pk=annotator.pk).update(status=status)
    # `one` still says active, as a request that was read before the change would.
    assert claims.current(annotator).nothing == NoTask.NOT_ACTIVE
    assert not Slot.objects.exclude(state="free").exists()


def test_inv_12_sentences_for_training_are_never_served_as_tasks(site):
    project = a_project(0)
    rows = [
        sentences.NewSentence(external_id=str(purpose), text=f"{purpose}。", purpose=purpose)
        for purpose in (Purpose.TRAINING, Purpose.TRIAL)
    ]
    sentences.add_sentences(project, rows)
    assert claims.current(people(project, 1)[0]).nothing == NoTask.ALL_DONE


def test_withdrawn_sentences_are_not_served(site):
    project = a_project(2)
    Sentence.objects.filter(number=1).update(state="withdrawn")
    for annotator in people(project, 3):
        assert claims.current(annotator).slot.sentence.number == 2


def test_rol_2_who_reviews_a_sentence_is_not_served_it(site):
    project = a_project(1)
    both = joined(project, "both", "annotator", "reviewer")
    sentence = all_submitted(sentence_of(project), people(project, 3))
    task = sentence.review_tasks.get()
    type(task).objects.filter(pk=task.pk).update(state="returned", reviewer=both.person)
    Sentence.objects.filter(pk=sentence.pk).update(needed=4, state="annotating")
    Slot.objects.create(project=project, sentence=sentence, no=4)
    assert claims.current(both).nothing == NoTask.NONE_FOR_YOU
    assert claims.current(joined(project, "new")).slot.no == 4


def test_stu_7_study_comes_first_where_the_project_says_so(site):
    project = a_project(4, annotators=1, study_gate=True, study_most=1, study_days=3)
    (annotator,) = people(project, 1)
    held = claims.current(annotator).slot
    for n in range(2):
        submission = submitted(annotator, claims.current(annotator).slot.sentence)
        golden = submission.sentence.goldens.create(version=1, kind="error_free")
        Study.objects.create(
            project=project,
            sentence=submission.sentence,
            submission=submission,
            person=annotator.person,
            golden=golden,
        )
        assert (claims.current(annotator).nothing == NoTask.STUDY_FIRST) == (n == 1)
    study = Study.objects.first()
    Study.objects.exclude(pk=study.pk).update(
        state="closed", close_reason="matched", closed_at=timezone.now()
    )
    assert claims.current(annotator).slot is not None
    Slot.objects.filter(state="open").update(state="free", person=None, open_no=None)
    Study.objects.update(opened_at=timezone.now() - timedelta(days=4))
    assert claims.current(annotator).nothing == NoTask.STUDY_FIRST
    projects.change_project(project, by=project.created_by, options={"study_gate": False})
    assert claims.current(Member.objects.get(pk=annotator.pk)).slot is not None
    assert held is not None


def test_ann_14_a_skip_frees_the_slot_and_is_not_offered_again(database):
    project = a_project(1)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    claims.skip(first, slot.pk, version=slot.version)
    assert claims.current(first).nothing == NoTask.NONE_FOR_YOU
    assert claims.current(second).slot.pk is not None
    assert claims.skipped_sentences(first) == (slot.sentence,)
    assert list(SlotEvent.objects.filter(slot=slot).values_list("kind", flat=True))[:2] == [
        "claim",
        "skip",
    ]


def test_ann_14_a_limited_number_can_be_put_off(site):
    project = a_project(5, open_skips=2)
    (annotator,) = people(project, 1)
    for _ in range(2):
        slot = claims.current(annotator).slot
        claims.skip(annotator, slot.pk, version=slot.version)
    slot = claims.current(annotator).slot
    with pytest.raises(RefusedError, match="At most 2 tasks") as refused:
        claims.skip(annotator, slot.pk, version=slot.version)
    assert [problem.code for problem in refused.value.problems] == ["ANN-14"]
    # One that was finished by others does not count any more.
    Sentence.objects.filter(pk=claims.skipped_sentences(annotator)[0].pk).update(state="golden")
    claims.skip(annotator, slot.pk, version=slot.version)


def test_ann_14_what_was_put_off_can_be_asked_for_again(database):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    claims.skip(annotator, slot.pk, version=slot.version)
    other = claims.current(annotator).slot
    with pytest.raises(RefusedError, match="Submit or skip the open task"):
        claims.recall(annotator, slot.sentence_id)
    submitted(annotator, other.sentence)
    again = claims.recall(annotator, slot.sentence_id)
    assert (again.slot.sentence_id, again.fresh) == (slot.sentence_id, True)
    assert claims.skipped_sentences(annotator) == ()
    # Put off once more, by the same row.
    claims.skip(annotator, again.slot.pk, version=again.slot.version)
    assert Skip.objects.count() == 1
    assert claims.skipped_sentences(annotator) == (slot.sentence,)


def test_recall_says_no_where_there_is_nothing_to_take(site):
    project = a_project(1)
    first, *others = people(project, 4)
    sentence = sentence_of(project)
    with pytest.raises(NotYoursError, match="not one that you have put off"):
        claims.recall(first, sentence.pk)
    slot = claims.current(first).slot
    claims.skip(first, slot.pk, version=slot.version)
    held = [claimed(other, sentence) for other in others]
    assert claims.recall(first, sentence.pk).nothing == NoTask.NONE_FOR_YOU
    assert claims.skipped_sentences(first) == (sentence,)
    members.change_member(first, by=None, status=MemberStatus.PAUSED)
    assert claims.recall(first, sentence.pk).nothing == NoTask.NOT_ACTIVE
    assert len(held) == 3


def test_skip_refuses_what_is_not_ones_own_or_stale(site):
    project = a_project(2)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    with pytest.raises(NotYoursError, match="not one of yours that is open"):
        claims.skip(second, slot.pk, version=slot.version)
    with pytest.raises(NotYoursError):
        claims.skip(first, 10**9, version=1)
    with pytest.raises(ConflictError, match="changed in another window") as stale:
        claims.skip(first, slot.pk, version=slot.version - 1)
    assert stale.value.current == slot
    submitted(first, slot.sentence)
    with pytest.raises(NotYoursError):
        claims.skip(first, slot.pk, version=slot.version)


def test_the_same_task_is_not_skipped_twice_at_once(database):
    project = a_project(5)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    results = together(4, lambda _: claims.skip(annotator, slot.pk, version=slot.version))
    assert len([result for result in results if result is None]) == 1
    assert SlotEvent.objects.filter(kind="skip").count() == 1


def test_a_claim_asks_few_questions(site):
    project = a_project(30)
    (annotator,) = people(project, 1)
    with CaptureQueriesContext(connection) as queries:
        claims.current(annotator)
    statements = [query["sql"] for query in queries]
    assert len(statements) <= 20, "\n".join(statements)


def test_the_query_for_candidates_reads_the_index_in_order(site):
    project = a_project(300)
    (annotator,) = people(project, 1)
    sql, params = (
        claims.free_slots_for(annotator)
        .values_list("pk", "sentence_id")[:60]
        .query.sql_with_params()
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        plan = [row[3] for row in cursor.fetchall()]
    text = "\n".join(plan)
    assert "slot USING COVERING INDEX slot_by_state" in text or (
        "slot USING INDEX slot_by_state (project_id=? AND state=?)" in text
    ), text
    assert "SCAN" not in text
    assert "TEMP B-TREE" not in text


def test_who_takes_a_sentence_makes_no_database_walk_all_the_free_places(site):
    """Everybody who writes waits meanwhile: with 300,000 places it took a tenth of a second."""
    project = a_project(300)
    (annotator,) = people(project, 1)
    with CaptureQueriesContext(connection) as queries:
        claims._take(annotator, project.sentences.first().pk)
    (sql,) = [row["sql"] for row in queries if "NULLS LAST" in row["sql"]]
    with connection.cursor() as cursor:
        for analysed in (False, True):
            if analysed:
                cursor.execute("ANALYZE")
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plan = "\n".join(row[3] for row in cursor.fetchall())
            assert "slot_by_state" not in plan, plan
            assert "SCAN" not in plan, plan


def test_inv_5_a_slot_has_one_holder_whoever_races(database):
    project = a_project(1, annotators=1)
    forty = people(project, 40)
    row = Slot.objects.get()
    results = together(40, lambda n: claims._take(forty[n], row.sentence_id))
    assert [result for result in results if isinstance(result, Exception)] == []
    assert len([result for result in results if result is not None]) == 1
    assert Slot.objects.get().version == row.version + 1
    assert SlotEvent.objects.count() == 1


def test_where_all_tries_are_lost_the_person_is_asked_to_come_again(site, monkeypatch):
    project = a_project(3)
    monkeypatch.setattr(claims, "_take", lambda *_: None)
    with pytest.raises(ConflictError, match="ask again"):
        claims.current(people(project, 1)[0])


def test_a_late_visit_to_ones_own_task_renews_the_lease(site):
    project = a_project(3)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    time_passes(minutes=45)
    assert claims.current(annotator).slot == slot
    slot.refresh_from_db()
    assert slot.lease_until > timezone.now()
    assert sentences.lease(project.rules) - slot.lease_until < timedelta(minutes=1)


@pytest.mark.parametrize("number", [0, 2**31, 2**63, 10**19])
def test_a_number_that_no_sentence_has_is_not_put_off(database, number):
    (annotator,) = people(a_project(1), 1)
    with pytest.raises(NotYoursError):
        claims.recall(annotator, number)
