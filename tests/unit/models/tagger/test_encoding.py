"""How tokens become the positions that an encoder reads."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import expect_error

from gecbench.core.errors import FormatError, GecbenchError
from gecbench.models.tagger.encoding import (
    EncodingLayout,
    Subwords,
    TaggerEncoding,
    build_own_encoding,
    build_own_pieces,
    read_encoding,
    read_own_pieces,
    read_subwords,
)

WORDS = ["walks", "talks", "the", "the", "walk", "walk", "talk", "talk", "中", "国"]


def encoding(**more: int) -> TaggerEncoding:
    sizes = {"max_tokens": 9, "max_positions": 30, "pieces_per_token": 5}
    return build_own_encoding(build_own_pieces([WORDS], 100), **{**sizes, **more})


def test_positions_begin_with_start_and_point_at_first_pieces():
    (result,) = encoding().positions([["walk", "zzz", "walks"]])
    start, walk, unknown = result.ids[0], result.ids[1], result.ids[2]
    assert (start, unknown) == (2, 1)
    assert result.firsts == (0, 1, 2, 5)
    assert result.ids[5] == walk
    assert len(result.ids) == 7  # walk + ##s


def test_an_ending_is_shared_by_words_that_have_it():
    pieces = build_own_pieces([WORDS], 100)
    (walks, talks) = pieces.split(["walks", "talks"])
    assert walks[-1] == talks[-1]


def test_a_long_word_is_read_in_part_and_a_long_sentence_too():
    (result,) = encoding(pieces_per_token=2).positions([["zzzzzzzz", "the"]])
    assert result.firsts == (0, 1, 3)
    (result,) = encoding(max_tokens=2).positions([["the"] * 7])
    assert len(result.firsts) == 3
    (result,) = encoding(max_positions=4).positions([["the", "walks", "the"]])
    assert result.firsts == (0, 1, 2)
    assert len(result.ids) == 4
    (result,) = encoding(max_positions=3).positions([["the", "walks", "the"]])
    assert result.firsts == (0, 1)  # a token is read whole, or not at all


def test_the_size_bounds_pieces_but_never_characters():
    assert build_own_pieces([WORDS], 1).size > 3
    small, large = build_own_pieces([WORDS], 1), build_own_pieces([WORDS], 1000)
    assert small.size < large.size
    assert len(small.split(["walk"])[0]) == 4
    assert len(large.split(["walk"])[0]) == 1


@given(st.lists(st.lists(st.text(min_size=1, max_size=8), max_size=6), max_size=5))
def test_every_token_has_a_place_and_nothing_depends_on_what_came_before(sentences):
    fresh, used = encoding(max_positions=99), encoding(max_positions=99)
    used.positions([["other", "tokens"]])
    together = used.positions(sentences)
    assert together == [fresh.positions([tokens])[0] for tokens in sentences]
    for tokens, result in zip(sentences, together, strict=True):
        assert len(result.firsts) == len(tokens) + 1
        assert max(result.ids) < fresh.pieces.size


def test_an_encoding_is_the_same_after_saving(tmp_path):
    encoding().save(tmp_path)
    tokens = [["walks", "国", "no"]]
    assert read_encoding(tmp_path).positions(tokens) == encoding().positions(tokens)


def test_damaged_files_are_one_line(tmp_path):
    with expect_error(GecbenchError, "encoding.json", "no such file"):
        read_encoding(tmp_path)
    encoding().save(tmp_path)
    (tmp_path / "pieces.json").write_text('["a"]', encoding="utf-8")
    with expect_error(FormatError, "pieces.json", "<pad>"):
        read_own_pieces(tmp_path)
    (tmp_path / "pieces.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(FormatError, match=r"pieces\.json: .*expected a string"):
        read_own_pieces(tmp_path)
    (tmp_path / "encoding.json").write_text('{"pad": 0}', encoding="utf-8")
    with pytest.raises(FormatError, match=r"encoding\.json: .*pieces"):
        read_encoding(tmp_path)
    for content in ("[]", "{}", "{"):
        (tmp_path / "tokenizer.json").write_text(content, encoding="utf-8")
        with expect_error(FormatError, "tokenizer.json"):
            read_subwords(tmp_path)


def byte_level() -> str:
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocabulary = {"<unk>": 0, "Ġ": 1, "a": 2, "Ġa": 3, "Ã": 4, "©": 5}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("Ġ", "a")], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer.to_str()


def test_byte_level_pieces_are_those_behind_a_blank():
    assert Subwords(byte_level()).split(["a", "aa"]) == [(3,), (3, 2)]


def test_special_tokens_in_a_text_are_text(tiny_bert):
    content = json.loads((tiny_bert("en") / "tokenizer.json").read_text(encoding="utf-8"))
    subwords = Subwords(json.dumps(content))
    ids = {item["content"]: item["id"] for item in content["added_tokens"]}
    (result,) = subwords.split(["[SEP]"])
    assert ids["[SEP]"] not in result
    assert subwords.around() == ((ids["[CLS]"],), (ids["[SEP]"],))


def test_a_token_that_the_tokenizer_drops_is_unknown(tiny_bert):
    subwords = Subwords((tiny_bert("zh") / "tokenizer.json").read_text(encoding="utf-8"))
    assert subwords.split(["\u200b"]) == [()]
    layout = EncodingLayout(
        pieces="tokenizer",
        pad=0,
        unknown=1,
        start=1,
        max_tokens=9,
        max_positions=9,
        pieces_per_token=5,
    )
    (result,) = TaggerEncoding(layout, subwords).positions([["我", "\u200b", "我"]])
    assert result.firsts == (0, 1, 2, 3)
    assert result.ids[2] == 1


def test_half_a_surrogate_pair_is_a_token_like_others(tiny_bert):
    subwords = Subwords((tiny_bert("zh") / "tokenizer.json").read_text(encoding="utf-8"))
    assert len(subwords.split(["我", "\ud800"])) == 2


def test_what_is_very_long_is_no_piece():
    address = "https://example.org/" + "abcdefghij" * 20
    pieces = build_own_pieces([[address, address, "walk", "walk"]], 1000)
    (whole,), (walk,) = pieces.split([address]), pieces.split(["walk"])
    assert len(whole) > 3  # tried from the longest piece on, long ones would take minutes
    assert len(walk) == 1
