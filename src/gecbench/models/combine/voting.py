"""Which of the proposed changes are kept, and why the others are not."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from gecbench.backends import need
from gecbench.core.edit import Edit, check
from gecbench.core.errors import CorpusError, FormatError, UnknownNameError, UsageError
from gecbench.core.sample import Rewrite
from gecbench.formats.m2 import BARS, NONE, NOOP, NOT_ANNOTATED
from gecbench.lang.en.alignment import levenshtein_similarity
from gecbench.models.combine.candidates import Candidate, Similar
from gecbench.text.tokens import spans

# Rules: how many votes each system has, and how many a change needs.

Relaxation = Literal["none", "code", "paper"]
RELAXATIONS: tuple[Relaxation, ...] = get_args(Relaxation)
"""Names of the thresholds that word order and spelling can have; see `VotingRule`."""

_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number of votes that a change needs, or has to exceed.

    Args:
        votes: A sum of weights.
        exclusive: Whether a change needs more than that.
    """

    votes: Fraction
    exclusive: bool = False

    def __str__(self) -> str:
        return f"{'more than' if self.exclusive else 'at least'} {format_votes(self.votes)}"

    def admits(self, votes: Fraction) -> bool:
        """Say whether so many votes are enough."""
        return votes > self.votes if self.exclusive else votes >= self.votes


@dataclass(frozen=True, slots=True)
class VotingRule:
    """Weights of the systems, and the threshold for each kind of change.

    Args:
        weights: Votes of each system, above 0.
        threshold: Votes that a change needs; None is the strict majority: more than half.
        relaxed: For changes of word order and of spelling: "none" treats them as all others;
            "code" asks for one vote less, as MuCGEC's `rule_ensemble.py` does (votes >= T - 1);
            "paper" for half of the votes less one, as its paper says (votes >= N/2 - 1); a
            number for just so many. One vote is the mean weight.
        by_type: Votes that changes of a type need, before all else: of `order`, of `spelling`,
            or by label, where "R" means "R:NOUN" too and the longest name counts.
        veto: Keep a sentence as it is where so many systems change nothing in it that the others
            could not reach the threshold; this can only touch what has a lower threshold.

    Raises:
        UsageError: There is no system, or a threshold is above all votes together.
    """

    weights: tuple[Fraction, ...]
    threshold: Fraction | None = None
    relaxed: Relaxation | Fraction = "none"
    by_type: Mapping[str, Fraction] = field(default_factory=dict)
    veto: bool = False

    def __post_init__(self) -> None:
        if not self.weights:
            raise UsageError("no system is given, so there is nothing to combine")
        thresholds = {f"the threshold of {name}": votes for name, votes in self.by_type.items()}
        if self.threshold is not None:
            thresholds["the threshold"] = self.threshold
        if isinstance(self.relaxed, Fraction):
            thresholds["the relaxed threshold"] = self.relaxed
        for name, votes in thresholds.items():
            if votes > self.total:
                raise UsageError(
                    f"{name} is {format_votes(votes)}, but all systems together have "
                    f"{format_votes(self.total)} vote{'s' * (self.total != 1)}, so nothing "
                    "could be kept; lower it"
                )

    @property
    def total(self) -> Fraction:
        """All votes together."""
        return sum(self.weights, Fraction())

    @property
    def default_threshold(self) -> Threshold:
        """What a change needs that is neither of word order nor of spelling."""
        if self.threshold is None:
            return Threshold(self.total / 2, exclusive=True)
        return Threshold(self.threshold)

    @property
    def relaxed_threshold(self) -> Threshold:
        """What changes of word order and of spelling need."""
        if isinstance(self.relaxed, Fraction):
            return Threshold(self.relaxed)
        vote, default = self.total / len(self.weights), self.default_threshold
        if self.relaxed == "code":
            return Threshold(default.votes - vote, default.exclusive)
        return default if self.relaxed == "none" else Threshold(self.total / 2 - vote)

    @property
    def uses_spelling(self) -> bool:
        """Whether it matters which changes are of spelling."""
        return self.relaxed != "none" or "spelling" in self.by_type

    def threshold_of(self, candidate: Candidate) -> Threshold:
        """Choose the threshold of a change."""
        if (name := self.type_of(candidate)) is not None:
            return Threshold(self.by_type[name])
        return self.default_threshold if candidate.kind is None else self.relaxed_threshold

    def type_of(self, candidate: Candidate) -> str | None:
        """Find the name in `by_type` that counts for a change; None where none does."""
        if candidate.kind is not None and candidate.kind in self.by_type:
            return candidate.kind
        labels = [f"{edit.label or ''}:" for edit in candidate.edits]
        names = (n for n in self.by_type if any(label.startswith(f"{n}:") for label in labels))
        return max(names, key=len, default=None)

    def describe(self) -> str:
        """Describe the rule in a few words."""
        parts = [f"{self.default_threshold} of {format_votes(self.total)} votes"]
        if self.relaxed != "none":
            name = self.relaxed if isinstance(self.relaxed, str) else "by number"
            parts.append(f"word order and spelling {self.relaxed_threshold} ({name})")
        parts += [f"{name} at least {format_votes(n)}" for name, n in self.by_type.items()]
        return "; ".join([*parts, *["veto of unchanged"] * self.veto])


