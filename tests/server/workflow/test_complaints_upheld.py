"""An upheld complaint makes a new golden version, and others with the same text benefit."""

from __future__ import annotations

from uuid import uuid4

import pytest
from server.remembering import remembered
from server.workflow.reviewing import (
    BAD,
    FAIR,
    GOOD,
    finalised,
    golden_texts,
    member_of,
    study_of,
    waiting,
)
from server.workflow.stories import correction, error_free, not_annotatable, sentence_of

from gecbench.server.choices import ComplaintState, Decision
from gecbench.server.models import (
    Complaint,
    DraftRevision,
    Golden,
    GoldenReference,
    Review,
    Study,
    Verdict,
)
from gecbench.server.rules.text import digest
from gecbench.server.workflow import complaints, management, studies
from gecbench.server.workflow.answers import Ruling
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import ConflictError, RefusedError

UPHELD = Ruling(ComplaintState.UPHELD, confirmed=True)
SOURCE = "我昨天去了图书馆借书了。"
THIRD = "昨天我去图书馆借书了。"


@remembered
def disputed(*answers, complaining=("a2",), right=(GOOD, FAIR), decision=None, **options):
    """A project whose first sentence is decided by rita, and complained about."""
    project = waiting(*answers, reviewers=["rita", "rolf"], **options)
    decision = decision or Decision.CORRECTED
    reason = "personal" if decision == Decision.NOT_ANNOTATABLE else ""
    finalised(project, right, decision=decision, reason=reason)
    for login in complaining:
        complaints.complain(
            member_of(project, login),
            study_of(project, login).pk,
            argument="可以。",
            client_key=uuid4(),
        )
    return project


def ruled(project, ruling=UPHELD, login="a2", by="rolf"):
    row = Complaint.objects.get(person__login=login, state__in=["open", "discussed"])
    return complaints.decide(
        member_of(project, by), row.pk, version=row.version, client_key=uuid4(), ruling=ruling
    )


def slot_states(project):
    return dict(sentence_of(project).slots.values_list("person__login", "state"))


def items(project):
    rows = Study.objects.filter(project=project).order_by("pk")
    return [(row.person.login, row.close_reason) for row in rows]


def words(project):
    """Of the latest review: key to right or wrong."""
    verdicts = Verdict.objects.filter(review=Review.objects.latest("pk"))
    return {verdict.digest or verdict.decision: verdict.correct for verdict in verdicts}


def test_cmp_3_an_upheld_text_joins_the_golden_set(database):
    project = disputed()
    done = ruled(project, Ruling(ComplaintState.UPHELD, " 有理 ", section="3.1", confirmed=True))
    sentence = sentence_of(project)
    assert (done.state, done.decision_note, done.section) == ("upheld", "有理", "3.1")
    before = golden_texts_of(sentence, 1)
    assert golden_texts(sentence) == [*before, BAD]
    assert (sentence.state, sentence.golden.version) == ("golden", 2)
    review = sentence.golden.review
    assert (review.kind, review.reviewer.login, review.base_version) == ("complaint", "rolf", 1)
    assert done.review == review
    assert words(project) == {digest(BAD): True}
    assert items(project) == [("a2", "upheld")]
    assert Study.objects.get().closed_by.login == "rolf"
    assert set(slot_states(project).values()) == {"passed"}
    assert check() == ()


def golden_texts_of(sentence, version):
    entries = GoldenReference.objects.filter(golden__sentence=sentence, golden__version=version)
    return [entry.reference.text for entry in entries.select_related("reference")]


def test_cmp_5_the_history_of_verdicts_shows_both_decisions(site):
    project = disputed()
    ruled(project)
    rows = Verdict.objects.filter(digest=digest(BAD)).order_by("pk")
    assert [(row.review.reviewer.login, row.correct) for row in rows] == [
        ("rita", False),
        ("rolf", True),
    ]


