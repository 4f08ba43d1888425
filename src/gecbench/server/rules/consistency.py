"""The consistency rules of golden sets and answers, CON-1 to CON-10: what they find, and where."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from types import MappingProxyType

from gecbench.backends.chinese import t2s
from gecbench.core.errors import Message, MissingExtraError
from gecbench.server.choices import Decision
from gecbench.server.rules.diff import Token, extract_edits, is_han, tokenize
from gecbench.server.rules.options import Level, ProjectOptions
from gecbench.server.rules.text import key

# What the consistency rules say of a golden set: findings, with codes and English sentences.


SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "error_free_and_corrected": Message(
            "the sentence is declared free of errors, and has {count} corrections; take one away"
        ),
        "equals_source": Message(
            "correction {number} is the sentence itself; is the sentence free of errors?"
        ),
        "not_annotatable_and_corrected": Message(
            "the sentence is declared not annotatable, and has {count} corrections; take one away"
        ),
        "placeholder_in_some": Message(
            "correction {number} has no {placeholder}, others have it; all have it or none"
        ),
        "placeholder_count": Message(
            "correction {number} has {placeholder} {count} times, correction {other} has it "
            "{expected} times; all have as many"
        ),
        "placeholder_position": Message(
            "correction {number} has {placeholder} at another place than correction {other}; "
            "right only where there are several ways"
        ),
        "placeholder_spelling": Message(
            "correction {number}: {text} is not how this project writes the placeholder; "
            "write {repair}"
        ),
        "half_width": Message(
            "correction {number}: half-width {text} between Chinese characters; full width is "
            "{repair}"
        ),
        "full_width": Message(
            "correction {number}: full-width {text} in English; half width is {repair}"
        ),
        "symbol": Message(
            "correction {number}: the symbol {text} inside Chinese text is still there"
        ),
        "lost_word": Message(
            "correction {number}: the word {text} of the sentence has gone; words are corrected, "
            "not translated"
        ),
        "traditional_source": Message(
            "the sentence has traditional characters ({text}); this project is for simplified ones"
        ),
        "traditional_reference": Message(
            "correction {number} has traditional characters ({text}); write {repair}"
        ),
        "traditional_unchecked": Message(
            "traditional characters could not be looked for, because OpenCC is not installed; "
            "the operator can install gecbench[zh]"
        ),
        "same_reference": Message("correction {number} is the same as correction {other}"),
        "nothing_decided": Message(
            "there is no correction; write one, or declare the sentence free of errors or not "
            "annotatable"
        ),
        "empty": Message("correction {number} is empty"),
    }
)
"""Code of a finding to its English sentence, with the names of its values."""

ALWAYS = ("REV-8", "ANN-12")
"""Rules without a switch: something is decided, and no correction is empty."""


@dataclass(frozen=True, slots=True)
class Golden:
    """What somebody decided of a sentence.

    Args:
        source: The sentence.
        lang: Language of the project.
        decision: Corrected, error free, or not annotatable.
        references: The corrections, as they are kept.
    """

    source: str
    lang: str
    decision: str
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that a golden set breaks.

    Args:
        rule: A key of `options.RULES`, or one of `ALWAYS`.
        level: "block" or "warn".
        code: A key of `SENTENCES`; one rule may have several.
        reference: Place of the correction, from 0; None where it is about the whole sentence.
        span: Half-open character span in the correction; in the source where the code is
            "lost_word" or "traditional_source"; None where it is about all of it.
        repair: What should stand at the span; None where only a person knows.
        values: What the sentence names; corrections are numbered from 1.
    """

    rule: str
    level: Level
    code: str
    reference: int | None = None
    span: tuple[int, int] | None = None
    repair: str | None = None
    values: tuple[tuple[str, str | int], ...] = ()

    @property
    def blocks(self) -> bool:
        """Say whether the golden set may not be kept like this."""
        return self.level == "block"

    @property
    def message(self) -> Message:
        """The sentence."""
        return Message(SENTENCES[self.code], **dict(self.values))

    def __str__(self) -> str:
        """The English sentence."""
        return str(self.message)


