"""The metric edits is errant and cherrant without being bound to a language."""

from __future__ import annotations

import pytest

import gecbench


@pytest.mark.parametrize(
    ("lang", "scheme", "form"),
    [("en", "en-errant", "errant"), ("zh", "zh-char", "cherrant")],
)
def test_its_counts_are_those_of_the_parity_form(lang: str, scheme: str, form: str):
    corpus = gecbench.load(gecbench.sample(lang, "corpus.jsonl"))
    system = gecbench.load_system(gecbench.sample(lang, "eager.txt"), corpus)
    options = gecbench.Options(metrics=("edits", form))
    report = gecbench.score(corpus, system, scheme=scheme, options=options)
    first, second = (result.score.counts for result in report.results)
    assert first == second
    assert first.tp > 0