def test_cmp_5_others_with_the_same_text_benefit(site):
    project = disputed(
        correction(BAD), correction(BAD), correction(BAD, GOOD), complaining=["a2", "a3"]
    )
    ruled(project, login="a3")
    assert items(project) == [
        ("a1", "golden_changed"),
        ("a2", "golden_changed"),
        ("a3", "upheld"),
    ]
    rows = Complaint.objects.order_by("pk")
    assert {(row.person.login, row.state) for row in rows} == {("a2", "upheld"), ("a3", "upheld")}
    assert len({row.review for row in rows}) == 1
    row = GoldenReference.objects.get(golden__version=2, reference__digest=digest(BAD))
    assert row.reference.submission.person.login == "a1"
    assert set(slot_states(project).values()) == {"passed"}
    assert sentence_of(project).state == "golden"
    assert check() == ()


def test_a_sentence_stays_disputed_while_another_complaint_is_undecided(site):
    project = disputed(
        correction(GOOD), correction(BAD), correction(THIRD), complaining=["a2", "a3"]
    )
    ruled(project)
    assert (sentence_of(project).state, sentence_of(project).golden.version) == ("disputed", 2)
    assert slot_states(project) == {"a1": "passed", "a2": "passed", "a3": "disputed"}
    assert check() == ()
    ruled(project, Ruling(ComplaintState.DISMISSED, "不行"), login="a3")
    assert (sentence_of(project).state, slot_states(project)["a3"]) == ("golden", "study")
    assert check() == ()


def test_cmp_3_upheld_with_a_change_takes_the_rulings_text(site):
    project = disputed()
    done = ruled(project, Ruling(ComplaintState.UPHELD_CHANGED, text=f"{THIRD}\u200b"))
    assert done.state == "upheld_changed"
    sentence = sentence_of(project)
    assert golden_texts(sentence)[-1] == THIRD
    row = GoldenReference.objects.get(reference__digest=digest(THIRD)).reference
    assert (row.origin, row.parent.text, row.review) == ("complaint", BAD, done.review)
    assert words(project) == {digest(BAD): False}
    assert items(project) == [("a2", "upheld")]
    assert check() == ()
    boss = member_of(project, "boss")
    management.reopen_sentence(boss, sentence.pk, reason="再看")
    finalised(project, [GOOD, FAIR, THIRD], login="rita")
    assert items(project) == [("a2", "upheld")]
    assert check() == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" ", "ANN-12"),
        ("我\0", "ANN-12"),
        (SOURCE, "ANN-10"),
        (GOOD, "CON-10"),
        (BAD, "CMP-3-same"),
    ],
)
def test_cmp_3_a_changed_text_is_new(site, text, code):
    project = disputed()
    with pytest.raises(RefusedError) as refused:
        ruled(project, Ruling(ComplaintState.UPHELD_CHANGED, text=text, confirmed=True))
    assert [(problem.code, problem.field) for problem in refused.value.problems] == [(code, "text")]
    assert Complaint.objects.get().state == "open"


def test_con_1_an_upheld_text_makes_an_error_free_sentence_corrected(site):
    answers = [correction(GOOD), correction(FAIR), error_free()]
    project = disputed(*answers, decision=Decision.ERROR_FREE)
    ruled(project)
    sentence = sentence_of(project)
    assert (sentence.golden.kind, golden_texts(sentence)) == ("corrected", [FAIR])
    assert words(project) == {digest(FAIR): True, "error_free": False}
    assert items(project) == [("a1", ""), ("a2", "upheld"), ("a3", "")]
    assert study_of(project, "a3").reference is None
    assert check() == ()


@pytest.mark.parametrize("lost", [error_free(), not_annotatable("language")])
def test_con_1_and_2_an_upheld_decision_takes_the_place_of_the_golden_set(site, lost):
    project = disputed(correction(GOOD), correction(FAIR), lost, complaining=["a3"])
    ruled(project, login="a3")
    golden = sentence_of(project).golden
    assert (golden.kind, golden.reason) == (lost.decision, lost.reason)
    assert (golden.version, golden.entries.count()) == (2, 0)
    assert words(project) == {digest(GOOD): False, digest(FAIR): False, lost.decision: True}
    assert items(project) == [("a3", "upheld"), ("a1", ""), ("a2", "")]
    assert check() == ()


