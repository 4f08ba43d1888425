"""The alignment of two sentences as ERRANT makes it, by the compiled kernel where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate, groupby
from string import punctuation
from typing import Literal, NamedTuple

from gecbench.core.edit import Sentence, TokenAttributes
from gecbench.core.errors import GecbenchError

# How alike two words are, in the two measures that ERRANT takes from rapidfuzz.
#
# Bit-parallel: a column of the table is one integer, so a word costs one step per character of the
# other one. Importing a library for it would cost more than all the types of a corpus.


def positions(word: str) -> Mapping[str, int]:
    """Return, for each character of a word, the places where it stands as bits."""
    bits: dict[str, int] = {}
    for at, character in enumerate(word):
        bits[character] = bits.get(character, 0) | 1 << at
    return bits


def indel_distance(bits: Mapping[str, int], length: int, other: str) -> float:
    """The normalised Indel distance of two words, in [0, 1].

    That is the least number of characters to delete and insert, over the sum of both lengths.
    The longest common subsequence behind it is found as in Hyyro (2004).

    Args:
        bits: `positions` of the one word.
        length: Its length, at least 1.
        other: The other word.

    >>> indel_distance(positions("colour"), 6, "color") == 1 / 11
    True
    """
    open_places = every = (1 << length) - 1
    for character in other:
        matches = open_places & bits.get(character, 0)
        open_places = (open_places + matches) | (open_places - matches)
    common = length - (open_places & every).bit_count()
    both = length + len(other)
    return (both - 2 * common) / both


def indel_similarity(left: str, right: str) -> float:
    """1 minus the normalised Indel distance of two words that are not empty, in [0, 1]."""
    return 1 - indel_distance(positions(left), len(left), right)


def levenshtein_similarity(left: str, right: str) -> float:
    """1 minus the Levenshtein distance over the greater length, in [0, 1].

    Neither word is empty. Computed in this form, because ERRANT compares the result with 0.5 and
    0.8 by ==.

    >>> levenshtein_similarity("thing", "think")
    0.8
    """
    return 1 - _levenshtein(left, right) / max(len(left), len(right))


def _levenshtein(left: str, right: str) -> int:
    """The edit distance: Myers (1999), in the form of Hyyro (2003)."""
    bits = positions(left)
    every, last = (1 << len(left)) - 1, 1 << (len(left) - 1)
    distance, above, below = len(left), every, 0  # where a column goes up and down by one
    for character in right:
        equal = bits.get(character, 0)
        diagonal = (((equal & above) + above) ^ above) | equal | below
        more, less = below | ~(diagonal | above) & every, above & diagonal
        distance += bool(more & last) - bool(less & last)
        more, less = more << 1 | 1, less << 1
        above = (less | ~(diagonal | more)) & every
        below = more & diagonal & every
    return distance


# ERRANT's alignment, in readable form (ERRANT 3.0.2, alignment.py).
#
# `_align.cpp` does the same work fast and is used where it could be compiled; `align` chooses.
# Costs: insertion and deletion 1; substitution 0 to 1.999, as `_Substitutions` says; transposition
# of k + 1 tokens k. What differs from a plain edit distance:
#
# - Where the two forms are equal, the step is a match; nothing else is considered, even if cheaper.
# - Else the first least of transposition, substitution, insertion and deletion is taken, in this
#   order. Sums are taken in double arithmetic, in the order written here, because that decides
# ties.
# - A transposition covers the last k + 1 tokens of both sides, which must be the same multiset of
#   lower-case forms, for the smallest such k from 1 on. The search stops at the first diagonal step
#   on which the *cost* does not change: a match, a change of case, or an accident of numbers.


class Step(NamedTuple):
    """One step of an alignment; spans are half-open token spans.

    Args:
        op: "M" match, "S" substitution, "D" deletion, "I" insertion, or "T2", "T3", ... for a
            transposition of so many tokens.
        start: First token of the source.
        end: Token of the source after the last.
        target_start: First token of the target.
        target_end: Token of the target after the last.
    """

    op: str
    start: int
    end: int
    target_start: int
    target_end: int


Features = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""Lower-case forms, lemmas and coarse parts of speech, one for each token."""

OPEN = frozenset(("ADJ", "ADV", "NOUN", "VERB"))
"""Parts of speech that cost less to exchange for one another; AUX and PROPN are not among them."""

