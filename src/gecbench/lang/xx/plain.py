"""The schemes xx-word and xx-char: edits of any language, without resources, of types M, R and S.

Least changes of words or characters, neighbours merged into one edit. The type is the operation
alone: M (missing), R (redundant), S (substitution), as in MuCGEC. Tokens are never normalised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gecbench.core.scheme import Extraction, Scheme, SchemeContext
from gecbench.core.sentence import Sentence
from gecbench.edits.apply import changes


def word_scheme(_context: SchemeContext | None = None) -> Scheme:
    """The scheme over words, which white space divides: texts are tokenised before."""
    return _scheme("word", words, " ".join)


def char_scheme(_context: SchemeContext | None = None) -> Scheme:
    """The scheme over characters (code points); white space is none."""
    return _scheme("char", characters, "".join)


def _scheme(
    granularity: str, parse: Callable[[str], Sentence], join: Callable[[tuple[str, ...]], str]
) -> Scheme:
    name = f"xx-{granularity}"
    return Scheme(
        name=name,
        lang="xx",
        parse_source=parse,
        parse_target=parse,
        extract=extract,
        join=join,
        signature={"scheme": name, "granularity": granularity},
        has_type={"M", "R", "S", "UNK"}.__contains__,
    )


def words(text: str) -> Sentence:
    """The tokens of a text that white space divides.

    >>> words("Das ist gut .").tokens
    ('Das', 'ist', 'gut', '.')
    """
    return Sentence(text, tuple(text.split()))


def characters(text: str) -> Sentence:
    """The characters of a text, white space left out.

    >>> characters("猫 が").tokens
    ('猫', 'が')
    """
    return Sentence(text, tuple("".join(text.split())))


def extract(source: Sentence, target: Sentence) -> Extraction:
    """Find the one set of edits from source to target.

    >>> [(e.start, e.end, e.label) for e in extract(words("a b c"), words("x b c d")).edit_sets[0]]
    [(0, 1, 'S'), (3, 3, 'M')]
    """
    edits = changes(source.tokens, target.tokens)
    return Extraction((tuple(replace(edit, label=edit.op) for edit in edits),))
