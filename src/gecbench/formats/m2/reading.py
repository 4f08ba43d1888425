"""M2 files to samples, in both dialects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gecbench.core.errors import EditError, FormatError
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample
from gecbench.edits.apply import apply
from gecbench.formats.m2.annotation import Annotation, parse, tokens_of
from gecbench.formats.m2.marks import ERROR_FREE, NOOP, NOT_ANNOTATED, UNANNOTATABLE, join
from gecbench.formats.texts import shown

Rows = list[tuple[int, str]]
"""Numbered lines of one block."""


def read(path: Path, lines: Sequence[str]) -> Corpus:
    """Return the blocks as samples whose ids are "1", "2", ...

    A file with a target line is in ChERRANT's dialect: Chinese, tokens joined without spaces.
    The fields "required" and "comment" are not kept, nor is a text beside type UNK. Edits of a
    set are sorted; several insertions at one place keep the order of the file. A block without
    A lines is error free for annotator 0, as in m2scorer (util.py, load_annotation).

    Raises:
        FormatError: Names the first line that breaks a rule of the format.
    """
    targets = any(map(_is_target, lines))
    samples = tuple(
        _sample(path, str(k), block, targets=targets) for k, block in enumerate(_blocks(lines), 1)
    )
    if not samples:
        raise FormatError(f"{path}:1: there is no S line; M2 begins with one: S token token")
    return Corpus(path.stem, samples, "zh" if targets else None)


def _blocks(lines: Sequence[str]) -> Iterator[Rows]:
    block: Rows = []
    for n, line in enumerate(lines, 1):
        if line.strip():
            block.append((n, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _sample(path: Path, name: str, block: Rows, *, targets: bool) -> Sample:
    (n, first), *rows = block
    if first != "S" and not first.startswith("S "):
        raise FormatError(
            f"{path}:{n}: the block begins with {shown(first)}; it begins with an S line, and "
            "blank lines stand only between blocks"
        )
    tokens = tokens_of(f"{path}:{n}", first[2:], "the S line")
    if not tokens:
        raise FormatError(f"{path}:{n}: the S line has no token; remove the block")
    if not rows:
        rewrites = [Rewrite(error_free=True, edit_sets=((),), annotator="0")]
    elif targets:
        rewrites = _targets(path, rows, tokens)
    else:
        rewrites = _coders(path, rows, tokens)
    return Sample(name, join(tokens, targets=targets), tuple(rewrites), tokens=tokens)


def _coders(path: Path, rows: Rows, tokens: tuple[str, ...]) -> list[Rewrite]:
    """Return the rewrites of a block in ERRANT's dialect, in order of first appearance."""
    coders: dict[str, list[Annotation]] = {}
    for n, line in rows:
        found = parse(f"{path}:{n}", n, line, len(tokens))
        coders.setdefault(found.coder, []).append(found)
    return [_coder(path, found, tokens) for found in coders.values()]


def _coder(path: Path, found: list[Annotation], tokens: tuple[str, ...]) -> Rewrite:
    for one in found:
        if one.edit is None and len(found) > 1:
            raise FormatError(
                f"{path}:{one.n}: type {one.label} stands beside other lines of coder "
                f"{one.coder}; remove it or them"
            )
    if found[0].edit is None:
        return _declared(found[0])
    edits, made = _applied(path, found, tokens)
    text = None if _detects_only(edits) else join(made, targets=False)
    return Rewrite(text=text, edit_sets=(edits,), annotator=found[0].coder)


def _declared(found: Annotation) -> Rewrite:
    if found.label == NOOP:
        return Rewrite(error_free=True, edit_sets=((),), annotator=found.coder)
    return Rewrite(unannotatable=True, annotator=found.coder)


def _detects_only(edits: EditSet) -> bool:
    return any(edit.replacement is None for edit in edits)


def _applied(
    path: Path, found: Sequence[Annotation], tokens: tuple[str, ...]
) -> tuple[EditSet, tuple[str, ...]]:
    """Return the sorted edits of one set, and the tokens that they make."""
    rows = [(each.n, each.edit) for each in found if each.edit is not None]
    rows.sort(key=lambda row: (row[1].start, row[1].end))
    edits = tuple(edit for _, edit in rows)
    try:
        return edits, apply(edits, tokens)
    except EditError as error:
        # Spans lie in the source, so two neighbours overlap; name the line that came later.
        later = next(
            max(m, n) for (m, one), (n, two) in pairwise(rows) if two.start < one.end
        )
        raise FormatError(f"{path}:{later}: {error}; remove one of them") from error


class _Target(NamedTuple):
    """A T line and its A lines: edit set `a` of reference `k`; None before a mark."""

    n: int
    k: int
    a: int | None
    body: str
    found: list[Annotation]


def _is_target(line: str) -> bool:
    return line.startswith("T") and line[1:2].isdecimal()


def _targets(path: Path, rows: Rows, tokens: tuple[str, ...]) -> list[Rewrite]:
    """Return the rewrites of a block in ChERRANT's dialect."""
    references: list[list[_Target]] = []
    last: _Target | None = None
    for n, line in rows:
        at = f"{path}:{n}"
        if _is_target(line):
            last = _target(at, n, line, last)
            if last.a:
                references[-1].append(last)
            else:
                references.append([last])
            continue
        found = parse(at, n, line, len(tokens))
        if last is None:
            raise FormatError(
                f"{at}: an A line before the first T line; in a file with T lines every "
                "reference begins with one"
            )
        if found.coder != str(last.k):
            raise FormatError(f"{at}: coder {found.coder} under T{last.k}; they are the same")
        last.found.append(found)
    return [_reference(path, sets, tokens) for sets in references]


def _target(at: str, n: int, line: str, last: _Target | None) -> _Target:
    head, _, body = line[1:].partition(" ")
    reference, dash, number = head.partition("-A")
    if not all(each.isascii() and each.isdecimal() for each in (reference, number or "0")) or (
        bool(dash) != bool(number)
    ):
        raise FormatError(f"{at}: {shown(line)} begins no target; write T0-A0 or T0 for T{head}")
    target = _Target(n, int(reference), int(number) if dash else None, body, [])
    k = last.k + 1 if last else 0
    follows = [(k, None), (k, 0)]
    if last and last.a is not None:
        follows.append((last.k, last.a + 1))
    if (target.k, target.a) not in follows:
        raise FormatError(
            f"{at}: T{head} is out of order; references count from T0, edit sets from A0"
        )
    if not dash and body not in (ERROR_FREE, UNANNOTATABLE):
        raise FormatError(
            f"{at}: T{head} without -A stands before {ERROR_FREE} or {UNANNOTATABLE} only; "
            f"write T{head}-A0 before a target"
        )
    return target


def _reference(path: Path, sets: Sequence[_Target], tokens: tuple[str, ...]) -> Rewrite:
    first = sets[0]
    if first.a is None:
        return _mark(path, first)
    made = _target_tokens(path, first, tokens)
    ...


def _mark(path: Path, target: _Target) -> Rewrite:
    label = NOOP if target.body == ERROR_FREE else NOT_ANNOTATED
    if [each.label for each in target.found] != [label]:
        raise FormatError(
            f"{path}:{target.n}: T{target.k} {target.body} is followed by exactly one A line, "
            f"of type {label}"
        )
    return _declared(target.found[0])
