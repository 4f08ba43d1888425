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

from gecbench.analysis.sentences import Output, Reference, SentenceRow
from gecbench.core.edit import Edit
from gecbench.core.score import Counts
from gecbench.lang import language_of
from gecbench.text.tokens import Spans, spans

_UNJUDGED = -1


class Change(NamedTuple):
    """An edit over characters: half-open span; None as text means found, not corrected."""

    start: int
    end: int
    text: str | None
    label: str


def compressed(value: object) -> str:
    """Return JSON as gzip in base64; the same value gives the same text."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    raw = gzip.compress(text.encode("utf-8", errors="replace"), compresslevel=9, mtime=0)
    return base64.b64encode(raw).decode("ascii")


def changes(edits: Sequence[Edit], places: Spans, between: str) -> list[Change]:
    """Return edits over tokens as replacements of characters.

    Args:
        edits: Over the tokens.
        places: Character span of each token.
        between: What stands between tokens: a blank, or nothing in Chinese.
    """
    return [_change(edit, places, between) for edit in edits]


def _change(edit: Edit, places: Spans, between: str) -> Change:
    text = None if edit.replacement is None else between.join(edit.replacement)
    before = places[edit.start - 1][1] if edit.start else 0
    label = edit.label or ""
    if edit.start == edit.end:
        if edit.start and between:
            return Change(before, before, text and between + text, label)
        at = places[edit.start][0] if edit.start < len(places) else before
        return Change(at, at, text and text + between * bool(places), label)
    start, end = places[edit.start][0], places[edit.end - 1][1]
    if text == "" and between:
        if edit.start:
            start = before
        elif edit.end < len(places):
            end = places[edit.end][0]
    return Change(start, end, text, label)


def made(source: str, found: Sequence[Change]) -> str:
    """Return what changes of one set make of a source, as the page does.

    Of two that overlap the first counts; insertions at one place follow one another.
    """
    kept: list[Change] = []
    for one in found:
        if not any(_cross(one, other) for other in kept):
            kept.append(one)
    parts, done = [], 0
    for one in sorted(kept, key=lambda change: change[:2]):
        if one.text is not None:
            parts += [source[done : one.start], one.text]
            done = one.end
    return "".join(parts) + source[done:]


def _cross(one: Change, other: Change) -> bool:
    return one.start < other.end and other.start < one.end


class Lists:
    """Lists of numbers, one after another in a column."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.values: list[int] = []

    def add(self, values: Sequence[int]) -> None:
        """Add a list."""
        self.counts.append(len(values))
        self.values += values

    @property
    def packed(self) -> dict[str, list[int]]:
        """As JSON."""
        return {"counts": self.counts, "values": self.values}


@dataclass(slots=True)
class _References:
    counts: list[int] = field(default_factory=list)
    states: list[str | None] = field(default_factory=list)
    annotators: list[str | None] = field(default_factory=list)
    edits: Lists = field(default_factory=Lists)
    weights: list[float] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    firsts: dict[int, int] = field(default_factory=dict)

    @property
    def packed(self) -> dict[str, object]:
        return {
            "counts": self.counts,
            "states": self.states,
            "annotators": self.annotators,
            "edits": self.edits.packed,
            "weights": self.weights,
            "texts": self.texts,
            "firsts": self.firsts,
        }


@dataclass(slots=True)
class _Outputs:
    states: list[str | None] = field(default_factory=list)
    reference: list[int] = field(default_factory=list)
    made: Lists = field(default_factory=Lists)
    verdicts: list[int] = field(default_factory=list)
    missed: Lists = field(default_factory=Lists)
    counts: list[int] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    firsts: dict[int, int] = field(default_factory=dict)

    @property
    def packed(self) -> dict[str, object]:
        return {
            "states": self.states,
            "reference": self.reference,
            "made": self.made.packed,
            "verdicts": self.verdicts,
            "missed": self.missed.packed,
            "counts": self.counts,
            "texts": self.texts,
            "firsts": self.firsts,
        }


@dataclass(slots=True)
class _Pool:
    """The distinct edits of each sentence, over all references and systems."""

    strings: dict[str, int] = field(default_factory=dict)
    counts: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    text: list[int] = field(default_factory=list)
    label: list[int] = field(default_factory=list)
    alternatives: dict[int, list[str]] = field(default_factory=dict)
    makers: Lists = field(default_factory=Lists)
    types: Counter[str] = field(default_factory=Counter)
    here: dict[Change, int] = field(default_factory=dict)

    def string(self, text: str) -> int:
        """Return the number of a string."""
        return self.strings.setdefault(text, len(self.strings))

    def open(self) -> None:
        """Begin a sentence."""
        self.here = {}

    def close(self) -> None:
        """End a sentence."""
        self.counts.append(len(self.here))

    def add(self, change: Change, alternatives: Sequence[str], makers: Sequence[int]) -> int:
        """Return the place of an edit among those of its sentence."""
        if change not in self.here:
            self.here[change] = len(self.here)
            if alternatives:
                self.alternatives[len(self.start)] = list(alternatives)
            self.start.append(change.start)
            self.end.append(change.end)
            self.text.append(-1 if change.text is None else self.string(change.text))
            self.label.append(self.string(change.label))
            self.makers.add(makers)
            self.types[change.label] += 1
        return self.here[change]

    @property
    def packed(self) -> dict[str, object]:
        """As JSON."""
        return {
            "counts": self.counts,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "label": self.label,
            "alternatives": self.alternatives,
            "makers": self.makers.packed,
        }


