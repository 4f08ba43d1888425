"""The scheme zh-char: the edits of the MuCGEC paper's definition, without any resource.

Zhang et al., MuCGEC, NAACL 2022, section 6.2: a sequence of least length of character insertions,
deletions and substitutions that makes the target of the source; neighbours of one type are one
edit. Where several sequences are as short, the one is taken that, read from the end of both
sentences, matches equal characters wherever it can, and elsewhere prefers a substitution to an
insertion and an insertion to a deletion. (Matching equal ends never makes a sequence longer.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gecbench.core.edit import Edit
from gecbench.core.scheme import Extraction, Scheme, SchemeContext
from gecbench.core.sentence import Sentence
from gecbench.edits.alignment import lattice
from gecbench.edits.apply import step_runs
from gecbench.lang.zh.parse import join, parse

_LABELS = {"D": "R", "I": "M", "S": "S"}


def scheme(_context: SchemeContext | None = None) -> Scheme:
    """The scheme; it has no options and reads nothing."""
    return Scheme(
        name="zh-char",
        lang="zh",
        parse_source=parse,
        parse_target=parse,
        extract=_extract,
        join=join,
        signature={"scheme": "zh-char", "granularity": "char"},
        has_type={"M", "R", "S", "W:M", "W:R", "UNK"}.__contains__,
    )


def _extract(source: Sentence, target: Sentence) -> Extraction:
    if source.codes == target.codes:
        return Extraction(((),))
    edits = [
        Edit(start, end, target.tokens[target_start:target_end], _LABELS[step])
        for step, start, end, target_start, target_end in step_runs(
            lattice(source.codes, target.codes, None).steps(), str
        )
        if step != "M"
    ]
    return Extraction((word_order(edits, source.tokens),))


def word_order(edits: Sequence[Edit], source: Sequence[str]) -> tuple[Edit, ...]:
    """The edits with the two parts of each word-order edit labelled W:R and W:M.

    A deletion and an insertion of the same tokens are one word-order edit (section 6.2), for
    analysis only: they stay two edits, so overall scores count both. Each deletion, from the
    left, takes the leftmost insertion of the same tokens that is still free.

    >>> [e.label for e in word_order([Edit(0, 1, (), "R"), Edit(2, 2, ("我",), "M")], "我去")]
    ['W:R', 'W:M']
    """
    result = list(edits)
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
