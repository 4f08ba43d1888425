"""Write a tiny model with random weights and its tokenizer, as transformers keeps them.

    python tiny_model.py bert-zh|roberta-en|bart-zh|bart-en|llama-en FOLDER

It stands in for a checkpoint in the small form of a workflow: it can be loaded and trained, and
corrects nothing. Its vocabulary is that of the sentences that gecbench brings.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import tokenizers
import torch
import transformers
from transformers import PreTrainedModel

import gecbench

HIDDEN = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
}
BART = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
}


def sentences(language: str) -> Iterator[str]:
    """Yield the bundled sentences of a language, and their corrections."""
    path = Path(gecbench.__file__).parent / "samples" / language / "corpus.jsonl"
    for line in path.read_text("utf-8").splitlines()[1:]:
        sample = json.loads(line)
        yield sample["source"]
        yield from (each["text"] for each in sample.get("references", ()) if each.get("text"))


def character_tokenizer(folder: Path) -> int:
    """Write a tokenizer as Chinese BERT has it, and return the size of its vocabulary."""
    characters = sorted({c.lower() for text in sentences("zh") for c in text if not c.isspace()})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = dict.fromkeys([*special, *characters, *(f"##{c}" for c in characters)])
    vocabulary = {word: index for index, word in enumerate(words)}
    transformers.BertTokenizer(vocab=vocabulary).save_pretrained(folder)
    return len(words)


def byte_tokenizer(folder: Path) -> int:
    """Write a byte-level tokenizer as RoBERTa and BART have it, and return its size."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    model = tokenizers.ByteLevelBPETokenizer(add_prefix_space=False)
    model.train_from_iterator(
        sentences("en"), vocab_size=600, special_tokens=special, show_progress=False
    )
    model.save_model(str(folder))
    tokenizer = transformers.RobertaTokenizerFast(
        vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt")
    )
    tokenizer.save_pretrained(folder)
    return len(tokenizer)


def llama_tokenizer(folder: Path) -> int:
    """Write a tokenizer of single bytes, and return its size."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    symbols = ["<s>", "</s>", "<pad>", *alphabet]
    vocabulary = {symbol: index for index, symbol in enumerate(symbols)}
    model = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = tokenizers.decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=model, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )
    tokenizer.save_pretrained(folder)
    return len(symbols)


def tiny_model(name: str, folder: Path) -> PreTrainedModel:
    """Write the tokenizer of a model, and return its network."""
    if name == "bert-zh":
        return transformers.BertForMaskedLM(
            transformers.BertConfig(vocab_size=character_tokenizer(folder), **HIDDEN)
        )
    if name == "roberta-en":
        return transformers.RobertaForMaskedLM(
            transformers.RobertaConfig(vocab_size=byte_tokenizer(folder), **HIDDEN)
        )
    if name == "llama-en":
        size = llama_tokenizer(folder)
        return transformers.LlamaForCausalLM(
            transformers.LlamaConfig(
                vocab_size=size,
                num_key_value_heads=2,
                bos_token_id=0,
                eos_token_id=1,
                pad_token_id=2,
                **HIDDEN,
            )
        )
    size = character_tokenizer(folder) if name == "bart-zh" else byte_tokenizer(folder)
    start, pad, end = (2, 0, 3) if name == "bart-zh" else (0, 1, 2)
    return transformers.BartForConditionalGeneration(
        transformers.BartConfig(
            vocab_size=size,
            bos_token_id=start,
            pad_token_id=pad,
            eos_token_id=end,
            decoder_start_token_id=end,
            forced_eos_token_id=end,
            **BART,
        )
    )


if __name__ == "__main__":
    place = Path(sys.argv[2])
    place.mkdir(parents=True)
    torch.manual_seed(7)
    tiny_model(sys.argv[1], place).save_pretrained(place)
