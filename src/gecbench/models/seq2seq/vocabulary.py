"""Adding to a vocabulary the characters of the training texts that it lacks."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from tokenizers import AddedToken
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from gecbench.core.seeding import number
from gecbench.models.seq2seq.network import token_id

_NOISE = 0.1
_BLANK = "\N{LOWER ONE EIGHTH BLOCK}"
_TWINS: Mapping[str, str] = {
    **dict.fromkeys("“”„‟«»「」『』", '"'),
    **dict.fromkeys("‘’‚‛", "'"),
    **dict.fromkeys("—–―‐‑", "-"),
    **dict.fromkeys("·•・", "."),
    **dict.fromkeys("【〔", "["),
    **dict.fromkeys("】〕", "]"),
    **dict.fromkeys("《〈", "<"),
    **dict.fromkeys("》〉", ">"),
    "、": ",",
    "。": ".",
}
"""Punctuation to the character that does the same work in ASCII, beyond what NFKC says."""


def missing_characters(
    tokenizer: PreTrainedTokenizerBase, texts: Iterable[str], min_count: int
) -> tuple[str, ...]:
    """Return the characters of texts that a tokenizer does not know, most frequent first.

    Args:
        tokenizer: Whose vocabulary is asked; one of bytes knows everything.
        texts: What is counted.
        min_count: Rarer characters are left out.
    """
    unknown = tokenizer.unk_token_id
    if unknown is None:
        return ()
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
    found = [
        character
        for character, count in counts.items()
        if count >= min_count
        and not character.isspace()
        and unicodedata.category(character)[0] != "C"
        and unknown in tokenizer(character, add_special_tokens=False)["input_ids"]
    ]
    return tuple(sorted(found, key=lambda each: (-counts[each], each)))


def extend_tokenizer(tokenizer: PreTrainedTokenizerBase, characters: Sequence[str]) -> int:
    """Add characters to a vocabulary, as they are; return how many were new."""
    # Not normalised: a lowercased character would be another one, which perhaps is known.
    added = tokenizer.add_tokens([AddedToken(each, normalized=False) for each in characters])
    return int(added)


def added_characters(tokenizer: PreTrainedTokenizerBase) -> int:
    """Return how many characters a vocabulary was given."""
    return sum(len(token) == 1 for token in tokenizer.get_added_vocab())


def extend_network(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    characters: Sequence[str],
    *,
    seed: int,
) -> None:
    """Give a network rows for characters that its tokenizer has got.

    A row starts as that of the character's twin (“ as ", ＠ as @) where the vocabulary has one,
    else as the mean of all rows; with a little noise, so that no two are the same.

    Args:
        network: Its embeddings grow.
        tokenizer: With the characters.
        characters: Those that are new.
        seed: Of the noise.
    """
    known = network.config.get_text_config().vocab_size
    if len(tokenizer) > known:
        network.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    rows = {token_id(tokenizer, each): each for each in characters}
    has: Any = network
    tables = [has.get_input_embeddings(), has.get_output_embeddings()]
    weights = {id(table.weight): table.weight for table in tables if table is not None}
    for place, weight in enumerate(weights.values()):
        _fill(weight, rows, tokenizer, number(seed, f"rows of new characters {place}"))


def _fill(
    weight: torch.Tensor, rows: Mapping[int, str], tokenizer: PreTrainedTokenizerBase, seed: int
) -> None:
    """Write the rows of new characters into one table of embeddings."""
    generator = torch.Generator().manual_seed(seed % 2**63)
    with torch.no_grad():
        old = torch.ones(len(weight), dtype=torch.bool)
        old[list(rows)] = False
        mean, deviation = weight[old].mean(0), weight[old].std()
        for row, character in rows.items():
            twin = _twin(tokenizer, character)
            noise = torch.randn(weight.shape[1], generator=generator) * deviation * _NOISE
            weight[row] = (mean if twin is None else weight[twin]) + noise.to(weight.dtype)


def _twin(tokenizer: PreTrainedTokenizerBase, character: str) -> int | None:
    """Return the token of the character that does the same work; None where there is none."""
    twin = _TWINS.get(character) or unicodedata.normalize("NFKC", character)
    if twin == character:
        return None
    ids = [
        each
        for each in tokenizer(twin, add_special_tokens=False)["input_ids"]
        if str(tokenizer.convert_ids_to_tokens(each)).lstrip(_BLANK) == twin
    ]
    return int(ids[0]) if len(ids) == 1 and ids[0] != tokenizer.unk_token_id else None
