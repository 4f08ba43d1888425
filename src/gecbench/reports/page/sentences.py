"""Sentences as columns of numbers and tables of strings, for the explorer of the page.

The page's `js/data.js` reads what is written here. An edit becomes a replacement of characters
that brings its blanks with it, so that the page knows nothing of tokens and languages.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import to_builtins

from gecbench.analysis.breakdown import fifth
from gecbench.analysis.sentences import ReferenceVersion, SentenceRow, SystemVersion
from gecbench.core.edit import Edit
from gecbench.core.score import Counts
from gecbench.lang import language_of
from gecbench.text.tokens import Spans, spans

_UNJUDGED = -1


class TextChange(NamedTuple):
    """An edit over characters: half-open span; None as text means found, not corrected."""

    start: int
    end: int
    text: str | None
    label: str


def compress(value: object) -> str:
    """Write JSON as gzip in base64; the same value gives the same text."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    raw = gzip.compress(text.encode("utf-8", errors="replace"), compresslevel=9, mtime=0)
    return base64.b64encode(raw).decode("ascii")


def changes_of(edits: Sequence[Edit], places: Spans, between: str) -> list[TextChange]:
    """Turn edits over tokens into replacements of characters.

    Args:
        edits: Over the tokens.
        places: Character span of each token.
        between: What stands between tokens: a blank, or nothing in Chinese.
    """
    return [_change(edit, places, between) for edit in edits]


def _change(edit: Edit, places: Spans, between: str) -> TextChange:
    text = None if edit.replacement is None else between.join(edit.replacement)
    before = places[edit.start - 1][1] if edit.start else 0
    label = edit.label or ""
    if edit.start == edit.end:
        if edit.start and between:
            return TextChange(before, before, text and between + text, label)
        place = places[edit.start][0] if edit.start < len(places) else before
        return TextChange(place, place, text and text + between * bool(places), label)
    start, end = places[edit.start][0], places[edit.end - 1][1]
    if text == "" and between:
        if edit.start:
            start = before
        elif edit.end < len(places):
            end = places[edit.end][0]
    return TextChange(start, end, text, label)


def apply_changes(source: str, changes: Sequence[TextChange]) -> str:
    """Make the changes of one set in a source, as the page does.

    Of two that overlap the first counts; insertions at one place follow one another.
    """
    applied: list[TextChange] = []
    for change in changes:
        if not any(change.start < other.end and other.start < change.end for other in applied):
            applied.append(change)
    parts, position = [], 0
    for change in sorted(applied, key=lambda change: change[:2]):
        if change.text is not None:
            parts += [source[position : change.start], change.text]
            position = change.end
    return "".join(parts) + source[position:]


# What the page reads. Field names are the keys of its JSON.


@dataclass(slots=True)
class _Lists:
    """Lists of numbers, one after another in a column."""

    counts: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def add(self, values: Sequence[int]) -> None:
        self.counts.append(len(values))
        self.values += values


@dataclass(slots=True)
class _References:
    counts: list[int] = field(default_factory=list)
    states: list[str | None] = field(default_factory=list)
    annotators: list[str | None] = field(default_factory=list)
    edits: _Lists = field(default_factory=_Lists)
    weights: list[float] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    firsts: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Outputs:
    states: list[str | None] = field(default_factory=list)
    reference: list[int] = field(default_factory=list)
    made: _Lists = field(default_factory=_Lists)
    verdicts: list[int] = field(default_factory=list)
    missed: _Lists = field(default_factory=_Lists)
    counts: list[int] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    firsts: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Edits:
    """The distinct edits of each sentence, over all references and systems."""

    counts: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    text: list[int] = field(default_factory=list)
    label: list[int] = field(default_factory=list)
    part: list[int] = field(default_factory=list)
    alternatives: dict[int, list[str]] = field(default_factory=dict)
    makers: _Lists = field(default_factory=_Lists)


@dataclass(slots=True)
class _Columns:
    """One entry for each sentence; strings by their number."""

    ids: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    difficulty: list[float] = field(default_factory=list)
    meta: dict[str, list[int | None]] = field(default_factory=dict)
    pool: _Edits = field(default_factory=_Edits)
    references: _References = field(default_factory=_References)
    outputs: list[_Outputs] = field(default_factory=list)


