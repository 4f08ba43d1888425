"""Reviews are passed on, assigned, given back and returned for more opinions."""

from __future__ import annotations

import pytest
from server.workflow.reviewing import (
    GOOD,
    all_waiting,
    finalised,
    member_of,
    now,
    opened,
    waiting,
)
from server.workflow.stories import (
    all_submitted,
    correction,
    joined,
    sentence_of,
    submitted,
)

from gecbench.server.choices import MemberStatus, Role, TaskState
from gecbench.server.models import Audit, ReviewTask
from gecbench.server.workflow import claims, members, review_tasks, reviews
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.claims import NoTask
from gecbench.server.workflow.errors import ConflictError, NotAllowedError, RefusedError


def test_rev_10_a_review_is_handed_on_with_a_note(site):
    project = waiting(reviewers=["rita", "rolf"])
    task = opened(project)
    rita, rolf = member_of(project, "rita"), member_of(project, "rolf")
    reviews.hand_on(rita, task.sentence_id, version=task.version, note=" 我不确定 ")
    row = now(task)
    assert (row.state, row.note, row.handed_by, row.not_for) == (
        *("free", "我不确定"),
        *(rita.person, rita.person),
    )
    assert (row.kind, sentence_of(project).state) == ("first", "review_ready")
    assert reviews.current_review(rita).nothing == NoTask.NONE_FOR_YOU
    assert opened(project, "rita").state == TaskState.FREE
    assert reviews.current_review(rolf).task == row
    assert check() == ()


def test_rev_10_a_second_opinion_makes_the_next_review_a_second_one(site):
    project = waiting(reviewers=["rita", "rolf"])
    task = opened(project)
    rita = member_of(project, "rita")
    reviews.second_opinion(rita, task.sentence_id, version=task.version, note="看看？")
    assert finalised(project, login="rolf").golden.review.kind == "second"
    assert Audit.objects.filter(what="review.second_opinion").count() == 1


def test_rev_10_nobody_hands_on_without_a_word_or_a_successor(site):
    project = waiting()
    task = opened(project)
    rita = member_of(project, "rita")
    handing = {"sentence_id": task.sentence_id, "version": task.version}
    with pytest.raises(RefusedError, match="Say why, in a few words"):
        reviews.hand_on(rita, **handing, note=" ")
    with pytest.raises(RefusedError, match="note is too long"):
        reviews.hand_on(rita, **handing, note="长" * 10_001)
    with pytest.raises(RefusedError, match="Nobody else can review this sentence"):
        reviews.hand_on(rita, **handing, note="?")
    joined(project, "a1", "annotator", "reviewer")  # held a slot
    with pytest.raises(RefusedError, match="Nobody else can review this sentence"):
        reviews.second_opinion(rita, **handing, note="?")
    with pytest.raises(ConflictError, match="has changed, or is not yours"):
        reviews.hand_on(rita, task.sentence_id, version=task.version + 1, note="?")
    assert now(task).version == task.version


def test_who_pauses_or_is_no_reviewer_any_more_gives_their_review_back(site):
    project = all_waiting(texts=2)
    rita, rolf = member_of(project, "rita"), member_of(project, "rolf")
    first, second = reviews.current_review(rita).task, reviews.current_review(rolf).task
    members.change_member(rita, by=None, status=MemberStatus.PAUSED)
    members.change_member(rolf, by=None, roles=[Role.ANNOTATOR])
    assert [now(task).state for task in (first, second)] == ["free", "free"]
    assert check() == ()


def test_a_manager_assigns_a_review_and_overrules_not_for(site):
    project = all_waiting(texts=3)
    boss, rita = member_of(project, "boss"), member_of(project, "rita")
    task = opened(project, number=3)
    reviews.hand_on(rita, task.sentence_id, version=task.version, note="?")
    assigned = reviews.assign(boss, task.sentence_id, to=rita, note="请你决定")
    assert (assigned.state, assigned.reviewer, assigned.note) == ("free", rita.person, "请你决定")
    rolf = member_of(project, "rolf")
    assert reviews.current_review(rolf).task != task
    assert opened(project, "rolf", 3).state == TaskState.FREE
    assert reviews.current_review(rita).task == task
    assert finalised(project, [], decision="error_free", number=3).golden.version == 1


