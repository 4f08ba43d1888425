"""Dependency trees: CoNLL-U, trees by characters, and projection onto sentences with errors.

The scheme is SynGEC's (Zhang et al. 2022, section 3): an ordinary tree in which a wrong word has
the label S, a superfluous one R, and one in front of which something is missing M.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from gecbench.core.edit import Edit
from gecbench.core.errors import FormatError
from gecbench.core.files import stream_lines

WRONG, SUPERFLUOUS, MISSING = "S", "R", "M"
ERROR_LABELS = (WRONG, SUPERFLUOUS, MISSING)
INSIDE = "app"
"""The label of characters of a word before its last one, each a child of the next (CTB7)."""


class Tree(NamedTuple):
    """A dependency tree.

    Args:
        words: Of the sentence.
        heads: The number of each word's head, from 1; 0 at the root.
        labels: Of the arcs from the heads.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]

    @property
    def fault(self) -> str:
        """Why it is no tree with one root; "" where it is one."""
        roots = self.heads.count(0)
        if roots != 1:
            return "several roots" if roots else "no root"
        from_root = {0}
        for start in range(1, len(self.heads) + 1):
            path = []
            node = start
            while node not in from_root:
                if node in path:
                    return "a cycle"
                path.append(node)
                node = self.heads[node - 1]
            from_root.update(path)
        return ""


def fold_of(words: Sequence[str], folds: int) -> int:
    """Choose the fold of a sentence for jack-knifing, by its characters alone, from 0."""
    return crc32("".join(words).encode("utf-8", "surrogatepass")) % folds


# Projection: from the tree of a corrected sentence to that of the sentence with errors.


@dataclass(eq=False)
class _Node:
    """A word while its tree changes; the head is None at a root."""

    word: str
    label: str
    head: _Node | None = None
    is_inserted: bool = False


class Projection(NamedTuple):
    """The tree of a sentence with errors.

    Args:
        tree: Of the words that are left.
        lost: Superfluous words at the end that have no place in it.
        unmarked: Places where words are missing and no label shows it: nothing stands behind, or
            a word that is wrong itself.
    """

    tree: Tree
    lost: int
    unmarked: int = 0

    @property
    def fault(self) -> str:
        """Why nothing can be learnt from it; "" where something can."""
        if self.lost:
            return "superfluous words at the end"
        return self.tree.fault if self.tree.words else "no word is left"


def project(tree: Tree, edits: Iterable[Edit], *, repair: bool = False) -> Projection:
    """Project the tree of a corrected sentence onto the sentence with errors.

    As the official converter: superfluous words become leaves of the word to their right, with R;
    the children of a missing word take its head, and the word to its right gets M; a replaced
    word keeps its arc, with S. Later edits overwrite labels. Two of its results are no trees:
    superfluous words at the end are lost, and a missing root leaves all its children as roots.

    Args:
        tree: Of the corrected sentence.
        edits: From the corrected sentence to that with errors, in their order.
        repair: Attach superfluous words at the end to the word on their left, and further roots
            to the first one, in place of what the official converter does.
    """
    nodes = [_Node(word, label) for word, label in zip(tree.words, tree.labels, strict=True)]
    for node, number in zip(nodes, tree.heads, strict=True):
        node.head = nodes[number - 1] if number else None
    shift = lost = unmarked = 0
    for edit in edits:
        start, end = edit.start + shift, edit.end + shift
        new = edit.replacement or ()
        common = min(end - start, len(new))
        for node, word in zip(nodes[start : start + common], new[:common], strict=True):
            unmarked += node.label == MISSING
            node.word, node.label = word, WRONG
        for _ in range(start + common, end):
            _delete(nodes, start + common)
        added = new[common:]
        place = start + common
        unmarked += place < end and place == len(nodes)
        if added and place == len(nodes) and not repair:
            lost += len(added)
            added = ()
        left = next((node for node in reversed(nodes[:place]) if not node.is_inserted), None)
        right = nodes[place] if place < len(nodes) else left
        nodes[place:place] = [_Node(word, SUPERFLUOUS, right, True) for word in added]
        shift += common + len(added) - (edit.end - edit.start)
    if repair:
        roots = [node for node in nodes if node.head is None]
        for node in roots[1:]:
            node.head = roots[0]
    numbers = {id(node): number for number, node in enumerate(nodes, 1)}
    return Projection(
        Tree(
            tuple(node.word for node in nodes),
            tuple(numbers[id(node.head)] if node.head else 0 for node in nodes),
            tuple(node.label for node in nodes),
        ),
        lost,
        unmarked,
    )