def parse_votes(value: float | str | Fraction, what: str) -> Fraction:
    """Parse a number above 0 exactly as it was written, so that sums of votes have no noise.

    Args:
        value: 0.3 means three tenths, not the nearest binary fraction.
        what: What it is, for the message.

    Raises:
        UsageError: It is no number above 0.

    >>> parse_votes(0.1, "a") + parse_votes("0.2", "b") == parse_votes(0.3, "c")
    True
    """
    votes = Fraction()
    if isinstance(value, Fraction):
        votes = value
    elif isinstance(value, str):
        votes = Fraction(value) if _NUMBER.fullmatch(value) else votes
    elif not isinstance(value, bool) and math.isfinite(value):
        votes = Fraction(repr(value))
    if votes <= 0:
        raise UsageError(f"{what} is {value!r}; it must be a number above 0, as 1 or 0.5")
    return votes


def parse_relaxed(value: float | str | Fraction, what: str = "relaxed") -> Relaxation | Fraction:
    """Parse the threshold of word order and spelling, from its name or number.

    Raises:
        UsageError: It is neither a name nor a number above 0.
    """
    for name in RELAXATIONS:
        if value == name:
            return name
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise UsageError(f"{what} is {value!r}; it is {', '.join(RELAXATIONS)} or a number above 0")
    return parse_votes(value, what)


def parse_weights(names: Sequence[str], weights: Mapping[str, float | str]) -> tuple[Fraction, ...]:
    """Parse the weight of each system: 1 where there is none.

    Raises:
        UsageError: A weight is no number above 0, or of a system that does not take part.
    """
    for name in weights:
        if name not in names:
            raise UnknownNameError("system of a weight:", name, names)
    return tuple(parse_votes(weights.get(name, 1), f"the weight of {name}") for name in names)


def format_votes(votes: Fraction) -> str:
    """Format a number of votes as people read it."""
    return f"{float(votes):.6g}"


# Decisions: which changes have votes enough, and which of those that overlap is taken.

VoteOutcome = Literal["kept", "too few votes", "unchanged by most", "overlap"]
OUTCOMES: tuple[VoteOutcome, ...] = get_args(VoteOutcome)


class VoteDecision(NamedTuple):
    """What became of a change.

    Args:
        candidate: The change.
        votes: Weights of its backers together.
        outcome: "kept", or why not.
    """

    candidate: Candidate
    votes: Fraction
    outcome: VoteOutcome


@dataclass(slots=True)
class VoteTally:
    """How many changes were kept and why others were not, by how many systems proposed them."""

    counts: Counter[tuple[int, VoteOutcome]] = field(default_factory=Counter)
    changed: int = 0
    sentences: int = 0

    def add(self, outcomes: Iterable[tuple[int, VoteOutcome]]) -> None:
        """Count the changes of one more sentence: their numbers of backers and outcomes."""
        rows = list(outcomes)
        self.counts.update(rows)
        self.sentences += 1
        self.changed += any(outcome == "kept" for _, outcome in rows)

    def of(self, outcome: VoteOutcome) -> int:
        """Count how many changes had an outcome."""
        return sum(count for (_, name), count in self.counts.items() if name == outcome)