class _Packer:
    def __init__(self, systems: Sequence[str], joiner: str, fields: Sequence[str]) -> None:
        self.between = joiner
        self.columns = _Columns(
            meta={name: [] for name in fields}, outputs=[_Outputs() for _ in systems]
        )
        self.strings: dict[str, int] = {}
        self.types: Counter[str] = Counter()
        # Of the sentence at hand: its text, its edits by their places, and who makes each.
        self.source = ""
        self.places: Spans = ()
        self.tokens: Sequence[str] = ()
        self.edits: dict[TextChange, int] = {}
        self.makers: Mapping[Edit, Sequence[int]] = {}

    def add(self, row: SentenceRow) -> None:
        """Add a sentence."""
        columns = self.columns
        source, tokens = row.sample.source, row.tokens or row.sample.tokens
        places = spans(source, tokens) if tokens else ()
        if places is None:  # a file whose tokens are not those of its text
            source = self.between.join(tokens)
            places = spans(source, tokens) or ()
        self.source, self.places, self.edits, self.makers = source, places, {}, row.makers
        self.tokens = tokens
        columns.ids.append(row.sample.id)
        columns.sources.append(source)
        words = source.split()
        length = len(words) if self.between else sum(map(len, words))
        columns.lengths.append(len(tokens) or length)
        if row.difficulty is not None:
            columns.difficulty.append(round(row.difficulty, 4))
        for name, values in columns.meta.items():
            value = row.sample.meta.get(name)
            values.append(None if value is None else self._string(value))
        columns.references.counts.append(len(row.references))
        for reference in row.references:
            self._add_reference(columns.references, reference)
        for packed, output in zip(columns.outputs, row.outputs, strict=True):
            self._add_output(packed, output)
        columns.pool.counts.append(len(self.edits))

    def _string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def _add_edits(self, edits: Sequence[Edit], changes: Sequence[TextChange]) -> list[int]:
        """The places of edits among those of the sentence; those that are new are added."""
        for edit, change in zip(edits, changes, strict=True):
            if change in self.edits:
                continue
            self.edits[change] = len(self.edits)
            pool = self.columns.pool
            if edit.alternatives:
                alternatives = [self.between.join(other) for other in edit.alternatives]
                pool.alternatives[len(pool.start)] = alternatives
            pool.start.append(change.start)
            pool.end.append(change.end)
            pool.text.append(-1 if change.text is None else self._string(change.text))
            pool.label.append(self._string(change.label))
            pool.part.append(fifth(edit, self.tokens))
            pool.makers.add(self.makers.get(edit, ()))
            self.types[change.label] += 1
        return [self.edits[change] for change in changes]

    def _add_reference(self, packed: _References, reference: ReferenceVersion) -> None:
        changes = changes_of(reference.edits, self.places, self.between)
        packed.edits.add(self._add_edits(reference.edits, changes))
        packed.weights += [round(weight, 4) for weight in reference.weights]
        packed.annotators.append(reference.annotator)
        self._add_text(packed, reference, changes)

    def _add_output(self, packed: _Outputs, output: SystemVersion) -> None:
        changes = changes_of(output.edits, self.places, self.between)
        packed.made.add(self._add_edits(output.edits, changes))
        packed.verdicts += [_UNJUDGED if right is None else int(right) for right in output.right]
        missed = changes_of(output.missed, self.places, self.between)
        packed.missed.add(list(dict.fromkeys(self._add_edits(output.missed, missed))))
        packed.reference.append(_UNJUDGED if output.reference is None else output.reference)
        counts = output.counts or Counts()
        packed.counts += [counts.tp, counts.fp, counts.fn]
        self._add_text(packed, output, changes)

    def _add_text(
        self,
        packed: _References | _Outputs,
        version: ReferenceVersion | SystemVersion,
        changes: Sequence[TextChange],
    ) -> None:
        """Add the state, and the text where the edits do not give it."""
        packed.states.append(version.state)
        if version.first is not None:
            packed.firsts[len(packed.states) - 1] = version.first
        text = apply_changes(self.source, changes[: version.first])
        if version.text is not None and version.text != text:
            packed.texts[len(packed.states) - 1] = version.text


def pack_sentences(
    rows: Iterable[SentenceRow],
    systems: Sequence[str],
    lang: str,
    fields: Sequence[str],
    *,
    edits: bool,
    tokens: bool = False,
    joiner: str | None = None,
    groups: Sequence[Mapping[str, object]] = (),
) -> Mapping[str, object]:
    """Write sentences as JSON values, as the explorer reads them.

    Args:
        rows: The sentences.
        systems: Names of the systems.
        lang: Language code of the texts.
        fields: Names of the metadata that are shown.
        edits: Whether there are edits at all.
        tokens: Whether the metric counts tokens of edits, not edits.
        joiner: What stands between the tokens that edits count in; None takes the language's.
        groups: Parts of the corpus to filter by, as `breakdown.sentence_groups` gives them.
    """
    packer = _Packer(systems, language_of(lang).joiner if joiner is None else joiner, fields)
    for row in rows:
        packer.add(row)
    return {
        "lang": "zh-Hans" if lang == "zh" else lang,
        "systems": list(systems),
        "hasEdits": edits,
        "countsTokens": tokens,
        "groups": list(groups),
        "types": sorted(packer.types, key=lambda label: (-packer.types[label], label)),
        "strings": list(packer.strings),
        **to_builtins(packer.columns),
    }
