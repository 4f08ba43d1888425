"""One of our encoder-decoders as a whole: its folder, and beam search with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import torch
from torch import Tensor

from gecbench.core.errors import FormatError, GecbenchError
from gecbench.models.batches import mask_rows, pad_rows
from gecbench.models.folder import Card, card_settings, read_card
from gecbench.models.scratch.encoding import (
    FIRST,
    UnitEncoding,
    character_divider,
    load_simplifier,
    read_unit_vocabulary,
    vocabulary_hash,
    word_divider,
    write_unit_vocabulary,
)
from gecbench.models.scratch.network import EncoderDecoder, Shape
from gecbench.models.seq2seq.corrector import Answer, Decoding, normalise_score, rank
from gecbench.models.seq2seq.encoding import EncoderInput, Specials
from gecbench.models.weights import (
    WEIGHTS,
    evaluation_mode,
    fill_network,
    load_weights,
    save_network,
)

if TYPE_CHECKING:
    from gecbench.models.syntax.graph import GraphShape
    from gecbench.models.syntax.parser import Parser

VOCABULARY, PARSER = "vocabulary.json", "parser"


class UnitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a model's texts become units.

    Args:
        units: characters or words.
        segmenter: What divides into words, as the configuration has it.
        simplify: Whether texts are made simplified first.
    """

    units: Literal["characters", "words"]
    segmenter: str = ""
    simplify: bool = False

    def encoding(
        self, language: str, units: tuple[str, ...] = ()
    ) -> tuple[UnitEncoding, dict[str, str]]:
        """Build the encoding, and name what divides and simplifies, with versions.

        Raises:
            UnknownNameError: There is no such segmenter.
            GecbenchError: Something is not installed, or cannot be used.
        """
        words = self.units == "words"
        divider = word_divider(self.segmenter, language) if words else character_divider()
        versions, simplify = {"units": divider.name}, None
        if self.simplify:
            versions["simplified by"], simplify = load_simplifier()
        return UnitEncoding(units, divider, simplify), versions