def decide(candidates: Sequence[Candidate], rule: VotingRule) -> list[VoteDecision]:
    """Decide what becomes of each change of a sentence, in the order of `candidates`.

    Of changes that reach their threshold and overlap, the one with more votes is kept; of as
    many, the one that its backers are surer of; then the one that begins first, then the shorter.
    Two insertions at one place overlap; an insertion beside a changed span does not.

    Args:
        candidates: All that the systems propose, of `collect_candidates`.
        rule: Weights and thresholds.
    """

    def weight(systems: Iterable[int]) -> Fraction:
        return sum((rule.weights[system] for system in systems), Fraction())

    def rank(at: int) -> tuple[object, ...]:
        score = candidates[at].score
        return -votes[at], 1.0 if score is None else -score, candidates[at].key

    votes = [weight(candidate.backers) for candidate in candidates]
    outcomes: list[VoteOutcome] = ["too few votes"] * len(candidates)
    eligible = [at for at, c in enumerate(candidates) if rule.threshold_of(c).admits(votes[at])]
    active = frozenset[int]().union(*(candidate.backers for candidate in candidates))
    veto = rule.veto and not rule.default_threshold.admits(weight(active))
    edits: list[Edit] = []
    for at in sorted(eligible, key=rank):
        if veto:
            outcomes[at] = "unchanged by most"
        elif any(_overlap(edit, other) for edit in candidates[at].edits for other in edits):
            outcomes[at] = "overlap"
        else:
            outcomes[at] = "kept"
            edits += candidates[at].edits
    return [VoteDecision(*row) for row in zip(candidates, votes, outcomes, strict=True)]


def select_edits(decisions: Iterable[VoteDecision], total: Fraction) -> list[tuple[Edit, float]]:
    """Select the edits to keep in the order of their spans, with their shares of all votes."""
    edits = [
        (edit, float(votes / total))
        for candidate, votes, outcome in decisions
        if outcome == "kept"
        for edit in candidate.edits
    ]
    return sorted(edits, key=lambda row: (row[0].start, row[0].end))


def _overlap(edit: Edit, other: Edit) -> bool:
    """Say whether two edits cannot both be applied, or insert at one place."""
    if edit.start == edit.end == other.start == other.end:
        return True
    return edit.start < other.end and other.start < edit.end


# From edits of tokens to a text that keeps the white space of its source.


def apply_to_text(
    source: str, tokens: Sequence[str], edits: Sequence[Edit], *, separator: str
) -> str:
    """Apply edits of its tokens to a source.

    White space stays where nothing changed, and at both ends. A deletion takes the white space
    before it along, unless that would join the words on its two sides.

    Args:
        source: The text.
        tokens: Its tokens, with nothing but white space between them.
        edits: In the order of their spans, with replacements.
        separator: What stands between two new tokens: "" in Chinese, " " in English.

    Raises:
        EditError: Edits overlap, or one ends after the source.
        CorpusError: The tokens are not those of the text.

    >>> apply_to_text("I has  a a cat.", "I has a a cat .".split(), [Edit(2, 3, ())], separator=" ")
    'I has a cat.'
    """
    if not edits:
        return source
    check(edits, len(tokens))
    token_spans = spans(source, tokens)
    if token_spans is None:
        raise CorpusError(
            f"the tokens {' '.join(tokens[:8])!r}... are not those of the source {source[:30]!r}"
        )
    starts = [*(start for start, _ in token_spans), len(source)]
    ends = [0, *(end for _, end in token_spans)]
    gaps = [source[end:start] for end, start in zip(ends, starts, strict=True)]
    pieces: list[str] = []
    gap = gaps[0]  # the white space before whatever comes next
    position = 0
    for edit in (*edits, Edit(len(tokens), len(tokens), ())):
        for at in range(position, edit.start):
            pieces += (gap, tokens[at])
            gap = gaps[at + 1]
        position = edit.end
        new = separator.join(edit.replacement or ())
        after, at_end = gaps[position], position == len(tokens)
        if edit.start == edit.end:
            if new:
                before, gap = _insertion_gaps(gap, separator, first=not pieces, at_end=at_end)
                pieces += (before, new)
        elif new:
            pieces += (gap, new)
            gap = after
        elif pieces:
            gap = after if after or at_end else gap
        elif at_end:
            gap += after
    return "".join((*pieces, gap))


def _insertion_gaps(gap: str, separator: str, *, first: bool, at_end: bool) -> tuple[str, str]:
    """Choose what stands before and after new words where a gap was."""
    if first:
        return gap, "" if at_end else separator
    if gap and separator and not at_end:
        return gap, separator
    return separator, gap  # no gap, as before a full stop, or new words follow those before


# Which substitutions of Chinese characters are spelling errors: by sound, by shape and sound.
#
# The test of ChERRANT (cherrant_spec, section 10; modules/classifier.py, utils/char_smi.py of
# MuCGEC 3922193): texts of one length that have the same characters, or whose characters are alike
# at each place where they differ. Alike are two that share a reading without its tone, or whose
# shapes and sounds are together similar enough.

