"""What no page of ours sends is refused or mended by a rule, never by a fault of the database."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest
from server.workflow.reviewing import (
    BAD,
    FAIR,
    GOOD,
    finalised,
    member_of,
    opened,
    review_answer,
    study_of,
    waiting,
    word,
)
from server.workflow.stories import (
    a_project,
    claimed,
    correction,
    joined,
    people,
    sentence_of,
    submit_answer,
)

from gecbench.server.choices import ComplaintState
from gecbench.server.models import Complaint, DraftRevision, Review, Verdict
from gecbench.server.rules.text import digest
from gecbench.server.workflow import complaints, drafts, management, reviews, studies
from gecbench.server.workflow.answers import Addition, Ruling
from gecbench.server.workflow.errors import ConflictError, RefusedError

DAMAGED, REPLACED = "他\0说\ud800好", "他\ufffd说\ufffd好"
"""A NUL and half a character, which a page of JSON can carry and no database takes."""


def complained(project, login="a2", **fields):
    options = {"argument": "我觉得可以。", "client_key": uuid4(), **fields}
    return complaints.complain(member_of(project, login), study_of(project, login).pk, **options)


def test_words_with_nul_and_half_characters_are_kept_without_them(database):
    project = waiting(reviewers=("rita", "rolf"))
    task = opened(project)
    rita = member_of(project, "rita")
    reviews.hand_on(rita, task.sentence_id, version=task.version, note=DAMAGED)
    answer = review_answer(
        project, login="rolf", words={digest(BAD): word(digest(BAD), False, note=DAMAGED)}
    )
    finalised(project, login="rolf", answer=replace(answer, note=DAMAGED))
    assert Review.objects.get().note == REPLACED
    assert Verdict.objects.get(correct=False).note == REPLACED
    complaint = complained(project, argument=DAMAGED)
    assert complaint.messages.get().text == REPLACED
    boss = member_of(project, "boss")
    message = complaints.add_message(boss, complaint.pk, text=DAMAGED, client_key=uuid4())
    assert message.text == REPLACED
    assert complaints.mark_case(boss, complaint.pk, note=DAMAGED).note == REPLACED
    complaints.decide(
        rita, complaint.pk, version=2, client_key=uuid4(),
        ruling=Ruling(ComplaintState.DISMISSED, DAMAGED, section=DAMAGED),
    )  # fmt: skip
    decided = Complaint.objects.get()
    assert (decided.decision_note, decided.section) == (REPLACED, REPLACED)
    studies.waive(boss, study_of(project, "a2").pk, note=DAMAGED)
    assert management.withdraw(boss, [task.sentence_id], reason=DAMAGED) == 1
    assert sentence_of(project).state_note == REPLACED


def test_gui_4_a_section_that_no_guideline_has_room_for_is_refused(database):
    project = waiting(reviewers=("rita", "rolf"))
    long = "s" * 101
    with pytest.raises(RefusedError) as refused:
        finalised(
            project,
            answer=review_answer(
                project, words={digest(BAD): word(digest(BAD), False, "meaning", section=long)}
            ),
        )
    assert {problem.code for problem in refused.value.problems} == {"section-too-long"}
    finalised(project)
    complaint = complained(project)
    with pytest.raises(RefusedError) as refused:
        complaints.decide(
            member_of(project, "rolf"), complaint.pk, version=1, client_key=uuid4(),
            ruling=Ruling(ComplaintState.DISMISSED, "不行", section=long),
        )  # fmt: skip
    assert {problem.code for problem in refused.value.problems} == {"section-too-long"}


def test_time_on_the_review_page_is_kept_within_what_a_column_holds(database):
    project = waiting()
    finalised(project, answer=review_answer(project, active_ms=10**15))
    assert Review.objects.get().active_ms == 2**31 - 1


@pytest.mark.parametrize("rev", [-5, 2**40])
def test_a_draft_from_no_revision_there_can_be_is_refused(database, rev):
    project = a_project(1)
    (annotator,) = people(project, 1)
    slot = claimed(annotator, sentence_of(project))
    payload = {"decision": "corrected", "texts": ["好"]}
    with pytest.raises(RefusedError) as refused:
        drafts.save_draft(annotator, slot.pk, rev=rev, payload=payload)
    assert refused.value.problems[0].code == "draft-shape"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_review_draft_with_numbers_that_json_does_not_have_is_refused(database, number):
    project = waiting()
    task = opened(project)
    with pytest.raises(RefusedError) as refused:
        drafts.save_review_draft(
            member_of(project, "rita"), task.sentence, rev=0, payload={"active_ms": [number]}
        )
    assert refused.value.problems[0].code == "draft-shape"


def test_ten_long_chinese_corrections_fit_into_a_draft(site):
    project = a_project(1)
    (annotator,) = people(project, 1)
    slot = claimed(annotator, sentence_of(project))
    payload = {"decision": "corrected", "texts": ["长" * 5000] * 10}
    assert drafts.save_draft(annotator, slot.pk, rev=0, payload=payload).payload == payload


def test_inv_10_another_text_under_a_key_that_was_answered_is_kept(database):
    project = a_project(1)
    (annotator,) = people(project, 1)
    slot = claimed(annotator, sentence_of(project))
    key = uuid4()
    submission = submit_answer(annotator, slot, correction("第一次。"), client_key=key)
    assert submit_answer(annotator, slot, correction("第一次。"), client_key=key) == submission
    assert not DraftRevision.objects.exists()
    assert submit_answer(annotator, slot, correction("改过了。"), client_key=key) == submission
    assert DraftRevision.objects.get(conflicting=True).payload["texts"] == ["改过了。"]


def test_inv_9_a_key_of_one_complaint_is_not_the_key_of_another(database):
    project = waiting(correction(GOOD), correction(FAIR, BAD), correction(GOOD))
    joined(project, "rolf", "reviewer")
    finalised(project, (GOOD,))
    first, second = project.studies.filter(person__login="a2").order_by("pk")
    a2, key = member_of(project, "a2"), uuid4()
    complaint = complaints.complain(a2, first.pk, argument="对的", client_key=key)
    assert complaints.complain(a2, first.pk, argument="对的", client_key=key) == complaint
    with pytest.raises(ConflictError, match="this key was used"):
        complaints.complain(a2, second.pk, argument="也对", client_key=key)


@pytest.mark.parametrize("why", ["refused", "stale", "decided by somebody else"])
def test_inv_10_a_review_that_is_refused_is_kept(database, why):
    project = waiting(reviewers=("rita", "rolf"))
    task = opened(project)
    rita, written = member_of(project, "rita"), Addition("我昨天去图书馆借的书。")
    answer = review_answer(project, additions=[written])
    version = task.version
    if why == "refused":
        answer = replace(answer, verdicts=answer.verdicts[1:])
    elif why == "stale":
        version -= 1
    else:
        reviews.hand_on(rita, task.sentence_id, version=version, note="？")
        finalised(project, login="rolf")
    for _ in range(2):  # sent twice, kept once
        with pytest.raises(RefusedError if why == "refused" else ConflictError):
            reviews.finalise(
                rita, task.sentence_id, version=version, client_key=uuid4(), answer=answer
            )
    draft_revision = DraftRevision.objects.get(conflicting=True)
    assert (draft_revision.person, draft_revision.task) == (rita.person, task)
    assert draft_revision.payload["additions"][0]["text"] == written.text
