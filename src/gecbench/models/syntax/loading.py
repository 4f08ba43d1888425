"""Loading a corrector with syntax: it parses, then corrects."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.core.corrector import Corrector
from gecbench.models import CorrectorKind
from gecbench.models.folder import card_settings, read_options
from gecbench.models.seq2seq.corrector import Search, Seq2SeqOptions
from gecbench.models.seq2seq.loading import TorchSettings, load_torch

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from gecbench.models.seq2seq.encoding import SubwordEncoding


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the encoder-decoder of a folder with its graph encoder and its parser.

    Raises:
        GecbenchError: The folder holds no such model, or it cannot be used.
        UsageError: An option has a wrong value.
    """
    from gecbench.backends.transformers import need_torch

    need_torch()
    from gecbench.models.syntax.graph import PARSER, SyntaxNetwork, SyntaxSearch, read_graph
    from gecbench.models.syntax.parser import read_parser

    folder = Path(place)
    card, inference = read_options(folder, "syntax", Seq2SeqOptions, options)
    graph, _ = read_graph(folder, card_settings(folder, card, TorchSettings).graph)
    parser = read_parser(folder / PARSER, for_errors=True)

    def make_search(
        network: PreTrainedModel, encoding: SubwordEncoding, options: Seq2SeqOptions
    ) -> Search:
        graph.to(device=network.device, dtype=network.dtype)
        parser.network.to(network.device)
        return SyntaxSearch(SyntaxNetwork(network, graph).eval(), parser, encoding, options)

    return load_torch(place, inference, card, make_search)


KIND = CorrectorKind(load)
