"""What corrupting a file came to, and what a profile was fitted to, for the terminal."""

from __future__ import annotations

from gecbench.datasets.corrupt.counting import UNMADE, Counts
from gecbench.datasets.corrupt.fitting import Fit
from gecbench.datasets.corrupt.profile import kind_of
from gecbench.reports.grid import Grid, as_text

_LENGTHS = 8


def report_of(counts: Counts) -> list[str]:
    """Return tables of types and numbers of errors, and the counts around them."""
    lines = [
        f"{counts.sentences} sentences, {counts.written} pairs written: {counts.with_errors} with "
        f"errors, {counts.left_correct} left correct as drawn",
    ]
    kept = counts.unmade - counts.left_out.get(UNMADE, 0)
    if kept:
        lines.append(f"{kept} of them have no place for any error and are kept without")
    lines += [f"left out: {n}: {why}" for why, n in counts.left_out.items()]
    lines.append(
        f"{counts.made} errors of {counts.drawn} that were drawn; {counts.impossible} had no place"
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
        shown = ", ".join(f"{sizes}: {n}" for sizes, n in common)
        lines.append(f"units in the error > in its correction: {shown}")
    return lines


def _types(counts: Counts) -> Grid:
    rows = []
    for name in sorted(counts.shares, key=lambda one: -counts.types.get(one, 0)):
        made = counts.types.get(name, 0)
        rows.append(
            (name, str(made), f"{100 * made / counts.made:.1f}", f"{100 * counts.shares[name]:.1f}")
        )
    return Grid(("type", "errors", "%", "% asked for"), tuple(rows), 1)


def _numbers(counts: Counts) -> Grid:
    rows = tuple(
        (str(errors), str(n), f"{100 * n / counts.written:.1f}")
        for errors, n in counts.errors.items()
        if n
    )
    return Grid(("errors in a sentence", "pairs", "%"), rows, 0)


def fit_of(fit: Fit) -> list[str]:
    """Return what a profile was fitted to, and what it does not hold."""
    shared = [one for one in fit.profile.fitted if not (one.by or kind_of(one.lengths))]
    again = sum(round(one.rest * one.edits) for one in shared)
    rest = fit.edits - fit.kept - again
    rows = sum(len(one.confusions) for one in fit.profile.fitted)
    lines = [
        f"{fit.pairs} pairs with {fit.edits} edits of {len(fit.profile.types)} types",
        f"{rows} confusions stand for {fit.kept} edits, lengths and rules make as many as {rest} "
        f"others; of {again} more the type has confusions only, which take their place",
    ]
    lines += [f"left out: {n} edits: {why}" for why, n in fit.left_out.items()]
    lines.append(
        "note: the profile holds words of the corpus; pass it on only where the corpus's licence "
        "lets you"
    )
    return lines
