"""From the steps of an alignment to edits (ERRANT 3.0.2, en/merger.py and alignment.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from string import punctuation
from typing import Literal

from gecbench.core.sentence import Sentence
from gecbench.lang.en.alignment import Step, indel_similarity, words_of

# ERRANT's rules that merge and split a run of deletions, insertions and substitutions.


Span = tuple[int, int, int, int]
"""Half-open token spans of source and target: (start, end, target_start, target_end)."""

_Part = tuple[int, int, int]
"""Steps `low` to `high` - 1 of a run, and `widest`: that no wider window inside fires is known."""

_VERBAL = frozenset(("AUX", "PART", "VERB"))
_CONTENT = frozenset(("ADJ", "ADV", "AUX", "NOUN", "VERB"))
_DROPPED = str.maketrans("", "", "'-")


def span_of(steps: Sequence[Step]) -> Span:
    """The span from the first of neighbouring steps to the last."""
    first, last = steps[0], steps[-1]
    return first.start, last.end, first.target_start, last.target_end


def process(steps: Sequence[Step], source: Sentence, target: Sentence) -> list[Span]:
    """The edits of a run of "D", "I" and "S" (ERRANT 3.0.2, en/merger.py, process_seq).

    ERRANT looks at windows of at least two steps that have a substitution, the widest first and
    from the left; the first for which a rule fires says where the run is cut, and the rest is
    treated alike. What is recursion there is a list of parts here, so that a run may be as long
    as a text.
    """
    if len(steps) == 1:
        return [steps[0][1:]]
    run = _WindowIndex(steps, source, target)
    spans: list[Span] = []
    parts: list[_Part | Span] = [(0, len(steps), len(steps) - 1)]
    while parts:
        part = parts.pop()
        if len(part) == 4:
            spans.append(part)
        elif part[0] < part[1]:
            parts.extend(reversed(run.divide(*part)))
    return spans


class _WindowIndex:
    """A run, prepared so that a window answers each question in one step."""

    def __init__(self, steps: Sequence[Step], source: Sentence, target: Sentence) -> None:
        self._steps = steps
        self._ops = "".join([step.op for step in steps])
        self._a, self._b = source.tokens, target.tokens
        self._words_a, self._words_b = words_of(source), words_of(target)
        pos = [
            (
                *self._words_a.pos[step.start : step.end],
                *self._words_b.pos[step.target_start : step.target_end],
            )
            for step in steps
        ]
        # What stands before each step, so that a difference is what stands in a window.
        self._substitutions = _running_totals([op == "S" for op in self._ops])
        self._content = _running_totals([not _CONTENT.isdisjoint(tags) for tags in pos])
        self._not_verbal = _running_totals([not _VERBAL.issuperset(tags) for tags in pos])
        self._uniform = _uniform_until(pos)
        texts_a = [_bare(self._a[step.start : step.end]) for step in steps]
        texts_b = [_bare(self._b[step.target_start : step.target_end]) for step in steps]
        self._text_a, self._text_b = "".join(texts_a), "".join(texts_b)
        self._offsets_a, self._offsets_b = (
            _running_totals(map(len, texts_a)),
            _running_totals(map(len, texts_b)),
        )

    def divide(self, low: int, high: int, widest: int) -> list[_Part | Span]:
        """The edits that a part consists of, and parts still to be cut, in text order."""
        ops = self._ops[low:high]
        if len(ops) > 1 and (ops == "D" * len(ops) or ops == "I" * len(ops)):
            return [span_of(self._steps[low:high])]
        if len(ops) == 1 or "S" not in ops:
            return [step[1:] for step in self._steps[low:high]]
        if self._starts_possessive(low):
            return [self._steps[low][1:], (low + 1, high, widest)]
        first_cut = self._first_cut(low, high, widest)
        if first_cut:
            width, start, end = first_cut
            middle: list[_Part | Span] = [span_of(self._steps[start:end])] if start < end else []
            return [(low, start, width), *middle, (end, high, width)]
        if self._content[high] > self._content[low]:
            return [span_of(self._steps[low:high])]
        return [step[1:] for step in self._steps[low:high]]

    def _first_cut(self, low: int, high: int, widest: int) -> tuple[int, int, int] | None:
        """How the first window that fires cuts a part, or None.

        That is the width of windows above which none fires, and the steps that become one edit;
        from `k` to `k` where the part is only cut before step `k`.
        """
        first = self._steps[low]
        # What only the windows at the beginning are asked for needs a name there.
        capitalised = self._is_capitalised(first.start, first.target_start)
        whole = high - low - 1
        for width in range(whole if capitalised else min(whole, widest), 0, -1):
            ends = high if width <= widest else low + width + 1
            for end in range(low + width, ends):
                start = end - width
                if self._substitutions[end + 1] > self._substitutions[start]:
                    span = self._fires(
                        start, end, capitalised=capitalised and start == low, last=high - 1
                    )
                    if span:
                        return min(width, widest), *span
        return None

    def _fires(
        self, start: int, end: int, *, capitalised: bool, last: int
    ) -> tuple[int, int] | None:
        """The steps that a window makes one edit of; an empty range only cuts there."""
        left, right = self._steps[start], self._steps[end]
        length_a, length_b = right.end - left.start, right.target_end - left.target_start
        if (  # friends > friend 's
            self._words_a.tags[right.end - 1] == "POS"
            or self._words_b.tags[right.target_end - 1] == "POS"
        ):
            return end - 1, end + 1
        if self._a[right.end - 1].lower() == self._b[right.target_end - 1].lower():
            if (
                capitalised
                and (  # Cat > The cat
                    (length_a == 1 and self._b[left.target_start][:1].isupper())
                    or (length_b == 1 and self._a[left.start][:1].isupper())
                )
            ):
                return start, end + 1
            # , we > . We
            if (length_a > 1 and _is_mark(self._a, self._words_a.pos, right.end - 2)) or (
                length_b > 1 and _is_mark(self._b, self._words_b.pos, right.target_end - 2)
            ):
                return end - 1, end + 1
        # acat > a cat, to eat > eating
        if self._same_text(start, end) or (length_a != length_b and self._is_uniform(start, end)):
            return start, end + 1
        if end - start == 1 and (
            length_a == length_b == 2
            or self._similar(start, left.start, left.target_start)
            or self._similar(end, right.end - 1, right.target_end - 1)
            or (end == last and self._ends_in_determiner(end))
        ):
            return end, end
        return None

    def _starts_possessive(self, low: int) -> bool:
        step = self._steps[low]
        return "POS" in (
            self._words_a.tags[step.start],
            self._words_b.tags[step.target_start],
        )

    def _is_capitalised(self, start: int, target_start: int) -> bool:
        return self._a[start][:1].isupper() or self._b[target_start][:1].isupper()

    def _same_text(self, start: int, end: int) -> bool:
        a, a_end = self._offsets_a[start], self._offsets_a[end + 1]
        b, b_end = self._offsets_b[start], self._offsets_b[end + 1]
        return a_end - a == b_end - b and self._text_a[a:a_end] == self._text_b[b:b_end]

    def _is_uniform(self, start: int, end: int) -> bool:
        return self._uniform[start] > end or self._not_verbal[end + 1] == self._not_verbal[start]

    def _similar(self, step: int, at: int, target_at: int) -> bool:
        return self._ops[step] == "S" and indel_similarity(self._a[at], self._b[target_at]) > 0.75

    def _ends_in_determiner(self, end: int) -> bool:
        op, step = self._ops[end], self._steps[end]
        return (op != "I" and self._words_a.pos[step.end - 1] == "DET") or (
            op != "D" and self._words_b.pos[step.target_end - 1] == "DET"
        )


def _running_totals(counts: Iterable[int]) -> list[int]:
    return [0, *accumulate(counts)]


def _uniform_until(pos: Sequence[tuple[str, ...]]) -> list[int]:
    """For each step the first after it with which the parts of speech are not all one."""
    until = [0] * len(pos)
    for k in reversed(range(len(pos))):
        if len({*pos[k]}) > 1:
            until[k] = k
        else:
            goes_on = k + 1 < len(pos) and pos[k + 1][0] == pos[k][0]
            until[k] = max(until[k + 1], k + 1) if goes_on else k + 1
    return until


def _bare(token: Sequence[str]) -> str:
    """The lower-case text of one token or none, without apostrophes and hyphens."""
    return "".join(token).lower().translate(_DROPPED)


def _is_mark(tokens: Sequence[str], pos: Sequence[str], at: int) -> bool:
    """Whether a token is punctuation, or stands in ASCII's as a string does in another."""
    return pos[at] == "PUNCT" or tokens[at] in punctuation


Strategy = Literal["rules", "all-split", "all-merge", "all-equal"]


def merge(
    steps: Sequence[Step], source: Sentence, target: Sentence, strategy: Strategy = "rules"
) -> tuple[Span, ...]:
    """Merge steps of an alignment to the spans of edits, in text order.

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
        return tuple([span_of(run) for run in _runs(steps)])
    if strategy == "all-equal":
        kinds = [list(run) for op, run in groupby(steps, lambda step: step.op) if op != "M"]
        return tuple(map(span_of, kinds))
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
