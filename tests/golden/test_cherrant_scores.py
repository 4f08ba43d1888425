"""Our counts and scores are ChERRANT's, for every flag that means something."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from flags import options

from gecbench.api.files import load, load_system
from gecbench.api.schemes import scheme_for
from gecbench.api.score import score
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.metrics.edits import Cherrant as SpanF
from gecbench.scoring.extractor import Extractor
from gecbench.scoring.results import by_tier
from gecbench.scoring.spans import Filter

pytestmark = pytest.mark.golden

# What each means is in docs/compatibility.md, with the numbers side by side.
WRONG = {"max_answer_4": "returns F = 1.0", "filt_NA": "NA is no type of edit"}
NAMES = {"NA": "unannotatable", "noop": "error-free", "N": "unannotatable", "n": "error-free"}


def golden(shared: Path) -> dict:
    return json.loads((shared / "golden/cherrant/scores.json").read_text("utf-8"))


def inputs(shared: Path, title: str):
    if title.startswith("demo"):
        folder = shared / "data/cherrant/samples"
        kind = title.rsplit(" ", 1)[1]
        corpus = load(folder / f"demo.ref.m2.{kind}", format="m2")
        return corpus, overlooking_sources(
            load(folder / f"demo.hyp.m2.{kind}", format="m2"), corpus
        )
    strategies = dict(part.split("=") for part in title.split()[1:])
    folder = shared / "golden/cherrant"
    corpus = load(folder / f"MuCGEC_dev.char.{strategies['ref']}.m2")
    return corpus, load_system(folder / f"example_pred_dev.char.{strategies['hyp']}.m2", corpus)


def overlooking_sources(hypotheses: Corpus, corpus: Corpus) -> SystemOutput:
    """Join by position alone, as the official script does."""
    pairs = list(zip(hypotheses.samples, corpus.samples, strict=True))
    return SystemOutput(
        "demo",
        {to.id: sample.references for sample, to in pairs},
        {to.id: to.tokens for _, to in pairs},
    )


def test_shipped_demo_files_disagree_in_their_sources_and_are_refused(shared: Path):
    folder = shared / "data/cherrant/samples"
    corpus = load(folder / "demo.ref.m2.char", format="m2")
    with pytest.raises(CorpusError, match="has the source"):
        load_system(folder / "demo.hyp.m2.char", corpus, format="m2")


TITLES = [
    "demo shipped m2 char",
    "demo shipped m2 word",
]
OTHERS = [f"dev hyp={hyp} ref={ref}" for hyp in ("all", "first") for ref in ("all", "first")]


@pytest.mark.parametrize(
    "title", [*TITLES, *(pytest.param(title, marks=pytest.mark.slow) for title in OTHERS)]
)
def test_every_flag_gives_the_official_counts_and_scores(shared: Path, title):
    corpus, system = inputs(shared, title)
    compared = 0
    for name, want in golden(shared)[title].items():
        if name in WRONG:
            continue
        expected_options, tier, part = options(want["flags"])
        if part != slice(None):
            expected_options = replace(expected_options, part=(part.start, part.stop))
        if expected_options.references_exactly and want["tp"] + want["fp"] + want["fn"] == 0:
            with pytest.raises(CorpusError, match="no sentence has exactly"):
                score(corpus, [system], options=expected_options)
            continue
        (result,) = score(corpus, [system], options=expected_options).results
        counts = result.score.counts
        numbers = {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn}
        numbers |= {"p": round(counts.precision, 4), "r": round(counts.recall, 4)}
        numbers |= {"f": round(result.score.value, 4)}
        assert numbers == {key: want[key] for key in numbers}, name
        if tier:
            official = {
                NAMES.get(label, label) or "-": (c["tp"], c["fp"], c["fn"])
                for label, c in want["categories"].items()
            }
            ours = by_tier(result.score.by_type, tier)
            assert {k: (c.tp, c.fp, c.fn) for k, c in ours.items()} == official, name
        compared += 1
    assert compared >= 24


@pytest.mark.parametrize("strategy", ["all", "first"])
def test_texts_give_the_official_scores(shared: Path, make_cherrant, strategy):
    corpus = load(shared / "data/mucgec/MuCGEC_dev.txt")
    system = load_system(shared / "data/mucgec/example_pred_dev.txt", corpus)
    scheme = make_cherrant(strategy=strategy)
    extractor = Extractor(partial(scheme_for, corpus, scheme), re_extract=True)
    edits = extractor.extract(corpus, [system])
    for name, want in golden(shared)[f"dev hyp={strategy} ref={strategy}"].items():
        if name not in ("default", "dt", "ds", "max_answer_2", "beta_2.0", "single", "multi"):
            continue
        (result,) = score(edits.corpus, edits.systems, options=options(want["flags"])[0]).results
        counts = result.score.counts
        assert (counts.tp, counts.fp, counts.fn) == (want["tp"], want["fp"], want["fn"]), name


def test_more_than_three_references_mean_what_they_say(shared: Path):
    """The official flag silently drops every edit from 4 up, and gives F = 1.0."""
    corpus, system = inputs(shared, OTHERS[0])
    official = golden(shared)[OTHERS[0]]["max_answer_4"]
    assert (official["tp"], official["f"]) == (0, 1.0)
    (result,) = score(corpus, [system], options=options(["--max_answer_num", "4"])[0]).results
    assert result.score.counts.tp > 1000
    (all_of_them,) = score(corpus, [system]).results
    (many,) = score(corpus, [system], options=options(["--max_answer_num", "7"])[0]).results
    assert many.score.counts == all_of_them.score.counts


@pytest.mark.parametrize("label", ["NA", "noop"])
def test_what_is_no_type_cannot_be_excluded(label):
    with pytest.raises(UsageError, match="no type of edit"):
        options(["-filt", label])[0] if label == "NA" else replace(options([])[0], exclude=(label,))


def versions(block: str) -> tuple[CaseRewrite, ...]:
    """The coders of an official block, read without our formats, which refuse some of them."""
    coders: dict[str, list[Edit]] = {}
    unannotatable = set()
    for line in block.split("\n"):
        if not line.startswith("A "):
            continue
        span, label, text, *_, coder = line[2:].split("|||")
        edits = coders.setdefault(coder, [])
        if label == "NA":
            unannotatable.add(coder)
        elif label != "noop":
            start, end = map(int, span.split())
            tokens = () if text == "-NONE-" else tuple(text.split(" "))
            edits.append(Edit(start, end, None if label == "UNK" else tokens, label))
    coders = coders or {"0": []}
    return tuple(CaseRewrite(tuple(e), unannotatable=c in unannotatable) for c, e in coders.items())


# Refused before any score, or read differently on purpose: docs/compatibility.md.
REFUSED = {
    "counts differ",
    "leading blank block",
    "max_answer_num 4",
    "max_answer_num 1 with hyp coder 1",
    "filt NA",
}


def test_edge_cases_of_comparing_are_the_official_ones(shared: Path):
    cases = json.loads((shared / "golden/cherrant/compare_edge_results.json").read_text("utf-8"))
    assert set(cases) >= REFUSED
    for name, case in cases.items():
        if name in REFUSED:
            continue
        expected, tier, _ = options(case["flags"])
        metric = SpanF(
            level=expected.level,
            beta=expected.beta,
            chosen=Filter(expected.size, frozenset(expected.exclude)),
        )
        pairs = zip(case["hyp"], case["ref"], strict=True)
        stats = (metric.stats(Case(name, versions(h), versions(r))) for h, r in pairs)
        rows = [row for row in stats if row is not None]
        result = metric.aggregate(rows)
        counts = result.counts
        assert (counts.tp, counts.fp, counts.fn) == (case["tp"], case["fp"], case["fn"]), name
        assert round(result.value, 4) == case["f"], name
        if tier:
            official = {
                NAMES.get(label, label): (c["tp"], c["fp"], c["fn"])
                for label, c in case["categories"].items()
            }
            ours = by_tier(result.by_type, tier)
            assert {k: (c.tp, c.fp, c.fn) for k, c in ours.items()} == official, name
