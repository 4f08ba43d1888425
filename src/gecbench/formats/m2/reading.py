"""M2 files to samples, in both dialects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gecbench.core.errors import FormatError
from gecbench.core.files import name_of
from gecbench.core.sample import NOT_KEPT, Corpus, Rewrite, Sample
from gecbench.formats.m2.annotation import Annotation, parse, tokens_of
from gecbench.formats.m2.marks import BARS, NONE, OR_MAXMATCH, join
from gecbench.formats.m2.rewrites import applied, declared, detects_only
from gecbench.formats.m2.targets import is_target, references
from gecbench.formats.texts import shown

Rows = list[tuple[int, str]]
"""Numbered lines of one block."""


def read(path: Path, lines: Sequence[str]) -> Corpus:
    """Return the blocks as samples whose ids are "1", "2", ...

    A file with a target line is in ChERRANT's dialect: Chinese, tokens joined without spaces.
    The fields "required" and "comment" are not kept. Edits of a set keep the order of the file.
    A block without A lines is error free for an annotator without a name, as in m2scorer
    (util.py, load_annotation) and ERRANT.

    Raises:
        FormatError: Names the first line that breaks a rule of the format.
    """
    targets = any(map(is_target, lines))
    samples = tuple(
        _sample(path, str(k), block, targets=targets) for k, block in enumerate(_blocks(lines), 1)
    )
    if not samples:
        raise FormatError(f"{path}:1: there is no S line; M2 begins with one: S token token")
    return Corpus(name_of(path), samples, "zh" if targets else None, not_kept(lines))


def not_kept(lines: Sequence[str]) -> dict[str, str]:
    """Return, as provenance, how many lines say something in the fields that are not kept."""
    usual = f"{BARS}REQUIRED{BARS}{NONE}{BARS}"
    count = sum(line.startswith("A ") and usual not in line for line in lines)
    return {NOT_KEPT: f"the fields required and comment of {count} A lines"} if count else {}


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
    if not rows and targets:
        raise FormatError(
            f"{path}:{n}: the block has no T line; in a file with T lines every block has one "
            "(T0 没有错误 if it is error free)"
        )
    if not rows:
        rewrites = [Rewrite(error_free=True, edit_sets=((),))]
    elif targets:
        rewrites = references(path, rows, tokens)
    else:
        rewrites = _coders(path, rows, tokens)
    return Sample(name, join(tokens, targets=targets), tuple(rewrites), tokens=tokens)


def _coders(path: Path, rows: Rows, tokens: tuple[str, ...]) -> list[Rewrite]:
    """Return the rewrites of a block in ERRANT's dialect, in order of first appearance."""
    coders: dict[str, list[Annotation]] = {}
    for n, line in rows:
        found = parse(f"{path}:{n}", n, line, tokens, f"; correct it{OR_MAXMATCH}")
        coders.setdefault(found.coder, []).append(found)
    return [_coder(path, found, tokens) for found in coders.values()]


def _coder(path: Path, found: list[Annotation], tokens: tuple[str, ...]) -> Rewrite:
    for each in found:
        if each.edit is None and len(found) > 1:
            raise FormatError(
                f"{path}:{each.n}: type {each.label} stands beside another line of coder "
                f"{each.coder}; remove one of them"
            )
    if found[0].edit is None:
        return declared(found[0])
    edits, made = applied(path, found, tokens, OR_MAXMATCH)
    text = None if detects_only(edits) else join(made, targets=False)
    return Rewrite(text=text, edit_sets=(edits,), annotator=found[0].coder)
