"""How far annotators agree, as tables and a figure."""

from __future__ import annotations

from collections.abc import Mapping

from gecbench.analysis.agreement import Agreement, Why
from gecbench.reports.report import (
    Column,
    Figure,
    Report,
    Series,
    Table,
    Words,
    data_of,
    join_texts,
    translate,
)

WHY: Mapping[Why, Words] = {
    "alone": translate("nobody shares a sentence with anybody"),
    "one-decision": translate("everybody always decided the same, which chance alone would give"),
    "no-text": translate("no two answers have edits to compare"),
}
"""Why a value is undefined, for people."""

_SHOWN = 20
"""Annotators in the figure: more would not be legible."""


def build_report(result: Agreement) -> Report:
    """Show the whole, each annotator against the others, and all pairs."""
    return Report(
        name="agreement",
        title=translate("Agreement of annotators"),
        corpus=result.corpus,
        tables=(overall_table(result), annotators_table(result), pairs_table(result)),
        figures=(figure(result),),
        data=data_of(result),
        notes=result.notes,
        signatures=result.signatures,
    )


def figure(result: Agreement) -> Figure:
    """How well each annotator's edits agree with those of the others, both ways."""
    known = [annotator for annotator in result.each if annotator.made.value is not None][:_SHOWN]
    names = [annotator.name for annotator in known]
    theirs = translate("their edits against the others'")
    others = translate("the others' edits against theirs")
    scores = join_texts(f"{a.name} {100 * (a.made.value or 0):.1f}" for a in known)
    alpha = WHY[result.alpha.why or "alone"]
    if result.alpha.value is not None:
        alpha = join_texts([f"{result.alpha.value:.3f}"])
    return Figure.of(
        "agreement-edits",
        "bars",
        title="Agreement of edits between annotators",
        alt="Bars: F0.5 in percent of each annotator against the others: {scores}. "
        "Krippendorff's alpha of decisions: {alpha}.",
        x="annotators",
        y="F0.5 (percent)",
        series=(
            Series.of_shares(theirs, names, [annotator.made.value for annotator in known]),
            Series.of_shares(others, names, [annotator.met.value for annotator in known]),
        ),
        scores=scores,
        alpha=alpha,
    )


def overall_table(result: Agreement) -> Table:
    """The few numbers of the whole; what is undefined says why."""
    rates = (
        (translate("decisions: Krippendorff's alpha"), result.alpha),
        (translate("decisions: alike"), result.decisions),
        (translate("answers: just the same"), result.exact),
        (translate("answers: one in common"), result.common),
        (translate("edits: F0.5, both ways"), result.edits),
    )
    return Table.of(
        "agreement",
        translate("Agreement of annotators"),
        rates,
        (Column.of("agreement"), lambda row: row[0]),
        (Column.of("value", "number", 4), lambda row: row[1].value),
        (Column.of("over", "count"), lambda row: row[1].of),
        (
            Column.of("undefined because"),
            lambda row: WHY[row[1].why] if row[1].why else Words("", ""),
        ),
    )


def annotators_table(result: Agreement) -> Table:
    """Each annotator against the others."""
    return Table.of(
        "annotators",
        translate("Each annotator against the others"),
        result.each,
        (Column.of("annotator"), lambda row: row.name),
        (Column.of("sentences", "count"), lambda row: row.sentences),
        (Column.of("decisions alike", "percent"), lambda row: row.decisions.value),
        (Column.of("just the same", "percent"), lambda row: row.exact.value),
        (Column.of("F0.5 against others", "percent"), lambda row: row.made.value),
        (Column.of("F0.5 of others", "percent"), lambda row: row.met.value),
    )


def pairs_table(result: Agreement) -> Table:
    """All pairs of annotators with enough sentences in common."""
    return Table.of(
        "pairs",
        translate("Pairs of annotators"),
        result.pairs,
        (Column.of("one"), lambda pair: pair.one),
        (Column.of("other"), lambda pair: pair.other),
        (Column.of("pair|sentences", "count"), lambda pair: pair.sentences),
        (Column.of("decisions alike", "percent"), lambda pair: pair.decisions.value),
        (Column.of("just the same", "percent"), lambda pair: pair.exact.value),
        (Column.of("F0.5 one to other", "percent"), lambda pair: pair.forth.value),
        (Column.of("F0.5 other to one", "percent"), lambda pair: pair.back.value),
    )
