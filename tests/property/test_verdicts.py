"""Verdicts over edits are the counts of the pairing, edit by edit."""

from __future__ import annotations

from hypothesis import given
from test_scoring_properties import METRIC_OPTIONS, cases

from gecbench.analysis.sentences import edit_verdicts
from gecbench.core.case import Case
from gecbench.core.score import Counts, total
from gecbench.metrics.edits import Cherrant, Errant
from gecbench.scoring.spans import UNCLASSIFIED


@given(cases(), METRIC_OPTIONS)
def test_verdicts_add_up_to_the_counts_of_every_pairing(some: list[Case], options: dict):
    for metric in (Cherrant(**options), Errant(**options)):
        for case in some:
            for pairing in metric.stats(case) or ():
                assert edit_verdicts(case, pairing, metric).counts == pairing.counts


@given(cases(), METRIC_OPTIONS)
def test_verdicts_add_up_by_type(some: list[Case], options: dict):
    metric = Cherrant(**options)
    for case in some:
        for pairing in metric.stats(case) or ():
            verdicts = edit_verdicts(case, pairing, metric)
            by_type: dict[str, list[Counts]] = {}
            for verdict in verdicts.reference:
                label = verdict.edit.label or UNCLASSIFIED
                by_type.setdefault(label, []).append(
                    Counts(verdict.hits, 0, verdict.keys - verdict.hits)
                )
            for verdict in verdicts.hypothesis:
                wrong = Counts(0, verdict.keys - verdict.hits, 0)
                if wrong.fp:
                    by_type.setdefault(verdict.edit.label or UNCLASSIFIED, []).append(wrong)
            for label, counts in verdicts.declared.items():
                by_type.setdefault(label, []).append(counts)
            assert {label: total(rows) for label, rows in by_type.items()} == pairing.by_type


@given(cases(), METRIC_OPTIONS)
def test_what_was_missed_and_what_was_found_are_the_edits_of_the_reference(
    some: list[Case], options: dict
):
    metric = Cherrant(**options)
    for case in some:
        for pairing in metric.stats(case) or ():
            verdicts = edit_verdicts(case, pairing, metric)
            right = [verdict.edit for verdict in verdicts.reference if verdict.right]
            rest = list(verdicts.misses)
            assert len(right) + len(rest) == len(verdicts.reference)
            whole = case.references[pairing.reference]
            assert all(edit in whole.edits for edit in right + rest)
