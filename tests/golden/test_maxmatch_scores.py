"""m2 and sent-m2 against m2scorer cb874a7 and SEEDA's published numbers."""

from __future__ import annotations

import json
from array import array
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest
from maxmatch_cases import case_of, cases_of, gold_of
from messages import expect_error

from gecbench.core.case import Case
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, FormatError
from gecbench.edits import maxmatch
from gecbench.edits.maxmatch import build_graph, pairs
from gecbench.formats.reading import read, read_system
from gecbench.metrics.m2 import M2, SentenceM2

pytestmark = pytest.mark.golden

SYSTEMS = [
    *("BERT-fuse", "GECToR-BERT", "GECToR-ens", "INPUT", "LM-Critic", "PIE"),
    *("REF-F", "REF-M", "Riken-Tohoku", "T5", "TemplateGEC"),
]
# The gold files of JFLEG are not in the reference folder, so its seven rows are not compared.
GOLDS = {"conll14.gold": "data/m2", "fce.gold": "data/m2", "nlpcc18.gold": "data/m2"}
GOLDS["conll14alt.m2"] = "golden/m2/m2data"


def stored(shared: Path, name: str):
    return json.loads((shared / "golden" / name).read_text("utf-8"))


def cases(shared: Path, system: str) -> list[Case]:
    outputs = shared / "data/seeda/outputs"
    return cases_of(shared / "data/m2/conll14.gold", outputs / f"{system}.txt")


@cache
def rows_of(shared: Path, system: str) -> list:
    """What M2 and the mean over sentences are made of, by the compiled kernel if there is one."""
    metric = M2()
    return [metric.stats(case) for case in cases(shared, system)]


def counts_of(result) -> tuple[int, int, int]:
    """Matched, proposed and gold edits."""
    counts = result.counts
    return counts.tp, counts.tp + counts.fp, counts.tp + counts.fn


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_count_of_every_sentence_is_the_official_one(shared: Path, system: str) -> None:
    want = stored(shared, "m2/m2_per_sentence.json")["systems"][system]
    metric = M2()
    rows = rows_of(shared, system)
    actual_rows = [
        [
            sentence["chosen"],
            {str(c["reference"]): [c["matched"], c["proposed"], c["gold"]] for c in all_},
        ]
        for sentence in metric.sentences(rows)
        for all_ in [sentence["candidates"]]
    ]
    assert actual_rows == want
    assert {item.level for row in rows for item in row} == {"exact"}
    total = stored(shared, "m2/m2_scores.json")["systems"][system]
    score = metric.aggregate(rows)
    assert counts_of(score) == (total["correct"], total["proposed"], total["gold"])
    ratios = (score.counts.precision, score.counts.recall, score.value)
    assert ratios == pytest.approx((total["P"], total["R"], total["F"]), abs=1e-15)
    assert score.sentences == 1312
    assert f"{100 * score.value:.2f}" == f"{total['SEEDA_README_M2']:.2f}"


@pytest.mark.parametrize("system", ["GECToR-ens", "REF-M"])
@pytest.mark.parametrize("kernel", ["python", "compiled"])
def test_every_edit_is_the_official_one(
    shared: Path, monkeypatch: pytest.MonkeyPatch, system: str, kernel: str
) -> None:
    if kernel == "python":
        monkeypatch.setattr(maxmatch, "compiled", None)
    want = stored(shared, "m2/m2_edit_sequences.json")["systems"][system]
    metric = M2()
    for case, both in zip(cases(shared, system), want, strict=True):
        actual_edits = {
            str(stat.reference): {
                "shown": [list(edit) for edit in stat.edits],
                "matched": [list(edit) for edit in stat.matches],
            }
            for stat in metric.stats(case)
        }
        assert actual_edits == both


