"""Sentences are reopened, withdrawn and restored by managers."""

from __future__ import annotations

from uuid import uuid4

import pytest
from server.workflow.reviewing import (
    FAIR,
    GOOD,
    finalised,
    member_of,
    opened,
    review_answer,
    waiting,
)
from server.workflow.stories import (
    all_submitted,
    claimed,
    correction,
    joined,
    people,
    sentence_of,
    submitted,
)

from gecbench.server.choices import Decision
from gecbench.server.models import Audit, Draft, ReviewTask, Slot
from gecbench.server.workflow import claims, drafts, management, review_tasks, reviews, sentences
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import (
    ConflictError,
    NotAllowedError,
    NotYoursError,
    RefusedError,
)


def reopened(project, number=1, reason="标点不一致"):
    boss = member_of(project, "boss")
    return management.reopen_sentence(boss, sentence_of(project, number).pk, reason=reason)


def test_a_reopened_sentence_keeps_its_golden_set_until_it_is_decided_anew(site):
    project = waiting(reviewers=["rita", "rolf"])
    first = finalised(project).golden
    task = reopened(project)
    assert (task.kind, task.note, task.not_for.login) == ("reopened", "标点不一致", "rita")
    sentence = sentence_of(project)
    assert (sentence.state, sentence.golden) == ("review_ready", first)
    assert check() == ()
    second = finalised(project, [GOOD], login="rolf").golden
    assert (second.version, second.review.kind, second.review.base_version) == (2, "reopened", 1)
    assert sentence_of(project).golden == second
    assert check() == ()


def test_where_there_is_one_reviewer_they_review_again(site):
    project = waiting()
    finalised(project)
    assert reopened(project).not_for is None


def test_an_imported_golden_sentence_can_be_reopened(site):
    project = waiting(reviewers=["rita"])
    golden = sentences.NewGolden(Decision.CORRECTED, (GOOD,))
    sentences.add_sentences(
        project, [sentences.NewSentence("x", "我昨天去图书馆书。", golden=golden)]
    )
    task = reopened(project, 2)
    assert task.not_for is None
    shown = reviews.candidates(task, member_of(project, "rita"))
    assert [
        (candidate.text, candidate.count, candidate.golden, candidate.verdict)
        for candidate in shown
    ] == [(GOOD, 0, True, None)]
    done = finalised(project, [GOOD], number=2)
    assert (done.golden.version, done.studies) == (2, 0)
    assert done.golden.entries.get().reference.origin == "import"
    assert check() == ()


def test_only_what_is_golden_is_reopened_and_for_a_reason(site):
    project = waiting(texts=2)
    with pytest.raises(ConflictError, match="review_ready; only golden ones"):
        reopened(project)
    with pytest.raises(ConflictError, match="open; only golden ones"):
        reopened(project, 2)
    finalised(project)
    with pytest.raises(RefusedError, match="Say why"):
        reopened(project, reason=" ")
    management.withdraw(member_of(project, "boss"), [sentence_of(project).pk], reason="重复")
    with pytest.raises(ConflictError, match="withdrawn; only golden ones"):
        reopened(project)
    with pytest.raises(NotAllowedError, match="only for the role manager"):
        management.reopen_sentence(member_of(project, "rita"), 1, reason="?")
    with pytest.raises(NotYoursError, match="there is no sentence 999"):
        management.reopen_sentence(member_of(project, "boss"), 999, reason="?")


def out(project, *numbers, reason="重复"):
    ids = [sentence_of(project, number).pk for number in numbers]
    return management.withdraw(member_of(project, "boss"), ids, reason=reason)


def back(project, *numbers):
    ids = [sentence_of(project, number).pk for number in numbers]
    return management.restore(member_of(project, "boss"), ids)


