"""From labels to edits of the text, in characters; what has no label keeps its characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from gecbench.core.corrector import TextEdit
from gecbench.models.tags.labels import MERGE_SWAP
from gecbench.models.tags.outcomes import Outcome, outcomes
from gecbench.models.tags.spacing import Blanks, Spacing, spacing_of
from gecbench.models.tags.transforms import Transforms
from gecbench.text.tokens import Token


def text_edits(
    text: str,
    tokens: Sequence[Token],
    labels: Sequence[str],
    scores: Sequence[float] | None,
    transforms: Transforms,
    *,
    language: str,
    spacing: Spacing | None = None,
) -> tuple[TextEdit, ...]:
    """Return what labels do to a text: one edit for each label that changes something.

    An edit has the score and the name of its label, and may touch the next. Only an exchange of
    two tokens is one edit of both; its score is the lesser of the two. Where a token is inserted,
    deleted, or becomes a token that is written otherwise (a word becomes a comma), the blanks
    beside it are made right; all others stay. Labels that cannot be done change nothing
    (`outcomes` says which), and so does a merge of tokens without a blank between them.

    Args:
        text: What was tagged.
        tokens: Of the text, in its order, without $START.
        labels: One for $START and one for each token.
        scores: One for each label, in [0, 1]; None where the tagger does not say.
        transforms: What labels may name.
        language: Code; decides where blanks stand.
        spacing: How tokens are written; None looks at this text (`spacing_of`). Say "tokenised"
            where tokens are whatever stands between blanks, and of any tokenised corpus: a
            sentence without punctuation does not show it.

    >>> text = "我爱看书。"
    >>> tokens = [Token(letter, n, n + 1) for n, letter in enumerate(text)]
    >>> labels = ["$KEEP", "$APPEND_最", "$KEEP", "$DELETE", "$KEEP", "$REPLACE_！"]
    >>> edits = text_edits(text, tokens, labels, None, Transforms(), language="zh")
    >>> [(edit.start, edit.end, edit.replacement) for edit in edits]
    [(1, 1, '最'), (2, 3, ''), (4, 5, '！')]
    """
    made = outcomes([token.text for token in tokens], labels, transforms)
    blanks = Blanks(language, spacing or spacing_of(tokens, language=language))
    written = _Written(text, tokens, blanks)
    edits = []
    for owner, run in groupby(_changes(written, made), key=lambda change: change.owner):
        changes = list(run)
        replacement = "".join(change.replacement for change in changes)
        score = None
        if scores is not None:
            together = 2 if labels[owner] == MERGE_SWAP else 1
            score = min(scores[owner : owner + together])
        edits.append(TextEdit(changes[0].start, changes[-1].end, replacement, score, labels[owner]))
    return tuple(edits)


class _Change(NamedTuple):
    """A part of an edit: a span, what stands there instead, and the place of the label."""

    start: int
    end: int
    replacement: str
    owner: int


class _Side(NamedTuple):
    """What stands on one side of a gap: before and now; None at the ends of a text."""

    before: str
    now: str


class _Written(NamedTuple):
    """A text, its tokens, and where blanks belong."""

    text: str
    tokens: Sequence[Token]
    blanks: Blanks

    def start(self, outcome: Outcome | None) -> int:
        """Return the first character of an outcome; None is the end of the text."""
        return len(self.text) if outcome is None else self.tokens[outcome.first].start

    def end(self, outcome: Outcome) -> int:
        """Return the character after the last of an outcome, of $START the first of the text."""
        return self.tokens[outcome.end - 1].end if outcome.end else 0

    def now(self, outcome: Outcome) -> str:
        """Return what stands in the place of tokens; those in exchange keep what divides them."""
        if outcome.end - outcome.first == 2 and outcome.first >= 0:
            one, two = self.tokens[outcome.first : outcome.end]
            return two.text + self.text[one.end : two.start] + one.text
        return " ".join(outcome.words)

    def side(self, outcome: Outcome | None, *, left: bool) -> _Side | None:
        """Return what an outcome is, to its neighbour; None at the ends."""
        if outcome is None or outcome.first < 0:
            return None
        token = self.tokens[outcome.end - 1 if left else outcome.first]
        return _Side(token.text, outcome.words[-1 if left else 0])


def _changes(written: _Written, made: Sequence[Outcome]) -> Iterator[_Change]:
    """Yield all changes in the order of the text, those of one label next to one another."""
    standing = [at for at, outcome in enumerate(made) if outcome.words or outcome.first < 0]
    for one, two in pairwise((*standing, len(made))):
        left = made[one]
        right = made[two] if two < len(made) else None
        if left.words:
            start, end = written.start(left), written.end(left)
            now = written.now(left)
            if now != written.text[start:end]:
                yield _Change(start, end, now, left.first + 1)
        gone = made[one + 1 : two]
        if gone:
            yield from _deleted(written, left, gone, right)
        elif left.behind:
            yield from _inserted(written, left, right)
        elif right is not None and left.words:
            yield from _respaced(written, left, right)


def _respaced(written: _Written, left: Outcome, right: Outcome) -> Iterator[_Change]:
    """Yield the change of the blank between two neighbours that stand, if there is one."""
    start, end = written.end(left), written.start(right)
    gap = written.text[start:end]
    one, two = written.side(left, left=True), written.side(right, left=False)
    changed = one is not None and one.before != one.now
    blanks = written.blanks
    new = gap if left.joint is None else left.joint
    if left.joint is None and one and two and (changed or two.before != two.now):
        wanted = blanks.wants(one.now, two.now)
        if wanted != blanks.wants(one.before, two.before):
            new = _blank(wanted, gap)
        elif blanks.fuses(one.now, two.now) and not blanks.fuses(one.before, two.before):
            new = gap or " "
    if new != gap:
        owner = left if changed or left.joint is not None else right
        yield _Change(start, end, new, owner.first + 1)


def _inserted(written: _Written, left: Outcome, right: Outcome | None) -> Iterator[_Change]:
    """Yield the insertion behind a token whose neighbour stands, with its blanks."""
    start, end = written.end(left), written.start(right)
    gap = written.text[start:end]
    # White space at the head of a text stays before what is inserted there.
    before, after = _around(written, left, right, gap, gap if left.words else "")
    new = before + left.behind + after
    if gap and new.endswith(gap):
        yield _Change(start, start, new[: -len(gap)], left.first + 1)
    elif gap and new.startswith(gap):
        yield _Change(end, end, new[len(gap) :], left.first + 1)
    else:
        yield _Change(start, end, new, left.first + 1)


def _around(
    written: _Written, left: Outcome, right: Outcome | None, first: str, last: str
) -> tuple[str, str]:
    """Return the blanks on both sides of an insertion; `first` and `last` are the old ones.

    White space at the ends of a text stays there.
    """
    one, two = written.side(left, left=True), written.side(right, left=False)
    before, after = first, last
    if one is not None:
        wanted = written.blanks.wants(one.now, left.behind)
        before = first if wanted is None and two is not None else " " * bool(wanted)
    if two is not None:
        after = _blank(written.blanks.wants(left.behind, two.now), last)
    return before, after


def _blank(wanted: bool | None, old: str) -> str:
    """Return the blank that is wanted, like the old one where there is one."""
    if wanted is None:
        return old
    return (old or " ") if wanted else ""


def _deleted(
    written: _Written, left: Outcome, gone: Sequence[Outcome], right: Outcome | None
) -> Iterator[_Change]:
    """Yield what deletes tokens between two that stand, with an insertion before them."""
    ends = [written.end(left), *(written.end(outcome) for outcome in gone)]
    starts = [*(written.start(outcome) for outcome in gone), written.start(right)]
    gaps = [written.text[end:start] for end, start in zip(ends, starts, strict=True)]
    new = _closed(written, left, right, gaps)
    if left.behind:
        before, new = _around(written, left, right, gaps[0], gaps[-1])
        yield _Change(ends[0], ends[0], before + left.behind, left.first + 1)
    if new == gaps[0]:  # each takes the blank behind it along
        bounds, new = starts, ""
    elif new == gaps[-1]:  # the blank before it
        bounds, new = ends, ""
    else:
        bounds = [ends[0], *starts[1:]]
    for outcome, (start, end) in zip(gone, pairwise(bounds), strict=True):
        yield _Change(start, end, new if outcome is gone[-1] else "", outcome.first + 1)


def _closed(written: _Written, left: Outcome, right: Outcome | None, gaps: Sequence[str]) -> str:
    """Return what divides two tokens after all between them are gone."""
    one, two = written.side(left, left=True), written.side(right, left=False)
    if one is None:
        return gaps[0]
    if two is None:
        return gaps[-1]
    if left.joint is not None:
        return left.joint
    wanted = written.blanks.wants(one.now, two.now)
    if wanted is None:
        return gaps[0] if one.now[-1].isascii() and one.now[-1].isalnum() else gaps[-1]
    return _blank(wanted, next(filter(None, gaps), ""))
