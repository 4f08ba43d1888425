"""Spelling hints for English: misspelled words, a and an, repeated words, capitals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec

from gecbench.backends.dictionaries import WordList, read_words, symspell_pairs, symspell_words
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, TextEdit, apply
from gecbench.formats.validation import options_of
from gecbench.models import CorrectorKind
from gecbench.text.tokens import split, tokens_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Whether an English word wants "a" or "an" before it: by its sound, not by its letter.

_YOU = re.compile(
    r"uni(?!n|m|d|ron|ssu|llu)|unidirec|unanim[io]|unary|us(?:e|a|u|ing)|ut(?:e|i|o|ah)|ubiq"
    r"|ur(?:a|i|o|e[amt]|ugu)|uk(?:ul|rai)|ufo|ugand|uvul|eu(?!ler)|ewe|u-|one(?!r)|once|ouija",
    re.IGNORECASE,
)
"""Words that begin with a vowel letter and with the sound of "you" or "won"."""
_SILENT = re.compile(r"hour|honest|honou?r|heir|hors$", re.IGNORECASE)
_EITHER = re.compile(r"herb|histori|hotel|habitu|hyst|hered|homage", re.IGNORECASE)
_VOWEL_NAMES = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel."""
_FOLLOWS = frozenset(
    (
        *("a", "am", "an", "and", "any", "are", "as", "at", "i", "if", "in", "into", "is", "it"),
        *("its", "of", "on", "or", "our", "out", "over", "under", "until", "up", "upon", "us"),
    )
)
"""Words before which "a" is no article, but a letter, as in "vitamin A is"."""


def choose_article(word: str) -> Literal["a", "an"] | None:
    """Find the article that a word wants; None where both are right or nobody can say.

    >>> [choose_article(w) for w in ("hour", "university", "uninteresting", "MBA", "8th", "NATO")]
    ['an', 'a', 'an', 'an', 'an', None]
    """
    if word.lower() in _FOLLOWS and word != "I" and not word.isupper():
        return None
    head = word.split("-")[0]
    if re.match(r"1[18]\d\d(?!\d)", word):  # 1865 is a number or a year
        return None
    if word[0].isdigit():
        return "an" if re.match(r"8|1[18](?!\d)", word) else "a"
    if not head.isascii() or not head[0].isalpha():
        return None
    if len(head) == 1 or head.isupper():
        return _article_of_letters(head.upper())
    if _EITHER.match(head):
        return None
    if head[0].lower() in "aeiou":
        return "a" if _YOU.match(word) else "an"
    return "an" if _SILENT.match(head) else "a"


def _article_of_letters(letters: str) -> Literal["a", "an"] | None:
    """Find the article of an abbreviation, which is read by its letters or as a word."""
    if letters[0] not in _VOWEL_NAMES:
        return "a"
    # SQL is read both ways; NATO and SARS are words; MIT and LED might be either.
    word = len(letters) > 2 and letters[0] not in "AEIOU" and letters[1] in "AEIOU"
    return None if word or letters == "SQL" else "an"


# Rules for English that need no word list: repeated words, a and an, capitals.
#
# Each takes the tokens of a sentence and returns changes by the place of the token.


class TokenChange(NamedTuple):
    """What becomes of a token.

    Args:
        text: What stands instead; "" deletes it and the white space before it.
        score: In [0, 1].
        label: Which rule it is.
    """

    text: str
    score: float
    label: str


SURE = 0.9
"""Score of every rule. It says no more than that rules are rarely wrong."""

_TWICE = frozenset(
    (
        *("aye", "blah", "boo", "bye", "cha", "choo", "chop", "do", "ha", "had", "hear", "her"),
        *("ho", "hush", "knock", "la", "long", "many", "much", "never", "night", "no", "now", "oh"),
        *("please", "really", "so", "tap", "that", "tsk", "tut", "very", "well", "yada", "yeah"),
        "yes",
    )
)
"""Words that people repeat on purpose, or that follow themselves by the grammar."""

_OPENING = frozenset("\"'“‘(")
_ROMAN = re.compile(r"[)\].:/&]|-|[0-9]|ii|iii|iv|v")


