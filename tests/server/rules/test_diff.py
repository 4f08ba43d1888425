"""The live diff: it marks what the scorer counts, and its pieces rebuild both texts."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from server.diff_cases import CASES, WORDS, Case

from gecbench.api.files import load
from gecbench.core.edit import apply
from gecbench.lang.zh.char import PLACEHOLDER, parse, scheme
from gecbench.server.rules.diff import Diff, Piece, diff, extract_edits, tokenize
from gecbench.server.rules.options import PLACEHOLDER as OPTION

CHANGED = ("delete", "insert", "replace", "move_from", "move_to")
TEXTS = st.text(alphabet="甲乙ab ,.'-3 \u3000\u0301👩👍🏽\u200d🇨🇳[缺失成分]", max_size=14)
LANGS = st.sampled_from(["zh", "en"])


def of(case: Case) -> Diff:
    return diff(case.source, case.target, lang=case.lang, placeholder=case.placeholder)


def drawn(source: str, target: str, lang: str = "zh") -> list[tuple[str, str, str]]:
    return [
        (piece.op, piece.source, piece.target) for piece in diff(source, target, lang=lang).pieces
    ]


def rebuilt(pieces: tuple[Piece, ...]) -> tuple[str, str]:
    return "".join(piece.source for piece in pieces), "".join(piece.target for piece in pieces)


def check(difference: Diff, source: str, target: str) -> None:
    """Hold the laws of a diff."""
    assert rebuilt(difference.pieces) == (source, target)
    shown = [number for piece in difference.pieces for number in piece.edits]
    assert shown == list(range(1, difference.edits + 1))
    for piece in difference.pieces:
        assert (piece.op in CHANGED) == bool(piece.edits)
        assert (piece.op == "equal") == (piece.source == piece.target)
        assert piece.source or piece.target
        assert (piece.op in ("delete", "move_from")) == (piece.target == "" and piece.op != "space")
        assert (piece.op in ("insert", "move_to")) == (piece.source == "" and piece.op != "space")
        if piece.op == "space":
            assert "".join(piece.source.split()) == "".join(piece.target.split())
    for kind in ("move_from", "move_to"):
        moves = [piece.move for piece in difference.pieces if piece.op == kind]
        assert len(moves) == len(set(moves))
        assert set(moves) == {piece.move for piece in difference.pieces} - {None}


def check_graphemes(difference: Diff) -> None:
    """No cut between pieces is inside a grapheme, of the source or of the target."""
    for side in ("source", "target"):
        text = "".join(getattr(piece, side) for piece in difference.pieces)
        cuts = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
        at = 0
        for piece in difference.pieces:
            if getattr(piece, side) and piece.op in CHANGED:
                assert {at, at + len(getattr(piece, side))} <= cuts
            at += len(getattr(piece, side))


def test_the_table_has_at_least_500_cases():
    assert len(set(CASES)) >= 500


@pytest.mark.parametrize("place", range(0, len(CASES), 20))
def test_pieces_rebuild_both_texts_and_show_each_edit_once(place: int):
    for case in CASES[place : place + 20]:
        difference = of(case)
        check(difference, case.source, case.target)
        check_graphemes(difference)


@given(TEXTS, TEXTS, LANGS)
def test_any_two_texts_are_rebuilt(source: str, target: str, lang: str):
    difference = diff(source, target, lang=lang)
    check(difference, source, target)
    check_graphemes(difference)


@pytest.mark.parametrize("place", range(0, len(CASES), 20))
def test_chinese_edits_are_those_of_the_scheme(place: int):
    extract = scheme().extract
    for case in CASES[place : place + 20]:
        if case.lang != "zh" or case.placeholder != PLACEHOLDER:
            continue
        sides = [tokenize(text, "zh", PLACEHOLDER) for text in (case.source, case.target)]
        edit_set = extract(parse(case.source), parse(case.target)).edit_sets[0]
        assert extract_edits(*sides) == edit_set
        assert of(case).edits == len(edit_set)
        if not any(len(piece.edits) > 1 for piece in of(case).pieces):
            check_shapes(of(case), edit_set)


def check_shapes(difference: Diff, edits: tuple) -> None:
    """Each piece of one edit shows that edit: its shape, its tokens, and whether it moves."""
    for piece in difference.pieces:
        if not piece.edits:
            continue
        edit = edits[piece.edits[0] - 1]
        shape = {"S": "replace", "R": "delete", "M": "insert", "W:R": "move_from"}
        shape["W:M"] = "move_to"
        if piece.op != "replace":  # a replacement may have been widened to whole graphemes
            assert (
                piece.op == shape[edit.label] or piece.op == {"R": "delete", "M": "insert"}[edit.op]
            )
            text = piece.target if edit.op == "M" else piece.source
            moved = edit.replacement if edit.op == "M" else None
            assert parse(text).tokens == (moved or parse(text).tokens)


def test_the_projects_placeholder_is_the_schemes():
    assert OPTION == PLACEHOLDER


@pytest.mark.parametrize("place", range(0, len(CASES), 20))
def test_edits_make_the_target_of_the_source(place: int):
    for case in CASES[place : place + 20]:
        first, second = (
            [token.form for token in side]
            for side in (
                tokenize(case.source, case.lang, case.placeholder),
                tokenize(case.target, case.lang, case.placeholder),
            )
        )
        edits = extract_edits(
            tokenize(case.source, case.lang, case.placeholder),
            tokenize(case.target, case.lang, case.placeholder),
        )
        assert apply(edits, first) == tuple(second)


@pytest.mark.parametrize(
    ("source", "target", "lang", "pieces"),
    [
        ("", "", "zh", []),
        ("我去", "我去", "zh", [("equal", "我去", "我去")]),
        ("舒舍", "宿舍", "zh", [("replace", "舒", "宿"), ("equal", "舍", "舍")]),
        ("我去", "我[缺失成分]去", "zh",
         [("equal", "我", "我"), ("insert", "", "[缺失成分]"), ("equal", "去", "去")]),
        ("昨天我去", "我昨天去", "zh",
         [("move_to", "", "我"), ("equal", "昨天", "昨天"), ("move_from", "我", ""),
          ("equal", "去", "去")]),
        ("我 去", "我去", "zh", [("equal", "我", "我"), ("space", " ", ""), ("equal", "去", "去")]),
        ("我 大 家", "我家", "zh",
         [("equal", "我", "我"), ("delete", " 大 ", ""), ("equal", "家", "家")]),
        ("e", "e\u0301", "zh", [("replace", "e", "e\u0301")]),
        ("👩‍💻好", "👩好", "zh", [("replace", "👩‍💻", "👩"), ("equal", "好", "好")]),
        ("[缺失 成分]", "[缺失成分]", "zh", [("space", "[缺失 成分]", "[缺失成分]")]),
        ("ab c", "a c", "zh", [("equal", "a", "a"), ("delete", "b", ""), ("equal", " c", " c")]),
        ("a c", "ab c", "zh", [("equal", "a", "a"), ("insert", "", "b"), ("equal", " c", " c")]),
        ("a big dog runs", "a dog runs", "en",
         [("equal", "a ", "a "), ("delete", "big ", ""), ("equal", "dog runs", "dog runs")]),
        ("a dog", "a dog barks", "en", [("equal", "a dog", "a dog"), ("insert", "", " barks")]),
        ("well known", "well-known", "en",
         [("equal", "well", "well"), ("space", " ", ""), ("insert", "", "-"),
          ("equal", "known", "known")]),
        ("it don't work", "it doesn't work", "en",
         [("equal", "it ", "it "), ("replace", "don't", "doesn't"), ("equal", " work", " work")]),
    ],
)  # fmt: skip
def test_what_is_drawn(source: str, target: str, lang: str, pieces: list):
    assert drawn(source, target, lang) == pieces


def marked(difference: Diff) -> str:
    """The pieces as `WORDS` writes them."""
    signs = {"delete": "--", "insert": "++", "move_from": "<<", "move_to": ">>"}
    parts = []
    for piece in difference.pieces:
        if piece.op == "replace":
            parts.append(f"-{piece.source}-+{piece.target}+")
        elif piece.op in signs:
            parts.append((piece.source or piece.target).join(signs[piece.op]))
        else:
            parts.append(piece.target)
    return "".join(parts)


@pytest.mark.parametrize(("case", "drawn"), WORDS, ids=[case.source for case, _ in WORDS])
def test_what_rewrites_a_word_is_one_deletion_and_one_insertion(case: Case, drawn: str):
    assert marked(of(case)) == drawn


def test_the_table_of_words_has_at_least_40_pairs_of_both_languages():
    assert len(WORDS) >= 40
    assert {case.lang for case, _ in WORDS} == {"zh", "en"}


@pytest.mark.slow
def test_hardly_a_word_of_real_rewritings_is_in_several_changes(shared):
    """In MuCGEC's dev set it is 13 words of jieba's in 2,409 texts, as 受欢迎 that becomes 喜欢."""
    jieba = pytest.importorskip("jieba")
    rewritings, several = 0, 0
    for sample in load(shared / "data" / "mucgec" / "MuCGEC_dev.txt").samples:
        words, at = [], 0
        for word in jieba.cut(sample.source):
            words.append((at, at + len(word)))
            at += len(word)
        for text in {rewrite.text for rewrite in sample.references} - {None, sample.source}:
            rewritings += 1
            ends, at = [], 0  # of unchanged pieces that are inside a word, between two changes
            pieces = diff(sample.source, text, lang="zh").pieces
            for piece in pieces:
                if piece.op == "equal":
                    ends.append((at, at + len(piece.source)))
                at += len(piece.source)
            several += sum(
                any(start < first and last < end for first, last in ends) for start, end in words
            )
    assert rewritings == 2409
    assert several <= 13


def test_words_change_nothing_of_the_count():
    difference = diff("我们的食粮问题上", "我们在粮食方面", lang="zh")
    assert [piece.edits for piece in difference.pieces] == [
        (),
        tuple(range(1, difference.edits + 1)),
    ]
    assert difference.edits > 1


def test_both_ends_of_a_move_count_and_share_a_number():
    difference = diff("昨天我去了他家", "我昨天去他家了", lang="zh")
    assert difference.edits == 4
    assert sorted(piece.move for piece in difference.pieces if piece.move) == [1, 1, 2, 2]


def test_equal_moves_are_paired_from_the_left():
    difference = diff("甲一二三四甲五六七八", "一二甲三四五六甲七八", lang="zh")
    assert [(piece.op, piece.move) for piece in difference.pieces if piece.move] == [
        ("move_from", 1),
        ("move_to", 1),
        ("move_from", 2),
        ("move_to", 2),
    ]


def test_a_move_into_a_grapheme_is_drawn_as_what_it_is_there():
    difference = diff("e甲乙丙\u0301", "甲乙丙e\u0301", lang="zh")
    assert [(piece.op, piece.source, piece.move) for piece in difference.pieces] == [
        ("delete", "e", None),
        ("equal", "甲乙", None),
        ("replace", "丙\u0301", None),
    ]
    back = diff("甲乙丙e\u0301", "e甲乙丙\u0301", lang="zh")
    assert [piece.op for piece in back.pieces] == ["insert", "equal", "replace"]
    assert difference.edits == back.edits == 2


def test_english_white_space_is_not_counted():
    assert diff("well - known", "well-known", lang="en").edits == 0


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("It's 3.5 km-long!", ["It's", "3.5", "km", "-", "long", "!"]),
        ("1,000. 'Yes'", ["1,000", ".", "'", "Yes", "'"]),
        ("don’t naïve e\u0301t", ["don’t", "naïve", "e\u0301t"]),
        ("a 茶叶b", ["a", "茶", "叶", "b"]),
        ("it'茶 3.茶", ["it", "'", "茶", "3", ".", "茶"]),
        ("👍🏽👩‍💻", ["👍🏽", "👩‍💻"]),
        ("x [MC]y", ["x", "[MC]", "y"]),
        ("x.5 5.x", ["x", ".", "5", "5", ".", "x"]),
        ("a.b 'n' '", ["a", ".", "b", "'", "n", "'", "'"]),
        ("a \u0301b", ["a", " \u0301", "b"]),
    ],
)
def test_english_words(text: str, forms: list[str]):
    assert [token.form for token in tokenize(text, "en", "[MC]")] == forms


@given(TEXTS, LANGS)
def test_between_tokens_there_is_white_space_only(text: str, lang: str):
    done = 0
    for token in tokenize(text, lang, "[缺失成分]"):
        assert text[done : token.start].strip() == ""
        assert token.form == "".join(text[token.start : token.end].split()) or lang == "en"
        done = token.end
    assert text[done:].strip() == ""
