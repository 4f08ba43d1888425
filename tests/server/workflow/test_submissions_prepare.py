"""What an answer becomes, and what is wrong with it."""

from __future__ import annotations

import pytest
from server.workflow.stories import (
    a_project,
    correction,
    error_free,
    not_annotatable,
    sentence_of,
)

from gecbench.server.choices import Decision
from gecbench.server.rules.text import LONGEST, LONGEST_NOTE
from gecbench.server.workflow.answers import Answer
from gecbench.server.workflow.submissions import prepare

SOURCE = "他说的汉语很好，"


@pytest.fixture
def sentence(site):
    return sentence_of(a_project([SOURCE]))


def problems(sentence, answer) -> list[tuple[str, str, bool]]:
    return [
        (problem.code, problem.field, problem.blocking)
        for problem in prepare(sentence, answer).problems
    ]


def test_ann_9_exactly_one_of_three_decisions(sentence):
    assert problems(sentence, correction("他汉语说得很好。")) == []
    assert problems(sentence, error_free()) == []
    assert problems(sentence, not_annotatable()) == []
    assert problems(sentence, Answer(Decision.CORRECTED)) == [("ANN-9", "decision", True)]
    for decision in (Decision.ERROR_FREE, Decision.NOT_ANNOTATABLE):
        mixed = Answer(decision, ("他汉语说得很好。",), reason="")
        assert ("ANN-9", "decision", True) in problems(sentence, mixed)


def test_ann_6_not_annotatable_needs_a_reason_and_other_needs_words(sentence):
    assert problems(sentence, not_annotatable("")) == [("ANN-6", "reason", True)]
    assert problems(sentence, not_annotatable("bored")) == [("ANN-6", "reason", True)]
    assert problems(sentence, not_annotatable("other", " ")) == [("ANN-6", "note", True)]
    assert problems(sentence, not_annotatable("other", "一首歌")) == []
    stray = Answer(Decision.ERROR_FREE, reason="traditional")
    assert problems(sentence, stray) == [("ANN-9", "reason", True)]


def test_ann_7_error_free_is_a_decision_and_no_text(sentence):
    result = prepare(sentence, error_free())
    assert (result.decision, result.texts) == (Decision.ERROR_FREE, ())


@pytest.mark.parametrize("text", [SOURCE, f" {SOURCE}\n", f"{SOURCE[:3]}\u200b{SOURCE[3:]}"])
def test_ann_10_a_correction_equal_to_the_source_is_refused(sentence, text):
    assert problems(sentence, correction("好。", text)) == [("ANN-10", "reference-1", True)]


def test_ann_10_half_and_full_width_differ(sentence):
    problems = prepare(sentence, correction(SOURCE.replace("，", ","))).problems
    assert not any(problem.blocking for problem in problems)


def test_ann_11_equal_boxes_are_merged_in_order(sentence):
    result = prepare(sentence, correction("一。", "二。", " 一。", "e\u0301", "é"))
    assert result.texts == ("一。", "二。", "e\u0301")
    assert (result.merged, result.problems) == (2, ())


def test_ann_12_line_ends_and_invisible_characters_go_and_are_counted(sentence):
    result = prepare(
        sentence, correction("一\n二\t三\u200b\ufeff。", "四\u00ad。", note=" 好\0"[:2])
    )
    assert result.texts == ("一 二 三。", "四。")
    assert (result.removed, result.note) == (3, "好")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "ANN-12"),
        (" \u200b\n", "ANN-12"),
        ("a\0b", "ANN-12-nul"),
        ("a\ud83d", "ANN-12-surrogate"),
        ("x" * (LONGEST + 1), "ANN-12-too_long"),
    ],
)
def test_ann_12_empty_damaged_and_endless_corrections_are_refused_by_box(sentence, text, code):
    result = prepare(sentence, correction("好。", text))
    assert [(problem.code, problem.field) for problem in result.problems] == [(code, "reference-1")]


def test_ann_12_a_note_has_its_own_limit(sentence):
    result = prepare(sentence, correction("好。", note="x" * (LONGEST_NOTE + 1)))
    assert [(problem.code, problem.field) for problem in result.problems] == [
        ("ANN-12-too_long", "note")
    ]
    assert result.note == ""


def test_ann_4_there_are_no_more_corrections_than_the_project_takes(sentence):
    five = [f"第{n}。" for n in range(5)]
    assert problems(sentence, correction(*five, "第0。")) == []
    assert problems(sentence, correction(*five, "再来。")) == [("ANN-4", "reference-5", True)]


def test_con_5_to_9_are_told_and_refuse_nothing(sentence):
    text = "他的汉语說得很好,我们[MC]去 # 北京"
    problems = prepare(sentence, correction("好。", text)).problems
    assert {problem.code for problem in problems} >= {"CON-5", "CON-6", "CON-9"}
    assert {problem.field for problem in problems} == {"reference-1"}
    assert not any(problem.blocking for problem in problems)
    assert problems[0].kind


def ruled(rule: str, level: str, *texts: str) -> list[tuple[str, str, bool]]:
    project = a_project([SOURCE], slug=level, rules={rule: level} if level else {})
    return problems(sentence_of(project), correction(*texts))


def test_con_3_and_4_are_asked_about_an_answer_that_no_golden_set_could_hold(sentence):
    mixed = correction("他[缺失成分]说汉语。", "他说汉语说得好。")
    assert problems(sentence, mixed) == [("CON-3", "reference-1", False)]
    more = correction("他[缺失成分]说汉语。", "他[缺失成分]说[缺失成分]汉语。")
    assert problems(sentence, more) == [("CON-4", "reference-1", False)]
    elsewhere = correction("[缺失成分]他汉语说得很好。", "他汉语说得很好[缺失成分]。")
    assert problems(sentence, elsewhere) == [("CON-4-position", "reference-1", False)]
    assert problems(sentence, correction("他[缺失成分]说汉语。", "他[缺失成分]讲汉语。")) == []


@pytest.mark.parametrize(
    ("level", "expected"), [("off", []), ("warn", [False]), ("block", [False])]
)
def test_a_rule_that_is_on_asks_and_stops_no_submission(site, level, expected):
    mixed = ("他[缺失成分]说汉语。", "他说汉语说得好。")
    assert [blocks for _, _, blocks in ruled("CON-3", level, *mixed)] == expected


def test_con_9_asks_where_the_project_refuses_traditional_ones(site):
    sentence = sentence_of(a_project(["我喜歡學習。"], rules={"CON-9": "block"}))
    assert problems(sentence, error_free()) == [("CON-9", "decision", False)]
    assert ("CON-9", "decision", False) in problems(sentence, correction("我很喜欢学习。"))
    assert problems(sentence, not_annotatable("traditional")) == []


def test_con_4_names_the_other_box_as_the_page_numbers_it_after_equal_ones(sentence):
    none, first, second = "他说汉语。", "他[缺失成分]说汉语。", "他[缺失成分]说[缺失成分]汉语。"
    problems = prepare(sentence, correction(none, none, first, second)).problems
    assert [(problem.code, problem.field) for problem in problems] == [
        ("CON-3", "reference-0"),
        ("CON-4", "reference-3"),
    ]
    assert problems[1].values["other"] == 3


def test_a_rule_that_is_off_says_nothing(site):
    off = sentence_of(a_project([SOURCE], rules={"CON-6": "off"}))
    assert problems(off, correction("好,好。")) == []
