"""The choice between the compiled kernel and the one in Python; both give the same lattice."""

from __future__ import annotations

from typing import Protocol

from gecbench.edits import kernel
from gecbench.edits.features import FeatureCosts

try:
    from gecbench.edits import _kernel as compiled  # type: ignore[attr-defined,unused-ignore]
except ImportError:  # no compiler at installation: slower, the same numbers
    compiled = None


class Lattice(Protocol):
    """All least-cost alignments of two token sequences; see `kernel.Lattice`."""

    def chain(self, first: bool, /) -> list[kernel.Segment] | None:
        """Return all segments if there is no choice; see `kernel.Lattice.chain`."""
        ...

    def arcs(self, i: int, j: int, in_run: bool, /) -> list[kernel.Arc]:
        """Return the segments that may end at a cell; see `kernel.Lattice.arcs`."""
        ...

    def steps(self) -> str:
        """Return the first alignment as letters M, S, I, D."""
        ...


def lattice(source: bytes, target: bytes, costs: FeatureCosts | None) -> Lattice:
    """Return the lattice of all least-cost alignments.

    Args:
        source: Token codes, native 32-bit integers.
        target: The same of the other side.
        costs: Graded substitution costs; None means edit distance without transpositions.
    """
    if compiled is None:
        return kernel.Lattice(source, target, costs)
    made: Lattice = compiled.Lattice(source, target, costs.data if costs else None)
    return made


def kernel_name() -> str:
    """Return "compiled" or "python"."""
    return "python" if compiled is None else "compiled"
