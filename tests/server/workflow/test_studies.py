"""Self-study: items open for what is not golden, are tried, revealed, closed and synced."""

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
    word,
)
from server.workflow.stories import correction, error_free, not_annotatable, sentence_of

from gecbench.server.choices import Decision, MemberStatus
from gecbench.server.models import Golden, Notice, SlotEvent, Study, StudyTry
from gecbench.server.rules.text import digest
from gecbench.server.workflow import management, members, studies
from gecbench.server.workflow.answers import Addition, Answer
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import (
    ConflictError,
    NotAllowedError,
    NotYoursError,
    RefusedError,
)

WRONG = "我昨天去书图书馆借书了。"


@remembered
def studying(*answers, right=(GOOD, FAIR), decision=Decision.CORRECTED, **options):
    """A project whose first sentence is decided."""
    project = waiting(*answers, **options)
    reason = "personal" if decision == Decision.NOT_ANNOTATABLE else ""
    finalised(project, right, decision=decision, reason=reason)
    return project


def tried(project, login, answer, **fields):
    study = study_of(project, login)
    options = {"version": study.version, "client_key": uuid4(), **fields}
    return studies.attempt(member_of(project, login), study.pk, answer=answer, **options)


def slot_state(project, login):
    return sentence_of(project).slots.get(person__login=login).state


def test_stu_1_one_item_for_each_reference_that_is_not_golden(site):
    third = "我昨天在图书馆借书了。"
    studying(correction(GOOD, BAD, third), correction(FAIR), correction(BAD))
    rows = {(study.person.login, study.reference.text) for study in Study.objects.all()}
    assert rows == {("a1", BAD), ("a1", third), ("a3", BAD)}


def test_stu_2_a_lesson_shows_verdict_reasons_note_and_section(site):
    project = waiting()
    words = {digest(BAD): word(digest(BAD), False, "erroneous", note="缺动词", section="4.2")}
    finalised(project, words=words, note="请看指南")
    a2 = member_of(project, "a2")
    (item,) = studies.list_items(a2)
    lesson = studies.lesson(a2, item.pk)
    assert (lesson.study, lesson.review_note, lesson.tries) == (item, "请看指南", ())
    verdict = lesson.verdict
    assert (verdict.correct, verdict.reasons, verdict.note, verdict.section) == (
        *(False, ["erroneous"]),
        *("缺动词", "4.2"),
    )
    assert (lesson.revealed, lesson.decision, lesson.complaint) == ((), "", None)


def test_stu_2_an_item_is_its_authors_alone(site):
    project = studying()
    item = study_of(project, "a2")
    for login in ("a1", "rita", "boss"):
        stranger = member_of(project, login)
        assert studies.list_items(stranger) == ()
        with pytest.raises(NotYoursError, match="there is no study item"):
            studies.lesson(stranger, item.pk)
        with pytest.raises(NotYoursError, match="there is no study item"):
            studies.attempt(
                stranger, item.pk, version=1, client_key=uuid4(), answer=correction(GOOD)
            )


def test_stu_3_only_a_golden_text_closes_the_item(site):
    project = studying()
    near = tried(project, "a2", correction(WRONG))
    assert (near.matched, near.nearest, near.attempt.study.version) == (False, 1, 2)
    assert slot_state(project, "a2") == "study"
    done = tried(project, "a2", correction(f" {GOOD}\u200b"))
    assert (done.matched, done.nearest) == (True, 0)
    item = Study.objects.get()
    assert (item.state, item.close_reason, item.attempts) == ("closed", "matched", 1)
    assert (item.closed_by.login, slot_state(project, "a2")) == ("a2", "passed")
    rows = StudyTry.objects.order_by("pk").values_list("text", "matched", "reference__text")
    assert list(rows) == [(WRONG, False, None), (GOOD, True, GOOD)]
    kinds = SlotEvent.objects.filter(slot=item.submission.slot).order_by("pk")
    assert list(kinds.values_list("kind", flat=True))[-3:] == ["judge", "study", "pass"]
    a2 = member_of(project, "a2")
    assert studies.list_items(a2) == ()
    assert studies.list_items(a2, state="closed") == studies.list_items(a2, state="") == (item,)
    assert check() == ()