_SIMILAR = 0.8
"""Similarity of shape, at most 1, and of sound, at most 1, must add up to this."""

_HAN = range(0x3400, 0x323B0)


class _Character(NamedTuple):
    """A character of the table.

    Args:
        sounds: For each of five languages its readings; () where it has none.
        shapes: How it is put together: sequences of parts, one or several.
    """

    sounds: tuple[tuple[str, ...], ...]
    shapes: tuple[str, ...]

    def similarity(self, other: _Character) -> float:
        """Compute the similarity of shape plus the mean one of sound in languages with both."""
        pairs = [(a, b) for a, b in zip(self.sounds, other.sounds, strict=False) if a and b]
        sounds = [_similarity(a, b) for a, b in pairs]
        sound = sum(sounds) / len(sounds) if sounds else 0.0
        return _similarity(self.shapes, other.shapes) + sound


def _similarity(lefts: Sequence[str], rights: Sequence[str]) -> float:
    return max(levenshtein_similarity(left, right) for left in lefts for right in rights)


def by_shape_and_sound(path: Path | str, lines: Sequence[str]) -> Similar:
    """Build ChERRANT's test; the table is parsed when it is first needed.

    Args:
        path: Of the table, for errors.
        lines: Of `char_meta.txt`: TAB-separated code point, character, readings in five languages,
            decompositions.

    Raises:
        MissingExtraError: pypinyin is not installed.
    """
    same_sound = _same_sound()
    characters = cache(partial(_read_characters, path, lines))

    def alike(left: str, right: str) -> bool:
        table = characters()
        if left not in table or right not in table:
            return False
        return table[left].similarity(table[right]) >= _SIMILAR or same_sound(left, right)

    return _of_texts(alike)


def by_sound() -> Similar:
    """Build a test that needs no table: Han characters that share a reading without its tone.

    Raises:
        MissingExtraError: pypinyin is not installed.
    """
    same_sound = _same_sound()
    return _of_texts(lambda a, b: ord(a) in _HAN and ord(b) in _HAN and same_sound(a, b))


def _of_texts(alike: Callable[[str, str], bool]) -> Similar:
    """Build the test of texts that a test of characters makes."""
    alike = cache(alike)

    def similar(left: str, right: str) -> bool:
        if len(left) != len(right):
            return False
        return sorted(left) == sorted(right) or all(
            a == b or alike(a, b) for a, b in zip(left, right, strict=True)
        )

    return similar


def _same_sound() -> Callable[[str, str], bool]:
    need("zh", "pypinyin", what="pypinyin, which tells spelling errors,")
    import pypinyin  # 0.3 s that other rules need not pay

    @cache
    def readings(character: str) -> frozenset[str]:
        style = pypinyin.Style.NORMAL
        return frozenset(pypinyin.pinyin(character, style=style, heteronym=True)[0])

    return lambda left, right: not readings(left).isdisjoint(readings(right))


def _read_characters(path: Path | str, lines: Sequence[str]) -> dict[str, _Character]:
    """Read the characters of a table."""
    characters = {}
    for n, line in enumerate(lines, 1):
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) < 4 or len(fields[1]) != 1 or not all(fields):
            raise FormatError(
                f"{path}:{n}: {line[:40]!r} is no row of char_meta.txt: code point, character, "
                "readings and decompositions with TABs between them"
            )
        sounds = tuple(
            tuple(sound for sound in text.split(",") if sound not in ("", "null"))
            for text in fields[2].split(";")
        )
        characters[fields[1]] = _Character(sounds, tuple(fields[3:]))
    return characters


# The rule mucgec-official: MuCGEC's ensemble as its programs compute it, faults and all.
#
# `rule_ensemble.py` and `m2convertor.py` of MuCGEC 3922193 (cherrant_spec, section 10). What they
# do and the rule votes does not:
#
# - the veto of "no error" counts as if there were six systems, however many there are;
# - edits that overlap are taken by their start alone: votes do not count, and of those that begin
#   at one place the first system's is taken;
# - W and spelling errors need one vote less, so that of two systems one is enough;
# - types are looked for in the whole line, so that a correction that is the letter W counts as word
#   order;
# - a text loses an insertion at its beginning where a replacement of the first token follows.

_SYSTEMS = 6
"""How many there are in the paper; the program counts with it whatever is given."""


