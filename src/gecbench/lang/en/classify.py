"""The types of edits (ERRANT 3.0.2, en/classifier.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gecbench.core.sentence import Sentence
from gecbench.lang.en.one_to_one import one_to_one
from gecbench.lang.en.run import Span
from gecbench.lang.en.side import Side, UnparsedError, side
from gecbench.lang.en.tags import BY_DEPENDENCY, CLITICS, RARE

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
        """Return the type of an edit, as "R:VERB:SVA".

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
        o = side(source, start, end)
        c = side(target, target_start, target_end)
        # What differs in case only does not count at the end: [Doctor -> The doctor].
        while o.forms and c.forms and o.lowers[-1] == c.lowers[-1]:
            if len(o.forms) == len(c.forms) == 1:
                break
            o, c = o.without_last(), c.without_last()
        try:
            if not o.forms:
                return f"M:{_one_sided(c)}"
            if not c.forms:
                return f"U:{_one_sided(o)}"
            return f"R:{self._two_sided(o, c)}"
        except UnparsedError:
            return None

    def _two_sided(self, o: Side, c: Side) -> str:
        o_pos, c_pos = o.pos, c.pos  # before all else: an unknown tag is an error for every edit
        if "".join(o.lowers) == "".join(c.lowers):
            return "ORTH"
        if sorted(o.lowers) == sorted(c.lowers):
            return "WO"
        if len(o_pos) == len(c_pos) == 1:
            found = one_to_one(o.first(), c.first(), self.dictionary, self.stem)
            if found:
                return found
        return _of_any_length(o, c, o_pos, c_pos)


def _one_sided(its: Side) -> str:
    """Return the type of what is missing or unnecessary, without "M:" or "U:"."""
    if len(its.forms) == 1:
        at = its.start
        if its.words.tags[at] == "POS":
            return "NOUN:POSS"
        if its.lowers[0] in CLITICS:
            return "CONTR"
        infinitive = its.lowers[0] == "to" and its.words.pos[at] == "PART"
        if infinitive and its.deps[0] != "prep":
            return "VERB:FORM"
    pos, deps = its.pos, its.deps
    if _AUXILIARIES.issuperset(deps):
        return "VERB:TENSE"
    if len({*pos}) == 1 and pos[0] not in RARE:
        return pos[0]
    if len({*deps}) == 1 and deps[0] in BY_DEPENDENCY:
        return BY_DEPENDENCY[deps[0]]
    return "VERB" if {*pos} == _TO_VERB else "OTHER"


def _of_any_length(o: Side, c: Side, o_pos: list[str], c_pos: list[str]) -> str:
    """Return the type of a replacement that no rule for two single words has settled."""
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