def delete_repetitions(words: Sequence[str]) -> dict[int, TokenChange]:
    """Delete words that stand there twice, one after the other.

    >>> sorted(delete_repetitions("we saw the The house that that man had had".split()))
    [3]
    """
    changes = {}
    for position, (first, second) in enumerate(pairwise(words), 1):
        word = second.lower()
        if first.lower() != word or word in _TWICE or not (word.isalpha() and word.isascii()):
            continue
        name = second[0].isupper() and word not in ("i", "the")  # names may double, as Duran Duran
        if not name and (len(word) > 1 or word in "ai"):
            changes[position] = TokenChange("", SURE, "repeated word")
    return changes


def correct_articles(words: Sequence[str]) -> dict[int, TokenChange]:
    """Put "an" for "a" and "a" for "an" where the next word wants it.

    >>> correct_articles("it took a hour".split())
    {2: TokenChange(text='an', score=0.9, label='a or an')}
    """
    changes = {}
    for position, word in enumerate(words[:-1]):
        if word not in ("a", "an", "An") and not (word == "A" and position == 0):
            continue
        following = words[position + 1]
        if following in _OPENING and position + 2 < len(words):
            following = words[position + 2]
        form = choose_article(following) if following[0].isalnum() else None
        if form and form != word.lower():
            text = form.capitalize() if word[0].isupper() else form
            changes[position] = TokenChange(text, SURE, "a or an")
    return changes


def correct_capitals(words: Sequence[str], *, begins: bool = True) -> dict[int, TokenChange]:
    """Put capitals for the first word of a sentence and for I.

    Args:
        words: Of the sentence.
        begins: Whether a sentence surely begins here.

    >>> [c.text for c in correct_capitals("yesterday i saw what i 'd lost .".split()).values()]
    ['I', 'I', 'Yesterday']
    """
    changes = {}
    for position, (word, following) in enumerate(pairwise((*words, ""))):
        pronoun = word == "i" and not _ROMAN.fullmatch(following)
        if pronoun or re.fullmatch(r"i['’](?:m|d|ve|ll)", word):
            changes[position] = TokenChange("I" + word[1:], SURE, "capital")
    if begins and len(words) > 2 and 0 not in changes:
        letters = words[0].replace("'", "").replace("-", "")
        if letters.isascii() and letters.isalpha() and letters.islower():
            changes[0] = TokenChange(words[0][0].upper() + words[0][1:], SURE, "capital")
    return changes


def merge_changes(
    first: Mapping[int, TokenChange], second: Mapping[int, TokenChange]
) -> dict[int, TokenChange]:
    """Join changes of which the second apply to the result of the first."""
    changes = {**first, **second}
    for position in first.keys() & second.keys():
        before, after = first[position], second[position]
        label = f"{before.label}, {after.label}"
        changes[position] = TokenChange(after.text, min(before.score, after.score), label)
    return changes


# Which English words are right, as far as a word list and a few rules can say.


# What American spelling has, and what the list, which is mostly British, has instead.
_AMERICAN = (
    (re.compile(r"or"), "our"),
    (re.compile(r"er(?=s?$)"), "re"),
    (re.compile(r"z(?=(?:e|ed|es|ing|er|ers|ation|ations|able)$)"), "s"),
    (re.compile(r"e"), "ae"),
    (re.compile(r"e"), "oe"),
    (re.compile(r"og(?=s?$)"), "ogue"),
    (re.compile(r"(?<=[aeiou])l(?=(?:ed|ing|er|ers|or|ors|ist|ists)$)"), "ll"),
    (re.compile(r"^sulf"), "sulph"),
    (re.compile(r"(?<=practi)c(?=e)|(?<=practi)c(?=ing)"), "s"),
    (re.compile(r"(?<=^(?:off|def|pre)en)s|(?<=^preten)s|(?<=^licen)s"), "c"),
)
_STRESSED = (
    *("annul", "compel", "control", "dispel", "excel", "expel", "extol", "impel", "patrol"),
    *("propel", "rebel", "repel", "instil", "distil", "fulfil", "enrol"),
)
"""Verbs that double their l on both sides of the Atlantic."""

_MORE = frozenset(
    (
        *("airplane", "airplanes", "aluminum", "cellphone", "cellphones", "cozy", "donut"),
        *("donuts", "ecommerce", "jewelry", "kgs", "kms", "maneuver", "maneuvers", "math"),
        *("mold", "molds", "mom", "moms", "mustache", "omelet", "pajamas", "plow", "plows"),
        *("podcast", "podcasts", "selfie", "selfies", "sha", "skeptic", "skeptical"),
        *("skepticism", "texting", "tv", "tvs", "vs", "webpage", "webpages", "wechat"),
        *("weibo", "wifi"),
    )
)
"""Right words that the list lacks in one version or another."""

