"""Encoders of transformers that do not fit, or are not whole: one clear line, nothing random."""

from __future__ import annotations

import json
import shutil

import pytest
from messages import expect_error

from gecbench.core.errors import GecbenchError
from gecbench.models.tagger.network import load_pretrained, max_positions

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
    with expect_error(GecbenchError, "another model"):
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
    with expect_error(GecbenchError, "tokenizer"):
        read(copy)


def test_what_reads_one_way_or_no_words_is_no_encoder(copy):
    from transformers import GPT2Config, GPT2Model, ViTConfig, ViTModel

    small = {name: value for name, value in SMALL.items() if name != "vocab_size"}
    (copy / "model.safetensors").unlink()
    GPT2Model(GPT2Config(**SMALL, bos_token_id=1, eos_token_id=1)).save_pretrained(copy)
    with expect_error(GecbenchError, "gpt2", "encoder"):
        read(copy)
    ViTModel(ViTConfig(**small)).save_pretrained(copy)
    with expect_error(GecbenchError, "vit"):
        read(copy)


@pytest.mark.parametrize(
    "kind", ["bert", "roberta", "roberta-prelayernorm", "data2vec-text", "xlm-roberta", "ibert"]
)
def test_an_encoder_reads_as_many_positions_as_it_says(kind):
    import torch
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.for_model(kind, **SMALL)
    model = AutoModel.from_config(config).eval()
    most = max_positions(config)
    model(torch.full((1, most), 7))
    with pytest.raises((IndexError, RuntimeError)):
        model(torch.full((1, most + 1), 7))