# Finds punctuation marks, symbols and words that a guideline has something to say about.
#
# Each function looks at one text (and its source) and returns the places; what a finding means, a
# hint while typing or a rule that blocks, is decided elsewhere. `hints.js` has what the
# hints use.


_WIDER: Mapping[str, str] = MappingProxyType(dict(zip(",.:;?!", "，。：；？！", strict=True)))
_NARROWER: Mapping[str, str] = MappingProxyType(
    dict(zip("，。：；？！（）、．", ",.:;?!(),.", strict=True))
)
_CHINESE_PUNCTUATION = "，。：；？！、…—“”‘’（）《》〈〉「」『』【】"
_SYMBOLS = re.compile(r"[#*&＃＊＆]+")
_WORD = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ]{2,}")  # full-width letters are letters, too
_PAIRS = (
    *("()", "（）", "[]", "［］", "{}", "｛｝", "【】", "《》", "〈〉", "「」", "『』", "“”"),
    *("〔〕", "〖〗"),
)
_CLOSERS: Mapping[str, str] = MappingProxyType({pair[1]: pair[0] for pair in _PAIRS})
_OPENERS = frozenset(_CLOSERS.values())
_LIST_MARK = re.compile(r"(?:^|[\s，。；：？！,;:])[0-9A-Za-z一二三四五六七八九十]{1,2}$")
_LETTERS_PER_TYPO = 4
"""A word was corrected, not lost, if at most one letter and a quarter of its letters differ."""


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a text.

    Args:
        start: Its first character; half-open character span.
        end: The character after its last.
        text: What stands there.
        repair: What should stand there; None where only a person knows.
    """

    start: int
    end: int
    text: str
    repair: str | None = None


def half_width(text: str) -> Iterator[Place]:
    """Yield half-width marks between Chinese characters, and after them at the end.

    >>> [place.repair for place in half_width("我去,他不去.")]
    ['，', '。']
    """
    for at, character in enumerate(text):
        if character not in _WIDER or not _is_chinese(_before(text, at), at_end=False):
            continue
        if _is_chinese(_after(text, at + 1), at_end=True):
            yield Place(at, at + 1, character, _WIDER[character])


def full_width(text: str) -> Iterator[Place]:
    """Yield full-width marks of an English text, but those between Chinese characters.

    >>> [place.repair for place in full_width("Yes， he does。")]
    [',', '.']
    """
    for at, character in enumerate(text):
        if character in _NARROWER and not (
            is_han(text[at - 1] if at else " ") or is_han(text[at + 1 : at + 2] or " ")
        ):
            yield Place(at, at + 1, character, _NARROWER[character])


def symbols(text: str) -> Iterator[Place]:
    """Yield symbols without a meaning inside Chinese text.

    >>> [place.text for place in symbols("我们#去**公园，C#好")]
    ['#', '**']
    """
    for match in _SYMBOLS.finditer(text):
        sides = _before(text, match.start()), _after(text, match.end())
        if all(side and is_han(side) for side in sides):
            yield Place(match.start(), match.end(), match.group(), "")


def double_spaces(text: str) -> Iterator[Place]:
    """Yield runs of two and more plain spaces."""
    for match in re.finditer("  +", text):
        yield Place(match.start(), match.end(), match.group(), " ")


def unpaired(text: str) -> Iterator[Place]:
    """Yield quotation marks and brackets without their other half.

    The bracket of a numbered list, as in "1)", needs none; nor do apostrophes.
    """
    stack: list[tuple[int, str]] = []
    open_count: Counter[str] = Counter()
    straight = [at for at, character in enumerate(text) if character == '"']
    lonely = straight[-1:] if len(straight) % 2 else []
    for at, character in enumerate(text):
        opener = _CLOSERS.get(character, "")
        if character in _OPENERS:
            stack.append((at, character))
            open_count[character] += 1
        elif open_count[opener]:
            while stack[-1][1] != opener:
                place, other = stack.pop()
                open_count[other] -= 1
                lonely.append(place)
            stack.pop()
            open_count[opener] -= 1
        elif opener and not (opener in "(（" and _LIST_MARK.search(text[max(0, at - 3) : at])):
            lonely.append(at)
    lonely.extend(at for at, _ in stack)
    for at in sorted(lonely):
        yield Place(at, at + 1, text[at])


def lost_words(source: str, text: str) -> Iterator[Place]:
    """Yield the Latin words of a source that a rewriting has lost; places in the source.

    A word that is there in another spelling was corrected, not lost.

    >>> [place.text for place in lost_words("我用 compter 看 movie", "我用 computer 看电影")]
    ['movie']
    """
    text_words = {_plain(match.group()) for match in _WORD.finditer(text)}
    words = {_plain(match.group()): match for match in reversed([*_WORD.finditer(source)])}
    new = text_words - set(words)
    for word, match in sorted(words.items(), key=lambda item: item[1].start()):
        most = 1 + len(word) // _LETTERS_PER_TYPO
        if word not in text_words and not any(
            distance(word, candidate, most=most) <= most for candidate in new
        ):
            yield Place(match.start(), match.end(), match.group())


def _plain(word: str) -> str:
    return unicodedata.normalize("NFKC", word).lower()


def _before(text: str, at: int) -> str:
    """The last character before a place that is not white space; "" for none."""
    return text[:at].rstrip()[-1:]


def _after(text: str, at: int) -> str:
    return text[at:].lstrip()[:1]


def _is_chinese(character: str, *, at_end: bool) -> bool:
    """Say whether a neighbour is a Chinese character or mark; `at_end` answers for none."""
    if not character:
        return at_end
    return is_han(character) or character in _CHINESE_PUNCTUATION


# Finds placeholders that are not spelled as the project spells them, and offers the repair.
#
# Guidelines have changed the spelling over the years ([Noun], [实体], [缺失成分], [MC]), and
# people mistype: other brackets, a space inside, a wrong character, a bracket forgotten.
# `hints.js` finds the same.


_OPEN = "[［【〔〖{｛「『(（<《〈"
_CLOSE = "]］】〕〗}｝」』)）>》〉"
_BRACKETED = re.compile(
    f"[{re.escape(_OPEN)}]([^{re.escape(_OPEN + _CLOSE)}]{{1,40}})[{re.escape(_CLOSE)}]"
)
_EVER_USED = ("缺失成分", "缺失成份", "MC", "Noun", "Verb", "实体", "名词", "动词", "缺失")
_ANY_BRACKET = 4
"""Names of this length on are taken for the placeholder in any brackets, or with one missing."""


def misspellings(
    text: str, source: str, placeholder: str, aliases: Sequence[str]
) -> tuple[Place, ...]:
    """The stretches of a text that should be the placeholder and are not.

    What the source has itself is the writer's, not a placeholder.

    >>> [one.text for one in misspellings("我【缺失成分】你", "我你", "[缺失成分]", ())]
    ['【缺失成分】']
    """
    if not placeholder:
        return ()
    blank = " " * len(placeholder)  # places stay; what is right is not looked at again
    rest = text.replace(placeholder, blank)
    candidates = [
        candidate
        for candidate in _candidates(rest, placeholder, aliases)
        if candidate.text not in source
    ]
    candidates.sort(key=lambda candidate: (candidate.start, -candidate.end))
    result: list[Place] = []
    for candidate in candidates:
        if not result or candidate.start >= result[-1].end:
            result.append(candidate)
    return tuple(result)


def _candidates(text: str, placeholder: str, aliases: Sequence[str]) -> Iterator[Place]:
    name = _fold(placeholder)
    names = {name, *map(_fold, aliases), *map(_fold, _EVER_USED)}
    for match in _BRACKETED.finditer(text):
        inner = _fold(match.group(1))
        square = match.group()[0] in "[［【"
        meant = inner in names if square else inner == name and len(name) >= _ANY_BRACKET
        if meant or (square and _nearly(inner, name)):
            yield Place(match.start(), match.end(), match.group())
    for alias in aliases:
        if alias and alias != placeholder:
            yield from _occurrences(text, alias)
    if len(name) >= _ANY_BRACKET:
        yield from _half_bracketed(text, placeholder)


def _occurrences(text: str, name: str) -> Iterator[Place]:
    at = text.find(name)
    while at >= 0:
        yield Place(at, at + len(name), name)
        at = text.find(name, at + len(name))


def _half_bracketed(text: str, placeholder: str) -> Iterator[Place]:
    """Yield the placeholder's own words where a bracket, or both, were forgotten."""
    for place in _occurrences(text, placeholder.strip(_OPEN + _CLOSE)):
        start = place.start - (place.start > 0 and text[place.start - 1] in _OPEN)
        end = place.end + (place.end < len(text) and text[place.end] in _CLOSE)
        yield Place(start, end, text[start:end])