def test_an_upheld_decision_with_a_change_adds_a_text(site):
    project = disputed(correction(GOOD), correction(FAIR), error_free(), complaining=["a3"])
    ruled(project, Ruling(ComplaintState.UPHELD_CHANGED, text=THIRD, confirmed=True), login="a3")
    sentence = sentence_of(project)
    assert set(golden_texts(sentence)) == {GOOD, FAIR, THIRD}
    row = GoldenReference.objects.get(reference__digest=digest(THIRD)).reference
    assert row.parent is None
    assert check() == ()


def test_con_3_a_ruling_may_not_break_a_rule(site):
    lacking = "我昨天去了[缺失成分]。"
    project = disputed(correction(GOOD), correction(lacking), correction(FAIR))
    with pytest.raises(RefusedError, match="缺失成分") as refused:
        ruled(project)
    assert {
        (problem.code, problem.field) for problem in refused.value.problems if problem.blocking
    } == {("CON-3", "reference")}
    assert (Golden.objects.count(), Complaint.objects.get().state) == (1, "open")


def test_a_warning_of_a_rule_is_confirmed(site):
    half = "我昨天去图书馆,借书了。"
    project = disputed(correction(GOOD), correction(half), correction(FAIR))
    with pytest.raises(RefusedError) as refused:
        ruled(project, Ruling(ComplaintState.UPHELD))
    assert [(problem.code, problem.blocking) for problem in refused.value.problems] == [
        ("CON-6", False)
    ]
    ruled(project)
    assert golden_texts(sentence_of(project))[-1] == half


def test_a_complaint_is_upheld_although_its_item_was_mended_meanwhile(site):
    project = disputed()
    item = study_of(project, "a2")
    studies.attempt(
        member_of(project, "a2"),
        item.pk,
        version=item.version,
        client_key=uuid4(),
        answer=correction(GOOD),
    )
    assert slot_states(project)["a2"] == "disputed"
    ruled(project)
    assert items(project) == [("a2", "matched")]
    assert golden_texts(sentence_of(project))[-1] == BAD
    assert slot_states(project)["a2"] == "passed"
    assert check() == ()


@pytest.mark.parametrize("ruling", [UPHELD, Ruling(ComplaintState.DISMISSED, "不行")])
def test_complaints_about_a_withdrawn_sentence_are_decided_and_it_stays_out(site, ruling):
    project = disputed(correction(GOOD), correction(BAD), correction(THIRD), complaining=["a3"])
    boss, sentence = member_of(project, "boss"), sentence_of(project)
    management.withdraw(boss, [sentence.pk], reason="重复")
    complaints.complain(
        member_of(project, "a2"), study_of(project, "a2").pk, argument="?", client_key=uuid4()
    )
    ruled(project, ruling)
    assert sentence_of(project).state == "withdrawn"
    assert check() == ()
    management.restore(boss, [sentence.pk])
    assert sentence_of(project).state == "disputed"
    ruled(project, ruling, login="a3")
    assert sentence_of(project).state == "golden"
    assert check() == ()


@pytest.mark.parametrize("case", ["refused", "late"])
def test_inv_10_a_ruling_that_is_refused_is_kept(site, case):
    project = disputed()
    row = Complaint.objects.get()
    written = f"{THIRD}a\0b" if case == "refused" else THIRD
    ruling = Ruling(ComplaintState.UPHELD_CHANGED, text=written, note="因为。", confirmed=True)
    version = row.version + (case == "late")
    with pytest.raises(RefusedError if case == "refused" else ConflictError):
        complaints.decide(
            member_of(project, "rolf"), row.pk, version=version, client_key=uuid4(), ruling=ruling
        )
    revision = DraftRevision.objects.get(person__login="rolf")
    assert revision.payload["text"] == written.replace("\0", "\ufffd")
    assert (revision.payload["note"], revision.conflicting) == ("因为。", True)
    assert (Golden.objects.count(), Complaint.objects.get().state) == (1, "open")
    assert check() == ()
