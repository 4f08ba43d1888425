"""Tiny random networks that judge texts, saved as transformers does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

TEXT = "he she they cat cats the a an mat sat sits go goes went to school on home . ,"


def tiny_language_model(folder: Path) -> Path:
    """Make a GPT-2 whose pieces are bytes."""
    torch = pytest.importorskip("torch")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    symbols = ["<|endoftext|>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    bytewise = Tokenizer(models.BPE(vocab={s: k for k, s in enumerate(symbols)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    end = "<|endoftext|>"
    PreTrainedTokenizerFast(
        tokenizer_object=bytewise, bos_token=end, eos_token=end, unk_token=end
    ).save_pretrained(folder)
    config = GPT2Config(
        vocab_size=len(symbols), n_embd=16, n_layer=1, n_head=2, n_positions=64,
        bos_token_id=0, eos_token_id=0, initializer_range=0.5,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def trained_language_model(folder: Path, sentences: Sequence[str]) -> Path:
    """Train a GPT-2 whose pieces are words until it knows some sentences by heart."""
    torch = pytest.importorskip("torch")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    end = "<|endoftext|>"
    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    words.train_from_iterator(
        sentences,
        trainers.BpeTrainer(
            vocab_size=600, special_tokens=[end], initial_alphabet=alphabet, show_progress=False
        ),
    )
    PreTrainedTokenizerFast(
        tokenizer_object=words, bos_token=end, eos_token=end, unk_token=end
    ).save_pretrained(folder)
    config = GPT2Config(
        vocab_size=words.get_vocab_size(), n_embd=32, n_layer=1, n_head=2, n_positions=256,
        bos_token_id=0, eos_token_id=0, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        model = GPT2LMHeadModel(config)
        rows = [[0, *words.encode(sentence).ids] for sentence in sentences]
        width = max(map(len, rows))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
        labels = torch.tensor([row + [-100] * (width - len(row)) for row in rows])
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(150):
            optimizer.zero_grad()
            model(input_ids=ids, labels=labels).loss.backward()
            optimizer.step()
        model.save_pretrained(folder)
    return folder


def tiny_bert(folder: Path, seed: int, *, numbers: int = 0, pieces: int = 32) -> Path:
    """Make a BERT of so many pieces, or a classifier over it that gives so many numbers."""
    torch = pytest.importorskip("torch")
    from transformers import BertConfig, BertForSequenceClassification, BertModel

    vocabulary = save_tokenizer(folder)
    config = BertConfig(
        vocab_size=vocabulary, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=pieces, num_labels=numbers or 2,
        initializer_range=0.4,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        kind = BertForSequenceClassification if numbers else BertModel
        kind(config).save_pretrained(folder)
    return folder


def tiny_mpnet(folder: Path, positions: int) -> Path:
    """Make an MPNet, which has two positions fewer for texts."""
    pytest.importorskip("torch")
    from transformers import MPNetConfig, MPNetModel

    config = MPNetConfig(
        vocab_size=save_tokenizer(folder), hidden_size=16, num_hidden_layers=1,
        num_attention_heads=2, intermediate_size=32, max_position_embeddings=positions,
    )  # fmt: skip
    MPNetModel(config).save_pretrained(folder)
    return folder


def save_tokenizer(folder: Path) -> int:
    """Save a tokenizer of words and letters; return the number of its pieces."""
    from transformers import BertTokenizer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [
        *special,
        *TEXT.split(),
        *"abcdefghijklmnopqrstuvwxyz",
        *map("##{}".format, "abcdehost"),
    ]
    vocabulary = {piece: k for k, piece in enumerate(dict.fromkeys(pieces))}
    BertTokenizer(vocab=vocabulary, do_lower_case=True).save_pretrained(folder)
    return len(vocabulary)