def test_withdrawing_gives_open_tasks_back_and_keeps_drafts(site):
    project = waiting(texts=2)
    extra = joined(project, "x")
    slot = claimed(extra, sentence_of(project, 2))
    payload = {"decision": "corrected", "texts": ["我写"], "reason": "", "note": ""}
    drafts.save_draft(extra, slot.pk, rev=0, payload=payload)
    opened(project)
    assert out(project, 1, 2, 2) == 2
    assert out(project, 1, 2) == 0
    for number in (1, 2):
        row = sentence_of(project, number)
        assert (row.state, row.state_note) == ("withdrawn", "重复")
        assert not Slot.objects.filter(sentence=row, state="open").exists()
    assert ReviewTask.objects.get().state == "returned"
    assert Draft.objects.get().payload["texts"] == ["我写"]
    assert Audit.objects.filter(what="sentence.withdrawn").count() == 1
    assert check() == ()
    assert claims.current(extra).slot is None
    assert reviews.current_review(member_of(project, "rita")).task is None


def test_restoring_puts_sentences_where_their_submissions_say(database):
    project = waiting(reviewers=["rita", "rolf"], texts=4)
    a1, *_ = people(project, 3)
    submitted(a1, sentence_of(project, 2))
    all_submitted(sentence_of(project, 3), people(project, 3))
    finalised(project)
    out(project, 1, 2, 3, 4)
    assert back(project, 1, 2, 3, 4) == 4
    assert back(project, 1) == 0
    states = [sentence_of(project, number).state for number in (1, 2, 3, 4)]
    assert states == ["golden", "annotating", "review_ready", "open"]
    assert sentence_of(project).state_note == ""
    task = ReviewTask.objects.get(sentence=sentence_of(project, 3), state="free")
    assert (task.kind, task.version) == ("first", 3)
    assert check() == ()


def test_a_sentence_that_was_reopened_or_returned_is_restored_to_where_it_was(site):
    project = waiting(reviewers=["rita", "rolf"])
    finalised(project)
    reopened(project)
    out(project, 1)
    back(project, 1)
    assert sentence_of(project).state == "golden"
    reopened(project)
    joined(project, "more")
    task = opened(project, "rolf")
    review_tasks.return_for_more(
        member_of(project, "rolf"), task.sentence_id, version=task.version, more=1
    )
    out(project, 1)
    back(project, 1)
    assert sentence_of(project).state == "annotating"
    assert check() == ()
    submitted(member_of(project, "more"), sentence_of(project), correction(FAIR))
    out(project, 1)
    back(project, 1)
    task = ReviewTask.objects.get(sentence=sentence_of(project), state="free")
    assert (sentence_of(project).state, task.kind) == ("review_ready", "reopened")
    assert task.not_for.login == "rita"  # somebody else was asked, and still is
    assert check() == ()
    assert finalised(project, login="rolf").golden.version == 2


def test_a_complaint_waits_while_a_withdrawn_sentence_is_in_the_midst_of_work(site):
    from server.workflow.reviewing import study_of

    from gecbench.server.workflow import complaints

    project = waiting(reviewers=["rita", "rolf"])
    finalised(project)
    reopened(project)
    joined(project, "more")
    task = opened(project, "rolf")
    review_tasks.return_for_more(
        member_of(project, "rolf"), task.sentence_id, version=task.version, more=1
    )
    out(project, 1)
    with pytest.raises(ConflictError, match="is being reviewed again"):
        complaints.complain(
            member_of(project, "a2"), study_of(project, "a2").pk, argument="?", client_key=uuid4()
        )


def test_withdrawing_needs_a_reason_a_manager_and_sentences_of_the_project(site):
    project = waiting()
    with pytest.raises(RefusedError, match="Say why"):
        out(project, 1, reason="")
    with pytest.raises(NotYoursError, match="there is no sentence 999"):
        management.withdraw(member_of(project, "boss"), [sentence_of(project).pk, 999], reason="?")
    assert sentence_of(project).state == "review_ready"
    for act in (management.restore, lambda who, ids: management.withdraw(who, ids, reason="?")):
        with pytest.raises(NotAllowedError, match="only for the role manager"):
            act(member_of(project, "rita"), [sentence_of(project).pk])
    answer = review_answer(project)
    assert answer.decision == Decision.CORRECTED
