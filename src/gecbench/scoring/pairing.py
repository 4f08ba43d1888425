"""Comparing one version of a hypothesis with one reference, as ERRANT and ChERRANT do.

compare_m2.py (errant 3.0.2) and compare_m2_for_evaluation.py (MuCGEC 3922193). A version without
edits is not nothing: it has one key of its own, and so has "cannot be annotated". A hypothesis
that is declared unannotatable therefore hits a reference without edits (one true positive), and
a reference that is declared unannotatable, beside others that are not, is missed by a hypothesis
with edits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gecbench.core.case import Version
from gecbench.core.edit import Edit
from gecbench.core.score import Counts, total

Level = Literal["correction", "correction-type", "detection-span", "detection-token"]
LEVELS: tuple[Level, ...] = ("correction", "correction-type", "detection-span", "detection-token")

ERROR_FREE = "error-free"
UNANNOTATABLE = "unannotatable"
UNCLASSIFIED = "unclassified"

Key = tuple[object, ...]
_NO_EDIT: Key = (-1, -1)  # no edit has such a span, so a file's labels cannot be mistaken
_NOTHING = [ERROR_FREE]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which edits take part; versions whose edits are all left out stay, empty.

    Args:
        size: "single" leaves out edits that span two or more tokens, "multi" the others
            (-single and -multi of the official scripts; `Rule` says of which side).
        exclude: Labels left out, exactly as written.
    """

    size: Literal["any", "single", "multi"] = "any"
    exclude: frozenset[str] = frozenset()

    def keeps(self, edit: Edit, rule: Rule) -> bool:
        """Say whether an edit takes part."""
        if self.size != "any" and (rule.length(edit) >= 2) != (self.size == "multi"):
            return False
        return (edit.label or UNCLASSIFIED) not in self.exclude


@dataclass(frozen=True, slots=True)
class Rule:
    """In what the scripts of two languages differ.

    Args:
        between: What stands between the tokens of a replacement when two are compared.
        both_sides: An edit is as long as the longer of its sides (ERRANT), not as its source
            side (ChERRANT).
    """

    between: str = ""
    both_sides: bool = False

    def length(self, edit: Edit) -> int:
        """Return the length of an edit in tokens."""
        source = edit.end - edit.start
        return max(source, len(edit.replacement or ())) if self.both_sides else source


_ALL = Filter()
_CHINESE = Rule()


@dataclass(frozen=True, slots=True)
class Pairing:
    """Counts of one hypothesis version against one reference.

    Args:
        hypothesis: Position among the hypothesis versions.
        reference: Position among the references.
        counts: Over all types.
        by_type: By edit label: true positives and false negatives by the reference's label,
            false positives by the hypothesis's.
    """

    hypothesis: int
    reference: int
    counts: Counts
    by_type: Mapping[str, Counts]


def keys(
    version: Version, level: Level, chosen: Filter, rule: Rule = _CHINESE
) -> dict[Key, list[str]]:
    """Return what a version is compared by, with the labels of the edits behind each key.

    Several edits may fall on one key (pooled alternatives, tokens, spans); each counts. Edits
    that were detected but not corrected take part in detection only.
    """
    if version.unannotatable or not version.edits:
        kind = UNANNOTATABLE if version.unannotatable else ERROR_FREE
        # The official -multi drops these too, as spans of less than two tokens.
        if chosen.size == "multi":
            return {}
        return {(*_NO_EDIT, kind) if level == "correction-type" else _NO_EDIT: [kind]}
    found: dict[Key, list[str]] = {}
    detects = level.startswith("detection")
    filters = chosen != _ALL
    for edit in version.edits:
        if (edit.replacement is None and not detects) or (filters and not chosen.keeps(edit, rule)):
            continue
        label = edit.label or UNCLASSIFIED
        for key in _keys_of(edit, level, rule):
            found.setdefault(key, []).append(label)
    return found


def keys_of(edit: Edit, level: Level, chosen: Filter, rule: Rule = _CHINESE) -> list[Key]:
    """Return what one edit is compared by, in `keys`; nothing where it takes no part."""
    if edit.replacement is None and not level.startswith("detection"):
        return []
    return _keys_of(edit, level, rule) if chosen.keeps(edit, rule) else []


def _keys_of(edit: Edit, level: Level, rule: Rule) -> list[Key]:
    if level == "detection-token":
        last = max(edit.end, edit.start + 1)  # an insertion marks the token it stands before
        return [(at, at + 1) for at in range(edit.start, last)]
    if level == "detection-span":
        return [(edit.start, edit.end)]
    text = rule.between.join(edit.replacement or ())
    if level == "correction-type":
        return [(edit.start, edit.end, edit.label, text)]
    return [(edit.start, edit.end, text)]


def pair(
    hypothesis: Mapping[Key, list[str]], reference: Mapping[Key, list[str]]
) -> tuple[Counts, dict[str, Counts]]:
    """Return the counts of two sets of keys, in all and by label."""
    by_label: dict[str, list[int]] = {}

    def count(labels: list[str], what: int) -> None:
        for label in labels:
            by_label.setdefault(label, [0, 0, 0])[what] += 1

    for key, labels in hypothesis.items():
        if key[:2] == _NO_EDIT and labels == _NOTHING:
            continue
        if key in reference:
            count(reference[key], 0)
        else:
            count(labels, 1)
    for key, labels in reference.items():
        if key not in hypothesis and not (key[:2] == _NO_EDIT and labels == _NOTHING):
            count(labels, 2)
    by_type = {label: Counts(*three) for label, three in by_label.items()}
    return total(by_type.values()), by_type
