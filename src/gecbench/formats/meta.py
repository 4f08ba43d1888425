"""Metadata beside a corpus: a table with a header line, joined by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.files import read_lines
from gecbench.core.sample import Corpus
from gecbench.formats.losses import counted


def read_meta(path: Path) -> dict[str, dict[str, str]]:
    """Return facts by sample id from a tab-separated table whose first column is "id".

    Raises:
        FormatError: No header, a ragged row, a repeated id, or an empty field name.
    """
    lines = read_lines(path)
    fields = lines[0].split("\t") if lines else []
    if len(fields) < 2 or fields[0] != "id" or not all(fields) or len(set(fields)) < len(fields):
        raise FormatError(
            f"{path}:1: the header must be 'id' and at least one more different field name, "
            "with tabs between"
        )
    table: dict[str, dict[str, str]] = {}
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(fields):
            raise FormatError(
                f"{path}:{number}: {len(cells)} cells where the header has {len(fields)}; "
                "give every row a cell for each field"
            )
        if cells[0] in table:
            raise FormatError(f"{path}:{number}: id {cells[0]!r} occurs twice; ids are unique")
        table[cells[0]] = dict(zip(fields[1:], cells[1:], strict=True))
    return table


def with_meta(corpus: Corpus, path: Path, table: Mapping[str, Mapping[str, str]]) -> Corpus:
    """Return the corpus with facts from a table added to its sentences.

    Raises:
        CorpusError: The table lacks a sentence, or has one that the corpus has not.
    """
    ids = [sample.id for sample in corpus.samples]
    missing = [name for name in ids if name not in table]
    extra = sorted(set(table) - set(ids))
    for problem, names in (
        (f"{{}} of corpus {corpus.name!r} missing", missing),
        (f"{{}} not in corpus {corpus.name!r}", extra),
    ):
        if names:
            some = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
            raise CorpusError(f"{path}: {problem.format(counted(len(names), 'id'))}: {some}")
    samples = tuple(replace(s, meta={**s.meta, **table[s.id]}) for s in corpus.samples)
    return replace(corpus, samples=samples)
