"""Checkpoints of others: pickled weights become safetensors, and nothing in them is run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch
from messages import expect_error
from safetensors.torch import load_file

from gecbench.core.errors import GecbenchError
from gecbench.models.weights import convert_checkpoint


@pytest.fixture
def checkpoint(tmp_path) -> Path:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "bert"}')
    (folder / "vocab.txt").write_text("[UNK]\n")
    tied = torch.arange(6.0).reshape(2, 3)
    torch.save(
        {"a.weight": tied, "b.weight": tied, "c": torch.ones(2).half()},
        folder / "pytorch_model.bin",
    )
    return folder


def test_weights_become_safetensors_and_what_lies_beside_them_comes_along(checkpoint, tmp_path):
    out = tmp_path / "ours"
    assert convert_checkpoint(str(checkpoint), out) == 3
    tensors = load_file(out / "model.safetensors")
    assert torch.equal(tensors["a.weight"], tensors["b.weight"])
    assert tensors["c"].dtype == torch.float16
    modes = {path.stat().st_mode for path in out.iterdir()}
    assert modes == {(checkpoint / "config.json").stat().st_mode}  # who reads one reads all
    assert sorted(p.name for p in out.iterdir()) == [
        "config.json",
        "model.safetensors",
        "vocab.txt",
    ]


def test_weights_in_several_files_are_put_together(checkpoint, tmp_path) -> None:
    (checkpoint / "pytorch_model.bin").unlink()
    for k in (1, 2):
        torch.save({f"w{k}": torch.ones(k)}, checkpoint / f"pytorch_model-0000{k}-of-00002.bin")
    (checkpoint / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": {}}))
    assert convert_checkpoint(str(checkpoint), tmp_path / "ours") == 2
    assert not (tmp_path / "ours" / "pytorch_model.bin.index.json").exists()


def test_a_missing_part_is_no_smaller_model(checkpoint, tmp_path) -> None:
    (checkpoint / "pytorch_model.bin").unlink()
    names = {f"w{k}": f"pytorch_model-0000{k}-of-00002.bin" for k in (1, 2)}
    torch.save({"w1": torch.ones(1)}, checkpoint / names["w1"])
    index = checkpoint / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"weight_map": names}))
    with expect_error(GecbenchError, "pytorch_model-00002-of-00002.bin"):
        convert_checkpoint(str(checkpoint), tmp_path / "ours")
    index.write_text("[]")
    with expect_error(GecbenchError, str(index)):
        convert_checkpoint(str(checkpoint), tmp_path / "ours")
    assert not (tmp_path / "ours").exists()


class Evil:
    def __reduce__(self):
        return os.mkdir, ("pwned",)


def test_a_pickle_that_would_run_something_is_refused(checkpoint, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"a": Evil()}, checkpoint / "pytorch_model.bin")
    with expect_error(GecbenchError, str(checkpoint / "pytorch_model.bin"), "no pickle"):
        convert_checkpoint(str(checkpoint), tmp_path / "ours")
    assert not (tmp_path / "pwned").exists()
    assert not (tmp_path / "ours").exists()


def test_bad_checkpoints_are_one_clear_line(checkpoint, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    out = tmp_path / "ours"
    (checkpoint / "pytorch_model.bin").write_bytes(b"nonsense")
    with pytest.raises(
        GecbenchError, match=r"pytorch_model.bin: (is no pickle|weights cannot be read)"
    ):
        convert_checkpoint(str(checkpoint), out)
    torch.save([1, 2], checkpoint / "pytorch_model.bin")
    with expect_error(GecbenchError, str(checkpoint / "pytorch_model.bin"), "no tensors"):
        convert_checkpoint(str(checkpoint), out)
    (checkpoint / "pytorch_model.bin").unlink()
    with pytest.raises(GecbenchError, match=r"no pytorch_model.bin there"):
        convert_checkpoint(str(checkpoint), out)
    (checkpoint / "model.safetensors").write_bytes(b"")
    with pytest.raises(GecbenchError, match="are safetensors already"):
        convert_checkpoint(str(checkpoint), out)
    (checkpoint / "config.json").unlink()
    with pytest.raises(GecbenchError, match=r"no config.json there"):
        convert_checkpoint(str(checkpoint), out)
    with expect_error(GecbenchError, "nowhere", "no such folder"):
        convert_checkpoint("/nowhere", out)
