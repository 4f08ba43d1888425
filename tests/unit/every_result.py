"""A result of each kind, of the bundled samples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gecbench
from gecbench.core.frames import Framed

PLAN = gecbench.Plan(resamples=100)
OPTIONS = gecbench.Options(metrics=("cherrant", "sentence-accuracy"))


def every_result(folder: Path) -> Iterator[Framed]:
    """One of each kind."""
    corpus = gecbench.load(gecbench.sample("zh", "corpus.jsonl"))
    names = ("cautious", "eager", "fluent")
    systems = [gecbench.load_system(gecbench.sample("zh", f"{name}.txt"), corpus) for name in names]
    yield gecbench.score(corpus, systems, scheme="zh-char", options=OPTIONS)
    compared = gecbench.compare(corpus, systems, scheme="zh-char", options=OPTIONS, plan=PLAN)
    yield from (compared, compared.metrics[0])
    yield gecbench.breakdown(corpus, systems, scheme="zh-char")
    yield gecbench.correlation(corpus, systems, scheme="zh-char", options=OPTIONS)
    yield gecbench.references(corpus, systems, scheme="zh-char")
    yield from gecbench.difficulty(corpus, systems, scheme="zh-char")
    yield gecbench.segmentation(corpus, systems, segmenters=["characters"], beside=["char-bleu"])
    scores = folder / "people.tsv"
    scores.write_text("system\tpeople\ncautious\t2\neager\t1\nfluent\t3\n", "utf-8")
    yield gecbench.meta(corpus, systems, human=[scores], scheme="zh-char", options=OPTIONS)
    annotators = [
        gecbench.Sample(
            s.id, s.source, tuple(gecbench.Rewrite(s.source, annotator=a) for a in ("ann", "bob"))
        )
        for s in corpus.samples[:12]
    ]
    submissions = gecbench.Corpus("submissions", tuple(annotators), "zh")
    yield gecbench.agreement(submissions, scheme="zh-char")
    yield gecbench.human(corpus, submissions, scheme="zh-char")
    cases = gecbench.load_perturbed(gecbench.sample("zh", "perturbed.txt"))
    answers = gecbench.sample("zh", "perturbed-swayed.txt")
    yield gecbench.robustness(cases, answers, scheme="zh-char", orders=2)
    table = folder / "table.toml"
    table.write_text(TABLE, "utf-8")
    (folder / "run.json").write_text('{"results": [{"f": 0.5}]}', "utf-8")
    yield gecbench.paper_table(table, [folder / "run.json"])


TABLE = """
about = "One number."
paper = "Nobody, 2026"
objects = "results"
[[tables]]
name = "scores"
title = "Scores"
zh = "分数"
columns = [{name = "F", get = "f"}]
rows = [{name = "ours", results = "run.json", paper = [51.0]}]
"""