def test_stu_3_a_slot_passes_with_its_last_item(site):
    project = studying(correction(GOOD), correction(BAD, WRONG), correction(FAIR))
    first, second = studies.list_items(member_of(project, "a2"))
    for item, state in ((first, "study"), (second, "passed")):
        studies.attempt(
            member_of(project, "a2"),
            item.pk,
            version=1,
            client_key=uuid4(),
            answer=correction(GOOD),
        )
        assert slot_state(project, "a2") == state


def shown(project, login="a2"):
    lesson = studies.lesson(member_of(project, login), Study.objects.get().pk)
    return {reference.text for reference in lesson.revealed}, lesson.decision


def test_stu_4_golden_texts_are_hidden_until_one_try_has_failed(site):
    project = studying()
    assert shown(project) == (set(), "")
    assert tried(project, "a2", correction(WRONG)).revealed
    assert shown(project) == ({GOOD, FAIR}, "corrected")


@pytest.mark.parametrize(("after", "needed"), [(0, 0), (2, 2), (None, None)])
def test_stu_4_the_project_says_after_how_many_tries(site, after, needed):
    project = studying(reveal_after=after)
    for n in range(3):
        seen = needed is not None and n >= needed
        assert (shown(project)[0] != set()) == seen
        again = tried(project, "a2", correction(f"{WRONG}{n}"))
        assert again.revealed == (needed is not None and n + 1 >= needed)
    tried(project, "a2", correction(GOOD))
    assert (shown(project)[0] != set()) == (needed is not None)


def test_stu_4_a_closed_item_does_not_give_another_one_away(site):
    project = studying(correction(GOOD), correction(BAD, WRONG), correction(FAIR))
    a2 = member_of(project, "a2")
    first, second = studies.list_items(a2)
    studies.attempt(a2, first.pk, version=1, client_key=uuid4(), answer=correction(GOOD))
    assert studies.lesson(a2, first.pk).revealed == ()
    studies.attempt(a2, second.pk, version=1, client_key=uuid4(), answer=correction(FAIR))
    assert len(studies.lesson(a2, first.pk).revealed) == 2


@pytest.mark.parametrize(
    "answer", [correction(GOOD), error_free()], ids=["golden text", "right decision"]
)
def test_stu_5_a_lost_decision_is_mended_by_the_right_one_or_a_golden_text(site, answer):
    if answer.decision == Decision.ERROR_FREE:
        golden, lost = Decision.ERROR_FREE, not_annotatable()
        project = studying(error_free(), error_free(), lost, decision=golden)
    else:
        project = studying(correction(GOOD), correction(FAIR), error_free())
    item = study_of(project, "a3")
    assert item.reference is None
    assert tried(project, "a3", answer).matched
    assert slot_state(project, "a3") == "passed"
    assert check() == ()


def test_stu_5_a_text_is_mended_by_the_right_decision(site):
    project = studying(correction(BAD), error_free(), error_free(), decision=Decision.ERROR_FREE)
    failed = tried(project, "a1", not_annotatable())
    assert (failed.matched, failed.nearest, failed.attempt.text) == (False, 0, "")
    assert tried(project, "a1", correction(GOOD)).nearest > 0
    assert tried(project, "a1", error_free()).matched


def test_no_text_is_near_where_nothing_can_be_annotated(site):
    unclear = Decision.NOT_ANNOTATABLE
    project = studying(correction(BAD), not_annotatable(), not_annotatable(), decision=unclear)
    assert tried(project, "a1", correction(GOOD)).nearest == -1
    assert tried(project, "a1", not_annotatable()).matched


def test_stu_6_what_is_redone_changes_nothing_of_the_first_time(site):
    project = studying()
    sentence = sentence_of(project)
    before = (sentence.golden, sentence.submissions.count(), sentence.references.count())
    tried(project, "a2", correction(GOOD))
    after = sentence_of(project)
    assert (after.golden, after.submissions.count(), after.references.count()) == before


