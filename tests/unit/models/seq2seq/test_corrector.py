"""Correcting with encoder-decoders: the laws, limits and what is reported of answers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from corrector_checks import EN, ZH, check_corrector
from messages import expect_error
from tiny_seq2seq import EN_PAIRS, ZH_PAIRS

from gecbench.core.errors import FormatError, GecbenchError, UnknownNameError, UsageError
from gecbench.models import load_corrector
from gecbench.models.seq2seq.corrector import Answer, normalise_score, rank


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("name", "texts", "options"),
    [
        ("zh_bart", ZH, {"beams": 2, "alternatives": 1, "batch_size": 3}),
        pytest.param("en_bart", EN, {"beams": 2, "batch_tokens": 64}, marks=pytest.mark.slow),
        pytest.param("t5", EN[:8], {"beams": 2, "prefix": "gec: "}, marks=pytest.mark.slow),
        pytest.param("mbart", ZH, {"beams": 2, "language_code": "zh_CN"}, marks=pytest.mark.slow),
    ],
)
def test_laws_hold_for_networks_that_know_nothing(name, texts, options, request) -> None:
    place = request.getfixturevalue(name)
    corrections = check_corrector(lambda: load_corrector(f"seq2seq:{place}", options), texts)
    assert any("cut" in c.flags for c in corrections)
    assert next(c for c in corrections if len(c.source) > 500).flags == ("too long",)


@pytest.mark.parametrize(
    ("name", "pairs", "texts"),
    [("zh", ZH_PAIRS, ZH), ("en", EN_PAIRS, EN), ("t5", EN_PAIRS, ()), ("mbart", ZH_PAIRS, ())],
)
def test_eight_pairs_are_learnt_by_heart_and_read_back(trained, name, pairs, texts) -> None:
    sources, targets = zip(*pairs, strict=True)
    corrections = check_corrector(lambda: load_corrector(str(trained[name])), [*sources, *texts])
    assert tuple(c.text for c in corrections[:8]) == targets
    assert all(-0.1 < c.score <= 0 for c in corrections[:8])
    spread = load_corrector(str(trained[name]), {"alternatives": 4}).correct(sources)
    assert [c.text for c in spread] == list(targets)
    assert any(c.alternatives for c in spread)
    assert all(c.text not in c.alternatives for c in spread)


def test_blanks_case_and_unknown_characters_survive_a_bert_vocabulary(trained) -> None:
    corrector = load_corrector(str(trained["zh"]))
    first, second = corrector.correct(["  我喜欢 iPhone 手几。\u3000", "我今天很高心。"])
    assert (first.text, first.flags) == ("  我喜欢 iPhone 手机。\u3000", ())
    assert [(e.start, e.end, e.replacement) for e in first.edits] == [(14, 15, "机")]
    assert second.text == "我今天很高兴。"


class Scripted:
    """A search whose answers are given."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self.asked: list[tuple[int, int]] = []

    def answers(self, sources, limit):
        self.asked += [(len(source.ids), limit) for source in sources]
        return [list(self._answers) for _ in sources]

    def close(self) -> None:
        """Hold nothing."""


def restore_answer(corrector, text: str, *, ended: bool = True):
    """Return a corrector whose network says a text, whatever it is asked."""
    import dataclasses

    ids = corrector.encoding.target_ids(text)[:-1]
    return dataclasses.replace(corrector, search=Scripted(Answer(ids, -0.5, ended)))


@pytest.mark.parametrize(
    ("says", "ended", "flags"),
    [
        ("我今天很高兴。", False, ("cut",)),
        ("", True, ("empty",)),
        ("我" * 40, True, ("too different",)),
        ("龘今天很高兴。", True, ("restored",)),
    ],
)
def test_answers_that_are_no_corrections_keep_the_source(zh_bart, says, ended, flags) -> None:
    corrector = restore_answer(load_corrector(f"seq2seq:{zh_bart}"), says, ended=ended)
    (result,) = corrector.correct(["龘今天很高心。"])
    assert result.flags == flags
    assert result.text == ("龘今天很高兴。" if flags == ("restored",) else "龘今天很高心。")
    assert result.score == -0.5


def test_the_limit_of_new_tokens_depends_on_the_source_alone(zh_bart) -> None:
    corrector = restore_answer(load_corrector(f"seq2seq:{zh_bart}"), "我")
    corrector.correct(["我" * length for length in (1, 14, 15, 30, 90, 158)])
    limits = dict(corrector.search.asked)
    assert limits == {3: 30, 16: 30, 17: 51, 32: 51, 92: 134, 160: 159}
    corrector.search.asked.clear()
    corrector.correct(["我" * 15])
    assert corrector.search.asked == [(17, 51)]


def test_answers_are_ranked_by_score_not_by_probability() -> None:
    short, long = Answer((5,), normalise_score(-1.0, 2, 1.0), True), Answer((5, 6, 7), -0.4, True)
    assert rank([short, long], 1) == [long]
    assert rank([short, long], 2) == [long, short]


def test_rows_beyond_the_vocabulary_are_no_tokens(t5) -> None:
    corrector = load_corrector(f"seq2seq:{t5}")
    size = corrector.encoding.tokenizer.get_vocab_size()
    assert json.loads((t5 / "config.json").read_text())["vocab_size"] == size + 9
    assert corrector.search._network.get_output_embeddings().weight.shape[0] == size


def test_a_short_answer_to_a_long_source_is_too_different(zh_bart) -> None:
    corrector = restore_answer(load_corrector(f"seq2seq:{zh_bart}"), "我")
    assert corrector.correct(["我今天很高兴" * 5])[0].flags == ("too different",)
    assert corrector.correct(["我今天很高兴"])[0].flags == ()