_BEFORE = re.compile(
    r"^(?:anti|bio|co|counter|eco|extra|hyper|inter|micro|mini|mis|multi|non|over|photo|post|pre|"
    r"pro|re|semi|sub|super|tele|ultra|un|under)(?=[a-z]{5})"
)
_BEHIND = re.compile(r"(?<=[a-z]{3})(?:less|like|ness|nesses|ship|ships|wise|proof|free)$")


@dataclass(frozen=True, slots=True)
class EnglishWords:
    """Words in lower case, with how often they were seen.

    Args:
        counts: By word.
        extra: Words of the user's that are right.
    """

    counts: Mapping[str, int]
    extra: frozenset[str]

    def knows(self, word: str) -> bool:
        """Say whether a word, in lower case, need not be looked at.

        British and American spellings are both right, and so is a known word behind a usual
        prefix or before a usual suffix.
        """
        return (
            word in self.counts
            or word in self.extra
            or word in _MORE
            or any(spelling in self.counts for spelling in _british(word))
            # Rare parts would excuse any error.
            or any(self.counts.get(part, 0) >= COMMON for part in _stems(word))
        )


CONTRACTED = 150_000_000
"""Occurrences that "don't" and its like count as; about those of "never"."""

COMMON = 2_000_000
"""Occurrences of what words are made of; about the first 15,000 words have as many."""


def build_word_list(word_list: WordList, extra: Sequence[str] = ()) -> EnglishWords:
    """Join the words of a list and the user's."""
    counts = dict(zip(word_list.words, word_list.counts, strict=True))
    # The list was counted without apostrophes, and has one small number for all of them.
    counts.update((word, CONTRACTED) for word in word_list.words if "'" in word)
    return EnglishWords(counts, frozenset(word.lower() for word in extra))


def _british(word: str) -> Iterator[str]:
    """Yield how a word would be spelled in Britain, if it is spelled as in America."""
    for pattern, instead in _AMERICAN:
        for match in pattern.finditer(word):
            start = match.start()
            if instead == "ll" and word[: start + 1] in _STRESSED:
                continue
            yield word[:start] + instead + word[match.end() :]


def _stems(word: str) -> Iterator[str]:
    """Yield what is left of a word without a usual prefix or suffix."""
    for pattern in (_BEFORE, _BEHIND):
        rest = pattern.sub("", word)
        if rest != word:
            yield rest


# The words nearest to a misspelled one: within two edits, likelier ones first.


FARTHEST = 2
_FIRST = ord("a")
_VOWELS = frozenset("aeiouy")

PER_EDIT = 6.0
"""By how much an edit of cost 1 makes a word less likely, in natural logarithms."""

UNLISTED = -20.0
"""Logarithm of the probability of a right word that the list lacks, as a name or a term."""

NEGLIGIBLE = 6.0
"""What is less likely by this much, in natural logarithms, is not looked at."""

CHEAPEST = 0.5
"""The least cost of an edit."""

CACHE_SIZE = 100_000
"""Unknown words in memory at most; a text repeats its errors."""


class Nearest(NamedTuple):
    """The word that another was probably meant to be.

    Args:
        word: From the list; two words with a blank between where a blank was left out.
        score: Its probability, in [0, 1], among all that are near enough, and none of them.
    """

    word: str
    score: float


class _Index(NamedTuple):
    """The words of a list for a quick first look.

    Args:
        words: In the order of the columns.
        logs: Natural logarithms of their probabilities.
        lengths: In letters.
        letters: How often each has each letter; shape (26, words).
    """

    words: tuple[str, ...]
    logs: NDArray[np.float64]
    lengths: NDArray[np.int8]
    letters: NDArray[np.int8]


FindNearest = Callable[[str], Nearest | None]


Ranking = Callable[[str], tuple[Nearest, ...]]


def build_speller(counts: Mapping[str, int], pairs: Callable[[], Mapping[str, int]]) -> FindNearest:
    """Build a function that finds the likeliest word within two edits of an unknown one."""
    ranking = build_ranking(counts, pairs)
    return lambda word: next(iter(ranking(word)), None)


