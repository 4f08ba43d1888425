"""I-measure as the authors' program computes it, from its own gold file and on edge cases."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.metrics.i_measure import Alternative, IMeasure, errors

pytestmark = pytest.mark.golden

ORDER = ("tp", "tn", "fp", "fn", "fpn")
SYSTEMS = ["INPUT", "REF-F", "BERT-fuse", "GECToR-BERT", "GECToR-ens", "REF-M", "Riken-Tohoku"]


def cases_of(xml: str | bytes) -> list[Case]:
    """Sentences of the program's gold file, without hypotheses."""
    return [_case(sentence) for sentence in ET.fromstring(xml).iter("sentence")]


def _case(sentence: ET.Element) -> Case:
    tokens = tuple((sentence.findtext("text") or "").split())
    annotators: dict[str, list[Edit]] = {}
    for error in sentence.iter("error"):
        for alternative in error.iter("alt"):
            edits = annotators.setdefault(alternative.attrib["ann"], [])
            for c in alternative.iter("c"):
                span = int(c.attrib["start"]), int(c.attrib["end"])
                edits.append(Edit(*span, tuple((c.text or "").split())))
    rows = [tuple(annotators[name]) for name in sorted(annotators, key=int)]
    rows += [()] * (max(1, int(sentence.attrib["numann"])) - len(rows))
    references = tuple(CaseRewrite(gold_edits=edits) for edits in rows)
    return Case(sentence.attrib["id"], (), references, " ".join(tokens), tokens)


def with_hypotheses(cases: Sequence[Case], lines: Sequence[str]) -> list[Case]:
    """The cases with hypotheses, which the program divides at ASCII white space alone."""
    rows = [tuple(token.decode() for token in line.encode().split()) for line in lines]
    return [
        Case(c.id, (CaseRewrite(tokens=tokens),), c.references, c.source, c.tokens)
        for c, tokens in zip(cases, rows, strict=True)
    ]


def metric_of(options: str) -> IMeasure:
    """The metric for options of the program."""
    values: dict[str, Any] = {"mix": "nomix" not in options, "most": 1_000_000}
    for option in options.split()[0 if options.startswith("-") else 1 :]:
        name, _, value = option.lstrip("-").partition(":")
        if name == "max":
            values["aspect"] = {"c": "correction", "d": "detection"}[value[0]]
            values["maximise"] = value[1:]
        elif name == "opt":
            values["optimise"] = {"sent": "sentence"}.get(value, value)
        elif name in ("w", "b"):
            values[{"w": "weight", "b": "recall_weight"}[name]] = float(value)
    return IMeasure(**values)


def check(metric: IMeasure, stats: Sequence[Any], official: Mapping[str, Any]) -> None:
    parts = metric.aggregate(stats).parts
    for letter, prefix in (("c", ""), ("d", "detection_")):
        assert [parts[f"{prefix}{name}"] for name in ORDER] == official["counts"][letter]
        for name, value in official["scores"][letter].items():
            if name != "acc_base":  # the same as wacc_base
                assert parts[f"{prefix}{name}"] == pytest.approx(value, abs=1e-9)


