"""The label set of a tagger: what can be done to one token (GECToR, Omelianchuk et al. 2020)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

from gecbench.core.errors import FormatError
from gecbench.core.files import read_lines, write_text
from gecbench.core.language import Transforms
from gecbench.models.folder import read_json

KEEP = "$KEEP"
DELETE = "$DELETE"
START = "$START"
"""The virtual token before the first: what is inserted at the head is appended to it."""

UNKNOWN = "@@UNKNOWN@@"
"""Stands for every label that a vocabulary lacks; it is never to be predicted."""

MERGE_SPACE, MERGE_HYPHEN, MERGE_SWAP = "$MERGE_SPACE", "$MERGE_HYPHEN", "$MERGE_SWAP"
"""Join with the next token, by nothing or by a hyphen; exchange with the next token."""

_APPEND, _REPLACE, _TRANSFORM = "$APPEND_", "$REPLACE_", "$TRANSFORM_"

LabelKind = Literal["keep", "delete", "append", "replace", "transform", "merge", "unknown"]


class Label(NamedTuple):
    """What a label does.

    Args:
        kind: What is done.
        argument: The token of "append" and "replace"; the name of "transform", as "CASE_LOWER";
            "SPACE", "HYPHEN" or "SWAP" of "merge"; else "".
    """

    kind: LabelKind
    argument: str


def append_label(token: str) -> str:
    """Build the label that inserts a token behind."""
    return _APPEND + token


def replace_label(token: str) -> str:
    """Build the label that puts another token in the place."""
    return _REPLACE + token


def transform_label(name: str) -> str:
    """Build the label that changes the form of a token, as "CASE_LOWER"."""
    return _TRANSFORM + name


def parse_label(label: str) -> Label:
    """Parse a label; what is no label is "unknown".

    >>> parse_label("$APPEND_的")
    Label(kind='append', argument='的')
    >>> parse_label("$TRANSFORM_VERB_VB_VBZ").argument
    'VERB_VB_VBZ'
    """
    if label in (KEEP, DELETE):
        return Label("keep" if label == KEEP else "delete", "")
    if label in (MERGE_SPACE, MERGE_HYPHEN, MERGE_SWAP):
        return Label("merge", label.removeprefix("$MERGE_"))
    for prefix, kind in _PREFIXES.items():
        if label.startswith(prefix) and label[len(prefix) :].strip():
            return Label(kind, label[len(prefix) :])
    return Label("unknown", "")


_PREFIXES: Mapping[str, LabelKind] = {
    _APPEND: "append",
    _REPLACE: "replace",
    _TRANSFORM: "transform",
}


# Vocabularies of labels: which labels a tagger can give.


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
        """Count the labels."""
        return len(self.labels)

    @property
    def keep(self) -> int:
        """The id of $KEEP."""
        return self._ids[KEEP]

    @property
    def unknown(self) -> int:
        """The id of @@UNKNOWN@@, which must never be predicted."""
        return self._ids[UNKNOWN]

    @property
    def delete(self) -> int:
        """The id of $DELETE; -1 where the vocabulary has none."""
        return self._ids.get(DELETE, -1)

    def id_of(self, label: str) -> int:
        """Look up the id of a label; that of @@UNKNOWN@@ where it is absent."""
        return self._ids.get(label, self._ids[UNKNOWN])

    @property
    def hash(self) -> str:
        """SHA-256 of the labels in their order, hexadecimal: what weights are keyed to."""
        return sha256(json.dumps(self.labels).encode()).hexdigest()


class CleanLabels(NamedTuple):
    """A vocabulary of another program in our form.

    Args:
        vocabulary: Without padding, with @@UNKNOWN@@ under our name.
        rows: For each of its labels the place in the list that was given, which is the row of
            the weights; None for what was added.
        notes: What was changed, a line each, for people.
    """

    vocabulary: LabelVocabulary
    rows: tuple[int | None, ...]
    notes: tuple[str, ...]


def build_label_vocabulary(
    counter: Mapping[str, int], *, min_count: int = 1, size: int | None = None
) -> LabelVocabulary:
    """Build the vocabulary of counted labels: $KEEP, $DELETE, @@UNKNOWN@@, then by count.

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


def unknown_labels(vocabulary: LabelVocabulary, transforms: Transforms) -> tuple[str, ...]:
    """List the labels of a vocabulary that would change nothing, because nobody knows them.

    >>> vocabulary = LabelVocabulary(("$KEEP", "$TRANSFORM_CASE_LOWER", UNKNOWN))
    >>> unknown_labels(vocabulary, Transforms())
    ('$TRANSFORM_CASE_LOWER',)
    """
    missing = []
    for label in vocabulary.labels:
        kind, name = parse_label(label)
        if (kind == "transform" and name not in transforms.functions) or (
            kind == "unknown" and label != UNKNOWN
        ):
            missing.append(label)
    return tuple(missing)


def clean_labels(labels: Sequence[str], where: str) -> CleanLabels:
    """Build a vocabulary of another program's labels: padding dropped, unknown by our name.

    Args:
        labels: In the order of its weights.
        where: Where they come from, for messages.

    Raises:
        FormatError: A label occurs twice, or $KEEP is missing.
    """
    notes = []
    rows: list[tuple[str, int | None]] = []
    for n, label in enumerate(labels):
        if label in _PADDINGS:
            notes.append(f"{where}: label {n} {label} is left out; padding is never predicted")
        elif label in _UNKNOWNS:
            rows.append((UNKNOWN, n))
            if label != UNKNOWN:
                notes.append(f"{where}: label {n} {label} is called {UNKNOWN}")
        else:
            rows.append((label, n))
    if all(label != UNKNOWN for label, _ in rows):
        rows.append((UNKNOWN, None))
        notes.append(f"{where}: {UNKNOWN} is missing; it was added at the end")
    try:
        vocabulary = LabelVocabulary(tuple(label for label, _ in rows))
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None
    return CleanLabels(vocabulary, tuple(row for _, row in rows), tuple(notes))


def read_label_vocabulary(path: Path) -> LabelVocabulary:
    """Read a vocabulary from a JSON list, or from a released text file, one label a line.

    Args:
        path: A name ending in ".json" is read as JSON; blank lines of a text are skipped.

    Raises:
        FormatError: It is no list of strings, a label occurs twice, or $KEEP is missing.
        GecbenchError: The file cannot be read.
    """
    if path.suffix == ".json":
        labels = read_json(path, list[str], hint="a vocabulary is a JSON list of labels")
    else:
        labels = [line for line in read_lines(path) if line.strip()]
    return clean_labels(labels, str(path)).vocabulary


def write_label_vocabulary(path: Path, vocabulary: LabelVocabulary) -> None:
    """Write a vocabulary as a JSON list, one label a line.

    Raises:
        GecbenchError: It cannot be written.
    """
    write_text(path, json.dumps(vocabulary.labels, ensure_ascii=False, indent=0) + "\n")