def build_ranking(counts: Mapping[str, int], pairs: Callable[[], Mapping[str, int]]) -> Ranking:
    """Build a function that lists the words within two edits of an unknown one, likeliest first.

    Words are in lower case. Nothing is indexed before the first unknown word, and little then.
    SymSpell's own index of deletions takes seconds to build, more than the whole of most runs,
    whatever it saves then: unknown words are few and repeat.

    Args:
        counts: By word.
        pairs: Counts by two words with a blank between; called when the first is needed.
    """
    total = math.log(sum(counts.values()))
    index = cache(lambda: _index(counts, total))
    closed_pairs = cache(lambda: {pair.replace(" ", ""): pair for pair in pairs()})

    @lru_cache(maxsize=CACHE_SIZE)
    def rank(word: str) -> tuple[Nearest, ...]:
        logs = dict(_near(word, index()))
        if pair := closed_pairs().get(word):
            logs[pair] = math.log(pairs()[pair]) - total - PER_EDIT
        chance = sum(map(math.exp, logs.values())) + math.exp(UNLISTED)
        order = sorted(logs, key=lambda word_or_pair: (logs[word_or_pair], word_or_pair))
        return tuple(Nearest(best, math.exp(logs[best]) / chance) for best in reversed(order))

    return rank


def _index(counts: Mapping[str, int], total: float) -> _Index:
    import numpy as np

    words = tuple(counts)
    codes = np.frombuffer("\n".join(words).encode("ascii", "replace"), np.uint8)
    column = np.cumsum(codes == ord("\n"))
    letters = np.zeros((26, len(words)), np.int8)
    for k in range(26):
        letters[k] = np.bincount(column[codes == _FIRST + k], minlength=len(words))
    logs = np.log(np.fromiter(counts.values(), float, len(words))) - total
    return _Index(words, logs, letters.sum(axis=0, dtype=np.int8), letters)


