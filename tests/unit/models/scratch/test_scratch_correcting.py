"""Correctors from scratch: learning, laws, folders."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from corrector_checks import EN, ZH, check_corrector
from messages import expect_error
from safetensors.torch import load_file, save_file
from tiny_scratch import ARCHITECTURES, task_of
from tiny_seq2seq import EN_PAIRS, ZH_PAIRS, overfit

from gecbench.core.errors import FormatError, GecbenchError, UnknownNameError, UsageError
from gecbench.models import load_corrector
from gecbench.models.scratch import loading


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_architecture_learns_its_pairs(model_folders, architecture) -> None:
    corrector = load_corrector(str(model_folders[architecture]))
    corrections = corrector.correct([source for source, _ in ZH_PAIRS])
    assert [correction.text for correction in corrections] == [target for _, target in ZH_PAIRS]
    assert all(-0.1 < correction.score <= 0 for correction in corrections)
    assert (corrector.info.kind, corrector.info.languages) == ("scratch", ("zh",))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_laws(model_folders, architecture) -> None:
    corrections = check_corrector(
        lambda: load_corrector(f"scratch:{model_folders[architecture]}"), ZH
    )
    assert [
        text for text, item in zip(ZH, corrections, strict=True) if "too long" in item.flags
    ] == [ZH[7]]


@pytest.mark.parametrize(
    "architecture",
    [ARCHITECTURES[0], *(pytest.param(item, marks=pytest.mark.slow) for item in ARCHITECTURES[1:])],
)
def test_words_in_both_languages(tmp_path, architecture) -> None:
    for language, pairs, texts in (("zh", ZH_PAIRS, ZH), ("en", EN_PAIRS, EN)):
        task = task_of(architecture, pairs, language, units="words", max_length=30)
        overfit(task, pairs, 1e-2)
        folder = tmp_path / language
        folder.mkdir()
        task.save(folder, {})
        corrections = load_corrector(str(folder)).correct([source for source, _ in pairs])
        assert [item.text for item in corrections] == [target for _, target in pairs]
        if architecture == "recurrent":
            check_corrector(lambda place=folder: load_corrector(str(place)), texts)


RARE = (
    ("我认识龘。", "我很认识龘。"),
    ("他认识靐。", "他很认识靐。"),
    ("我认识他。", "我很认识他。"),
)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_unknown_characters_come_from_the_source(architecture) -> None:
    task = task_of(architecture, RARE, vocabulary={"min_count": 3})
    overfit(task, RARE, 1e-2)
    rare, common = task.corrector().correct(["他认识㊣。", "我认识他。"])
    assert (rare.text, rare.flags) == ("他很认识㊣。", ("restored",))
    assert (common.text, common.flags) == ("我很认识他。", ())


def test_a_folder_says_all_and_holds_no_pickle(model_folders) -> None:
    folder = model_folders["convolutional"]
    assert sorted(path.name for path in folder.iterdir()) == [
        "gecbench.json",
        "model.safetensors",
        "vocabulary.json",
    ]
    card = json.loads((folder / "gecbench.json").read_text("utf-8"))
    assert (card["kind"], card["tokens"], card["languages"]) == ("scratch", "zh", ["zh"])
    assert card["defaults"] == {"max_length": 100}
    settings = card["settings"]
    assert settings["shape"]["architecture"] == "convolutional"
    assert settings["made_with"] == {"units": "characters"}


def test_options_are_in_the_signature(model_folders) -> None:
    place = str(model_folders["recurrent"])
    corrector = load_corrector(place, {"beams": "2", "threads": "1", "alternatives": "1"})
    signature = corrector.info.signature
    assert (signature["beams"], signature["corrector"]) == ("2", "scratch")
    assert signature["units"] == "characters"
    (result,) = corrector.correct(["我今天很高心。"])
    assert result.text == "我今天很高兴。"
    assert load_corrector(place).info.signature["weights"] == signature["weights"]


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_fewer_bits(model_folders, architecture, precision) -> None:
    corrector = load_corrector(str(model_folders[architecture]), {"precision": precision})
    assert corrector.correct([ZH_PAIRS[1][0]])[0].text == ZH_PAIRS[1][1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"prefix": "x"}, UnknownNameError, "option of scratch 'prefix'"),
        ({"precision": "int8"}, UsageError, "option precision of scratch"),
        ({"device": "nowhere"}, UsageError, "device 'nowhere'"),
        ({"segmenter": "jieba"}, UsageError, "reads characters"),
        ({"alternatives": "5"}, UsageError, "more beams"),
        ({"length_penalty": "nan"}, UsageError, "option length_penalty of scratch"),
        ({"length_penalty": "1e9"}, UsageError, "option length_penalty of scratch"),
    ],
)
def test_wrong_options(model_folders, options, error, message) -> None:
    with pytest.raises(error, match=message):
        load_corrector(str(model_folders["recurrent"]), options)


def test_no_length_is_that_of_training(tmp_path) -> None:
    task_of("recurrent", ZH_PAIRS, max_length=12).save(tmp_path, {})
    for options, length in (({}, "12"), ({"max_length": "0"}, "12"), ({"max_length": "9"}, "9")):
        corrector = load_corrector(str(tmp_path), options)
        assert corrector.info.signature["max_length"] == length
        assert ("too long" in corrector.correct(["我" * 9])[0].flags) == (length == "9")


def test_weights_that_give_no_numbers_are_told(model_folders, tmp_path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model_folders["recurrent"], folder)
    weights = load_file(folder / "model.safetensors")
    weights["body.join.bias"][0] = float("nan")
    save_file(weights, folder / "model.safetensors")
    with expect_error(GecbenchError, "no numbers"):
        load_corrector(str(folder)).correct(["我今天"])


def rewrite_card(folder: Path, top=None, **settings) -> None:
    path = folder / "gecbench.json"
    card = json.loads(path.read_text("utf-8")) | (top or {})
    card["settings"] |= settings
    path.write_text(json.dumps(card), "utf-8")


def of_another_shape(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["body.query.weight"] = weights["body.query.weight"][:1].contiguous()
    save_file(weights, folder / "model.safetensors")


def of_another_size(folder: Path) -> None:
    card = json.loads((folder / "gecbench.json").read_text("utf-8"))
    rewrite_card(folder, shape=card["settings"]["shape"] | {"width": 2_000_000})


def of_whole_numbers(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["body.query.weight"] = weights["body.query.weight"].long()
    save_file(weights, folder / "model.safetensors")


DAMAGES = {
    "vocabulary": (
        lambda folder: (folder / "vocabulary.json").write_text('["a"]'),
        FormatError,
        "its 1 units are not those that the model was made with",
    ),
    "weights": (
        lambda folder: (folder / "model.safetensors").write_bytes(b"no"),
        FormatError,
        "is no whole safetensors file",
    ),
    "no weights": (
        lambda folder: (folder / "model.safetensors").unlink(),
        GecbenchError,
        "no such file; the model has no weights",
    ),
    "a shape": (of_another_shape, FormatError, "body.query.weight has the shape .1, 32."),
    "settings": (
        lambda folder: rewrite_card(folder, units="letters"),
        FormatError,
        "settings: .*units",
    ),
    "sizes": (
        lambda folder: rewrite_card(
            folder,
            shape={"architecture": "recurrent", "vocabulary": 9, "width": 31, "layers": 1},
        ),
        FormatError,
        "width 31 is odd",
    ),
    "a size": (of_another_size, FormatError, "2000000"),
    "a type": (of_whole_numbers, FormatError, "body.query.weight holds torch.int64"),
    "a language": (
        lambda folder: rewrite_card(folder, {"languages": ["zh", "en"]}, units="words"),
        FormatError,
        "its card says that it corrects zh, en",
    ),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_folder_is_refused(model_folders, tmp_path, what) -> None:
    damage, error, message = DAMAGES[what]
    folder = tmp_path / "model"
    shutil.copytree(model_folders["recurrent"], folder)
    damage(folder)
    with pytest.raises(error, match=message):
        load_corrector(str(folder))


def test_what_is_no_model_of_this_kind(model_folders, tmp_path) -> None:
    with pytest.raises(GecbenchError, match="no such model"):
        load_corrector(f"scratch:{tmp_path}")
    card = json.loads((model_folders["recurrent"] / "gecbench.json").read_text("utf-8"))
    (tmp_path / "gecbench.json").write_text(json.dumps({**card, "kind": "tagger"}), "utf-8")
    with expect_error(GecbenchError, "a tagger", "tagger:"):
        load_corrector(f"scratch:{tmp_path}")
    with expect_error(GecbenchError, "a scratch", "scratch:"):
        load_corrector(f"seq2seq:{model_folders['recurrent']}")


def test_loading_imports_no_torch() -> None:
    code = f"import sys, {loading.__name__}; assert not {{'torch', 'jieba'}} & {{*sys.modules}}"
    subprocess.run([sys.executable, "-c", code], check=True)
