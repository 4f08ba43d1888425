"""From the steps of an alignment to edits (ERRANT 3.0.2, en/merger.py and alignment.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

from gecbench.core.sentence import Sentence
from gecbench.lang.en.kernel import Step
from gecbench.lang.en.run import Span, merged, process

Strategy = Literal["rules", "all-split", "all-merge", "all-equal"]


def merge(
    steps: Sequence[Step], source: Sentence, target: Sentence, strategy: Strategy = "rules"
) -> tuple[Span, ...]:
    """Return the spans of the edits between two sentences, in text order.

    Args:
        steps: Their alignment.
        source: What the learner wrote.
        target: Its rewriting.
        strategy: "rules" merges neighbouring deletions, insertions and substitutions by
            ERRANT's rules, which read parts of speech; "all-split" makes each step an edit of
            its own, "all-merge" each run of steps that are no match, "all-equal" each run of
            steps of one kind, where transpositions of different widths are different kinds.

    Raises:
        GecbenchError: The strategy is "rules", and a sentence has not been through a pipeline.
    """
    if strategy == "all-split":
        return tuple([step[1:] for step in steps if step.op != "M"])
    if strategy == "all-merge":
        return tuple([merged(run) for run in _runs(steps)])
    if strategy == "all-equal":
        kinds = [list(run) for op, run in groupby(steps, lambda step: step.op) if op != "M"]
        return tuple(map(merged, kinds))
    spans: list[Span] = []
    for run in _runs(steps):
        for swap, group in groupby(run, lambda step: step.op[0] == "T"):
            if swap:
                spans += [step[1:] for step in group]
            else:
                spans += process(list(group), source, target)
    return tuple(spans)


def _runs(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Yield the longest runs of steps that are no match."""
    run: list[Step] = []
    for step in steps:
        if step.op != "M":
            run.append(step)
        elif run:
            yield run
            run = []
    if run:
        yield run