def test_lengths_are_in_tokens_with_specials(zh_bart) -> None:
    corrector = load_corrector(f"seq2seq:{zh_bart}", {"max_length": "8"})
    short, long = corrector.correct(["我" * 6, "我" * 7])
    assert "too long" not in short.flags
    assert long.flags == ("too long",)
    assert corrector.info.signature["max_length"] == "8"


def test_without_beams_and_after_closing(trained) -> None:
    corrector = load_corrector(str(trained["en"]), {"beams": 1, "threads": 1, "tokens": "space"})
    assert [c.text for c in corrector.correct([s for s, _ in EN_PAIRS])] == [t for _, t in EN_PAIRS]
    corrector.close()
    with pytest.raises(RuntimeError, match="closed"):
        corrector.correct(["a"])


def test_the_half_precision_of_a_folder_is_an_option(trained) -> None:
    corrector = load_corrector(str(trained["zh"]), {"precision": "bfloat16"})
    assert corrector.correct(["我今天很高心。"])[0].text == "我今天很高兴。"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"beams": 2, "alternatives": 2}, UsageError, "needs more beams than 2"),
        ({"beam": 2}, UnknownNameError, "unknown option of seq2seq 'beam'; did you mean beams"),
        ({"beams": 0}, UsageError, "option beams of seq2seq"),
        ({"max_length": 161}, UsageError, "reads 160 tokens, not 161"),
        ({"precision": "int8"}, UsageError, "int8 is for exported models"),
        ({"device": "cuda:77"}, UsageError, "device 'cuda:77' cannot be used here"),
        ({"device": "abacus"}, UsageError, "device 'abacus' cannot be used here"),
        ({"language_code": "zh_CN"}, UsageError, "knows no languages"),
    ],
)
def test_options_that_cannot_be(zh_bart, options, error, message) -> None:
    with pytest.raises(error, match=message) as caught:
        load_corrector(f"seq2seq:{zh_bart}", options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("options", [{}, {"language_code": "xx_XX"}])
def test_a_multilingual_model_is_told_its_language(mbart, options) -> None:
    with expect_error(UsageError, "ar_AR", "cs_CZ"):
        load_corrector(f"seq2seq:{mbart}", options)


def copy_folder(folder: Path, place: Path) -> Path:
    shutil.copytree(place, folder)
    return folder


def expect_refusal(place: Path, message: str, error=GecbenchError) -> None:
    with pytest.raises(error, match=message) as caught:
        load_corrector(f"seq2seq:{place}")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_an_empty_folder(tmp_path) -> None:
    (tmp_path / "empty").mkdir()
    expect_refusal(tmp_path / "empty", "the folder is empty")


def test_an_encoder_is_no_encoder_decoder(tmp_path) -> None:
    from transformers import BertConfig

    BertConfig(num_hidden_layers=1).save_pretrained(tmp_path)
    expect_refusal(tmp_path, "bert is no encoder-decoder, as BART, mBART and T5 are")


def test_a_missing_tokenizer(tmp_path, zh_bart) -> None:
    place = copy_folder(tmp_path / "m", zh_bart)
    (place / "vocab.txt").unlink()
    expect_refusal(place, "no tokenizer there; it needs tokenizer.json")


def test_a_vocabulary_that_does_not_fit(tmp_path, zh_bart) -> None:
    place = copy_folder(tmp_path / "m", zh_bart)
    words = (place / "vocab.txt").read_text("utf-8").splitlines()
    (place / "vocab.txt").write_text("\n".join([*words, "龘", "靐"]), encoding="utf-8")
    tokens = len(words)
    expect_refusal(place, f"the tokenizer has {tokens + 2} tokens, the network {tokens};")


def test_pickled_weights(tmp_path, zh_bart) -> None:
    place = copy_folder(tmp_path / "m", zh_bart)
    (place / "model.safetensors").rename(place / "pytorch_model.bin")
    expect_refusal(place, "no weights in safetensors there; pickled weights are not read")


def test_weights_of_another_architecture(tmp_path, zh_bart, t5) -> None:
    place = copy_folder(tmp_path / "m", zh_bart)
    shutil.copy(t5 / "model.safetensors", place)
    expect_refusal(place, "lacks 90 of those that its configuration asks for, as model.decoder")


def test_weights_of_another_shape(tmp_path, zh_bart) -> None:
    place = copy_folder(tmp_path / "m", zh_bart)
    settings = json.loads((place / "config.json").read_text())
    (place / "config.json").write_text(json.dumps({**settings, "encoder_ffn_dim": 100}))
    expect_refusal(place, r"fc1.bias has the shape \(96,\), its config.json says \(100,\)")


@pytest.mark.parametrize(
    ("change", "message", "error"),
    [
        ({"kind": "tagger"}, "is a tagger, .* write tagger:", GecbenchError),
        ({"runtime": "abacus"}, "runtime 'abacus'", GecbenchError),
        ({"settings": {"prefixes": ""}}, "settings: .*prefixes", FormatError),
        ({"settings": {}, "runtime": "ctranslate2"}, "settings: .*specials", FormatError),
    ],
)
def test_a_card_that_says_something_else(tmp_path, trained, change, message, error) -> None:
    place = copy_folder(tmp_path / "m", trained["zh"])
    card = json.loads((place / "gecbench.json").read_text("utf-8"))
    (place / "gecbench.json").write_text(json.dumps({**card, **change}), encoding="utf-8")
    expect_refusal(place, message, error)


def test_what_the_card_says_is_no_option(trained) -> None:
    with expect_error(UsageError, "prefix", "seq2seq"):
        load_corrector(str(trained["t5"]), {"prefix": "fix: "})