def _fold(text: str) -> str:
    """The words of a placeholder: no brackets, no white space, no case."""
    return "".join(text.split()).strip(_OPEN + _CLOSE).lower()


def _nearly(first: str, second: str) -> bool:
    """Say whether two names of some length differ by one character at most."""
    return len(second) >= _ANY_BRACKET and distance(first, second, most=1) <= 1


def distance(first: str, second: str, *, most: int) -> int:
    """The edit distance of two words, or `most + 1` where it is greater.

    >>> distance("compter", "computer", most=2), distance("dog", "house", most=2)
    (1, 3)
    """
    if abs(len(first) - len(second)) > most:
        return most + 1
    row = list(range(len(second) + 1))
    for x, letter in enumerate(first, 1):
        before, row = row, [x]
        for y, other in enumerate(second, 1):
            row.append(min(before[y - 1] + (letter != other), before[y] + 1, row[-1] + 1))
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


# The rules that a decided golden set is checked by, and before it each answer: CON-1 to CON-10.
#
# Each rule is a switch of the project, because guidelines change and published data break some of
# them: off, warn or block. Two have no switch: something is decided (REV-8), and no correction is
# empty (ANN-12).


@dataclass(frozen=True, slots=True)
class _Case:
    """What a rule looks at."""

    golden: Golden
    options: ProjectOptions

    @property
    def numbered(self) -> tuple[tuple[int, str], ...]:
        """The corrections that are not empty, with their places."""
        return tuple((n, text) for n, text in enumerate(self.golden.references) if text.strip())

    @property
    def corrected(self) -> bool:
        return self.golden.decision == Decision.CORRECTED


