"""Meta-evaluation on SEEDA: what its released scripts give, to the last digit."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from gecbench.analysis.correlation import SystemScores
from gecbench.analysis.meta import (
    SEEDA_SETS,
    of_run,
    of_tables,
    read_people,
    sentence_scores_of,
    system_level,
    windows,
)
from gecbench.analysis.options import Layout, SystemSet
from gecbench.api.files import load, load_system
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.core.score import ranks
from gecbench.formats.judgments import SEEDA, read_judgments

pytestmark = pytest.mark.golden

SETS = (
    SystemSet("dev9 (no INPUT, REF-F)", without=("INPUT", "REF-F")),
    SystemSet("dev10 (no INPUT)", without=("INPUT",)),
    SystemSet("dev11"),
)
LAYOUT = Layout(sets=SETS, sizes=(4,))
WAYS = ("EW_edit", "EW_sent", "TS_edit", "TS_sent")
WINDOW = "window4 over dev9, human order"


@pytest.fixture(scope="module")
def golden(shared: Path) -> dict:
    return json.loads((shared / "golden/seeda/meta_eval.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def people(shared: Path):
    folder = shared / "data/seeda"
    return read_people(
        {way: folder / f"human/{way}.txt" for way in WAYS},
        {kind: folder / f"judgments_{kind}.xml" for kind in ("edit", "sent")},
    )


@pytest.fixture(scope="module")
def rows(shared: Path) -> list[int]:
    return json.loads((shared / "golden/seeda/src_ids.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def texts(shared: Path, rows: list[int], golden: dict, tmp_path_factory):
    """The outputs on SEEDA's subset, a file each."""
    folder = tmp_path_factory.mktemp("subset")
    names = golden["M2 (subset)"]["system_scores"]
    for name in names:
        lines = (shared / f"data/seeda/outputs/{name}.txt").read_text("utf-8").split("\n")
        (folder / f"{name}.txt").write_text("".join(f"{lines[row]}\n" for row in rows), "utf-8")
    return [folder / f"{name}.txt" for name in names]


@pytest.fixture(scope="module")
def by_metric(shared: Path, texts: list[Path]):
    """The systems judged over the subset by metrics that are computed here."""
    folder = shared / "golden/seeda"
    references = [folder / "subset.ref0", folder / "subset.ref1"]
    run_of = {}
    for corpus, metrics in (
        (load(folder / "subset.m2"), ("m2", "sent-m2")),
        (load(folder / "subset.src", references=references), ("gleu",)),
    ):
        systems = [load_system(path, corpus) for path in texts]
        run_of |= dict.fromkeys(
            metrics, collect_stats(corpus, systems, options=Options(metrics=metrics))
        )
    return run_of


@pytest.fixture(scope="module")
def evaluations(by_metric, people):
    """What comes of them."""
    evaluation_of = {
        id(run_stats): of_run(run_stats, people, LAYOUT) for run_stats in by_metric.values()
    }
    return {metric: evaluation_of[id(run_stats)] for metric, run_stats in by_metric.items()}


@pytest.fixture(scope="module")
def sentences(by_metric):
    """Their scores of sentences, by metric, then by sentence and system."""
    return sentence_scores_of(by_metric["m2"])


def check_systems(official: dict, evaluation, metric: str) -> None:
    for way in WAYS:
        for group in SETS:
            (level,) = [
                system.coefficients
                for system in evaluation.systems
                if (system.metric, system.human, system.set) == (metric, way, group.name)
            ]
            for kind, value in official[way][group.name].items():
                assert level[kind].value == pytest.approx(value, abs=1e-12)
        windows = [
            window
            for window in evaluation.windows
            if (window.metric, window.human) == (metric, way)
        ]
        order = official[way][WINDOW]["order"]
        assert [window.systems for window in windows] == [tuple(order[n : n + 4]) for n in range(6)]
        assert [
            [window.coefficients[kind].value for kind in ("pearson", "spearman")]
            for window in windows
        ] == [pytest.approx(pair, abs=1e-12) for pair in official[way][WINDOW]["values"]]


def check_sentences(official: dict, evaluation, metric: str) -> None:
    for kind, sets in official.items():
        for group, figures in sets.items():
            (sentence,) = [
                sentence
                for sentence in evaluation.sentences
                if (sentence.metric, sentence.judgments, sentence.set) == (metric, kind, group)
            ]
            assert (sentence.pairs, sentence.metric_ties.first + sentence.metric_ties.second) == (
                figures["judged_pairs"],
                figures["pairs_with_tied_metric_scores"],
            )
            assert sentence.official.accuracy == pytest.approx(figures["accuracy"], abs=1e-15)
            assert sentence.official.kendall == pytest.approx(figures["kendall"], abs=1e-12)
            assert sentence.unscored == 0


