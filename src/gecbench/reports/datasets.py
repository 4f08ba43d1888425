"""What a preparation of training data came to, for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gecbench.core.errors import count_noun
from gecbench.datasets.corrupt.corrupt import UNMADE, Counts
from gecbench.datasets.corrupt.profile import Fit, kind_of
from gecbench.datasets.prepare.recipe import CorpusCounts, Manifest
from gecbench.datasets.prepare.steps import DROPPED
from gecbench.reports.report import Grid, as_text

_EXAMPLES = 3

_BEFORE: Mapping[str, Callable[[CorpusCounts], int]] = {
    "sentences read": lambda corpus: corpus.sentences,
    "  without a correction": lambda corpus: corpus.without_reference,
    "  corrections: unannotatable": lambda corpus: corpus.unannotatable,
    "  corrections: edits that overlap": lambda corpus: corpus.inapplicable,
    "pairs": lambda corpus: corpus.pairs,
    "  of these divided into sentences": lambda corpus: corpus.split,
    "  which makes so many more": lambda corpus: corpus.pieces,
    "  of these cut": lambda corpus: corpus.cut,
}
_AFTER: Mapping[str, Callable[[CorpusCounts], int]] = {
    "kept": lambda corpus: corpus.kept,
    "  put aside": lambda corpus: corpus.dev,
    "weight": lambda corpus: corpus.weight,
    "written": lambda corpus: corpus.written,
}
_ALWAYS = ("sentences read", "pairs", "kept", "weight", "written")


def preparation_lines(manifest: Manifest) -> list[str]:
    """Write a table of all counts that are not 0, a column for each corpus, and what follows it.

    These are the evaluation sets, the first near-duplicates, notes, and the files written.
    """
    lines = as_text(_table(manifest)).splitlines()
    for file in manifest.evaluation:
        lines.append(f"filtered by {count_noun(file.sentences, 'sentence')} of {file.file.path}")
    for example in manifest.near_examples[:_EXAMPLES]:
        lines.append(
            f"nearly one of these ({example.similarity:.2f}), {example.corpus} {example.side}: "
            f"{example.text} | {example.evaluation}"
        )
    for corpus in manifest.corpora:
        lines += [f"note: {corpus.name}: not kept: {note}" for note in corpus.notes]
    for output in manifest.outputs:
        lines.append(
            f"{output.path}: {count_noun(output.sentences, 'sentence')}, "
            f"{count_noun(output.references, 'correction')}"
        )
    return lines


def _table(manifest: Manifest) -> Grid:
    dropped: dict[str, Callable[[CorpusCounts], int]] = {
        f"  dropped: {words}": lambda corpus, reason=reason: corpus.dropped[reason]  # type: ignore[misc]
        for reason, words in DROPPED.items()
    }
    rows = []
    for name, count in {**_BEFORE, **dropped, **_AFTER}.items():
        numbers = [count(corpus) for corpus in manifest.corpora]
        if any(numbers) or name in _ALWAYS:
            total = "" if name == "weight" else str(sum(numbers))
            rows.append((name, *map(str, numbers), total))
    names = [corpus.name for corpus in manifest.corpora]
    return Grid(("", *names, "all"), tuple(rows), 1)


# What corrupting a file came to, and what a profile was fitted to, for the terminal.


_LENGTHS = 8


def corruption_lines(counts: Counts) -> list[str]:
    """Write tables of types and numbers of errors, and the counts around them."""
    lines = [
        f"{count_noun(counts.sentences, 'sentence')}, {count_noun(counts.written, 'pair')} written"
        f": {counts.with_errors} with errors, {counts.left_correct} left correct as drawn"
    ]
    without_errors = counts.unmade - counts.left_out.get(UNMADE, 0)
    if without_errors:
        lines.append(f"{without_errors} of them have no place for any error and are kept without")
    lines += [f"left out: {n}: {why}" for why, n in counts.left_out.items()]
    lines.append(
        f"{count_noun(counts.made, 'error')} of {counts.drawn} that were drawn; "
        f"{counts.impossible} had no place"
    )
    if counts.units:
        lines.append(
            f"of {counts.units} correct units {counts.changed} are replaced or left out "
            f"({100 * counts.changed / counts.units:.2f}%), {counts.added} stand in their place or "
            "are too much"
        )
    if counts.made:
        lines += as_text(_types(counts)).splitlines()
        lines += as_text(_numbers(counts)).splitlines()
        common = list(counts.of_errors.items())[:_LENGTHS]
        lengths = ", ".join(f"{sizes}: {n}" for sizes, n in common)
        lines.append(f"units in the error > in its correction: {lengths}")
    return lines


def _types(counts: Counts) -> Grid:
    rows = []
    for name in sorted(counts.shares, key=lambda name: -counts.types.get(name, 0)):
        n = counts.types.get(name, 0)
        rows.append(
            (name, str(n), f"{100 * n / counts.made:.1f}", f"{100 * counts.shares[name]:.1f}")
        )
    return Grid(("type", "errors", "%", "% asked for"), tuple(rows), 1)


def _numbers(counts: Counts) -> Grid:
    rows = tuple(
        (str(errors), str(n), f"{100 * n / counts.written:.1f}")
        for errors, n in counts.errors.items()
        if n
    )
    return Grid(("errors in a sentence", "pairs", "%"), rows, 0)


def fit_lines(fit: Fit) -> list[str]:
    """Say what a profile was fitted to, and what it does not hold."""
    shared = [kind for kind in fit.profile.fitted if not (kind.by or kind_of(kind.lengths))]
    again = sum(round(kind.rest * kind.edits) for kind in shared)
    rest = fit.edits - fit.kept - again
    rows = sum(len(kind.confusions) for kind in fit.profile.fitted)
    lines = [
        f"{count_noun(fit.pairs, 'pair')} with {count_noun(fit.edits, 'edit')} of "
        f"{count_noun(len(fit.profile.types), 'type')}",
        f"{count_noun(rows, 'confusion', ' stands', ' stand')} for {count_noun(fit.kept, 'edit')}, "
        f"lengths and rules make as many as {rest} others; of {again} more the type has confusions "
        "only, which take their place",
    ]
    lines += [f"left out: {count_noun(n, 'edit')}: {why}" for why, n in fit.left_out.items()]
    lines.append(
        "note: the profile holds words of the corpus; pass it on only where the corpus's licence "
        "lets you"
    )
    return lines
