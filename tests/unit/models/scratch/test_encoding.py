"""From texts to units and back: characters, words, unknown ones, simplified ones."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import expect_error

from gecbench.backends import chinese
from gecbench.core.errors import FormatError, UnknownNameError, UsageError
from gecbench.models.scratch.encoding import (
    END,
    UNKNOWN,
    UnitEncoding,
    build_unit_vocabulary,
    character_divider,
    keep_length,
    load_simplifier,
    read_unit_vocabulary,
    vocabulary_hash,
    word_divider,
    write_unit_vocabulary,
)
from gecbench.models.seq2seq.corrector import restore_source

divider = cache(word_divider)  # jieba reads its dictionary for a second
TEXTS = st.text(st.sampled_from("我们去ok3，。 \t\n😀龘é"), max_size=12)


@given(TEXTS)
def test_characters_are_all_of_a_text(text) -> None:
    pieces = character_divider().divide(text)
    assert [piece.end for piece in pieces[:-1]] == [piece.start for piece in pieces[1:]]
    assert "".join(text[p.start : p.end] for p in pieces) == text
    assert all(p.text == (" " if text[p.start].isspace() else text[p.start]) for p in pieces)


@pytest.mark.parametrize(("segmenter", "language"), [("", "zh"), ("", "en"), ("space", "zh")])
@given(TEXTS)
def test_words_are_all_but_the_blanks(segmenter, language, text) -> None:
    pieces = divider(segmenter, language).divide(text)
    assert "".join(piece.text for piece in pieces) == "".join(text.split())
    for piece in pieces:
        assert "".join(text[piece.start : piece.end].split()) == piece.text


def test_what_divides_says_its_version() -> None:
    assert divider("", "zh").name.startswith("jieba 0.")
    assert word_divider("", "en").name == "en"
    assert word_divider("", "zh").name.startswith("jieba")
    assert word_divider("space", "ja").name == "space"
    with pytest.raises(UsageError, match=r"'ja'.*segmenter"):
        word_divider("", "ja")
    with pytest.raises(UnknownNameError, match=r"segmenter 'jeiba'.*jieba"):
        word_divider("jeiba", "zh")
    with expect_error(UsageError, "segmenter jieba", "'x'"):
        word_divider("jieba:x", "zh")


def test_what_was_divided_is_not_remembered(monkeypatch) -> None:
    result: list[object] = []
    real = chinese._check_words
    monkeypatch.setattr(
        chinese, "_check_words", lambda name, cut: result.append(real(name, cut)) or result[0]
    )
    second_divider = word_divider("jieba", "zh")
    assert [p.text for p in second_divider.divide("我们去学校。")] == ["我们", "去", "学校", "。"]
    assert result[0].cache_info().currsize == 0


def build_unit_encoding(units: str | tuple[str, ...], dividing, simplify=None) -> UnitEncoding:
    return UnitEncoding(tuple(units), dividing, simplify)


@given(TEXTS.filter(str.strip), TEXTS)
def test_a_copied_source_is_the_source_whatever_is_unknown(text, known) -> None:
    text = text.strip()
    for item in (character_divider(), divider("", "zh"), divider("space", "en")):
        encoding = build_unit_encoding(tuple(dict.fromkeys(known)), item)
        source = encoding.source(text)
        assert encoding.source_ids(text) == source.ids
        assert source.ids[-1] == END
        assert encoding.target_ids(text) == source.ids
        restoration = restore_source(text, source.units, encoding.answer(source.ids[:-1]))
        assert restoration.text == text
        assert restoration.unknown == (UNKNOWN in source.ids)


def test_unknown_words_come_from_the_source() -> None:
    encoding = build_unit_encoding(("我", "认识", "很", "他"), word_divider("space", "zh"))
    source = encoding.source("我 认识 王小明")
    assert source.ids == (4, 5, UNKNOWN, END)
    restoration = restore_source(
        "我 认识 王小明", source.units, encoding.answer((4, 6, 5, UNKNOWN))
    )
    assert (restoration.text, restoration.unknown) == ("我 很 认识 王小明", True)
    lost = restore_source(
        "我 认识", encoding.source("我 认识").units, encoding.answer((4, 5, UNKNOWN))
    )
    assert "unknown" not in lost.text


@pytest.mark.parametrize(
    ("segmenter", "source", "target"),
    [
        ("en", "But hes happy", "However, she is happy"),
        ("en", "x", "Yes. No! Why? Fine; ok: go"),
        ("en", "hello world", "Hello, my world!"),
        ("en", "a 1", "See www.site.org, U.S. Then 3.5: those"),
        ("en", "I like apples fruit", "I like apples (fruit)"),
        ("en", 'say "the word" now', 'say "word" now'),
        ("en", "word(s) of it", "ward(s) of it"),
        ("en", "cant", "can't"),
        ("space", "我 认识 王", "我 很 认识 王"),
        ("space", "(a b", "(A (c) d) e"),
        ("space", "He said", 'He said, "hi there" .'),
        ("space", "go\u3000home now", "go\u3000home, now"),
        ("jieba", "我有苹果", "我有西瓜,Abc"),
    ],
)
def test_new_words_have_the_blanks_of_their_language(segmenter, source, target) -> None:
    dividing = divider(segmenter, "en")
    known = [piece.text for text in (source, target) for piece in dividing.divide(text)]
    encoding = build_unit_encoding(tuple(dict.fromkeys(known)), dividing)
    written = encoding.answer(encoding.target_ids(target)[:-1])
    assert restore_source(source, encoding.source(source).units, written).text == target


def test_blanks_are_written_where_units_are_characters() -> None:
    encoding = build_unit_encoding("ok we", character_divider())
    source = encoding.source("we ok")
    restoration = restore_source(
        "we ok", source.units, encoding.answer(encoding.target_ids("we o k")[:-1])
    )
    assert restoration.text == "we o k"
    assert restore_source(
        "we ok", source.units, encoding.answer(encoding.target_ids("weok")[:-1])
    ).text == ("weok")


def test_traditional_characters_are_read_as_simplified_ones_and_stay() -> None:
    name, simplify = load_simplifier()
    assert name.startswith("t2s(opencc ")
    encoding = build_unit_encoding("我学习汉语语", character_divider(), simplify)
    source = encoding.source("我學習漢吾")
    assert source.ids[:4] == encoding.source("我学习汉").ids[:4]
    restoration = restore_source(
        "我學習漢吾", source.units, encoding.answer(encoding.target_ids("我学习漢語")[:-1])
    )
    assert restoration.text == "我學習漢语"


def test_a_change_of_length_is_undone_character_by_character() -> None:
    longer = {"甲乙": "丙丙丙", "甲": "丁", "乙": "戊己"}
    assert keep_length("甲乙", lambda text: longer.get(text, text)) == "丁乙"
    assert keep_length("甲", lambda text: longer.get(text, text)) == "丁"


def test_the_most_frequent_units_are_known(tmp_path: Path) -> None:
    texts = ["我我们们们去", "去"]
    units = build_unit_vocabulary(texts, tuple, size=2, min_count=1)
    assert units == ("们", "去")
    assert build_unit_vocabulary(texts, tuple, size=0, min_count=2) == ("们", "去", "我")
    with expect_error(UsageError, "model.vocabulary.min_count", "9 times"):
        build_unit_vocabulary(texts, tuple, size=0, min_count=9)
    path = tmp_path / "vocabulary.json"
    write_unit_vocabulary(path, units)
    assert read_unit_vocabulary(path) == units
    assert vocabulary_hash(units) != vocabulary_hash(units[::-1])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "vocabulary.json:1: not JSON"),
        ('{"a": 1}', "list of units"),
        ('["a", 1]', "list of units"),
        ('["a", "a"]', "has a unit twice"),
        ('["a", ""]', "has a unit without text"),
        ("[" * 100_000, "list of units"),
        (r'["\udc00unknown"]', "vocabulary.json: "),
    ],
)
def test_a_damaged_vocabulary_is_refused(tmp_path: Path, content, message) -> None:
    path = tmp_path / "vocabulary.json"
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        read_unit_vocabulary(path)
