"""Spelling hints for Chinese: what is exchanged, what is left alone, and what it costs to ask."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from corrector_checks import EN, ZH, check_corrector
from hypothesis import given
from hypothesis import strategies as st
from messages import expect_error

from gecbench.backends import dictionaries
from gecbench.backends.dictionaries import WordList, jieba_words
from gecbench.core.corrector import Corrector
from gecbench.core.errors import FormatError, MissingExtraError, UnknownNameError, UsageError
from gecbench.lang.zh.sounds import Sounds
from gecbench.models import load_corrector
from gecbench.models.lexical.chinese import (
    COVERED,
    TWICE,
    build_unigrams,
    find_replacements,
    index_homophones,
    segment,
)


@pytest.fixture(scope="module")
def corrector() -> Corrector:
    return load_corrector("zh-homophone")


def corrected_text(corrector: Corrector, text: str) -> str:
    return corrector.correct([text])[0].text


def test_laws(corrector: Corrector) -> None:
    check_corrector(lambda: corrector, [*ZH, *EN])


def test_loading_again_gives_the_same(corrector: Corrector) -> None:
    again = load_corrector("zh-homophone")
    assert again.info == corrector.info
    assert again.correct(ZH) == corrector.correct(ZH)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("我今天很高心。", "我今天很高兴。"),  # -n for -ng
        ("他们因该去操场。", "他们应该去操场。"),
        ("我要去银航取钱。", "我要去银行取钱。"),  # a reading that 行 has in this word
        ("她是行空公司的职员。", "她是航空公司的职员。"),  # one that the wrong character may have
        ("我上个星期去了孝长办公室。", "我上个星期去了校长办公室。"),
        ("我已经习贯了，可是她还没习贯。", "我已经习惯了，可是她还没习惯。"),  # two places
        ("ABC：我已经习贯了😀", "ABC：我已经习惯了😀"),
    ],
)
def test_a_character_is_exchanged_for_one_that_sounds_alike(
    corrector: Corrector, wrong: str, right: str
) -> None:
    (result,) = corrector.correct([wrong])
    assert result.text == right
    assert {edit.label for edit in result.edits} == {"same sound"}
    assert all(edit.score is not None and edit.score >= 0.5 for edit in result.edits)


@pytest.mark.parametrize(
    "text",
    [
        "我喜欢学习汉语。",
        "我今天很高興，因為習貫。",  # traditional, with an error
        "他已經习贯了这里的生活。",  # a clause with one traditional character
        "abc 123 １２３ ＡＢＣ [MASK] <unk> {name}",
        "\ue000\ue001\ue002\ue003",  # what sounds are written with within
        "习",
        "王小明和李晓鸣是朋友。",
        "圆周率是三点一四一五九二六。",  # numbers, whatever they sound like
    ],
)
def test_what_is_left_alone(corrector: Corrector, text: str) -> None:
    assert corrected_text(corrector, text) == text


def test_a_stray_traditional_character_protects_its_clause_only(corrector: Corrector) -> None:
    long = "这里的生活和工作都很有意思，" * 3
    text = f"他已經习贯了，{long}我已经习贯了。"
    assert corrected_text(corrector, text) == f"他已經习贯了，{long}我已经习惯了。"


def test_a_higher_threshold_makes_it_more_careful() -> None:
    careful = load_corrector("zh-homophone", {"threshold": "100"})
    assert corrected_text(careful, "我今天很高心。") == "我今天很高心。"
    assert careful.info.signature["threshold"] == "100.0"


def test_clean_text_and_own_words_have_a_say(tmp_path: Path) -> None:
    clean, words = tmp_path / "clean.txt", tmp_path / "words.txt"
    clean.write_text("学生们都去北京。\n老师和学生们都来了。\n" * 20, encoding="utf-8")
    words.write_text("习贯\n\n", encoding="utf-8")
    corrector = load_corrector("zh-homophone", {"text": str(clean), "words": str(words)})
    assert corrected_text(corrector, "我已经习贯了。") == "我已经习贯了。"
    assert {"text", "weight", "words"} <= corrector.info.signature.keys()
    model = corrector.characters
    assert model is not None
    assert model.gain("学生门都", 2, 3, "们") > 1
    assert math.isclose(
        sum(math.exp(model.log("学生" + c)) for c in list_ngrams(model)) + rest(model), 1
    )


def list_ngrams(model: object) -> list[str]:
    return list(model.levels[0].seen)


def rest(model: object) -> float:
    return math.exp(model.log("学生犇"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"treshold": 3}, "unknown option of zh-homophone 'treshold'; did you mean threshold"),
        ({"weight": math.inf}, "option weight of zh-homophone: it is inf; expected float <= 1000"),
        ({"threshold": -1}, "option threshold of zh-homophone: it is -1; expected float >= 0"),
    ],
)
def test_a_wrong_option_is_one_line(options: dict[str, object], message: str) -> None:
    with pytest.raises((UnknownNameError, UsageError), match=message):
        load_corrector("zh-homophone", options)


def test_files_that_hold_nothing_of_use_are_one_line(tmp_path: Path) -> None:
    empty, blanks = tmp_path / "empty.txt", tmp_path / "blanks.txt"
    empty.write_text("\n \n", encoding="utf-8")
    blanks.write_text("高兴\n两 个\n", encoding="utf-8")
    with expect_error(FormatError, "empty.txt", "no text"):
        load_corrector("zh-homophone", {"text": str(empty)})
    with expect_error(FormatError, "blanks.txt:2", "'两 个'"):
        load_corrector("zh-homophone", {"words": str(blanks)})


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionaries, "find_spec", lambda _: None)
    with expect_error(MissingExtraError, "jieba", "gecbench[spelling]"):
        jieba_words()


def test_it_is_called_spelling_hints(corrector: Corrector) -> None:
    assert corrector.info.about.startswith("Spelling hints")
    assert corrector.info.signature["dictionary"].startswith("jieba 0.42.1 ")


ALPHABET = "甲乙丙丁"
SOUNDS = Sounds("made", {ord("甲"): "x", ord("乙"): "x", ord("丙"): "y", ord("丁"): "y"}, {}, {})


@given(
    words=st.dictionaries(
        st.text(ALPHABET, min_size=1, max_size=4), st.integers(1, 1000), min_size=1, max_size=15
    ),
    text=st.text(ALPHABET, min_size=2, max_size=7),
)
def test_gains_are_those_of_dividing_the_changed_text_anew(
    words: dict[str, int], text: str
) -> None:
    known = build_unigrams(WordList("made", tuple(words), tuple(words.values())))
    division = segment(text, known)
    index = index_homophones(known, SOUNDS)
    result: dict[tuple[int, int, str], float] = {}
    for replacement in find_replacements(text, division, known, index, least=-1e9):
        covered = any(
            division.before[a] + log + division.after[b] >= division.best - 1e-9
            for a, b, log in division.words
            if a < replacement.end and replacement.start < b
        )
        extra = COVERED * covered + TWICE * (replacement.end - replacement.start - 1)
        key = replacement.start, replacement.end, replacement.replacement
        result[key] = max(result.get(key, -1e9), replacement.gain + extra)
    for (start, end, replacement), gain in result.items():
        other = text[:start] + replacement + text[end:]
        # A change is offered for a word over it; one alone in the best division is not.
        alone = segment(other, known).best - division.best
        assert gain <= alone + 1e-9
        over = [e for e in segment(other, known).words if e[0] <= start and e[1] >= end]
        after = segment(other, known)
        through = [after.before[a] + log + after.after[b] for a, b, log in over]
        assert math.isclose(gain, max(through) - division.best, abs_tol=1e-9)
