"""Robustness to context: the numbers of RobustGEC's evaluator, on its published cases.

golden/robustgec: robustgec_eval.py (HillZhang1999/RobustGEC 1c5787b) with its cache fixed, on
tokens divided by white space, the pipeline in data/en_ud_sm, beta 0.5. The systems are made ones.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.analysis.robustness import COPY, PERFECT, CountScores, Robustness, SystemRobustness
from gecbench.api.files import sample
from gecbench.api.robustness import check_perturbed, load_perturbed, robustness
from gecbench.api.schemes import load_scheme
from gecbench.core.errors import CorpusError
from gecbench.core.score import Counts
from gecbench.formats.perturbed import read_outputs

pytestmark = pytest.mark.golden

SUBSETS = ("conll14", "tem8")
SYSTEMS = ("S80", "S50n", "S30")
RUNS = [(subset, system) for subset in SUBSETS for system in SYSTEMS]


@pytest.fixture(scope="module")
def scheme(shared: Path, common: Path):
    return load_scheme(
        "en-errant",
        spacy_model=shared / "data/en_ud_sm",
        parse_cache=common / "parses of robustness",
        types=False,
    )


@pytest.fixture(scope="module")
def by_subset(shared: Path, scheme, once) -> dict[str, Robustness]:
    """Each subset by itself."""

    def make(subset: str) -> Robustness:
        paths = [shared / f"golden/robustgec/{subset}/{system}.txt" for system in SYSTEMS]
        return robustness(shared / "data/robustgec" / subset, paths, scheme=scheme)

    return {subset: once(f"robustness of {subset}", partial(make, subset)) for subset in SUBSETS}


@pytest.fixture(scope="module")
def together(shared: Path, scheme, tmp_path_factory, once) -> Robustness:
    """Both subsets at once, the system a folder."""

    def make() -> Robustness:
        folder = tmp_path_factory.mktemp("system")
        for subset in SUBSETS:
            path = shared / f"golden/robustgec/{subset}/S50n.txt"
            (folder / f"{subset}.txt").write_text(path.read_text("utf-8"), "utf-8")
        return robustness(shared / "data/robustgec", [folder], scheme=scheme)

    return once("robustness of both subsets", make)


def part(robustness: Robustness, system: str, subset: str) -> SystemRobustness:
    parts = (*robustness.systems, *robustness.trivial)
    return next(part for part in parts if (part.system, part.subset) == (system, subset))


def golden(shared: Path, name: str) -> dict:
    return json.loads((shared / f"golden/robustgec/{name}.json").read_text("utf-8"))


@pytest.mark.parametrize(("subset", "system"), RUNS)
def test_original_and_bounds_are_the_official_ones(shared, by_subset, subset: str, system: str):
    want = golden(shared, "scores")[subset][system]
    new_part = part(by_subset[subset], system, subset)
    for counts, name in (
        (new_part.original, "original"),
        (new_part.upper, "best"),
        (new_part.lower, "worst"),
    ):
        numbers = (want[name]["TP"], want[name]["FP"], want[name]["FN"])
        assert (counts.tp, counts.fp, counts.fn) == numbers
        printed = [
            str(round(value, 4) * 100) for value in (counts.precision, counts.recall, counts.f)
        ]
        assert printed == [want[name][f"{letter}_printed"] for letter in "PRF"]


@pytest.mark.parametrize(("subset", "system"), RUNS)
def test_consistency_is_the_official_one(shared, by_subset, subset: str, system: str):
    """The program adds up fifths, so its P-CRS is off in the twelfth digit; ours is exact."""
    want = golden(shared, "scores")[subset][system]
    new_part = part(by_subset[subset], system, subset)
    count = new_part.official.consistent_cases
    assert want["CRS_line"] == f"CRS: {count} ({count / new_part.cases * 100}%)"
    total = 0.0
    for row in new_part.verdicts.equal:
        total += sum(row) / 5
    assert want["PCRS_line"] == f"P-CRS: {total} ({total / new_part.cases * 100}%)"
    assert new_part.official.like_original == round(5 * total)
    assert new_part.variants == 5 * new_part.cases


@pytest.mark.parametrize("subset", SUBSETS)
def test_trivial_systems_reach_what_the_reference_says(shared, by_subset, subset: str):
    every = golden(shared, "trivial_systems")[subset]
    for system, name in ((PERFECT, "perfect_system"), (COPY, "copy_input_system")):
        want, new_part = every[name], part(by_subset[subset], system, subset)
        counts = [new_part.original, new_part.upper, new_part.lower]
        assert [[count.tp, count.fp, count.fn] for count in counts] == [
            want["original"],
            want["best"],
            want["worst"],
        ]
        assert (new_part.official.consistent_cases, new_part.cases) == (want["crs"], want["n"])
        assert new_part.official.like_original / 5 == pytest.approx(want["pcrs"], abs=1e-9)
        assert new_part.edits.consistent_cases == new_part.cases


@pytest.mark.parametrize(
    ("subset", "system", "case", "official", "edits"),
    [
        ("conll14", "S30", 448, True, False),  # three different errors are corrected
        ("conll14", "S50n", 409, True, False),  # the same variant is best and worst
        ("conll14", "S50n", 193, True, False),  # two corrections beside one
        ("conll14", "S50n", 10, False, False),  # a wrong word in one variant
        ("conll14", "S80", 796, False, True),  # two variants have no error to correct
        ("conll14", "S30", 796, False, False),  # nor here, but the last variant is left as it is
    ],
)
def test_edits_say_what_a_reader_says(by_subset, subset, system, case, official, edits):
    """The cases that the specification looked at by eye; numbers from 0."""
    new_part = part(by_subset[subset], system, subset)
    assert new_part.verdicts.official[case] == official
    assert new_part.verdicts.edits[case] == edits
    shown = [
        (disagreement.system, disagreement.case) for disagreement in by_subset[subset].disagreements
    ]
    assert ((system, str(case + 1)) in shown) == (official != edits)


@pytest.mark.parametrize(("subset", "system"), RUNS)
def test_corrections_are_those_that_errant_found(shared, by_subset, subset: str, system: str):
    """In every case that is shown, the changes are the official edits of the hypothesis."""
    path = shared / f"golden/robustgec/{subset}/{system}.edits.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        official = [json.loads(line) for line in file]
    shown = [
        disagreement
        for disagreement in by_subset[subset].disagreements
        if disagreement.system == system
    ]
    for item in shown:
        for sentence, (_, m2) in zip(item.sentences, official[int(item.case) - 1], strict=True):
            rows = [line.split("|||") for line in m2.splitlines() if "|||noop|||" not in line]
            assert [f"A {c.start} {c.end} {c.after}" for c in sentence.changes] == [
                f"{row[0]} {row[2]}" for row in rows
            ]
    assert shown or (subset, system) == ("tem8", "S30")


def test_subsets_together_have_each_subset_as_it_is_alone(by_subset, together):
    for subset in SUBSETS:
        alone, here = (
            part(result, name, subset) for result, name in _named(by_subset[subset], together)
        )
        assert replace(alone, system=here.system) == here
    whole = together.systems[0]
    assert whole.subset is None
    assert whole.cases == 1312 + 1181
    originals = [part(by_subset[subset], "S50n", subset).original for subset in SUBSETS]
    assert _counts(whole.original) == _counts(originals[0]) + _counts(originals[1])


def _counts(scores: CountScores) -> Counts:
    return Counts(scores.tp, scores.fp, scores.fn)


def _named(alone: Robustness, together: Robustness):
    return (alone, "S50n"), (together, together.systems[0].system)


def test_a_combined_file_is_the_same_as_lines(shared, tmp_path):
    cases = load_perturbed(shared / "data/robustgec/conll14")
    lines = shared / "golden/robustgec/conll14/S80.txt"
    texts = iter(lines.read_text("utf-8").split("\n"))
    rows = []
    for case in cases.cases:
        for mark, item in zip(("O", "A1", "A2", "A3", "A4", "A5"), case.all, strict=True):
            rows += [f"{mark}-S {item.source}", f"{mark}-T {item.reference}"]
            rows.append(f"{mark}-P {next(texts)}")
        rows.append("")
    (tmp_path / "S80.txt").write_text("\n".join(rows), "utf-8")
    assert read_outputs(tmp_path / "S80.txt", cases) == read_outputs(lines, cases)


def test_a_system_of_another_subset_is_refused(shared):
    cases = load_perturbed(shared / "data/robustgec/conll14")
    with expect_error(CorpusError, "7086", "'conll14'", "7872"):
        read_outputs(shared / "golden/robustgec/tem8/S80.txt", cases)


def test_brackets_and_repeated_variants_are_those_that_the_reference_counts(shared):
    check = check_perturbed(shared / "data/robustgec")
    want = golden(shared, "trivial_systems")
    for subset in SUBSETS:
        brackets = {
            f.case for f in check.findings if (f.kind, f.subset) == ("stray-bracket", subset)
        }
        assert len(brackets) == want[subset]["cases_with_stray_brackets"]
        same = {
            f.case
            for f in check.findings
            if f.subset == subset and f.kind in ("unchanged", "repeated")
        }
        assert len(same) == want[subset]["cases_with_duplicate_variants"]


def test_actions_and_distances_are_of_all_variants(by_subset):
    for subset in SUBSETS:
        whole = by_subset[subset].systems[0]
        assert sum(group.variants for group in by_subset[subset].actions) == whole.variants
        for groups in (by_subset[subset].actions, by_subset[subset].distances):
            shares = [
                (shares, g) for g in groups for s in g.systems for shares in (s.official, s.edits)
            ]
            assert all(0 <= share.like_original <= group.variants for share, group in shares)
        by_action = [group.systems[0].official.like_original for group in by_subset[subset].actions]
        assert sum(by_action) == whole.official.like_original


def test_chinese_cases_go_with_cherrant(make_cherrant):
    """The bundled cases; the same verdicts as with the edits of zh-char."""
    cases, swayed = sample("zh", "perturbed.txt"), sample("zh", "perturbed-swayed.txt")
    first, second = (
        robustness(cases, [swayed], scheme=scheme) for scheme in (make_cherrant(), "zh-char")
    )
    assert "scheme:zh-cherrant" in first.signatures[0]
    assert [a.verdicts.same for a in first.systems] == [b.verdicts.same for b in second.systems]
    assert [a.edits.consistent_cases for a in first.trivial] == [4, 4]
