"""The types of edits (ERRANT 3.0.2, en/classifier.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gecbench.core.edit import Sentence, TokenAttributes
from gecbench.core.errors import GecbenchError
from gecbench.lang.en.alignment import OPEN, Span, levenshtein_similarity, words_of

# What labels of a pipeline mean for ERRANT's types (ERRANT 3.0.2, en/classifier.py).


RARE = frozenset(("INTJ", "NUM", "SYM", "X"))
"""Parts of speech that name no type."""

CLITICS = frozenset(("'d", "'ll", "'m", "n't", "'re", "'s", "'ve"))

BY_DEPENDENCY = {
    "acomp": "ADJ",
    "advmod": "ADV",
    "amod": "ADJ",
    "det": "DET",
    "prep": "PREP",
    "prt": "PART",
    "punct": "PUNCT",
}
"""Dependency labels that name a type where the parts of speech do not."""

_TAGS = {
    "ADJ": "AFX JJ JJR JJS",
    "ADV": "RB RBR RBS WRB",
    "CONJ": "CC",
    "DET": "DT PDT PRP$ WDT WP$",
    "INTJ": "UH",
    "NOUN": "NN NNP NNPS NNS",
    "NUM": "CD",
    "PART": "POS RP TO",
    "PREP": "IN",
    "PRON": "EX PRP WP",
    "PUNCT": "'' `` \"\" , . : -LRB- -RRB- HYPH",
    "SPACE": "SP _SP",
    "SYM": "# $ SYM",
    "VERB": "BES HVS MD VB VBD VBG VBN VBP VBZ",
    "X": "ADD FW GW LS NFP NIL XX",
}
_CLASSES = {tag: name for name, tags in _TAGS.items() for tag in tags.split()}


def class_of(tag: str, token: str) -> str:
    """The part of speech of a fine tag of the Penn Treebank, as "NOUN" or "PREP".

    Differs from ERRANT where the tag is unknown: there a KeyError ends the run.

    Raises:
        GecbenchError: The tag is not one of the Penn Treebank; names the token that has it.

    >>> class_of("IN", "of")
    'PREP'
    """
    try:
        return _CLASSES[tag]
    except KeyError:
        raise GecbenchError(
            f"the pipeline gives {token!r} the fine tag {tag!r}, which is not one of the Penn "
            "Treebank; ERRANT's types need a pipeline with these tags, as en_core_web_sm"
        ) from None


# The tokens of one side of an edit, as the rules of ERRANT's types read them.


class UnparsedError(Exception):
    """A rule asks for a dependency of a sentence that was not parsed; `Classifier` catches it."""


class EditSide(NamedTuple):
    """Some neighbouring tokens of a sentence, and what the pipeline says of it.

    Args:
        forms: The tokens.
        lowers: Their lower-case forms.
        start: Place of the first in its sentence.
        sentence: All tokens.
        words: What the pipeline says of all tokens.
    """

    forms: tuple[str, ...]
    lowers: tuple[str, ...]
    start: int
    sentence: tuple[str, ...]
    words: TokenAttributes

    @property
    def lemmas(self) -> tuple[str, ...]:
        """Base forms."""
        return self.words.lemmas[self.start : self.start + len(self.forms)]

    @property
    def pos(self) -> list[str]:
        """Parts of speech that the fine tags stand for, as "PREP".

        Raises:
            GecbenchError: A tag is not one of the Penn Treebank.
        """
        tags = self.words.tags[self.start : self.start + len(self.forms)]
        return list(map(class_of, tags, self.forms))

    @property
    def deps(self) -> tuple[str, ...]:
        """Dependency labels.

        Raises:
            UnparsedError: The sentence was not parsed.
        """
        if not self.words.deps:
            raise UnparsedError
        return self.words.deps[self.start : self.start + len(self.forms)]

    def without_last(self) -> EditSide:
        """All tokens but the last."""
        return self._replace(forms=self.forms[:-1], lowers=self.lowers[:-1])

    def first(self) -> Word:
        """The first token."""
        at, words = self.start, self.words
        tag, form = words.tags[at], self.forms[0]
        return Word(form, self.lowers[0], words.lemmas[at], tag, class_of(tag, form), self)


class Word(NamedTuple):
    """One token.

    Args:
        form: As it is written.
        lower: The same in lower case.
        lemma: Its base form.
        tag: Its fine tag.
        pos: The part of speech that the fine tag stands for.
        side: Where it begins a side of an edit.
    """

    form: str
    lower: str
    lemma: str
    tag: str
    pos: str
    side: EditSide

    @property
    def dep(self) -> str:
        """Dependency label.

        Raises:
            UnparsedError: The sentence was not parsed.
        """
        return self.side.deps[0]

    def has_auxiliary(self) -> bool:
        """Whether something labelled aux or auxpass depends on the word.

        Raises:
            UnparsedError: The sentence was not parsed.
        """
        return any(dep in ("aux", "auxpass") for dep, _ in self._dependents())

    def first_auxiliary_of_head(self) -> str | None:
        """The first that depends on the word's head by a label which starts with aux.

        Raises:
            UnparsedError: The sentence was not parsed.
        """
        siblings = self._dependents(of_head=True)
        return next((form for dep, form in siblings if dep.startswith("aux")), None)

    def _dependents(self, *, of_head: bool = False) -> Iterator[tuple[str, str]]:
        """Yield label and form of what depends on the word, or on its head, in text order."""
        at, words = self.side.start, self.side.words
        if not words.deps:
            raise UnparsedError
        head = words.heads[at] if of_head else at
        for position, token_head in enumerate(words.heads):
            if token_head == head and position != head:  # a root is its own head
                yield words.deps[position], self.side.sentence[position]


def side_of(sentence: Sentence, start: int, end: int) -> EditSide:
    """The tokens of a half-open span.

    Raises:
        GecbenchError: The sentence has not been through a pipeline.
    """
    forms = sentence.tokens[start:end]
    lowers = tuple([form.lower() for form in forms])
    return EditSide(forms, lowers, start, sentence.tokens, words_of(sentence))


# The types of edits that put one word in the place of one word (ERRANT 3.0.2, classifier.py).
#
# The rules are asked in order, and the first with an answer settles it; None means no answer.


_FULL = {"ca": "can", "sha": "shall", "wo": "will"}  # what stands before n't
_PARTICLES = ({"PART", "PREP"}, {"prt", "prep"})  # as parts of speech, as dependencies
_ARGUMENTS = frozenset(("nsubj", "nsubjpass", "dobj", "pobj"))
_PARTICIPLES = frozenset(("VBG", "VBN"))


def single_word_type(
    o: Word, c: Word, dictionary: frozenset[str], stem: Callable[[str], str]
) -> str | None:
    """The type without "R:", or None where the rules for edits of any length decide.

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
    """An answer for every alphabetic word that the dictionary lacks."""
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
    """An answer for all words of one lemma that are of an open class."""
    if o.lemma != c.lemma or o.pos not in OPEN or c.pos not in OPEN:
        return None
    if o.pos == c.pos:
        if o.pos == "ADJ":
            return "ADJ:FORM"
        if o.pos == "NOUN":
            return "NOUN:NUM"
        label = _same_verb(o, c) if o.pos == "VERB" else None
        if label:
            return label
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
    """Whether an auxiliary stands before both words, so that neither is the finite verb."""
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
    """What ERRANT's list of pairs, lengths and similarities says."""
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
    if _is_typing_error(len(o.form), len(c.form), similarity):
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


