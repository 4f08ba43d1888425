"""Finalising makes golden versions, verdicts, study items and states in one act."""

from __future__ import annotations

from uuid import uuid4

import pytest
from server.workflow.reviewing import (
    BAD,
    FAIR,
    GOOD,
    finalised,
    golden_texts,
    member_of,
    opened,
    review_answer,
    waiting,
    word,
)
from server.workflow.stories import correction, error_free, joined, not_annotatable, sentence_of

from gecbench.server.choices import Decision
from gecbench.server.models import (
    Audit,
    GoldenReference,
    Notice,
    Review,
    SlotEvent,
    Study,
    Verdict,
)
from gecbench.server.rules.text import digest
from gecbench.server.workflow import reviews
from gecbench.server.workflow.answers import Addition
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import ConflictError, NotAllowedError, NotYoursError

THIRD = "昨天我去图书馆借书了。"


def slot_states(project, number=1):
    slots = sentence_of(project, number).slots.order_by("no")
    return dict(slots.values_list("person__login", "state"))


def test_rev_11_finalising_makes_everything_that_follows(database):
    project = waiting()
    done = finalised(project, additions=[Addition(THIRD, parent=digest(BAD))])
    sentence = sentence_of(project)
    assert (sentence.state, sentence.golden, done.golden.version) == ("golden", done.golden, 1)
    assert set(golden_texts(sentence)) == {GOOD, FAIR, THIRD}
    assert golden_texts(sentence)[-1] == THIRD
    assert slot_states(project) == {"a1": "passed", "a2": "study", "a3": "passed"}
    assert done.studies == 1
    study = Study.objects.get()
    assert (study.person.login, study.reference.text, study.state) == ("a2", BAD, "open")
    task = sentence.review_tasks.get()
    assert (task.state, task.reviewer.login, task.lease_until) == ("done", "rita", None)
    review = Review.objects.get()
    assert (review.kind, review.base_version, review.decision) == ("first", 0, "corrected")
    assert review.guideline_id == project.guideline_id is not None
    verdicts = set(Verdict.objects.values_list("digest", "correct"))
    assert verdicts == {(digest(GOOD), True), (digest(FAIR), True), (digest(BAD), False)}
    assert list(Notice.objects.values_list("person__login", "kind")) == [("a2", "study_opened")]
    kinds = SlotEvent.objects.filter(slot=study.submission.slot).order_by("pk")
    assert list(kinds.values_list("kind", flat=True)) == ["claim", "submit", "judge", "study"]
    assert Audit.objects.filter(what="review.finalised", object_id=str(sentence.pk)).exists()
    assert check() == ()


def test_a_golden_reference_keeps_the_row_of_the_first_who_wrote_it(site):
    project = waiting()
    finalised(project)
    row = GoldenReference.objects.get(reference__digest=digest(GOOD)).reference
    assert (row.submission.person.login, row.origin) == ("a1", "annotator")


def test_rev_4_a_modified_text_is_a_new_reference_with_its_parent(site):
    project = waiting()
    additions = [
        Addition(THIRD, parent=digest(BAD)),
        Addition("昨天，我去图书馆借书了。", parent=digest(BAD), restored=True),
        Addition("我昨天去图书馆借了书。"),
    ]
    finalised(project, additions=additions)
    golden_references = GoldenReference.objects.filter(reference__review__isnull=False)
    rows = [
        (golden_reference.reference.origin, golden_reference.reference.parent)
        for golden_reference in golden_references
    ]
    bad = Study.objects.get().reference
    assert rows == [("modified", bad), ("restored", bad), ("added", None)]
    assert bad.text == BAD


def test_rev_6_error_free_opens_an_item_for_each_correction(database):
    project = waiting(correction(GOOD, FAIR), error_free(), not_annotatable())
    done = finalised(project, decision=Decision.ERROR_FREE)
    assert (done.golden.kind, done.golden.entries.count()) == ("error_free", 0)
    assert slot_states(project) == {"a1": "study", "a2": "passed", "a3": "study"}
    items = Study.objects.values_list("person__login", "reference__text")
    assert set(items) == {("a1", GOOD), ("a1", FAIR), ("a3", None)}
    assert check() == ()


def test_rev_7_not_annotatable_keeps_its_reason(site):
    project = waiting(correction(GOOD), not_annotatable("language"), error_free())
    done = finalised(project, decision=Decision.NOT_ANNOTATABLE, reason="language")
    assert (done.golden.kind, done.golden.reason) == ("not_annotatable", "language")
    assert done.golden.review.reason == "language"
    assert slot_states(project) == {"a1": "study", "a2": "passed", "a3": "study"}


def test_a_reason_stays_out_of_a_corrected_set(site):
    project = waiting()
    done = finalised(project, reason="language", active_ms=-5, note=" so \n")
    review = done.golden.review
    assert (done.golden.reason, review.reason, review.active_ms, review.note) == ("", "", 0, "so")


