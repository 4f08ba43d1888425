"""Options of inference of our own encoder-decoders."""

from __future__ import annotations

from typing import Literal

from gecbench.models.seq2seq.options import Decoding


class ScratchOptions(Decoding, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How answers are searched for; `Decoding` says the rest.

    Args:
        precision: Of the weights; auto is 32 bits.
        segmenter: Instead of the one that the card names, as where LTP's model lies elsewhere.
    """

    precision: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    segmenter: str = ""
