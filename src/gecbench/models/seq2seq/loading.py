"""Loading encoder-decoders: ours by folder, others by name or path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gecbench.backends import need
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.formats.validation import options_of
from gecbench.models import CARD, CorrectorKind
from gecbench.models.folder import Card, card_settings, fingerprint, read_options
from gecbench.models.seq2seq.corrector import (
    Answer,
    Decoding,
    Search,
    Seq2Seq,
    Seq2SeqOptions,
    build_corrector,
    normalise_score,
    rank,
)
from gecbench.models.seq2seq.encoding import EncoderInput, Specials, SubwordEncoding

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

TOKENIZER = "tokenizer.json"
_NO_LENGTH, _T5_LENGTH = 1_000_000, 512
"""Tokenizers of transformers say 1e30 where they know no length; T5 was trained on 512."""


class ExportSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings on the card of a model for CTranslate2.

    Args:
        specials: What stands around texts.
        positions: Most tokens that the decoder can be at; 0 where there is no bound.
        max_length: Longest source in tokens, specials included.
        quantised: How its weights are kept.
    """

    specials: Specials
    positions: int
    max_length: int
    quantised: str


class TorchSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings on the card of a model for torch.

    Args:
        prefix: Text before every source.
        language_code: Of a multilingual model.
        graph: Of the graph encoder beside the network, where there is one.
    """

    prefix: str = ""
    language_code: str = ""
    graph: Mapping[str, object] | None = None


MakeSearch = Callable[["PreTrainedModel", SubwordEncoding, Seq2SeqOptions], Search]
"""Makes the search of a model, from its network, its encoding and the options of inference."""


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the encoder-decoder of a folder, or of a name on the hub.

    Raises:
        GecbenchError: There is none, or it cannot be used.
        UsageError: An option has a wrong value, or does not go with the model.
    """
    folder = Path(place)
    if not (folder / CARD).is_file():
        return load_torch(place, options_of("seq2seq", Seq2SeqOptions, options))
    card, inference = read_options(folder, "seq2seq", Seq2SeqOptions, options)
    for name in ("prefix", "language_code"):
        if options.get(name):
            raise UsageError(f"option {name} of seq2seq: the model's card says it; leave it out")
    if card.runtime == "torch":
        return load_torch(place, inference, card)
    if card.runtime == "ctranslate2":
        return _load_ctranslate2(folder, inference, card)
    raise GecbenchError(f"{folder / CARD}: runtime {card.runtime!r} is not known for seq2seq")


KIND = CorrectorKind(load)


def load_torch(
    place: str,
    options: Seq2SeqOptions,
    card: Card | None = None,
    make_search: MakeSearch | None = None,
) -> Seq2Seq:
    """Load an encoder-decoder that transformers runs.

    Args:
        place: A folder or a name.
        options: Of inference.
        card: Of the folder, where gecbench made it.
        make_search: What searches; None is beam search with the network alone.
    """
    from gecbench.backends.transformers import need_torch

    need_torch()
    from gecbench.models.seq2seq.network import (
        TorchSearch,
        build_subword_encoding,
        load_fitting_tokenizer,
        load_network,
        load_seq2seq_config,
        max_positions,
    )

    folder = Path(place)
    settings = (
        card_settings(folder, card, TorchSettings)
        if card
        else TorchSettings(prefix=options.prefix, language_code=options.language_code)
    )
    config = load_seq2seq_config(place)
    tokenizer = load_fitting_tokenizer(place, config)
    device, dtype = choose_device(options)
    network = load_network(place, config, tokenizer, **({"dtype": dtype} if dtype else {}))
    forces = getattr(network.generation_config, "forced_bos_token_id", None) is not None
    encoding = build_subword_encoding(
        tokenizer,
        config,
        name=place,
        forced=forces,
        prefix=settings.prefix,
        language_code=settings.language_code,
    )
    network.to(device)
    positions = max_positions(config)
    length = tokenizer.model_max_length
    revision = getattr(config, "_commit_hash", None) or "of unknown revision"
    signature = {
        "weights": fingerprint(folder) if folder.is_dir() else f"{place} {revision}",
        "runtime": f"torch {version('torch')}, transformers {version('transformers')}",
        "device": device.partition(":")[0],
    }
    longest = positions or (length if length < _NO_LENGTH else _T5_LENGTH)
    _check_length(options, longest, place)
    make = make_search or (lambda network, encoding, o: TorchSearch(network, encoding.specials, o))
    return build_corrector(
        lambda options: make(network, encoding, options),
        options,
        encoding,
        card or Card(kind="seq2seq"),
        name=folder.name if card else place,
        signature=signature,
        max_length=longest,
        positions=positions,
    )