def test_what_is_assigned_to_somebody_who_leaves_is_anybodys(site):
    project = waiting(reviewers=["rita", "rolf"])
    boss, rita = member_of(project, "boss"), member_of(project, "rita")
    task = reviews.assign(boss, sentence_of(project).pk, to=rita)
    members.change_member(rita, by=None, status=MemberStatus.LEFT)
    assert now(task).reviewer is None
    assert reviews.current_review(member_of(project, "rolf")).task == task


def test_rol_2_nobody_is_assigned_what_they_held(site):
    project = waiting()
    boss = member_of(project, "boss")
    held = joined(project, "a1", "annotator", "reviewer")
    with pytest.raises(RefusedError, match="have worked on this sentence themselves"):
        reviews.assign(boss, sentence_of(project).pk, to=held)
    opened(project)
    with pytest.raises(ConflictError, match="does not wait for a reviewer"):
        reviews.assign(boss, sentence_of(project).pk, to=member_of(project, "rita"))
    with pytest.raises(NotAllowedError, match="only for the role manager"):
        reviews.assign(held, sentence_of(project).pk, to=held)


def test_managers_see_what_no_reviewer_may_take(database):
    project = all_waiting(texts=3)
    rita, rolf = member_of(project, "rita"), member_of(project, "rolf")
    task = opened(project)
    reviews.hand_on(rita, task.sentence_id, version=task.version, note="?")
    assert review_tasks.stuck_tasks(project) == ()
    members.change_member(rolf, by=None, status=MemberStatus.PAUSED)
    assert review_tasks.stuck_tasks(project) == (task,)
    boss = member_of(project, "boss")
    reviews.assign(boss, task.sentence_id, to=rita)
    assert review_tasks.stuck_tasks(project) == ()
    joined(project, "x", "reviewer")
    ReviewTask.objects.filter(pk=task.pk).update(reviewer=rolf.person)
    assert review_tasks.stuck_tasks(project) == (task,)


def test_wfl_5_a_sentence_goes_back_for_more_opinions(site):
    project = waiting(reviewers=["rita", "rolf"])
    first, second = (joined(project, name) for name in ("b1", "b2"))
    task, rita = opened(project), member_of(project, "rita")
    returned = review_tasks.return_for_more(
        rita, task.sentence_id, version=task.version, more=2, note="意见不一"
    )
    assert (returned.state, returned.needed, returned.submitted) == ("annotating", 5, 3)
    assert (now(task).state, now(task).note) == ("returned", "意见不一")
    slots = returned.slots.order_by("no")
    assert [slot.no for slot in slots] == [1, 2, 3, 4, 5]
    assert {(slot.priority, slot.order_key) for slot in slots[3:]} == {
        (returned.priority - 1, returned.order_key)
    }
    assert check() == ()
    assert claims.current(first).slot.sentence == returned
    all_submitted(returned, (first, second), [correction(GOOD)] * 2)
    again = ReviewTask.objects.get(sentence=returned, state="free")
    assert again.version > task.version
    assert sentence_of(project).state == "review_ready"
    assert check() == ()


def test_wfl_5_more_opinions_need_people_who_can_give_them(site):
    project = waiting()
    task, rita = opened(project), joined(project, "rita", "annotator", "reviewer")
    returning = {"sentence_id": task.sentence_id, "version": task.version}
    with pytest.raises(RefusedError, match="Only 0 annotators have not worked on this sentence"):
        review_tasks.return_for_more(rita, **returning, more=1)
    for more in (0, 18):
        with pytest.raises(RefusedError, match="more annotators can be asked for"):
            review_tasks.return_for_more(rita, **returning, more=more)
    assert sentence_of(project).needed == 3


def test_ann_13_a_submission_taken_back_ends_the_task_and_its_versions_go_on(site):
    from gecbench.server.workflow import submissions

    project = waiting()
    old = ReviewTask.objects.get()
    a1 = member_of(project, "a1")
    slot = sentence_of(project).slots.get(person=a1.person)
    submissions.reopen(a1, slot.pk)
    assert now(old).state == TaskState.RETURNED
    submitted(a1, sentence_of(project), correction(GOOD))
    assert ReviewTask.objects.get(state="free").version > now(old).version
    assert check() == ()
