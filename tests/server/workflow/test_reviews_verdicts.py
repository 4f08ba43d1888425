"""What a reviewer sees, and what is refused of what they hand in."""

from __future__ import annotations

import dataclasses
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
    waiting,
    word,
)
from server.workflow.stories import (
    correction,
    error_free,
    joined,
    not_annotatable,
    sentence_of,
)

from gecbench.server.choices import Decision
from gecbench.server.models import Golden, ReviewTask
from gecbench.server.rules.text import digest
from gecbench.server.workflow import management, projects, reviews, submissions
from gecbench.server.workflow.answers import Addition, VerdictAnswer
from gecbench.server.workflow.errors import RefusedError

SOURCE = "我昨天去了图书馆借书了。"
THIRD = "昨天我去图书馆借书了。"


def shown(project, login="rita"):
    return reviews.candidates(opened(project, login), member_of(project, login))


def by_key(project, login="rita"):
    return {candidate.key: candidate for candidate in shown(project, login)}


def test_rev_1_identical_texts_are_shown_once_with_their_count(site):
    project = waiting(correction(GOOD, FAIR), correction(f" {GOOD}"), correction(BAD, GOOD))
    counts = {candidate.text: candidate.count for candidate in shown(project)}
    assert counts == {GOOD: 3, FAIR: 1, BAD: 1}


def test_rev_1_texts_that_differ_by_normal_form_alone_are_one(site):
    composed, decomposed = "我去了caf\u00e9。", "我去了cafe\u0301。"
    project = waiting(correction(composed), correction(decomposed), correction(GOOD))
    assert {candidate.text: candidate.count for candidate in shown(project)} == {
        composed: 2,
        GOOD: 1,
    }


def test_decisions_are_shown_once_with_their_reasons(site):
    project = waiting(
        error_free(), not_annotatable("language", "法语"), not_annotatable("personal")
    )
    candidates = by_key(project)
    assert list(candidates) == list(dict.fromkeys(candidates))
    unclear = candidates["not_annotatable"]
    assert (unclear.count, unclear.text) == (2, "")
    assert unclear.reasons == (("language", "法语"), ("personal", ""))
    assert (candidates["error_free"].count, candidates["error_free"].reasons) == (1, ())


def test_only_the_last_submission_of_a_slot_counts(site):
    project = waiting()
    a2 = member_of(project, "a2")
    slot = sentence_of(project).slots.get(person=a2.person)
    again = submissions.reopen(a2, slot.pk)
    submissions.submit(
        a2, again.pk, version=again.version, client_key=uuid4(), answer=correction(THIRD)
    )
    assert {candidate.text for candidate in shown(project)} == {GOOD, THIRD}


def test_rol_6_names_are_hidden_unless_the_project_shows_them(site):
    assert {candidate.names for candidate in shown(waiting())} == {()}


def test_rol_6_names_are_shown_where_the_project_says_so(site):
    candidates = by_key(waiting(reviewer_sees_names=True))
    assert candidates[digest(GOOD)].names == ("A1", "A3")


def test_rol_6_each_reviewer_has_an_order_of_their_own_that_stays(site):
    answers = [correction(*(f"我昨天去图书馆借书{n}了。" for n in range(1, 6))), error_free()]
    project = waiting(*answers, reviewers=[f"r{n}" for n in range(6)])
    orders = set()
    for n in range(6):
        order = [candidate.key for candidate in shown(project, f"r{n}")]
        assert order == [candidate.key for candidate in shown(project, f"r{n}")]
        assert order[-1] == "error_free"
        orders.add(tuple(order))
    assert len(orders) > 1


def test_a_reopened_sentence_shows_what_is_golden_and_earlier_verdicts(site):
    project = waiting(reviewers=["rita", "rolf"])
    finalised(project, [GOOD], additions=[Addition(THIRD)])
    management.reopen_sentence(member_of(project, "boss"), sentence_of(project).pk, reason="?")
    candidates = {candidate.text: candidate for candidate in shown(project, "rolf")}
    rows = {
        text: (candidate.count, candidate.golden, candidate.verdict)
        for text, candidate in candidates.items()
    }
    assert rows == {
        GOOD: (2, True, True),
        FAIR: (1, False, False),
        BAD: (1, False, False),
        THIRD: (0, True, None),
    }


def test_a_golden_decision_of_nobody_is_shown_too(site):
    project = waiting(reviewers=["rita", "rolf"])
    finalised(project, decision=Decision.ERROR_FREE)
    management.reopen_sentence(member_of(project, "boss"), sentence_of(project).pk, reason="?")
    error_free = by_key(project, "rolf")["error_free"]
    assert (error_free.count, error_free.golden, error_free.text) == (0, True, "")


def problems(project, *, words=(), drop=(), **fields):
    """What is wrong with an answer, by box: code and whether it blocks."""
    task = opened(project)
    answer = review_answer(project, **fields)
    verdicts = [verdict for verdict in answer.verdicts if verdict.key not in drop]
    answer = dataclasses.replace(answer, verdicts=[*verdicts, *words])
    problems = reviews.check_answer(task, answer)
    return [(problem.code, problem.field, problem.blocking) for problem in problems]


