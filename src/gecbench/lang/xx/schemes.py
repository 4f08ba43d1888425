"""Schemes of any language: errant over universal parts of speech, xx-word and xx-char.

errant is ERRANT's alignment and merging. What is English in ERRANT are its types alone: they read
tags of the Penn Treebank, a word list and a stemmer. Here types are made of universal parts of
speech and lemmas, as Boyd (W-NUT 2018, section 3.2) made them for German: M:, U: and R: with the
part of speech that all tokens of the edit have, else OTHER; and for replacements ORTH, WO, POS:FORM
(one lemma, one part of speech) and MORPH (one lemma, two parts of speech). There is no SPELL: that
takes a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from gecbench.core.edit import Sentence
from gecbench.core.scheme import Extraction, Scheme, SchemeContext
from gecbench.edits.alignment import changes
from gecbench.lang.en.alignment import Span, Strategy, words_of
from gecbench.lang.en.classify import RARE, UNKNOWN
from gecbench.lang.en.errant import scheme as english_scheme
from gecbench.lang.en.errant import scheme_of


def scheme(
    context: SchemeContext,
    *,
    spacy_model: str | Path | None = None,
    merging: Strategy = "rules",
    levenshtein: bool = False,
    parse_cache: Path | None = None,
) -> Scheme:
    """The scheme; en-errant where no pipeline is named.

    Args:
        context: Loads the pipeline. Without types, edits have no label.
        spacy_model: The pipeline, by name or folder: gives universal parts of speech and lemmas.
        merging: How steps of the alignment become edits; ERRANT's -merge.
        levenshtein: Align by plain edit distance; ERRANT's -lev.
        parse_cache: Folder to keep in what the pipeline said of sentences.
    """
    if spacy_model is None:
        return english_scheme(
            context, merging=merging, levenshtein=levenshtein, parse_cache=parse_cache
        )
    return scheme_of(
        "errant",
        "xx",
        UniversalClassifier() if context.types else None,
        {},
        reader=context.reader(spacy_model, parse_cache),
        merging=merging,
        levenshtein=levenshtein,
        watch=context.watch,
        notes=(),
    )


@dataclass(frozen=True, slots=True)
class UniversalClassifier:
    """Finds the types of edits by universal parts of speech and lemmas."""

    def label(self, source: Sentence, target: Sentence, span: Span) -> str:
        """The type of an edit, as "R:VERB:FORM".

        Args:
            source: What the learner wrote.
            target: Its rewriting.
            span: Half-open token spans of both: (start, end, target_start, target_end).

        Raises:
            GecbenchError: A sentence has not been through a pipeline.
        """
        start, end, target_start, target_end = span
        forms, target_forms = source.tokens[start:end], target.tokens[target_start:target_end]
        if forms == target_forms:
            return UNKNOWN
        words, target_words = words_of(source), words_of(target)
        pos, target_pos = words.pos[start:end], target_words.pos[target_start:target_end]
        if not forms:
            return f"M:{_common_pos(target_pos)}"
        if not target_forms:
            return f"U:{_common_pos(pos)}"
        lowers, target_lowers = _lowers(forms), _lowers(target_forms)
        if "".join(lowers) == "".join(target_lowers):
            return "R:ORTH"
        if sorted(lowers) == sorted(target_lowers):
            return "R:WO"
        if words.lemmas[start:end] == target_words.lemmas[target_start:target_end]:
            class_ = _common_pos((*pos, *target_pos))
            return "R:MORPH" if class_ == "OTHER" else f"R:{class_}:FORM"
        return f"R:{_common_pos((*pos, *target_pos))}"


def _lowers(forms: tuple[str, ...]) -> list[str]:
    return [form.lower() for form in forms]


def _common_pos(pos: tuple[str, ...]) -> str:
    """The part of speech that all tokens have, "OTHER" where they differ or it is rare."""
    first = pos[0]
    return first if {*pos} == {first} and first not in RARE and first else "OTHER"


# xx-word and xx-char: least changes of words or characters, neighbours merged into one edit,
# without resources. The type is the operation alone: M (missing), R (redundant), S (substitution),
# as in MuCGEC. Tokens are never normalised.


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