@pytest.mark.parametrize(
    ("answer", "code", "field"),
    [
        (correction(" \n"), "ANN-12", "reference-0"),
        (correction("我\0"), "ANN-12", "reference-0"),
        (correction("我昨天去了图书馆借书了。 "), "ANN-10", "reference-0"),
        (correction(GOOD, FAIR), "ANN-9", "reference-0"),
        (Answer(Decision.CORRECTED), "ANN-9", "reference-0"),
        (Answer(Decision.ERROR_FREE, (GOOD,)), "ANN-9", "decision"),
    ],
)
def test_a_try_is_one_text_or_a_decision(site, answer, code, field):
    project = studying()
    with pytest.raises(RefusedError) as refused:
        tried(project, "a2", answer)
    assert [(problem.code, problem.field) for problem in refused.value.problems] == [(code, field)]
    # What was written is kept, and counts as no try.
    texts = [text.replace("\0", "\ufffd") for text in answer.texts if text.strip()]
    assert list(StudyTry.objects.order_by("pk").values_list("text", flat=True)) == texts
    assert study_of(project, "a2").attempts == 0


def test_inv_9_the_same_key_twice_is_one_try(database):
    project = studying()
    item = study_of(project, "a2")
    a2, key = member_of(project, "a2"), uuid4()
    options = {"version": 1, "client_key": key, "answer": correction(WRONG)}
    first, again = studies.attempt(a2, item.pk, **options), studies.attempt(a2, item.pk, **options)
    assert (again.attempt, again.nearest) == (first.attempt, first.nearest)
    assert (StudyTry.objects.count(), Study.objects.get().attempts) == (1, 1)


def test_a_key_of_another_item_and_an_old_version_are_conflicts(site):
    project = studying(correction(GOOD), correction(BAD, WRONG), correction(FAIR))
    a2 = member_of(project, "a2")
    first, second = studies.list_items(a2)
    key = uuid4()
    studies.attempt(a2, first.pk, version=1, client_key=key, answer=correction("错的。"))
    with pytest.raises(ConflictError, match="this key was used for something else"):
        studies.attempt(a2, second.pk, version=1, client_key=key, answer=correction("错的。"))
    with pytest.raises(ConflictError, match="the item has changed meanwhile") as stale:
        studies.attempt(a2, first.pk, version=1, client_key=uuid4(), answer=correction(GOOD))
    assert stale.value.current.version == 2


def test_who_pauses_may_study_and_who_left_may_not(site):
    project = studying()
    a2 = member_of(project, "a2")
    members.change_member(a2, by=None, status=MemberStatus.PAUSED)
    assert not tried(project, "a2", correction(WRONG)).matched
    members.change_member(a2, by=None, status=MemberStatus.LEFT)
    with pytest.raises(NotAllowedError, match="a member who is left cannot do this"):
        tried(project, "a2", correction(GOOD))


def test_a_manager_waives_an_item_with_a_note(site):
    project = studying()
    item, boss = study_of(project, "a2"), member_of(project, "boss")
    with pytest.raises(RefusedError, match="Say why, in a few words"):
        studies.waive(boss, item.pk, note=" ")
    done = studies.waive(boss, item.pk, note="太难")
    assert (done.state, done.close_reason, done.closed_by) == ("closed", "waived", boss.person)
    assert slot_state(project, "a2") == "passed"
    assert Notice.objects.filter(person__login="a2", kind="study_waived").count() == 1
    with pytest.raises(ConflictError, match="has changed meanwhile"):
        studies.waive(boss, item.pk, note="又")
    with pytest.raises(NotYoursError, match="there is no study item 999"):
        studies.waive(boss, 999, note="?")
    with pytest.raises(NotAllowedError, match="only for the role manager"):
        studies.waive(member_of(project, "a2"), item.pk, note="?")
    assert check() == ()


def decide_again(project, right, login="rolf", **fields):
    """The golden version after a manager reopened the sentence."""
    management.reopen_sentence(member_of(project, "boss"), sentence_of(project).pk, reason="再看")
    return finalised(project, right, login=login, **fields)


