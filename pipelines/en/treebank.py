"""Sentences of a treebank in CoNLL-U, as far as the pipeline learns from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trees import Tree, Word

PARTS = ("train", "dev", "test")


class TreebankError(ValueError):
    """A file is not the treebank that was expected; the message says path and line."""


def read(path: Path) -> tuple[Tree, ...]:
    """Return the sentences of a CoNLL-U file.

    Ranges of multiword tokens ("2-3 don't") and empty nodes ("4.1") are left out: the words of
    "don't" are "do" and "n't", as in tokenised learner corpora.

    Raises:
        TreebankError: A line has not ten fields, or a head is not a word.
    """
    return tuple(_tree(path, rows) for rows in _blocks(path))


def part(folder: Path, name: str) -> tuple[Tree, ...]:
    """Return one part of the treebank.

    Args:
        folder: Where its three files lie, as `gecbench data get ud_english_ewt` puts them.
        name: One of PARTS.
    """
    return read(folder / f"en_ewt-ud-{name}.conllu")


def _blocks(path: Path) -> Iterator[list[tuple[int, list[str]]]]:
    rows: list[tuple[int, list[str]]] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 1 and (not fields[0] or fields[0].startswith("#")):
                if rows and not fields[0]:
                    yield rows
                    rows = []
            elif len(fields) != 10:
                raise TreebankError(f"{path}:{number}: {len(fields)} fields; CoNLL-U has ten")
            elif fields[0].isdigit():
                rows.append((number, fields))
    if rows:
        yield rows


def _tree(path: Path, rows: list[tuple[int, list[str]]]) -> Tree:
    words = []
    for place, (number, fields) in enumerate(rows):
        _, form, lemma, pos, tag, _, head, label, _, _ = fields
        if not head.isdigit() or int(head) > len(rows):
            raise TreebankError(f"{path}:{number}: head {head!r} is no word of the sentence")
        words.append(Word(form, lemma, pos, tag, int(head) - 1 if head != "0" else place, label))
    return tuple(words)
