"""RobustGEC's blocks: O-S, O-T, A1-S, A1-T, ..., with O-P, A1-P, ... where a system answered.

The format of para.txt and of what convert.py makes of it (HillZhang1999/RobustGEC 1c5787b): a
case is a block of lines, each with what it is in front; blank lines divide blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gecbench.core.errors import FormatError
from gecbench.core.perturbed import PerturbedCase, Variant, marks
from gecbench.formats.texts import shown

_HINT = "a block is O-S, O-T, A1-S, A1-T, ..., with -P after each -T where a system answered"


@dataclass(frozen=True, slots=True)
class Block:
    """One case as it stands in a file.

    Args:
        line: Of its O-S.
        case: Its id is the number of the block, from 1.
        predictions: What a system made of the original and each variant; () without -P lines.
    """

    line: int
    case: PerturbedCase
    predictions: tuple[str, ...] = ()


def sniff(lines: Sequence[str]) -> bool:
    """Return whether the first line that is not blank begins a block."""
    first = next((line for line in lines if line.strip()), "")
    return _mark(first) == "O-S"


def read_blocks(path: Path, lines: Sequence[str]) -> tuple[Block, ...]:
    """Return the blocks of a file; all have as many variants as the first.

    Raises:
        FormatError: Names the first line that is missing, too many, or out of order, or whose
            source is empty.
    """
    divided = list(_divided(lines))
    if not divided:
        raise FormatError(f"{path}:1: there is no block; {_HINT}")
    first = [_mark(line) for _, line in divided[0]]
    kinds = "STP" if first[2:3] == ["O-P"] else "ST"
    width = max(2, -(-len(first) // len(kinds)))
    wanted = [f"{mark}-{kind}" for mark in marks(width) for kind in kinds]
    return tuple(
        _block(path, str(number), rows, wanted, len(kinds))
        for number, rows in enumerate(divided, 1)
    )


def _divided(lines: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Yield the lines of each block with their numbers."""
    rows: list[tuple[int, str]] = []
    for n, line in enumerate(lines, 1):
        if line.strip():
            rows.append((n, line))
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _block(
    path: Path, number: str, rows: Sequence[tuple[int, str]], wanted: Sequence[str], kinds: int
) -> Block:
    texts: list[str] = []
    for (n, line), mark in zip(rows, wanted, strict=False):  # lengths are looked at below
        found = _mark(line)
        if found != mark:
            raise FormatError(
                f"{path}:{n}: the line begins with {shown(found)}, expected {mark}; {_HINT}"
            )
        text = line.lstrip()[len(mark) + 1 :]
        if mark.endswith("S") and not text.strip():
            raise FormatError(f"{path}:{n}: the source {mark} is empty; fill it")
        texts.append(text)
    variants = len(wanted) // kinds - 1
    if len(rows) < len(wanted):
        raise FormatError(
            f"{path}:{rows[-1][0]}: the block ends here, {wanted[len(rows)]} is missing; "
            f"every block has {variants} variants, as the first"
        )
    if len(rows) > len(wanted):
        raise FormatError(
            f"{path}:{rows[len(wanted)][0]}: the block goes on after {wanted[-1]}; every block has "
            f"{variants} variants, as the first, and a blank line after it"
        )
    sentences = [
        Variant(source, reference)
        for source, reference in zip(texts[::kinds], texts[1::kinds], strict=True)
    ]
    case = PerturbedCase(number, sentences[0], tuple(sentences[1:]))
    return Block(rows[0][0], case, tuple(texts[2::kinds]) if kinds == 3 else ())


def _mark(line: str) -> str:
    return line.split(None, 1)[0] if line.strip() else ""
