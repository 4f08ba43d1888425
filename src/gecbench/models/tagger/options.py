"""What can be chosen when a tagger corrects."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Bias = Annotated[float, msgspec.Meta(ge=-1, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Threads = Annotated[int, msgspec.Meta(ge=0, le=1024)]
Positive = Annotated[int, msgspec.Meta(gt=0)]


class Deciding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What decides the answers of a tagger; a model's card holds defaults of these.

    Args:
        rounds: A token gets one label at a time; what needs more takes further rounds.
        keep_bias: Added to the probability of keeping a token: higher corrects less, and with
            more precision.
        delete_bias: The same of deleting it.
        min_error_probability: A sentence where no token is an error with at least this
            probability stays as it is.
        token_threshold: A label with less than this probability is taken for keeping.
        min_tokens: Sources with fewer tokens stay as they are, and so does one without any.
        spacing: Whether texts are "tokenised", a blank between any two tokens, or "raw", as
            people write; "" looks at each sentence, and a short one may show nothing.
    """

    rounds: Positive = 5
    keep_bias: Bias = 0.0
    delete_bias: Bias = 0.0
    min_error_probability: Share = 0.0
    token_threshold: Share = 0.0
    min_tokens: Count = 0
    spacing: Literal["", "raw", "tokenised"] = ""


class TaggerOptions(Deciding, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a tagger corrects.

    Args:
        batch_size: Sentences a batch; 0 leaves it to the runtime. Answers do not depend on it,
            in 32 bits; in 16 their probabilities do a little.
        batch_tokens: Positions a batch, padding included; 0 does not bound them.
        device: cpu, cuda, cuda:1, mps; "" is a GPU if there is one. Of torch only.
        precision: Of the weights. Of torch only: an exported model has its own.
        threads: 0 leaves it to the runtime.
        weights: Of the members of an ensemble, in their order; () weighs them equally.
    """

    batch_size: Count = 0
    batch_tokens: Count = 0
    device: str = ""
    precision: Literal["fp32", "bf16", "fp16"] = "fp32"
    threads: Threads = 0
    weights: tuple[Annotated[float, msgspec.Meta(gt=0)], ...] = ()