_Span = tuple[int, int]
"""The places between source tokens, first and last, that a placeholder may stand at: from the kept
token before it to the kept one behind it. Which of equally short alignments is taken would decide
on a finer one."""


def findings(golden: Golden, options: ProjectOptions) -> tuple[Finding, ...]:
    """Apply the rules of a project; all that they find, in the order of the rules.

    >>> golden = Golden("我去。", "zh", "error_free", ("我去了。",))
    >>> [(one.rule, one.level) for one in findings(golden, ProjectOptions())]
    [('CON-1', 'block')]
    """
    case = _Case(golden, options)
    result = [*_undecided(case)]
    for rule, look in _LOOKS.items():
        if options.level(rule) != "off":
            result.extend(look(case))
    return tuple(result)


def _finding(
    case: _Case,
    rule: str,
    code: str,
    reference: int | None = None,
    place: Place | None = None,
    **values: str | int,
) -> Finding:
    facts: dict[str, str | int] = {} if reference is None else {"number": reference + 1}
    if place is not None:
        facts["text"] = place.text
        if place.repair:
            facts["repair"] = place.repair
    return Finding(
        rule,
        "block" if rule in ALWAYS else case.options.level(rule),
        code,
        reference,
        None if place is None else (place.start, place.end),
        None if place is None else place.repair,
        tuple((facts | values).items()),
    )


