"""What correctors with syntax learn from: pairs with the parses of their sources."""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from gecbench.backends.transformers import find_device
from gecbench.core.errors import UsageError
from gecbench.models.batches import SentencePair
from gecbench.models.syntax.graph import build_arcs, label_numbers, stack_arcs, word_places
from gecbench.models.syntax.parser import Parse, Parser, read_parser
from gecbench.models.syntax.trees import Tree, fold_of
from gecbench.models.training.decoder import DecoderExample, DecoderTask
from gecbench.models.training.task import Batch, Dataset

_CHUNK = 1000
"""Sources that are parsed at once."""


@dataclass(frozen=True, slots=True)
class SyntaxExample(DecoderExample):
    """A pair in ids, with what the parser says of its source.

    Args:
        parse: Without words; None where the sentence is too long for the parser.
        places: The word of each position of the source; see `build_arcs`.
    """

    parse: Parse | None = None
    places: array[int] = dataclasses.field(default_factory=lambda: array("i"))


class ParsedTask(DecoderTask):
    """Learns from sources and their trees; stands before the task of a network with a graph."""

    def parse_with(self, parser: Parser, folds: Sequence[str]) -> None:
        """Take what parses.

        Args:
            parser: Of sources that are corrected.
            folds: The folders of the parsers of jack-knifing; () where `parser` parses all.

        Raises:
            UsageError: One was not trained without the fold of its place.
        """
        self._parser, self._folds = parser, load_folds(folds)
        self._numbers = label_numbers(parser)

    def prepare(self, items: Sequence[SentencePair]) -> Dataset[DecoderExample]:
        """Turn pairs into examples, with the parses of their sources."""
        dataset = super().prepare(items)
        examples: list[DecoderExample] = []
        unparsed = 0
        for start in range(0, len(dataset.examples), _CHUNK):
            chunk = dataset.examples[start : start + _CHUNK]
            texts = [items[k].source.strip() for k in dataset.sources[start : start + _CHUNK]]
            rows = [word_places(self.encoding, text, self._parser.card.tokens) for text in texts]
            parses = self._parse([words for words, _ in rows])
            unparsed += sum(parse is None for parse in parses)
            examples += [
                self._with_parse(example, parse, places)
                for example, parse, (_, places) in zip(chunk, parses, rows, strict=True)
            ]
        counts = {"sources that are not parsed": unparsed} if unparsed else {}
        return dataclasses.replace(dataset, examples=examples, counts={**dataset.counts, **counts})

    def _parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse | None]:
        """Parse sentences of training, each by the parser that has not learnt its tree."""
        if not self._folds:
            return self._parser.parse(sentences)
        result: list[Parse | None] = [None] * len(sentences)
        folds = [fold_of(words, len(self._folds)) for words in sentences]
        for fold, parser in enumerate(self._folds):
            mine = [place for place, other in enumerate(folds) if other == fold]
            for place, parse in zip(mine, parser.parse([sentences[k] for k in mine]), strict=True):
                result[place] = parse
        return result

    def _with_parse(
        self, example: DecoderExample, parse: Parse | None, places: Sequence[int]
    ) -> SyntaxExample:
        """Add a parse, in half of its memory, to an example, whose end may have been cut."""
        after = len(self.encoding.specials.after)
        length = len(example.source) - after
        if parse is not None:
            tree = Tree((), parse.tree.heads, parse.tree.labels)
            parse = Parse(tree, parse.probabilities.astype(np.float16))
        positions = array("i", (*places[:length], *places[len(places) - after :]))
        return SyntaxExample(example.source, example.target, parse, positions)

    def collate(self, examples: Sequence[DecoderExample]) -> Batch:
        """Build the tensors of any encoder-decoder, and those of arcs."""
        arcs = [
            build_arcs(example.parse, example.places, self._numbers)
            for example in cast("Sequence[SyntaxExample]", examples)
        ]
        weights, labels = stack_arcs(arcs)
        return {**super().collate(examples), "weights": weights, "arc_labels": labels}


def load_folds(places: Sequence[str]) -> list[Parser]:
    """Load the parsers of jack-knifing.

    Raises:
        UsageError: One was not trained without the fold of its place.
    """
    parsers = [load_parser(place) for place in places]
    for fold, parser in enumerate(parsers):
        if (parser.shape.fold, parser.shape.folds) != (fold, len(parsers)):
            raise UsageError(
                f"model.folds: {places[fold]} was trained without fold {parser.shape.fold} of "
                f"{parser.shape.folds}, not without fold {fold} of {len(parsers)}"
            )
    return parsers


def load_parser(place: str) -> Parser:
    """Load a parser of sentences with errors, onto the device of training.

    Raises:
        GecbenchError: The folder holds none.
    """
    parser = read_parser(Path(place), for_errors=True)
    parser.network.to(find_device(""))
    return parser
