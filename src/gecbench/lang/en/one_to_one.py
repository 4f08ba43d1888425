"""The types of edits that put one word in the place of one word (ERRANT 3.0.2, classifier.py).

The rules are asked in order, and the first with an answer settles it; None means no answer.
"""

from __future__ import annotations

from collections.abc import Callable

from gecbench.lang.en.kernel import OPEN
from gecbench.lang.en.side import Word
from gecbench.lang.en.similarity import levenshtein_similarity
from gecbench.lang.en.tags import BY_DEPENDENCY, CLITICS, RARE

_FULL = {"ca": "can", "sha": "shall", "wo": "will"}  # what stands before n't
_PARTICLES = ({"PART", "PREP"}, {"prt", "prep"})  # as parts of speech, as dependencies
_ARGUMENTS = frozenset(("nsubj", "nsubjpass", "dobj", "pobj"))
_PARTICIPLES = frozenset(("VBG", "VBN"))


def one_to_one(
    o: Word, c: Word, dictionary: frozenset[str], stem: Callable[[str], str]
) -> str | None:
    """Return the type without "R:", or None where the rules for edits of any length decide.

    Args:
        o: The source's word.
        c: The target's word, which differs from it in more than case.
        dictionary: Words that are no misspellings.
        stem: The Lancaster stem of a word.

    Raises:
        UnparsedError: The answer depends on dependencies of a sentence that was not parsed.
    """
    return (
        _short_form(o, c)
        or _misspelling(o, c, dictionary)
        or _same_lemma(o, c)
        or _same_stem(o, c, stem)
        or _same_class(o, c)
        or _function_word(o, c)
        or _similar(o, c)
    )


def _short_form(o: Word, c: Word) -> str | None:
    if "POS" in (o.tag, c.tag):
        return "NOUN:POSS"
    if (o.lower in CLITICS or c.lower in CLITICS) and o.pos == c.pos:
        return "CONTR"
    if _FULL.get(o.lower) == c.lower or _FULL.get(c.lower) == o.lower:
        return "CONTR"
    if o.lower in _FULL or c.lower in _FULL:
        return "VERB:TENSE"
    return "VERB:SVA" if {o.lower, c.lower} == {"was", "were"} else None


def _misspelling(o: Word, c: Word, dictionary: frozenset[str]) -> str | None:
    """Return an answer for every alphabetic word that the dictionary lacks."""
    if not o.form.isalpha() or o.form in dictionary or o.lower in dictionary:
        return None
    if o.lemma == c.lemma:
        return f"{o.pos}:INFL" if o.pos == c.pos and o.pos in ("NOUN", "VERB") else "MORPH"
    similarity = levenshtein_similarity(o.lower, c.lower)
    if similarity > 0.55:
        return "SPELL"
    short = len(o.form) <= 4 and len(c.form) <= 4
    if short and (similarity == 0.5 or round(similarity, 3) == 0.333):
        return "SPELL"
    return "OTHER" if c.pos in RARE else c.pos


def _same_lemma(o: Word, c: Word) -> str | None:
    """Return an answer for all words of one lemma that are of an open class."""
    if o.lemma != c.lemma or o.pos not in OPEN or c.pos not in OPEN:
        return None
    if o.pos == c.pos:
        if o.pos == "ADJ":
            return "ADJ:FORM"
        if o.pos == "NOUN":
            return "NOUN:NUM"
        found = _same_verb(o, c) if o.pos == "VERB" else None
        if found:
            return found
    if {o.dep, c.dep} <= {"acomp", "amod"}:
        return "ADJ:FORM"
    if o.pos == "ADJ" and c.tag == "NNS":
        return "NOUN:NUM"
    if c.tag in _PARTICIPLES:
        return "VERB:FORM"
    return {"VBD": "VERB:TENSE", "VBZ": "VERB:SVA"}.get(c.tag, "MORPH")


