"""Encoders of transformers that do not fit, or are not whole: one clear line, nothing random."""

from __future__ import annotations

import json
import math
import shutil

import pytest
import torch
from messages import expect_error

from gecbench.core.errors import GecbenchError
from gecbench.models.tagger.network import (
    Logits,
    Tagger,
    count_positions,
    decide_labels,
    load_pretrained,
    loss_weight,
    probabilities,
    tagging_loss,
)
from gecbench.models.training.task import IGNORED

SMALL = {
    "vocab_size": 200,
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 20,
}


def read(folder):
    return load_pretrained(str(folder), adds_start=True, max_tokens=9, pieces_per_token=5)


@pytest.fixture
def copy(tiny_bert, tmp_path):
    """Return the folder of a tiny BERT that a test may damage."""
    return shutil.copytree(tiny_bert("zh"), tmp_path / "bert")


def change(folder, **values: object) -> None:
    path = folder / "config.json"
    config = {**json.loads(path.read_text(encoding="utf-8")), **values}
    path.write_text(json.dumps(config), encoding="utf-8")


def test_weights_that_are_missing_do_not_become_random(copy):
    assert read(copy)[0].rows > 1
    change(copy, num_hidden_layers=3)
    with expect_error(GecbenchError, "16", "encoder.layer.2"):
        read(copy)


def test_weights_of_another_architecture_are_refused(copy):
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    other = {f"transformer.{name}": tensor for name, tensor in weights.items()}
    save_file(other, copy / "model.safetensors", metadata={"format": "pt"})
    with expect_error(GecbenchError, str(copy), "another model"):
        read(copy)


def test_what_is_damaged_is_one_line(copy):
    change(copy, hidden_size="x")
    with pytest.raises(GecbenchError, match=r"'hidden_size': .*got str"):
        read(copy)
    change(copy, hidden_size=48, num_attention_heads=0)
    with pytest.raises(GecbenchError, match="cannot be read as a model"):
        read(copy)
    change(copy, num_attention_heads=4)
    content = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(content[:3000])
    with pytest.raises(GecbenchError, match="cannot be read as a model: Error while deser"):
        read(copy)


def test_a_tokenizer_without_its_files_is_refused(copy):
    """transformers makes one that knows special tokens alone."""
    (copy / "tokenizer.json").unlink()
    with expect_error(GecbenchError, str(copy), "tokenizer", "no words"):
        read(copy)


def test_what_reads_one_way_or_no_words_is_no_encoder(copy):
    from transformers import GPT2Config, GPT2Model, ViTConfig, ViTModel

    small = {name: value for name, value in SMALL.items() if name != "vocab_size"}
    (copy / "model.safetensors").unlink()
    GPT2Model(GPT2Config(**SMALL, bos_token_id=1, eos_token_id=1)).save_pretrained(copy)
    with expect_error(GecbenchError, "gpt2", "encoder"):
        read(copy)
    ViTModel(ViTConfig(**small)).save_pretrained(copy)
    with expect_error(GecbenchError, str(copy), "vit"):
        read(copy)


@pytest.mark.parametrize(
    "kind", ["bert", "roberta", "roberta-prelayernorm", "data2vec-text", "xlm-roberta", "ibert"]
)
def test_an_encoder_reads_as_many_positions_as_it_says(kind):
    import torch
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.for_model(kind, **SMALL)
    model = AutoModel.from_config(config).eval()
    most = count_positions(config)
    model(torch.full((1, most), 7))
    with pytest.raises((IndexError, RuntimeError)):
        model(torch.full((1, most + 1), 7))


KEEP = 2


def slow_loss(logits: Logits, labels, smoothing: float, reduction: str) -> float:
    """Sums over tokens in plain Python."""
    total = 0.0
    for row, sentence in enumerate(labels.tolist()):
        item = []
        for place, gold in enumerate(sentence):
            if gold == IGNORED:
                continue
            of_labels = logits.labels[row, place].double().log_softmax(-1).tolist()
            of_errors = logits.detection[row, place].double().log_softmax(-1).tolist()
            n = len(of_labels)
            smooth = -sum(of_labels) / n
            item.append(
                (1 - smoothing) * -of_labels[gold]
                + smoothing * smooth
                - of_errors[0 if gold == KEEP else 1]
            )
        total += sum(item) if reduction == "token" else sum(item) / len(item)
    return total


