"""What the weights of a network look like."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

_Positive = Annotated[int, msgspec.Meta(gt=0)]

Architecture = Literal["convolutional", "recurrent", "transformer"]


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All that is needed to make a network with random weights.

    Args:
        architecture: See the module of that name.
        vocabulary: Rows of the one embedding, which sources, targets and outputs share.
        width: Of each position, everywhere.
        layers: Of the encoder, and of the decoder.
        heads: Of the transformer's attention; 0 for others.
        feedforward: Width inside the transformer's layers; 0 for others.
        kernel: Positions that one convolution sees; 0 for others.
        dropout: While it learns.
    """

    architecture: Architecture
    vocabulary: _Positive
    width: _Positive
    layers: _Positive
    heads: Annotated[int, msgspec.Meta(ge=0)] = 0
    feedforward: Annotated[int, msgspec.Meta(ge=0)] = 0
    kernel: Annotated[int, msgspec.Meta(ge=0)] = 0
    dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0

    def __post_init__(self) -> None:
        """Refuse sizes that do not go together."""
        if self.width % 2:
            raise ValueError(f"width {self.width} is odd; it has two halves")
        if self.architecture == "transformer":
            if not self.heads or self.width % self.heads:
                raise ValueError(f"width {self.width} cannot be divided into {self.heads} heads")
            if not self.feedforward:
                raise ValueError("feedforward is 0; a transformer needs one")
        if self.architecture == "convolutional" and not self.kernel % 2:
            raise ValueError(f"kernel {self.kernel} is even; it has no middle")