def _is_typing_error(length: int, target_length: int, similarity: float) -> bool:
    """Whether words of these lengths are alike enough for one to be meant by the other."""
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


UNKNOWN = "UNK"
"""The type of an edit that detects an error without correcting it."""

_AUXILIARIES = frozenset(("aux", "auxpass"))
_TO_VERB = {"PART", "VERB"}
_POSSESSIVE = ["NOUN", "PART"]


@dataclass(frozen=True, slots=True)
class Classifier:
    """Finds the types of edits.

    Args:
        dictionary: Words that are no misspellings, in any case in which they are listed.
        stem: The Lancaster stem of a word.
    """

    dictionary: frozenset[str]
    stem: Callable[[str], str]

    def label(self, source: Sentence, target: Sentence, span: Span) -> str | None:
        """The type of an edit, as "R:VERB:SVA".

        Args:
            source: What the learner wrote.
            target: Its rewriting.
            span: Half-open token spans of both: (start, end, target_start, target_end).

        Returns:
            "UNK" where both sides are the same, and None where the type depends on dependencies
            and a sentence has none: parse both, and ask again.

        Raises:
            GecbenchError: A sentence has not been through a pipeline, or one without the tags
                of the Penn Treebank.
        """
        start, end, target_start, target_end = span
        if source.tokens[start:end] == target.tokens[target_start:target_end]:
            return UNKNOWN
        o = side_of(source, start, end)
        c = side_of(target, target_start, target_end)
        # What differs in case only does not count at the end: [Doctor -> The doctor].
        while o.forms and c.forms and o.lowers[-1] == c.lowers[-1]:
            if len(o.forms) == len(c.forms) == 1:
                break
            o, c = o.without_last(), c.without_last()
        try:
            if not o.forms:
                return f"M:{_single_side_type(c)}"
            if not c.forms:
                return f"U:{_single_side_type(o)}"
            return f"R:{self._replacement_type(o, c)}"
        except UnparsedError:
            return None

    def _replacement_type(self, o: EditSide, c: EditSide) -> str:
        o_pos, c_pos = o.pos, c.pos  # before all else: an unknown tag is an error for every edit
        if "".join(o.lowers) == "".join(c.lowers):
            return "ORTH"
        if sorted(o.lowers) == sorted(c.lowers):
            return "WO"
        if len(o_pos) == len(c_pos) == 1:
            label = single_word_type(o.first(), c.first(), self.dictionary, self.stem)
            if label:
                return label
        return _general_type(o, c, o_pos, c_pos)


