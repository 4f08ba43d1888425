"""A few perturbed cases, a tiny tagger that learns from them, and its loss the slow way."""

from __future__ import annotations

import math
from pathlib import Path

from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant
from gecbench.formats.perturbed import write_perturbed
from gecbench.formats.validation import convert
from gecbench.models.batches import ContextPair, SentencePair
from gecbench.models.tagger.training import TaggerConfig

TEXTS = [
    [
        ("He go to school every day .", "He goes to school every day ."),
        ("He go to work every day .", "He goes to work every day ."),
        ("He often go to school every day .", "He often goes to school every day ."),
    ],
    [
        ("I has a apple .", "I have an apple ."),
        ("I has a red apple .", "I have a red apple ."),
        ("Now I has a apple .", "Now I have an apple ."),
    ],
    [
        ("She like read books .", "She likes to read books ."),
        ("She like read old books .", "She likes to read old books ."),
        ("Anna like read books .", "Anna likes to read books ."),
    ],
    [
        ("We was very happy yesterday .", "We were very happy yesterday ."),
        ("We was very happy .", "We were very happy ."),
        ("We was so happy yesterday .", "We were so happy yesterday ."),
    ],
    [
        ("The cat sat on mat .", "The cat sat on the mat ."),
        ("The dog sat on mat .", "The dog sat on the mat ."),
        ("The cat sat on mat again .", "The cat sat on the mat again ."),
    ],
    [
        ("They plays in garden .", "They play in the garden ."),
        ("They plays football in garden .", "They play football in the garden ."),
        ("Today they plays in garden .", "Today they play in the garden ."),
    ],
]


def case(number: int, texts: list[tuple[str, str]]) -> PerturbedCase:
    original, *variants = (Variant(*text) for text in texts)
    return PerturbedCase(str(number), original, tuple(variants))


def cases(texts=None) -> PerturbedSet:
    result = tuple(case(n, item) for n, item in enumerate(texts or TEXTS, 1))
    return PerturbedSet("ours", (Subset("ours", result),), "en")


def write_cases(path: Path, texts=None) -> Path:
    path.write_text(write_perturbed(cases(texts)), encoding="utf-8")
    return path


def context_pairs(texts=None) -> list[ContextPair]:
    return [
        ContextPair(SentencePair(*original), SentencePair(*variant))
        for original, *variants in texts or TEXTS
        for variant in variants
    ]


def configuration(robust=None, *, model=None, training=None, **tables) -> TaggerConfig:
    shape = {"width": 32, "dilations": [1, 2], "dropout": 0.0}
    settings = {"encoder": "convolution", "max_tokens": 40, "convolution": shape, **(model or {})}
    whole = {
        "kind": "tagger",
        "name": "tiny",
        "language": "en",
        "model": {key: value for key, value in settings.items() if value is not None},
        "training": training or {},
        "robust": {"cases": ["cases.jsonl"], **(robust or {})},
        **tables,
    }
    return convert("test", whole, TaggerConfig)


def log_softmax(logits: list[float]) -> list[float]:
    top = max(logits)
    total = top + math.log(sum(math.exp(row - top) for row in logits))
    return [row - total for row in logits]


def kl(first: list[float], second: list[float]) -> float:
    p, q = log_softmax(first), log_softmax(second)
    return sum(math.exp(a) * (a - b) for a, b in zip(p, q, strict=True))


def symmetric(first: list[float], second: list[float]) -> float:
    """RobustGEC's formula as it is written, place by place."""
    return (kl(first, second) + kl(second, first)) / 2
