"""The corrector that changes nothing: the line that every table needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from gecbench.core.corrector import Correction, Corrector, CorrectorInfo
from gecbench.models.options import options_of


class _Options(msgspec.Struct):
    """It has none."""


_INFO = CorrectorInfo(
    name="copying",
    kind="copying",
    languages=(),
    about="Changes nothing; what a system must be better than.",
    signature={"corrector": "copying"},
    window=4096,
)


@dataclass(frozen=True, slots=True)
class Copying:
    """Gives every text back as it is."""

    info: CorrectorInfo = _INFO

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Return each text as its own correction."""
        return [Correction(text, text) for text in texts]

    def close(self) -> None:
        """Hold nothing."""


def load(_place: str, options: Mapping[str, object]) -> Corrector:
    """Return the corrector that changes nothing."""
    options_of("copying", _Options, options)
    return Copying()