def _near(word: str, index: _Index) -> Iterator[tuple[str, float]]:
    """Yield words within two edits, with logarithms of what speaks for them.

    An edit changes how often letters occur by two at most, so words whose letters differ by more
    than four cannot be near, and how they differ says how likely they are at most: the likeliest
    are compared in full first, and those that could not matter never.
    """
    import numpy as np

    apart = index.lengths.copy()
    for letter in set(word):
        if "a" <= letter <= "z":
            row = index.letters[ord(letter) - _FIRST]
            apart += np.abs(row - np.int8(word.count(letter))) - row
    farthest = 1 if len(word) <= 3 else FARTHEST
    columns = np.flatnonzero(apart <= 2 * farthest)
    most = index.logs[columns] - PER_EDIT * CHEAPEST * ((apart[columns] + 1) // 2)
    least = UNLISTED - NEGLIGIBLE
    for at in np.argsort(-most, kind="stable"):
        if most[at] < least:
            return
        candidate = index.words[columns[at]]
        if abs(len(candidate) - len(word)) > farthest:
            continue
        log = float(index.logs[columns[at]]) - PER_EDIT * edit_cost(word, candidate, farthest)
        if log > -math.inf:
            least = max(least, log - NEGLIGIBLE)
            yield candidate, log


def edit_cost(wrong: str, right: str, edits: int) -> float:
    """Compute what the cheapest edits from one word to another cost; infinity if there are none.

    An edit inserts, deletes or exchanges a letter, or swaps two neighbours (optimal string
    alignment). One costs 1, less where it is a usual error, more at the first letter, and more
    where it takes an ending away: "tims" is meant for "times" rather than "time".

    Args:
        wrong: As written.
        right: As in the list.
        edits: How many at most; few, for all are tried from the first difference on.

    >>> edit_cost("becuase", "because", 2), edit_cost("untill", "until", 2)
    (0.6, 0.5)
    """
    lost_ending = any(wrong.endswith(end) and not right.endswith(end) for end in _ENDINGS)
    return _rest(wrong, right, 0, 0, edits) + LOST_ENDING * lost_ending


LOST_ENDING = 0.5
_ENDINGS = ("s", "d", "ing", "ly")


def _rest(wrong: str, right: str, i: int, j: int, edits: int) -> float:
    """Compute the cost of what follows two places.

    Equal letters are passed over together: that never needs more edits than another way.
    """
    while i < len(wrong) and j < len(right) and wrong[i] == right[j]:
        i += 1
        j += 1
    if i == len(wrong) and j == len(right):
        return 0.0
    if not edits or abs((len(wrong) - i) - (len(right) - j)) > edits:
        return math.inf
    ways = []
    if i < len(wrong):
        ways.append(_gap(wrong, i) + _rest(wrong, right, i + 1, j, edits - 1))
    if j < len(right):
        ways.append(_gap(right, j) + _rest(wrong, right, i, j + 1, edits - 1))
    if i < len(wrong) and j < len(right):
        exchange = 0.6 if {wrong[i], right[j]} <= _VOWELS else 1.0
        exchange += i == j == 0
        ways.append(exchange + _rest(wrong, right, i + 1, j + 1, edits - 1))
        if wrong[i : i + 2] == right[j : j + 2][::-1]:
            ways.append(0.6 + _rest(wrong, right, i + 2, j + 2, edits - 1))
    return min(ways)


def _gap(word: str, position: int) -> float:
    """Compute the cost of a letter too many or too few."""
    letter = word[position]
    if not position:
        return 2.0
    if letter == "'" or word[position - 1] == letter:
        return 0.5
    if letter == "h" and word[position - 1] in "cgprstw":
        return 0.6
    return 0.7 if letter == "e" and position == len(word) - 1 else 1.0


# English words that no list knows, and what they were meant to be.

SHORTEST = 3
"""Letters of a word that is looked up; of fewer nobody can say what they were meant for."""

LONGEST = 30
"""Letters; no longer word of the list is likely to be misspelled, and looking takes long."""

_PIECES = re.compile(r"([-‐‑])")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def correct_spellings(
    words: Sequence[str], known: EnglishWords, nearest: FindNearest, *, threshold: float
) -> dict[int, TokenChange]:
    """Correct words that are not known, by their place.

    These are words in lower case, the first word of the sentence if it begins with a
    capital, and the parts of words with hyphens. Capitals elsewhere are names and abbreviations.

    Args:
        words: The tokens of a sentence.
        known: Words that are right.
        nearest: Finds what an unknown word was meant to be.
        threshold: Least probability, in [0, 1].
    """
    changes = {}
    for position, word in enumerate(words):
        pieces = _PIECES.split(word)
        corrections = [
            _fix(piece, known, nearest, first=position == k == 0) for k, piece in enumerate(pieces)
        ]
        scores = [fix.score for fix in corrections if fix]
        if scores and min(scores) >= threshold:
            parts = (fix.word if fix else p for fix, p in zip(corrections, pieces, strict=True))
            changes[position] = TokenChange("".join(parts), min(scores), "spelling")
    return changes


def _fix(piece: str, known: EnglishWords, nearest: FindNearest, *, first: bool) -> Nearest | None:
    """Find what a word was meant to be, with its capital and its ending; None leaves it."""
    lower = piece.replace("’", "'")
    if first and piece[:1].isupper() and piece[1:].islower():
        lower = lower.lower()
    if not _WORD.fullmatch(lower) or not SHORTEST <= len(lower) <= LONGEST:
        return None
    stem = lower.removesuffix("'s")
    # Tokenisers cut "n't" from "don't".
    if lower == "n't" or known.knows(lower) or known.knows(stem):
        return None
    nearest_word = nearest(stem)
    if nearest_word is None or nearest_word.word == stem:
        return None
    text = nearest_word.word + lower[len(stem) :]
    if piece[0].isupper():
        text = text[0].upper() + text[1:]
    return Nearest(text.replace("'", "’") if "’" in piece else text, nearest_word.score)


VERSION = "2"
"""Goes up when the same options give other output."""

_ABOUT = (
    "Spelling hints: misspelled words, a and an, repeated words, capitals. It does not correct "
    "grammar: verb forms, prepositions, word choice and order stay as they are."
)


THRESHOLD = 0.6
"""Least probability of a spelling: of 0.5, 0.6, 0.7, 0.8 the best on JFLEG's development part."""


_GOES_ON = re.compile(r"(?:\.\.|…|\b[A-Za-z]\.[A-Za-z]\.|[\"'”’)\]])\s*$")
"""Ends of what may go on in small letters: an ellipsis, "a.m.", a quotation, a bracket."""

_ADDRESS = re.compile(
    r"://|^www\.|\w@\w|^[@#]\w|\w_\w|^/\w|\w/\w+/"
    r"|\w\.(?:com|org|net|edu|gov|cn|io|html?|txt|pdf|docx?|jpe?g|png|py)\b",
    re.IGNORECASE,
)
"""What stands in addresses, tags and names of files, whose words stay as they are."""


class _RuleOptions(msgspec.Struct):
    """What can be chosen.

    Args:
        threshold: Least probability of a spelling, in [0, 1]; more is more careful.
        words: File of words that are right, as names and terms, one a line.
    """

    threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] = THRESHOLD
    words: str = ""