def _same_verb(o: Word, c: Word) -> str | None:
    tags = {o.tag, c.tag}
    if _have_auxiliaries(o, c) or tags & _PARTICIPLES:
        return "VERB:FORM"
    if "VBD" in tags:
        return "VERB:TENSE"
    if "VBZ" in tags:
        return "VERB:SVA"
    return "VERB:TENSE" if _are_auxiliaries(o, c) else None


def _are_auxiliaries(o: Word, c: Word) -> bool:
    return o.dep.startswith("aux") and c.dep.startswith("aux")


def _have_auxiliaries(o: Word, c: Word) -> bool:
    """Return whether an auxiliary stands before both words, so that neither is the finite verb."""
    if _are_auxiliaries(o, c):
        firsts = (o.first_auxiliary_of_head(), c.first_auxiliary_of_head())
        return firsts[0] not in (None, o.form) and firsts[1] not in (None, c.form)
    return o.has_auxiliary() and c.has_auxiliary()


def _same_stem(o: Word, c: Word, stem: Callable[[str], str]) -> str | None:
    derived = o.pos in OPEN and c.pos in OPEN and stem(o.form) == stem(c.form)
    return "MORPH" if derived else None


def _same_class(o: Word, c: Word) -> str | None:
    if _are_auxiliaries(o, c):
        return "VERB:TENSE"
    if o.pos == c.pos and o.pos not in RARE:
        return o.pos
    if o.dep == c.dep and o.dep in BY_DEPENDENCY:
        return BY_DEPENDENCY[o.dep]
    return "PART" if {o.pos, c.pos} == _PARTICLES[0] or {o.dep, c.dep} == _PARTICLES[1] else None


def _function_word(o: Word, c: Word) -> str | None:
    classes, forms = {o.pos, c.pos}, {o.lower, c.lower}
    if classes == {"DET", "PRON"}:
        if c.dep in _ARGUMENTS:
            return "PRON"
        if c.dep == "poss":
            return "DET"
    if classes == {"NUM", "DET"} or forms == {"other", "another"}:
        return "DET"
    if (o.lower, c.lower) == ("your", "yours"):
        return "PRON"
    return "OTHER" if forms == {"no", "not"} else None


def _similar(o: Word, c: Word) -> str | None:
    """Return what ERRANT's list of pairs, lengths and similarities says."""
    if not (o.form.isalpha() and c.form.isalpha()):
        return "OTHER"
    forms, usual = {o.lower, c.lower}, c.pos not in RARE
    if forms == {"that", "what"}:
        return "PRON"
    if (o.lower, c.lower) in {("the", "that"), ("all", "everything")}:
        return "PRON"
    if forms == {"good", "well"} and usual:
        return c.pos
    if (o.lower, c.lower) == ("therefor", "therefore") or forms == {"though", "thought"}:
        return "SPELL"
    if forms == {"after", "later"} and usual:
        return c.pos
    similarity = levenshtein_similarity(o.lower, c.lower)
    if len(o.form) > 5 and len(c.form) > 5:
        return _similar_and_long(o, c, similarity)
    if _is_slip(len(o.form), len(c.form), similarity):
        return "SPELL"
    other = len(c.form) > 5 and (len(o.form) == 5 or (len(o.form) == 4 and similarity > 0.5))
    return c.pos if other and usual else None


def _similar_and_long(o: Word, c: Word, similarity: float) -> str | None:
    begins = o.form.startswith(c.form) or c.form.startswith(o.form)
    if begins and similarity >= 0.66:
        return "MORPH"
    if similarity > 0.8:
        return "SPELL"
    return c.pos if similarity < 0.55 and c.pos not in RARE else None


def _is_slip(length: int, target_length: int, similarity: float) -> bool:
    """Return whether words of these lengths are alike enough for one to be meant by the other."""
    match length, target_length:
        case (2, 2 | 3) | (3, 2 | 3 | 4) | (4, 4):
            return similarity >= 0.5
        case (1, 2):
            return similarity == 0.5
        case (4, 3):
            return similarity > 0.5
        case (4, 5) | (5, 4):
            return similarity == 0.8
        case (5, 5):
            return similarity >= 0.6
    return False
