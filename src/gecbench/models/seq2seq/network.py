"""Encoder-decoders of transformers: loading them, and what stands around their texts."""

from __future__ import annotations

from typing import Any, cast

from transformers import (
    AutoModelForSeq2SeqLM,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from gecbench.backends.hf import config_of, tokenizer_of, weights_of
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.models.seq2seq.encoding import Encoding, Specials

_SPARE = 128
"""Rows that a network may have beyond its tokenizer: sizes are rounded up."""


def settings_of(place: str) -> PreTrainedConfig:
    """Return the configuration of an encoder-decoder.

    Raises:
        GecbenchError: There is none, or it is of another kind.
    """
    config = config_of(place)
    if not config.is_encoder_decoder:
        raise GecbenchError(
            f"{place}: {config.model_type} is no encoder-decoder, as BART, mBART and T5 are; "
            f"an encoder may be a tagger (tagger:{place}), a decoder a causal model"
        )
    return config


def network_of(
    place: str, config: PreTrainedConfig, tokenizer: PreTrainedTokenizerBase, **options: object
) -> PreTrainedModel:
    """Return the network of a place, with all its weights.

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
    found: Any = weights_of(
        place,
        AutoModelForSeq2SeqLM,
        config=config,
        output_loading_info=True,
        ignore_mismatched_sizes=True,  # `_complete` refuses them, and says which
        **options,
    )
    network, report = found
    _complete(place, config, report)
    if config.vocab_size > len(tokenizer):
        network.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    return cast("PreTrainedModel", network)


def untrained(config: PreTrainedConfig) -> PreTrainedModel:
    """Return a network of a configuration with random weights, which others replace."""
    auto: Any = AutoModelForSeq2SeqLM
    return cast("PreTrainedModel", auto.from_config(config))


def vocabulary_of(place: str, config: PreTrainedConfig) -> PreTrainedTokenizerBase:
    """Return the tokenizer of a place, and see that it fits the network.

    Chinese BARTs come with a BERT vocabulary and do not say so; transformers 5 then makes a
    tokenizer of five tokens without a word.

    Raises:
        GecbenchError: There is none that fits.
    """
    try:
        tokenizer = tokenizer_of(place)
    except GecbenchError:
        tokenizer = None
    if tokenizer is not None and _fits(tokenizer, config):
        return tokenizer
    try:
        bert = tokenizer_of(place, tokenizer_type="bert")
    except GecbenchError:
        bert = None
    if bert is not None and _fits(bert, config):
        return bert
    found = max((len(each) for each in (tokenizer, bert) if each is not None), default=0)
    if found <= _SPECIAL_ONLY:
        raise GecbenchError(
            f"{place}: no tokenizer there; it needs tokenizer.json, vocab.txt, or vocab.json "
            "with merges.txt, of the model"
        )
    raise GecbenchError(
        f"{place}: the vocabulary does not fit: the tokenizer has {found} tokens, the network "
        f"{config.vocab_size}; take the tokenizer that the model was trained with"
    )


_SPECIAL_ONLY = 8
"""Tokens that a tokenizer has which found no vocabulary: the special ones."""


def encoding_of(
    tokenizer: PreTrainedTokenizerBase,
    config: PreTrainedConfig,
    *,
    name: str,
    forced: bool,
    prefix: str = "",
    language_code: str = "",
) -> Encoding:
    """Return how texts become ids of a model.

    Args:
        tokenizer: A fast one.
        config: Of the network.
        name: What the model is called in failures.
        forced: Whether answers begin with what sources begin with, as <s> or [CLS], whatever the
            decoder says.
        prefix: Text before every source.
        language_code: Of a multilingual model.

    Raises:
        UsageError: A multilingual model has no such language, or it is not said; or the
            model knows none.
    """
    _choose_language(tokenizer, name, language_code)
    before, after = _around(tokenizer)
    start = _start(config, name)
    first: tuple[int, ...] = before if forced else ()
    if language_code:
        language = token_id(tokenizer, language_code)
        # mBART (25 languages) closes the source with it and starts the decoder with it; mBART
        # of 50 languages and NLLB open the source with it and begin every answer with it.
        start, first = (language, ()) if language in after else (start, (language,))
    end, pad = _id(tokenizer, config, "eos", "sep"), _id(tokenizer, config, "pad")
    specials = Specials(
        before=before,
        after=after,
        start=start,
        forced=first,
        end=end,
        pad=pad,
        unknown=_unknown(tokenizer),
        dropped=tuple(sorted({*before, *after, *first, start, pad})),
        prefix=prefix,
    )
    return Encoding(tokenizer.backend_tokenizer, specials, name=name)


def positions_of(config: PreTrainedConfig) -> int:
    """Return how many positions a network knows; 0 where they are relative, without a bound."""
    relative = hasattr(config, "relative_attention_num_buckets")
    return 0 if relative else int(getattr(config, "max_position_embeddings", 0))


def token_id(tokenizer: PreTrainedTokenizerBase, token: str) -> int:
    """Return the id of one token."""
    return cast("int", tokenizer.convert_tokens_to_ids(token))


def _fits(tokenizer: PreTrainedTokenizerBase, config: PreTrainedConfig) -> bool:
    rows: int = config.vocab_size
    return 0 <= rows - len(tokenizer) < min(_SPARE, rows // 2)


def _complete(place: str, config: PreTrainedConfig, report: dict[str, Any]) -> None:
    """Refuse weights that are not all there: transformers would put random ones instead."""
    missing = sorted(report.get("missing_keys") or ())
    if missing:
        raise GecbenchError(
            f"{place}: {len(missing)} weights of a {config.model_type} are missing, the first is "
            f"{missing[0]}; it is a checkpoint of another architecture"
        )
    wrong = sorted(report.get("mismatched_keys") or ())
    if wrong:
        name, there, said = wrong[0]
        raise GecbenchError(
            f"{place}: {name} has the shape {tuple(there)}, its config.json says {tuple(said)}; "
            "they do not belong together"
        )


def _choose_language(tokenizer: PreTrainedTokenizerBase, name: str, code: str) -> None:
    """Tell a multilingual tokenizer its language."""
    many: Any = tokenizer
    if not hasattr(many, "src_lang"):
        if code:
            raise UsageError(f"{name}: knows no languages; leave language_code out")
        return
    known = [token for token in tokenizer.get_vocab() if "_" in token and token.isascii()]
    if not code or code not in known or tokenizer.convert_tokens_to_ids(code) is None:
        codes = sorted(token for token in known if len(token) in (5, 8) and token[2:4].strip("_"))
        said = f"language_code {code!r} is not one of its" if code else "needs a language_code, of"
        raise UsageError(f"{name}: {said} languages, as {', '.join(codes[:4])}")
    many.src_lang = many.tgt_lang = code


def _around(tokenizer: PreTrainedTokenizerBase) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ids that a tokenizer puts before and after a text."""
    bare = list(tokenizer("a", add_special_tokens=False)["input_ids"])
    full = list(tokenizer("a")["input_ids"])
    for at in range(len(full) - len(bare) + 1):
        if full[at : at + len(bare)] == bare:
            return tuple(full[:at]), tuple(full[at + len(bare) :])
    return (), ()


def _start(config: PreTrainedConfig, name: str) -> int:
    """Return what the decoder starts with."""
    found = getattr(config, "decoder_start_token_id", None)
    if found is None:
        found = getattr(config, "bos_token_id", None)
    if found is None:
        raise GecbenchError(f"{name}: its config.json has no decoder_start_token_id")
    return int(found)


def _id(tokenizer: PreTrainedTokenizerBase, config: PreTrainedConfig, *names: str) -> int:
    """Return a special id by what the network calls it, else the tokenizer."""
    for name in names:
        for holder in (config, tokenizer):
            found = getattr(holder, f"{name}_token_id", None)
            if isinstance(found, int):
                return found
    raise GecbenchError(f"{tokenizer.name_or_path}: its config.json has no {names[0]}_token_id")


def _unknown(tokenizer: PreTrainedTokenizerBase) -> int | None:
    found = tokenizer.unk_token_id
    return int(found) if isinstance(found, int) else None
