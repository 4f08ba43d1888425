"""From labels to edits of the text, in characters; what has no label keeps its characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from gecbench.core.corrector import TextEdit, apply
from gecbench.core.language import Transforms
from gecbench.lang import language_of
from gecbench.models.tags.labels import KEEP, MERGE_SWAP, Label, parse_label
from gecbench.models.text import in_spaced_word
from gecbench.text.tokens import Token

# What labels make of tokens, before anybody asks how it is written.


_JOINTS = {"SPACE": "", "HYPHEN": "-"}


class TokenOutcome(NamedTuple):
    """What becomes of one token, or of two that changed places.

    Args:
        first: Its place among the tokens; -1 for $START.
        end: The place after the last that it stands for.
        words: What stands there now; () where it is deleted, and for $START.
        behind: What is inserted behind it; "" for nothing.
        joint: What joins it with the next word that stands; None where nothing does.
    """

    first: int
    end: int
    words: tuple[str, ...]
    behind: str = ""
    joint: str | None = None


def resolve_labels(
    tokens: Sequence[str], labels: Sequence[str], transforms: Transforms
) -> list[TokenOutcome]:
    """Work out what becomes of $START and each token.

    A label that cannot be done keeps its token: one that is unknown, a transform that the token
    does not have, a merge at the end, an exchange with a token that has a label of its own,
    anything but an insertion at $START.

    Args:
        tokens: Without $START.
        labels: One for $START and one for each token.
        transforms: What labels may name.
    """
    start, *parts = (parse_label(label) for label in labels)
    behind = _plain(start.argument) if start.kind == "append" else ""
    results = [TokenOutcome(-1, 0, (), behind)]
    for at, (token, part) in enumerate(zip(tokens, parts, strict=True)):
        if at < results[-1].end:
            continue  # it has changed places with the one before
        if labels[at + 1] != MERGE_SWAP:
            results.append(_outcome(at, token, part, transforms))
        elif at + 1 < len(tokens) and labels[at + 2] == KEEP:
            results.append(TokenOutcome(at, at + 2, (tokens[at + 1], token)))
        else:
            results.append(TokenOutcome(at, at + 1, (token,)))
    return results


def _outcome(at: int, token: str, part: Label, transforms: Transforms) -> TokenOutcome:
    unchanged = TokenOutcome(at, at + 1, (token,))
    match part.kind:
        case "delete":
            return unchanged._replace(words=())
        case "append":
            return unchanged._replace(behind=_plain(part.argument))
        case "replace":
            return unchanged._replace(words=tuple(part.argument.split()) or (token,))
        case "transform":
            form = transforms.apply(part.argument, token)
            return unchanged._replace(words=tuple((form or token).split()))
        case "merge":
            return unchanged._replace(joint=_JOINTS[part.argument])
    return unchanged


def _plain(argument: str) -> str:
    return " ".join(argument.split())


# Blanks between tokens: how a text writes them, and where a changed one needs them.


Spacing = Literal["raw", "tokenised"]
"""As people write, or with a blank between any two tokens, as corpora are often kept."""

_CLOSING = re.compile(r"[,.;:!?%)\]}»”…]+|['’](?:s|m|d|re|ve|ll|t)|n['’]t", re.IGNORECASE)
_OPENING = frozenset("([{«“$£€¥#@")
_BINDING = frozenset("-/‐‑")
_WORD = re.compile("[A-Za-z0-9]")
_NUMBER = re.compile(r"[0-9]+(?:[.,:][0-9]+)*")


def detect_spacing(tokens: Sequence[Token], *, language: str) -> Spacing:
    """Detect how a text writes its tokens.

    A language with blanks, as English, is tokenised where half of the tokens that belong to the
    word before them, as commas and "'s", stand behind a blank; a text without any is taken to be
    raw. Other languages write no blanks, and are tokenised where half of neighbours have blanks
    between them, words of letters or digits not counted.

    >>> detect_spacing([Token("Well", 0, 4), Token(",", 5, 6)], language="en")
    'tokenised'
    """
    has_spaces = _has_spaces(language)
    blanks = [
        right.start > left.end
        for left, right in pairwise(tokens)
        if (_CLOSING.fullmatch(right.text) if has_spaces else _dense(left.text, right.text))
    ]
    return "tokenised" if any(blanks) and 2 * sum(blanks) >= len(blanks) else "raw"


class Blanks(NamedTuple):
    """Where blanks stand in a language, written in a certain way.

    >>> Blanks("en", "raw").wants("home", "."), Blanks("en", "tokenised").wants("home", ".")
    (False, True)
    >>> Blanks("zh", "raw").wants("我", "有"), Blanks("zh", "raw").wants("big", "data")
    (False, True)
    """

    language: str
    spacing: Spacing

    def wants(self, left: str, right: str) -> bool | None:
        """Say whether a blank stands between two words; None where both ways are right."""
        if self.spacing == "tokenised":
            return True
        if not _has_spaces(self.language):  # around Latin words in Chinese it may
            return _same_run(left[-1], right[0]) or (False if _dense(left, right) else None)
        if '"' in (left, right):
            return None  # whether it opens or closes is not to be seen from here
        if _CLOSING.fullmatch(right) or left[-1] in _OPENING:
            return False
        return not (left[-1] in _BINDING or right[0] in _BINDING)

    def fuses(self, left: str, right: str) -> bool:
        """Say whether two words without a blank would be read as one."""
        if _has_spaces(self.language):
            # "5km" is a number and a word; "fivekm" would be one word.
            apart = _NUMBER.fullmatch(left) and not right[0].isdigit()
            return left[-1].isalnum() and right[0].isalnum() and not apart
        return _same_run(left[-1], right[0])


def _has_spaces(language: str) -> bool:
    """Say whether words have blanks between them."""
    return bool(language_of(language).joiner)


def _same_run(left: str, right: str) -> bool:
    """Say whether two characters would be read as one token without a blank."""
    return (
        left.isascii()
        and right.isascii()
        and ((left.isalpha() and right.isalpha()) or (left.isdigit() and right.isdigit()))
    )


def _dense(left: str, right: str) -> bool:
    return not (_WORD.match(left[-1]) or _WORD.match(right[0]))


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
    """Apply labels to a text: one edit for each label that changes something.

    An edit has the score and the name of its label, and may touch the next. Only an exchange of
    two tokens is one edit of both; its score is the lesser of the two. Where a token is inserted,
    deleted, or becomes a token that is written otherwise (a word becomes a comma), the blanks
    beside it are made right; all others stay. Labels that cannot be done change nothing
    (`resolve_labels` says which), and so does a merge of tokens without a blank between them.

    Args:
        text: What was tagged.
        tokens: Of the text, in its order, without $START.
        labels: One for $START and one for each token.
        scores: One for each label, in [0, 1]; None where the tagger does not say.
        transforms: What labels may name.
        language: Code; decides where blanks stand.
        spacing: How tokens are written; None looks at this text (`detect_spacing`). Say "tokenised"
            where tokens are whatever stands between blanks, and of any tokenised corpus: a
            sentence without punctuation does not show it.

    >>> text = "我爱看书。"
    >>> tokens = [Token(letter, n, n + 1) for n, letter in enumerate(text)]
    >>> labels = ["$KEEP", "$APPEND_最", "$KEEP", "$DELETE", "$KEEP", "$REPLACE_！"]
    >>> edits = text_edits(text, tokens, labels, None, Transforms(), language="zh")
    >>> [(edit.start, edit.end, edit.replacement) for edit in edits]
    [(1, 1, '最'), (2, 3, ''), (4, 5, '！')]
    """
    results = resolve_labels([token.text for token in tokens], labels, transforms)
    blanks = Blanks(language, spacing or detect_spacing(tokens, language=language))
    tagged = _TaggedText(text, tokens, blanks)
    edits = []
    for owner, run in groupby(_changes(tagged, results), key=lambda change: change.owner):
        changes = list(run)
        replacement = "".join(change.replacement for change in changes)
        score = None
        if scores is not None:
            together = 2 if labels[owner] == MERGE_SWAP else 1
            score = min(scores[owner : owner + together])
        edits.append(TextEdit(changes[0].start, changes[-1].end, replacement, score, labels[owner]))
    return tuple(edits)


class _EditPart(NamedTuple):
    """A part of an edit: a span, what stands there instead, and the place of the label."""

    start: int
    end: int
    replacement: str
    owner: int


class _Neighbour(NamedTuple):
    """The word on one side of a gap, as it was and as it is; None at the ends of a text."""

    old: str
    new: str


class _TaggedText(NamedTuple):
    """A text, its tokens, and where blanks belong."""

    text: str
    tokens: Sequence[Token]
    blanks: Blanks

    def start(self, outcome: TokenOutcome | None) -> int:
        """The first character of an outcome; None is the end of the text."""
        return len(self.text) if outcome is None else self.tokens[outcome.first].start

    def end(self, outcome: TokenOutcome) -> int:
        """The character after the last of an outcome, of $START the first of the text."""
        return self.tokens[outcome.end - 1].end if outcome.end else 0

    def now(self, outcome: TokenOutcome) -> str:
        """Find what stands in the place of tokens; those in exchange keep what divides them."""
        if outcome.end - outcome.first == 2 and outcome.first >= 0:
            left, right = self.tokens[outcome.first : outcome.end]
            return right.text + self.text[left.end : right.start] + left.text
        return " ".join(outcome.words)

    def side(self, outcome: TokenOutcome | None, *, left: bool) -> _Neighbour | None:
        """Describe an outcome to its neighbour; None at the ends."""
        if outcome is None or outcome.first < 0:
            return None
        token = self.tokens[outcome.end - 1 if left else outcome.first]
        return _Neighbour(token.text, outcome.words[-1 if left else 0])


def _changes(tagged: _TaggedText, results: Sequence[TokenOutcome]) -> Iterator[_EditPart]:
    """Yield all changes in the order of the text, those of one label next to one another."""
    places = [at for at, outcome in enumerate(results) if outcome.words or outcome.first < 0]
    for at, following in pairwise((*places, len(results))):
        left = results[at]
        right = results[following] if following < len(results) else None
        if left.words:
            start, end = tagged.start(left), tagged.end(left)
            now = tagged.now(left)
            if now != tagged.text[start:end]:
                yield _EditPart(start, end, now, left.first + 1)
        deletions = results[at + 1 : following]
        if deletions:
            yield from _delete(tagged, left, deletions, right)
        elif left.behind:
            yield from _insert(tagged, left, right)
        elif right is not None and left.words:
            yield from _respace(tagged, left, right)


def _respace(tagged: _TaggedText, left: TokenOutcome, right: TokenOutcome) -> Iterator[_EditPart]:
    """Yield the change of the blank between two neighbours that stand, if there is one."""
    start, end = tagged.end(left), tagged.start(right)
    gap = tagged.text[start:end]
    left_side, right_side = tagged.side(left, left=True), tagged.side(right, left=False)
    changed = left_side is not None and left_side.old != left_side.new
    blanks = tagged.blanks
    new = gap if left.joint is None else left.joint
    differs = changed or (right_side is not None and right_side.old != right_side.new)
    if left.joint is None and left_side and right_side and differs:
        blank = blanks.wants(left_side.new, right_side.new)
        if blank != blanks.wants(left_side.old, right_side.old):
            new = _blank(blank, gap)
        elif blanks.fuses(left_side.new, right_side.new) and not blanks.fuses(
            left_side.old, right_side.old
        ):
            new = gap or " "
    if new != gap:
        owner = left if changed or left.joint is not None else right
        yield _EditPart(start, end, new, owner.first + 1)


def _insert(
    tagged: _TaggedText, left: TokenOutcome, right: TokenOutcome | None
) -> Iterator[_EditPart]:
    """Yield the insertion behind a token whose neighbour stands, with its blanks."""
    start, end = tagged.end(left), tagged.start(right)
    gap = tagged.text[start:end]
    # White space at the head of a text stays before what is inserted there.
    before, after = _around(tagged, left, right, gap, gap if left.words else "")
    new = before + left.behind + after
    if gap and new.endswith(gap):
        yield _EditPart(start, start, new[: -len(gap)], left.first + 1)
    elif gap and new.startswith(gap):
        yield _EditPart(end, end, new[len(gap) :], left.first + 1)
    else:
        yield _EditPart(start, end, new, left.first + 1)


def _around(
    tagged: _TaggedText, left: TokenOutcome, right: TokenOutcome | None, first: str, last: str
) -> tuple[str, str]:
    """Find the blanks on both sides of an insertion; `first` and `last` are the old ones.

    White space at the ends of a text stays there.
    """
    left_side, right_side = tagged.side(left, left=True), tagged.side(right, left=False)
    before, after = first, last
    if left_side is not None:
        blank = tagged.blanks.wants(left_side.new, left.behind)
        before = first if blank is None and right_side is not None else " " * bool(blank)
    if right_side is not None:
        after = _blank(tagged.blanks.wants(left.behind, right_side.new), last)
    return before, after


def _blank(blank: bool | None, old: str) -> str:
    """Choose the blank that is wanted, like the old one where there is one."""
    if blank is None:
        return old
    return (old or " ") if blank else ""


def _delete(
    tagged: _TaggedText,
    left: TokenOutcome,
    outcomes: Sequence[TokenOutcome],
    right: TokenOutcome | None,
) -> Iterator[_EditPart]:
    """Yield what deletes tokens between two that stand, with an insertion before them."""
    ends = [tagged.end(left), *(tagged.end(outcome) for outcome in outcomes)]
    starts = [*(tagged.start(outcome) for outcome in outcomes), tagged.start(right)]
    gaps = [tagged.text[end:start] for end, start in zip(ends, starts, strict=True)]
    new = _close_gap(tagged, left, right, gaps)
    if left.behind:
        before, new = _around(tagged, left, right, gaps[0], gaps[-1])
        yield _EditPart(ends[0], ends[0], before + left.behind, left.first + 1)
    if new == gaps[0]:  # each takes the blank behind it along
        bounds, new = starts, ""
    elif new == gaps[-1]:  # the blank before it
        bounds, new = ends, ""
    else:
        bounds = [ends[0], *starts[1:]]
    for outcome, (start, end) in zip(outcomes, pairwise(bounds), strict=True):
        yield _EditPart(start, end, new if outcome is outcomes[-1] else "", outcome.first + 1)


def _close_gap(
    tagged: _TaggedText, left: TokenOutcome, right: TokenOutcome | None, gaps: Sequence[str]
) -> str:
    """Find what divides two tokens after all between them are gone."""
    left_side, right_side = tagged.side(left, left=True), tagged.side(right, left=False)
    if left_side is None:
        return gaps[0]
    if right_side is None:
        return gaps[-1]
    if left.joint is not None:
        return left.joint
    blank = tagged.blanks.wants(left_side.new, right_side.new)
    if blank is None:
        return gaps[0] if left_side.new[-1].isascii() and left_side.new[-1].isalnum() else gaps[-1]
    return _blank(blank, next(filter(None, gaps), ""))


# Edits of edits: what several rounds did to a text, as one list of edits of the first text.


class _PlacedEdit(NamedTuple):
    """An edit over the text between the rounds.

    Args:
        start: First character there; half-open span.
        end: Character after the last.
        edit: As it was given.
        late: Whether it is one of the second edits.
    """

    start: int
    end: int
    edit: TextEdit
    late: bool


def compose(
    first: Sequence[TextEdit], second: Sequence[TextEdit], source: str
) -> tuple[TextEdit, ...]:
    """Join two lists of edits, one after the other, to edits of the source.

    Edits that have nothing to do with one another stay as they are. Those that overlap, and
    those where one is an insertion behind the other or at the place of a deletion, become one:
    its score is the least of theirs, its label all of theirs in the order of the text. What the
    second edits undo disappears, and what they leave of the source is cut off at the ends,
    though never inside a word.

    Args:
        first: Of the source.
        second: Of the text that the first make.
        source: The first text.

    Raises:
        EditError: Edits are out of order, overlap, or end after their text.

    >>> compose([TextEdit(0, 1, "a")], [TextEdit(1, 1, "b"), TextEdit(2, 3, "")], "xyz")
    (TextEdit(start=0, end=1, replacement='ab', score=None, label=None), TextEdit(start=2, end=3, \
replacement='', score=None, label=None))
    """
    between = apply(first, source)
    apply(second, between)  # raises where they do not fit
    edits = []
    shift = 0  # from the source to the text between, in characters, before a group
    for group in _group_edits(first, second):
        edit, shift = _merge(group, shift, between)
        rest = _trim(edit, source) if len(group) > 1 else edit
        if rest is not None:
            edits.append(rest)
    return tuple(edits)


def _group_edits(
    first: Sequence[TextEdit], second: Sequence[TextEdit]
) -> Iterator[list[_PlacedEdit]]:
    """Yield edits that belong together, in the order of the text between."""
    placed = [_PlacedEdit(edit.start, edit.end, edit, late=True) for edit in second]
    shift = 0
    for edit in first:
        start = edit.start + shift
        placed.append(_PlacedEdit(start, start + len(edit.replacement), edit, late=False))
        shift += len(edit.replacement) - (edit.end - edit.start)
    # At one place deletions come first, then insertions, then what has characters there.
    placed.sort(key=lambda part: (part.start, part.end, part.late))
    group: list[_PlacedEdit] = []
    for part in placed:
        if group and not any(_interact(other, part) for other in group):
            yield group
            group = []
        group.append(part)
    if group:
        yield group


def _interact(first: _PlacedEdit, second: _PlacedEdit) -> bool:
    """Say whether two edits become one."""
    if first.late == second.late:
        return False
    early, late = (second, first) if first.late else (first, second)
    if early.start == early.end:
        return late.start <= early.start <= late.end
    if late.start == late.end == early.end:
        return True
    return early.start < late.end and late.start < early.end


def _merge(group: Sequence[_PlacedEdit], shift: int, between: str) -> tuple[TextEdit, int]:
    """Merge a group to an edit of the source, and the shift behind it."""
    start, end = min(part.start for part in group), max(part.end for part in group)
    after = shift + sum(
        (part.end - part.start) - (part.edit.end - part.edit.start)
        for part in group
        if not part.late
    )
    late = [
        TextEdit(part.start - start, part.end - start, part.edit.replacement)
        for part in group
        if part.late
    ]
    scores = [part.edit.score for part in group if part.edit.score is not None]
    labels = [part.edit.label for part in group if part.edit.label is not None]
    edit = TextEdit(
        start - shift,
        end - after,
        apply(late, between[start:end]),
        min(scores, default=None),
        " ".join(labels) if labels else None,
    )
    return edit, after


def _trim(edit: TextEdit, source: str) -> TextEdit | None:
    """Cut from an edit what it leaves as it is at its ends; None if nothing remains."""
    old, new = source[edit.start : edit.end], edit.replacement
    if old == new:
        return None
    before, behind = source[: edit.start][-1:], source[edit.end :][:1]
    length = min(len(old), len(new))
    head = next((n for n in range(length) if old[n] != new[n]), length)
    while head and _in_word(old[:head], old[head:] + behind, new[head:] + behind):
        head -= 1
    rest = range(1, length - head + 1)
    tail = next((n - 1 for n in rest if old[-n] != new[-n]), length - head)
    while tail and _in_word(
        old[len(old) - tail :][::-1],
        (before + old[: len(old) - tail])[::-1],
        (before + new[: len(new) - tail])[::-1],
    ):
        tail -= 1
    return TextEdit(
        edit.start + head, edit.end - tail, new[head : len(new) - tail], edit.score, edit.label
    )


def _in_word(before: str, old: str, new: str) -> bool:
    """Say whether a cut behind what stays goes through a word, of either text."""
    return in_spaced_word(before[-1:]) and (in_spaced_word(old[:1]) or in_spaced_word(new[:1]))