def _single_side_type(side: EditSide) -> str:
    """The type of what is missing or unnecessary, without "M:" or "U:"."""
    if len(side.forms) == 1:
        at = side.start
        if side.words.tags[at] == "POS":
            return "NOUN:POSS"
        if side.lowers[0] in CLITICS:
            return "CONTR"
        infinitive = side.lowers[0] == "to" and side.words.pos[at] == "PART"
        if infinitive and side.deps[0] != "prep":
            return "VERB:FORM"
    pos, deps = side.pos, side.deps
    if _AUXILIARIES.issuperset(deps):
        return "VERB:TENSE"
    if len({*pos}) == 1 and pos[0] not in RARE:
        return pos[0]
    if len({*deps}) == 1 and deps[0] in BY_DEPENDENCY:
        return BY_DEPENDENCY[deps[0]]
    return "VERB" if {*pos} == _TO_VERB else "OTHER"


def _general_type(o: EditSide, c: EditSide, o_pos: list[str], c_pos: list[str]) -> str:
    """The type of a replacement that no rule for two single words has settled."""
    pos, deps = {*o_pos, *c_pos}, {*o.deps, *c.deps}
    same_end = o.lemmas[-1] == c.lemmas[-1]
    if deps <= _AUXILIARIES:
        return "VERB:TENSE"
    if len(pos) == 1:
        if pos == {"VERB"} and same_end:
            return "VERB:TENSE"
        if not pos <= RARE:
            return o_pos[0]
    if len(deps) == 1 and deps <= BY_DEPENDENCY.keys():
        return BY_DEPENDENCY[deps.pop()]
    if pos == _TO_VERB:
        return "VERB:FORM" if same_end else "VERB"
    if _POSSESSIVE in (o_pos, c_pos) and o.lemmas[0] == c.lemmas[0]:
        return "NOUN:POSS"
    compares = not {"most", "more"}.isdisjoint((o.lowers[0], c.lowers[0]))
    if compares and same_end and len(o_pos) <= 2 and len(c_pos) <= 2:
        return "ADJ:FORM"
    return "OTHER"
