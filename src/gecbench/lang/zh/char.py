"""Characters as tokens, and the scheme zh-char: the edits of the MuCGEC paper's definition.

Zhang et al., MuCGEC, NAACL 2022, section 6.2: a sequence of least length of character insertions,
deletions and substitutions that makes the target of the source; neighbours of one type are one
edit. Where several sequences are as short, the one is taken that, read from the end of both
sentences, matches equal characters wherever it can, and elsewhere prefers a substitution to an
insertion and an insertion to a deletion. (Matching equal ends never makes a sequence longer.)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from gecbench.core.edit import Edit, Sentence
from gecbench.core.scheme import Extraction, Scheme, SchemeContext

try:
    from gecbench.lang.zh import _char as compiled  # type: ignore[attr-defined,unused-ignore]
except ImportError:  # no compiler at installation: slower, the same numbers
    compiled = None

_RUN = re.compile("S+|I+|D+")

Span = tuple[int, int, int, int]
"""Where an edit is: half-open spans of source and target tokens."""


def scheme(_context: SchemeContext | None = None) -> Scheme:
    """The scheme; it has no options and reads nothing."""
    return Scheme(
        name="zh-char",
        lang="zh",
        parse_source=parse,
        parse_target=parse,
        extract=_extract,
        count_matches=None if compiled is None else compiled.count_matches,
        # An extension that was built before has none; `gecbench doctor` names it.
        count_shared_edits=getattr(compiled, "count_shared_edits", None),
        join="".join,
        signature={"scheme": "zh-char", "granularity": "char"},
        has_type={"M", "R", "S", "W:M", "W:R", "UNK"}.__contains__,
    )


def kernel_name() -> str:
    """Which kernel runs: "compiled" or "python"."""
    return "python" if compiled is None else "compiled"


def _extract(source: Sentence, target: Sentence) -> Extraction:
    edits = []
    for start, end, target_start, target_end in _spans(source, target):
        label = "M" if start == end else "R" if target_start == target_end else "S"
        edits.append(Edit(start, end, target.tokens[target_start:target_end], label))
    return Extraction((word_order(edits, source.tokens),))


def _spans(source: Sentence, target: Sentence) -> list[Span]:
    if source.codes == target.codes:
        return []
    if compiled is not None:
        found: list[Span] = compiled.spans(source.codes, target.codes)
        return found
    from gecbench.edits.alignment import lattice

    steps = lattice(source.codes, target.codes, None).steps()
    spans = []
    inserted = deleted = 0  # steps before that only one side has
    for run in _RUN.finditer(steps):
        begin, end = run.span()
        start, target_start = begin - inserted, begin - deleted
        step = steps[begin]
        if step == "I":
            inserted += end - begin
        elif step == "D":
            deleted += end - begin
        spans.append((start, end - inserted, target_start, end - deleted))
    return spans


def word_order(edits: Sequence[Edit], source: Sequence[str]) -> tuple[Edit, ...]:
    """The edits with the two parts of each word-order edit labelled W:R and W:M.

    A deletion and an insertion of the same tokens are one word-order edit (section 6.2), for
    analysis only: they stay two edits, so overall scores count both. Each deletion, from the
    left, takes the leftmost insertion of the same tokens that is still free.

    >>> [e.label for e in word_order([Edit(0, 1, (), "R"), Edit(2, 2, ("我",), "M")], "我去")]
    ['W:R', 'W:M']
    """
    result = list(edits)
    if not any(edit.label == "M" for edit in edits):
        return tuple(result)
    for at, edit in enumerate(edits):
        if edit.label != "R":
            continue
        tokens = tuple(source[edit.start : edit.end])
        for to, other in enumerate(result):
            if other.label == "M" and other.replacement == tokens:
                result[at] = replace(edit, label="W:R")
                result[to] = replace(other, label="W:M")
                break
    return tuple(result)


# Texts to character tokens.


PLACEHOLDER = "[缺失成分]"
"""Stands for content that is missing and cannot be guessed; one token (MuCGEC, guidelines)."""

_PLACEHOLDER_CODE = (0x110000).to_bytes(4, sys.byteorder)  # one above the last code point
_UTF32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


def parse(text: str) -> Sentence:
    """Divide a text into tokens: one per code point, white space dropped, the placeholder whole.

    White space is what `str.split` splits at. Nothing is normalised: full-width and half-width,
    upper and lower case stay different; combining marks and joiners are tokens of their own.

    >>> parse("我 有[缺失成分]。").tokens
    ('我', '有', '[缺失成分]', '。')
    """
    packed = "".join(text.split())
    if PLACEHOLDER not in packed:
        return Sentence(text, tuple(packed), packed.encode(_UTF32))
    parts = packed.split(PLACEHOLDER)
    tokens: list[str] = list(parts[0])
    for part in parts[1:]:
        tokens.append(PLACEHOLDER)
        tokens.extend(part)
    codes = _PLACEHOLDER_CODE.join(part.encode(_UTF32) for part in parts)
    return Sentence(text, tuple(tokens), codes)
