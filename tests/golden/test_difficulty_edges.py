"""GoToScorer's edge cases: its verdicts where it works, ours where it goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from gts_golden import golden, official
from messages import expect_error

from gecbench.analysis.difficulty import Difficulty, break_even
from gecbench.analysis.options import Weighting
from gecbench.api.difficulty import difficulty
from gecbench.api.files import load, load_systems
from gecbench.api.verb_options import DifficultyOptions
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput

pytestmark = pytest.mark.golden

EMPTY, GAP, NO_LINE, TWO_BLANK, CRLF, JUMBLED, ONE, TWO, INSIDE = range(9)


def run(case, tmp_path: Path, names: tuple[str, ...] = (), **options: object) -> Difficulty:
    for side in ("ref", "hyp"):
        (tmp_path / f"{side}.m2").write_bytes(case[f"{side}_m2"].encode())
    form = "m2-maxmatch" if case["ref_m2"].startswith("S \n") else None  # has an empty source
    corpus = load(tmp_path / "ref.m2", format=form, lang="en")
    systems = load_systems(tmp_path / "hyp.m2", corpus, names=names, format=form)
    (result,) = difficulty(corpus, systems, options=DifficultyOptions(**options))
    return result


@pytest.mark.parametrize("number", [EMPTY, CRLF, ONE, TWO, INSIDE])
def test_verdicts_chunks_and_scores(shared: Path, tmp_path: Path, number: int):
    case = golden(shared, "edge_cases")["cases"][number]
    result = run(case, tmp_path)
    assert {s: list(rows) for s, rows in result.table.verdicts.items()} == case["verdicts"]
    assert [list(row) for row in result.table.right] == case["n_correct"]
    spans = [[[c.start, c.end, c.edit is not None] for c in row] for row in result.table.chunks]
    assert spans == [[[c[0], c[1], c[5]] for c in row] for row in case["chunks"]]
    for kind, key in (("weighted", "default"), ("plain", "no_weight")):
        figures = {score.system: official(getattr(score, kind)) for score in result.scores}
        assert figures == case[key]


def test_a_system_without_a_line_hides_nobody(shared: Path, tmp_path: Path):
    """The official program reads one system here, of three."""
    case = golden(shared, "edge_cases")["cases"][GAP]
    assert case["n_systems"] == 1
    result = run(case, tmp_path, ("one", "idle", "three"))
    assert result.table.verdicts == {
        "one": ("NNNTNNNNN",),
        "idle": ("NNNMNNNNN",),
        "three": ("NNNTNNNNN",),
    }
    with expect_error(CorpusError, "annotator 2", "annotator 1", "--names"):
        run(case, tmp_path)


def test_no_line_at_all_is_a_system_that_changes_nothing(shared: Path, tmp_path: Path):
    """The official program ends with an IndexError."""
    case = golden(shared, "edge_cases")["cases"][NO_LINE]
    assert "IndexError" in case["error"]
    assert run(case, tmp_path, ("idle",)).table.verdicts == {"idle": ("NNNMNNNNN",)}
    with expect_error(CorpusError, "no annotator", "--names"):
        run(case, tmp_path)


def test_two_blank_lines_lose_no_sentence(shared: Path, tmp_path: Path):
    """The official program drops the second sentence."""
    case = golden(shared, "edge_cases")["cases"][TWO_BLANK]
    assert case["n_sentences"] == 1
    assert run(case, tmp_path).table.verdicts == {"0": ("NNNTNNNNN", "NNNTNNN")}


def test_edits_out_of_order_are_put_in_order_and_it_is_said(shared: Path, tmp_path: Path):
    """The official program repeats tokens."""
    case = golden(shared, "edge_cases")["cases"][JUMBLED]
    assert len(case["verdicts"]["0"][0]) == 15
    result = run(case, tmp_path)
    assert result.table.verdicts == {"0": ("NTNNNTNNN",)}
    assert "ref: rewrites with edits out of order, which were put in order: 1" in result.notes


@pytest.mark.parametrize("number", range(4))
def test_break_even_points(shared: Path, number: int):
    want = golden(shared, "edge_cases")["breakpoint"][number]
    weighting = Weighting(want["a"], want["b"], want["c"])
    known = want["corrected_by_the_N-1"]
    point = break_even(want["M"], want["N"], known, weighting)
    assert point.level == want["breakpoint_x"]
    assert point.ahead == want["first_x_where_unique_wins"]
    for x, others, unlike in want["rows_x_Rother_Runique"]:
        scores = _simulated(want["M"], want["N"], known, x, weighting)
        assert (scores["other 0"], scores["unlike"]) == (others, unlike)


def _simulated(errors: int, systems: int, known: int, x: int, weighting: Weighting):
    """Recall of systems that are made so: all but one correct the first errors, it the last x."""
    tokens = tuple(f"w{n}" for n in range(errors))
    gold = tuple(Edit(n, n + 1, ("x",), "R") for n in range(errors))
    corpus = Corpus("c", (Sample("1", " ".join(tokens), (_edited(gold),), {}, tokens),), "en")
    edits_of = {f"other {n}": gold[:known] for n in range(systems - 1)}
    edits_of["unlike"] = gold[known : known + x]
    outputs = [
        SystemOutput(name, {"1": (_edited(edits),)}, {"1": tokens})
        for name, edits in edits_of.items()
    ]
    options = DifficultyOptions(weighting)
    (result,) = difficulty(corpus, outputs, options=options)
    return {score.system: score.weighted.recall for score in result.scores}


def _edited(edits: tuple[Edit, ...]) -> Rewrite:
    return Rewrite(text="..." if edits else None, error_free=not edits, edit_sets=(edits,))
