"""m2-maxmatch: ERRANT's dialect of M2 as the MaxMatch scorer reads it, faults and all.

m2scorer cb874a7 (util.py, load_annotation). Published gold files have edits that overlap, stand
twice, are out of order or end after their sentence; the strict format refuses them, this one
keeps what the scorer keeps, in its order, and says what it does not keep.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, EditError, FormatError
from gecbench.core.files import name_of
from gecbench.core.format import Format
from gecbench.core.sample import NOT_KEPT, Corpus, Rewrite, Sample
from gecbench.edits.apply import apply
from gecbench.formats.losses import counted, lost
from gecbench.formats.m2.annotation import edit_of, fields_of
from gecbench.formats.m2.losses import losses as m2_losses
from gecbench.formats.m2.marks import MAXMATCH, NONE, NOOP, NOT_ANNOTATED, join
from gecbench.formats.m2.reading import not_kept
from gecbench.formats.m2.rewrites import detects_only
from gecbench.formats.m2.targets import is_target
from gecbench.formats.m2.writing import coders
from gecbench.formats.m2.writing import write as write_m2
from gecbench.formats.texts import shown

_NUMBER = re.compile(r"-?[0-9]{1,9}")

_OUTSIDE, _BESIDE, _NOT_ANNOTATED, _SKIPPED = "edit", "noop line", "NA line", "I line"
_FATES = {
    _OUTSIDE: " outside the sentence",
    _BESIDE: " beside edits",
    _NOT_ANNOTATED: ", which the scorer takes for free of errors",
    _SKIPPED: "",
}
"""What is not kept, and why."""


class _Line(NamedTuple):
    """An A line.

    Args:
        coder: Its annotator.
        edit: None where it is not kept.
        fate: Then, why; empty for noop.
    """

    coder: int
    edit: Edit | None
    fate: str = ""


def read(path: Path, lines: Sequence[str]) -> Corpus:
    """Return the blocks as samples whose ids are "1", "2", ...

    Annotators come in ascending order, as the scorer asks them. One whose edits can be applied,
    those that stand twice taken once, has a text.

    Raises:
        FormatError: Names the first line that the scorer would stop at or read across sentences.
    """
    for n, line in enumerate(lines, 1):
        if line and line.splitlines() != [line]:
            raise FormatError(
                f"{path}:{n}: a character inside the line ends it for the MaxMatch scorer: "
                f"{shown(line)}; put a space in its place"
            )
        if line and not line.strip():
            raise FormatError(
                f"{path}:{n}: a line of white space, which does not divide blocks for the "
                "MaxMatch scorer; empty it"
            )
    fates: Counter[str] = Counter()
    samples = tuple(
        _sample(path, str(k), block, fates) for k, block in enumerate(_blocks(lines), 1)
    )
    if not samples:
        raise FormatError(f"{path}:1: there is no S line; M2 begins with one: S token token")
    return Corpus(name_of(path), samples, None, _provenance(lines, fates))


def write(corpus: Corpus) -> Mapping[str, str]:
    """Return the blocks of a corpus in ERRANT's dialect, whatever its language.

    Unannotatable sentences become free of errors, which the scorer would take them for.

    Raises:
        CorpusError: The edits are not extracted, overlap, or would be read back otherwise.
    """
    for sample in corpus.samples:
        for name in coders(sample, targets=False):
            if name != str(int(name)):
                raise CorpusError(
                    f"sample {sample.id!r}: annotator {name!r} would be read back as {int(name)}; "
                    "write it as jsonl"
                )
    contents = write_m2(_written(corpus))
    if contents[""].splitlines() != contents[""].split("\n")[:-1]:
        raise CorpusError(
            f"corpus {corpus.name!r}: a label holds a character that ends a line for the MaxMatch "
            "scorer; write it as jsonl"
        )
    return contents


def losses(corpus: Corpus) -> list[str]:
    """Return what is lost beside the name, which is the file's.

    Raises:
        CorpusError: Edits cannot be applied; names the sample.
    """
    plain = _written(corpus)
    numbers = [[int(name) for name in coders(s, targets=False)] for s in plain.samples]
    ordered = sum(row != sorted(row) for row in numbers)
    refused = sum(r.unannotatable for s in corpus.samples for r in s.references)
    return [
        *(line.replace("m2", MAXMATCH, 1) for line in m2_losses(plain)),
        *lost(MAXMATCH, "language", corpus.lang is not None, "corpus"),
        *lost(MAXMATCH, "state unannotatable", refused),
        *lost(MAXMATCH, "order of annotators but ascending", ordered, "sentence"),
    ]


def sniff(_lines: Sequence[str]) -> bool:
    """Return false: only who asks for these rules gets them."""
    return False


def _written(corpus: Corpus) -> Corpus:
    """Return what of a corpus is written."""
    samples = tuple(
        replace(sample, references=tuple(map(_annotated, sample.references)))
        for sample in corpus.samples
    )
    return replace(corpus, samples=samples, lang=None)


def _annotated(rewrite: Rewrite) -> Rewrite:
    if not rewrite.unannotatable:
        return rewrite
    return replace(rewrite, unannotatable=False, error_free=True, edit_sets=((),))


def _blocks(lines: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    for is_block, rows in groupby(enumerate(lines, 1), key=lambda row: bool(row[1])):
        if is_block:
            yield list(rows)


def _sample(path: Path, name: str, block: list[tuple[int, str]], fates: Counter[str]) -> Sample:
    (n, first), *rows = block
    if not first.startswith("S "):
        raise FormatError(
            f"{path}:{n}: the block begins with {shown(first)}; it begins with an S line, and "
            "empty lines stand only between blocks"
        )
    tokens = tuple(first[2:].split())
    by_coder: dict[int, list[_Line]] = {}
    for n, line in rows:
        if line.startswith("I "):
            fates[_SKIPPED] += 1
            continue
        found = _line(f"{path}:{n}", line, tokens)
        by_coder.setdefault(found.coder, []).append(found)
    for found_lines in by_coder.values():
        fates.update(_fates(found_lines))
    rewrites = [
        _rewrite(str(coder), [each.edit for each in by_coder[coder] if each.edit], tokens)
        for coder in sorted(by_coder)
    ]
    references = tuple(rewrites or [_rewrite(None, [], tokens)])
    return Sample(name, first[2:].strip(), references, tokens=tokens)


def _line(at: str, line: str, tokens: tuple[str, ...]) -> _Line:
    if is_target(line):
        raise FormatError(
            f"{at}: T lines are ChERRANT's, and the MaxMatch scorer stops at them; "
            "read the file as m2"
        )
    head, label, correction, name = fields_of(at, line, leftmost=True)
    coder = int(name)
    if name != str(coder):
        raise FormatError(f"{at}: the coder is {shown(name)}; write {coder}")
    start, end = _span(at, head[2:])
    if label == NOOP:
        return _Line(coder, None)
    if min(start, end) < 0 or max(start, end) > len(tokens):
        declares = label == NOT_ANNOTATED and (start, end) == (-1, -1)
        return _Line(coder, None, _NOT_ANNOTATED if declares else _OUTSIDE)
    if start > end:
        raise FormatError(f"{at}: edit span '{start} {end}' is reversed; M2 spans are start end")
    texts = [_replacement(text) for text in correction.split("||")]
    return _Line(coder, edit_of(start, end, label, texts, tokens))


def _span(at: str, text: str) -> tuple[int, int]:
    numbers = text.split()
    if len(numbers) != 2 or not all(map(_NUMBER.fullmatch, numbers)):
        raise FormatError(f"{at}: the span is {shown(text)}; it is two token numbers, start end")
    return int(numbers[0]), int(numbers[1])


def _replacement(text: str) -> tuple[str, ...]:
    """Return a text that the scorer compares as a whole, so that two spaces stay two."""
    text = "" if text == NONE else text.strip()
    return tuple(text.split(" ")) if text else ()


def _fates(lines: Sequence[_Line]) -> Iterator[str]:
    """Yield what is not kept of one annotator's lines."""
    edits = any(each.edit for each in lines)
    for each in lines:
        if each.edit is None and (each.fate or edits):
            yield each.fate or _BESIDE


def _rewrite(coder: str | None, edits: Sequence[Edit], tokens: tuple[str, ...]) -> Rewrite:
    if not edits:
        return Rewrite(error_free=True, edit_sets=((),), annotator=coder)
    kept = tuple(edits)
    text = None if detects_only(kept) else _text(kept, tokens)
    return Rewrite(text=text, edit_sets=(kept,), annotator=coder)


def _text(edits: Sequence[Edit], tokens: tuple[str, ...]) -> str | None:
    for each in (edits, tuple(dict.fromkeys(edits))):
        try:
            return join(apply(each, tokens), targets=False)
        except EditError:
            continue
    return None


def _provenance(lines: Sequence[str], fates: Mapping[str, int]) -> dict[str, str]:
    said = [counted(fates[noun], noun) + why for noun, why in _FATES.items() if noun in fates]
    said = [*not_kept(lines).values(), *said]
    return {NOT_KEPT: "; ".join(said)} if said else {}


FORMAT = Format(
    name=MAXMATCH,
    about="M2 with the faults of published gold files, read as the MaxMatch scorer does",
    sniff=sniff,
    read=read,
    write=write,
    losses=losses,
)