@dataclass(frozen=True, slots=True)
class EnRules(Corrector):
    """Looks words up, and goes by a few rules.

    The score of a spelling is the probability of the word among all that are near enough and
    that the word was right (`Nearest`); that of a rule is a constant, which says no more
    than that rules are rarely wrong.
    """

    info: CorrectorInfo
    words: EnglishWords
    nearest: FindNearest
    threshold: float

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text where rules and word list are sure."""
        return [self._correct(text) for text in texts]

    def _correct(self, text: str) -> Correction:
        edits: list[TextEdit] = []
        offset = 0
        for sentence in split(text):
            begins = not _GOES_ON.search(text, max(0, offset - 40), offset)
            edits += (
                replace(edit, start=edit.start + offset, end=edit.end + offset)
                for edit in self._edits(sentence, begins=begins)
            )
            offset += len(sentence)
        return Correction(text, apply(edits, text), tuple(edits))

    def _edits(self, sentence: str, *, begins: bool) -> Iterator[TextEdit]:
        """Yield the edits of a sentence in the order of their spans."""
        tokens = tokens_of(sentence, "en")
        deletions = delete_repetitions([token.text for token in tokens])
        positions = [position for position in range(len(tokens)) if position not in deletions]
        words = [tokens[position].text for position in positions]
        spell = partial(
            correct_spellings, known=self.words, nearest=self.nearest, threshold=self.threshold
        )
        changes: dict[int, TokenChange] = {}
        # Each rule sees the result of the one before: a word that is spelled right has its sound.
        for rule in (spell, correct_articles, partial(correct_capitals, begins=begins)):
            new = [changes[k].text if k in changes else word for k, word in enumerate(words)]
            changes = merge_changes(changes, rule(new))
        changes = {positions[k]: change for k, change in changes.items()} | deletions
        addresses = [m.span() for m in re.finditer(r"\S+", sentence) if _ADDRESS.search(m.group())]
        for position, change in sorted(changes.items()):
            start, end = tokens[position].start, tokens[position].end
            if any(first <= start < last for first, last in addresses):
                continue
            if not change.text:  # a deletion takes the white space before it along
                start = tokens[position - 1].end
            yield TextEdit(start, end, change.text, change.score, change.label)


def load(_place: str, options: Mapping[str, object]) -> Corrector:
    """Load the corrector.

    Raises:
        UsageError: An option is unknown or wrong.
        MissingExtraError: symspellpy, of the extra `spelling`, is not installed.
        FormatError: The file of words is none.
    """
    settings = options_of("en-rules", _RuleOptions, options)
    word_list = symspell_words()
    extra = read_words(Path(settings.words)) if settings.words else ()
    words = build_word_list(word_list, extra)
    signature = {
        "corrector": "en-rules",
        "version": VERSION,
        "dictionary": word_list.name,
        "threshold": str(settings.threshold),
    }
    if extra:
        signature["words"] = " ".join(extra)
    info = CorrectorInfo(
        name="en-rules",
        kind="lexical",
        languages=("en",),
        about=_ABOUT,
        signature=signature,
        notice=_ABOUT,
        processes="many",
    )
    return EnRules(
        info, words, build_speller(words.counts, cache(frequent_pairs)), settings.threshold
    )


KIND = CorrectorKind(load, "none")


FREQUENT = 500_000_000
"""Occurrences of two words that are written as one by mistake, as "alot"; rarer ones mislead."""


def frequent_pairs() -> dict[str, int]:
    """Read the pairs of words that are written as one by mistake, with their counts."""
    pairs = symspell_pairs()
    counts = zip(pairs.words, pairs.counts, strict=True)
    return {pair: count for pair, count in counts if count >= FREQUENT}