_MATCH, _SUBSTITUTE, _INSERT, _DELETE = range(4)
_SWAP = 2  # a transposition of w tokens, at least two, is the number w + 2


def python_steps(
    source: tuple[str, ...],
    target: tuple[str, ...],
    source_features: Features | None,
    target_features: Features | None,
) -> tuple[Step, ...]:
    """The steps from source to target; edit distance without transpositions if no features.

    Both sides have features or none has.
    """
    n, m = len(source), len(target)
    # Equal last tokens allow only a match, so a common ending needs no table. A common beginning
    # needs it: "saw the cat" to "saw saw the cat" inserts at 0, not at 1.
    while n and m and source[n - 1] == target[m - 1]:
        n, m = n - 1, m - 1
    if source_features is None or target_features is None:
        ops = _plain_operations(source[:n], target[:m])
    else:
        ops = _feature_operations(source[:n], target[:m], source_features, target_features)
    return _walk(ops, n, m, len(source))


def _walk(ops: list[list[int]], n: int, m: int, length: int) -> tuple[Step, ...]:
    """The steps back from the corner of the table, and the matches behind it."""
    path = [Step("M", n + k, n + k + 1, m + k, m + k + 1) for k in reversed(range(length - n))]
    i, j = n, m
    while i or j:
        op = ops[i][j]
        width = op - _SWAP if op > _DELETE else 1
        x = i if op == _INSERT else i - width
        y = j if op == _DELETE else j - width
        name = f"T{width}" if op > _DELETE else "MSID"[op]
        path.append(Step(name, x, i, y, j))
        i, j = x, y
    return tuple(reversed(path))


def _edges(n: int, m: int) -> list[list[int]]:
    """The table of operations with its first row and column filled."""
    return [[_INSERT] * (m + 1), *([_DELETE] + [_MATCH] * m for _ in range(n))]


def _plain_operations(a: tuple[str, ...], b: tuple[str, ...]) -> list[list[int]]:
    ops = _edges(len(a), len(b))
    row = [float(y) for y in range(len(b) + 1)]
    for x, form in enumerate(a, 1):
        above, row = row, [float(x)]
        for y, other in enumerate(b, 1):
            if form == other:
                row.append(above[y - 1])
                continue
            costs = (above[y - 1] + 1, row[-1] + 1, above[y] + 1)
            least = min(costs)
            ops[x][y] = (_SUBSTITUTE, _INSERT, _DELETE)[costs.index(least)]
            row.append(least)
    return ops


# One loop on purpose: a call for each cell would cost a third more.
def _feature_operations(
    a: tuple[str, ...], b: tuple[str, ...], source: Features, target: Features
) -> list[list[int]]:
    ops = _edges(len(a), len(b))
    lower_a, lower_b = source[0][: len(a)], target[0][: len(b)]
    windows = _Windows(lower_a, lower_b)
    substitutions = _Substitutions(a, b, source, target)
    table = [[float(y) for y in range(len(b) + 1)]]
    changing = [0] * (len(b) + 1)  # for how many diagonal steps back the cost has changed
    last_rows = [0] * (len(b) + 1)  # row where b's lower form last stood in a
    for x, form in enumerate(a, 1):
        above, row, row_ops = table[-1], [float(x)], ops[x]
        table.append(row)
        before, changing = changing, [0] * (len(b) + 1)
        lower, last = lower_a[x - 1], 0  # `last`: column where a's lower form last stood in b
        for y, other in enumerate(b, 1):
            diagonal = above[y - 1]
            if lower == lower_b[y - 1]:
                last, last_rows[y] = y, x
            if form == other:
                row.append(diagonal)
                continue
            insert, delete = row[-1] + 1, above[y] + 1
            least, op = (insert, _INSERT) if insert <= delete else (delete, _DELETE)
            replace = diagonal + substitutions.cost(x - 1, y - 1)
            if replace <= least:
                least, op = replace, _SUBSTITUTE
            # Only tokens that both sides have met can have changed places.
            if last and last_rows[y] and before[y - 1]:
                nearest = max(y - last, x - last_rows[y], 1)
                width = windows.width(x, y, nearest, before[y - 1])
                if width:
                    swap = table[x - width][y - width] + (width - 1)
                    if swap <= least:
                        least, op = swap, width + _SWAP
            row.append(least)
            row_ops[y] = op
            if least != diagonal:
                changing[y] = before[y - 1] + 1
    return ops


