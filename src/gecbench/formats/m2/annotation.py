"""One A line of an M2 file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gecbench.core.edit import Edit
from gecbench.core.errors import FormatError
from gecbench.formats.m2.marks import BARS, NONE, NOOP, NOT_ANNOTATED, UNKNOWN, is_number
from gecbench.formats.texts import shown

_NO_SPAN = ["-1", "-1"]
_FORM = "A start end|||type|||correction|||REQUIRED|||-NONE-|||coder"


class Annotation(NamedTuple):
    """What one line says.

    Args:
        n: Line number.
        coder: A number, as it stands in the file.
        label: The type; noop and NA where there is no edit.
        edit: None for noop and NA.
    """

    n: int
    coder: str
    label: str
    edit: Edit | None


def parse(at: str, n: int, line: str, source: tuple[str, ...], hint: str = "") -> Annotation:
    """Return what an A line says of a source.

    Args:
        at: path:line.
        n: The line's number.
        line: The line.
        source: Tokens.
        hint: What can be done where a span ends after the source.

    Raises:
        FormatError: Begins with `at`, which is path:line.
    """
    head, label, correction, coder = fields_of(at, line)
    span = head[2:].split(" ")
    if label in (NOOP, NOT_ANNOTATED):
        if span != _NO_SPAN or correction not in ("", NONE):
            raise FormatError(f"{at}: type {label} needs span -1 -1 and correction {NONE}")
        return Annotation(n, coder, label, None)
    start, end = _span(at, span, len(source), hint)
    texts = [_replacement(at, text) for text in _alternatives(correction)]
    return Annotation(n, coder, label, edit_of(start, end, label, texts, source))


def edit_of(
    start: int,
    end: int,
    label: str,
    texts: Sequence[tuple[str, ...]],
    source: tuple[str, ...],
) -> Edit:
    """Return an edit by its type and the texts that stand beside it, at least one.

    An edit of type UNK was detected, not corrected. Where another text than the source's stands
    beside it all the same, that is kept as an alternative: the official MaxMatch scorer uses it.
    """
    first, *others = texts
    if label == UNKNOWN:
        written = () if first == source[start:end] and not others else tuple(texts)
        return Edit(start, end, None, label, written)
    return Edit(start, end, first, label, tuple(others))


def tokens_of(at: str, text: str, what: str) -> tuple[str, ...]:
    """Return the tokens of a text; () where it is empty.

    Raises:
        FormatError: Tokens are not parted by exactly one space.
    """
    tokens = text.split(" ") if text else []
    if tokens != text.split():
        if "" in tokens:
            raise FormatError(
                f"{at}: {what} has an empty token: two spaces in a row, or one at an end; "
                "part tokens by one space"
            )
        odd = next(token for token in tokens if token.split() != [token])
        raise FormatError(
            f"{at}: {what} has white space inside the token {odd!r}; part tokens by one space"
        )
    return tuple(tokens)


def fields_of(at: str, line: str, *, leftmost: bool = False) -> tuple[str, str, str, str]:
    """Return the span with its A, the type, the correction and the coder of a line.

    Args:
        at: path:line.
        line: The line.
        leftmost: Where more than three bars stand in a row, the first three divide; else that is
            refused.

    Raises:
        FormatError: Begins with `at`.
    """
    if not line.startswith("A "):
        if line.startswith("S "):
            raise FormatError(f"{at}: a second S line in the block; put a blank line before it")
        raise FormatError(
            f"{at}: {shown(line)} is no line of M2, which begin with S, A, or T and a number; "
            "remove it"
        )
    fields = line.split(BARS)
    if len(fields) != 6:
        raise FormatError(
            f"{at}: {len(fields)} fields instead of 6, as {_FORM}; is there a {BARS} inside a text?"
        )
    if not leftmost and "|" in line.replace(BARS, "") and any(field[:1] == "|" for field in fields):
        raise FormatError(
            f"{at}: more than three bars in a row, so where a field ends is not certain; "
            "replace the | at the end of the type or correction"
        )
    head, label, correction, _required, _comment, coder = fields
    if not is_number(coder):
        raise FormatError(f"{at}: the coder is {shown(coder)}; number the coders from 0")
    return head, label, correction, coder


def _span(at: str, span: list[str], length: int, hint: str) -> tuple[int, int]:
    if span == _NO_SPAN:
        raise FormatError(f"{at}: span -1 -1 belongs to the types noop and NA alone")
    if len(span) != 2 or not all(map(is_number, span)):
        raise FormatError(
            f"{at}: the span is {shown(' '.join(span))}; it is two token numbers, start end"
        )
    start, end = int(span[0]), int(span[1])
    if start > end:
        raise FormatError(f"{at}: edit span '{start} {end}' is reversed; M2 spans are start end")
    if end > length:
        raise FormatError(
            f"{at}: edit span '{start} {end}' ends after the source, which has {length} tokens"
            f"{hint}"
        )
    return start, end


def _alternatives(correction: str) -> list[str]:
    """Return the texts that CoNLL's files divide by two bars."""
    return correction.split("||") if "||" in correction else [correction]


def _replacement(at: str, text: str) -> tuple[str, ...]:
    return () if text == NONE else tokens_of(at, text, "the correction")
