"""gecbench: the workbench for grammatical error correction.

The public names are resolved when first used, so that `import gecbench` costs nothing;
`__init__.pyi` says where each is.

>>> import gecbench
>>> corpus = gecbench.load(gecbench.sample("zh", "corpus.jsonl"))
>>> len(corpus.samples)
76
"""

from __future__ import annotations

import sys

import lazy_loader

__version__ = "0.1.0"

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Import what has a public name."""
    if name not in __all__:  # in Python's words, from which it makes suggestions
        error = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(error, name=name, obj=sys.modules[__name__])
    return _load(name)


__all__ += ["__version__"]
