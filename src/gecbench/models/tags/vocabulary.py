"""Vocabularies of labels: which labels a tagger can give."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import FormatError
from gecbench.core.files import read_lines, write_text
from gecbench.models.tags.labels import DELETE, KEEP, UNKNOWN, parts
from gecbench.models.tags.transforms import Transforms

_PADDINGS = frozenset({"@@PADDING@@", "<PAD>"})
_UNKNOWNS = frozenset({UNKNOWN, "<OOV>"})
"""What AllenNLP's vocabularies and those of gotutiyan/gector call them."""


@dataclass(frozen=True, slots=True)
class LabelVocabulary:
    """Labels in the order of a tagger's outputs; ids are looked up by name, never assumed.

    Args:
        labels: Different labels, $KEEP and @@UNKNOWN@@ among them.

    Raises:
        FormatError: A label occurs twice, or one of the two is missing.
    """

    labels: tuple[str, ...]
    _ids: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what no tagger can work with."""
        ids: dict[str, int] = {}
        for n, label in enumerate(self.labels):
            if ids.setdefault(label, n) != n:
                raise FormatError(f"label {label!r} stands twice in the vocabulary; remove one")
        for label in (KEEP, UNKNOWN):
            if label not in ids:
                raise FormatError(f"the vocabulary has no {label}; every vocabulary of labels does")
        object.__setattr__(self, "_ids", ids)

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self.labels)

    @property
    def keep(self) -> int:
        """The id of $KEEP."""
        return self._ids[KEEP]

    @property
    def unknown(self) -> int:
        """The id of @@UNKNOWN@@, which must never be predicted."""
        return self._ids[UNKNOWN]

    def id_of(self, label: str) -> int:
        """Return the id of a label; that of @@UNKNOWN@@ where it is absent."""
        return self._ids.get(label, self._ids[UNKNOWN])

    @property
    def hash(self) -> str:
        """SHA-256 of the labels in their order, hexadecimal: what weights are keyed to."""
        return sha256(json.dumps(self.labels).encode()).hexdigest()


class Released(NamedTuple):
    """A vocabulary that somebody else made, put right.

    Args:
        vocabulary: Without padding, with @@UNKNOWN@@ under our name.
        rows: For each of its labels the place in the list that was given, which is the row of
            the weights; None for what was added.
        notes: What was changed, a line each, for people.
    """

    vocabulary: LabelVocabulary
    rows: tuple[int | None, ...]
    notes: tuple[str, ...]


def build_vocabulary(
    counter: Mapping[str, int], *, min_count: int = 1, size: int | None = None
) -> LabelVocabulary:
    """Return the vocabulary of counted labels: $KEEP, $DELETE, @@UNKNOWN@@, then by count.

    Of equally frequent labels the one that sorts first comes first, so the order of counting
    makes no difference.

    Args:
        counter: How often each label occurs.
        min_count: Labels that occur less often are left out. MuCGEC's code asks for more than 5,
            which is 6 here.
        size: At most so many labels, the first three among them; None sets no limit.
    """
    fixed = (KEEP, DELETE, UNKNOWN)
    ranked = sorted((-count, label) for label, count in counter.items() if label not in fixed)
    labels = fixed + tuple(label for count, label in ranked if -count >= min_count)
    return LabelVocabulary(labels[: None if size is None else max(size, len(fixed))])


def covered(counter: Mapping[str, int], vocabulary: LabelVocabulary) -> float:
    """Return the share of occurrences of labels, $KEEP left out, that a vocabulary has; in [0, 1].

    Where there is none it is 1: nothing is missing.
    """
    counts = Counter({label: count for label, count in counter.items() if label != KEEP})
    found = sum(n for label, n in counts.items() if vocabulary.id_of(label) != vocabulary.unknown)
    return found / counts.total() if counts else 1.0


def powerless(vocabulary: LabelVocabulary, transforms: Transforms) -> tuple[str, ...]:
    """Return the labels of a vocabulary that would change nothing, because nobody knows them.

    >>> vocabulary = LabelVocabulary(("$KEEP", "$TRANSFORM_CASE_LOWER", UNKNOWN))
    >>> powerless(vocabulary, Transforms())
    ('$TRANSFORM_CASE_LOWER',)
    """
    found = []
    for label in vocabulary.labels:
        kind, name = parts(label)
        missing = kind == "transform" and name not in transforms.functions
        if missing or (kind == "unknown" and label != UNKNOWN):
            found.append(label)
    return tuple(found)


def released(labels: Sequence[str], where: str) -> Released:
    """Return a vocabulary of another program's labels: padding dropped, unknown by our name.

    Args:
        labels: In the order of its weights.
        where: Where they come from, for messages.

    Raises:
        FormatError: A label occurs twice, or $KEEP is missing.
    """
    notes = []
    kept: list[tuple[str, int | None]] = []
    for n, label in enumerate(labels):
        if label in _PADDINGS:
            notes.append(f"{where}: label {n} {label} is left out; padding is never predicted")
        elif label in _UNKNOWNS:
            kept.append((UNKNOWN, n))
            if label != UNKNOWN:
                notes.append(f"{where}: label {n} {label} is called {UNKNOWN}")
        else:
            kept.append((label, n))
    if all(label != UNKNOWN for label, _ in kept):
        kept.append((UNKNOWN, None))
        notes.append(f"{where}: {UNKNOWN} is missing; it was added at the end")
    try:
        vocabulary = LabelVocabulary(tuple(label for label, _ in kept))
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None
    return Released(vocabulary, tuple(row for _, row in kept), tuple(notes))


def read_vocabulary(path: Path, *, say: Callable[[str], None] | None = None) -> LabelVocabulary:
    """Return a vocabulary from a JSON list, or from a released text file, one label a line.

    Args:
        path: A name ending in ".json" is read as JSON; blank lines of a text are skipped.
        say: Told what a released vocabulary had that ours has not, a line each; `released` also
            says which rows of its weights remain.

    Raises:
        FormatError: It is no list of strings, a label occurs twice, or $KEEP is missing.
        GecbenchError: The file cannot be read.
    """
    lines = read_lines(path)
    labels = _json_list(path, lines) if path.suffix == ".json" else list(filter(str.strip, lines))
    found = released(labels, str(path))
    for note in found.notes:
        if say is not None:
            say(note)
    return found.vocabulary


def write_vocabulary(path: Path, vocabulary: LabelVocabulary) -> None:
    """Write a vocabulary as a JSON list, one label a line.

    Raises:
        GecbenchError: It cannot be written.
    """
    write_text(path, json.dumps(vocabulary.labels, ensure_ascii=False, indent=0) + "\n")


def _json_list(path: Path, lines: Sequence[str]) -> list[str]:
    try:
        labels = json.loads("\n".join(lines))
    except ValueError as error:
        raise FormatError(f"{path}:1: no JSON: {error}; a vocabulary is a list of labels") from None
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise FormatError(f"{path}:1: not a list of strings; a vocabulary is a list of labels")
    return labels
