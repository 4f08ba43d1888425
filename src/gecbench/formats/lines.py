"""lines: one sentence a line, sentence k of each file belongs together."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from gecbench.core.errors import FormatError, Place, quote
from gecbench.core.files import name_of, without_packing
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Sample
from gecbench.formats.texts import (
    OR_LINES,
    check_cell,
    format_rows,
    loss_of,
    most_references,
    parallel_losses,
    parallel_text,
    unknown_format,
)

_NAME = "lines"
_ANNOTATION = re.compile(r"A -?\d+ -?\d+\|\|\|")
_PERTURBED = re.compile(r"\s*O-[ST]\s")
_ANSWER = re.compile(r"\s*\((?:pid|NID|[\w-]+-ID)=[^()]*\)\s*[,，]")
_OTHER_ENDINGS = {
    ".csv": "CSV",
    ".conllu": "CoNLL-U",
    ".htm": "XML or SGML",
    ".html": "XML or SGML",
    ".json": "JSON",
    ".jsonl": "JSON",
    ".markdown": "Markdown",
    ".md": "Markdown",
    ".tex": "TeX",
    ".yaml": "YAML",
    ".yml": "YAML",
}
_HEADER = re.compile(r"\w+([,;]\w+)+")
_NAMES = re.compile(r"[A-Za-z_]\w*(?:([,;])[A-Za-z_]\w*)(?:\1[A-Za-z_]\w*)*", re.ASCII)
"""A header of CSV without a word that says so; its rows tell."""
_QUOTED = re.compile(r'"[^"]*"(?:([,;])"[^"]*")(?:\1"[^"]*")*')
"""A row of CSV of which every cell is in quotes."""
_END = r"(?<![.!?。！？…])\s*$"
"""A line that does not end as a sentence does."""
_TITLE = re.compile(r"# +\w")
_TITLE_ALONE = re.compile(r"# +[^\W\d].*" + _END)
"""What is a title if a blank line follows, which stands behind a sentence only by mistake."""
_HEADING = re.compile(r"#{2,6} +\w.*" + _END)
_FENCE = re.compile(r"(?:```|~~~)[\w+.-]*\s*")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
"""What stands below the header of a table in Markdown."""
_FRONT_MATTER = re.compile(r"---\n(?:[\w-]+:.*\n|[ -].*\n|#.*\n|\n)*(?:---|\.\.\.)(?:\n|$)")
_MARKDOWN = re.compile(r"#+ +\w|[-*] +\w|\d+[.)] +\w|```|> |\|.*\|")
"""What of Markdown may follow a title, as a heading, a list or a table."""
_HEADINGS = frozenset(("source", "src", "sentence", "text", "input", "target", "reference"))
_COLUMN_NAMES = _HEADINGS | {"id", "name", "label", "correction", "output"}
_TABLES = ("CSV", "JSON", "a JSON list")
_OTHER_BEGINNINGS = {
    "a JSON list": re.compile(r'\s*\[\s*(?:[{"]|$|-?\d[\d.]*\s*,\s*$)'),
    "JSON": re.compile(r'\s*\{\s*(?:"|$)'),
    "XML or SGML": re.compile(r"\s*<[?!]?(\w+)[^<>]*>(?:.*</\1>)?\s*$"),
    "Markdown": re.compile(r"##+ +\w"),
}


def check(path: Path, lines: Sequence[str]) -> None:
    """Refuse M2 without its first S line, perturbed cases, and files of other kinds as texts.

    Raises:
        FormatError: Names the line.
    """
    n, first = next(((n, line) for n, line in enumerate(lines, 1) if line.strip()), (0, ""))
    at = Place(path, n)
    if _ANNOTATION.match(first):
        raise FormatError(
            "an A line of M2 has no S line before it; add the sentence that it is of{option}",
            at=at,
            option=OR_LINES,
        )
    if _PERTURBED.match(first):
        raise FormatError(
            "these are perturbed cases, not a corpus; score systems on them by: gecbench analyse "
            "robustness{option}",
            at=at,
            option=OR_LINES,
        )
    if _ANSWER.match(first):
        raise FormatError(
            "an id and a comma begin the answers of a spelling task, but not all lines are "
            "answers: behind the comma stand 0, or places with their corrections; here is "
            "{text}{option}",
            at=at,
            text=quote(first),
            option=OR_LINES,
        )
    kind = _OTHER_ENDINGS.get(without_packing(path).suffix.lower()) or next(
        (kind for kind, beginning in _OTHER_BEGINNINGS.items() if beginning.match(first)), None
    )
    names = re.split("[,;]", first.lower())
    if kind is None and _HEADER.fullmatch(first) and not _HEADINGS.isdisjoint(names):
        kind = "CSV"
    if kind is None and n and _is_markdown(lines[n - 1 :]):
        kind = "Markdown"
    if kind is None and _has_columns(first, lines[n:]):
        kind = "CSV"
    if kind is not None:
        from gecbench.formats.table import has_usual_columns  # few files are tables

        is_table = kind in _TABLES
        usual = is_table and has_usual_columns(path, lines)
        raise unknown_format(at, kind, is_table=is_table, has_usual_columns=usual)


def _is_markdown(lines: Sequence[str]) -> bool:
    """Whether lines are Markdown: what hardly any sentence looks like, or not without company.

    A title needs a blank line or more Markdown below it, a table its rule, and a block of code
    both its ends.
    """
    first, *rest = lines
    if _TITLE.match(first) and any(map(_MARKDOWN.match, rest)):
        return True
    if _TITLE_ALONE.match(first) and rest and not rest[0].strip() and any(map(str.strip, rest)):
        return True
    if any(map(_HEADING.fullmatch, lines)) or _FRONT_MATTER.match("\n".join(lines)):
        return True
    has_table = any(
        "|" in above and "|" in rule and _RULE.fullmatch(rule) for above, rule in pairwise(lines)
    )
    return has_table or sum(map(bool, map(_FENCE.fullmatch, lines))) > 1


def _has_columns(first: str, rows: Sequence[str]) -> bool:
    """Whether names with commas or semicolons between them begin rows that have as many.

    Two names are enough only where one is usual for a column, or both are in quotes.
    """
    quoted = _QUOTED.fullmatch(first)
    header = quoted or _NAMES.fullmatch(first)
    filled = [row for row in rows if row.strip()]
    if not header or not filled:
        return False
    width = len(next(csv.reader([first], delimiter=header[1]))) - 1
    if not quoted and width < 2 and _COLUMN_NAMES.isdisjoint(re.split("[,;]", first.lower())):
        return False
    return all(len(row) == width + 1 for row in csv.reader(filled, delimiter=header[1]))


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream a corpus without references; ids are line numbers, an empty line is a sentence."""
    return Corpus(name_of(path), ()), ((n, Sample(str(n), line)) for n, line in enumerate(lines, 1))


