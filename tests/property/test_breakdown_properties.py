"""Laws of scores by parts, and of the sentences that decide a difference."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_every_metric import ALL, UNEVEN, case, version

from gecbench.analysis.breakdown import (
    NOWHERE,
    best_two,
    by_errors,
    by_field,
    by_length,
    by_position,
    by_state,
    by_type,
    contributions,
    differences,
)
from gecbench.core.case import CHOICES, Case, CaseRewrite
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import total
from gecbench.metrics.edits import Cherrant
from gecbench.scoring.results import RunStats, by_tier

pytestmark = pytest.mark.usefixtures("stub_networks")

PLACES = st.sets(st.sampled_from("01234567"), max_size=4).map(sorted).map("".join)
IMPOSSIBLE = CaseRewrite(unannotatable=True)
VERSIONS = st.one_of(PLACES.map(version), PLACES.map(version), st.just(IMPOSSIBLE))


def run_stats_of(systems: dict[str, list[Case]], *metrics) -> RunStats:
    """A run over cases, without any file or scheme."""
    cases = {name: [whole(case) for case in cases] for name, cases in systems.items()}
    first = next(iter(cases.values()))
    samples = tuple(
        Sample(
            case.id,
            case.source,
            tuple(map(written, case.references)),
            {"origin": "ab"[n % 2]},
        )
        for n, case in enumerate(first)
    )
    return RunStats(
        corpus=Corpus("made", samples, "en"),
        systems={
            name: SystemOutput(
                name, {case.id: tuple(map(written, case.hypotheses)) for case in cases}
            )
            for name, cases in cases.items()
        },
        lang="en",
        metrics={metric.name: metric for metric in metrics},
        cases=cases,
        rows={
            (name, metric.name): [metric.stats(case) for case in cases]
            for name, cases in cases.items()
            for metric in metrics
        },
    )


def written(rewrite: CaseRewrite) -> Rewrite:
    return (
        Rewrite(unannotatable=True) if rewrite.unannotatable else Rewrite(text=rewrite.text or "x")
    )


def whole(case: Case) -> Case:
    return replace(case, edit_tokens=case.tokens)


def rows_of(run: RunStats, system: str, metric: str = "cherrant") -> list:
    return [run.rows[system, metric][at] for at in run.indices_of(metric)]


@st.composite
def runs(draw: st.DrawFn, versions: st.SearchStrategy[CaseRewrite] = VERSIONS) -> RunStats:
    """Systems on a few sentences, each side with versions of these."""
    size = draw(st.integers(1, 6))
    outputs = st.lists(versions, min_size=1, max_size=2)
    references = [draw(st.lists(versions, min_size=1, max_size=3)) for _ in range(size)]
    systems = {
        name: [
            replace(case(str(n), IMPOSSIBLE, *reference), hypotheses=tuple(draw(outputs)))
            for n, reference in enumerate(references, 1)
        ]
        for name in ("one", "two", "three")[: draw(st.integers(1, 3))]
    }
    return run_stats_of(systems, Cherrant(choice=draw(st.sampled_from(CHOICES))))


@given(runs(), st.sampled_from([1, 2, 3]))
def test_types_and_positions_make_up_the_score(run: RunStats, tier: int):
    metric = run.metrics["cherrant"]
    for system in run.systems:
        score = metric.aggregate(rows_of(run, system))
        types = by_type(run, "cherrant", tier)
        cells = dict(zip(types.groups, types.cells[system], strict=True))
        counts = {group: cell.counts for group, cell in cells.items() if cell.value is not None}
        assert counts == by_tier(score.by_type, tier)
        assert total(cell.counts for cell in by_position(run, "cherrant").cells[system]) == (
            score.counts
        )


@given(runs())
def test_what_is_counted_without_an_edit_has_a_place_of_its_own(run: RunStats):
    breakdown = by_position(run, "cherrant")
    declared = any(
        version.unannotatable
        for at in run.indices_of("cherrant")
        for cases in run.cases.values()
        for version in (*cases[at].hypotheses, *cases[at].references)
    )
    assert declared or NOWHERE not in breakdown.groups
    if NOWHERE in breakdown.groups:
        assert (breakdown.groups[-1], breakdown.sizes[-1], len(breakdown.groups)) == (NOWHERE, 0, 6)
        assert any(cells[-1].value is not None for cells in breakdown.cells.values())


@given(runs())
def test_groups_of_sentences_hold_every_sentence_once(run: RunStats):
    for breakdown in (
        by_length(run, "cherrant", (3, 5)),
        by_errors(run, "cherrant"),
        by_state(run, "cherrant"),
        by_field(run, "cherrant", "origin"),
    ):
        if breakdown is None:
            assert all(v.unannotatable for case in run.cases["one"] for v in case.references)
            continue
        assert sum(breakdown.sizes) == len(run.indices_of("cherrant"))
        assert all(breakdown.sizes)
        assert {len(cells) for cells in breakdown.cells.values()} == {len(breakdown.groups)}


@given(runs())
def test_a_group_scores_as_the_corpus_that_it_is(run: RunStats):
    breakdown = by_field(run, "cherrant", "origin")
    metric = run.metrics["cherrant"]
    for system in run.systems:
        for group, cell in zip(breakdown.groups, breakdown.cells[system], strict=True):
            rows = [
                row
                for row, sample in zip(
                    run.rows[system, "cherrant"], run.corpus.samples, strict=True
                )
                if sample.meta["origin"] == group and row is not None
            ]
            assert cell.value == metric.aggregate(rows).value


@given(runs())
def test_exchanging_two_systems_turns_every_difference_round(run: RunStats):
    if len(run.systems) < 2:
        assert best_two(run, "cherrant") is None
        return
    first, second = best_two(run, "cherrant")
    parts = [by_field(run, "cherrant", "origin"), by_type(run, "cherrant", 1)]
    ahead = differences(parts, first, second, least=1)
    behind = differences(parts, second, first, least=1)
    assert [d.difference for d in ahead] == [-d.difference for d in behind]
    widths = [abs(d.difference) for d in ahead]
    assert widths == sorted(widths, reverse=True)
    turned = {d.id: -d.contribution for d in contributions(run, "cherrant", second, first, most=99)}
    for contribution in contributions(run, "cherrant", first, second, most=99):
        assert contribution.contribution == pytest.approx(turned[contribution.id], abs=1e-12)


def slow_contributions(run: RunStats, metric) -> dict[str, float]:
    """What was chosen stays chosen, one sentence is left out, all is scored again."""
    chosen = {name: held(metric, rows_of(run, name, metric.name)) for name in ("one", "two")}

    def difference(places: list[int]) -> float:
        first, second = (
            metric.aggregate([rows[at] for at in places]).value for rows in chosen.values()
        )
        return first - second

    places = run.indices_of(metric.name)
    every = list(range(len(places)))
    sides = zip(*(rows_of(run, name, metric.name) for name in chosen), strict=True)
    apart = [ours != theirs for ours, theirs in sides]
    return {
        run.corpus.samples[places[at]].id: apart[at]
        * (difference(every) - difference([n for n in every if n != at]))
        for at in every
    }


def check_contributions(run: RunStats, metric) -> None:
    contribution_of = {
        contribution.id: contribution.contribution
        for contribution in contributions(run, metric.name, "one", "two", most=9)
    }
    for name, value in slow_contributions(run, metric).items():
        assert math.isclose(contribution_of.get(name, 0.0), value, abs_tol=1e-9)


@given(runs())
def test_a_contribution_is_the_difference_less_that_without_the_sentence(run: RunStats):
    if len(run.systems) > 1 and len(run.indices_of("cherrant")) > 1:
        check_contributions(run, run.metrics["cherrant"])


def test_references_chosen_for_other_sentences_stay_as_they_were():
    """Without the first sentence the second would choose its other reference."""
    every = version("01234567")
    cases = [case("1", every, every), case("2", version("01"), version("0"), every)]
    two = [case("1", every, every), case("2", version(""), version("0"), every)]
    three = [case("1", version("0"), every), case("2", version("01"), version("0"), every)]
    metric = Cherrant()
    rows = [metric.stats(case) for case in cases]
    assert metric.choose(rows)[1].reference != metric.choose(rows[1:])[0].reference
    check_contributions(run_stats_of({"one": cases, "two": two}, metric), metric)
    check_contributions(run_stats_of({"one": cases, "two": three}, metric), metric)


@pytest.mark.parametrize("metric", ALL)
def test_a_contribution_is_that_by_every_metric(metric):
    others = [replace(case, hypotheses=(version("3"),)) for case in UNEVEN]
    run = run_stats_of({"one": UNEVEN, "two": others}, metric)
    if type(metric).__name__ in ("Gleu", "GleuFrequency"):
        # A sentence keeps its drawn references; resampling has tests of its own.
        assert contributions(run, metric.name, "one", "two", most=9)
        return
    check_contributions(run, metric)


def held(metric, rows: list) -> list:
    chosen = metric.choose(rows)
    return rows if chosen is None else [(pairing,) for pairing in chosen]


@pytest.mark.parametrize("metric", ALL)
def test_equal_systems_have_no_sentence_that_decides(metric):
    run = run_stats_of({"one": UNEVEN, "two": UNEVEN}, metric)
    assert contributions(run, metric.name, "one", "two", most=9) == ()
    breakdown = by_field(run, metric.name, "origin")
    assert [d.difference for d in differences([breakdown], "one", "two", least=1)] == [0.0, 0.0]