@pytest.mark.parametrize("reduction", ["token", "sentence"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_the_sum_over_first_pieces(reduction, smoothing):
    torch.manual_seed(0)
    logits = Logits(torch.randn(3, 4, 5), torch.randn(3, 4, 2))
    labels = torch.tensor([[2, 2, 0, 1], [4, 2, IGNORED, IGNORED], [2, IGNORED, IGNORED, IGNORED]])
    loss = tagging_loss(logits, labels, keep=KEEP, smoothing=smoothing, reduction=reduction)
    assert loss.item() == pytest.approx(slow_loss(logits, labels, smoothing, reduction), rel=1e-5)
    assert loss_weight(labels, reduction) == (7 if reduction == "token" else 3)


def test_halves_of_a_batch_add_up():
    torch.manual_seed(0)
    logits = Logits(torch.randn(4, 4, 5), torch.randn(4, 4, 2))
    labels = torch.randint(0, 5, (4, 4))
    for reduction in ("token", "sentence"):
        options = {"keep": KEEP, "smoothing": 0.1, "reduction": reduction}
        whole = tagging_loss(logits, labels, **options)
        halves = [
            tagging_loss(Logits(logits.labels[k], logits.detection[k]), labels[k], **options)
            for k in (slice(0, 2), slice(2, 4))
        ]
        assert whole.item() == pytest.approx(sum(h.item() for h in halves), rel=1e-6)


def test_the_unknown_label_is_never_predicted_and_takes_no_probability():
    logits = Logits(torch.tensor([[[0.0, 50.0, 1.0]]]), torch.zeros(1, 1, 2))
    distribution, errors = probabilities(logits, unknown=1)
    assert distribution[0, 0, 1] == 0
    assert distribution.sum().item() == pytest.approx(1)
    assert distribution[0, 0, 2].item() == pytest.approx(1 / (1 + math.exp(-1)))
    assert errors.item() == 0.5
    labels, _ = decide_labels(distribution, 0, -1, torch.tensor(0.0), torch.tensor(0.0))
    assert labels.item() == 2


def test_biases_are_added_to_probabilities_by_name():
    probabilities = torch.tensor([[[0.1, 0.3, 0.6]]])
    none = torch.tensor(0.0)
    assert [t.item() for t in decide_labels(probabilities, 1, 0, none, none)] == pytest.approx(
        [2, 0.6]
    )
    decisions = decide_labels(probabilities, 1, 0, torch.tensor(0.4), none)
    assert [t.item() for t in decisions] == pytest.approx([1, 0.7])
    decisions = decide_labels(probabilities, 1, 0, torch.tensor(0.4), torch.tensor(0.7))
    assert [t.item() for t in decisions] == pytest.approx([0, 0.8])
    decisions = decide_labels(probabilities, 1, -1, none, torch.tensor(1.0))
    assert [t.item() for t in decisions] == pytest.approx([2, 0.6])


def test_only_first_pieces_reach_the_heads():
    seen = []

    class Echo(torch.nn.Module):
        def forward(self, ids, mask):
            seen.append(mask)
            return torch.nn.functional.one_hot(ids, 6).float()

    network = Tagger(Echo(), 6, 6, 0.0)
    with torch.no_grad():
        network.labels.weight.copy_(torch.eye(6))
    ids = torch.tensor([[5, 4, 3, 2], [1, 2, 0, 0]])
    firsts = torch.tensor([[0, 2, 3], [1, 0, 0]])
    result = network(ids=ids, mask=(ids > 0).long(), firsts=firsts).labels.argmax(-1)
    assert result.tolist() == [[5, 3, 2], [2, 1, 1]]
    assert seen[0].tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