def pieces(corpus: Corpus) -> Mapping[str, Iterator[str]]:
    """Write one file of sources, or ".src", ".ref0", ".ref1", ... where there are references.

    The files of references have as many lines as that of the sources, so what a line cannot say
    becomes a text: a reference that is error free or unannotatable is the source; a sentence with
    fewer references than another repeats its first, one without any its source.

    Raises:
        CorpusError: Names the sample with a line end in a text.
    """
    files = {"": format_rows(corpus, _NAME, _source)}
    width = most_references(corpus)
    if width:
        files = {".src": files[""]}
    for k in range(width):
        files[f".ref{k}"] = format_rows(corpus, _NAME, partial(_reference, k=k, lang=corpus.lang))
    return files


def losses(corpus: Corpus) -> list[str]:
    """What is lost beside the name, which is the file's."""
    numbers = sum(sample.id != str(n) for n, sample in enumerate(corpus.samples, 1))
    return [
        *loss_of(_NAME, "ids but line numbers", numbers, "sentence"),
        *parallel_losses(_NAME, corpus),
    ]


def _source(sample: Sample) -> str:
    check_cell(sample.source, "the source", _NAME)
    return sample.source


def _reference(sample: Sample, k: int, lang: str | None) -> str:
    text = parallel_text(sample, k, lang)
    if text is not sample.source:
        check_cell(text, f"reference {k if k < len(sample.references) else 0}", _NAME)
    return text


FORMAT = Format(
    name=_NAME,
    about="one sentence a line; sources and references in files of their own",
    stream=stream,
    pieces=pieces,
    losses=losses,
    has_ids=False,
    is_text=True,
    check=check,
)
