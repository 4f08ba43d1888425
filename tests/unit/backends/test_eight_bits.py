"""Matrix products of eight bits: near those of the network, which stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_scorers import tiny_language_model

pytest.importorskip("torch")
pytest.importorskip("transformers")


def test_each_vector_has_a_scale_of_its_own() -> None:
    import torch

    from gecbench.backends.eight_bits import EightBitLinear

    torch.manual_seed(1)
    layer = torch.nn.Linear(64, 48, bias=False)
    # A vector that is large loses nothing of those beside it; zeros stay zeros.
    vectors = torch.randn(2, 3, 64) * torch.tensor([1.0, 1000.0, 0.0])[None, :, None]
    exact, fast = layer(vectors), EightBitLinear(layer)(vectors)
    assert fast.shape == exact.shape
    assert not fast[:, 2].any()
    errors = (fast - exact).norm(dim=-1)[:, :2] / exact.norm(dim=-1)[:, :2]
    assert float(errors.detach().max()) < 0.02


def test_a_language_model_in_eight_bits_scores_nearly_the_same(tmp_path: Path) -> None:
    from gecbench.backends.scorers import Branch, LanguageModel

    place = str(tiny_language_model(tmp_path / "model"))
    exact, fast = LanguageModel(place), LanguageModel(place, "int8")
    prefix = [exact.start, 5, 9]
    row, branches = [*prefix, 30, 7, 8], [[Branch(4, (4, 5)), Branch(5, (9, 2))]]
    ours, theirs = fast.read([row], prefix), exact.read([row], prefix)
    assert ours.losses(0) == pytest.approx(theirs.losses(0), abs=0.2)
    assert ours.losses(0) != theirs.losses(0)
    for new, old in zip(ours.score(branches)[0], theirs.score(branches)[0], strict=True):
        assert new == pytest.approx(old, abs=0.2)
    assert fast.values([("He goes",)]) == exact.values([("He goes",)])


def test_all_that_is_not_multiplied_is_shared(tmp_path: Path) -> None:
    from gecbench.backends.eight_bits import EightBitLinear, with_eight_bits
    from gecbench.backends.scorers import LanguageModel

    network = LanguageModel(str(tiny_language_model(tmp_path / "model")))._model
    fast = with_eight_bits(network)
    assert fast.get_input_embeddings().weight is network.get_input_embeddings().weight
    assert any(isinstance(layer, EightBitLinear) for layer in fast.modules())
    assert not any(isinstance(layer, EightBitLinear) for layer in network.modules())
