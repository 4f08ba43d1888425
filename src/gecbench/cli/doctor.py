"""`gecbench doctor`: what is installed here, and what is missing."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gecbench import __version__
from gecbench.api.options import Places
from gecbench.cli.command import command
from gecbench.cli.output import ListOutput, show_list
from gecbench.core.errors import ResourceError, install_command
from gecbench.reports.report import Grid

_EXTRAS = {
    "": "py3langid",  # always installed
    "zh": "opencc pypinyin",
    "en": "spacy errant",
    "bleu": "sacrebleu",
    "zh-words": "jieba spacy-pkuseg",
    "statistics": "scipy",
    "report": "matplotlib jinja2",
    "annotate": "django gunicorn argon2-cffi dj-database-url django-axes django-csp django-htmx "
    "django-ninja krippendorff markdown-it-py nh3 prometheus-client regex tzdata whitenoise "
    "xlsxwriter",
    "postgres": "psycopg",
    "redis": "redis",
    "spelling": "symspellpy",
    "zh-lm": "kenlm",
    "en-lm": "gguf lemminflect",
    "models": "torch transformers accelerate safetensors tensorboard",
    "onnx": "onnx onnxruntime onnxscript tokenizers",
    "ct2": "ctranslate2",
    "lora": "peft",
    "chat": "anyio httpx",
    "ray": "ray",
    "parquet": "pyarrow",
    "remote": "fsspec",
    "workflows": "snakemake",
}
"""The packages of each extra in pyproject.toml, those of several extras once."""
_MODULES = {
    "argon2-cffi": "argon2",
    "django-axes": "axes",
    "django-csp": "csp",
    "django-ninja": "ninja",
    "markdown-it-py": "markdown_it",
}
"""Packages to the module by which they are found, where it has another name."""
_SLOW = "python for {} (install a C++ compiler and gecbench again: faster, same numbers)"
_OLD = "compiled, but older than its source for {} (run: python setup.py build_ext --inplace)"


@command
def doctor(places: Places, output: ListOutput) -> None:
    """Show what is installed, which alignment kernel is used, and what is missing."""
    from gecbench.backends.spacy import describe
    from gecbench.datasets.catalog import cache_folder, check_content, data_folder, data_set, locate
    from gecbench.lang.en import PIPELINE

    folder, mirror = places.folder or data_folder(), places.mirror
    lines = {
        "gecbench": __version__,
        "python": sys.version.split()[0],
        "kernel": _kernel(),
    }
    for extra, packages in _EXTRAS.items():
        lines |= {package: _version(package, extra) for package in packages.split()}
    lines["pipeline"] = f"{describe(PIPELINE)}, bundled (--spacy-model for another)"
    lines["data folder"] = str(folder)
    lines["mirror"] = str(mirror) if mirror else "none (--mirror or GECBENCH_DATA_MIRROR)"
    lines["cache"] = str(cache_folder())
    resources = data_set("cherrant")
    for file in resources.files:
        try:
            path = locate(resources, file.name, folder=folder, mirror=mirror)
            check_content(path, file, origin=str(path))
        except ResourceError:
            lines[file.name] = f"missing or damaged; run: gecbench data get {resources.name}"
        else:
            lines[file.name] = str(path)
    width = max(map(len, lines))
    text = "".join(f"{name:{width}}  {value}\n" for name, value in lines.items())
    show_list(output, Grid(("NAME", "VALUE"), tuple(lines.items()), 2), {"parts": lines}, text=text)


def _kernel() -> str:
    """Name the kernel: "compiled", or what has to do without, or with an old one."""
    from gecbench.edits import alignment, maxmatch, threeway
    from gecbench.lang.en import alignment as english
    from gecbench.lang.zh import char
    from gecbench.scoring import resample

    kernels: Mapping[str, Any] = {
        "Chinese": alignment,
        "English": english,
        "MaxMatch": maxmatch,
        "I-measure": threeway,
        "zh-char": char,
        "resampling": resample,
    }
    slow = [name for name, module in kernels.items() if module.kernel_name() != "compiled"]
    if slow:
        return _SLOW.format(", ".join(slow))
    old = [name for name, module in kernels.items() if _is_old(Path(module.compiled.__file__))]
    return _OLD.format(", ".join(old)) if old else "compiled"


def _is_old(extension: Path) -> bool:
    """Whether an extension of a checkout was built before its source was changed."""
    source = extension.with_name(f"{extension.name.partition('.')[0]}.cpp")
    return source.exists() and source.stat().st_mtime > extension.stat().st_mtime


def _version(package: str, extra: str) -> str:
    if find_spec(_MODULES.get(package, package.replace("-", "_"))) is None:
        return f"missing; run: {install_command(extra)}"
    try:
        return version(package)
    except PackageNotFoundError:
        return "present, version unknown"
