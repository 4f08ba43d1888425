"""RobustGEC's published cases, read as pairs of contexts: how much of them is compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from robust_cases import configuration
from tokenizers import ByteLevelBPETokenizer

from gecbench.models.robust.pairs import (
    DecoderTarget,
    align_targets,
    check_robust_table,
    distinct_pairs,
    read_context_pairs,
)
from gecbench.models.robust.task import RobustTask
from gecbench.models.tagger.training import KIND
from gecbench.models.training.config import RobustTable


@pytest.mark.golden
def test_what_the_published_cases_let_a_tagger_compare(shared: Path) -> None:
    """Two of the three subsets: the survey of all found 95.1%, 99.94% and 98.7%."""
    config = configuration(
        {"cases": ["data/robustgec"], "disagreeing": "keep"},
        model={
            "tokens": "space",
            "max_tokens": 300,
            "convolution": {"width": 4, "dilations": [1]},
        },
        data={"dev": "train"},
    )
    check_robust_table(config, KIND)
    data = read_context_pairs(config, shared)
    assert data.counts == {
        "cases read": 2493,
        "left out: perturbed source is the original": 122,
        "left out: empty": 10,
        "pairs": 5 * 2493 - 122 - 10,
        "dev sentences": 6 * 2493,
        "dev pairs left out: perturbed source is the original": 122,
        "dev pairs left out: empty": 10,
    }
    task = KIND.build(config, distinct_pairs(data.train), None)
    examples = RobustTask(task, config.robust).prepare(data.train).examples
    keep = task._model.vocabulary.keep
    tokens = matched = agreeing = errors = compared = 0
    for example in examples:
        assert example.matches[:2].tolist() == [0, 0]  # $START
        pairs = dict(zip(example.matches[2::2], example.matches[3::2], strict=True))
        labels = dict(enumerate(example.original.labels[1:], 1))
        tokens += len(labels)
        matched += len(pairs)
        agreeing += sum(labels[i] == example.perturbed.labels[j] for i, j in pairs.items())
        wrong = [k for k, label in labels.items() if label != keep]
        errors += len(wrong)
        compared += sum(k in pairs for k in wrong)
    assert tokens == 327_423
    assert matched / tokens == pytest.approx(0.948, abs=5e-4)
    assert agreeing / matched == pytest.approx(0.9994, abs=2e-4)
    assert compared / errors == pytest.approx(0.99, abs=2e-3)


@pytest.mark.golden
def test_what_the_published_cases_let_a_decoder_compare(shared: Path) -> None:
    """The shares that docs/correct/robust.md gives, here of every sixth pair."""
    config = configuration({"cases": ["data/robustgec"]}, data={"dev": "train"})
    contexts = read_context_pairs(config, shared).train
    tokenizer = ByteLevelBPETokenizer()
    originals = dict.fromkeys(pair.original.target for pair in contexts)
    tokenizer.train_from_iterator(originals, vocab_size=16_000, show_progress=False)

    def target_of(text: str) -> DecoderTarget:
        encoding = tokenizer.encode(text)
        return DecoderTarget(
            text, encoding.ids, encoding.offsets, 1, 1 + len(encoding.ids), complete=True
        )

    distinct_pairs = [
        (pair, *(target_of(side.target.strip()) for side in pair)) for pair in contexts[::6]
    ]
    tokens = sum(len(first.ids) + 1 for _, first, _ in distinct_pairs)
    for options, share in (
        ({}, 0.947),
        ({"skip_after": 1}, 0.910),
        ({"skip_after": 2}, 0.876),
        ({"sources_too": True}, 0.947),
    ):
        robust = RobustTable(cases=("cases",), **options)
        encoding = sum(
            len(align_targets(*distinct_pair, robust, "en")) for distinct_pair in distinct_pairs
        )
        assert encoding / tokens == pytest.approx(share, abs=2e-3), options