@pytest.fixture(scope="module")
def official(shared: Path) -> dict:
    return json.loads((shared / "golden/imeasure/scores.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def gold(shared: Path) -> list[Case]:
    return cases_of(gzip.decompress((shared / "golden/imeasure/conll14.xml.gz").read_bytes()))


@pytest.fixture(scope="module")
def few(shared: Path) -> frozenset[str]:
    """Sentences whose references are few enough to be mixed."""
    return frozenset((shared / "golden/imeasure/conll14.le64.ids.txt").read_text("utf-8").split())


@pytest.fixture(scope="module")
def stats_of(shared: Path, gold, few) -> Callable[[str, bool], Mapping[str, Any]]:
    """Statistics of a system by sentence: the same for all ways to choose a reference."""

    @cache
    def stats(system: str, mix: bool) -> Mapping[str, Any]:
        lines = (shared / f"data/seeda/outputs/{system}.txt").read_text("utf-8").splitlines()
        metric = IMeasure(mix=mix, most=1_000_000)
        return {
            case.id: metric.stats(case)
            for case in with_hypotheses(gold, lines)
            if not mix or case.id in few
        }

    return stats


@pytest.mark.slow
@pytest.mark.parametrize("system", ["T5", *SYSTEMS])
def test_systems_have_the_official_figures(stats_of, few, official: dict, system: str):
    for options, figures in official[system].items():
        metric, part = metric_of(options), "le64" in options
        rows = stats_of(system, metric.mix)
        some = [row for name, row in rows.items() if not part or name in few]
        assert len(some) == (1183 if part else 1312)
        check(metric, some, figures)


@pytest.mark.parametrize("system", ["T5", pytest.param("REF-F", marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", ["nomix", "nomix_ci", "mix_le64", "mix_le64_ci"])
def test_each_sentence_has_the_official_counts(shared: Path, stats_of, system: str, options: str):
    path = shared / f"golden/imeasure/sentences.{system}.{options}.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    metric = metric_of(f"{options.partition('_ci')[0]}{' -max:ci' * options.endswith('_ci')}")
    of_id = stats_of(system, metric.mix)
    stats = [of_id[row["id"]] for row in rows]
    for row, sentence in zip(rows, metric.sentences(stats), strict=True):
        assert [sentence[name] for name in ORDER] == row["counts"]["c"], row["id"]


def test_errors_are_clustered_as_the_converter_does(gold: Sequence[Case], shared: Path):
    """From the annotators' edits alone, in the order of their places."""
    xml = gzip.decompress((shared / "golden/imeasure/conll14.xml.gz").read_bytes())
    for case, sentence in zip(gold, ET.fromstring(xml).iter("sentence"), strict=True):
        alternatives = [
            tuple(
                Alternative(
                    int(alternative.attrib["ann"]),
                    tuple(
                        (
                            int(c.attrib["start"]),
                            int(c.attrib["end"]),
                            tuple((c.text or "").split()),
                        )
                        for c in alternative.iter("c")
                    ),
                )
                for alternative in error.iter("alt")
            )
            for error in sentence.iter("error")
        ]
        annotators = sorted(
            {alternative.annotator for error in alternatives for alternative in error}
        )
        edits = [
            [(edit.start, edit.end, edit.replacement or ()) for edit in version.gold_edits]
            for version in case.references
        ]
        error_rows = [
            tuple(row._replace(annotator=annotators[row.annotator]) for row in error)
            for error in errors(edits)
        ]
        assert [
            [(row.annotator, sorted(row.changes)) for row in error] for error in error_rows
        ] == [[(row.annotator, sorted(row.changes)) for row in error] for error in alternatives], (
            case.id
        )


CRASHES = {"source empty", "incompatible in every combination: crash", "w=0, no unchanged token"}
OTHERWISE = {
    "hypothesis file shorter than gold": "refused, not filled up with empty lines",
    "non-breaking space in a source with other non-ASCII": "source and hypothesis are split alike",
    "two alternatives of one annotator in one error, -nomix applies both": "cannot be said in M2",
}


def edge_cases(shared: Path) -> list[Mapping[str, Any]]:
    return json.loads((shared / "golden/imeasure/edge_cases.json").read_text("utf-8"))


def test_edge_cases_have_the_official_counts(shared: Path):
    done = 0
    for edge in edge_cases(shared):
        if edge["name"] in CRASHES | set(OTHERWISE) or not edge.get("printed"):
            continue
        cases = with_hypotheses(cases_of(edge["xml"]), edge["hypothesis"])
        parts_of = metric_of(" ".join(["-", *edge["options"]]))
        parts = parts_of.aggregate([parts_of.stats(case) for case in cases]).parts
        for line, prefix in zip(edge["printed"][-2:], ("detection_", ""), strict=True):
            _, *numbers = line.split()
            names = (*ORDER, "p", "r", "f", "acc", "wacc_base", "wacc", "wacc_base", "i")
            for name, text in zip(names, numbers, strict=True):
                value = parts[prefix + name]
                shown = str(int(value)) if name in ORDER else f"{100 * value:.2f}"
                assert shown == text, f"{edge['name']}: {prefix}{name}"
        done += 1
    assert done >= 36