class ScratchSettings(UnitSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings on the card of a model.

    Args:
        shape: Of the network.
        vocabulary: Hash of its units.
        versions: Names and versions of what divided and simplified the training texts.
        graph: Of the graph encoder, where there is one; see `syntax.graph.GraphShape`.
    """

    shape: Shape
    vocabulary: str
    graph: Mapping[str, object] | None = None
    versions: Mapping[str, str] = msgspec.field(name="made_with")


@dataclass(frozen=True, slots=True)
class ScratchModel:
    """All that one of our encoder-decoders consists of.

    Args:
        unit_settings: How texts become units.
        versions: See `ScratchSettings`; of this installation.
        encoding: Between texts and ids.
        network: Its weights.
        graph: The shape of its graph encoder, where it corrects with syntax.
        parser: Of its sources, then.
    """

    unit_settings: UnitSettings
    versions: Mapping[str, str]
    encoding: UnitEncoding
    network: EncoderDecoder
    graph: GraphShape | None = None
    parser: Parser | None = None

    def search(self, options: Decoding) -> BeamSearch:
        """Wrap the network as it is now in a search for answers; a parser parses sources first."""
        parser, encoding = self.parser, self.encoding
        if parser is None:
            return BeamSearch(self.network, encoding.specials, options)
        from gecbench.models.syntax.graph import parse_arcs, stack_arcs

        def arcs(texts: Sequence[str]) -> tuple[Tensor, Tensor]:
            return stack_arcs(parse_arcs(parser, encoding, texts))

        return BeamSearch(self.network, encoding.specials, options, arcs)


def save_scratch(model: ScratchModel, folder: Path, card: Card) -> None:
    """Write a model into an empty folder; its settings are added to the card."""
    units = model.encoding.units
    settings = ScratchSettings(
        **msgspec.structs.asdict(model.unit_settings),
        shape=model.network.shape,
        vocabulary=vocabulary_hash(units),
        versions=model.versions,
        graph=msgspec.to_builtins(model.graph),
    )
    if model.parser is not None:
        (folder / PARSER).mkdir()
        model.parser.save(folder / PARSER, model.parser.card.provenance)
    write_unit_vocabulary(folder / VOCABULARY, units)
    card = msgspec.structs.replace(card, settings=msgspec.to_builtins(settings))
    save_network(model.network, folder, card)


def read_scratch(folder: Path, *, segmenter: str = "", with_weights: bool = True) -> ScratchModel:
    """Read the model that a folder holds, on the CPU, in 32 bits.

    Args:
        folder: That `save_scratch` wrote.
        segmenter: Instead of the card's, where it is not "".
        with_weights: Else they are random: a run that is resumed loads its own.

    Raises:
        FormatError: A file is damaged, or files do not belong together.
        GecbenchError: A file is missing, or holds another kind of model.
    """
    card = read_card(folder, "scratch")
    settings = card_settings(folder, card, ScratchSettings)
    if len(card.languages) != 1:
        raise FormatError(
            f"{folder}: its card says that it corrects {', '.join(card.languages) or 'nothing'}; "
            "a scratch model corrects one language"
        )
    shape, units = settings.shape, read_unit_vocabulary(folder / VOCABULARY)
    if vocabulary_hash(units) != settings.vocabulary or len(units) + FIRST != shape.vocabulary:
        raise FormatError(
            f"{folder / VOCABULARY}: its {len(units)} units are not those that the model was made "
            "with; copy the model's folder again, whole"
        )
    unit_settings = msgspec.convert(settings, UnitSettings, from_attributes=True)
    unit_settings = msgspec.structs.replace(
        unit_settings, segmenter=segmenter or unit_settings.segmenter
    )
    encoding, versions = unit_settings.encoding(card.languages[0], units)
    graph = graph_shape = parser = None
    # Without numbers first: none are drawn that are not used, and a wrong shape costs nothing.
    with torch.device("meta" if with_weights else "cpu"):
        if settings.graph is not None:
            from gecbench.models.syntax.graph import build_graph

            graph, graph_shape = build_graph(folder, settings.graph)
        network = EncoderDecoder(shape, graph)
    if with_weights:
        fill_network(network, load_weights(folder / WEIGHTS), folder / WEIGHTS)
    if graph is not None:
        from gecbench.models.syntax.parser import read_parser

        parser = read_parser(folder / PARSER, for_errors=True)
    return ScratchModel(unit_settings, versions, encoding, network, graph_shape, parser)


# Beam search, a batch at once, unit by unit.


_NEVER = float("-inf")


class _Beam(NamedTuple):
    """The beginning of an answer.

    Args:
        total: Its log-probability, the end included where it is complete.
        row: Of the batch before, which it continues.
        ids: Without start and end.
    """

    total: float
    row: int
    ids: tuple[int, ...]


@dataclass(slots=True)
class _SentenceSearch:
    """A sentence that is searched for.

    Args:
        beams: The best that go on, best first; always as many.
        complete: The most probable that have ended.
    """

    beams: list[_Beam]
    complete: list[_Beam] = field(default_factory=list)

    def is_over(self, number: int) -> bool:
        """Say whether nothing more probable can come: what goes on only loses."""
        best = self.beams[0].total
        return best == _NEVER or (len(self.complete) >= number and best <= self.complete[-1].total)


class BeamSearch:
    """Searches with one of our networks as it is: while it learns, answers are of the moment.

    By probability, as `rank` says why; the length penalty chooses among complete answers.
    """

    def __init__(
        self,
        network: EncoderDecoder,
        specials: Specials,
        options: Decoding,
        arcs: Callable[[Sequence[str]], tuple[Tensor, ...]] | None = None,
    ) -> None:
        self._network = network
        self._arcs = arcs
        self._specials = specials
        self._options = options
        self._beams = options.beams

    def answers(self, sources: Sequence[EncoderInput], limit: int) -> list[list[Answer]]:
        """Find for each source the best answers, best first."""
        with evaluation_mode(self._network), torch.inference_mode():
            arcs = self._arcs([source.text for source in sources]) if self._arcs else ()
            sentences = self._search([source.ids for source in sources], limit, arcs)
        number = self._options.alternatives + 1
        return [rank(self._answers(sentence), number) for sentence in sentences]

    def _search(
        self, sources: Sequence[Sequence[int]], limit: int, arcs: Sequence[Tensor]
    ) -> list[_SentenceSearch]:
        network = self._network
        device = network.embedding.weight.device
        ids = torch.from_numpy(pad_rows(sources, self._specials.pad)).to(device)
        mask = torch.from_numpy(mask_rows(sources)).to(device)
        fixed, state = (
            tuple(tensor.repeat_interleave(self._beams, 0) for tensor in tensors)
            for tensors in network.begin(ids, mask, *(tensor.to(device) for tensor in arcs))
        )
        # Before anything is written all beams are the same, so one counts.
        first = [_Beam(_NEVER if k else 0.0, k, ()) for k in range(self._beams)]
        sentences = [_SentenceSearch(first) for _ in sources]
        live = sentences
        last = [self._specials.start] * len(live) * self._beams
        for position in range(limit):
            reads = torch.tensor(last, device=device)
            logits, state = network.step(fixed, state, reads, position)
            logs = self._log_probabilities(logits, first=position == 0)
            best, units = (t.tolist() for t in logs.topk(min(2 * self._beams, logs.shape[1])))
            for k, sentence in enumerate(live):
                span = slice(k * self._beams, (k + 1) * self._beams)
                self._choose(sentence, best[span], units[span])
            open_sentences = [k for k, s in enumerate(live) if not s.is_over(self._beams)]
            if not open_sentences:
                break
            rows = [k * self._beams + beam.row for k in open_sentences for beam in live[k].beams]
            index = torch.tensor(rows, device=device)
            state = tuple(tensor.index_select(0, index) for tensor in state)
            if len(open_sentences) < len(live):
                fixed = tuple(tensor.index_select(0, index) for tensor in fixed)
            live = [live[k] for k in open_sentences]
            last = [beam.ids[-1] for sentence in live for beam in sentence.beams]
        return sentences

    def _log_probabilities(self, logits: Tensor, *, first: bool) -> Tensor:
        """Compute those of what may be written: no padding, no start, no empty answer."""
        specials = self._specials
        logits = logits.float()
        logits[:, [specials.pad, specials.start, *[specials.end] * first]] = _NEVER
        return logits.log_softmax(-1)

    def _choose(
        self,
        sentence: _SentenceSearch,
        best: Sequence[Sequence[float]],
        ids: Sequence[Sequence[int]],
    ) -> None:
        """Choose what goes on and what is complete, of all that a sentence's beams may become.

        Args:
            sentence: Changed.
            best: Log-probabilities of what may follow each beam, best first.
            ids: What it is.

        Raises:
            GecbenchError: Nothing is probable, since the network computes no numbers.
        """
        options = sorted(
            (-(beam.total + log), row, unit)
            for row, beam in enumerate(sentence.beams)
            for log, unit in zip(best[row], ids[row], strict=True)
            if beam.total + log > _NEVER
        )
        if not options and sentence.beams[0].total > _NEVER:
            raise GecbenchError(
                "the model's weights give no numbers; copy its folder again, whole, or take "
                "precision=float32"
            )
        beams: list[_Beam] = []
        for index, (loss, row, unit) in enumerate(options[: 2 * self._beams]):
            beginning = sentence.beams[row].ids
            if unit != self._specials.end:
                beams.append(_Beam(-loss, row, (*beginning, unit)))
            elif index < self._beams:
                sentence.complete.append(_Beam(-loss, row, beginning))
        sentence.complete.sort(key=lambda beam: -beam.total)
        del sentence.complete[self._beams :]
        # Where fewer may go on than there are rows, the others write padding that never counts.
        spare = _Beam(_NEVER, 0, (self._specials.pad,))
        sentence.beams = [*beams, *[spare] * self._beams][: self._beams]

    def _answers(self, sentence: _SentenceSearch) -> list[Answer]:
        """Collect the answers of a sentence; cut ones where none is complete."""
        complete = bool(sentence.complete)
        beams = sentence.complete or [b for b in sentence.beams if b.total > _NEVER]
        penalty = self._options.length_penalty
        return [
            Answer(b.ids, normalise_score(b.total, len(b.ids) + complete, penalty), complete)
            for b in beams
        ]
