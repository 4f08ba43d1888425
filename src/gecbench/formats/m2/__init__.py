"""m2: tokens and edits, in ERRANT's dialect and in ChERRANT's, which adds lines of targets."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.core.format import Format
from gecbench.formats.m2.losses import losses
from gecbench.formats.m2.reading import read
from gecbench.formats.m2.writing import write


def sniff(lines: Sequence[str]) -> bool:
    """Return whether the first line that is not empty is an S line, and what follows is M2 too.

    A text may begin with "S " as well, so an empty line must follow, or a line with the three
    bars between two fields.
    """
    filled = [n for n, line in enumerate(lines) if line.strip()]
    if not filled or not lines[filled[0]].startswith("S "):
        return False
    after = lines[filled[0] + 1 :]
    return not after or not after[0].strip() or any("|||" in line for line in after)


FORMAT = Format(
    name="m2",
    about="tokens and edits: ChERRANT's dialect for Chinese, else ERRANT's",
    suffixes=(".m2",),
    sniff=sniff,
    read=read,
    write=write,
    losses=losses,
)
