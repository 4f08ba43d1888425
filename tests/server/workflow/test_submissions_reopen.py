"""Taking back what was handed in, and one's own history."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from server.workflow.races import BrokenError, breaking, together
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    joined,
    people,
    row_counts,
    sentence_of,
    submit_answer,
    submitted,
)

from gecbench.server.choices import MemberStatus
from gecbench.server.models import Slot, Submission
from gecbench.server.workflow import claims, drafts, members, review_tasks, submissions
from gecbench.server.workflow.errors import ConflictError, NotAllowedError, NotYoursError


def test_ann_13_the_last_submission_is_taken_back_while_no_reviewer_has_begun(database):
    project = a_project(1)
    trio = people(project, 3)
    row = all_submitted(sentence_of(project), trio)
    (submission,) = submissions.history(trio[0])
    assert submissions.may_reopen(submission)
    slot = submissions.reopen(trio[0], submission.slot_id)
    assert (slot.state, slot.person, slot.submitted_at) == ("open", trio[0].person, None)
    row.refresh_from_db()
    assert (row.state, row.submitted) == ("annotating", 2)
    assert [review_task.state for review_task in row.review_tasks.all()] == ["returned"]
    # What was handed in is in the box again, and stays stored.
    assert drafts.get_draft(trio[0], slot.pk).payload["texts"] == [submission.references.get().text]
    again = submit_answer(trio[0], slot, correction("更好。"))
    row.refresh_from_db()
    assert (again.no, row.state, row.submitted) == (2, "review_ready", 3)
    assert sorted(review_task.state for review_task in row.review_tasks.all()) == [
        "free",
        "returned",
    ]
    assert submissions.history(trio[0]) == (again,)
    assert Submission.objects.filter(pk=submission.pk).exists()


def test_ann_13_nothing_is_taken_back_once_a_reviewer_has_begun(database):
    project = a_project(1)
    trio = people(project, 3)
    row = all_submitted(sentence_of(project), trio)
    with transaction.atomic():
        review_tasks.claim_random_task(joined(project, "r", "reviewer"))
    (submission,) = submissions.history(trio[0])
    assert not submissions.may_reopen(submission)
    with pytest.raises(ConflictError, match="in review already"):
        submissions.reopen(trio[0], submission.slot_id)
    assert sentence_of(project).submitted == 3
    Slot.objects.filter(sentence=row).update(state="passed")
    with pytest.raises(ConflictError, match="reviewed already"):
        submissions.reopen(trio[0], submission.slot_id)


def test_ann_13_the_next_task_makes_room_if_it_was_not_begun(database):
    project = a_project(2, annotators=1)
    (annotator,) = people(project, 1)
    submission = submitted(annotator, sentence_of(project))
    following = claims.current(annotator).slot
    slot = submissions.reopen(annotator, submission.slot_id)
    assert Slot.objects.get(state="open") == slot
    submit_answer(annotator, slot)
    assert claims.current(annotator).slot == following


def test_ann_13_a_next_task_that_was_begun_stands_in_the_way(site):
    project = a_project(2, annotators=1)
    (annotator,) = people(project, 1)
    submission = submitted(annotator, sentence_of(project))
    following = claims.current(annotator).slot
    drafts.save_draft(annotator, following.pk, rev=0, payload={"texts": ["一"]})
    with pytest.raises(ConflictError, match="finish or put off the open task first"):
        submissions.reopen(annotator, submission.slot_id)
    assert Slot.objects.get(pk=submission.slot_id).state == "submitted"


def test_reopen_is_for_ones_own_submission_and_the_active(site):
    project = a_project(2)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    for who, which in ((first, slot.pk), (second, slot.pk), (first, 10**9)):
        with pytest.raises(NotYoursError, match="not one that you have handed in"):
            submissions.reopen(who, which)
    submit_answer(first, slot)
    members.change_member(first, by=None, status=MemberStatus.PAUSED)
    with pytest.raises(NotAllowedError):
        submissions.reopen(first, slot.pk)


def test_a_failure_at_any_statement_of_reopen_leaves_all_or_nothing(database):
    project = a_project(1)
    trio = people(project, 3)
    all_submitted(sentence_of(project), trio)
    (submission,) = submissions.history(trio[0])
    before = row_counts()
    failed = 0
    for at in range(1, 100):
        try:
            with breaking(at):
                submissions.reopen(trio[0], submission.slot_id)
        except BrokenError:
            failed += 1
            assert row_counts() == before
        else:
            break
    assert failed >= 10
    assert sentence_of(project).submitted == 2


def test_inv_4_reopen_and_the_draw_of_a_reviewer_do_not_both_win(database):
    project = a_project(1)
    trio = people(project, 3)
    reviewer = joined(project, "r", "reviewer")
    row = all_submitted(sentence_of(project), trio)
    (submission,) = submissions.history(trio[0])

    def act(n: int) -> object:
        if n:
            return submissions.reopen(trio[0], submission.slot_id)
        with transaction.atomic():
            return review_tasks.claim_random_task(reviewer)

    results = together(2, act)
    row.refresh_from_db()
    reopened = isinstance(results[1], Slot)
    assert reopened or isinstance(results[1], ConflictError)
    assert row.state == ("annotating" if reopened else "in_review")
    assert row.submitted == (2 if reopened else 3)


def test_history_is_ones_own_newest_first_in_pages(site):
    project = a_project(5, annotators=2)
    first_annotator, second_annotator = people(project, 2)
    all_submissions = [submitted(first_annotator, sentence_of(project, n)) for n in (1, 2, 3, 4)]
    submitted(second_annotator, sentence_of(project))
    other = joined(a_project(1, slug="other"), "a1")
    submitted(other, sentence_of(other.project))
    first = submissions.history(first_annotator, most=3)
    assert first == tuple(all_submissions[:0:-1])
    assert submissions.history(first_annotator, before=first[-1].pk) == (all_submissions[0],)
    with CaptureQueriesContext(connection) as queries:
        rows = submissions.history(first_annotator)
        assert all(submissions.may_reopen(row) for row in rows)
        assert all(row.references.all()[0].text for row in rows)
    assert len(queries) == 2
