"""Runtimes of exported models: ONNX Runtime for taggers, CTranslate2 for encoder-decoders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gecbench.backends import need
from gecbench.core.errors import GecbenchError, UsageError, reason

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_ERRORS_ONLY = 3


def load_session(path: Path, *, threads: int) -> InferenceSession:
    """Load an ONNX file into a session that runs it on the CPU.

    Args:
        path: The file.
        threads: That work on one run; 0 leaves the number to ONNX Runtime.

    Raises:
        GecbenchError: The file is missing or no model that this version runs.
        MissingExtraError: ONNX Runtime is not installed.
    """
    need("onnx", "onnxruntime")
    import onnxruntime

    if not path.is_file():
        raise GecbenchError(f"{path}: no such file; export the model again")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _ERRORS_ONLY
    options.intra_op_num_threads = threads
    # Idle threads that spin would take the CPU from other workers.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's errors have no class of their own in common
        raise GecbenchError(f"{path}: ONNX Runtime cannot run it: {reason(error)}") from error


def load_translator(folder: Path, *, device: str, precision: str, threads: int) -> Any:
    """Load the model in a folder into a `ctranslate2.Translator`.

    Args:
        folder: With `model.bin` and what belongs to it.
        device: auto, cpu, cuda, or cuda:N.
        precision: What it computes with; default takes that of the weights.
        threads: Of the CPU; 0 leaves it to CTranslate2.

    Raises:
        UsageError: There is no such device, or it cannot compute so.
        GecbenchError: The folder holds no such model.
    """
    need("ct2", "ctranslate2", "tokenizers")
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


def read_tokenizer(path: Path) -> Tokenizer:
    """Load a tokenizer from its `tokenizer.json`.

    Raises:
        GecbenchError: The file is missing or is none.
    """
    need("ct2", "ctranslate2", "tokenizers")
    from tokenizers import Tokenizer

    if not path.is_file():
        raise GecbenchError(f"{path}: no such file; export the model again")
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more exact
        raise GecbenchError(f"{path}: is no tokenizer: {error}") from error


def convert_to_ctranslate2(folder: Path, out: Path, *, precision: str) -> None:
    """Convert what transformers saved into what CTranslate2 reads.

    Args:
        folder: With config, weights in safetensors and tokenizer.
        out: A new folder.
        precision: How weights are kept: float32 or int8.

    Raises:
        GecbenchError: The architecture is not known to CTranslate2, or it fails.
    """
    need("ct2", "ctranslate2", "tokenizers")
    from ctranslate2.converters import TransformersConverter

    converter: Any = TransformersConverter(str(folder))
    try:
        converter.convert(str(out), quantization=None if precision == "float32" else precision)
    except (ValueError, RuntimeError, AttributeError, KeyError, TypeError) as error:
        raise GecbenchError(f"CTranslate2 cannot convert the model: {error}") from error
