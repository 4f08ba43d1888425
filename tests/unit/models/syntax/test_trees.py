"""Trees of sentences with errors: projection, characters, CoNLL-U."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.core.edit import Edit, apply
from gecbench.core.errors import FormatError
from gecbench.models.syntax.trees import Tree, conllu_lines, project, read_conllu, split_words


def tree_of(rows: str) -> Tree:
    words, heads, labels = zip(*(row.split("/") for row in rows.split()), strict=True)
    return Tree(words, tuple(map(int, heads)), labels)


RIGHT = tree_of("He/2/nsubj goes/0/root to/2/prep school/3/pobj today/2/tmod ./2/punct")


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            Edit(1, 2, ("go",)),
            "He/2/nsubj go/0/S to/2/prep school/3/pobj today/2/tmod ./2/punct",
        ),
        (Edit(2, 3, ()), "He/2/nsubj goes/0/root school/2/M today/2/tmod ./2/punct"),
        (Edit(1, 2, ()), "He/0/nsubj to/0/M school/2/pobj today/0/tmod ./0/punct"),
        (
            Edit(3, 3, ("in", "the")),
            "He/2/nsubj goes/0/root to/2/prep in/6/R the/6/R school/3/pobj today/2/tmod ./2/punct",
        ),
        (Edit(2, 4, ("home",)), "He/2/nsubj goes/0/root home/2/S today/2/M ./2/punct"),
        (
            Edit(4, 5, ("to", "day")),
            "He/2/nsubj goes/0/root to/2/prep school/3/pobj to/2/S day/7/R ./2/punct",
        ),
    ],
)
def test_projection_equals_the_examples_of_the_official_converter(edit, expected) -> None:
    result = project(RIGHT, [edit])
    assert result.tree == tree_of(expected)
    assert result.lost == 0
    assert result.fault == ("several roots" if expected.count("/0/") > 1 else "")


def test_superfluous_words_at_the_end_are_lost_and_counted_or_repaired() -> None:
    edit = Edit(6, 6, ("again", "!"))
    lossy = project(RIGHT, [edit])
    assert lossy.tree == RIGHT
    assert (lossy.lost, lossy.fault) == (2, "superfluous words at the end")
    repaired = project(RIGHT, [edit], repair=True)
    assert repaired.tree.heads[-2:] == (6, 6)
    assert repaired.tree.labels[-2:] == ("R", "R")
    assert repaired.fault == ""
    assert project(RIGHT, [Edit(1, 2, ())], repair=True).tree == tree_of(
        "He/0/nsubj to/1/M school/2/pobj today/1/tmod ./1/punct"
    )


@pytest.mark.parametrize(
    ("edits", "unmarked"),
    [
        ([Edit(2, 3, ())], 0),
        ([Edit(4, 6, ())], 1),  # nothing stands behind "today ."
        ([Edit(5, 6, ("!",))], 0),
        ([Edit(4, 6, ("now",))], 1),  # as the mark behind "now"
        ([Edit(2, 3, ()), Edit(3, 4, ("scool",))], 1),  # S stands in place of M
        ([Edit(2, 3, ()), Edit(4, 5, ("tody",))], 0),
    ],
)
def test_missing_words_that_no_label_shows_are_counted(edits: list[Edit], unmarked: int) -> None:
    assert project(RIGHT, edits).unmarked == unmarked


WORDS = st.lists(st.sampled_from("abc"), max_size=2).map(tuple)


@st.composite
def projections(draw) -> tuple[Tree, list[Edit]]:
    size = draw(st.integers(1, 7))
    order = draw(st.permutations(range(1, size + 1)))
    heads = {order[0]: 0}
    for k, number in enumerate(order[1:], 1):
        heads[number] = order[draw(st.integers(0, k - 1))]
    edits, place = [], 0
    while place <= size and draw(st.booleans()):
        start = draw(st.integers(place, size))
        end = draw(st.integers(start, size))
        edit = Edit(start, end, draw(WORDS))
        if start < end or edit.replacement:
            edits.append(edit)
        place = end + 1
    words = tuple(f"w{k}" for k in range(size))
    heads_in_order = tuple(heads[k] for k in range(1, size + 1))
    return Tree(words, heads_in_order, ("x",) * size), edits


@given(projections())
def test_repaired_projections_are_trees_of_all_words(case) -> None:
    tree, edits = case
    words = apply(edits, tree.words)
    repaired = project(tree, edits, repair=True)
    assert repaired.tree.words == words
    assert not words or repaired.fault == ""
    official = project(tree, edits)
    assert len(official.tree.words) + official.lost == len(words)
    if not official.fault:
        assert official.tree == repaired.tree


def test_a_chinese_word_becomes_a_chain_of_characters() -> None:
    words = tree_of("我们/2/nsubj 打/0/root 篮球iphone/2/dobj")
    tokens = ("我", "们", "打", "篮", "球", "iphone")
    assert split_words(words, tokens) == tree_of(
        "我/2/app 们/3/nsubj 打/0/root 篮/5/app 球/6/app iphone/3/dobj"
    )
    assert split_words(words, ("我", "们打", "篮球iphone")) is None


@pytest.mark.parametrize(
    ("heads", "fault"),
    [((0, 1, 2), ""), ((2, 0, 0), "several roots"), ((2, 1, 2), "no root"), ((0, 3, 2), "a cycle")],
)
def test_what_is_no_tree_is_named(heads, fault) -> None:
    assert Tree(("a", "b", "c"), heads, ("x",) * 3).fault == fault


def test_conllu_is_read_back_without_ranges_and_empty_nodes(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    text = conllu_lines(RIGHT, {"sent_id": "1"}, [f"Heads={k}:1" for k in range(6)])
    extra = "1-2\tHe goes" + "\t_" * 8 + "\n" + "1.1\tso" + "\t_" * 8 + "\n"
    path.write_text(text.replace("1\tHe", f"{extra}1\tHe") + text.rstrip() + "\n", encoding="utf-8")
    assert list(read_conllu(path)) == [RIGHT, RIGHT]


def conllu_row(number: str, head: int = 0) -> str:
    return f"{number}\ta\t_\t_\t_\t_\t{head}\tx\t_\t_\n"


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (conllu_row("1", 3), 1),
        (conllu_row("1") + conllu_row("3", 1), 2),
        (conllu_row("0"), 1),
        (conllu_row("1") + conllu_row("1", 1), 2),
        ("# a comment\n" + conllu_row("one"), 2),
    ],
)
def test_heads_and_numbers_that_are_no_words_are_refused(tmp_path: Path, rows, line) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(rows, encoding="utf-8")
    with pytest.raises(FormatError, match=rf"a\.conllu:{line}:"):
        list(read_conllu(path))