def reasons(project):
    rows = Study.objects.filter(project=project).order_by("pk")
    return [(row.person.login, row.state, row.close_reason) for row in rows]


def test_stu_8_items_follow_the_golden_set(database):
    project = studying(reviewers=["rita", "rolf"])
    assert reasons(project) == [("a2", "open", "")]
    done = decide_again(project, [FAIR, BAD])
    assert (done.golden.version, done.studies, done.golden.review.kind) == (2, 2, "reopened")
    assert reasons(project) == [
        ("a2", "closed", "golden_changed"),
        ("a1", "open", ""),
        ("a3", "open", ""),
    ]
    assert check() == ()
    again = decide_again(project, [GOOD, FAIR], login="rita")
    assert again.studies == 1
    assert reasons(project) == [
        ("a2", "open", ""),
        ("a1", "closed", "golden_changed"),
        ("a3", "closed", "golden_changed"),
    ]
    assert Study.objects.get(person__login="a2").golden == again.golden
    kinds = Notice.objects.filter(person__login="a2", kind__startswith="study")
    assert list(kinds.order_by("pk").values_list("kind", flat=True)) == [
        "study_opened",
        "study_closed",
        "study_opened",
    ]
    assert check() == ()


def test_stu_8_what_was_mended_or_waived_stays_closed(site):
    project = studying(
        correction(GOOD), correction(BAD), correction(WRONG), reviewers=["rita", "rolf"]
    )
    tried(project, "a2", correction(GOOD))
    studies.waive(member_of(project, "boss"), study_of(project, "a3").pk, note="算了")
    decide_again(project, [], additions=[Addition(FAIR)])
    assert reasons(project)[:2] == [("a2", "closed", "matched"), ("a3", "closed", "waived")]


def test_a_lesson_of_a_text_that_only_a_later_version_dropped_has_no_verdict(site):
    project = studying()
    item = study_of(project, "a2")
    from gecbench.server.models import Review, Verdict

    review = Review.objects.create(
        sentence=sentence_of(project), kind="second", decision="corrected", client_key=uuid4()
    )
    Verdict.objects.create(review=review, digest=digest(BAD), correct=True)
    lesson = studies.lesson(member_of(project, "a2"), item.pk)
    assert (lesson.verdict, lesson.review_note) == (None, "")


def test_items_are_listed_oldest_first_and_not_without_end(site):
    project = studying(correction(GOOD), correction(BAD, WRONG), correction(FAIR))
    a2 = member_of(project, "a2")
    both = studies.list_items(a2)
    assert [item.reference.text for item in both] == [BAD, WRONG]
    assert studies.list_items(a2, most=1) == both[:1]


def test_golden_texts_are_in_the_order_of_the_review(site):
    project = studying()
    golden = Golden.objects.get()
    order = [entry.position for entry in golden.entries.all()]
    assert order == [0, 1]
    assert set(golden_texts(sentence_of(project))) == {GOOD, FAIR}


@pytest.mark.parametrize("case", ["stale", "the sentence itself", "damaged"])
def test_inv_10_a_try_that_is_refused_is_kept_and_does_not_count(site, case):
    project = studying()
    item, a2 = study_of(project, "a2"), member_of(project, "a2")
    text = {"stale": "来得太晚。", "the sentence itself": item.sentence.text, "damaged": "a\0b"}[
        case
    ]
    text_stored = text.replace("\0", "\ufffd")
    version = item.version + (case == "stale")
    key = uuid4()
    with pytest.raises((ConflictError, RefusedError)):
        studies.attempt(a2, item.pk, version=version, client_key=key, answer=correction(text))
    (attempt,) = StudyTry.objects.all()
    assert (attempt.text, attempt.matched, attempt.counted) == (text_stored, False, False)
    item.refresh_from_db()
    assert (item.state, item.attempts) == ("open", 0)
    again = studies.attempt(
        a2, item.pk, version=item.version, client_key=key, answer=correction(GOOD)
    )
    assert again.matched
