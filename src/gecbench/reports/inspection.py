"""What two judges say of a sample, in the layout of RobustGEC's table 3, and how far they agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gecbench.analysis.inspection import CriterionFigures, Estimate, Inspection
from gecbench.reports.report import Column, Report, Table, Words, data_of, translate

CRITERIA: Mapping[str, Words] = {
    "correctness": translate("correctness"),
    "faithfulness": translate("faithfulness"),
    "grammaticality": translate("grammaticality"),
    "meaning": translate("criterion|meaning"),
    "fluency": translate("fluency"),
}
"""Names of the usual criteria; others are called by their keys."""

_FIGURES: Mapping[str, Words] = {
    "accept": translate("accepted"),
    "reject": translate("rejected"),
    "equal": translate("equal decisions"),
    "kappa": translate("Cohen's kappa"),
    "alpha": translate("Krippendorff's alpha"),
}
_VERDICTS = {True: translate("accept"), False: translate("reject")}


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item on which the judges differ by one criterion.

    Args:
        position: Place in the sample.
        number: Of the task.
        criterion: The key.
        first: Whether the first judge accepts it.
        second: Whether the second does.
        resolution: What they settled on; None where they did not yet.
    """

    position: int
    number: int
    criterion: str
    first: bool
    second: bool
    resolution: bool | None


def criterion_name(key: str) -> Words:
    """What a criterion is called."""
    return CRITERIA.get(key, Words(key, key))


def build_report(
    result: Inspection,
    disagreements: tuple[Disagreement, ...] = (),
    data: Mapping[str, object] | None = None,
) -> Report:
    """Show the table of the paper, all figures with their intervals, and what was decided.

    Args:
        result: What was measured.
        disagreements: To be listed.
        data: More for JSON.
    """
    signature = (
        f"{result.size} of {result.population} items drawn, seed {result.seed}; intervals: 95%, "
        "percentile bootstrap of items"
    )
    return Report(
        name="inspection",
        title=translate("Quality inspection: {round}", round=result.round),
        corpus=result.corpus,
        tables=(
            main_table(result),
            figures_table(result),
            decisions_table(result),
            disagreements_table(disagreements),
        ),
        data={**data_of(result), **(data or {})},
        notes=result.notes,
        signatures=(signature,),
    )


def main_table(result: Inspection) -> Table:
    """Table 3 of RobustGEC: accepted, rejected and equal decisions, in percent."""
    return Table.of(
        "inspection",
        translate("Quality inspection: {round}", round=result.round),
        result.criteria,
        (Column.of("criterion"), lambda row: criterion_name(row.criterion)),
        (Column.of("accepted", "percent", 1), lambda row: row.accept.value),
        (Column.of("rejected", "percent", 1), lambda row: row.reject.value),
        (Column.of("equal decisions", "percent", 1), lambda row: row.equal.value),
    )


def figures_table(result: Inspection) -> Table:
    """Each figure with its interval."""
    rows = [
        (figures.criterion, name, estimate)
        for figures in result.criteria
        for name, estimate in figures.estimates.items()
    ]
    return Table.of(
        "intervals",
        translate("Figures and their intervals"),
        rows,
        (Column.of("criterion"), lambda row: criterion_name(row[0])),
        (Column.of("figure"), lambda row: _FIGURES[row[1]]),
        (Column.of("value", "number", 4), lambda row: row[2].value),
        (Column.of("95% from", "number", 4), lambda row: _ends(row[2])[0]),
        (Column.of("95% to", "number", 4), lambda row: _ends(row[2])[1]),
        (Column.of("items", "count"), lambda row: row[2].of),
    )


def _ends(estimate: Estimate) -> tuple[float | None, float | None]:
    ends = estimate.interval
    return (ends.low, ends.high) if ends else (None, None)


def decisions_table(result: Inspection) -> Table:
    """How often the judges decided how."""

    def count_resolved(row: CriterionFigures) -> int:
        return row.only_first + row.only_second - row.unresolved

    return Table.of(
        "decisions",
        translate("Decisions of the judges"),
        result.criteria,
        (Column.of("criterion"), lambda row: criterion_name(row.criterion)),
        (Column.of("both accept", "count"), lambda row: row.both),
        (Column.of("only judge 1 accepts", "count"), lambda row: row.only_first),
        (Column.of("only judge 2 accepts", "count"), lambda row: row.only_second),
        (Column.of("both reject", "count"), lambda row: row.neither),
        (Column.of("resolved", "count"), count_resolved),
        (Column.of("unresolved", "count"), lambda row: row.unresolved),
    )


def disagreements_table(disagreements: tuple[Disagreement, ...]) -> Table:
    """The items on which the judges differ."""
    return Table.of(
        "disagreements",
        translate("Disagreements"),
        disagreements,
        (Column.of("criterion"), lambda row: criterion_name(row.criterion)),
        (Column.of("judge 1"), lambda row: _VERDICTS[row.first]),
        (Column.of("judge 2"), lambda row: _VERDICTS[row.second]),
        (Column.of("resolution"), lambda row: _verdict(row.resolution)),
        (Column.of("item", "count"), lambda row: row.position),
        (Column.of("task", "count"), lambda row: row.number),
    )


def _verdict(accept: bool | None) -> Words | None:
    return None if accept is None else _VERDICTS[accept]
