"""Handing in: all or nothing, once, counted at once; and taking back."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from server.workflow.races import BrokenError, breaking, together
from server.workflow.stories import (
    a_project,
    all_submitted,
    claimed,
    correction,
    error_free,
    expired,
    joined,
    people,
    row_counts,
    sentence_of,
    submit_answer,
    submitted,
)

from gecbench.server.choices import MemberStatus
from gecbench.server.models import (
    Audit,
    Draft,
    DraftRevision,
    Reference,
    Sentence,
    Slot,
    Submission,
)
from gecbench.server.workflow import claims, drafts, members, projects, submissions
from gecbench.server.workflow.errors import (
    ConflictError,
    GoneError,
    NotAllowedError,
    NotYoursError,
    RefusedError,
)


def test_wfl_2_the_nth_submission_makes_the_sentence_ready_in_its_own_transaction(database):
    project = a_project(1)
    first, second, third = people(project, 3)
    sentence = sentence_of(project)
    for n, member in enumerate((first, second), 1):
        submitted(member, sentence)
        row = sentence_of(project)
        assert (row.state, row.submitted) == ("annotating", n)
        assert not row.review_tasks.exists()
    submitted(third, sentence)
    row = sentence_of(project)
    assert (row.state, row.submitted, row.needed) == ("review_ready", 3, 3)
    assert list(row.review_tasks.values_list("state", "kind")) == [("free", "first")]


def test_inv_4_the_counter_is_right_when_all_hand_in_at_once(database):
    project = a_project(1, annotators=12)
    twelve = people(project, 12)
    held = [claimed(member, sentence_of(project)) for member in twelve]
    results = together(12, lambda n: submit_answer(twelve[n], held[n]))
    assert [result for result in results if isinstance(result, Exception)] == []
    row = sentence_of(project)
    assert (row.state, row.submitted) == ("review_ready", 12)
    assert row.review_tasks.count() == 1


def test_what_is_handed_in_is_stored_with_all_that_belongs_to_it(database):
    project = a_project(1)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    submission = submit_answer(
        annotator, slot, correction("一\u200b。", "二。", active_ms=1200, note="想了很久")
    )
    rows = [(r.position, r.text, r.origin, r.sentence_id) for r in submission.references.all()]
    assert sorted(rows) == [
        (0, "一。", "annotator", slot.sentence_id),
        (1, "二。", "annotator", slot.sentence_id),
    ]
    assert (submission.no, submission.decision, submission.active_ms) == (1, "corrected", 1200)
    assert submission.guideline == project.guideline  # GUI-2
    assert submission.reason_note == "想了很久"
    slot.refresh_from_db()
    assert (slot.state, slot.person, slot.open_no, slot.lease_until) == (
        *("submitted", annotator.person),
        *(None, None),
    )
    last = Audit.objects.order_by("-seq").first()
    assert (last.what, last.object_id, last.who) == (
        "submission.made",
        str(submission.pk),
        annotator.person,
    )


def test_time_on_the_page_is_kept_within_what_a_column_holds(site):
    first, second = people(a_project(2), 2)
    assert submit_answer(first, claims.current(first).slot, correction(active_ms=-5)).active_ms == 0
    most = submit_answer(
        second, claims.current(second).slot, correction(active_ms=10**15)
    ).active_ms
    assert most == 2**31 - 1


def test_inv_9_the_same_key_twice_is_one_submission_with_one_answer(database):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    key = uuid4()
    first = submit_answer(annotator, slot, client_key=key)
    again = submit_answer(annotator, slot, correction("别的"), client_key=key)
    assert first == again
    assert Submission.objects.count() == 1
    assert sentence_of(project, slot.sentence.number).submitted == 1
    # Even after a pause: the answer was lost on its way, not the work.
    members.change_member(annotator, by=None, status=MemberStatus.PAUSED)
    assert submit_answer(annotator, slot, client_key=key) == first


def test_inv_9_the_same_key_from_many_threads_is_one_submission(database):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    key = uuid4()
    results = together(12, lambda _: submit_answer(annotator, slot, client_key=key))
    assert len({result.pk for result in results}) == 1
    assert Submission.objects.count() == 1


def test_inv_9_a_key_is_for_one_submission_of_one_person(site):
    project = a_project(2)
    first, second = people(project, 2)
    key = uuid4()
    submit_answer(first, claims.current(first).slot, client_key=key)
    for who in (first, second):
        slot = claims.current(who).slot
        with pytest.raises(ConflictError, match="this key was used"):
            submit_answer(who, slot, client_key=key)


def test_inv_5_forty_racing_writers_on_one_version_have_one_winner(database):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    results = together(40, lambda n: submit_answer(annotator, slot, correction(f"第{n}。")))
    assert len([result for result in results if isinstance(result, Submission)]) == 1
    assert len([result for result in results if isinstance(result, ConflictError)]) == 39
    row = sentence_of(project, slot.sentence.number)
    assert (row.submitted, Submission.objects.count()) == (1, 1)
    # And what the losers wrote is kept (INV-10).
    texts = {revision.payload["texts"][0] for revision in DraftRevision.objects.all()}
    assert texts | {Reference.objects.get().text} == {f"第{n}。" for n in range(40)}


def test_inv_8_a_failure_at_any_statement_of_submit_leaves_all_or_nothing(database):
    project = a_project(1)
    first, second, third = people(project, 3)
    sentence = sentence_of(project)
    for member in (first, second):
        submitted(member, sentence)
    slot = claimed(third, sentence)
    key = uuid4()
    before = row_counts()
    failed = 0
    for at in range(1, 100):
        try:
            with breaking(at):
                submission = submit_answer(third, slot, client_key=key)
        except BrokenError:
            failed += 1
            assert row_counts() == before
        else:
            break
    assert failed >= 12
    assert (submission.references.count(), sentence_of(project).state) == (1, "review_ready")
    assert sentence_of(project).review_tasks.count() == 1


def test_a_submission_asks_few_questions(site):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    with CaptureQueriesContext(connection) as queries:
        submit_answer(annotator, slot)
    statements = [query["sql"] for query in queries]
    assert len(statements) <= 22, "\n".join(statements)


def test_what_breaks_a_rule_is_refused_by_box_and_kept(database):
    project = a_project(1)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    with pytest.raises(RefusedError) as refused:
        submit_answer(annotator, slot, correction("好。", slot.sentence.text))
    assert [(problem.code, problem.field) for problem in refused.value.problems] == [
        ("ANN-10", "reference-1")
    ]
    assert not Submission.objects.exists()
    assert DraftRevision.objects.get().payload["texts"] == ["好。", slot.sentence.text]
    assert Slot.objects.get(pk=slot.pk).version == slot.version
    # The page's own draft is not disturbed by it.
    assert drafts.get_draft(annotator, slot.pk) is None


def test_a_refused_text_that_is_the_draft_already_is_not_kept_twice(site):
    (annotator,) = people(a_project(1), 1)
    slot = claims.current(annotator).slot
    answer = correction("")
    drafts.save_draft(annotator, slot.pk, rev=0, payload=drafts.payload_of(answer))
    with pytest.raises(RefusedError):
        submit_answer(annotator, slot, answer)
    assert DraftRevision.objects.count() == 1


def test_inv_15_what_comes_when_the_place_is_taken_is_kept_as_an_orphan(database):
    project = a_project(1, annotators=1)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    drafts.save_draft(first, slot.pk, rev=0, payload={"texts": ["早的"]})
    expired(project)
    claims.current(second)
    with pytest.raises(GoneError, match="kept as a draft"):
        submit_answer(first, slot, correction("晚的"))
    (orphan,) = drafts.orphaned_drafts(first)
    assert (orphan.payload["texts"], orphan.rev) == (["晚的"], 2)
    # The same again adds nothing.
    with pytest.raises(GoneError):
        submit_answer(first, slot, correction("晚的"))
    assert DraftRevision.objects.count() == 2


def test_tri_3_a_member_who_is_not_active_hands_in_nothing_and_loses_nothing(database):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    members.change_member(annotator, by=None, status=MemberStatus.PAUSED)
    with pytest.raises(NotAllowedError, match="only an active annotator"):
        submit_answer(annotator, slot, correction("晚的"))
    assert drafts.orphaned_drafts(annotator)[0].payload["texts"] == ["晚的"]


def test_a_closed_project_takes_nothing_and_keeps_the_text(site):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    projects.archive_project(project, by=project.created_by)
    with pytest.raises(NotAllowedError, match="closed for work"):
        submit_answer(annotator, slot, correction("晚的"))
    assert drafts.get_draft(annotator, slot.pk).payload["texts"] == ["晚的"]


def test_a_sentence_out_of_work_takes_nothing_and_keeps_the_text(site):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    Sentence.objects.filter(pk=slot.sentence_id).update(state="withdrawn")
    with pytest.raises(GoneError, match="taken out of work"):
        submit_answer(annotator, slot, correction("晚的"))
    assert drafts.get_draft(annotator, slot.pk).payload["texts"] == ["晚的"]


def test_nobody_hands_in_for_a_task_that_was_never_theirs(site):
    project = a_project(2)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    foreign = joined(a_project(1, slug="other"), "a1")
    for who, which in ((second, slot), (foreign, slot), (first, Slot(pk=10**9, version=1))):
        with pytest.raises(NotYoursError, match="not one of yours"):
            submit_answer(who, which)
    assert not Draft.objects.exists()


def test_a_stale_window_is_a_conflict_and_its_text_is_kept(database):
    project = a_project(1)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    submission = submit_answer(annotator, slot, correction("左。"))
    with pytest.raises(ConflictError, match="another window"):
        submit_answer(annotator, slot, correction("右。"))
    submissions.reopen(annotator, slot.pk)
    with pytest.raises(ConflictError, match="another window"):
        submit_answer(annotator, slot, correction("右。"))
    with pytest.raises(ConflictError, match="another window"):
        submit_answer(annotator, slot, correction("右。"), version=slot.version + 50)
    assert [reference.text for reference in Reference.objects.all()] == ["左。"]
    assert DraftRevision.objects.filter(conflicting=True, payload__texts=["右。"]).count() == 1
    again = submit_answer(annotator, Slot.objects.get(pk=slot.pk), correction("中。"))
    assert (submission.no, again.no) == (1, 2)


def test_wfl_4_unanimous_error_free_goes_to_review_by_default(database):
    project = a_project(1)
    row = all_submitted(sentence_of(project), people(project, 3), [error_free()] * 3)
    assert (row.state, row.golden) == ("review_ready", None)


def test_wfl_4_unanimous_error_free_closes_itself_where_the_project_says_so(database):
    project = a_project(1, unanimous_error_free="close", spot_check_percent=0)
    row = all_submitted(sentence_of(project), people(project, 3), [error_free()] * 3)
    assert (row.state, row.submitted, row.golden.kind) == ("golden", 3, "error_free")
    assert set(row.slots.values_list("state", flat=True)) == {"passed"}
    kinds = row.slot_events.filter(slot__no=1).order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["claim", "submit", "judge", "pass"]


def test_wfl_4_one_other_voice_or_the_spot_check_sends_it_to_review(site):
    project = a_project(2, unanimous_error_free="close", spot_check_percent=0)
    trio = people(project, 3)
    row = all_submitted(sentence_of(project), trio, [error_free(), error_free()])
    assert (row.state, row.golden) == ("review_ready", None)
    projects.change_project(project, by=project.created_by, options={"spot_check_percent": 100})
    row = all_submitted(sentence_of(project, 2), trio, [error_free()] * 3)
    assert (row.state, row.golden) == ("review_ready", None)
