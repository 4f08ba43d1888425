"""gecbench: the workbench for grammatical error correction.

The public names are resolved when first used, so that `import gecbench` costs nothing;
`__init__.pyi` says where each is.

>>> import gecbench
>>> corpus = gecbench.load(gecbench.sample("zh", "corpus.jsonl"))
>>> len(corpus.samples)
76
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

_STUB = Path(__file__).with_suffix(".pyi").read_text("utf-8")
_IMPORTS = [line.split() for line in _STUB.splitlines() if line.startswith("from ")]
_MODULES = {name: module for _, module, _, name, *_ in _IMPORTS}
"""Public names and their modules."""

__all__ = [*_MODULES, "__version__"]  # noqa: PLE0604 - strings, all of them


def __getattr__(name: str) -> object:
    """Resolve a public name at first use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'gecbench' has no attribute {name!r}")
    value: object = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, resolved or not."""
    return sorted({*globals(), *__all__})
