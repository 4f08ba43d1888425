"""Names of array types, for annotations alone: at run time numpy is imported where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Draws = NDArray[np.signedinteger[Any]]
    """Places of sentences, of shape (resamples, sentences)."""
    Values = NDArray[np.float64]
    Integers = NDArray[np.int64]
