"""Options of inference of encoder-decoders, the same for all runtimes."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

_Positive = Annotated[int, msgspec.Meta(gt=0)]
_Count = Annotated[int, msgspec.Meta(ge=0)]


class Decoding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How answers are searched for.

    Args:
        beams: Of the search; 1 is greedy. Papers: 5 (MuCGEC), 10 (SynGEC), 12 (RobustGEC).
        length_penalty: Power of the length by which the log-probabilities of the beams that have
            ended are divided before the best is chosen; from -10 to 10.
        alternatives: How many other beams are kept, below `beams`.
        max_length: Longest source in tokens, specials included; 0 takes what it was trained for.
        ratio: An answer with more than `ratio` times the characters of its source and ten more,
            or correspondingly few, is no correction.
        batch_size: Sentences a batch.
        batch_tokens: Bounds a batch by its positions, padding included, too; 0 does not.
        device: auto, cpu, cuda, or another of torch's.
        precision: auto takes that of the weights; int8 is for exported models.
        threads: Of the CPU; 0 leaves it to the runtime.
        tokens: What edits consist of, a name of `text.tokens`; auto takes what the model's card
            says, else zh for texts with Chinese characters and en for others.
    """

    beams: _Positive = 5
    length_penalty: Annotated[float, msgspec.Meta(ge=-10, le=10)] = 1.0
    alternatives: _Count = 0
    max_length: _Count = 0
    ratio: Annotated[float, msgspec.Meta(ge=1)] = 2.0
    batch_size: _Positive = 32
    batch_tokens: _Count = 0
    device: str = "auto"
    precision: Literal["auto", "float32", "bfloat16", "float16", "int8"] = "auto"
    threads: _Count = 0
    tokens: Literal["auto", "zh", "en", "space"] = "auto"

    def __post_init__(self) -> None:
        """Refuse more alternatives than there are beams."""
        if self.alternatives >= self.beams:
            raise ValueError(
                f"alternatives {self.alternatives} needs more beams than {self.beams}; "
                "the best beam is the correction itself"
            )


class Options(Decoding, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The same for models of transformers and their exports.

    Args:
        prefix: Text before every source, as "gec: " (T5); for models that gecbench did not make.
        language_code: What a multilingual model calls the language, as zh_CN (mBART); the same.
    """

    prefix: str = ""
    language_code: str = ""