def test_reasons_notes_and_section_of_a_verdict_are_kept(site):
    project = waiting()
    words = {
        digest(BAD): word(digest(BAD), False, "erroneous", "other", note=" 缺动词 ", section="4.2"),
        digest(GOOD): word(digest(GOOD), True, "meaning"),
    }
    finalised(project, words=words)
    bad = Verdict.objects.get(digest=digest(BAD))
    assert (bad.reasons, bad.note, bad.section) == (["erroneous", "other"], "缺动词", "4.2")
    assert Verdict.objects.get(digest=digest(GOOD)).reasons == []


def test_inv_9_the_same_key_twice_is_one_review(database):
    project = waiting()
    task, rita, key = opened(project), member_of(project, "rita"), uuid4()
    answer = review_answer(project)
    first = reviews.finalise(
        rita, task.sentence_id, version=task.version, client_key=key, answer=answer
    )
    again = reviews.finalise(
        rita, task.sentence_id, version=task.version, client_key=key, answer=answer
    )
    assert (first.answered_before, again.answered_before) == (False, True)
    assert (again.golden, again.studies) == (first.golden, first.studies)
    assert Review.objects.count() == 1


def test_a_key_of_something_else_is_refused(site):
    project = waiting(texts=2, reviewers=["rita", "rolf"])
    done = finalised(project)
    key = done.golden.review.client_key
    for who, number in (("rita", 2), ("rolf", 1)):
        with pytest.raises(ConflictError, match="this key was used for something else"):
            reviews.finalise(
                member_of(project, who),
                sentence_of(project, number).pk,
                version=1,
                client_key=key,
                answer=None,
            )


def test_rev_12_a_stale_page_is_a_conflict_and_changes_nothing(database):
    project = waiting(reviewers=["rita", "rolf"])
    task = opened(project)
    answer = review_answer(project)
    for who, version, message in (
        ("rolf", task.version, "somebody else has this review"),
        ("rita", task.version - 1, "another tab of yours has this review"),
    ):
        with pytest.raises(ConflictError, match=message) as refused:
            reviews.finalise(
                member_of(project, who),
                task.sentence_id,
                version=version,
                client_key=uuid4(),
                answer=answer,
            )
        assert refused.value.current == task
    assert not Review.objects.exists()
    assert sentence_of(project).state == "in_review"


def test_what_is_decided_is_not_decided_again(site):
    project = waiting()
    task = opened(project)
    answer = review_answer(project)
    finalised(project)
    with pytest.raises(ConflictError, match="not in review any more"):
        reviews.finalise(
            member_of(project, "rita"),
            task.sentence_id,
            version=task.version,
            client_key=uuid4(),
            answer=answer,
        )


def test_rol_2_who_held_a_slot_does_not_finalise(site):
    project = waiting(reviewers=["rita"])
    joined(project, "a1", "annotator", "reviewer")
    task = opened(project)
    with pytest.raises(NotYoursError, match="there is no sentence"):
        reviews.finalise(
            member_of(project, "a1"),
            task.sentence_id,
            version=task.version,
            client_key=uuid4(),
            answer=review_answer(project),
        )


@pytest.mark.parametrize("login", ["a1", "boss"])
def test_only_reviewers_finalise(site, login):
    project = waiting()
    with pytest.raises(NotAllowedError, match="only for the role reviewer"):
        reviews.finalise(
            member_of(project, login),
            sentence_of(project).pk,
            version=1,
            client_key=uuid4(),
            answer=review_answer(project),
        )


def unanimous(project_options, answers):
    return sentence_of(waiting(*answers, **project_options))


def test_wfl_4_unanimous_error_free_goes_to_review_by_default(site):
    sentence = unanimous({}, [error_free()] * 3)
    assert (sentence.state, sentence.golden) == ("review_ready", None)


def test_wfl_4_unanimous_error_free_closes_itself_where_the_project_says_so(database):
    options = {"unanimous_error_free": "close", "spot_check_percent": 0}
    sentence = unanimous(options, [error_free()] * 3)
    golden = sentence.golden
    assert (sentence.state, golden.kind, golden.version) == ("golden", "error_free", 1)
    assert (golden.review.kind, golden.review.reviewer) == ("unanimous", None)
    assert set(slot_states(sentence.project).values()) == {"passed"}
    assert not sentence.review_tasks.exists()
    assert check() == ()


@pytest.mark.parametrize(
    ("answers", "percent"),
    [
        ([error_free(), error_free(), correction(GOOD)], 0),
        ([not_annotatable()] * 3, 0),
        ([error_free()] * 3, 100),
    ],
    ids=["not all", "not annotatable", "spot check"],
)
def test_wfl_4_all_others_go_to_review(site, answers, percent):
    options = {"unanimous_error_free": "close", "spot_check_percent": percent}
    sentence = unanimous(options, answers)
    assert (sentence.state, sentence.golden) == ("review_ready", None)
    assert sentence.review_tasks.get().state == "free"
