"""Networks and servers that metrics ask, as stubs."""

from __future__ import annotations

import pytest

from gecbench.backends import scorers
from gecbench.metrics import llm_judge


class StubNetwork:
    """Judges texts by their length."""

    description = "stub@0"

    def values(self, texts: list[tuple[str, ...]]) -> list[float]:
        return [float(sum(map(len, text))) for text in texts]

    def similarity(self, first: list[str], second: list[str]) -> list[float]:
        return [len(b) / max(1, len(a)) for a, b in zip(first, second, strict=True)]

    def is_cut(self, text: tuple[str, ...]) -> bool:
        return False


@pytest.fixture
def stub_networks(monkeypatch: pytest.MonkeyPatch):
    for name in ("language_model", "regressor", "encoder", "bert_score"):
        monkeypatch.setattr(scorers, name, lambda *_: StubNetwork())

    def rate(_: str, rubric: llm_judge.Rubric, pairs: list[tuple[str, str]]) -> dict:
        return {pair: llm_judge.Verdict(1 + len(pair[1]) % 5) for pair in pairs}

    monkeypatch.setattr(llm_judge, "rate", rate)