def place(project, text):
    return f"verdict-{[candidate.text for candidate in shown(project)].index(text)}"


def test_a_good_review_has_no_problem(site):
    assert problems(waiting()) == []


def test_rev_2_every_text_is_judged_and_once(site):
    project = waiting()
    box = place(project, GOOD)
    assert problems(project, drop=[digest(GOOD)]) == [("REV-2", box, True)]
    assert problems(project, words=[word(digest(GOOD), True)]) == [("REV-2", box, True)]
    stranger = problems(project, words=[word(digest("别的"), True)])
    assert stranger == [("REV-2", "", True)]


def test_rev_3_wrong_needs_a_reason_and_other_a_note(site):
    project = waiting()
    key, box = digest(BAD), place(project, BAD)
    none = {key: VerdictAnswer(key, correct=False)}
    assert problems(project, words=(), drop=[key]) == [("REV-2", box, True)]
    answer = review_answer(project, words=none)
    assert [
        (problem.code, problem.field) for problem in reviews.check_answer(opened(project), answer)
    ] == [("REV-3", box)]
    for note, codes in ((" ", ["REV-3-note"]), ("太绕", [])):
        answer = review_answer(project, words={key: word(key, False, "other", note=note)})
        assert [problem.code for problem in reviews.check_answer(opened(project), answer)] == codes
    answer = review_answer(project, words={key: word(key, False, note="长" * 10_001)})
    assert [problem.code for problem in reviews.check_answer(opened(project), answer)] == [
        "note-too-long"
    ]


def test_lost_decisions_and_unclear_sentences_need_no_reasons(site):
    project = waiting(correction(GOOD), error_free(), correction(GOOD))
    assert problems(project, right=[GOOD]) == []
    unclear = {
        candidate.key: VerdictAnswer(candidate.key, correct=False) for candidate in shown(project)
    }
    answer = review_answer(
        project, decision=Decision.NOT_ANNOTATABLE, reason="personal", words=unclear
    )
    assert reviews.check_answer(opened(project), answer) == ()


def test_rev_8_a_review_decides_something(site):
    assert problems(waiting(), right=[]) == [("REV-8", "decision", True)]


@pytest.mark.parametrize(
    ("decision", "code"), [("error_free", "CON-1"), ("not_annotatable", "CON-2")]
)
def test_con_1_and_2_a_decision_excludes_corrections_whatever_the_switches_say(
    site, decision, code
):
    off = {"CON-1": "off", "CON-2": "off"}
    project = waiting(correction(GOOD), error_free(), not_annotatable(), rules=off)
    mixed = {digest(GOOD): word(digest(GOOD), True), decision: word(decision, False)}
    decision = Decision(decision)
    fields = {"decision": decision, "reason": "personal", "additions": [Addition(THIRD)]}
    answer = review_answer(project, words=mixed, **fields)
    problems = reviews.check_answer(opened(project), answer)
    assert {(problem.code, problem.blocking) for problem in problems} == {(code, True)}
    places = [candidate.key for candidate in shown(project)]
    assert {problem.field for problem in problems} == {
        f"verdict-{places.index(digest(GOOD))}",
        f"verdict-{places.index(decision)}",
        "addition-0",
    }


def test_a_corrected_sentence_is_not_error_free_as_well(site):
    project = waiting(correction(GOOD), error_free(), correction(GOOD))
    words = {"error_free": word("error_free", True)}
    answer = review_answer(project, [GOOD], words=words)
    assert [problem.code for problem in reviews.check_answer(opened(project), answer)] == ["CON-1"]


def test_rev_7_not_annotatable_needs_a_reason(site):
    project = waiting(not_annotatable(), not_annotatable(), correction(GOOD))
    unclear = {"decision": Decision.NOT_ANNOTATABLE}
    for reason, note, codes in (
        ("", "", [("REV-7", "reason", True)]),
        ("boring", "", [("REV-7", "reason", True)]),
        ("other", " ", [("REV-7-note", "note", True)]),
        ("other", "诗", []),
        ("language", "", []),
        ("language", "长" * 10_001, [("note-too-long", "note", True)]),
    ):
        assert problems(project, reason=reason, note=note, **unclear) == codes


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "ANN-12"),
        (" \u200b\n", "ANN-12"),
        ("我\0去", "ANN-12"),
        ("我" * 5001, "ANN-12"),
        (SOURCE, "ANN-10"),
        (f" {SOURCE} ", "ANN-10"),
        (GOOD, "CON-10"),
        (BAD, "REV-4"),
    ],
)
def test_an_added_text_is_a_new_correction(site, text, code):
    project = waiting()
    problems_ = problems(project, additions=[Addition(THIRD), Addition(text)])
    assert problems_ == [(code, "addition-1", True)]


def test_con_10_two_added_texts_differ(site):
    problems_ = problems(waiting(), additions=[Addition(THIRD), Addition(f"{THIRD} ")])
    assert problems_ == [("CON-10", "addition-1", True)]


