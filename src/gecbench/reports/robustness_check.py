"""What a look at a set of perturbed cases shows: counts of oddities, and where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gecbench.analysis.robustness.check import (
    BRACKETS,
    EMPTY,
    HALF_FREE,
    KINDS,
    REPEATED,
    TOUCHES,
    UNCHANGED,
    UNEVEN,
    Checked,
    Finding,
)
from gecbench.reports.exhibit import Column, Exhibit, Table
from gecbench.reports.words import Words

_SHOWN = 10

_MEANINGS: Mapping[str, str] = {
    UNCHANGED: "variant whose source is the original's",
    REPEATED: "variant whose source is that of an earlier variant",
    TOUCHES: "perturbation of words that belong to an error of the original",
    UNEVEN: "source and reference are perturbed differently",
    HALF_FREE: "case free of errors in some sentences and not in others",
    EMPTY: "sentence whose reference is empty",
    BRACKETS: "variant with a bracket that the original has not",
}


def exhibit(found: Checked) -> Exhibit:
    """Return the tables and data of a look at perturbed cases."""
    shown = [
        each
        for kind in KINDS
        for each in [finding for finding in found.findings if finding.kind == kind][:_SHOWN]
    ]
    hidden = len(found.findings) - len(shown)
    return Exhibit(
        name="robustness",
        title=Words("A look at perturbed cases", "扰动用例检查"),
        corpus=found.name,
        tables=(_counts(found), _places(shown)),
        data=_data(found),
        notes=(f"{hidden} more findings are not shown; --format json has all",) if hidden else (),
    )


def _counts(found: Checked) -> Table:
    names = [name for name, _, _ in found.subsets]
    totals = ["all"] if len(names) > 1 else []
    return Table(
        "oddities",
        Words("What is odd in the cases", "用例中的异常"),
        (
            Column("finding", zh="发现"),
            Column("meaning", zh="含义"),
            *(Column(name, "count") for name in names),
            *(Column(name, "count", zh="合计") for name in totals),
        ),
        tuple(
            (
                kind,
                _MEANINGS[kind],
                *(found.count(kind, name) for name in names),
                *(found.count(kind) for _ in totals),
            )
            for kind in KINDS
        ),
    )


def _places(shown: Sequence[Finding]) -> Table:
    return Table(
        "places",
        Words("Where", "位置"),
        (
            Column("finding", zh="发现"),
            Column("subset", zh="子集"),
            Column("case", zh="用例"),
            Column("sentence", zh="句子"),
            Column("detail", zh="详情"),
        ),
        tuple((each.kind, each.subset, each.case, each.mark, each.detail) for each in shown),
    )


def _data(found: Checked) -> Mapping[str, object]:
    return {
        "subsets": [
            {
                "name": name,
                "cases": cases,
                "variants": variants,
                "counts": {kind: found.count(kind, name) for kind in KINDS},
            }
            for name, cases, variants in found.subsets
        ],
        "findings": [
            {
                "kind": each.kind,
                "subset": each.subset,
                "case": each.case,
                "sentence": each.mark,
                "detail": each.detail,
            }
            for each in found.findings
        ],
    }
