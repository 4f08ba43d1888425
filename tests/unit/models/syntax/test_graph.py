"""Graph convolution: the factored form, gradients, and arcs between subwords."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from gecbench.core.errors import FormatError
from gecbench.models.syntax.graph import (
    NO_ARC,
    NOWHERE,
    GraphEncoder,
    GraphLayer,
    build_arcs,
    read_graph,
    stack_arcs,
)
from gecbench.models.syntax.parser import Parse
from gecbench.models.syntax.trees import Tree

TREE = Tree(("He", "go", "home"), (2, 0, 2), ("nsubj", "S", "advmod"))
NUMBERS = {"S": 3, "advmod": 4, "nsubj": 5}
HEADS = np.array(
    [[0.1, 0.0, 0.7, 0.2], [0.8, 0.1, 0.0, 0.1], [0.05, 0.05, 0.9, 0.0]], dtype=np.float32
)
PARSE = Parse(TREE, HEADS)


def test_arcs_are_those_of_the_words_of_subwords_and_the_end_is_the_root() -> None:
    # <s> He go ho##me </s>
    arcs = build_arcs(PARSE, (NOWHERE, 0, 1, 2, 2, 3), NUMBERS)
    weights = [
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0.7, 0.2, 0.2, 0.1],
        [0, 0.1, 1, 0.1, 0.1, 0.8],
        [0, 0.05, 0.9, 1, 1, 0.05],
        [0, 0.05, 0.9, 1, 1, 0.05],
        [0, 0, 0, 0, 0, 1],
    ]
    assert arcs.probabilities == pytest.approx(np.array(weights))
    labels = np.full((6, 6), NO_ARC)
    labels[1, 2], labels[2, 5], labels[3, 2], labels[4, 2] = 5, 3, 4, 4
    assert arcs.labels.tolist() == labels.tolist()
    nothing = build_arcs(None, (NOWHERE, 0, 1), NUMBERS)
    assert nothing.probabilities.tolist() == np.eye(3).tolist()
    assert set(nothing.labels.ravel().tolist()) == {NO_ARC}


@pytest.mark.parametrize(
    "wrong", [{"activation": "nosuch"}, {"layers": -1}, {"dropout": 2.0}, {"width": 0}]
)
def test_a_card_that_describes_no_network_is_refused(tmp_path: Path, wrong) -> None:
    sizes = {"labels": 6, "width": 4, "inner": 8, "layers": 1}
    settings = {**sizes, "dropout": 0.1, "activation": "relu", "share": 0.5, "scale": 1.0}
    with pytest.raises(FormatError, match=rf"{tmp_path.name}.*{next(iter(wrong))}"):
        read_graph(tmp_path, {**settings, **wrong})


def naive_layer(layer: GraphLayer, states, table, weights, labels) -> torch.Tensor:
    """Reference implementation: pair after pair of positions, by the formula of the paper."""
    messages = torch.zeros_like(states)
    for row in range(len(states)):
        for i in range(states.shape[1]):
            for j in range(states.shape[1]):
                for part, (a, b) in ((layer.from_heads, (i, j)), (layer.from_children, (j, i))):
                    both = torch.cat([states[row, j], table[labels[row, a, b]]])
                    whole = torch.cat([part.of_states.weight, part.of_labels.weight], 1)
                    hidden = layer.activation(whole @ both + part.of_states.bias)
                    messages[row, i] += weights[row, a, b] * hidden
    states = layer.norm(states + messages)
    return layer.last_norm(states + layer.narrow(layer.activation(layer.wide(states))))


def batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return states, weights and labels of two sentences, one of them filled up."""
    torch.manual_seed(1)
    places = ((NOWHERE, 0, 1, 2, 2, 3), (0, 1, 2, 3))
    weights, labels = stack_arcs([build_arcs(PARSE, place, NUMBERS) for place in places])
    return torch.randn(2, 6, 4, dtype=torch.double), weights.double(), labels


def encoder(share: float = 0.5) -> GraphEncoder:
    torch.manual_seed(2)
    graph = GraphEncoder(6, 4, 8, layers=2, dropout=0.0, activation="gelu", share=share)
    return graph.double()


def test_the_factored_form_equals_the_naive_one() -> None:
    states, weights, labels = batch()
    graph = encoder()
    for layer in graph.layers:
        table = graph.embedding.weight
        factored = layer(states, table, weights, labels)
        naive = naive_layer(layer, states, table, weights, labels)
        assert torch.allclose(factored, naive, atol=1e-10)
        states = factored


def test_gradients_are_the_finite_differences() -> None:
    states, weights, labels = batch()
    graph = encoder()
    names = [name for name, _ in graph.named_parameters()]

    def run(states: torch.Tensor, *parameters: torch.Tensor) -> torch.Tensor:
        values = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(graph, values, (states, weights, labels))

    inputs = [states.requires_grad_(), *(p.detach().requires_grad_() for p in graph.parameters())]
    assert torch.autograd.gradcheck(run, inputs, fast_mode=True)


def test_without_embeddings_labels_do_not_count_and_the_whole_share_is_the_baseline() -> None:
    states, weights, labels = batch()
    graph = encoder()
    with torch.no_grad():
        graph.embedding.weight.zero_()
    other = labels.masked_fill(labels > NO_ARC, 4)
    assert torch.allclose(graph(states, weights, labels), graph(states, weights, other))
    assert torch.equal(encoder(share=1.0)(states, weights, labels), states)
