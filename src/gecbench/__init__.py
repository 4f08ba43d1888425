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
    "Correction",
    "Edit",
    "GecbenchError",
    "Options",
    "PerturbedSet",
    "Places",
    "Rewrite",
    "Sample",
    "SystemOutput",
    "TextEdit",
    "Voting",
    "__version__",
    "breakdown",
    "check_perturbed",
    "combine",
    "compare",
    "correct",
    "correct_file",
    "correlation",
    "difficulty",
    "export",
    "extract",
    "human",
    "load",
    "load_perturbed",
    "load_scheme",
    "load_system",
    "load_systems",
    "meta",
    "open_corrector",
    "read_settings",
    "references",
    "report",
    "robustness",
    "sample",
    "save",
    "save_perturbed",
    "save_report",
    "score",
    "segmentation",
    "train",
]

_HOMES = {
    "correct": "gecbench.api.correct",
    "open_corrector": "gecbench.api.correct",
    "correct_file": "gecbench.api.correct",
    "Correction": "gecbench.core.corrector",
    "TextEdit": "gecbench.core.corrector",
    "read_settings": "gecbench.api.train",
    "train": "gecbench.api.train",
    "export": "gecbench.api.train",
    "segmentation": "gecbench.api.segmentation",
    "references": "gecbench.api.analyse",
    "human": "gecbench.api.analyse",
    "breakdown": "gecbench.api.analyse",
    "Corpus": "gecbench.core.sample",
    "Edit": "gecbench.core.edit",
    "GecbenchError": "gecbench.core.errors",
    "PerturbedSet": "gecbench.core.perturbed",
    "Rewrite": "gecbench.core.sample",
    "Sample": "gecbench.core.sample",
    "SystemOutput": "gecbench.core.sample",
    "Options": "gecbench.api.options",
    "Places": "gecbench.api.schemes",
    "Voting": "gecbench.api.combine",
    "combine": "gecbench.api.combine",
    "compare": "gecbench.api.compare",
    "correlation": "gecbench.api.analyse",
    "difficulty": "gecbench.api.difficulty",
    "extract": "gecbench.api.extract",
    "check_perturbed": "gecbench.api.robustness",
    "load": "gecbench.api.files",
    "load_perturbed": "gecbench.api.robustness",
    "load_scheme": "gecbench.api.schemes",
    "load_system": "gecbench.api.files",
    "load_systems": "gecbench.api.files",
    "robustness": "gecbench.api.robustness",
    "meta": "gecbench.api.meta",
    "report": "gecbench.api.report",
    "sample": "gecbench.api.files",
    "save": "gecbench.api.files",
    "save_report": "gecbench.api.report",
    "save_perturbed": "gecbench.api.robustness",
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
