"""Pairs in ids, for every network that writes targets token by token."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy

from gecbench.models.pairs import Pair
from gecbench.models.seq2seq.encoding import Reading
from gecbench.models.training.task import Batch, Prepared

_IGNORED = -100


class Example(NamedTuple):
    """A pair in ids.

    Args:
        source: With specials.
        target: What the decoder is to say, the end included.
    """

    source: array[int]
    target: array[int]


def examples_of(
    encoding: Reading, pairs: Sequence[Pair], longest: int, *, cut: bool = False
) -> Prepared[Example]:
    """Return an example of each pair that is short enough, or cut.

    Args:
        encoding: Of both sides.
        pairs: What is to be learnt.
        longest: Most ids that a side may have, specials included.
        cut: Whether longer pairs are cut; else they are dropped. Both are counted.
    """
    examples: list[Example] = []
    places: list[int] = []
    dropped: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    for place, pair in enumerate(pairs):
        source: Sequence[int] = encoding.source_ids(pair.source.strip())
        target: Sequence[int] = encoding.target(pair.target.strip())
        if not pair.source.strip() or not pair.target.strip():
            dropped["empty source or target"] += 1
            continue
        if max(len(source), len(target)) > longest:
            if not cut:
                dropped[f"longer than {longest} tokens"] += 1
                continue
            counted[f"pairs cut to {longest} tokens"] += 1
            source, target = _cut(encoding, source, target, longest)
        examples.append(Example(array("i", source), array("i", target)))
        places.append(place)
    _count_unknown(encoding, examples, counted)
    return Prepared(examples, dropped, counted, places)


def _cut(
    encoding: Reading, source: Sequence[int], target: Sequence[int], longest: int
) -> tuple[Sequence[int], Sequence[int]]:
    """Return both sides with their ends kept and their texts cut."""
    after = encoding.specials.after
    if len(source) > longest:
        source = (*source[: longest - len(after)], *after)
    if len(target) > longest:
        target = (*target[: longest - 1], encoding.specials.end)
    return source, target


def _count_unknown(encoding: Reading, examples: Sequence[Example], counted: Counter[str]) -> None:
    unknown = encoding.specials.unknown
    if unknown is None:
        return
    for name, sides in (
        ("sources", (each.source for each in examples)),
        ("targets", (each.target for each in examples)),
    ):
        if number := sum(side.count(unknown) for side in sides):
            counted[f"unknown tokens in {name}"] = number


def collated(examples: Sequence[Example], encoding: Reading) -> Batch:
    """Return the tensors that transformers calls so, each (sentences, positions).

    The decoder reads what it is to say one step later.
    """
    pad, start = encoding.specials.pad, encoding.specials.start
    sources = [each.source.tolist() for each in examples]
    targets = [each.target.tolist() for each in examples]
    return {
        "input_ids": padded(sources, pad),
        "attention_mask": padded([[1] * len(each) for each in sources], 0),
        "decoder_input_ids": padded([[start, *each[:-1]] for each in targets], pad),
        "labels": padded(targets, _IGNORED),
    }


def weight_of(batch: Batch) -> float:
    """Return the number of target tokens."""
    return float((batch["labels"] != _IGNORED).sum())


def likelihood(logits: torch.Tensor, batch: Batch, smoothing: float) -> torch.Tensor:
    """Return the summed cross entropy of the target tokens.

    Args:
        logits: (sentences, positions, vocabulary).
        batch: As `collated` makes it.
        smoothing: Share of it that is about all tokens alike.
    """
    wide = torch.promote_types(logits.dtype, torch.float32)
    return cross_entropy(
        logits.to(wide).flatten(0, 1),
        batch["labels"].flatten(),
        ignore_index=_IGNORED,
        label_smoothing=smoothing,
        reduction="sum",
    )


def padded(rows: Sequence[Sequence[int]], fill: int) -> torch.Tensor:
    """Return rows as a matrix as wide as the longest."""
    longest = max(len(row) for row in rows)
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows])