def _delete(nodes: list[_Node], place: int) -> None:
    """Delete a word that is missing in the sentence with errors."""
    deleted = nodes.pop(place)
    for node in nodes:
        if node.head is deleted:
            node.head = deleted.head
    if place < len(nodes):
        nodes[place].label = MISSING


def split_words(tree: Tree, tokens: Sequence[str]) -> Tree | None:
    """Divide the words of a tree into smaller tokens, as Chinese words into characters.

    Each token of a word but the last becomes a child of the next, with the label "app"; the last
    one has the word's arc, from the last token of the head.

    Args:
        tree: Of words.
        tokens: The same text in tokens.

    Returns:
        None where some token is in two words, or the texts differ.
    """
    ends = [*accumulate(map(len, tokens))]
    places = {end: number for number, end in enumerate(ends, 1)}
    last = [places.get(end, 0) for end in accumulate(map(len, tree.words))]
    if "".join(tree.words) != "".join(tokens) or not all(last):
        return None
    heads = [*range(2, len(tokens) + 2)]
    labels = [INSIDE] * len(tokens)
    for number, head, label in zip(last, tree.heads, tree.labels, strict=True):
        heads[number - 1] = last[head - 1] if head else 0
        labels[number - 1] = label
    return Tree(tuple(tokens), tuple(heads), tuple(labels))


# CoNLL-U: https://universaldependencies.org/format.html


_COLUMNS = 10
_FORM, _HEAD, _LABEL = 1, 6, 7
_RANGE_OR_EMPTY = re.compile(r"[0-9]+[-.][0-9]+")


def read_conllu(path: Path) -> Iterator[Tree]:
    """Read the trees of a CoNLL-U file; ranges of words and empty nodes are left out.

    Raises:
        FormatError: A line is not what the format promises, words are not numbered from 1, or a
            head is no word.
    """
    rows: list[list[str]] = []
    number = 0
    for number, line in enumerate(stream_lines(path), 1):
        if not line.strip():
            yield from _tree_of(path, number, rows)
            rows = []
        elif not line.startswith("#"):
            columns = line.split("\t")
            if len(columns) != _COLUMNS:
                raise FormatError(
                    f"{path}:{number}: has {len(columns)} columns; CoNLL-U has {_COLUMNS} with "
                    "tabs between them"
                )
            if not _RANGE_OR_EMPTY.fullmatch(columns[0]):
                if columns[0] != str(len(rows) + 1):
                    raise FormatError(
                        f"{path}:{number}: word {columns[0]!r} stands where word {len(rows) + 1} "
                        "must; words are numbered from 1"
                    )
                if not columns[_HEAD].isdecimal():
                    raise FormatError(f"{path}:{number}: head {columns[_HEAD]!r} is no number")
                rows.append(columns)
    yield from _tree_of(path, number + 1, rows)


def _tree_of(path: Path, line: int, rows: Sequence[Sequence[str]]) -> Iterator[Tree]:
    """Yield the tree of some rows, where there are any."""
    if not rows:
        return
    heads = tuple(int(row[_HEAD]) for row in rows)
    if max(heads) > len(rows):
        raise FormatError(
            f"{path}:{line - 1}: the sentence that ends here has {len(rows)} words, and one has "
            f"the head {max(heads)}"
        )
    yield Tree(tuple(row[_FORM] for row in rows), heads, tuple(row[_LABEL] for row in rows))


def conllu_lines(
    tree: Tree, comments: Mapping[str, str] | None = None, misc: Sequence[str] = ()
) -> str:
    """Write a tree as CoNLL-U, with the empty line behind it.

    Args:
        tree: Any.
        comments: By name.
        misc: What stands in the last column of each word; () leaves it empty.
    """
    lines = [f"# {name} = {' '.join(value.split())}" for name, value in (comments or {}).items()]
    lines += (
        "\t".join((str(number), word, *"____", str(head), label, "_", more or "_"))
        for number, (word, head, label, more) in enumerate(
            zip(*tree, misc or ("",) * len(tree.words), strict=True), 1
        )
    )
    return "\n".join((*lines, "", ""))
