"""Difficulty equals what GoToScorer gives, to the last digit of every number."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from gts_golden import conll14, data, golden, official

from gecbench.analysis.difficulty import Difficulty
from gecbench.analysis.options import Weighting
from gecbench.analysis.sentences import edit_weights
from gecbench.api.difficulty import difficulty, write_weights
from gecbench.api.files import load_system
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.api.verb_options import DifficultyOptions
from gecbench.edits.chunks import KEPT, RIGHT, corrects
from gecbench.reports.difficulty import chunk_lines

pytestmark = pytest.mark.golden

SETS = ("seeda11", pytest.param("cleme12", marks=pytest.mark.slow))

AS_IN_FILES = DifficultyOptions(re_extract=False)
"""GoToScorer compares what people marked with what a pipeline found."""


@pytest.fixture(scope="module", params=SETS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def want(shared: Path, name: str):
    return golden(shared, name)


@pytest.fixture(scope="module")
def inputs(shared: Path, name: str):
    return data(shared, name)


@pytest.fixture(scope="module")
def difficulty_result(inputs, name: str, once) -> Difficulty:
    return once(f"difficulty of {name}", lambda: difficulty(*inputs, options=AS_IN_FILES)[0])


def weighted(result: Difficulty):
    return {score.system: official(score.weighted) for score in result.scores}


def types(result: Difficulty, level: int):
    return [[row.label, row.mean, row.deviation, row.errors] for row in result.types[level]]


def test_weighted_scores(want, difficulty_result: Difficulty):
    assert weighted(difficulty_result) == want["default"]


def test_plain_scores(want, difficulty_result: Difficulty):
    assert {score.system: official(score.plain) for score in difficulty_result.scores} == want[
        "no_weight"
    ]


@pytest.mark.slow
def test_other_constants(want, inputs):
    for case in want["abc"]:
        options = replace(AS_IN_FILES, weighting=Weighting(case["a"], case["b"], case["c"]))
        assert weighted(difficulty(*inputs, options=options)[0]) == case["scores"]


@pytest.mark.parametrize("level", [1, 2, 3])
def test_types_at_each_level(want, difficulty_result: Difficulty, level: int):
    assert types(difficulty_result, level) == want[f"cat{level}"]


def test_numbers_of_chunks_and_of_errors(want, difficulty_result: Difficulty):
    assert difficulty_result.table.size == want["n_chunks"]
    assert difficulty_result.table.errors == want["n_gold_error_chunks"]


def test_every_verdict_on_every_chunk(shared: Path, name: str, difficulty_result: Difficulty):
    verdicts = golden(shared, f"{name}.verdicts")["verdicts"]
    assert {
        system: list(rows) for system, rows in difficulty_result.table.verdicts.items()
    } == verdicts


@pytest.mark.slow
def test_weight_file_is_theirs_byte_for_byte_and_gives_the_same_scores(
    shared: Path, name: str, want, inputs, difficulty_result: Difficulty, tmp_path: Path
):
    path, _ = write_weights(difficulty_result, tmp_path / "w.txt")
    assert path.read_bytes() == (shared / f"golden/gts/{name}.weights.txt").read_bytes()
    (again,) = difficulty(*inputs, options=replace(AS_IN_FILES, weights=path))
    assert weighted(again) == want["w_file_round_trip"]
    options = replace(AS_IN_FILES, weighting=Weighting(1.5, 1, 2), weights=path)
    (again,) = difficulty(*inputs, options=options)
    assert weighted(again) == want["w_file_abc_1.5_1_2"]


def test_picture_is_theirs_byte_for_byte(shared: Path, name: str, difficulty_result: Difficulty):
    path = shared / f"golden/gts/{name}.chunks.txt"
    assert chunk_lines(difficulty_result).encode() == path.read_bytes()


def test_the_second_annotator(shared: Path, tmp_path: Path):
    want = golden(shared, "seeda11")
    options = replace(AS_IN_FILES, reference=2, absent="unchanged")
    (result,) = difficulty(*data(shared, "seeda11"), options=options)
    assert result.reference == "reference 2 (annotator 1)"
    assert weighted(result) == want["ref_id_1"]
    assert types(result, 3) == want["ref_id_1_cat3"]
    assert result.table.size == want["ref_id_1_n_chunks"]
    path, _ = write_weights(result, tmp_path / "w.txt")
    assert path.read_bytes() == (shared / "golden/gts/seeda11.ref1.weights.txt").read_bytes()


@cache
def by_published_weights(shared: Path, system: str, file: str) -> Difficulty:
    """One system with the weights of a file."""
    corpus = conll14(shared)
    system_output = load_system(shared / f"golden/gts/inputs/one_{system}.m2", corpus)
    path = shared / f"data/gts_weights/{file}.txt"
    if file == "seeda11":
        path = shared / "golden/gts/seeda11.weights.txt"
    (result,) = difficulty(corpus, [system_output], options=replace(AS_IN_FILES, weights=path))
    return result


@pytest.mark.parametrize("system", ["T5", "BERT-fuse", "REF-M"])
@pytest.mark.parametrize("file", ["conll14_8sys", "conll14_4sys", "seeda11"])
def test_one_system_with_published_weights(shared: Path, system: str, file: str):
    difficulty = by_published_weights(shared, system, file)
    want = golden(shared, "one_system_with_weights")[system][file]
    assert official(difficulty.scores[0].weighted) == want


@pytest.mark.slow
def test_published_weights_are_read_with_the_edits_in_the_files(shared: Path):
    """Edits extracted again, which is the default, do not fit them."""
    corpus = conll14(shared)
    system_output = load_system(shared / "golden/gts/inputs/one_T5.m2", corpus)
    path = shared / "data/gts_weights/conll14_8sys.txt"
    (result,) = difficulty(corpus, [system_output], options=DifficultyOptions(weights=path))
    want = golden(shared, "one_system_with_weights")["T5"]["conll14_8sys"]
    assert official(result.scores[0].weighted) == want


@pytest.mark.parametrize("file", ["conll14_8sys", "conll14_4sys"])
def test_published_weights_line_up_with_the_first_annotator(shared: Path, file: str):
    want = golden(shared, "published_weight_alignment")[file]
    difficulty = by_published_weights(shared, "T5", file)
    assert (difficulty.voters, len(difficulty.table.ids)) == (want["N"], want["sentences"])
    assert difficulty.table.size == want["chunks"]
    path = shared / f"data/gts_weights/{file}.txt"
    rows = path.read_text("utf-8").splitlines()[1:]
    kinds: dict[str, list[int]] = {}
    for row, line in zip(difficulty.table.chunks, rows, strict=True):
        for chunk, number in zip(row, line.split(), strict=True):
            kinds.setdefault(_kind(chunk), []).append(int(number))
    assert {kind: [len(n), sum(n) / len(n)] for kind, n in kinds.items()} == {
        kind: [count, pytest.approx(mean, rel=1e-12)]
        for kind, (count, mean) in want["mean_n_correct_by_kind"].items()
    }


def _kind(chunk) -> str:
    if chunk.edit is None:
        return "dummy" if chunk.start == chunk.end else "token"
    return "error (insert)" if chunk.start == chunk.end else "error (replace/delete)"


def test_edit_weights_are_those_of_the_official_verdicts(shared: Path, name: str, inputs):
    corpus, systems = inputs
    run_stats = collect_stats(corpus, systems, options=Options(re_extract=False))
    verdicts = golden(shared, f"{name}.verdicts")
    verdict_rows = zip(*verdicts["verdicts"].values(), strict=True)
    cases = next(iter(run_stats.cases.values()))
    for weights, case, mask, letters in zip(
        edit_weights(run_stats.cases), cases, verdicts["mask"], verdict_rows, strict=True
    ):
        columns = list(zip(*letters, strict=True))
        shares = [1 - sum(c in (RIGHT, KEPT) for c in row) / len(systems) for row in columns]
        pairs = zip(case.references[0].edits, weights.references[0], strict=True)
        ordered = sorted(pairs, key=lambda pair: (pair[0].start, pair[0].end))
        assert [weight for edit, weight in ordered if corrects(edit)] == [
            share for share, kind in zip(shares, mask, strict=True) if kind in "RI"
        ]