class _Substitutions:
    """What it costs to exchange two words that differ in form.

    Nothing where only case differs; else 0.499 for another lemma, 0.25 for another open part of
    speech or 0.5 for any other, and the normalised Indel distance of the forms, added in this
    order.
    """

    def __init__(
        self, a: tuple[str, ...], b: tuple[str, ...], source: Features, target: Features
    ) -> None:
        self._a, self._b = a, b
        self._lowers_a, self._lemmas_a, self._pos_a = source
        self._lowers_b, self._lemmas_b, self._pos_b = target
        self._bits = {form: positions(form) for form in set(a)}
        self._forms: dict[tuple[str, str], float] = {}

    def cost(self, i: int, j: int) -> float:
        """The cost of putting the target's token `j` in the place of the source's `i`."""
        if self._lowers_a[i] == self._lowers_b[j]:
            return 0.0
        lemma = 0.0 if self._lemmas_a[i] == self._lemmas_b[j] else 0.499
        pos_a, pos_b = self._pos_a[i], self._pos_b[j]
        pos = 0.0 if pos_a == pos_b else 0.25 if pos_a in OPEN and pos_b in OPEN else 0.5
        pair = (self._a[i], self._b[j])
        form = self._forms.get(pair)
        if form is None:
            form = indel_distance(self._bits[pair[0]], len(pair[0]), pair[1])
            self._forms[pair] = form
        return lemma + pos + form


class _Windows:
    """Finds windows of both sides, before one cell, that hold the same tokens in any order.

    Windows are compared by the sums of 128-bit hashes of their tokens, in one step however wide
    they are. That two different windows have one sum is less likely than a fault of the machine.
    """

    def __init__(self, a: Sequence[str], b: Sequence[str]) -> None:
        hashes = {form: _hash(form) for form in {*a, *b}}
        self._a = [0, *accumulate(map(hashes.__getitem__, a))]
        self._b = [0, *accumulate(map(hashes.__getitem__, b))]

    def width(self, x: int, y: int, nearest: int, farthest: int) -> int:
        """K + 1 for the least k from `nearest` to `farthest` that gives a pair, or 0."""
        a, b = self._a, self._b
        rest = a[x] - b[y]
        for k in range(nearest, farthest + 1):
            if a[x - 1 - k] - b[y - 1 - k] == rest:
                return k + 1
        return 0


def _hash(form: str) -> int:
    digest = blake2b(form.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return int.from_bytes(digest, "little")


# What a pipeline says of a sentence, asked for where nothing can be done without it.


def words_of(sentence: Sentence) -> TokenAttributes:
    """What the pipeline says of the tokens of a sentence.

    Raises:
        GecbenchError: No pipeline has seen the sentence.
    """
    if sentence.words is None:
        raise GecbenchError(
            f"the sentence {sentence.text[:40]!r} has no lemmas and parts of speech, which "
            "ERRANT's rules read; parse it with a pipeline first"
        )
    return sentence.words


try:
    from gecbench.lang.en import _align as compiled  # type: ignore[attr-defined,unused-ignore]
except ImportError:  # no compiler at installation: slower, the same steps
    compiled = None


def steps(source: Sentence, target: Sentence, *, levenshtein: bool = False) -> tuple[Step, ...]:
    """The steps from source to target in text order (ERRANT 3.0.2, alignment.py).

    Args:
        source: What the learner wrote.
        target: Its rewriting.
        levenshtein: Every substitution costs 1 and nothing is transposed; then neither lemmas
            nor parts of speech are read.

    Raises:
        GecbenchError: A sentence has not been through a pipeline.
    """
    source_features = target_features = None
    if not levenshtein:
        source_features, target_features = _features(source), _features(target)
    if compiled is None:
        return python_steps(source.tokens, target.tokens, source_features, target_features)
    path: tuple[Step, ...] = compiled.steps(
        Step, source.tokens, target.tokens, source_features, target_features
    )
    return path


def kernel_name() -> str:
    """Which kernel runs: "compiled" or "python"."""
    return "python" if compiled is None else "compiled"


def _features(sentence: Sentence) -> Features:
    words = words_of(sentence)
    return tuple(map(str.lower, sentence.tokens)), words.lemmas, words.pos


# From the steps of an alignment to edits (ERRANT 3.0.2, en/merger.py and alignment.py).


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