class _Packer:
    def __init__(self, systems: Sequence[str], lang: str, fields: Sequence[str]) -> None:
        self.systems = systems
        self.between = language_of(lang).joiner
        self.lang = lang
        self.pool = _Pool()
        self.references = _References()
        self.outputs = [_Outputs() for _ in systems]
        self.ids: list[str] = []
        self.sources: list[str] = []
        self.lengths: list[int] = []
        self.difficulty: list[float] = []
        self.meta: dict[str, list[int | None]] = {name: [] for name in fields}
        self.makers: Mapping[Edit, Sequence[int]] = {}

    def add(self, row: SentenceRow) -> None:
        """Add a sentence."""
        source, tokens = row.sample.source, row.tokens or row.sample.tokens
        places = spans(source, tokens) if tokens else ()
        if places is None:  # a file whose tokens are not those of its text
            source = self.between.join(tokens)
            places = spans(source, tokens) or ()
        self.ids.append(row.sample.id)
        self.sources.append(source)
        self.lengths.append(len(tokens) or self._length(source))
        if row.difficulty is not None:
            self.difficulty.append(round(row.difficulty, 4))
        for name, values in self.meta.items():
            value = row.sample.meta.get(name)
            values.append(None if value is None else self.pool.string(value))
        self.makers = row.makers
        self.pool.open()
        self.references.counts.append(len(row.references))
        for reference in row.references:
            self._reference(reference, source, places)
        for packed, output in zip(self.outputs, row.outputs, strict=True):
            self._output(packed, output, source, places)
        self.pool.close()

    def _length(self, source: str) -> int:
        words = source.split()
        return len(words) if self.between else sum(map(len, words))

    def _places(self, edits: Sequence[Edit], found: Sequence[Change]) -> list[int]:
        return [
            self.pool.add(
                change,
                [self.between.join(other) for other in edit.alternatives],
                self.makers.get(edit, ()),
            )
            for edit, change in zip(edits, found, strict=True)
        ]

    def _reference(self, reference: Reference, source: str, places: Spans) -> None:
        found = changes(reference.edits, places, self.between)
        packed = self.references
        packed.edits.add(self._places(reference.edits, found))
        packed.weights += [round(weight, 4) for weight in reference.weights]
        packed.states.append(reference.state)
        packed.annotators.append(reference.annotator)
        if reference.first is not None:
            packed.firsts[len(packed.states) - 1] = reference.first
        shown = made(source, found[: reference.first])
        if reference.text is not None and reference.text != shown:
            packed.texts[len(packed.states) - 1] = reference.text

    def _output(self, packed: _Outputs, output: Output, source: str, places: Spans) -> None:
        found = changes(output.edits, places, self.between)
        packed.made.add(self._places(output.edits, found))
        packed.verdicts += [_UNJUDGED if right is None else int(right) for right in output.right]
        missed = self._places(output.missed, changes(output.missed, places, self.between))
        packed.missed.add(list(dict.fromkeys(missed)))
        packed.reference.append(_UNJUDGED if output.reference is None else output.reference)
        packed.states.append(output.state)
        counts = output.counts or Counts()
        packed.counts += [counts.tp, counts.fp, counts.fn]
        if output.first is not None:
            packed.firsts[len(packed.states) - 1] = output.first
        shown = made(source, found[: output.first])
        if output.text is not None and output.text != shown:
            packed.texts[len(packed.states) - 1] = output.text


def packed_sentences(
    rows: Iterable[SentenceRow],
    systems: Sequence[str],
    lang: str,
    fields: Sequence[str],
    *,
    edits: bool,
    tokens: bool = False,
) -> Mapping[str, object]:
    """Return sentences as the explorer reads them.

    Args:
        rows: The sentences.
        systems: Names of the systems.
        lang: Language code of the texts.
        fields: Names of the metadata that are shown.
        edits: Whether there are edits at all.
        tokens: Whether the metric counts tokens of edits, not edits.
    """
    packer = _Packer(systems, lang, fields)
    for row in rows:
        packer.add(row)
    types = sorted(packer.pool.types, key=lambda label: (-packer.pool.types[label], label))
    return {
        "lang": "zh-Hans" if lang == "zh" else lang,
        "systems": list(systems),
        "hasEdits": edits,
        "countsTokens": tokens,
        "types": types,
        "strings": list(packer.pool.strings),
        "ids": packer.ids,
        "sources": packer.sources,
        "lengths": packer.lengths,
        "difficulty": packer.difficulty,
        "meta": packer.meta,
        "pool": packer.pool.packed,
        "references": packer.references.packed,
        "outputs": [output.packed for output in packer.outputs],
    }