@pytest.mark.parametrize("metric", ["PT-M2", "PT-ERRANT", "Scribendi", "SOME", "IMPARA"])
def test_published_columns_have_the_released_correlations_in_all_sets_and_windows(
    golden: dict, people, metric: str
):
    column = golden["readme_columns"][metric]
    scores = SystemScores("readme", SEEDA, {metric: tuple(column["scores"])})
    level = system_level(scores, people.scores, SEEDA_SETS)
    assert len(level) == len(WAYS) * len(SEEDA_SETS)
    for correlation in level:
        for kind, value in column["correlations"][correlation.human][correlation.set].items():
            assert correlation.coefficients[kind].value == pytest.approx(value, abs=1e-12)
    for size in (4, 5, 6, 7, 8):
        new_windows = windows(scores, people.scores, SEEDA_SETS[0], [size])
        for way in WAYS:
            values = [
                [result.coefficients[kind].value for kind in ("pearson", "spearman")]
                for result in new_windows
                if result.human == way
            ]
            official = column["correlations"][way][f"window{size}"]
            assert values == [pytest.approx(pair, abs=1e-12) for pair in official]


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        pytest.param("m2", "M2 (subset)", marks=pytest.mark.slow),
        pytest.param("sent-m2", "SentM2 (subset)", marks=pytest.mark.slow),
        ("gleu", "GLEU_py3 (subset)"),
    ],
)
def test_metrics_computed_here_correlate_as_released(
    golden: dict, evaluations, metric: str, name: str
):
    check_systems(golden[name]["system"], evaluations[metric], metric)


@pytest.mark.parametrize(
    ("metric", "name"), [("sent-m2", "M2 (subset)"), ("gleu", "GLEU_py3 (subset)")]
)
def test_sentences_are_preferred_as_released(golden: dict, evaluations, metric: str, name: str):
    check_sentences(golden[name]["sentence"], evaluations[metric], metric)


def test_m2_of_a_sentence_alone_is_that_of_the_best_annotator(golden: dict, evaluations):
    check_sentences(golden["M2 (subset)"]["sentence"], evaluations["m2"], "m2")


@pytest.mark.parametrize("metric", ["m2", "sent-m2"])
def test_every_pair_of_outputs_is_ordered_or_tied_as_released(golden: dict, sentences, metric: str):
    official = golden["M2 (subset)"]["sentence_scores"]
    sentence = sentences[metric]
    ids = list(dict.fromkeys(source for source, _ in sentence))
    wrong = [
        (source, first, second)
        for at, source in enumerate(ids)
        for first, second in combinations(official, 2)
        if ranks([sentence[source, first], sentence[source, second]])
        != [
            1 + (official[second][at] > official[first][at]),
            1 + (official[first][at] > official[second][at]),
        ]
    ]
    assert len(ids) == 391
    assert wrong == []


def test_tables_give_what_the_same_scores_give(golden: dict, people, texts, rows, tmp_path: Path):
    """Length in characters, as tables of systems and of sentences, whose ids are SEEDA's lines."""
    official = golden["Length (characters of the subset output)"]
    lines = ["id\tsystem\tlength"]
    for path in texts:
        outputs = path.read_text("utf-8").split("\n")[:-1]
        lines += [
            f"{row + 1}\t{path.stem}\t{len(text)}" for row, text in zip(rows, outputs, strict=True)
        ]
    sentences, systems = tmp_path / "sentences.tsv", tmp_path / "systems.tsv"
    sentences.write_text("\n".join(lines), "utf-8")
    pairs = [f"{name}\t{value}" for name, value in official["system_scores"].items()]
    systems.write_text("\n".join(["system\tlength", *pairs]), "utf-8")
    evaluation = of_tables(systems, sentences, people, LAYOUT)
    check_systems(official["system"], evaluation, "length")
    check_sentences(official["sentence"], evaluation, "length")


@pytest.mark.slow
def test_the_whole_text_is_judged_by_the_numbers_of_its_lines(shared: Path, people, texts):
    """Sentences found by SEEDA's line numbers are those of the subset in their order."""
    outputs, folder = shared / "data/seeda/outputs", shared / "golden/seeda"
    options = Options(metrics=("sent-gleu",))
    levels = []
    for source, stem, files in (
        (outputs / "INPUT.txt", "conll14", [outputs / path.name for path in texts]),
        (folder / "subset.src", "subset", texts),
    ):
        corpus = load(source, references=[folder / f"{stem}.ref0", folder / f"{stem}.ref1"])
        systems = [load_system(path, corpus) for path in files]
        run_stats = collect_stats(corpus, systems, options=options)
        levels.append(of_run(run_stats, people, LAYOUT).sentences)
    assert levels[0] == levels[1]


def test_the_files_hold_what_the_paper_says(shared: Path, rows: list[int]):
    for kind in ("edit", "sent"):
        judgments = read_judgments(shared / f"data/seeda/judgments_{kind}.xml")
        assert len(judgments.items) == 600
        assert judgments.systems == SEEDA
        assert sorted({int(item.source) - 1 for item in judgments.items}) == rows
