"""m2: tokens and edits, in ERRANT's dialect and in ChERRANT's, which adds lines of targets."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.core.format import Format
from gecbench.formats.m2.losses import losses
from gecbench.formats.m2.reading import read
from gecbench.formats.m2.targets import is_target
from gecbench.formats.m2.writing import write


def sniff(lines: Sequence[str]) -> bool:
    """Return whether the first line that is not blank is an S line, and what follows is M2 too.

    A text may begin with "S " as well, so a blank line must follow, or somewhere a T line or
    the three bars between two fields.
    """
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    if first is None or not lines[first].startswith("S "):
        return False
    after = lines[first + 1 :]
    return not "".join(after[:1]).strip() or any("|||" in ln or is_target(ln) for ln in after)


FORMAT = Format(
    name="m2",
    about="tokens and edits: ChERRANT's dialect for Chinese, else ERRANT's",
    sniff=sniff,
    read=read,
    write=write,
    losses=losses,
)