def _undecided(case: _Case) -> Iterator[Finding]:
    if case.corrected and not case.golden.references:
        yield _finding(case, "REV-8", "nothing_decided")
    for n, text in enumerate(case.golden.references):
        if not text.strip():
            yield _finding(case, "ANN-12", "empty", n)


def _error_free(case: _Case) -> Iterator[Finding]:
    count = len(case.golden.references)
    if case.golden.decision == Decision.ERROR_FREE and count:
        yield _finding(case, "CON-1", "error_free_and_corrected", count=count)
    if case.corrected:
        for n, text in case.numbered:
            if key(text) == key(case.golden.source):
                yield _finding(case, "CON-1", "equals_source", n)


def _not_annotatable(case: _Case) -> Iterator[Finding]:
    count = len(case.golden.references)
    if case.golden.decision == Decision.NOT_ANNOTATABLE and count:
        yield _finding(case, "CON-2", "not_annotatable_and_corrected", count=count)


def _placeholders(case: _Case) -> dict[int, tuple[_Span, ...]]:
    """Where each correction has the placeholder."""
    golden, placeholder = case.golden, case.options.placeholder
    squeezed = "".join(placeholder.split())
    # Few texts have one, and dividing all texts was a twelfth of what handing in costs.
    if not squeezed or not any(squeezed in "".join(text.split()) for _, text in case.numbered):
        return {n: () for n, _ in case.numbered}
    before = tokenize(golden.source, golden.lang, placeholder)
    return {
        n: _placeholder_spans(before, tokenize(text, golden.lang, placeholder))
        for n, text in case.numbered
    }


def _placeholder_spans(before: Sequence[Token], after: Sequence[Token]) -> tuple[_Span, ...]:
    """The room in the source that each placeholder of a correction may stand for."""
    places = [at for at, token in enumerate(after) if token.placeholder]
    if not places:
        return ()
    origins: list[int | None] = []  # the source token that each token of the correction is
    at = 0
    for edit in extract_edits(before, after):
        origins.extend(range(at, edit.start))
        origins.extend([None] * len(edit.replacement or ()))
        at = edit.end
    origins.extend(range(at, len(before)))
    return tuple(
        (
            next((token + 1 for token in reversed(origins[:place]) if token is not None), 0),
            next((token for token in origins[place:] if token is not None), len(before)),
        )
        for place in places
    )


def _placeholder_in_all(case: _Case) -> Iterator[Finding]:
    places = _placeholders(case)
    if any(places.values()):
        for n in (n for n, spans in places.items() if not spans):
            yield _finding(
                case, "CON-3", "placeholder_in_some", n, placeholder=case.options.placeholder
            )


def _placeholder_count(case: _Case) -> Iterator[Finding]:
    for n, spans, first, expected in _against_first(case):
        if len(spans) != len(expected):
            yield _finding(
                case,
                "CON-4",
                "placeholder_count",
                n,
                placeholder=case.options.placeholder,
                count=len(spans),
                other=first + 1,
                expected=len(expected),
            )


def _placeholder_position(case: _Case) -> Iterator[Finding]:
    for n, spans, first, expected in _against_first(case):
        apart = [pair for pair in zip(spans, expected, strict=False) if not _meet(*pair)]
        if len(spans) == len(expected) and apart:
            yield _finding(
                case,
                "CON-4-position",
                "placeholder_position",
                n,
                placeholder=case.options.placeholder,
                other=first + 1,
            )


