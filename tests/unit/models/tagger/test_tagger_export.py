"""Taggers exported to ONNX say what torch says, without torch."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from corrector_checks import ZH, check_corrector
from messages import expect_error
from tiny_taggers import PAIRS

from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.models import load_corrector
from gecbench.models.folder import read_card
from gecbench.models.tagger.conversion import export_tagger

SOURCES = [pair.source for pair in PAIRS["zh"]]
TARGETS = [pair.target for pair in PAIRS["zh"]]


@pytest.fixture(scope="module")
def exported(tagger_folder, common, once):
    """Folders and agreements by encoder and precision; made when asked for, once a run."""

    def make(encoder: str, *, quantise: bool):
        out = common / "exported" / f"{encoder}-{quantise}"
        out.parent.mkdir(exist_ok=True)
        agreement = once(
            f"export {out.name}",
            lambda: export_tagger(
                tagger_folder("zh", encoder), out, quantise=quantise, sample_texts=[*SOURCES, *ZH]
            ),
        )
        return out, agreement

    return make


@pytest.mark.no_cover
@pytest.mark.slow
def test_the_graph_says_what_the_network_says(exported, tagger_folder):
    out, agreement = exported("bert", quantise=False)
    assert agreement.labels == agreement.edited == 1.0
    assert agreement.equal == agreement.texts == len(SOURCES) + len(ZH) - 2  # two have no token
    assert agreement.largest_difference < 1e-5
    assert agreement.largest_error_difference < 1e-5
    assert agreement.tokens > 150
    assert re.fullmatch(
        r"17 of 17 texts with all their labels are the same \(100.0%\); scores differ by at most "
        r"\S+; 100.0% of \d+ tokens, 100.0% of those that are changed",
        str(agreement),
    )
    assert agreement.size > exported("bert", quantise=True)[1].size
    texts = [*SOURCES, *ZH, "这个", "没见过的字龘也要留下"]
    options = {"keep_bias": 0.2, "delete_bias": -0.1}
    first = load_corrector(f"tagger:{tagger_folder('zh', 'bert')}", options).correct(texts)
    second = load_corrector(str(out), options).correct(texts)
    assert [(c.text, c.flags) for c in first] == [(c.text, c.flags) for c in second]
    for left, right in zip(first, second, strict=True):
        assert [e.score for e in left.edits] == pytest.approx(
            [e.score for e in right.edits], abs=1e-5
        )


@pytest.mark.parametrize("encoder", ["convolution", "bert"])
def test_eight_bits_still_know_the_pairs(exported, encoder):
    out, agreement = exported(encoder, quantise=True)
    assert agreement.labels > 0.95
    assert agreement.precision == "int8"
    corrector = load_corrector(str(out))
    assert [correction.text for correction in corrector.correct(SOURCES)] == TARGETS
    assert corrector._runtime.batch_size == 1


def test_laws(exported):
    for quantise in (False, True):
        out, _ = exported("bert", quantise=quantise)
        check_corrector(lambda out=out: load_corrector(str(out), {"threads": 2}), ZH)


def test_the_card_says_what_was_measured(exported, tagger_folder):
    out, agreement = exported("convolution", quantise=True)
    card = read_card(out)
    assert card.runtime == "onnx"
    assert card.provenance["export"]["agreement"]["labels"] == agreement.labels
    assert card.provenance["data"] == "eight pairs"
    assert {path.name for path in out.iterdir()} == {
        "encoding.json",
        "gecbench.json",
        "labels.json",
        "model.onnx",
        "pieces.json",
    }


PROGRAM = """
import sys
class Refuse:
    def find_spec(self, name, *rest):
        if name.split(".")[0] in ("torch", "transformers", "safetensors", "onnx"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
from gecbench.models import load_corrector
import json
corrector = load_corrector(sys.argv[1])
print(json.dumps([c.text for c in corrector.correct(json.loads(sys.argv[2]))]))
corrector.close()
assert not {"torch", "transformers", "safetensors", "onnx"} & set(sys.modules)
"""


@pytest.mark.parametrize("encoder", ["convolution", "bert"])
def test_an_exported_tagger_needs_no_torch(exported, encoder):
    out, _ = exported(encoder, quantise=True)
    command = [sys.executable, "-c", PROGRAM, str(out), json.dumps(SOURCES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == TARGETS


def test_what_does_not_fit_is_one_line(exported, tagger_folder, tmp_path):
    folder = tagger_folder("zh", "convolution")
    options = {"quantise": False, "sample_texts": SOURCES}
    with expect_error(UsageError, "no text"):
        export_tagger(folder, tmp_path / "a", **{**options, "sample_texts": [" ", ""]})
    with pytest.raises(GecbenchError, match="exists"):
        export_tagger(folder, tmp_path, **options)
    out, _ = exported("convolution", quantise=True)
    with expect_error(GecbenchError, "tagger", "onnx"):
        export_tagger(out, tmp_path / "a", **options)
    assert not list(tmp_path.iterdir())
    for name in ("device", "precision"):
        with expect_error(UsageError, f"option {name}"):
            load_corrector(str(out), {name: "cpu" if name == "device" else "bf16"})
    with pytest.raises(UsageError, match="leave out batch_size=8"):
        load_corrector(str(out), {"batch_size": 8})
    with expect_error(UsageError, "probabilities"):
        load_corrector(f"tagger:{out}+{out}")


def test_damaged_folders_are_one_line(exported, tmp_path):
    import shutil

    out, _ = exported("convolution", quantise=True)
    copy = tmp_path / "copy"
    shutil.copytree(out, copy)
    (copy / "model.onnx").write_bytes(b"nothing")
    with expect_error(GecbenchError, "model.onnx", "ONNX Runtime"):
        load_corrector(str(copy))
    (copy / "model.onnx").unlink()
    with expect_error(GecbenchError, "model.onnx", "no such file"):
        load_corrector(str(copy))
    (copy / "labels.json").write_text('["$KEEP", "@@UNKNOWN@@"]', encoding="utf-8")
    with expect_error(FormatError, "2 labels"):
        load_corrector(str(copy))
    card = json.loads((copy / "gecbench.json").read_text(encoding="utf-8"))
    card["settings"]["precision"] = "int4"
    (copy / "gecbench.json").write_text(json.dumps(card), encoding="utf-8")
    with expect_error(FormatError, "gecbench.json", "settings", "'int4'"):
        load_corrector(str(copy))


def test_eight_bits_take_a_thread_a_core(exported):
    out, _ = exported("convolution", quantise=True)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert load_corrector(str(out))._runtime._pool._max_workers == cores
    assert load_corrector(str(out), {"threads": 3})._runtime._pool._max_workers == 3


def test_what_no_file_of_onnx_holds_is_said_before(tagger_folder, tmp_path, monkeypatch):
    monkeypatch.setattr("gecbench.models.tagger.conversion._LARGEST", 1000)
    with expect_error(GecbenchError, "0.0 GiB", "ONNX", "2"):
        export_tagger(
            tagger_folder("zh", "convolution"),
            tmp_path / "out",
            quantise=False,
            sample_texts=SOURCES,
        )
    assert not (tmp_path / "out").exists()
