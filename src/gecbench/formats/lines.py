"""lines: one sentence a line, sentence k of each file belongs together."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import dropwhile, pairwise
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
_SENTENCE_ENDS = tuple(".!?。！？…")
_HEADING = re.compile(r"# +[^\W\d]|#{2,6} +\w")
_FENCE = re.compile(r"(?:```|~~~)([\w+.-]*)")
_RULE = re.compile(":?-+:?")
"""A cell of what stands below the header of a table in Markdown."""
_KEY = re.compile(r"[a-z][\w-]*:(?: |$)")
_IN_FRONT_MATTER = re.compile(r"[\w-]+:|[ #-]|$")
_ITEM = re.compile(r"[-*] +\w|\d+[.)] +\w|> ")
"""What of Markdown may stand below a title, beside other headings, tables and code."""
_BETWEEN = (",", " ", "\t", "\n")
"""What stands between lists and objects of JSON, a line each or not."""
_HEADINGS = frozenset(("source", "src", "sentence", "text", "input", "target", "reference"))
_COLUMN_NAMES = _HEADINGS | {"id", "name", "label", "correction", "output"}
_TABLES = ("CSV", "JSON", "a JSON list")
_XML = re.compile(r"\s*<[?!]?(\w+)\b[^<>]*>(?:.*</\1>)?\s*$")
_OBJECT = re.compile(r'(\s*\[)?\s*\{\s*"[^"]*"\s*:')
"""What begins as JSON with a key, however it goes on."""


class MarkdownOrCsvError(FormatError):
    """Lines that look like Markdown or CSV, which sentences may do, too."""


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
    kind = _OTHER_ENDINGS.get(without_packing(path).suffix.lower())
    if kind is None and _XML.match(first):
        kind = "XML or SGML"
    if kind is None and n and _is_json(lines[n - 1 :]):
        kind = "a JSON list" if first.lstrip().startswith("[") else "JSON"
    is_clear = kind is not None
    if kind is None:
        if line := _markdown_line(lines):
            kind, at = "Markdown", Place(path, line)
        elif _has_header(first, lines[n:]) or _has_columns(first, lines[n:]):
            kind = "CSV"
    if kind is not None:
        from gecbench.formats.table import has_usual_columns  # few files are tables

        is_table = kind in _TABLES
        usual = is_table and has_usual_columns(path, lines)
        error = unknown_format(at, kind, is_table=is_table, has_usual_columns=usual)
        raise error if is_clear else MarkdownOrCsvError(error.message, at=at)


def _is_json(lines: Sequence[str]) -> bool:
    """Whether lines are JSON, as far as they go, or begin as JSON with a key."""
    if lines[0].lstrip()[0] not in "[{":
        return False
    import json  # few files are JSON

    text = "\n".join(lines).strip()
    if _OBJECT.match(text):
        return True
    decoder = json.JSONDecoder(parse_int=str)  # however many digits
    at = 0
    try:
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            if not isinstance(value, list | dict):
                return False
            while text[at : at + 1] in _BETWEEN:
                at += 1
    except json.JSONDecodeError as error:
        return error.pos == len(text) and "\n" in text  # the first lines, or one cut off
    except RecursionError:
        return False
    return True


def _markdown_line(lines: Sequence[str]) -> int:
    """The number of the line that shows that lines are Markdown; 0 where none does.

    A sentence may look like a line of Markdown, hardly like a part with all its lines: a heading
    between blank lines, with more Markdown if it has one # alone, a table with header, rule and
    row, code with its language and its end, and front matter.
    """
    if _has_front_matter(lines):
        return next(n for n, line in enumerate(lines, 1) if line.strip())
    texts = ["", *map(str.strip, lines), "", ""]
    filled = [n for n, text in enumerate(texts) if text]
    headings = [
        n for n in filled if _HEADING.match(texts[n]) and not texts[n].endswith(_SENTENCE_ENDS)
    ]
    alone = [n for n in headings if not texts[n - 1] and not texts[n + 1] and n < filled[-1]]
    parts = [n for n in alone if texts[n].startswith("##")]
    tables = [n for n in filled if "|" in texts[n] and _is_table(texts[n : n + 3])]
    fences = [(n, match[1]) for n in filled if (match := _FENCE.fullmatch(texts[n]))]
    code = [n for (n, language), (_, end) in pairwise(fences) if language and not end]
    if parts or tables or code:
        return min(parts + tables + code)
    others = len(headings) - 1 + len(fences) + sum(bool(_ITEM.match(texts[n])) for n in filled)
    return alone[0] if alone and others else 0


def _has_front_matter(lines: Sequence[str]) -> bool:
    """Whether lines begin with keys between two rules."""
    filled = [line.rstrip() for line in lines if line.strip()]
    if len(filled) < 2 or filled[0] != "---" or not _KEY.match(filled[1]):
        return False
    rest = dropwhile(lambda line: line != "---" and _IN_FRONT_MATTER.match(line), filled[1:])
    return next(rest, "") in ("---", "...")


def _is_table(lines: Sequence[str]) -> bool:
    """Whether three lines are the header, the rule and a row of a table, of as many cells."""
    header, rule, row = (line.strip("|").split("|") for line in lines)
    return (
        len(header) == len(rule) == len(row)
        and all("|" in line for line in lines)
        and all(_RULE.fullmatch(cell.strip()) for cell in rule)
    )


def _has_header(first: str, rows: Sequence[str]) -> bool:
    """Whether a line is names of columns, and half of those below have what divides them."""
    if not _HEADER.fullmatch(first) or _HEADINGS.isdisjoint(re.split("[,;]", first.lower())):
        return False
    filled = list(filter(str.strip, rows))
    return 2 * sum("," in row or ";" in row for row in filled) >= len(filled)


def _has_columns(first: str, rows: Sequence[str]) -> bool:
    """Whether names with commas or semicolons between them begin rows that have as many.

    Two names are enough only where one is usual for a column, or both are in quotes and so are
    two rows.
    """
    quoted = _QUOTED.fullmatch(first)
    header = quoted or _NAMES.fullmatch(first)
    filled = [row for row in rows if row.strip()]
    if not header or not filled:
        return False
    try:
        names, *cells = csv.reader([first, *filled], delimiter=header[1])
    except csv.Error:  # a cell that is longer than those of tables
        return False
    all_quoted = quoted and len(filled) > 1 and all(map(_QUOTED.fullmatch, filled))
    is_usual = len(names) > 2 or not _COLUMN_NAMES.isdisjoint(map(str.lower, names))
    return bool(all_quoted or is_usual) and all(len(row) == len(names) for row in cells)


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
