"""An analysis of robustness as JSON values."""

from __future__ import annotations

from collections.abc import Mapping

from gecbench.analysis.robustness.results import RULES, Cell, Disagreement, Part, Robustness
from gecbench.core.score import Counts


def data(found: Robustness) -> Mapping[str, object]:
    """Return everything as JSON values."""
    return {
        "beta": found.beta,
        "unit": found.unit,
        "subsets": [{"name": name, "cases": cases} for name, cases in found.subsets],
        "systems": [_of_part(part, found.beta) for part in found.parts],
        "trivial": [_of_part(part, found.beta) for part in found.trivial],
        "unpaired_errors": found.unpaired,
        "disagreements": [_of_disagreement(each) for each in found.disagreements],
        "actions": [_of_cell(cell, found) for cell in found.actions],
        "distances": [_of_cell(cell, found) for cell in found.distances],
        "frequencies": found.frequencies and [_of_cell(cell, found) for cell in found.frequencies],
    }


def _of_part(part: Part, beta: float) -> dict[str, object]:
    orders = part.orders
    return {
        "system": part.system,
        "subset": part.subset,
        "cases": part.cases,
        "variants": part.variants,
        "original": _of_counts(part.rule.original, beta),
        "upper": _of_counts(part.rule.upper, beta),
        "lower": _of_counts(part.rule.lower, beta),
        "delta_f": part.rule.upper.f(beta) - part.rule.lower.f(beta),
        **{
            rule: {
                "consistent_cases": part.consistent(rule),
                "crs": part.consistent(rule) / part.cases,
                "like_original": part.equal(rule),
                "p_crs": part.equal(rule) / part.variants,
            }
            for rule in RULES
        },
        "agreement": dict(part.agreement()),
        "edits_made": part.made,
        "edits_per_sentence": part.edits_per_sentence,
        "orders": orders
        and {
            "orders": orders.orders,
            "seed": orders.seed,
            "consistent_cases": list(orders.consistent),
            "upper_f": list(orders.upper),
            "lower_f": list(orders.lower),
            "unsettled_cases": orders.unsettled,
        },
    }


def _of_counts(counts: Counts, beta: float) -> dict[str, object]:
    return {
        "tp": counts.tp,
        "fp": counts.fp,
        "fn": counts.fn,
        "precision": counts.precision,
        "recall": counts.recall,
        "f": counts.f(beta),
    }


def _of_disagreement(case: Disagreement) -> dict[str, object]:
    return {
        "system": case.system,
        "subset": case.subset,
        "case": case.case,
        "official": case.official,
        "edits": case.edits,
        "sentences": [
            {
                "mark": each.mark,
                "source": each.source,
                "equal_f": each.equal,
                "same_edits": each.same,
                "changes": [
                    {
                        "start": change.start,
                        "end": change.end,
                        "before": change.before,
                        "after": change.after,
                        "right": change.right,
                    }
                    for change in each.changes
                ],
            }
            for each in case.sentences
        ],
    }


def _of_cell(cell: Cell, found: Robustness) -> dict[str, object]:
    return {
        "name": cell.name,
        "variants": cell.pairs,
        "systems": [
            {
                "system": part.system,
                **{
                    rule: {
                        "like_original": cell.equal[rule, part.system],
                        "p_crs": cell.equal[rule, part.system] / cell.pairs,
                    }
                    for rule in RULES
                },
            }
            for part in found.whole
        ],
    }
