"""Pieces of a diff, ready for a template: what goes, what comes, placeholders as chips."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gecbench.server.laws.diff import Piece, diff
from gecbench.server.models import Project

Part = tuple[str, bool]
"""A stretch of text, and whether it is a placeholder."""


@dataclass(frozen=True, slots=True)
class Change:
    """One side of a change: a <del> or an <ins>.

    Args:
        tag: Which of the two.
        kind: "delete", "insert" or "move"; the class in diff.css.
        parts: The text.
    """

    tag: Literal["del", "ins"]
    kind: Literal["delete", "insert", "move"]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A piece: text that stays, white space that differs, or one or two changes."""

    equal: tuple[Part, ...] = ()
    space: str = ""
    space_added: bool = False
    changes: tuple[Change, ...] = ()


def drawn(pieces: Iterable[Piece], placeholder: str) -> tuple[Drawn, ...]:
    """Return pieces as `pieces.html` draws them; the same as `drawing.js` does in the page."""
    return tuple(_drawn(piece, placeholder) for piece in pieces)


def drawn_diff(project: Project, source: str, target: str) -> tuple[Drawn, ...]:
    """Return how a text differs from its source, for a template."""
    placeholder = project.rules.placeholder
    found = diff(source, target, lang=project.lang, placeholder=placeholder)
    return drawn(found.pieces, placeholder)


def _drawn(piece: Piece, placeholder: str) -> Drawn:
    if piece.op == "equal":
        return Drawn(equal=_parts(piece.source, placeholder))
    if piece.op == "space":
        return Drawn(space=piece.target or piece.source, space_added=bool(piece.target))
    changes: list[Change] = []
    if piece.op in {"delete", "move_from", "replace"}:
        kind: Literal["delete", "move"] = "move" if piece.move else "delete"
        changes.append(Change("del", kind, _parts(piece.source, placeholder)))
    if piece.op in {"insert", "move_to", "replace"}:
        added: Literal["insert", "move"] = "move" if piece.move else "insert"
        changes.append(Change("ins", added, _parts(piece.target, placeholder)))
    return Drawn(changes=tuple(changes))


def _parts(text: str, placeholder: str) -> tuple[Part, ...]:
    if not placeholder or placeholder not in text:
        return ((text, False),)
    parts: list[Part] = []
    for n, part in enumerate(text.split(placeholder)):
        parts += [(placeholder, True)] if n else []
        parts += [(part, False)] if part else []
    return tuple(parts)
