"""The door to ONNX Runtime: sessions of exported models."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.core.errors import GecbenchError, MissingExtraError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_WARNINGS_ARE_SILENT = 3


def need_onnxruntime() -> None:
    """Refuse to go on without ONNX Runtime.

    Raises:
        MissingExtraError: It is not installed.
    """
    if find_spec("onnxruntime") is None:
        raise MissingExtraError("onnxruntime", "onnx")


def session_of(path: Path, *, threads: int) -> InferenceSession:
    """Return a session that runs a model on the CPU.

    Args:
        path: An ONNX file.
        threads: That work on one run; 0 leaves the number to ONNX Runtime.

    Raises:
        GecbenchError: The file is missing or no model that this version runs.
        MissingExtraError: ONNX Runtime is not installed.
    """
    need_onnxruntime()
    import onnxruntime

    if not path.is_file():
        raise GecbenchError(f"{path}: no such file; export the model again")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _WARNINGS_ARE_SILENT
    options.intra_op_num_threads = threads
    # Idle threads that spin would take the CPU from other workers.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's errors have no class of their own in common
        first = str(error).strip().splitlines()[0]
        raise GecbenchError(f"{path}: ONNX Runtime cannot run it: {first}") from error


def version_of_onnxruntime() -> str:
    """Return the version of ONNX Runtime."""
    need_onnxruntime()
    import onnxruntime

    return str(onnxruntime.__version__)