@pytest.mark.slow
@pytest.mark.parametrize("system", ["T5", "REF-F"])
def test_both_kernels_propose_the_same_in_every_sentence(
    shared: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    if maxmatch.compiled is None:
        pytest.skip("the compiled kernel could not be built")
    metric = M2()
    compiled = rows_of(shared, system)
    monkeypatch.setattr(maxmatch, "compiled", None)
    assert [metric.stats(case) for case in cases(shared, system)] == compiled


@pytest.mark.slow
def test_the_linear_level_differs_from_the_official_counts_in_two_sentences_alone(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maxmatch, "MOST_PAIRS", 0)
    metric = M2()
    other = []
    for system in ("REF-F", "REF-M", "T5"):
        want = stored(shared, "m2/m2_per_sentence.json")["systems"][system]
        for case, (_, counts) in zip(cases(shared, system), want, strict=True):
            row = metric.stats(case)
            actual_counts = {str(c.reference): [c.matched, c.proposed, c.gold] for c in row}
            if actual_counts != counts:
                other.append((system, case.id))
                assert row[0].level == "linear"
    assert other == [("REF-F", "70"), ("REF-F", "607")]


def case_names() -> list[str]:
    options = ["beta1", "beta2", "iwc", "max0", "max1", "max3", "max4"]
    rows = [f"{system}.{option}" for system in ("GECToR-ens", "REF-M") for option in options]
    rows += [f"conll14alt.{system}" for system in ("GECToR-ens", "PIE", "REF-M")]
    sets = ("conll14", "conll14alt", "fce", "nlpcc18")
    return rows + [
        f"made.{set_name}.{kind}" for set_name in sets for kind in ("half", "ref", "src")
    ]


@pytest.mark.parametrize("name", case_names())
def test_options_and_other_corpora_give_the_official_counts(shared: Path, name: str) -> None:
    want = stored(shared, "m2/m2_made.json")[name]
    hypothesis = Path(want["hypothesis"]).name
    folder = "data/seeda/outputs" if hypothesis.endswith(".txt") else "golden/m2/m2data"
    gold = Path(want["gold"]).name
    metric = M2(
        max_unchanged_words=want["max_unchanged_words"],
        beta=want["beta"],
        ignore_whitespace_casing=want["ignore_whitespace_casing"],
    )
    some = cases_of(shared / GOLDS[gold] / gold, shared / folder / hypothesis)
    score = metric.aggregate([metric.stats(case) for case in some])
    assert counts_of(score) == (want["correct"], want["proposed"], want["gold_edits"])
    ratios = (score.counts.precision, score.counts.recall, score.value)
    assert ratios == pytest.approx((want["P"], want["R"], want["F"]), abs=1e-15)
    assert score.sentences == want["sentences"]


def test_only_jfleg_is_not_compared(shared: Path) -> None:
    rows = stored(shared, "m2/m2_made.json")
    left_out = {name for name in rows if name not in case_names()}
    assert all("jfleg" in name for name in left_out)
    assert len(left_out) == 10


REFUSED = {
    "two S lines": "2: a second S line in the block; put a blank line before it",
    "NEL inside": (
        "1: a character inside the line ends it for the MaxMatch scorer: 'S a b\\x85 c'; "
        "put a space in its place"
    ),
}


def test_the_edge_cases_score_as_the_official_program_scores_them(
    shared: Path, tmp_path: Path
) -> None:
    rows = stored(shared, "m2/m2_edge_cases.json")
    assert len(rows) == 33
    for number, row in enumerate(rows):
        gold, output = tmp_path / f"{number}.m2", tmp_path / f"{number}.txt"
        gold.write_text(row["m2"], encoding="utf-8", newline="")
        output.write_text(row["hypothesis"], encoding="utf-8", newline="")
        refused = [says for note, says in REFUSED.items() if row["note"].startswith(note)]
        if refused:
            with pytest.raises(FormatError) as error:
                read(gold, format="m2-maxmatch")
            assert str(error.value) == f"{gold}:{refused[0]}"
        elif row["note"].startswith("trailing blank line"):
            with expect_error(CorpusError, "2 sentences", "1"):
                read_system(output, gold_of(gold), format="lines")
        elif "error" in row:  # CRLF, where the official program stops; here it is as good as LF
            assert row["note"] == "CRLF gold file"
            assert counts_of(scored(row, gold, output)[0]) == (2, 2, 2)
        else:
            check(row, gold, output)


def scored(row, gold: Path, output: Path):
    options = {}
    if "--max_unchanged_words" in row["options"]:
        options["max_unchanged_words"] = int(row["options"][-1])
    if "--ignore_whitespace_casing" in row["options"]:
        options["ignore_whitespace_casing"] = True
    metric = M2(**options)
    rows = [metric.stats(case) for case in cases_of(gold, output)]
    return metric.aggregate(rows), metric.choose(rows), rows


def check(row, gold: Path, output: Path) -> None:
    score, (chosen,), (candidates,) = scored(row, gold, output)
    annotators = [
        int(reference.annotator or 0) for reference in gold_of(gold).samples[0].references
    ]
    ((best, by_annotator),) = row["sentences"]
    assert annotators[chosen.reference] == best, row["note"]
    for candidate, want in zip(candidates, by_annotator.values(), strict=True):
        counts = [candidate.matched, candidate.proposed, candidate.gold]
        assert counts == want["cumulative_matched_proposed_gold"], row["note"]
        assert [list(edit) for edit in candidate.edits] == want["shown"], row["note"]
        assert [list(edit) for edit in candidate.matches] == want["matched"], row["note"]
    numbers = (score.counts.precision, score.counts.recall, score.value)
    printed = [line.split()[-1] for line in row["printed"]]
    assert [f"{number:.4f}" for number in numbers] == printed, row["note"]


def test_edits_of_another_sentence_are_never_matched() -> None:
    """The counts of the block with two S lines, which is refused: its second sentence."""
    golds = [Edit(0, 1, ("A",)), Edit(3, 4, ("D",))]
    (matching,) = maxmatch.match(("d", "e", "f"), ("D", "e", "f"), [golds])
    assert (len(matching.matched), len(matching.proposed), matching.golds) == (0, 1, 2)


@pytest.mark.parametrize("system", SYSTEMS)
def test_sentence_scores_are_the_official_ones(shared: Path, system: str) -> None:
    want = stored(shared, "seeda/sentence_scores.json")
    metric = SentenceM2()
    rows = rows_of(shared, system)
    assert [metric.stats(case) for case in cases(shared, system)[:50]] == rows[:50]
    values = [row["value"] for row in metric.sentences(rows)]
    assert values == pytest.approx(want["full_sentence"][system]["M2"], abs=5.1e-7)
    score = metric.aggregate(rows)
    assert score.value == pytest.approx(want["full"][system]["SentM2"], abs=1e-12)


def test_the_order_of_sentences_matters_as_published(shared: Path) -> None:
    metric = M2()
    rows = rows_of(shared, "T5")
    assert round(100 * metric.aggregate(rows).value, 2) == 65.07
    assert round(100 * metric.aggregate(rows[::-1]).value, 2) == 65.08


def test_the_longest_lattice_is_far_below_the_limit(shared: Path) -> None:
    sample = gold_of(shared / "data/m2/conll14.gold").samples[332]
    line = (shared / "data/seeda/outputs/T5.txt").read_text("utf-8").split("\n")[332]
    case = case_of(sample, line)
    assert (len(case.tokens), len(case.hypotheses[0].tokens)) == (227, 97)
    graph = build_graph(*map(coded, (case.tokens, case.hypotheses[0].tokens)))
    assert len(graph.cells) == 1071
    assert pairs(graph, 2) < maxmatch.MOST_PAIRS / 3


def coded(tokens: tuple[str, ...]) -> bytes:
    """Codes that are equal where the tokens are."""
    return array("I", [crc32(token.encode()) for token in tokens]).tobytes()


@pytest.mark.parametrize("system", SYSTEMS)
def test_seedas_subset_has_its_scores(shared: Path, system: str) -> None:
    ids = stored(shared, "seeda/src_ids.json")
    whole = gold_of(shared / "data/m2/conll14.gold").samples
    subset = gold_of(shared / "golden/seeda/subset.m2").samples
    assert [whole[n].tokens for n in ids] == [sample.tokens for sample in subset]
    every = rows_of(shared, system)
    rows = [every[n] for n in ids]
    stored_scores = stored(shared, "seeda/meta_eval.json")
    for metric, name in ((M2(), "M2"), (SentenceM2(), "SentM2")):
        want = stored_scores[f"{name} (subset)"]["system_scores"][system]
        assert metric.aggregate(rows).value == pytest.approx(want, abs=1e-12)
