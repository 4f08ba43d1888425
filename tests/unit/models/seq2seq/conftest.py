"""Tiny encoder-decoders with random weights, saved to folders as checkpoints are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tiny_seq2seq import EN_PAIRS, ZH_PAIRS, overfit, task_of

os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny networks are slower with several threads, and the last bits depend on them."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def save_bart(folder: Path, vocabulary: int, *, start: int, bos: int, pad: int, **more) -> None:
    """Write the configuration and random weights of a tiny BART."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.manual_seed(5)
    config = BartConfig(
        vocab_size=vocabulary,
        d_model=48,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=96,
        decoder_ffn_dim=96,
        max_position_embeddings=160,
        dropout=0.0,
        init_std=0.2,
        pad_token_id=pad,
        bos_token_id=bos,
        eos_token_id=start,
        decoder_start_token_id=start,
        forced_eos_token_id=start,
        **more,
    )
    BartForConditionalGeneration(config).save_pretrained(folder)


@pytest.fixture(scope="session")
def trained(
    common: Path, once: Callable[..., object], zh_bart: Path, en_bart: Path, t5: Path, mbart: Path
) -> dict[str, Path]:
    """Folders of models that know their eight pairs by heart, by what they were made from."""

    def train() -> dict[str, Path]:
        result = {}
        for name, place, pairs, rate, more in (
            ("zh", zh_bart, ZH_PAIRS, 3e-3, {}),
            ("en", en_bart, EN_PAIRS, 3e-3, {}),
            ("t5", t5, EN_PAIRS, 2e-2, {"prefix": "gec: "}),
            ("mbart", mbart, ZH_PAIRS, 3e-3, {"language_code": "zh_CN"}),
        ):
            language = "zh" if pairs is ZH_PAIRS else "en"
            task = task_of(place, pairs, language, **more)
            overfit(task, pairs, rate)
            result[name] = common / f"{name}-trained"
            result[name].mkdir()
            task.save(result[name], {"data": "eight pairs"})
        return result

    return once("trained encoder-decoders", train)


@pytest.fixture(scope="session")
def zh_bart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BART with the vocabulary of a BERT, as fnlp/bart-large-chinese: vocab.txt alone."""
    folder = tmp_path_factory.mktemp("zh-bart")
    characters = sorted({c for pair in ZH_PAIRS for text in pair for c in text if not c.isspace()})
    more = [
        c for c in "第一二三句标点abcdefghijklmnopqrstuvwxyz0123456789．" if c not in characters
    ]
    words = ["iphone", "abc", "foo", "bar", "##bar", "##hone"]
    inner = ["##" + c for c in "abcdefghijklmnopqrstuvwxyz0123456789"]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *more, *words, *inner]
    vocabulary = list(dict.fromkeys(vocabulary))
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    save_bart(folder, len(vocabulary), start=3, bos=2, pad=0)
    return folder


@pytest.fixture(scope="session")
def en_bart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BART with a byte-level vocabulary, as facebook/bart-large."""
    from tokenizers import ByteLevelBPETokenizer

    folder = tmp_path_factory.mktemp("en-bart")
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        [text for pair in EN_PAIRS for text in pair] * 3,
        vocab_size=380,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        show_progress=False,
    )
    trained.save_model(str(folder))
    save_bart(
        folder,
        trained.get_vocab_size(),
        start=2,
        bos=0,
        pad=1,
        forced_bos_token_id=0,
        no_repeat_ngram_size=3,
    )
    return folder


def pieces(texts: list[str], extra: tuple[str, ...] = ()) -> list[tuple[str, float]]:
    """Return a vocabulary of SentencePiece: words, characters, and their scores."""
    words = sorted({"▁" + word for text in texts for word in text.split()})
    characters = sorted({c for text in texts for c in text if not c.isspace()})
    result = dict.fromkeys(["▁", *words, *characters, *(("▁" + c) for c in characters)])
    return [*((item, 0.0) for item in extra), *((item, -float(len(result))) for item in result)]


@pytest.fixture(scope="session")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A T5 whose network has more rows than its vocabulary, as t5-small."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = tmp_path_factory.mktemp("t5")
    texts = [text for pair in EN_PAIRS for text in pair] + ["gec: 0123456789…ABC"]
    vocabulary = pieces(texts, ("<pad>", "</s>", "<unk>"))
    tokenizer = T5Tokenizer(vocab=vocabulary, extra_ids=4)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(6)
    config = T5Config(
        vocab_size=len(tokenizer) + 9,
        d_model=48,
        d_kv=12,
        d_ff=96,
        num_layers=2,
        num_heads=4,
        dropout_rate=0.0,
        decoder_start_token_id=0,
        initializer_factor=1.0,
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def mbart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An mBART of 25 languages."""
    import torch
    from transformers import MBartConfig, MBartForConditionalGeneration, MBartTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = tmp_path_factory.mktemp("mbart")
    texts = [text for pair in (*ZH_PAIRS, *EN_PAIRS) for text in pair]
    vocabulary = pieces(texts, ("<s>", "<pad>", "</s>", "<unk>"))
    tokenizer = MBartTokenizer(vocab=vocabulary)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = MBartConfig(
        vocab_size=len(tokenizer),
        d_model=48,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=96,
        decoder_ffn_dim=96,
        max_position_embeddings=160,
        dropout=0.0,
        pad_token_id=1,
        eos_token_id=2,
        scale_embedding=True,
    )
    MBartForConditionalGeneration(config).save_pretrained(folder)
    return folder
