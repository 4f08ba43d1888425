"""Taggers that learned eight pairs by heart: laws, biases, averages."""

from __future__ import annotations

import shutil

import pytest
from corrector_checks import EN, ZH, check_corrector
from msgspec.structs import replace
from tiny_taggers import PAIRS, teach

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.models import load_corrector
from gecbench.models.folder import read_card, write_card

TEXTS = {"zh": ZH, "en": EN}
BOTH = [(language, kind) for language in ("zh", "en") for kind in ("convolution", "bert")]


@pytest.mark.parametrize(("language", "encoder"), BOTH)
def test_eight_pairs_are_learned_by_heart(tagger_folder, language, encoder):
    corrector = load_corrector(
        f"tagger:{tagger_folder(language, encoder)}",
        {"spacing": "tokenised"} if language == "en" else {},
    )
    corrections = corrector.correct([pair.source for pair in PAIRS[language]])
    assert [correction.text for correction in corrections] == [
        pair.target for pair in PAIRS[language]
    ]
    assert not any(correction.flags for correction in corrections)
    assert all(0 <= edit.score <= 1 for correction in corrections for edit in correction.edits)


@pytest.mark.parametrize(("language", "encoder"), BOTH)
def test_laws(tagger_folder, language, encoder):
    corrections = check_corrector(
        lambda: load_corrector(f"tagger:{tagger_folder(language, encoder)}", {"batch_size": "3"}),
        TEXTS[language],
    )
    flags = {item.source[:8]: item.flags for item in corrections}
    assert any("too long" in item for item in flags.values())


def count_changed(corrector, texts) -> int:
    return sum(len(correction.edits) for correction in corrector.correct(texts))


@pytest.mark.parametrize("encoder", ["convolution", "bert"])
def test_a_higher_keep_bias_never_edits_more(tagger_folder, encoder):
    """In one round: in later ones the text is another."""
    texts = [pair.source for pair in PAIRS["zh"]] + list(ZH)
    result = [
        count_changed(
            load_corrector(
                f"tagger:{tagger_folder('zh', encoder)}", {"keep_bias": bias, "rounds": 1}
            ),
            texts,
        )
        for bias in (-0.5, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    ]
    assert result == sorted(result, reverse=True)
    assert result[0] > result[-1] == 0


def test_taggers_of_the_same_labels_are_averaged(tagger_folder, tmp_path):
    result = tagger_folder("zh", "convolution")
    other = tmp_path / "other"
    teach(other, "zh", "convolution", steps=3)
    texts = [pair.source for pair in PAIRS["zh"]]
    alone = load_corrector(f"tagger:{result}").correct(texts)
    twice = load_corrector(f"tagger:{result}+{result}").correct(texts)
    assert [item.text for item in twice] == [item.text for item in alone]
    for left, right in zip(alone, twice, strict=True):
        assert right.score == pytest.approx(left.score, abs=1e-6)
    both = load_corrector(f"tagger:{result}+{other}", {"weights": [1000, 1]})
    assert [item.text for item in both.correct(texts)] == [item.text for item in alone]
    assert both.info.name == "tiny+tiny"
    half = load_corrector(f"tagger:{result}+{other}", {"rounds": 1}).correct(texts)
    solo = load_corrector(f"tagger:{other}", {"rounds": 1}).correct(texts)
    for first, second, mean in zip(alone, solo, half, strict=True):
        assert min(first.score, second.score) - 0.5 <= mean.score <= max(first.score, second.score)


def test_a_tagger_with_another_encoder_joins_in(tagger_folder, tmp_path):
    first = tagger_folder("zh", "convolution")
    bert = tagger_folder("zh", "bert")
    pair = load_corrector(f"tagger:{first}+{bert}")
    texts = [pair.source for pair in PAIRS["zh"]]
    assert [c.text for c in pair.correct(texts)] == [item.target for item in PAIRS["zh"]]
    check_corrector(lambda: load_corrector(f"tagger:{first}+{bert}"), ZH)


def test_half_precision_corrects_too(tagger_folder):
    place = f"tagger:{tagger_folder('zh', 'bert')}"
    corrector = load_corrector(place, {"precision": "bf16", "device": "cpu"})
    assert corrector.info.signature["precision"] == "bfloat16"
    texts = [pair.source for pair in PAIRS["zh"]]
    assert [item.text for item in corrector.correct(texts)] == [item.target for item in PAIRS["zh"]]


def test_the_signature_says_what_decides(tagger_folder):
    place = f"tagger:{tagger_folder('zh', 'convolution')}"
    usual = load_corrector(place).info.signature
    assert usual == load_corrector(place, {"batch_size": 7}).info.signature
    assert usual != load_corrector(place, {"keep_bias": 0.1}).info.signature
    assert usual != load_corrector(f"tagger:{tagger_folder('en', 'convolution')}").info.signature


def test_what_cannot_be_is_one_line(tagger_folder):
    place = f"tagger:{tagger_folder('zh', 'convolution')}"
    for options, text in (
        ({"threads": 100_000}, "option threads of tagger"),
        ({"device": "meta"}, "device 'meta' cannot be used here"),
        ({"weights": ["inf"]}, "option weights of tagger: their sum is no number"),
    ):
        with pytest.raises(UsageError, match=text):
            load_corrector(place, options)


def test_an_average_takes_the_options_that_its_members_share(tagger_folder, tmp_path):
    folders = []
    for name, settings in (("one", {"keep_bias": 1.0, "rounds": 2}), ("two", {"keep_bias": 1.0})):
        folders.append(tmp_path / name)
        shutil.copytree(tagger_folder("zh", "convolution"), folders[-1])
        write_card(folders[-1], replace(read_card(folders[-1]), defaults=settings))
    both = load_corrector("tagger:" + "+".join(map(str, folders)))
    assert both.info.signature["keep_bias"] == "1.0"
    assert both.info.signature["rounds"] == "5"
    (result,) = both.correct([PAIRS["zh"][0].source])
    assert not result.edits


def test_all_may_read_what_one_may_read(tagger_folder):
    folder = tagger_folder("zh", "bert")
    modes = {path.name: path.stat().st_mode for path in folder.iterdir() if path.is_file()}
    assert len(set(modes.values())) == 1, modes


def test_weights_that_are_no_numbers_do_not_pass_for_silence(tagger_folder, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "damaged"
    shutil.copytree(tagger_folder("zh", "convolution"), folder)
    weights = load_file(folder / "model.safetensors")
    weights["labels.weight"][3] = float("nan")
    save_file(weights, folder / "model.safetensors")
    with pytest.raises(GecbenchError, match="gives no numbers"):
        load_corrector(f"tagger:{folder}").correct(["我今天很高心。"])
