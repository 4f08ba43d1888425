"""What a preparation of training data came to, for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gecbench.datasets.prepare.manifest import CorpusCounts, Manifest
from gecbench.datasets.prepare.steps import DROPPED
from gecbench.reports.grid import Grid, as_text

_EXAMPLES = 3

_BEFORE: Mapping[str, Callable[[CorpusCounts], int]] = {
    "sentences read": lambda one: one.sentences,
    "  without a correction": lambda one: one.without_reference,
    "  corrections: unannotatable": lambda one: one.unannotatable,
    "  corrections: edits that overlap": lambda one: one.inapplicable,
    "pairs": lambda one: one.pairs,
    "  of these divided into sentences": lambda one: one.split,
    "  which makes so many more": lambda one: one.pieces,
    "  of these cut": lambda one: one.cut,
}
_AFTER: Mapping[str, Callable[[CorpusCounts], int]] = {
    "kept": lambda one: one.kept,
    "  put aside": lambda one: one.dev,
    "weight": lambda one: one.weight,
    "written": lambda one: one.written,
}
_ALWAYS = ("sentences read", "pairs", "kept", "weight", "written")


def counts_of(manifest: Manifest) -> list[str]:
    """Return a table of all counts that are not 0, a column for each corpus, and what follows it.

    These are the evaluation sets, the first near-duplicates, notes, and the files written.
    """
    lines = as_text(_table(manifest)).splitlines()
    for file in manifest.evaluation:
        lines.append(f"filtered by {file.sentences} sentences of {file.file.path}")
    for example in manifest.near_examples[:_EXAMPLES]:
        lines.append(
            f"nearly one of these ({example.similarity:.2f}), {example.corpus} {example.side}: "
            f"{example.text} | {example.evaluation}"
        )
    for one in manifest.corpora:
        lines += [f"note: {one.name}: not kept: {note}" for note in one.notes]
    for output in manifest.outputs:
        lines.append(
            f"{output.path}: {output.sentences} sentences, {output.references} corrections"
        )
    return lines


def _table(manifest: Manifest) -> Grid:
    dropped: dict[str, Callable[[CorpusCounts], int]] = {
        f"  dropped: {said}": lambda one, reason=reason: one.dropped[reason]  # type: ignore[misc]
        for reason, said in DROPPED.items()
    }
    rows = []
    for name, count in {**_BEFORE, **dropped, **_AFTER}.items():
        numbers = [count(one) for one in manifest.corpora]
        if any(numbers) or name in _ALWAYS:
            total = "" if name == "weight" else str(sum(numbers))
            rows.append((name, *map(str, numbers), total))
    names = [one.name for one in manifest.corpora]
    return Grid(("", *names, "all"), tuple(rows), 1)
