"""One A line of an M2 file."""

from __future__ import annotations

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


def parse(at: str, n: int, line: str, source: tuple[str, ...]) -> Annotation:
    """Return what an A line says of a source.

    An edit of type UNK was detected, not corrected. Where another text than the source's stands
    beside it all the same, that is kept as an alternative: the official MaxMatch scorer uses it.

    Raises:
        FormatError: Begins with `at`, which is path:line.
    """
    head, label, correction, coder = _fields(at, line)
    span = head[2:].split(" ")
    if label in (NOOP, NOT_ANNOTATED):
        if span != _NO_SPAN or correction not in ("", NONE):
            raise FormatError(f"{at}: type {label} needs span -1 -1 and correction {NONE}")
        return Annotation(n, coder, label, None)
    start, end = _span(at, span, len(source))
    first, *others = [_replacement(at, text) for text in _alternatives(correction)]
    if label == UNKNOWN:
        written = () if first == source[start:end] and not others else (first, *others)
        return Annotation(n, coder, label, Edit(start, end, None, label, written))
    return Annotation(n, coder, label, Edit(start, end, first, label, tuple(others)))


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


def _fields(at: str, line: str) -> tuple[str, str, str, str]:
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
    if "|" in line.replace(BARS, "") and any(field[:1] == "|" for field in fields):
        raise FormatError(
            f"{at}: more than three bars in a row, so where a field ends is not certain; "
            "replace the | at the end of the type or correction"
        )
    head, label, correction, _required, _comment, coder = fields
    if not is_number(coder):
        raise FormatError(f"{at}: the coder is {shown(coder)}; number the coders from 0")
    return head, label, correction, coder


def _span(at: str, span: list[str], length: int) -> tuple[int, int]:
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
        )
    return start, end


def _alternatives(correction: str) -> list[str]:
    """Return the texts that CoNLL's files divide by two bars."""
    return correction.split("||") if "||" in correction else [correction]


def _replacement(at: str, text: str) -> tuple[str, ...]:
    return () if text == NONE else tokens_of(at, text, "the correction")
