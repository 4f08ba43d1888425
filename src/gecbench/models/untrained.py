"""Tiny models with random weights: they stand in for checkpoints where a pipeline is tried out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import gecbench
from gecbench.backends.hf import need_torch
from gecbench.core.errors import UnknownNameError
from gecbench.formats.reading import read
from gecbench.models.folder import whole_folder

_SEED = 7
_WIDTH, _LAYERS, _HEADS, _LONGEST = 32, 2, 2, 512
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def make_untrained(name: str, folder: Path) -> None:
    """Write a tiny model with its tokenizer, as transformers keeps them.

    Its vocabulary is that of the sentences that gecbench brings. It can be loaded, trained, and
    corrects nothing.

    Args:
        name: One of `UNTRAINED`.
        folder: The new folder.

    Raises:
        UnknownNameError: There is no such model.
        MissingExtraError: torch or transformers is not installed.
    """
    if name not in UNTRAINED:
        raise UnknownNameError("untrained model", name, UNTRAINED)
    need_torch()
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    with torch.random.fork_rng(devices=[]), whole_folder(folder) as made:
        torch.manual_seed(_SEED)
        UNTRAINED[name](made)


def _texts(language: str) -> Iterator[str]:
    """Yield the bundled sentences of a language, and their corrections."""
    folder = Path(gecbench.__file__).parent / "samples"
    for sample in read(folder / language / "corpus.jsonl").samples:
        yield sample.source
        yield from (reference.text for reference in sample.references if reference.text)


def _zh_tokenizer(folder: Path) -> int:
    """Write a tokenizer as Chinese BERT has it, and return the size of its vocabulary."""
    from transformers import BertTokenizer

    characters = sorted({c.lower() for text in _texts("zh") for c in text if not c.isspace()})
    words = dict.fromkeys([*_SPECIAL, *characters, *(f"##{c}" for c in characters)])
    tokenizer = BertTokenizer(vocab={word: k for k, word in enumerate(words)})
    tokenizer.save_pretrained(folder)
    return len(words)


def _en_tokenizer(folder: Path) -> int:
    """Write a byte-level tokenizer as RoBERTa and BART have it, and return its size."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaTokenizerFast

    learnt = ByteLevelBPETokenizer(add_prefix_space=False)
    learnt.train_from_iterator(
        _texts("en"), vocab_size=600, special_tokens=list(_ROBERTA), show_progress=False
    )
    learnt.save_model(str(folder))
    tokenizer = RobertaTokenizerFast(
        vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt")
    )
    tokenizer.save_pretrained(folder)
    return len(tokenizer)


def _bert_zh(folder: Path) -> None:
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(
        vocab_size=_zh_tokenizer(folder),
        hidden_size=_WIDTH,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        intermediate_size=2 * _WIDTH,
        max_position_embeddings=_LONGEST,
    )
    BertForMaskedLM(config).save_pretrained(folder)


def _roberta_en(folder: Path) -> None:
    from transformers import RobertaConfig, RobertaForMaskedLM

    config = RobertaConfig(
        vocab_size=_en_tokenizer(folder),
        hidden_size=_WIDTH,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        intermediate_size=2 * _WIDTH,
        max_position_embeddings=_LONGEST,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
    )
    RobertaForMaskedLM(config).save_pretrained(folder)


def _bart(folder: Path, vocabulary: int, *, bos: int, pad: int, end: int) -> None:
    from transformers import BartConfig, BartForConditionalGeneration

    config = BartConfig(
        vocab_size=vocabulary,
        d_model=_WIDTH,
        encoder_layers=_LAYERS,
        decoder_layers=_LAYERS,
        encoder_attention_heads=_HEADS,
        decoder_attention_heads=_HEADS,
        encoder_ffn_dim=2 * _WIDTH,
        decoder_ffn_dim=2 * _WIDTH,
        max_position_embeddings=_LONGEST,
        pad_token_id=pad,
        bos_token_id=bos,
        eos_token_id=end,
        decoder_start_token_id=end,
        forced_eos_token_id=end,
    )
    BartForConditionalGeneration(config).save_pretrained(folder)


def _bart_zh(folder: Path) -> None:
    _bart(folder, _zh_tokenizer(folder), bos=2, pad=0, end=3)


def _bart_en(folder: Path) -> None:
    _bart(folder, _en_tokenizer(folder), bos=0, pad=1, end=2)


def _llama_en(folder: Path) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    symbols = ["<s>", "</s>", "<pad>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    bytewise = Tokenizer(models.BPE(vocab={each: k for k, each in enumerate(symbols)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    kind: Any = PreTrainedTokenizerFast
    tokenizer = kind(
        tokenizer_object=bytewise, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(symbols),
        hidden_size=_WIDTH,
        intermediate_size=2 * _WIDTH,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_HEADS,
        num_key_value_heads=_HEADS,
        max_position_embeddings=1024,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=2,
    )
    LlamaForCausalLM(config).save_pretrained(folder)


UNTRAINED: Mapping[str, Callable[[Path], None]] = {
    "bert-zh": _bert_zh,
    "roberta-en": _roberta_en,
    "bart-zh": _bart_zh,
    "bart-en": _bart_en,
    "llama-en": _llama_en,
}
"""Names to what writes them."""
