"""A curve is read between its points and never beyond them; numbers are found by their paths."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.analysis.equal_edits import at_equal_edits
from gecbench.analysis.experiment import Mean
from gecbench.api.experiment.values import found_in
from gecbench.cli import main
from gecbench.core.errors import FormatError

COUNTS = st.integers(0, 30)
POINTS = st.lists(st.tuples(COUNTS, st.integers(0, 100)), max_size=8)


def slow(points: list[tuple[int, int]], edits: int) -> Fraction | None:
    """Try every pair of points; the nearest on both sides make the line."""
    there = [value for count, value in points if count == edits]
    if there:
        return Fraction(sum(there), len(there))
    below = max((count for count, _ in points if count < edits), default=None)
    above = min((count for count, _ in points if count > edits), default=None)
    if below is None or above is None:
        return None
    low, high = slow(points, below), slow(points, above)
    return low + (high - low) * Fraction(edits - below, above - below)


@given(POINTS, COUNTS)
def test_the_curve_is_that_of_the_slow_twin(points, edits) -> None:
    found, wanted = at_equal_edits(points, edits), slow(points, edits)
    assert (found is None) == (wanted is None)
    if wanted is not None:
        assert found == pytest.approx(float(wanted), abs=1e-9)


@given(POINTS, COUNTS)
def test_the_order_of_points_makes_no_difference(points, edits) -> None:
    assert at_equal_edits(points, edits) == at_equal_edits(points[::-1], edits)


def test_a_mean_of_nothing_is_nothing() -> None:
    assert (Mean(()).mean, Mean(()).sd) == (None, None)
    assert (Mean((2.0,)).mean, Mean((2.0,)).sd) == (2.0, None)
    assert (Mean((1.0, 3.0)).mean, Mean((1.0, 3.0)).sd) == (2.0, pytest.approx(2**0.5))


RESULT = {
    "systems": [
        {"system": "cpr-0.1", "subset": None, "official": {"crs": 0.5}},
        {"system": "cpr-0.1", "subset": "a", "official": {"crs": 0.25}},
        {"system": "b", "subset": "a", "official": {"crs": None}},
    ],
    "alone": [{"system": "x", "subset": "only", "f": 1}, {"system": "y", "subset": "only", "f": 2}],
    "text": "no",
    "yes": True,
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("systems[system=cpr-0.1,subset=].official.crs", 0.5),
        ("systems[system=cpr-0.1,subset=a].official.crs", 0.25),
        ("systems[system=b,subset=a].official.crs", None),
        ("systems[system=c].official.crs", None),
        ("alone[system=y,subset=].f", 2.0),
        ("alone[system=y].g", None),
        ("nowhere[a=b].c", None),
        ("text.more", None),
    ],
)
def test_a_path_leads_to_a_number_or_to_none(path: str, value: float | None) -> None:
    assert found_in(RESULT, path) == value


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("systems[system=cpr-0.1].official.crs", "chooses 2 objects; choose one"),
        ("text", "there stands 'no', which is no number"),
        ("yes", "there stands 'True', which is no number"),
        ("a..b", "is no path"),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(path: str, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        found_in(RESULT, path)


def test_perturbed_cases_are_corrected_in_the_order_of_the_evaluation(tmp_path, capfd) -> None:
    from gecbench.api.files import sample
    from gecbench.api.robustness import load_perturbed, save_perturbed

    blocks = sample("en", "perturbed.txt")
    cases = load_perturbed(blocks)
    save_perturbed(cases, tmp_path / "cases.jsonl")
    (tmp_path / "folder" / "one").mkdir(parents=True)
    (tmp_path / "folder" / "one" / "para.txt").write_bytes(blocks.read_bytes())
    wanted = [s.source for s in cases.corpus().samples]
    for place in (blocks, tmp_path / "cases.jsonl", tmp_path / "folder"):
        main(["correct", "copying", str(place), "-o", str(tmp_path / "out.txt")])
        assert (tmp_path / "out.txt").read_text("utf-8").splitlines() == wanted
        (tmp_path / "out.txt").unlink()
    capfd.readouterr()
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit):
        main(["correct", "copying", str(tmp_path / "empty")])
    assert "the folder is empty; it should hold subsets of cases" in capfd.readouterr().err
