"""What a model left alone comes back as it was written, whatever its vocabulary knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import expect_error

from gecbench.core.errors import GecbenchError
from gecbench.models.seq2seq.corrector import restore_source
from gecbench.models.seq2seq.encoding import (
    UNKNOWN,
    Unit,
    answer_units,
    choose_surface,
    source_units,
)

TEXTS = (
    "我今天很高心。",
    "这是３个ＡＢＣ和abc 123。",
    "iPhone 和 IPHONE，Café naïve",
    "😀👨‍👩‍👧\u200b标点……——“”",
    "他 说\u3000“好” !",
    "第一句。第二句！\n第三\t句",
    "[MASK]</s><s>[SEP]<unk>",
    "e\u0301 ﬁ ½ ㎏ … ①",
    "##abc ▁a Ġb <0x41>",
    "a\x00b\u00adc",
)


def encodings(places):
    from gecbench.models.seq2seq import network

    for place, more in places:
        config = network.load_seq2seq_config(str(place))
        tokenizer = network.load_fitting_tokenizer(str(place), config)
        yield network.build_subword_encoding(
            tokenizer, config, name=str(place), forced=True, **more
        )


@pytest.fixture(scope="module")
def all_encodings(zh_bart: Path, en_bart: Path, t5: Path, mbart: Path):
    places = (
        (zh_bart, {}),
        (en_bart, {}),
        (t5, {"prefix": "gec: "}),
        (mbart, {"language_code": "zh_CN"}),
    )
    return list(encodings(places))


def own_ids(encoding, text):
    """Return the ids of a text without what stands around it."""
    source = encoding.source(text).ids
    assert encoding.source_ids(text) == source
    before = len(encoding.specials.before)
    before += len(encoding.tokenizer.encode(encoding.specials.prefix, add_special_tokens=False).ids)
    return source[before : len(source) - len(encoding.specials.after)]


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_copied_is_the_source_to_the_last_byte(all_encodings, text: str) -> None:
    for encoding in all_encodings:
        read = encoding.source(text).units
        answer = encoding.answer((*encoding.specials.forced, *own_ids(encoding, text)))
        if read:
            assert restore_source(text, read, answer).text == text


def test_names_of_special_tokens_are_text_like_others(all_encodings) -> None:
    for encoding, text in zip(all_encodings[:2], ("[MASK]", "</s>"), strict=True):
        units = encoding.source(text).units
        assert len(units) > 2
        assert encoding.specials.end not in own_ids(encoding, text)


@given(text=st.text(max_size=30))
def test_whatever_is_copied_is_the_source(all_encodings, text: str) -> None:
    text = text.strip()
    for encoding in all_encodings:
        read = encoding.source(text).units
        if read:
            answer = encoding.answer(own_ids(encoding, text))
            assert restore_source(text, read, answer).text == text


@pytest.mark.parametrize(
    ("source", "answer", "text", "unknown"),
    [
        # Case, blanks and what the vocabulary lacks are the source's.
        ("我喜欢 iPhone 手几", "我 喜 欢 iphone 手 机", "我喜欢 iPhone 手机", False),
        ("龘很高心。", "[UNK] 很 高 兴 。", "龘很高兴。", True),
        ("很龘高心。", "[UNK] 很 高 兴 。", "很龘高兴。", True),
        ("Foo BAR", "foo bar", "Foo BAR", False),
        # Words written newly have blanks between them, Chinese has none.
        ("我 foo", "我 abc bar", "我 abc bar", False),
        ("我很好", "我 很 abc 好", "我很abc好", False),
        ("我foo好", "我 foo bar 好", "我foo bar好", False),
        # A blank is deleted or made where the model says so.
        ("foo bar", "foo ##bar", "foobar", False),
        ("foobar", "foo bar", "foo bar", False),
        # What is deleted takes one of the blanks beside it.
        ("我 foo 好", "我 好", "我 好", False),
        ("foo bar。", "foo 。", "foo。", False),
        ("foo 好 bar", "foo bar", "foo bar", False),
        ("他 好", "他 ！ 好", "他！ 好", False),
        # Unknown instead of something: that stays.
        ("我很abc好", "我 很 [UNK] 好", "我很abc好", True),
        ("我\u200b很高心", "我 很 高 兴", "我\u200b很高兴", False),
    ],
)
def test_a_bert_vocabulary_damages_nothing(
    all_encodings, source: str, answer: str, text: str, unknown: bool
) -> None:
    encoding = all_encodings[0]
    ids = [encoding.tokenizer.token_to_id(token) for token in answer.split()]
    ids = [encoding.specials.unknown if number is None else number for number in ids]
    assert restore_source(source, encoding.source(source).units, encoding.answer(ids)) == (
        text,
        unknown,
    )


@pytest.mark.parametrize(
    ("source", "answer", "text"),
    [
        ("He  go\nto school", "He goes to school", "He  goes\nto school"),
        ("He\u00a0go home", "He went home", "He\u00a0went home"),
        ("every day", "everyday", "everyday"),
        ("everyday", "every day", "every day"),
        ("He go .", "He go home .", "He go home ."),
        ("naïve café 😀 go", "naïve café 😀 goes", "naïve café 😀 goes"),
        ("is is right", "is right", "is right"),
    ],
)
def test_bytes_keep_blanks_where_the_source_has_other_ones(
    all_encodings, source: str, answer: str, text: str
) -> None:
    encoding = all_encodings[1]
    units = encoding.answer(own_ids(encoding, answer))
    assert restore_source(source, encoding.source(source).units, units).text == text


def test_a_piece_that_stands_for_several_characters_stays_whole_or_goes() -> None:
    read = source_units("…好", [((b"...", "?"), 0, 1), (("好".encode(), "?"), 1, 2)])
    assert [unit.text for unit in read] == [".", ".", ".", "好"]
    same = [Unit(item, "") for item in "...好"]
    assert restore_source("…好", read, same).text == "…好"
    less = [Unit(item, "") for item in "..好"]
    assert restore_source("…好", read, less).text == "..好"


def test_bytes_that_are_no_character_are_unknown() -> None:
    first, rest = "好".encode()[:1], "好".encode()[1:]
    assert [u.text for u in answer_units([(first, ""), (rest, "")])] == ["好"]
    assert [u.text for u in answer_units([(first, ""), (b"a", "")])] == [UNKNOWN]
    assert [u.text for u in answer_units([(first, "")])] == [UNKNOWN]
    assert [u.text for u in answer_units([(first, ""), (None, "?")])] == [UNKNOWN, UNKNOWN]


def test_an_unknown_kind_of_vocabulary_is_refused() -> None:
    with expect_error(GecbenchError, "model", "BPEDecoder"):
        choose_surface({"decoder": {"type": "BPEDecoder"}}, "model")