def test_rev_4_a_text_is_modified_from_one_that_is_wrong(site):
    project = waiting(correction(GOOD), correction(BAD), error_free())
    for parent in (digest(GOOD), digest("别的"), "error_free"):
        problems_ = problems(project, right=[GOOD], additions=[Addition(THIRD, parent=parent)])
        assert problems_ == [("REV-4-parent", "addition-0", True)]
    assert problems(project, right=[GOOD], additions=[Addition(THIRD, parent=digest(BAD))]) == []


def test_rev_9_what_only_goes_too_far_is_restored_or_confirmed(database):
    project = waiting()
    key = digest(BAD)
    words = {key: word(key, False, "overcorrection")}
    warned = [("REV-9", place(project, BAD), False)]
    answer = review_answer(project, words=words)
    task = opened(project)
    problems = reviews.check_answer(task, answer)
    assert [(problem.code, problem.field, problem.blocking) for problem in problems] == warned
    both = review_answer(project, words={key: word(key, False, "overcorrection", "meaning")})
    assert reviews.check_answer(task, both) == ()
    restored = review_answer(project, words=words, additions=[Addition(THIRD, key, restored=True)])
    assert reviews.check_answer(task, restored) == ()
    unsure = dataclasses.replace(answer, confirmed=False)
    handing = {"version": task.version, "client_key": uuid4()}
    rita = member_of(project, "rita")
    with pytest.raises(RefusedError, match="only goes too far") as refused:
        reviews.finalise(rita, task.sentence_id, **handing, answer=unsure)
    assert [problem.blocking for problem in refused.value.problems] == [False]
    assert not Golden.objects.exists()
    assert reviews.finalise(rita, task.sentence_id, **handing, answer=answer).golden.version == 1


def test_what_blocks_is_not_overruled_by_confirming(site):
    project = waiting()
    task = opened(project)
    answer = review_answer(project, [])
    assert answer.confirmed
    with pytest.raises(RefusedError, match="no golden text yet"):
        reviews.finalise(
            member_of(project, "rita"),
            task.sentence_id,
            version=task.version,
            client_key=uuid4(),
            answer=answer,
        )


def test_con_rules_speak_of_the_box_that_breaks_them(site):
    project = waiting(correction("我昨天去了[缺失成分]。"), correction(GOOD), correction(FAIR))
    right = ["我昨天去了[缺失成分]。", GOOD]
    problems_ = problems(project, right=right, additions=[Addition(THIRD)])
    boxes = {place(project, GOOD), "addition-0"}
    assert {(code, box) for code, box, blocks in problems_ if blocks} == {
        ("CON-3", b) for b in boxes
    }
    task = opened(project)
    answer = review_answer(project, right)
    problem = next(
        problem for problem in reviews.check_answer(task, answer) if problem.code == "CON-3"
    )
    assert problem.kind == "placeholder_in_some"


def test_con_9_speaks_of_an_error_free_sentence(site):
    project = waiting(error_free(), error_free(), error_free(), rules={"CON-9": "block"})
    answer = review_answer(project, decision=Decision.ERROR_FREE)
    assert reviews.check_answer(opened(project), answer) == ()
    other = waiting_traditional()
    answer = review_answer(other, decision=Decision.ERROR_FREE)
    problems = reviews.check_answer(opened(other), answer)
    assert [(problem.code, problem.field, problem.blocking) for problem in problems] == [
        ("CON-9", "decision", True)
    ]


def waiting_traditional():
    from server.workflow.stories import a_project, all_submitted, not_annotatable, people

    project = a_project(["我喜歡學習。"], slug="t", annotators=1, rules={"CON-9": "block"})
    joined(project, "rita", "reviewer")
    all_submitted(sentence_of(project), people(project, 1), [not_annotatable()])
    return project


def test_a_rule_that_could_not_look_needs_no_confirmation(site, monkeypatch):
    from gecbench.core.errors import MissingExtraError
    from gecbench.server.rules import consistency

    def missing():
        raise MissingExtraError("opencc", "zh")

    monkeypatch.setattr(consistency, "_simplifier", missing)
    project = waiting()
    task = opened(project)
    answer = dataclasses.replace(review_answer(project), confirmed=False)
    assert [problem.code for problem in reviews.check_answer(task, answer)] == ["CON-9"]
    done = reviews.finalise(
        member_of(project, "rita"),
        task.sentence_id,
        version=task.version,
        client_key=uuid4(),
        answer=answer,
    )
    assert done.golden.version == 1


def test_each_rule_is_the_projects_switch(site):
    project = waiting(correction("我昨天去了[缺失成分]。"), correction(GOOD), correction(FAIR))
    right = ["我昨天去了[缺失成分]。", GOOD, FAIR]
    assert "CON-3" in {code for code, _, _ in problems(project, right=right)}
    boss = member_of(project, "boss").person
    projects.change_project(project, by=boss, options={"rules": {"CON-3": "off"}})
    assert "CON-3" not in {code for code, _, _ in problems(project, right=right)}


def test_the_task_of_nobody_is_examined_in_an_order_of_its_own(site):
    project = waiting()
    task = ReviewTask.objects.select_related("sentence").get()
    assert (task.state, reviews.check_answer(task, review_answer(project))) == ("free", ())
