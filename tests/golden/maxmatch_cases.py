"""Cases of the MaxMatch metrics from a gold file and a file of lines."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gecbench.core.case import Case, CaseRewrite
from gecbench.core.sample import Sample
from gecbench.formats.reading import read, read_system


@cache
def gold_of(path: Path):
    """A gold file as the official program reads it."""
    return read(path, format="m2-maxmatch")


def case_of(sample: Sample, hypothesis: str) -> Case:
    """One sentence against all annotators."""
    references = tuple(
        CaseRewrite(gold_edits=reference.edit_sets[0]) for reference in sample.references
    )
    tokens = CaseRewrite(tokens=tuple(hypothesis.split()))
    return Case(sample.id, (tokens,), references, sample.source, sample.tokens)


def cases_of(gold: Path, hypotheses: Path) -> list[Case]:
    """All sentences of a system."""
    corpus = gold_of(gold)
    output = read_system(hypotheses, corpus, format="lines")
    return [case_of(sample, output.hypotheses[sample.id][0].text) for sample in corpus.samples]
