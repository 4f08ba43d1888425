"""Files to core types and back; in-band marks never leave this package.

A new format is one file with a `Format` and one line in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.core.format import Format
from gecbench.core.registry import is_known, known_names, resolve

FORMATS: Mapping[str, str] = {
    "fcgec": "gecbench.formats.fcgec:FORMAT",
    "yaclc": "gecbench.formats.yaclc:FORMAT",
    "yaclc-minimal": "gecbench.formats.yaclc:MINIMAL",
    "yaclc-fluency": "gecbench.formats.yaclc:FLUENCY",
    "bea19": "gecbench.formats.essays:BEA19",
    "jsonl": "gecbench.formats.jsonl:FORMAT",
    "nucle": "gecbench.formats.essays:NUCLE",
    "sighan": "gecbench.formats.sighan:SIGHAN",
    "sighan-test": "gecbench.formats.sighan:SIGHAN_TEST",
    "ctc2021": "gecbench.formats.sighan:CTC",
    "multigec": "gecbench.formats.essays:FORMAT",
    "lang8": "gecbench.formats.tsv:LANG8",
    "nlpcc18": "gecbench.formats.tsv:NLPCC18",
    "nasgec": "gecbench.formats.tsv:NASGEC",
    "mucgec": "gecbench.formats.tsv:MUCGEC",
    "m2": "gecbench.formats.m2:FORMAT",
    "m2-maxmatch": "gecbench.formats.m2_maxmatch:FORMAT",
    "pairs": "gecbench.formats.tsv:PAIRS",
    "table": "gecbench.formats.table:FORMAT",
    "lines": "gecbench.formats.lines:FORMAT",
}
"""Name to format, in the order in which they are tried; every text file is lines."""

FIRST_CHARACTERS: Mapping[str, str] = {
    "fcgec": "{",
    "yaclc": "{[",
    "yaclc-minimal": "{[",
    "yaclc-fluency": "{[",
    "bea19": "{",
    "jsonl": "{",
    "nucle": "<",
    "sighan": "<",
    "multigec": "#",
    "m2": "S",
}
"""What files of a format begin with, white space aside; it is not tried on any other file."""

IMPORTED = (
    *(name for name in FORMATS if name != "m2-maxmatch"),
    *("label-studio", "doccano", "annotations"),
)
"""What the annotation platform reads; m2-maxmatch has rewrites without texts."""

CORPUS_FORM, SYSTEM_FORM = "id=NAME,source=NAME,references=NAME;NAME", "id=NAME,text=NAME"
"""How the columns of a table are named: of a corpus, and of what a system wrote."""

COLUMNS_OPTION = f"--columns {CORPUS_FORM}"
"""How a command line names those of a corpus; commands may call it otherwise."""


def written_formats() -> list[str]:
    """Names of the formats that a corpus can be written in."""
    return [name for name in FORMATS if load_format(name).is_written]


def load_writer(name: str) -> Format:
    """Load a format to write by name.

    Raises:
        UnknownNameError: There is no such format; the nearest names are given.
        UsageError: It is only read.
    """
    if not is_known("format", name, FORMATS):
        others = (n for n in known_names("format", FORMATS) if n not in FORMATS)
        raise UnknownNameError("format", name, [*written_formats(), *others])
    writer = load_format(name)
    if not writer.is_written:
        raise UsageError(f"format {name} is only read; write one of {', '.join(written_formats())}")
    return writer


def load_format(name: str) -> Format:
    """Load a format by name; another package may offer it.

    Raises:
        UnknownNameError: There is no such format; the nearest names are given.
    """
    return cast("Format", resolve("format", name, FORMATS))
