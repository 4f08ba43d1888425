"""The label set of a tagger: what can be done to one token (GECToR, Omelianchuk et al. 2020)."""

from __future__ import annotations

from typing import Literal, NamedTuple

KEEP = "$KEEP"
DELETE = "$DELETE"
START = "$START"
"""The virtual token before the first: what is inserted at the head is appended to it."""

UNKNOWN = "@@UNKNOWN@@"
"""Stands for every label that a vocabulary lacks; it is never to be predicted."""

MERGE_SPACE, MERGE_HYPHEN, MERGE_SWAP = "$MERGE_SPACE", "$MERGE_HYPHEN", "$MERGE_SWAP"
"""Join with the next token, by nothing or by a hyphen; exchange with the next token."""

_APPEND, _REPLACE, _TRANSFORM = "$APPEND_", "$REPLACE_", "$TRANSFORM_"

Kind = Literal["keep", "delete", "append", "replace", "transform", "merge", "unknown"]


class Parts(NamedTuple):
    """A label taken apart.

    Args:
        kind: What is done.
        argument: The token of "append" and "replace"; the name of "transform", as "CASE_LOWER";
            "SPACE", "HYPHEN" or "SWAP" of "merge"; else "".
    """

    kind: Kind
    argument: str


def append(token: str) -> str:
    """Return the label that inserts a token behind."""
    return _APPEND + token


def replace(token: str) -> str:
    """Return the label that puts another token in the place."""
    return _REPLACE + token


def transform(name: str) -> str:
    """Return the label that changes the form of a token, as "CASE_LOWER"."""
    return _TRANSFORM + name


def parts(label: str) -> Parts:
    """Return kind and argument of a label; what is no label is "unknown".

    >>> parts("$APPEND_的")
    Parts(kind='append', argument='的')
    >>> parts("$TRANSFORM_VERB_VB_VBZ").argument
    'VERB_VB_VBZ'
    """
    if label == KEEP:
        return Parts("keep", "")
    if label == DELETE:
        return Parts("delete", "")
    if label in (MERGE_SPACE, MERGE_HYPHEN, MERGE_SWAP):
        return Parts("merge", label.removeprefix("$MERGE_"))
    for prefix, kind in _PREFIXES:
        if label.startswith(prefix) and label[len(prefix) :].strip():
            return Parts(kind, label[len(prefix) :])
    return Parts("unknown", "")


_PREFIXES: tuple[tuple[str, Kind], ...] = (
    (_APPEND, "append"),
    (_REPLACE, "replace"),
    (_TRANSFORM, "transform"),
)
