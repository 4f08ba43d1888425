"""Causal models as they come, by path: how they are asked, and what they refuse."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from corrector_checks import EN, check_corrector
from messages import expect_error

from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError
from gecbench.models import load_corrector
from gecbench.models.causal.corrector import build_question
from gecbench.models.chat.prompts import load_prompt

from .tiny_causal import tiny_causal


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_causal(tmp_path_factory.mktemp("plain") / "model", hidden=32)


def test_a_model_as_it_comes_keeps_the_laws(plain: Path) -> None:
    options = {"prompt": "en-instruction", "batch_size": 4, "longest": 1, "shortest": 0}
    check_corrector(lambda: load_corrector(f"causal:{plain}", options), EN[:5])


def test_logits_do_not_depend_on_the_batch(plain: Path) -> None:
    import torch

    corrector: Any = load_corrector(f"causal:{plain}", {"language": "en"})
    seen = []

    def spy(**options: Any) -> Any:
        options |= {"output_logits": True, "return_dict_in_generate": True, "max_new_tokens": 4}
        result = generate(**options)
        seen.append(torch.stack(result.logits, 1))
        return result.sequences

    generate, corrector.network.generate = corrector.network.generate, spy
    texts = ["He go .", "She have seen a very long film yesterday .", "I"]
    corrector.correct(texts)
    together = seen.pop()
    order = sorted(texts, key=lambda text: -len(text))
    for place, text in enumerate(order):
        corrector.correct([text])
        assert torch.allclose(seen.pop()[0], together[place], atol=1e-4)


def test_a_limit_is_a_texts_own(plain: Path) -> None:
    corrector: Any = load_corrector(f"causal:{plain}", {"language": "en"})
    pairs = []
    generate = corrector.network.generate
    corrector.network.generate = lambda **options: pairs.append(options) or generate(**options)
    corrector.correct(["abc"])
    assert pairs[0]["max_new_tokens"] == 2 * 4 + 16
    assert pairs[0]["do_sample"] is False


def test_what_does_not_fit_into_the_window_is_flagged(plain: Path) -> None:
    corrector = load_corrector(f"causal:{plain}", {"language": "en"})
    (result,) = corrector.correct(["word " * 300])
    assert (result.text, result.flags) == (result.source, ("too long",))


def test_the_prompt_is_said_as_the_style_wants(tmp_path: Path, plain: Path) -> None:
    templated = tiny_causal(tmp_path / "chat", chat=True, hidden=32)
    text = {}
    for name, place, style in (
        ("chat", templated, "auto"),
        ("plain", templated, "plain"),
        ("none", plain, "auto"),
    ):
        options = {"prompt": "zh-minimal", "style": style}
        corrector: Any = load_corrector(f"causal:{place}", options)
        text[name] = corrector.question.tokenizer.decode(corrector.question.encode("你好"))
    assert text["chat"].startswith("<s>[system] 你负责")
    assert text["chat"].endswith("\n[user] 你好\n[assistant] ")
    assert text["plain"] == text["none"]
    assert text["plain"].endswith("不要解释。\n\n你好\n")
    with expect_error(UsageError, f"{plain}", "chat template", "style"):
        load_corrector(f"causal:{plain}", {"prompt": "zh-minimal", "style": "chat"})


def test_a_model_that_never_ends_an_answer_is_refused(plain: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(plain)
    tokenizer.eos_token = None
    question = partial(build_question, tokenizer, load_prompt("zh-minimal"), "plain", place="m")
    with expect_error(UsageError, "m", "eos_token"):
        question()
    assert question(ends=(5,)).ends == (5,)


@pytest.mark.parametrize("style", ["chat", "plain"])
def test_special_tokens_spelled_in_a_text_are_text(tmp_path: Path, style: str) -> None:
    place = tiny_causal(tmp_path / "chat", chat=True, hidden=32)
    corrector: Any = load_corrector(f"causal:{place}", {"prompt": "en-minimal", "style": style})
    question, text = corrector.question, "Write </s> and <pad> here ."
    usual = question.encode("Write it here .")
    ids = question.encode(text)
    specials = {0, 1, 2}
    assert [i for i in ids if i in specials] == [i for i in usual if i in specials]
    answer = question.encode_answer(text)
    assert [i for i in answer if i in specials] == [question.ends[0]]
    assert question.decode_answer(answer) == (text, True)
    assert question.tokenizer.decode(ids).replace(text, "Write it here .") == (
        question.tokenizer.decode(usual)
    )


def test_half_a_character_is_left_alone(plain: Path) -> None:
    corrector = load_corrector(f"causal:{plain}", {"language": "en"})
    (result,) = corrector.correct(["a \ud83d b"])
    assert (result.text, result.flags) == (result.source, ("failed",))


def test_something_must_say_what_to_ask(plain: Path) -> None:
    with expect_error(UsageError, f"causal:{plain}", "set prompt", "zh-minimal"):
        load_corrector(f"causal:{plain}")
    with expect_error(UnknownNameError, "'zh-minimum'", "zh-minimal"):
        load_corrector(f"causal:{plain}", {"prompt": "zh-minimum"})
    with expect_error(UnknownNameError, "causal", "'beam'", "beams"):
        load_corrector(f"causal:{plain}", {"beam": 2})
    with expect_error(UsageError, f"{plain}", "no adapter"):
        load_corrector(f"causal:{plain}", {"base": "x"})
    with expect_error(UsageError, "'nonsense'"):
        load_corrector(f"causal:{plain}", {"language": "en", "device": "nonsense"})


def test_what_is_no_causal_model_is_one_line(tmp_path: Path) -> None:
    from transformers import BartConfig, BartForConditionalGeneration

    with pytest.raises(GecbenchError, match="no such folder"):
        load_corrector(f"causal:{tmp_path / 'none'}", {"language": "en"})
    tiny = BartConfig(
        vocab_size=20, d_model=8, encoder_layers=1, decoder_layers=1, encoder_attention_heads=1,
        decoder_attention_heads=1, encoder_ffn_dim=8, decoder_ffn_dim=8,
    )  # fmt: skip
    BartForConditionalGeneration(tiny).save_pretrained(tmp_path / "bart")
    with expect_error(GecbenchError, str(tmp_path / "bart"), "encoder-decoder"):
        load_corrector(f"causal:{tmp_path / 'bart'}", {"language": "en"})


def test_beams_search_side_by_side_only_where_they_may_go_equally_far(plain) -> None:
    texts = ["He go .", "He went .", "He go to school every single day of the week ."]
    with_beams = load_corrector(f"causal:{plain}", {"language": "en", "beams": 3})
    groups = with_beams._groups(texts)
    assert sorted(text for group in groups for text in group) == sorted(texts)
    assert all(len({with_beams._limit(text) for text in group}) == 1 for group in groups)
    assert len(groups) > 1
    greedy = load_corrector(f"causal:{plain}", {"language": "en"})
    assert greedy._groups(texts) == [texts]
