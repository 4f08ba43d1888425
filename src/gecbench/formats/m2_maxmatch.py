"""m2-maxmatch: ERRANT's dialect of M2 as the MaxMatch scorer reads it, faults and all.

m2scorer cb874a7 (util.py, load_annotation). Published gold files have edits that overlap, stand
twice, are out of order or end after their sentence; the strict format refuses them, this one
keeps what the scorer keeps, in its order, and says what it does not keep.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gecbench.core.edit import Edit, apply
from gecbench.core.errors import CorpusError, EditError, FormatError, Place, count_noun, quote
from gecbench.core.files import name_of
from gecbench.core.format import Format, Rows
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.m2 import (
    MAXMATCH,
    NONE,
    NOOP,
    NOT_ANNOTATED,
    Block,
    blocks,
    coders,
    detects_only,
    edit_of,
    fields_of,
    is_target,
    provenance,
    write_block,
)
from gecbench.formats.m2 import losses as m2_losses
from gecbench.formats.texts import format_rows, loss_of, parse_rows

_NUMBER = re.compile(r"-?[0-9]{1,9}")

_OUTSIDE, _BESIDE, _NOT_ANNOTATED, _SKIPPED = "edit", "noop line", "NA line", "I line"
_REASONS = {
    _OUTSIDE: " outside the sentence",
    _BESIDE: " beside edits",
    _NOT_ANNOTATED: ", which the scorer takes for free of errors",
    _SKIPPED: "",
}
"""What is left out, and why."""


class _Line(NamedTuple):
    """An A line.

    Args:
        coder: Its annotator.
        edit: None where it is left out.
        left_out: Then, a key of `_REASONS`; empty for noop.
    """

    coder: int
    edit: Edit | None
    left_out: str = ""


def stream(path: Path, lines: Iterable[str]) -> tuple[Corpus, Rows]:
    """Stream the blocks as samples whose ids are "1", "2", ...

    Annotators come in ascending order, as the scorer asks them. One whose edits can be applied,
    those that stand twice taken once, has a text.

    Raises:
        FormatError: Names the first line that the scorer would stop at or read across sentences.
    """
    lines = list(lines)
    for _ in parse_rows(path, enumerate(lines, 1), _check_line):
        pass
    left_out: Counter[str] = Counter()
    rows = [
        (block[0][0], _sample(path, str(k), block, left_out))
        for k, block in enumerate(blocks(path, lines), 1)
    ]
    notes = [count_noun(left_out[w], w) + why for w, why in _REASONS.items() if left_out[w]]
    return Corpus(name_of(path), (), None, provenance(lines, notes)), iter(rows)


def _check_line(line: str) -> None:
    if line and line.splitlines() != [line]:
        raise FormatError(
            "a character inside the line ends it for the MaxMatch scorer: "
            f"{quote(line)}; put a space in its place"
        )
    if line and not line.strip():
        raise FormatError(
            "a line of white space, which does not divide blocks for the MaxMatch scorer; empty it"
        )


def _sample(path: Path, name: str, block: Block, left_out: Counter[str]) -> Sample:
    (n, first), *rows = block
    if first == "S":
        raise FormatError("the S line has no token; remove the block", at=Place(path, n))
    tokens = tuple(first[2:].split())
    a_lines = [row for row in rows if not row[1].startswith("I ")]
    left_out[_SKIPPED] += len(rows) - len(a_lines)
    by_coder: dict[int, list[_Line]] = {}
    for _, annotation in parse_rows(path, a_lines, partial(_line, tokens=tokens)):
        by_coder.setdefault(annotation.coder, []).append(annotation)
    rewrites = []
    for coder, coder_lines in sorted(by_coder.items()):
        edits = tuple([line.edit for line in coder_lines if line.edit])
        rewrites.append(_rewrite(str(coder), edits, tokens))
        beside = _BESIDE if edits else ""
        reasons = (line.left_out or beside for line in coder_lines if not line.edit)
        left_out.update(reason for reason in reasons if reason)
    return Sample(
        name,
        first[2:].strip(),
        tuple(rewrites or [_rewrite(None, (), tokens)]),
        tokens=tokens,
    )


def _line(line: str, tokens: tuple[str, ...]) -> _Line:
    if is_target(line):
        raise FormatError(
            "T lines are ChERRANT's, and the MaxMatch scorer stops at them; read the file as m2"
        )
    head, label, correction, name = fields_of(line, leftmost=True)
    coder = int(name)
    if name != str(coder):
        raise FormatError(f"the coder is {quote(name)}; write {coder}")
    numbers = head[2:].split()
    if len(numbers) != 2 or not all(map(_NUMBER.fullmatch, numbers)):
        raise FormatError(f"the span is {quote(head[2:])}; it is two token numbers, start end")
    start, end = map(int, numbers)
    if label == NOOP:
        return _Line(coder, None)
    if min(start, end) < 0 or max(start, end) > len(tokens):
        is_declaration = label == NOT_ANNOTATED and (start, end) == (-1, -1)
        return _Line(coder, None, _NOT_ANNOTATED if is_declaration else _OUTSIDE)
    if start > end:
        raise FormatError(f"edit span '{start} {end}' is reversed; M2 spans are start end")
    texts = [_replacement(text) for text in correction.split("||")]
    return _Line(coder, edit_of(start, end, label, texts, tokens))


def _replacement(text: str) -> tuple[str, ...]:
    """A text that the scorer compares as a whole, so that two spaces stay two."""
    text = "" if text == NONE else text.strip()
    return tuple(text.split(" ")) if text else ()


def _rewrite(coder: str | None, edits: tuple[Edit, ...], tokens: tuple[str, ...]) -> Rewrite:
    if not edits:
        return Rewrite(error_free=True, edit_sets=((),), annotator=coder)
    text = None if detects_only(edits) else _text(edits, tokens)
    return Rewrite(text=text, edit_sets=(edits,), annotator=coder)


def _text(edits: Sequence[Edit], tokens: tuple[str, ...]) -> str | None:
    for applicable in (edits, tuple(dict.fromkeys(edits))):
        try:
            return " ".join(apply(applicable, tokens))
        except EditError:
            continue
    return None


def pieces(corpus: Corpus) -> Mapping[str, Iterator[str]]:
    """Write the blocks of a corpus in ERRANT's dialect, whatever its language.

    Unannotatable sentences become free of errors, which the scorer would take them for.

    Raises:
        CorpusError: The edits are not extracted, overlap, or would be read back otherwise.
    """
    return {"": format_rows(corpus, "m2", _block)}


def _block(sample: Sample) -> str:
    for name in coders(sample, targets=False):
        if name != str(int(name)):
            raise CorpusError(
                f"annotator {name!r} would be read back as {int(name)}; write it as jsonl"
            )
    text = write_block(_as_annotated(sample), targets=False)
    if text.splitlines() != text.split("\n")[:-1]:
        raise CorpusError(
            "a label holds a character that ends a line for the MaxMatch scorer; write it as jsonl"
        )
    return text


def losses(corpus: Corpus) -> list[str]:
    """What is lost beside the name, which is the file's.

    Raises:
        CorpusError: Edits cannot be applied; names the sample.
    """
    plain = replace(corpus, samples=tuple(map(_as_annotated, corpus.samples)), lang=None)
    numbers = [[int(name) for name in coders(s, targets=False)] for s in plain.samples]
    ordered = sum(row != sorted(row) for row in numbers)
    refused = sum(r.unannotatable for s in corpus.samples for r in s.references)
    return [
        *(line.replace("m2", MAXMATCH, 1) for line in m2_losses(plain)),
        *loss_of(MAXMATCH, "language", corpus.lang is not None, "corpus"),
        *loss_of(MAXMATCH, "state unannotatable", refused),
        *loss_of(MAXMATCH, "order of annotators but ascending", ordered, "sentence"),
    ]


def _as_annotated(sample: Sample) -> Sample:
    """A sentence as it is written: an unannotatable one is free of errors."""
    return replace(sample, references=tuple(map(_free, sample.references)))


def _free(rewrite: Rewrite) -> Rewrite:
    if not rewrite.unannotatable:
        return rewrite
    return replace(rewrite, unannotatable=False, error_free=True, edit_sets=((),))


FORMAT = Format(
    name=MAXMATCH,
    about="M2 with the faults of published gold files, read as the MaxMatch scorer does",
    stream=stream,
    pieces=pieces,
    losses=losses,
    has_ids=False,
)
