"""The door to CTranslate2: encoder-decoders without torch and transformers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def need_ct2() -> None:
    """Refuse to go on without CTranslate2.

    Raises:
        MissingExtraError: It is not installed.
    """
    for module in ("ctranslate2", "tokenizers"):
        if find_spec(module) is None:
            raise MissingExtraError(module, "ct2")


def version() -> str:
    """Return the version of CTranslate2."""
    from importlib.metadata import version as of

    return of("ctranslate2")


def translator(folder: Path, *, device: str, precision: str, threads: int) -> Any:
    """Return what runs the model in a folder: a `ctranslate2.Translator`.

    Args:
        folder: With `model.bin` and what belongs to it.
        device: auto, cpu, cuda, or cuda:N.
        precision: What it computes with; default takes that of the weights.
        threads: Of the CPU; 0 leaves it to CTranslate2.

    Raises:
        UsageError: There is no such device, or it cannot compute so.
        GecbenchError: The folder holds no such model.
    """
    need_ct2()
    import ctranslate2

    kind, _, index = device.partition(":")
    on_cpu = kind == "cpu" or (kind == "auto" and not ctranslate2.get_cuda_device_count())
    try:
        return ctranslate2.Translator(
            str(folder),
            device=kind,
            device_index=int(index or 0),
            compute_type=precision,
            # Parts of a batch side by side, one on a core, are faster than a batch on all cores.
            intra_threads=1 if on_cpu else threads,
            inter_threads=(threads or os.cpu_count() or 1) if on_cpu else 1,
        )
    except ValueError as error:
        raise UsageError(f"{folder}: device {device}, precision {precision}: {error}") from error
    except RuntimeError as error:
        raise GecbenchError(f"{folder}: CTranslate2 cannot read it: {error}") from error


def translated(
    model: Any,
    sources: Sequence[Sequence[str]],
    *,
    forced: Sequence[str],
    most: int,
    beams: int,
) -> list[Any]:
    """Return the results of one batch; nothing is cut before it is read, and none is empty.

    Args:
        model: Of `translator`.
        sources: Tokens, specials included.
        forced: Tokens that every result begins with.
        most: New tokens, those and the end included.
        beams: Of the search, which ends when the most probable beam has ended; all come back,
            with their log-probabilities.
    """
    found: list[Any] = model.translate_batch(
        [list(source) for source in sources],
        [list(forced) for _ in sources] if forced else None,
        beam_size=beams,
        num_hypotheses=beams,
        max_batch_size=-(-len(sources) // model.num_translators),
        length_penalty=0,
        max_decoding_length=most,
        min_decoding_length=len(forced) + 1,
        max_input_length=0,  # its default cuts sources at 1,024 without a word
        return_scores=True,
        return_end_token=True,
    )
    return found


def tokenizer_in(path: Path) -> Tokenizer:
    """Return a tokenizer from its `tokenizer.json`.

    Raises:
        GecbenchError: The file is missing or is none.
    """
    need_ct2()
    from tokenizers import Tokenizer

    if not path.is_file():
        raise GecbenchError(f"{path}: no such file; export the model again")
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more exact
        raise GecbenchError(f"{path}: is no tokenizer: {error}") from error


def converted(folder: Path, out: Path, *, quantise: str) -> None:
    """Convert what transformers saved into what CTranslate2 reads.

    Args:
        folder: With config, weights in safetensors and tokenizer.
        out: A new folder.
        quantise: How weights are kept: float32, float16, bfloat16, int8, int8_float16...

    Raises:
        GecbenchError: The architecture is not known to CTranslate2, or it fails.
    """
    need_ct2()
    from ctranslate2.converters import TransformersConverter

    convert: Callable[..., object] = TransformersConverter(str(folder)).convert
    try:
        convert(str(out), quantization=None if quantise == "float32" else quantise)
    except (ValueError, RuntimeError, AttributeError, KeyError, TypeError) as error:
        raise GecbenchError(f"CTranslate2 cannot convert the model: {error}") from error
