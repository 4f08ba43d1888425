"""Between texts and ids, where ids are characters or words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gecbench.models.scratch.dividing import Divider, Piece
from gecbench.models.scratch.vocabulary import END, FIRST, SPECIALS, UNKNOWN
from gecbench.models.seq2seq.encoding import Source, Specials
from gecbench.models.seq2seq.units import Piece as Seen
from gecbench.models.seq2seq.units import Unit, read_units, written_units


@dataclass(frozen=True, slots=True)
class UnitEncoding:
    """Turns sources into ids and answers into units; fulfils `seq2seq.encoding.Reading`.

    Args:
        units: The vocabulary.
        divider: Of texts.
        simplify: What is done to texts first, keeping their length; None does nothing.
    """

    units: tuple[str, ...]
    divider: Divider
    simplify: Callable[[str], str] | None = None
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Number the units."""
        ids = {unit: place for place, unit in enumerate(self.units, FIRST)}
        object.__setattr__(self, "_ids", ids)

    @property
    def specials(self) -> Specials:
        """What stands around texts."""
        return SPECIALS

    def source(self, text: str) -> Source:
        """Return a source as the encoder reads it, however long it is."""
        pieces = self._pieces(text)
        ids = [self._ids.get(piece.text, UNKNOWN) for piece in pieces]
        seen = [
            (found, piece.start, piece.end)
            for found, piece in zip(self._seen(ids), pieces, strict=True)
        ]
        return Source((*ids, END), read_units(text, seen))

    def source_ids(self, text: str) -> tuple[int, ...]:
        """Return the ids of that alone, which is less work."""
        return (*(self._ids.get(piece.text, UNKNOWN) for piece in self._pieces(text)), END)

    def target(self, text: str) -> tuple[int, ...]:
        """Return what the decoder is to say for a text, the end included."""
        return self.source_ids(text)

    def answer(self, ids: Sequence[int]) -> tuple[Unit, ...]:
        """Return what an answer says; ids that mean nothing there are left out."""
        return written_units(self._seen([each for each in ids if each >= UNKNOWN]))

    def divided(self, text: str) -> list[str]:
        """Return the units of a text, known or not."""
        return [piece.text for piece in self._pieces(text)]

    def _pieces(self, text: str) -> Sequence[Piece]:
        return self.divider.divide(self.simplify(text) if self.simplify else text)

    def _seen(self, ids: Sequence[int]) -> list[Seen]:
        """Return the bytes of ids and how each joins the one before; no bytes are unknown."""
        found: list[Seen] = []
        before = ""
        for each in ids:
            unit = "" if each == UNKNOWN else self.units[each - FIRST]
            found.append((unit.encode() if unit else None, self.divider.joint(before, unit)))
            before = unit
        return found