def _meet(first: _Span, second: _Span) -> bool:
    return first[0] <= second[1] and second[0] <= first[1]


def _against_first(
    case: _Case,
) -> Iterator[tuple[int, tuple[_Span, ...], int, tuple[_Span, ...]]]:
    """Yield each correction with placeholders and its places beside the first such one."""
    rows = [(n, spans) for n, spans in _placeholders(case).items() if spans]
    for n, spans in rows[1:]:
        yield n, spans, *rows[0]


def _placeholder_spelling(case: _Case) -> Iterator[Finding]:
    options = case.options
    for n, text in case.numbered:
        for misspelling in misspellings(
            text, case.golden.source, options.placeholder, options.placeholder_aliases
        ):
            place = Place(misspelling.start, misspelling.end, misspelling.text, options.placeholder)
            yield _finding(case, "CON-5", "placeholder_spelling", n, place)


def _width(case: _Case) -> Iterator[Finding]:
    for n, text in case.numbered:
        if case.golden.lang == "zh":
            for place in half_width(text):
                yield _finding(case, "CON-6", "half_width", n, place)
        elif case.golden.lang == "en":
            for place in full_width(text):
                yield _finding(case, "CON-6", "full_width", n, place)


def _symbols(case: _Case) -> Iterator[Finding]:
    for n, text in case.numbered if case.golden.lang == "zh" else ():
        for place in symbols(text):
            yield _finding(case, "CON-7", "symbol", n, place)


def _lost_words(case: _Case) -> Iterator[Finding]:
    for n, text in case.numbered if case.golden.lang == "zh" else ():
        for place in lost_words(case.golden.source, text):
            yield _finding(case, "CON-8", "lost_word", n, place)


def _traditional(case: _Case) -> Iterator[Finding]:
    golden = case.golden
    if golden.lang != "zh" or golden.decision == Decision.NOT_ANNOTATABLE:
        return
    try:
        simplified = _simplifier()
    except MissingExtraError:
        # A rule that cannot look says so, and does not stop the work of the whole project.
        yield Finding("CON-9", "warn", "traditional_unchecked")
        return
    for place in simplified_places(golden.source, simplified):
        yield _finding(case, "CON-9", "traditional_source", None, place)
    for n, text in case.numbered:
        for place in simplified_places(text, simplified):
            yield _finding(case, "CON-9", "traditional_reference", n, place)


@cache
def _simplifier() -> Callable[[str], str]:
    _, convert = t2s()
    return convert


def simplified_places(text: str, convert: Callable[[str], str]) -> Iterator[Place]:
    """Yield the stretches of a text that a conversion changes, with what it makes of them.

    Args:
        text: Any text.
        convert: Conversion to simplified characters, which may know phrases.
    """
    converted: Sequence[str] = convert(text)
    if len(converted) != len(text):  # a phrase of another length: look at each character alone
        converted = [convert(character) for character in text]
    for changes, run in groupby(range(len(text)), lambda at: converted[at] != text[at]):
        if changes:
            places = list(run)
            start, end = places[0], places[-1] + 1
            yield Place(start, end, text[start:end], "".join(converted[start:end]))


def _distinct(case: _Case) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for n, text in case.numbered:
        other = first.setdefault(key(text), n)
        if other != n:
            yield _finding(case, "CON-10", "same_reference", n, other=other + 1)


_LOOKS: Mapping[str, Callable[[_Case], Iterator[Finding]]] = MappingProxyType(
    {
        "CON-1": _error_free,
        "CON-2": _not_annotatable,
        "CON-3": _placeholder_in_all,
        "CON-4": _placeholder_count,
        "CON-4-position": _placeholder_position,
        "CON-5": _placeholder_spelling,
        "CON-6": _width,
        "CON-7": _symbols,
        "CON-8": _lost_words,
        "CON-9": _traditional,
        "CON-10": _distinct,
    }
)
