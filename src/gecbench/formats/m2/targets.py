"""The T lines of ChERRANT's dialect: reference k in edit set n, then the target's tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import FormatError
from gecbench.core.sample import EditSet, Rewrite
from gecbench.formats.losses import counted
from gecbench.formats.m2.annotation import Annotation, parse, tokens_of
from gecbench.formats.m2.marks import (
    ERROR_FREE,
    NOOP,
    NOT_ANNOTATED,
    UNANNOTATABLE,
    is_number,
    join,
)
from gecbench.formats.m2.rewrites import applied, declared, detects_only
from gecbench.formats.texts import shown


class Target(NamedTuple):
    """A T line and the A lines under it.

    Args:
        n: Line number.
        k: Reference.
        a: Edit set of the reference; None before a mark.
        body: Tokens or a mark.
        found: Its A lines.
    """

    n: int
    k: int
    a: int | None
    body: str
    found: list[Annotation]

    def __str__(self) -> str:
        """Return the beginning of the line."""
        return f"T{self.k}" if self.a is None else f"T{self.k}-A{self.a}"


def is_target(line: str) -> bool:
    """Return whether a line is a T line."""
    return line.startswith("T") and line[1:2].isdecimal()


def references(
    path: Path, rows: Sequence[tuple[int, str]], tokens: tuple[str, ...]
) -> list[Rewrite]:
    """Return the rewrites of a block from its numbered lines.

    Raises:
        FormatError: A T line is out of order, lacks its A lines, or is not what they make.
    """
    by_reference: list[list[Target]] = []
    last: Target | None = None
    for n, line in rows:
        at = f"{path}:{n}"
        if is_target(line):
            last = _follow(at, last, _target(at, n, line))
            if last.a:  # neither a mark nor the first edit set
                by_reference[-1].append(last)
            else:
                by_reference.append([last])
            continue
        found = parse(at, n, line, tokens)
        if last is None:
            raise FormatError(
                f"{at}: an A line before the first T line; in a file with T lines every "
                "reference begins with one"
            )
        if found.coder != str(last.k):
            raise FormatError(f"{at}: coder {found.coder} under {last}; write {last.k}")
        last.found.append(found)
    return [_rewrite(path, sets, tokens) for sets in by_reference]


def _target(at: str, n: int, line: str) -> Target:
    head, _, body = line[1:].partition(" ")
    k, dash, a = head.partition("-A")
    numbers = [k, a] if dash else [k]
    if not all(map(is_number, numbers)):
        raise FormatError(f"{at}: {shown('T' + head)} is no reference; write T0, T0-A0 and so on")
    if not dash and body not in (ERROR_FREE, UNANNOTATABLE):
        raise FormatError(
            f"{at}: T{head} stands before {shown(body)}; without -A it stands before "
            f"{ERROR_FREE} or {UNANNOTATABLE}"
        )
    return Target(n, int(k), int(a) if dash else None, body, [])


def _follow(at: str, last: Target | None, target: Target) -> Target:
    k = last.k + 1 if last else 0
    allowed: list[tuple[int, int | None]] = [(k, None), (k, 0)]
    if last and last.a is not None:
        allowed.append((last.k, last.a + 1))
    if (target.k, target.a) not in allowed:
        after = f"after {last}" if last else "at the beginning"
        raise FormatError(
            f"{at}: {target} {after} is out of order; references count from T0, edit sets from A0"
        )
    return target


def _rewrite(path: Path, sets: Sequence[Target], tokens: tuple[str, ...]) -> Rewrite:
    first = sets[0]
    if first.a is None:
        return _marked(path, first)
    made = [_edits(path, target, tokens) for target in sets]
    text = made[0][1]
    for target, (_, other) in zip(sets, made, strict=True):
        if other != text:
            raise FormatError(
                f"{path}:{target.n}: {target} is another text than {first}; "
                "edit sets of one reference make one text"
            )
    edit_sets = tuple(edits for edits, _ in made)
    return Rewrite(
        text=None if any(map(detects_only, edit_sets)) else text,
        edit_sets=edit_sets,
        annotator=str(first.k),
    )


def _marked(path: Path, target: Target) -> Rewrite:
    label = NOOP if target.body == ERROR_FREE else NOT_ANNOTATED
    if [each.label for each in target.found] != [label]:
        raise FormatError(
            f"{path}:{target.n}: {target} {target.body} needs exactly one A line, of type {label}"
        )
    return declared(target.found[0])


def _edits(path: Path, target: Target, tokens: tuple[str, ...]) -> tuple[EditSet, str]:
    """Return the edits of one set, and the text that they make.

    Texts are compared, not tokens: at word level ChERRANT drops an edit that only divides words
    (毒气体 -> 毒 气体), so its T line may have other tokens than its A lines make.
    """
    at = f"{path}:{target.n}"
    if not target.found:
        raise FormatError(
            f"{at}: {target} has no A line; a reference without edits is "
            f"T{target.k} {ERROR_FREE} and a noop line"
        )
    for each in target.found:
        if each.edit is None:
            raise FormatError(
                f"{path}:{each.n}: type {each.label} under {target}, which is a target; "
                f"it belongs under T{target.k} {ERROR_FREE} or {UNANNOTATABLE}"
            )
    wanted = join(tokens_of(at, target.body, "the T line"), targets=True)
    edits, made = applied(path, target.found, tokens)
    text = join(made, targets=True)
    if text != wanted:
        alike = takewhile(lambda pair: pair[0] == pair[1], zip(text, wanted, strict=False))
        i = len(list(alike))  # the shorter may end first, hence not strict
        raise FormatError(
            f"{at}: {target} goes on with {shown(wanted[i:])} after {counted(i, 'character')}, "
            f"its A lines make {shown(text[i:])}; correct one of them"
        )
    return edits, text
