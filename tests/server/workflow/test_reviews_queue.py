"""Who is offered what for review; taking, passing on, giving back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone
from server.workflow.reviewing import (
    all_waiting,
    finalised,
    member_of,
    now,
    opened,
    review_answer,
    waiting,
)
from server.workflow.stories import (
    all_submitted,
    claimed,
    joined,
    people,
    sentence_of,
    time_passes,
)

from gecbench.server.choices import MemberStatus, TaskState
from gecbench.server.models import Review, ReviewTask
from gecbench.server.models.base import compiled
from gecbench.server.workflow import claims, members, projects, review_tasks, reviews
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.claims import NoTask
from gecbench.server.workflow.errors import ConflictError, NotAllowedError, NotYoursError
from gecbench.server.workflow.sentences import change_state


def test_rev_10_a_reviewer_gets_a_task_and_keeps_it_until_it_is_decided(database):
    project = all_waiting()
    rita, rolf = member_of(project, "rita"), member_of(project, "rolf")
    first = reviews.current_review(rita)
    assert (first.task.state, first.task.reviewer, first.nothing) == ("open", rita.person, None)
    assert sentence_of(project, first.task.sentence.number).state == "in_review"
    assert reviews.current_review(rita).task == first.task
    assert reviews.current_review(rolf).task != first.task
    assert check() == ()


def test_rev_10_tasks_are_drawn_at_random_among_the_first(site, monkeypatch):
    project = all_waiting(texts=5)
    monkeypatch.setattr(review_tasks, "FIRST", 3)
    statement = compiled(review_tasks._first_tasks.__wrapped__)  # written again, with that number
    monkeypatch.setattr(review_tasks, "_first_tasks", statement)
    seen = []

    class Last:
        def choice(self, some):
            seen.append(some)
            return some[-1]

    monkeypatch.setattr(review_tasks, "_CHANCE", Last())
    reviews.current_review(member_of(project, "rita"))
    first = ReviewTask.objects.order_by("priority", "order_key").values_list("pk", "sentence_id")
    assert seen == [list(first[:3])]


def test_rol_2_nobody_is_offered_what_they_ever_held(database):
    project = all_waiting(texts=1)
    person = claims.current(joined(project, "x"))
    assert person.nothing is not None
    for login in ("a1", "a2"):
        member = joined(project, login, "annotator", "reviewer")
        assert reviews.current_review(member).nothing == NoTask.NONE_FOR_YOU
        with pytest.raises(NotYoursError, match="there is no sentence"):
            reviews.open_review(member, sentence_of(project).pk)


def test_rol_2_a_slot_given_back_counts_as_held(site):
    project = waiting(texts=2)
    both = joined(project, "both", "annotator", "reviewer")
    slot = claimed(both, sentence_of(project, 2))
    claims.release(slot, why="test")
    all_submitted(sentence_of(project, 2), people(project, 3))
    assert reviews.current_review(both).task.sentence.number == 1
    with pytest.raises(NotYoursError):
        reviews.open_review(both, sentence_of(project, 2).pk)


def test_there_is_a_reason_where_there_is_no_task(site):
    project = waiting(reviewers=["rita", "rolf"])
    rita, rolf = member_of(project, "rita"), member_of(project, "rolf")
    task = reviews.current_review(rita).task
    assert reviews.current_review(rolf).nothing == NoTask.NONE_FOR_YOU
    finalised(project)
    assert now(task).state == TaskState.DONE
    assert reviews.current_review(rolf).nothing == NoTask.ALL_DONE
    with pytest.raises(NotAllowedError, match="only for the role reviewer"):
        reviews.current_review(member_of(project, "a1"))
    paused = members.change_member(rolf, by=None, status=MemberStatus.PAUSED)
    assert reviews.current_review(paused).nothing == NoTask.NOT_ACTIVE
    projects.archive_project(project, by=member_of(project, "boss").person)
    assert reviews.current_review(member_of(project, "rita")).nothing == NoTask.CLOSED
    with pytest.raises(NotAllowedError, match="the project is closed"):
        reviews.open_review(rita, task.sentence_id)


def test_rol_4_a_paused_reviewer_opens_nothing(site):
    project = waiting()
    members.change_member(member_of(project, "rita"), by=None, status=MemberStatus.PAUSED)
    with pytest.raises(NotAllowedError, match="a member who is paused"):
        opened(project)


def test_rev_12_the_second_reads_only(site):
    project = waiting(reviewers=["rita", "rolf"])
    task = opened(project)
    seen = opened(project, "rolf")
    assert (seen.pk, seen.reviewer.login, seen.version) == (task.pk, "rita", task.version)
    manager = opened(project, "boss")
    assert (manager.pk, manager.reviewer.login) == (task.pk, "rita")


def test_a_manager_who_is_no_reviewer_reads_without_taking(site):
    project = waiting()
    assert opened(project, "boss").state == TaskState.FREE


def test_who_holds_a_review_only_reads_another(site):
    project = all_waiting(texts=2)
    opened(project, number=1)
    assert opened(project, number=2).state == TaskState.FREE


def test_a_decided_review_can_be_read_again(site):
    project = waiting(texts=2)
    finalised(project)
    assert opened(project).state == TaskState.DONE
    with pytest.raises(NotYoursError, match="is not in review"):
        opened(project, number=2)
    with pytest.raises(NotYoursError, match="there is no sentence 12345"):
        reviews.open_review(member_of(project, "rita"), 12345)


def test_a_review_lease_ends_like_that_of_a_slot(database):
    project = waiting(reviewers=["rita", "rolf"])
    task = opened(project)
    time_passes()
    assert claims.expire(project) == 1
    assert (now(task).state, now(task).reviewer) == ("free", None)
    assert sentence_of(project).state == "review_ready"
    assert check() == ()


def test_the_grace_of_a_lease_is_one_lease_more(site):
    project = waiting()
    opened(project)
    time_passes(minutes=2 * project.rules.lease_minutes - 1)
    assert claims.expire(project) == 0
    time_passes(minutes=2)
    assert claims.expire(project) == 1


def test_nothing_expires_after_a_jump_of_the_clock(site, monkeypatch):
    project = waiting(reviewers=["rita", "rolf"])
    task = opened(project)
    time_passes()

    class Jumped:
        def jumped_within(self, seconds):
            return seconds == 2 * 60 * project.rules.lease_minutes

    monkeypatch.setattr(review_tasks, "clock_watch", Jumped)
    assert reviews.current_review(member_of(project, "rolf")).task is None
    assert now(task).state == TaskState.OPEN


def test_who_comes_first_after_the_lease_gets_the_review(database):
    project = waiting(reviewers=["rita", "rolf"])
    task = opened(project)
    time_passes()
    taken = reviews.current_review(member_of(project, "rolf")).task
    assert (taken.pk, taken.reviewer.login) == (task.pk, "rolf")
    time_passes()
    back = opened(project, "rita")
    assert (back.pk, back.reviewer.login) == (task.pk, "rita")


def test_whoever_comes_back_first_keeps_the_review_with_a_new_lease(site):
    project = waiting()
    task = opened(project)
    time_passes()
    again = reviews.current_review(member_of(project, "rita")).task
    assert (again.pk, again.version) == (task.pk, task.version)
    assert again.lease_until == now(task).lease_until
    left = now(task).lease_until - timezone.now()
    lease = timedelta(minutes=project.rules.lease_minutes)
    assert lease - timedelta(minutes=1) < left <= lease


def test_inv_15_a_lease_that_ended_does_not_keep_a_review_from_being_handed_in(database):
    project = waiting()
    task = opened(project)
    answer = review_answer(project)
    time_passes()
    claims.expire(project)
    key = "11111111-1111-1111-1111-111111111111"
    done = reviews.finalise(
        member_of(project, "rita"),
        task.sentence_id,
        version=task.version,
        client_key=key,
        answer=answer,
    )
    assert done.golden.version == 1
    assert now(task).reviewer.login == "rita"
    assert check() == ()


def test_reviewed_lists_ones_own_newest_first_by_pages(site):
    project = all_waiting(texts=3)
    for number in (1, 2, 3):
        finalised(project, [], decision="error_free", number=number)
    rita = member_of(project, "rita")
    newest = reviews.list_reviews(rita, most=2)
    assert [review.sentence.number for review in newest] == [3, 2]
    older = reviews.list_reviews(rita, before=newest[-1].pk)
    assert [review.sentence.number for review in older] == [1]
    assert reviews.list_reviews(member_of(project, "rolf")) == ()


def test_inv_5_a_sentence_goes_only_where_a_path_leads_and_only_once(site):
    project = waiting()
    stale, sentence = sentence_of(project), sentence_of(project)
    with pytest.raises(ConflictError, match="from there it does not become disputed"):
        change_state(sentence, "disputed")
    change_state(sentence, "in_review")
    with pytest.raises(ConflictError, match="has changed meanwhile"):
        change_state(stale, "in_review")


def test_each_compare_and_set_of_a_task_tells_who_comes_second(site):
    project = waiting(reviewers=["rita", "rolf"])
    task = opened(project)
    sentence = sentence_of(project)
    ReviewTask.objects.update(version=F("version") + 1)
    with pytest.raises(ConflictError, match="the review has changed meanwhile"):
        review_tasks.release_task(task, sentence)
    assert review_tasks.claim_task(member_of(project, "rolf"), task.pk, sentence.pk) is None
    assert not Review.objects.exists()


def test_where_others_take_each_task_first_one_is_asked_to_try_again(site, monkeypatch):
    project = waiting()
    monkeypatch.setattr(review_tasks, "claim_task", lambda *_: None)
    with pytest.raises(ConflictError, match="others took each task first"):
        reviews.current_review(member_of(project, "rita"))


def test_the_first_60_are_found_by_the_index(site):
    from django.db import connection

    project = waiting()
    sql, values = review_tasks.waiting_tasks(member_of(project, "rita")).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql} LIMIT 60", values)
        plan = " | ".join(row[3] for row in cursor.fetchall())
    assert "review_task_by_state" in plan
    assert "slot_event_holders" in plan
    assert "SCAN" not in plan.replace("SCAN review_task USING INDEX", "")
