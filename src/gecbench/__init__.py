"""gecbench: the workbench for grammatical error correction.

The public names are resolved when first used, so that `import gecbench` costs nothing;
`__init__.pyi` says where each is.

>>> import gecbench
>>> corpus = gecbench.load(gecbench.sample("zh", "corpus.jsonl"))
>>> len(corpus.samples)
76
"""

from __future__ import annotations

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
