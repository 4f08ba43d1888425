"""Models of real size with random weights, and sentences for them."""

from __future__ import annotations

import json
from itertools import chain, islice
from pathlib import Path

import torch
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertModel,
    BertTokenizer,
)

import gecbench
from gecbench.formats.validation import convert
from gecbench.models.batches import SentencePair
from gecbench.models.training.task import Task, load_kind

WORDS = 21_128
"""Entries of the vocabulary of Chinese BERT."""

LABELS = 7_375
"""Labels of MuCGEC's tagger."""


def sentences(path: Path | None, count: int) -> list[str]:
    """Return sentences of a corpus, as they come, again from the start where it has fewer."""
    corpus = gecbench.load(path or gecbench.sample("zh", "corpus.jsonl"))
    texts = [sample.source for sample in corpus.samples]
    return [texts[k % len(texts)] for k in range(count)]


def encoder(folder: Path, layers: int) -> Path:
    """Make an encoder of BERT-base's width, and its tokenizer."""
    torch.manual_seed(0)
    BertModel(BertConfig(vocab_size=WORDS, num_hidden_layers=layers)).save_pretrained(folder)
    _tokenizer().save_pretrained(folder)
    return folder


def encoder_decoder(folder: Path, layers: int, *, width: int = 768, words: int = WORDS) -> Path:
    """Make an encoder-decoder of BART-base's width, or another, with a tokenizer as Chinese BART's.

    Args:
        folder: Where.
        layers: On each side.
        width: A multiple of 64.
        words: Entries of the vocabulary.
    """
    torch.manual_seed(0)
    config = BartConfig(
        vocab_size=words,
        d_model=width,
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_ffn_dim=4 * width,
        decoder_ffn_dim=4 * width,
        encoder_attention_heads=width // 64,
        decoder_attention_heads=width // 64,
        max_position_embeddings=512,
        bos_token_id=2,
        eos_token_id=3,
        pad_token_id=0,
        decoder_start_token_id=3,
        forced_eos_token_id=3,
    )
    BartForConditionalGeneration(config).save_pretrained(folder)
    _tokenizer(words).save_pretrained(folder)
    return folder


def _tokenizer(words: int = WORDS) -> BertTokenizer:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    marks = list("，。？！：；、“”‘’（）《》0123456789abcdefghijklmnopqrstuvwxyz")
    places = chain(range(0x4E00, 0xA000), range(0x20000, 0x30000))
    han = map(chr, islice(places, words - len(special) - len(marks)))
    return BertTokenizer(vocab={word: k for k, word in enumerate([*special, *marks, *han])})


def tagger(scratch: Path, layers: int) -> Path:
    """Make a tagger with as many labels as MuCGEC's on such an encoder."""
    result = scratch / "tagger"
    if not result.exists():
        result.mkdir(parents=True)
        task(scratch, layers, [SentencePair("我很高心。", "我很高兴。")]).save(result, {})
    return result


def task(scratch: Path, layers: int, pairs: list[SentencePair]) -> Task:
    """Return the training task of such a tagger."""
    start = scratch / "encoder"
    if not start.exists():
        encoder(start, layers)
    letters = [chr(0x4E00 + k) for k in range((LABELS - 3) // 2)]
    labels = ["$KEEP", "$DELETE", "@@UNKNOWN@@"]
    labels += [f"$APPEND_{c}" for c in letters] + [f"$REPLACE_{c}" for c in letters]
    (scratch / "labels.json").write_text(json.dumps(labels), encoding="utf-8")
    kind = load_kind("tagger")
    table = {
        "kind": "tagger",
        "name": "bench",
        "language": "zh",
        "model": {"encoder": str(start), "labels": str(scratch / "labels.json")},
    }
    return kind.build(convert("bench", table, kind.config), pairs, None)


def seq2seq(scratch: Path, layers: int) -> Path:
    """Make an encoder-decoder as gecbench keeps it."""
    result = scratch / "seq2seq"
    if not result.exists():
        built = seq2seq_task(scratch, layers)
        result.mkdir()
        built.save(result, {})
    return result


def seq2seq_task(scratch: Path, layers: int, *, width: int = 768, words: int = WORDS) -> Task:
    """Return the training task of an encoder-decoder."""
    start = scratch / f"bart-{layers}-{width}-{words}"
    if not start.exists():
        encoder_decoder(start, layers, width=width, words=words)
    kind = load_kind("seq2seq")
    table = {
        "kind": "seq2seq",
        "name": "bench",
        "language": "zh",
        "model": {"place": str(start), "max_length": 400},
    }
    return kind.build(convert("bench", table, kind.config), [], None)