def _load_ctranslate2(folder: Path, options: Seq2SeqOptions, card: Card) -> Seq2Seq:
    from gecbench.backends import runtimes

    need("ct2", "ctranslate2", "tokenizers")
    settings = card_settings(folder, card, ExportSettings)
    tokenizer = runtimes.read_tokenizer(folder / TOKENIZER)
    encoding = SubwordEncoding(tokenizer, settings.specials, name=str(folder))
    signature = {
        "weights": fingerprint(folder),
        "runtime": f"ctranslate2 {version('ctranslate2')}, {settings.quantised}",
        "device": options.device,
    }
    _check_length(options, settings.max_length, str(folder))
    return build_corrector(
        lambda options: CTranslate2Search(folder, encoding, options),
        options,
        encoding,
        card,
        name=folder.name,
        signature=signature,
        max_length=settings.max_length,
        positions=settings.positions,
    )


class CTranslate2Search:
    """Searches with an exported model, without torch and transformers."""

    def __init__(self, folder: Path, encoding: SubwordEncoding, options: Seq2SeqOptions) -> None:
        from gecbench.backends.runtimes import load_translator

        self._tokenizer = encoding.tokenizer
        self._specials = encoding.specials
        self._options = options
        precision = "default" if options.precision == "auto" else options.precision
        self._model = load_translator(
            folder, device=options.device, precision=precision, threads=options.threads
        )

    def answers(self, sources: Sequence[EncoderInput], limit: int) -> list[list[Answer]]:
        """Find for each source the best answers, best first."""
        forced = self._tokens(self._specials.forced)
        # The search ends when the most probable beam has ended; all come back.
        results = self._model.translate_batch(
            [self._tokens(source.ids) for source in sources],
            [forced] * len(sources) if forced else None,
            beam_size=self._options.beams,
            num_hypotheses=self._options.beams,
            max_batch_size=-(-len(sources) // self._model.num_translators),
            length_penalty=0,
            max_decoding_length=limit,
            min_decoding_length=len(forced) + 1,
            max_input_length=0,  # its default cuts sources at 1,024 without a word
            return_scores=True,
            return_end_token=True,
        )
        number = self._options.alternatives + 1
        return [rank(map(self._answer, r.hypotheses, r.scores), number) for r in results]

    def _tokens(self, ids: Sequence[int]) -> list[str]:
        tokens = {token: self._tokenizer.id_to_token(token) for token in ids}
        if unknown := [token for token, text in tokens.items() if text is None]:
            raise GecbenchError(
                f"token {unknown[0]} is not in the vocabulary; export the model again"
            )
        return [str(tokens[token]) for token in ids]

    def _answer(self, tokens: Sequence[str], total: float) -> Answer:
        score = normalise_score(total, len(tokens), self._options.length_penalty)
        ids = [self._tokenizer.token_to_id(token) for token in tokens]
        complete = bool(ids) and ids[-1] == self._specials.end
        known = [token for token in ids[: -1 if complete else None] if token is not None]
        return Answer(tuple(known), score, complete)


def _check_length(options: Seq2SeqOptions, longest: int, place: str) -> None:
    """Refuse sources that are longer than the model can read.

    Raises:
        UsageError: The options ask for that.
    """
    if options.max_length > longest:
        raise UsageError(
            f"option max_length of seq2seq: {place} reads {longest} tokens, not "
            f"{options.max_length}"
        )


def choose_device(options: Decoding) -> tuple[str, torch.dtype | None]:
    """Choose the device and the type of numbers; sets the number of threads.

    Raises:
        UsageError: It is not to be had here.
    """
    import torch

    from gecbench.backends.transformers import find_device

    if options.precision == "int8":
        raise UsageError(
            "option precision of seq2seq: int8 is for exported models; run gecbench export"
        )
    device = find_device("" if options.device == "auto" else options.device, options.threads)
    return str(device), None if options.precision == "auto" else getattr(torch, options.precision)