class OfficialLine(NamedTuple):
    """An A line, which is all that the program compares.

    Args:
        start: Token; -1 where there is no edit.
        end: Token; -1 where there is no edit.
        label: The type.
        correction: Tokens with spaces between them, -NONE- for none.
    """

    start: int
    end: int
    label: str
    correction: str

    def __str__(self) -> str:
        """Write the line as M2 has it."""
        return BARS.join(
            (f"A {self.start} {self.end}", self.label, self.correction, "REQUIRED", NONE, "0")
        )

    def has(self, label: str) -> bool:
        """Say whether the program takes it for one of this type."""
        return f"{BARS}{label}{BARS}" in str(self)


_NO_ERROR = OfficialLine(-1, -1, NOOP, NONE)


class OfficialResult(NamedTuple):
    """What the program makes of a sentence.

    Args:
        lines: That it keeps, in its order; the one of "no error" where nothing is kept.
        outcomes: Number of systems and outcome of each line that is an edit.
    """

    lines: tuple[OfficialLine, ...]
    outcomes: tuple[tuple[int, VoteOutcome], ...]


def format_lines(rewrite: Rewrite, tokens: Sequence[str]) -> tuple[OfficialLine, ...]:
    """Write the A lines of what a system made of a sentence: of its first edit set."""
    if rewrite.unannotatable:
        return (_NO_ERROR._replace(label=NOT_ANNOTATED),)
    if not any(rewrite.edit_sets):
        return (_NO_ERROR,)
    return tuple(_line(edit, tokens) for edit in rewrite.edit_sets[0])


def _line(edit: Edit, tokens: Sequence[str]) -> OfficialLine:
    """Write an edit as M2 has it; what is only detected stands beside the source itself."""
    replacements = edit.alternatives
    if edit.replacement is not None:
        replacements = (edit.replacement, *replacements)
    elif not replacements:
        replacements = (tuple(tokens[edit.start : edit.end]),)
    correction = "||".join(" ".join(words) or NONE for words in replacements)
    return OfficialLine(edit.start, edit.end, edit.label or "", correction)


def combine_lines(
    tokens: Sequence[str],
    systems: Sequence[Sequence[OfficialLine]],
    threshold: int,
    similar: Similar,
) -> OfficialResult:
    """Find what `rule_ensemble.py` keeps of the edits of one sentence.

    Args:
        tokens: Of the source.
        systems: Lines of each system, in the order in which the systems are given.
        threshold: T.
        similar: ChERRANT's test of spelling errors, `voting.by_shape_and_sound`.
    """
    votes = Counter(line for lines in systems for line in lines)  # in order of first appearance
    outcomes: dict[OfficialLine, VoteOutcome] = {
        line: "too few votes" for line in votes if line != _NO_ERROR
    }
    eligible = [n for n in outcomes if _has_votes(n, votes[n], tokens, threshold, similar)]
    veto = votes[_NO_ERROR] > _SYSTEMS - threshold
    lines: list[OfficialLine] = []
    for line in sorted(eligible, key=lambda line: line.start):
        last = lines[-1] if lines else None
        if veto:
            outcomes[line] = "unchanged by most"
        elif last and (line.start < last.end or line[:2] == last[:2]):
            outcomes[line] = "overlap"
        else:
            outcomes[line] = "kept"
            lines.append(line)
    rows = tuple((votes[line], outcome) for line, outcome in outcomes.items())
    return OfficialResult(tuple(lines) or (_NO_ERROR,), rows)


def format_block(tokens: Sequence[str], lines: Iterable[OfficialLine]) -> str:
    """Write a sentence to M2 as the program does: without a line of the target."""
    return "\n".join((f"S {' '.join(tokens)}", *map(str, lines), "", ""))


def convert_lines(tokens: Sequence[str], lines: Iterable[OfficialLine]) -> str:
    """Build the text that `m2convertor.py` makes of lines, with spaces between its tokens."""
    words = list(tokens)
    for line in lines:
        if line.start == -1:
            continue
        if line.start < line.end:
            new = "" if line.correction == NONE else line.correction
            words[line.start : line.end] = [new, *[""] * (line.end - line.start - 1)]
        elif line.start:
            words[line.start - 1] += f" {line.correction}"
        else:
            words[0] = f"{line.correction} {words[0]}"
    return re.sub(" +", " ", " ".join(words).strip())


def _has_votes(
    line: OfficialLine, votes: int, tokens: Sequence[str], threshold: int, similar: Similar
) -> bool:
    """Say whether a line has votes enough: T, or T - 1 for word order and spelling."""
    if votes >= threshold:
        return True
    if votes < threshold - 1:
        return False
    if line.has("W"):
        return True
    source = "".join(tokens[line.start : line.end])
    return line.has("S") and similar(source, line.correction.replace(" ", ""))
