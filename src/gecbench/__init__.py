"""gecbench: the workbench for grammatical error correction.

The public names are here and resolved when first used, so that `import gecbench` costs nothing.

>>> import gecbench
>>> corpus = gecbench.load(gecbench.sample("zh", "corpus.jsonl"))
>>> len(corpus.samples)
76
"""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = [
    "Corpus",
    "Edit",
    "GecbenchError",
    "Options",
    "Places",
    "Rewrite",
    "Sample",
    "SystemOutput",
    "__version__",
    "extract",
    "load",
    "load_scheme",
    "load_system",
    "sample",
    "save",
    "score",
]

_HOMES = {
    "Corpus": "gecbench.core.sample",
    "Edit": "gecbench.core.edit",
    "GecbenchError": "gecbench.core.errors",
    "Rewrite": "gecbench.core.sample",
    "Sample": "gecbench.core.sample",
    "SystemOutput": "gecbench.core.sample",
    "Options": "gecbench.api.options",
    "Places": "gecbench.api.schemes",
    "extract": "gecbench.api.edits",
    "load": "gecbench.api.files",
    "load_scheme": "gecbench.api.schemes",
    "load_system": "gecbench.api.files",
    "sample": "gecbench.api.files",
    "save": "gecbench.api.files",
    "score": "gecbench.api.score",
}


def __getattr__(name: str) -> object:
    """Resolve a public name at first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'gecbench' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, resolved or not."""
    return sorted({*globals(), *__all__})
