"""The rules that a decided golden set is checked by, and before it each answer: CON-1 to CON-10.

Each rule is a switch of the project, because guidelines change and published data break some of
them: off, warn or block. Two have no switch: something is decided (REV-8), and no correction is
empty (ANN-12).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from types import MappingProxyType

from gecbench.backends.chinese import t2s
from gecbench.core.errors import MissingExtraError
from gecbench.server.laws import marks
from gecbench.server.laws.diff import edits_of
from gecbench.server.laws.findings import ALWAYS, Finding, Golden
from gecbench.server.laws.names import Decision
from gecbench.server.laws.options import ProjectOptions
from gecbench.server.laws.spelling import misspellings
from gecbench.server.laws.text import key
from gecbench.server.laws.tokens import Token, tokens


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


_Room = tuple[int, int]
"""The places between source tokens, first and last, that a placeholder may stand at: from the kept
token before it to the kept one behind it. Which of equally short alignments is taken would decide
on a finer one."""


def findings(golden: Golden, options: ProjectOptions) -> tuple[Finding, ...]:
    """Return all that the rules of a project find, in the order of the rules.

    >>> golden = Golden("我去。", "zh", "error_free", ("我去了。",))
    >>> [(one.rule, one.level) for one in findings(golden, ProjectOptions())]
    [('CON-1', 'block')]
    """
    case = _Case(golden, options)
    found = [*_undecided(case)]
    for rule, look in _LOOKS.items():
        if options.level(rule) != "off":
            found.extend(look(case))
    return tuple(found)


def _found(
    case: _Case,
    rule: str,
    code: str,
    reference: int | None = None,
    place: marks.Place | None = None,
    **values: str | int,
) -> Finding:
    named: dict[str, str | int] = {} if reference is None else {"number": reference + 1}
    if place is not None:
        named["text"] = place.text
        if place.repair:
            named["repair"] = place.repair
    return Finding(
        rule,
        "block" if rule in ALWAYS else case.options.level(rule),
        code,
        reference,
        None if place is None else (place.start, place.end),
        None if place is None else place.repair,
        tuple((named | values).items()),
    )


def _undecided(case: _Case) -> Iterator[Finding]:
    if case.corrected and not case.golden.references:
        yield _found(case, "REV-8", "nothing_decided")
    for n, text in enumerate(case.golden.references):
        if not text.strip():
            yield _found(case, "ANN-12", "empty", n)


def _error_free(case: _Case) -> Iterator[Finding]:
    count = len(case.golden.references)
    if case.golden.decision == Decision.ERROR_FREE and count:
        yield _found(case, "CON-1", "error_free_and_corrected", count=count)
    if case.corrected:
        for n, text in case.numbered:
            if key(text) == key(case.golden.source):
                yield _found(case, "CON-1", "equals_source", n)


def _not_annotatable(case: _Case) -> Iterator[Finding]:
    count = len(case.golden.references)
    if case.golden.decision == Decision.NOT_ANNOTATABLE and count:
        yield _found(case, "CON-2", "not_annotatable_and_corrected", count=count)


def _placeholders(case: _Case) -> dict[int, tuple[_Room, ...]]:
    """Return where each correction has the placeholder."""
    golden, placeholder = case.golden, case.options.placeholder
    before = tokens(golden.source, golden.lang, placeholder)
    return {n: _rooms(before, tokens(text, golden.lang, placeholder)) for n, text in case.numbered}


def _rooms(before: Sequence[Token], after: Sequence[Token]) -> tuple[_Room, ...]:
    """Return the room in the source that each placeholder of a correction may stand for."""
    wanted = [at for at, token in enumerate(after) if token.placeholder]
    if not wanted:
        return ()
    kept: list[int | None] = []  # the source token that each token of the correction is
    at = 0
    for edit in edits_of(before, after):
        kept.extend(range(at, edit.start))
        kept.extend([None] * len(edit.replacement or ()))
        at = edit.end
    kept.extend(range(at, len(before)))
    return tuple(
        (
            next((token + 1 for token in reversed(kept[:place]) if token is not None), 0),
            next((token for token in kept[place:] if token is not None), len(before)),
        )
        for place in wanted
    )


def _placeholder_in_all(case: _Case) -> Iterator[Finding]:
    places = _placeholders(case)
    if any(places.values()):
        for n in (n for n, found in places.items() if not found):
            yield _found(
                case, "CON-3", "placeholder_in_some", n, placeholder=case.options.placeholder
            )


def _placeholder_count(case: _Case) -> Iterator[Finding]:
    for n, found, first, expected in _against_first(case):
        if len(found) != len(expected):
            yield _found(
                case,
                "CON-4",
                "placeholder_count",
                n,
                placeholder=case.options.placeholder,
                count=len(found),
                other=first + 1,
                expected=len(expected),
            )


def _placeholder_position(case: _Case) -> Iterator[Finding]:
    for n, found, first, expected in _against_first(case):
        apart = [one for one in zip(found, expected, strict=False) if not _meet(*one)]
        if len(found) == len(expected) and apart:
            yield _found(
                case,
                "CON-4-position",
                "placeholder_position",
                n,
                placeholder=case.options.placeholder,
                other=first + 1,
            )


def _meet(one: _Room, two: _Room) -> bool:
    return one[0] <= two[1] and two[0] <= one[1]


def _against_first(
    case: _Case,
) -> Iterator[tuple[int, tuple[_Room, ...], int, tuple[_Room, ...]]]:
    """Yield each correction with placeholders and its places beside the first such one."""
    those = [(n, found) for n, found in _placeholders(case).items() if found]
    for n, found in those[1:]:
        yield n, found, *those[0]


def _placeholder_spelling(case: _Case) -> Iterator[Finding]:
    options = case.options
    for n, text in case.numbered:
        for one in misspellings(
            text, case.golden.source, options.placeholder, options.placeholder_aliases
        ):
            place = marks.Place(one.start, one.end, one.text, options.placeholder)
            yield _found(case, "CON-5", "placeholder_spelling", n, place)


def _width(case: _Case) -> Iterator[Finding]:
    for n, text in case.numbered:
        if case.golden.lang == "zh":
            for place in marks.half_width(text):
                yield _found(case, "CON-6", "half_width", n, place)
        elif case.golden.lang == "en":
            for place in marks.full_width(text):
                yield _found(case, "CON-6", "full_width", n, place)


def _symbols(case: _Case) -> Iterator[Finding]:
    for n, text in case.numbered if case.golden.lang == "zh" else ():
        for place in marks.symbols(text):
            yield _found(case, "CON-7", "symbol", n, place)


def _lost_words(case: _Case) -> Iterator[Finding]:
    for n, text in case.numbered if case.golden.lang == "zh" else ():
        for place in marks.lost_words(case.golden.source, text):
            yield _found(case, "CON-8", "lost_word", n, place)


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
        yield _found(case, "CON-9", "traditional_source", None, place)
    for n, text in case.numbered:
        for place in simplified_places(text, simplified):
            yield _found(case, "CON-9", "traditional_reference", n, place)


@cache
def _simplifier() -> Callable[[str], str]:
    _, convert = t2s()
    return convert


def simplified_places(text: str, convert: Callable[[str], str]) -> Iterator[marks.Place]:
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
            yield marks.Place(start, end, text[start:end], "".join(converted[start:end]))


def _distinct(case: _Case) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for n, text in case.numbered:
        other = first.setdefault(key(text), n)
        if other != n:
            yield _found(case, "CON-10", "same_reference", n, other=other + 1)


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
