"""Exports to CTranslate2 say what torch says, without torch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from corrector_checks import EN, ZH, check_corrector
from messages import expect_error
from tiny_seq2seq import EN_PAIRS, ZH_PAIRS

from gecbench.core.corrector import Correction
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.models import load_corrector
from gecbench.models.seq2seq.export import compare_corrections, export_seq2seq
from gecbench.models.text import Agreement

TEXTS = {
    "zh": (ZH_PAIRS, ZH),
    "en": (EN_PAIRS, EN),
    "t5": (EN_PAIRS, EN),
    "mbart": (ZH_PAIRS, ZH),
}


@pytest.fixture(scope="module")
def exported(trained, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Exports in 32 bits of all models, and one in 8."""
    result = {}
    for name in (*TEXTS, "zh-int8"):
        kind, _, eight = name.partition("-")
        result[name] = tmp_path_factory.mktemp("export") / name
        pairs, _ = TEXTS[kind]
        export_seq2seq(
            trained[kind],
            result[name],
            quantise=bool(eight),
            sample_texts=[source for source, _ in pairs],
        )
    return result


@pytest.mark.parametrize("name", TEXTS)
def test_answers_and_scores_are_those_of_torch(trained, exported, name) -> None:
    pairs, texts = TEXTS[name]
    sources = [source for source, _ in pairs]
    both = [load_corrector(str(place[name])) for place in (trained, exported)]
    result = [side.correct(sources) for side in both]
    assert [c.text for c in result[1]] == [target for _, target in pairs]
    assert [(c.text, c.flags) for c in result[0]] == [(c.text, c.flags) for c in result[1]]
    # By probability alone even what makes no sense to either is the same.
    for options in ({"length_penalty": 0}, {"beams": 1}):
        first, second = (
            load_corrector(str(p[name]), options).correct(texts) for p in (trained, exported)
        )
        assert [(c.text, c.flags) for c in first] == [(c.text, c.flags) for c in second]
        result[0] += first
        result[1] += second
    for first, second in zip(*result, strict=True):
        assert (first.score is None) == (second.score is None)
        if first.score is not None:
            assert first.score == pytest.approx(second.score, abs=1e-3)


def test_laws_hold_for_exports(exported) -> None:
    check_corrector(
        lambda: load_corrector(str(exported["zh"]), {"alternatives": 2, "threads": 1}), ZH
    )


def test_eight_bits_say_how_far_they_agree(trained, exported, tmp_path) -> None:
    sources = [source for source, _ in ZH_PAIRS]
    card = json.loads((exported["zh-int8"] / "gecbench.json").read_text("utf-8"))
    message = card["made"]["agreement"]
    both = [load_corrector(str(place)) for place in (trained["zh"], exported["zh-int8"])]
    pairs = list(zip(*(side.correct(sources) for side in both), strict=True))
    agreement = compare_corrections(pairs)
    assert message == {
        "texts": 8,
        "equal": agreement.equal,
        "what": "corrected texts",
        "largest_difference": pytest.approx(agreement.largest_difference),
    }
    assert agreement.equal >= 6
    assert agreement.largest_difference > 1e-5
    assert card["made"]["data"] == "eight pairs"
    assert card["runtime"] == "ctranslate2"
    sizes = [(exported[name] / "model.bin").stat().st_size for name in ("zh-int8", "zh")]
    assert sizes[0] < sizes[1] / 2
    assert "ctranslate2 4" in both[1].info.signature["runtime"]


def test_agreement_counts_flags_and_texts() -> None:
    same = Correction("a", "a", (), -1.0)
    flagged = Correction("a", "a", (), -1.0, ("cut",))
    near = Correction("a", "a", (), -1.25)
    agreement = compare_corrections(
        [(same, near), (same, flagged), (Correction("b", "b"), Correction("b", "b"))]
    )
    assert agreement == Agreement(3, 2, "corrected texts", 0.25)


def test_exports_run_without_torch_and_transformers(exported) -> None:
    code = (
        "import sys\n"
        "class No:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('torch', 'transformers', 'safetensors'):\n"
        "            raise ImportError(name + ' is not there')\n"
        "sys.meta_path.insert(0, No())\n"
        "from gecbench.models import load_corrector\n"
        "found = load_corrector(sys.argv[1]).correct(['我喜欢 iPhone 手几。'])\n"
        "print(ascii(found[0].text), 'torch' in sys.modules, 'transformers' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(exported["zh"])],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.stdout.split() == [*ascii("我喜欢 iPhone 手机。").split(), "False", "False"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "abacus"}, "device abacus, precision default: "),
        ({"max_length": 101}, "reads 100 tokens, not 101"),
        ({"prefix": "x"}, "the model's card says it"),
    ],
)
def test_options_that_an_export_does_not_take(exported, options, message) -> None:
    with pytest.raises(UsageError, match=message):
        load_corrector(str(exported["zh"]), options)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("model.bin", b"junk", "CTranslate2 cannot read it"),
        ("tokenizer.json", b"{}", "tokenizer.json: is no tokenizer"),
        ("tokenizer.json", None, "tokenizer.json: no such file; export the model again"),
    ],
)
def test_damaged_exports(tmp_path, exported, name, text, message) -> None:
    place = tmp_path / "m"
    shutil.copytree(exported["zh"], place)
    if text is None:
        (place / name).unlink()
    else:
        (place / name).write_bytes(text)
    with pytest.raises(GecbenchError, match=message) as caught:
        load_corrector(str(place))
    assert "\n" not in str(caught.value)


def test_what_cannot_be_exported(tmp_path, trained, exported) -> None:
    with expect_error(GecbenchError, "seq2seq", "ctranslate2"):
        export_seq2seq(exported["zh"], tmp_path / "a", sample_texts=())
    with pytest.raises(GecbenchError, match="exists"):
        export_seq2seq(trained["zh"], exported["zh"], sample_texts=())
    assert not (tmp_path / "a").exists()
