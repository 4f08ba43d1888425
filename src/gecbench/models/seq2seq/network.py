"""Encoder-decoders of transformers: loading, encoding, searching, and new characters."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import torch
from tokenizers import AddedToken
from transformers import (
    AutoModelForSeq2SeqLM,
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from gecbench.backends.transformers import load_config, load_model, load_tokenizer
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.core.seeding import number
from gecbench.models.batches import mask_rows, pad_rows
from gecbench.models.seq2seq.corrector import Answer, Seq2SeqOptions, normalise_score, rank
from gecbench.models.seq2seq.encoding import EncoderInput, Specials, SubwordEncoding
from gecbench.models.weights import evaluation_mode

_SPARE = 128
"""Rows that a network may have beyond its tokenizer: sizes are rounded up."""

_SPECIAL_ONLY = 8
"""Tokens that a tokenizer has which found no vocabulary: the special ones."""


def load_seq2seq_config(place: str) -> PreTrainedConfig:
    """Load the configuration of an encoder-decoder.

    Raises:
        GecbenchError: There is none, or it is of another kind.
    """
    config = load_config(place)
    if not config.is_encoder_decoder:
        raise GecbenchError(
            f"{place}: {config.model_type} is no encoder-decoder, as BART, mBART and T5 are; "
            f"an encoder may be a tagger (tagger:{place}), a decoder a causal model"
        )
    return config


def load_network(
    place: str, config: PreTrainedConfig, tokenizer: PreTrainedTokenizerBase, **options: object
) -> PreTrainedModel:
    """Load the network of a place, with all its weights.

    Rows beyond the vocabulary, which round sizes up (T5: 28), are taken off: they are no
    tokens, but would take a share of the probability.

    Args:
        place: A folder or a name.
        config: Of the network.
        tokenizer: That fits it.
        options: More for `from_pretrained`.

    Raises:
        GecbenchError: Weights are missing, or of another shape than the configuration says.
    """
    network = load_model(place, AutoModelForSeq2SeqLM, config=config, **options)
    if config.vocab_size > len(tokenizer):
        network.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    return network


def load_fitting_tokenizer(place: str, config: PreTrainedConfig) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a place that fits its network.

    Chinese BARTs come with a BERT vocabulary and do not say so; transformers 5 then makes a
    tokenizer of five tokens without a word.

    Raises:
        GecbenchError: There is none that fits.
    """
    sizes = [0]
    rows: int = config.vocab_size
    for options in ({}, {"tokenizer_type": "bert"}):
        try:
            tokenizer = load_tokenizer(place, **options)
        except GecbenchError:
            continue
        if 0 <= rows - len(tokenizer) < min(_SPARE, rows // 2):
            return tokenizer
        sizes.append(len(tokenizer))
    if max(sizes) <= _SPECIAL_ONLY:
        raise GecbenchError(
            f"{place}: no tokenizer there; it needs tokenizer.json, vocab.txt, or vocab.json "
            "with merges.txt, of the model"
        )
    raise GecbenchError(
        f"{place}: the vocabulary does not fit: the tokenizer has {max(sizes)} tokens, the network "
        f"{rows}; take the tokenizer that the model was trained with"
    )


def build_subword_encoding(
    tokenizer: PreTrainedTokenizerBase,
    config: PreTrainedConfig,
    *,
    name: str,
    forced: bool,
    prefix: str = "",
    language_code: str = "",
) -> SubwordEncoding:
    """Build the encoding of texts for a model.

    Args:
        tokenizer: A fast one.
        config: Of the network.
        name: What the model is called in failures.
        forced: Whether answers begin with what sources begin with, as <s> or [CLS], whatever the
            decoder says.
        prefix: Text before every source.
        language_code: Of a multilingual model.

    Raises:
        UsageError: A multilingual model has no such language, or none is named; or the
            model knows none.
    """
    _choose_language(tokenizer, name, language_code)
    before, after = _ids_around(tokenizer)
    start = _special_id(tokenizer, config, "decoder_start", "bos")
    first: tuple[int, ...] = before if forced else ()
    if language_code:
        language = _token_id(tokenizer, language_code)
        # mBART (25 languages) closes the source with it and starts the decoder with it; mBART
        # of 50 languages and NLLB open the source with it and begin every answer with it.
        start, first = (language, ()) if language in after else (start, (language,))
    end, pad = _special_id(tokenizer, config, "eos", "sep"), _special_id(tokenizer, config, "pad")
    unknown = tokenizer.unk_token_id
    specials = Specials(
        before=before,
        after=after,
        start=start,
        forced=first,
        end=end,
        pad=pad,
        unknown=int(unknown) if isinstance(unknown, int) else None,
        dropped=tuple(sorted({*before, *after, *first, start, pad})),
        prefix=prefix,
    )
    return SubwordEncoding(tokenizer.backend_tokenizer, specials, name=name)


def max_positions(config: PreTrainedConfig) -> int:
    """Count how many positions a network knows; 0 where they are relative, without a bound."""
    relative = hasattr(config, "relative_attention_num_buckets")
    return 0 if relative else int(getattr(config, "max_position_embeddings", 0))


def _token_id(tokenizer: PreTrainedTokenizerBase, token: str) -> int:
    return cast("int", tokenizer.convert_tokens_to_ids(token))


def _choose_language(tokenizer: PreTrainedTokenizerBase, name: str, code: str) -> None:
    """Set the language of a multilingual tokenizer."""
    multilingual: Any = tokenizer
    if not hasattr(multilingual, "src_lang"):
        if code:
            raise UsageError(f"{name}: knows no languages; leave language_code out")
        return
    known = [token for token in tokenizer.get_vocab() if "_" in token and token.isascii()]
    if not code or code not in known or tokenizer.convert_tokens_to_ids(code) is None:
        codes = sorted(token for token in known if len(token) in (5, 8) and token[2:4].strip("_"))
        what = f"language_code {code!r} is not one of its" if code else "needs a language_code, of"
        raise UsageError(f"{name}: {what} languages, as {', '.join(codes[:4])}")
    multilingual.src_lang = multilingual.tgt_lang = code


def _ids_around(tokenizer: PreTrainedTokenizerBase) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Find the ids that a tokenizer puts before and after a text."""
    bare = list(tokenizer("a", add_special_tokens=False)["input_ids"])
    full = list(tokenizer("a")["input_ids"])
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start]), tuple(full[start + len(bare) :])
    return (), ()


def _special_id(tokenizer: PreTrainedTokenizerBase, config: PreTrainedConfig, *names: str) -> int:
    """Find a special id by what the network calls it, else the tokenizer."""
    for name in names:
        for holder in (config, tokenizer):
            token = getattr(holder, f"{name}_token_id", None)
            if isinstance(token, int):
                return token
    raise GecbenchError(f"{tokenizer.name_or_path}: its config.json has no {names[0]}_token_id")


# Beam search by transformers.


class TorchSearch:
    """Searches with a network as it is: where it learns, answers are those of the moment."""

    def __init__(
        self, network: PreTrainedModel, specials: Specials, options: Seq2SeqOptions
    ) -> None:
        self._network: Any = network
        self._specials = specials
        self._options = options
        self._neutral = GenerationConfig()
        self._config = GenerationConfig(
            num_beams=options.beams,
            num_return_sequences=options.beams,
            # By probability alone: see `rank`.
            length_penalty=0.0,
            early_stopping=False,
            do_sample=False,
            eos_token_id=specials.end,
            pad_token_id=specials.pad,
            decoder_start_token_id=specials.start,
            use_cache=True,
        )

    def inputs(self, sources: Sequence[EncoderInput]) -> dict[str, object]:
        """Build what the network reads of a batch, by what transformers calls it."""
        ids, device = [source.ids for source in sources], self._network.device
        return {
            "input_ids": torch.from_numpy(pad_rows(ids, self._specials.pad)).to(device),
            "attention_mask": torch.from_numpy(mask_rows(ids)).to(device),
        }

    def answers(self, sources: Sequence[EncoderInput], limit: int) -> list[list[Answer]]:
        """Find for each source the best answers, best first."""
        network = self._network
        beams, specials = self._options.beams, self._specials
        scores = _Scores(specials, beams)
        inputs = self.inputs(sources)
        config = network.generation_config
        # What a checkpoint asks for elsewhere (facebook/bart-large: no 3-gram twice, an end
        # forced at the limit) must not get into ours: transformers fills gaps from it.
        network.generation_config = self._neutral
        try:
            with evaluation_mode(network):
                rows: list[list[int]] = network.generate(
                    **inputs,
                    generation_config=self._config,
                    max_new_tokens=limit,
                    logits_processor=LogitsProcessorList([scores]),
                ).tolist()
        finally:
            network.generation_config = config
        return [
            rank(
                [self._answer(row, k, scores) for row in rows[k * beams : (k + 1) * beams]],
                self._options.alternatives + 1,
            )
            for k in range(len(sources))
        ]

    def _answer(self, row: list[int], sentence: int, scores: _Scores) -> Answer:
        """Read an answer from a row that opens with the start and may be filled up."""
        end = self._specials.end
        last = row.index(end, 1) if end in row[1:] else len(row) - 1
        ids = tuple(row[: last + 1])
        total = scores.total(sentence, ids)
        complete = ids[-1] == end
        score = normalise_score(total, last, self._options.length_penalty)
        return Answer(ids[1 : -1 if complete else None], score, complete)


_NEVER = float("-inf")


class _Scores(LogitsProcessor):  # type: ignore[misc]
    """Rules how answers begin, and remembers the log-probability of each.

    They begin with forced tokens, at no cost, and not with the end. The search knows the
    probabilities of answers, but gives them only together with the logits of all its steps, which
    is gigabytes; reading them once more would take as long as the search.
    """

    def __init__(self, specials: Specials, beams: int) -> None:
        self._forced = specials.forced
        self._end = specials.end
        self._beams = beams
        self._rows: dict[tuple[int, tuple[int, ...]], int] = {}
        self._totals: list[float] = []
        self._logs = torch.empty(0)
        self._complete: dict[tuple[int, tuple[int, ...]], float] = {}

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Compute the log-probabilities of the next token.

        Args:
            input_ids: What is written so far, the start included: (sentences x beams, length).
            scores: Log-probabilities; logits in a search without beams.
        """
        keys = [(k // self._beams, tuple(row)) for k, row in enumerate(input_ids.tolist())]
        self._totals = self._extend(keys) if self._rows else [0.0] * len(keys)
        # Equal rows, as all are at the start, have equal totals.
        self._rows = {key: k for k, key in enumerate(keys)}
        self._logs = logs = self._restrict(scores, input_ids.shape[1] - 1)
        for key, total, log in zip(keys, self._totals, logs[:, self._end].tolist(), strict=True):
            self._complete[key] = total + log
        return logs

    def total(self, sentence: int, ids: tuple[int, ...]) -> float:
        """Compute the log-probability of an answer, its start and its end included."""
        if ids[-1] == self._end:
            return self._complete.get((sentence, ids[:-1]), _NEVER)
        if (sentence, ids[:-1]) not in self._rows:
            return _NEVER  # a place that the search had no answer for
        return self._extend([(sentence, ids)])[0]

    def _extend(self, keys: Sequence[tuple[int, tuple[int, ...]]]) -> list[float]:
        """Compute the totals of answers that are one token longer than those of the last step."""
        before = [self._rows[sentence, ids[:-1]] for sentence, ids in keys]
        logs = self._logs[before, [ids[-1] for _, ids in keys]].tolist()
        return [self._totals[row] + log for row, log in zip(before, logs, strict=True)]

    def _restrict(self, scores: torch.FloatTensor, step: int) -> torch.FloatTensor:
        """Compute log-probabilities in which only what may be written is left."""
        free = len(self._forced)
        if step > free and self._beams > 1:
            return scores
        logs: Any = scores.clone()
        if step < free:
            logs[:] = _NEVER
            logs[:, self._forced[step]] = 0
        else:
            if step == free:
                logs[:, self._end] = _NEVER
            logs = logs.log_softmax(-1)
        return cast("torch.FloatTensor", logs)


# Adding to a vocabulary the characters of the training texts that it lacks.


_NOISE = 0.1
_BLANK = "\N{LOWER ONE EIGHTH BLOCK}"
_SIMILAR: Mapping[str, str] = {
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


def add_characters(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    texts: Iterable[str],
    *,
    min_count: int,
    seed: int,
) -> None:
    """Add the characters of texts that a vocabulary lacks, most frequent first.

    A row starts as that of a similar character (“ as ", ＠ as @) where the vocabulary has one,
    else as the mean of all rows; with a little noise, so that no two are the same.

    Args:
        network: Its embeddings grow.
        tokenizer: Its vocabulary grows; one of bytes knows everything.
        texts: What is counted.
        min_count: Rarer characters are left out.
        seed: Of the noise.
    """
    characters = _missing_characters(tokenizer, texts, min_count)
    # Not normalised: a lowercased character would be another one, which perhaps is known.
    if not tokenizer.add_tokens([AddedToken(c, normalized=False) for c in characters]):
        return
    if len(tokenizer) > network.config.get_text_config().vocab_size:
        network.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    rows = {_token_id(tokenizer, character): character for character in characters}
    model: Any = network
    tables = [model.get_input_embeddings(), model.get_output_embeddings()]
    weights = {id(table.weight): table.weight for table in tables if table is not None}
    for index, weight in enumerate(weights.values()):
        seed_here = number(seed, f"rows of new characters {index}") % 2**63
        generator = torch.Generator().manual_seed(seed_here)
        with torch.no_grad():
            old = torch.ones(len(weight), dtype=torch.bool)
            old[list(rows)] = False
            mean, deviation = weight[old].mean(0), weight[old].std()
            for row, character in rows.items():
                similar = _similar_token(tokenizer, character)
                noise = torch.randn(weight.shape[1], generator=generator) * deviation * _NOISE
                start = mean if similar is None else weight[similar]
                weight[row] = start + noise.to(weight.dtype)


def _missing_characters(
    tokenizer: PreTrainedTokenizerBase, texts: Iterable[str], min_count: int
) -> list[str]:
    """Find the characters of texts that a tokenizer does not know, most frequent first."""
    unknown = tokenizer.unk_token_id
    if unknown is None:
        return []
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
    missing = [
        character
        for character, count in counts.items()
        if count >= min_count
        and not character.isspace()
        and unicodedata.category(character)[0] != "C"
        and unknown in tokenizer(character, add_special_tokens=False)["input_ids"]
    ]
    return sorted(missing, key=lambda character: (-counts[character], character))


def _similar_token(tokenizer: PreTrainedTokenizerBase, character: str) -> int | None:
    """Find the token of the character that does the same work; None where there is none."""
    similar = _SIMILAR.get(character) or unicodedata.normalize("NFKC", character)
    if similar == character:
        return None
    ids = [
        token
        for token in tokenizer(similar, add_special_tokens=False)["input_ids"]
        if str(tokenizer.convert_ids_to_tokens(token)).lstrip(_BLANK) == similar
    ]
    return int(ids[0]) if len(ids) == 1 and ids[0] != tokenizer.unk_token_id else None
