"""Work that managers give: batches are kept for one person, quotas are counted, nobody is lost."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from server.workflow import reviewing
from server.workflow.races import together
from server.workflow.reviewing import member_of
from server.workflow.stories import (
    a_project,
    claimed,
    expired,
    joined,
    people,
    sentence_of,
    submitted,
)

from gecbench.server.choices import MemberStatus, Role
from gecbench.server.models import Assignment, Audit, Member, Project, Sentence, Slot
from gecbench.server.workflow import accounts, assignments, claims, members
from gecbench.server.workflow.assignments import give_batch, give_quota, standings
from gecbench.server.workflow.errors import NotAllowedError, NotYoursError, RefusedError


def boss_of(project: Project) -> Member:
    return member_of(project, "boss")


def days(count: float):
    return timezone.now() + timedelta(days=count)


def batch_of(project: Project, member: Member, *numbers: int, due: float = 3) -> Assignment:
    chosen = [sentence_of(project, n).pk for n in numbers]
    return give_batch(boss_of(project), member, due_at=days(due), sentences=chosen)[0]


def over(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(at=days(-9), due_at=days(-1))


def standing(member: Member) -> list[tuple[int, int]]:
    return [
        (standing.done, standing.total)
        for standing in standings(Assignment.objects.filter(member=member))
    ]


def worked(member: Member) -> int | None:
    """The number of the next task, which is handed in; None where there is none."""
    slot = claims.current(member).slot
    if slot is None:
        return None
    submitted(member, slot.sentence)
    return slot.sentence.number


def test_a_batch_comes_first_and_its_places_go_to_nobody_else(database):
    project = a_project(6, annotators=1)
    first, second = people(project, 2)
    batch_of(project, first, 4, 5)
    assert {worked(second) for _ in range(5)} == {1, 2, 3, 6, None}
    assert claims.current(second).nothing == claims.NoTask.NONE_FOR_YOU
    assert not claims.has_task(second)
    assert claims.has_task(first)
    assert {worked(first), worked(first)} == {4, 5}
    assert worked(first) is None


def test_a_batch_keeps_one_place_of_each_sentence_the_others_stay_free(site):
    project = a_project(1, annotators=3)
    first, second, third, fourth = people(project, 4)
    batch_of(project, first, 1)
    assert (worked(second), worked(third)) == (1, 1)
    assert worked(fourth) is None
    assert worked(first) == 1
    assert sentence_of(project).state == "review_ready"


@pytest.mark.parametrize("how", ["deadline", "end", "pause", "role", "shut out"])
def test_what_was_kept_is_open_to_all_again(site, how):
    project = a_project(2, annotators=1)
    first, second = people(project, 2)
    batch = batch_of(project, first, 1, 2)
    assert worked(first) in (1, 2)
    if how == "deadline":
        over(batch)
    elif how == "end":
        assignments.end_assignment(boss_of(project), batch.pk)
    elif how == "pause":
        members.change_member(first, by=None, status=MemberStatus.PAUSED)
    elif how == "role":
        members.change_member(first, by=None, roles=[Role.REVIEWER])
    else:
        accounts.deactivate(first.person)
    assert worked(second) in (1, 2)


def test_the_earliest_deadline_comes_first(site):
    project = a_project(40, annotators=1)
    (annotator,) = people(project, 1)
    batch_of(project, annotator, 7, due=5)
    batch_of(project, annotator, 9, due=2)
    assert (worked(annotator), worked(annotator)) == (9, 7)


def test_inv_15_what_was_lost_comes_back_unless_it_is_kept_for_another(site):
    project = a_project(2, annotators=1)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    expired(project)
    batch_of(project, second, slot.sentence.number)
    assert claims.current(first).slot.sentence_id != slot.sentence_id
    assert claims.current(second).slot.sentence_id == slot.sentence_id


def test_an_expired_place_of_a_batch_stays_its_members(site):
    project = a_project(2, annotators=1)
    first, second = people(project, 2)
    batch = batch_of(project, first, 1)
    slot = claims.current(first).slot
    expired(project)
    assert claims.current(second).slot.sentence.number == 2
    assert claims.current(first).slot == slot
    assert Slot.objects.get(pk=slot.pk).assignment == batch


def test_a_skipped_sentence_of_a_batch_can_be_taken_up_again(site):
    project = a_project(1, annotators=2)
    first, second = people(project, 2)
    batch_of(project, first, 1)
    slot = claims.current(first).slot
    claims.skip(first, slot.pk, version=slot.version)
    assert standing(first) == [(0, 1)]
    assert worked(second) == 1
    assert claims.recall(first, slot.sentence_id).slot == slot


def test_a_batch_of_so_many_takes_those_that_come_first_and_leaves_out_what_is_known(site):
    project = a_project(5, annotators=1)
    first, second = people(project, 2)
    submitted(first, sentence_of(project, 2))
    batch_of(project, second, 3)
    batch, count = give_batch(boss_of(project), first, due_at=days(1), number=10)
    assert count == 3
    numbers = set(batch.slots.values_list("sentence__number", flat=True))
    assert numbers == {1, 4, 5}
    with pytest.raises(RefusedError) as refused:
        give_batch(boss_of(project), first, due_at=days(1), number=10)
    assert refused.value.problems[0].code == "batch-empty"
    assert Assignment.objects.count() == 2


def test_places_are_kept_for_one_person_whoever_races(database):
    project = a_project(12, annotators=1)
    team = people(project, 6)
    boss, due = boss_of(project), days(1)

    def act(n: int) -> object:
        if n % 2:
            return give_batch(boss, team[n], due_at=due, number=3)
        return claims.current(team[n])

    results = together(6, act)
    assert [result for result in results if isinstance(result, Exception)] == []
    batches = [result for result in results if isinstance(result, tuple)]
    assert [count for _, count in batches] == [3, 3, 3]
    for batch, count in batches:
        assert batch.slots.count() == count
        assert not batch.slots.exclude(person=None).exclude(person=batch.member.person).exists()


def test_a_batch_whose_sentences_are_taken_at_the_same_moment_takes_others(on_postgresql):
    project = a_project(3, annotators=1)
    quick, slow = people(project, 2)
    taken: list[Slot] = []

    def take_first(execute, sql, params, many, context):
        if not taken and "FOR NO KEY UPDATE" in sql and 'FROM "sentence"' in sql:
            (sentence,) = Sentence.objects.filter(pk__in=params)
            taken.extend(together(1, lambda _: claimed(quick, sentence)))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(take_first):
        batch, count = give_batch(boss_of(project), slow, due_at=days(1), number=1)
    assert count == 1
    assert taken[0].sentence_id not in batch.slots.values_list("sentence_id", flat=True)


def test_no_database_walks_the_places_for_a_batch(site):
    project = a_project(300)
    (annotator,) = people(project, 1)
    with CaptureQueriesContext(connection) as queries:
        claims.current(annotator)
    (sql,) = [
        row["sql"]
        for row in queries
        if "due_at" in row["sql"] and "ORDER BY" in row["sql"] and "LIMIT 5" in row["sql"]
    ]
    with connection.cursor() as cursor:
        for analysed in (False, True):
            if analysed:
                cursor.execute("ANALYZE")
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plan = "\n".join(row[3] for row in cursor.fetchall())
            assert "slot USING INDEX slot_by_assignment" in plan, plan


def test_progress_of_a_batch_is_asked_of_its_places(site):
    project = a_project(4, annotators=1)
    first, second = people(project, 2)
    batch = batch_of(project, first, 1, 2, 3)
    assert standing(first) == [(0, 3)]
    worked(first)
    assert standing(first) == [(1, 3)]
    left = batch.slots.filter(state="free").first()
    Sentence.objects.filter(pk=left.sentence_id).update(state="withdrawn")
    assert standing(first) == [(1, 2)]
    over(batch)
    assert [row.late for row in standings(Assignment.objects.all())] == [True]
    while worked(second):
        pass
    assert standing(first) == []  # the others did the rest: nothing is due any more


def test_progress_of_a_quota_counts_what_was_handed_in_since(site):
    project = a_project(6, annotators=1)
    first, second = people(project, 2)
    number = 4 if worked(first) == 3 else 3  # tasks come in an order by chance
    quota = give_quota(boss_of(project), first, number=2, due_at=days(2))
    assert standing(first) == [(0, 2)]
    batch_of(project, first, number)
    worked(second)
    slot = claimed(first, sentence_of(project, number))
    submitted(first, slot.sentence)
    assert standing(first) == [(0, 2), (1, 1)]  # a batch counts for itself alone
    worked(first)
    assert standing(first) == [(1, 2), (1, 1)]
    later = give_quota(boss_of(project), first, number=5, due_at=days(2))
    quota.refresh_from_db()
    assert quota.ended_at is not None
    assert [row.assignment for row in standings(Assignment.objects.filter(quota__gt=0))] == [later]


def test_progress_of_a_reviewers_quota_counts_decisions(site):
    project = reviewing.waiting(reviewers=("rita",))
    rita = member_of(project, "rita")
    give_quota(boss_of(project), rita, number=2, due_at=days(2), role=Role.REVIEWER)
    reviewing.finalised(project)
    assert standing(rita) == [(1, 2)]
    with pytest.raises(RefusedError):
        give_quota(boss_of(project), rita, number=2, due_at=days(2))


@pytest.mark.parametrize(
    ("begun", "due", "done", "behind", "late"),
    [(0, 10, 0, 0, False), (-5, 5, 4, 6, False), (-5, 5, 12, 0, False), (-10, -1, 7, 13, True)],
)
def test_behind_is_measured_by_an_even_pace(begun, due, done, behind, late):
    assignment = Assignment(quota=20, at=days(begun), due_at=days(due) + timedelta(seconds=1))
    row = assignments.Standing(assignment, done, 20, timezone.now() + timedelta(seconds=2))
    assert (row.behind, row.late) == (behind, late)


def test_only_managers_give_and_only_here(site):
    project = a_project(2)
    first, second = people(project, 2)
    with pytest.raises(NotAllowedError):
        give_quota(first, second, number=1, due_at=days(1))
    stranger = joined(a_project(1, slug="other", manager="ola"), "sol")
    with pytest.raises(NotYoursError):
        give_quota(boss_of(project), stranger, number=1, due_at=days(1))
    quota = give_quota(boss_of(project), first, number=1, due_at=days(1))
    with pytest.raises(NotYoursError):
        assignments.end_assignment(member_of(Project.objects.get(slug="other"), "ola"), quota.pk)


@pytest.mark.parametrize(
    ("number", "due", "code"),
    [(0, 1, "quota"), (10**6, 1, "quota"), (5, -1, "due-over")],
)
def test_a_quota_out_of_bounds_is_refused(site, number, due, code):
    project = a_project(1)
    (annotator,) = people(project, 1)
    with pytest.raises(RefusedError) as refused:
        give_quota(boss_of(project), annotator, number=number, due_at=days(due))
    assert [problem.code for problem in refused.value.problems] == [code]
    assert not Assignment.objects.exists()


def test_a_deadline_moves_and_all_is_in_the_log(site):
    project = a_project(2)
    (annotator,) = people(project, 1)
    batch = batch_of(project, annotator, 1)
    over(batch)
    assert assignments.set_deadline(boss_of(project), batch.pk, due_at=days(4)).due_at > days(3)
    assert worked(annotator) == 1
    assignments.end_assignment(boss_of(project), batch.pk)
    with pytest.raises(NotYoursError):
        assignments.end_assignment(boss_of(project), batch.pk)
    logged = Audit.objects.filter(what__startswith="assignment").order_by("seq")
    whats = [entry.what.split(".")[1] for entry in logged]
    assert whats == ["made", "moved", "ended"]
    assert logged[0].data["sentences"] == [sentence_of(project).pk]
