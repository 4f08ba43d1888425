"""Forms of English words: verbs of a list by the rules of spelling and the irregular ones, plurals.

Written for gecbench from the facts of the language (`irregular_verbs.txt`, `regular_verbs.txt`).
A word that stands in neither list has no verb forms: a label that asks for one keeps the word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import permutations
from pathlib import Path

from gecbench.core.files import read_lines
from gecbench.core.language import Transform, Transforms

FORMS = ("VB", "VBD", "VBG", "VBN", "VBZ")
"""Base form, past tense, -ing form, past participle, third person singular present."""

Paradigm = tuple[tuple[str, ...], ...]
"""The forms of a verb in the order of `FORMS`, each with its variants; the first is made."""

_BE: Paradigm = (("be",), ("was",), ("being",), ("been",), ("is",))
_THIRD = {"have": "has"}
_PROGRESSIVE = {"age": "aging", "dye": "dyeing", "ski": "skiing"}
_ONE_SYLLABLE = re.compile("(?:qu|[^aeiou])*[aeiou][^aeiouwxy]")


def verb_form(token: str, *, current: str, target: str) -> str | None:
    """A verb in another form, written with a capital where it was; None if unknown.

    Args:
        token: The verb.
        current: The form that it has, a name of `FORMS`.
        target: The form to be made.

    >>> verb_form("Stopped", current="VBD", target="VBG")
    'Stopping'
    """
    for form, paradigm in _readings().get(token.lower(), ()):
        if form == current:
            return _match_case(paradigm[FORMS.index(target)][0], token)
    return None


def verb_forms(token: str, target: str) -> tuple[str, ...]:
    """The names of transforms that may lead from one verb form to another.

    >>> verb_forms("goes", "went")
    ('VERB_VBZ_VBD',)
    """
    word = target.lower()
    return tuple(
        f"VERB_{current}_{form}"
        for current, paradigm in _readings().get(token.lower(), ())
        for form, variants in zip(FORMS, paradigm, strict=True)
        if form != current and variants[0] == word
    )


def forms_of(word: str) -> Mapping[str, tuple[str, ...]]:
    """The forms that a word in lower case may be, each to those that its verb has.

    These are in the order of `FORMS`, the commonest variant of each; of several verbs the
    likeliest is taken. A word that is no verb has none.

    >>> forms_of("went")
    {'VBD': ('go', 'went', 'going', 'gone', 'goes')}
    """
    return _forms().get(word, {})


@cache
def _forms() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    forms_by_word: dict[str, dict[str, tuple[str, ...]]] = {}
    for word, readings in _readings().items():
        for form, paradigm in readings:
            forms = tuple(variants[0] for variants in paradigm)
            forms_by_word.setdefault(word, {}).setdefault(form, forms)
    return forms_by_word


def _match_case(word: str, like: str) -> str:
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word.capitalize() if like[0].isupper() else word


@cache
def _readings() -> Mapping[str, Sequence[tuple[str, Paradigm]]]:
    """The forms that a word may be with their paradigms, likeliest first: irregular verbs are."""
    readings: dict[str, list[tuple[str, Paradigm]]] = {}
    for paradigm in _paradigms():
        for form, variants in zip(FORMS, paradigm, strict=True):
            for word in variants:
                if (form, paradigm) not in readings.setdefault(word, []):
                    readings[word].append((form, paradigm))
    return readings


def _paradigms() -> Iterator[Paradigm]:
    yield _BE
    bases = set()
    for base, past, participle in map(str.split, _lines("irregular_verbs.txt")):
        bases.add(base.rstrip("*"))
        plain, _, ing, _, third = regular(base)
        yield plain, tuple(past.split("/")), ing, tuple(participle.split("/")), third
    for word in " ".join(_lines("regular_verbs.txt")).split():
        base = word.rstrip("*~")
        if base not in bases:
            bases.add(base)
            yield regular(word)


def _lines(name: str) -> list[str]:
    lines = read_lines(Path(__file__).with_name(name))
    return [line for line in lines if line and not line.startswith("#")]


def regular(lemma: str) -> Paradigm:
    """The forms of a regular verb.

    Args:
        lemma: The base form; "*" behind it says that its last consonant is doubled, "~" that it
            may be. Verbs of one syllable need no mark.

    >>> [forms[0] for forms in regular("try")]
    ['try', 'tried', 'trying', 'tried', 'tries']
    >>> regular("travel~")[1]
    ('traveled', 'travelled')
    """
    base = lemma.rstrip("*~")
    doubled = base + base[-1]
    if lemma.endswith("*") or _ONE_SYLLABLE.fullmatch(base):
        stems: tuple[str, ...] = (doubled,)
    elif lemma.endswith("~"):
        stems = (base, doubled)
    else:
        stems = (base + "k" if base.endswith("c") else base,)
    past = tuple(map(_past, stems))
    return (base,), past, tuple(_progressive(base, stem) for stem in stems), past, (_third(base),)


def _past(stem: str) -> str:
    if stem.endswith("e"):
        return stem + "d"
    return stem[:-1] + "ied" if _consonant_y(stem) else stem + "ed"


def _progressive(base: str, stem: str) -> str:
    if base in _PROGRESSIVE:
        return _PROGRESSIVE[base]
    if stem.endswith("ie"):
        return stem[:-2] + "ying"
    drops = stem.endswith("e") and not stem.endswith(("ee", "oe", "ye")) and stem != "be"
    return (stem[:-1] if drops else stem) + "ing"


def _third(base: str) -> str:
    if base in _THIRD:
        return _THIRD[base]
    if _consonant_y(base):
        return base[:-1] + "ies"
    if base.endswith("z") and _ONE_SYLLABLE.fullmatch(base):
        return base + "zes"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _consonant_y(word: str) -> bool:
    return word.endswith("y") and word[-2:-1] not in ("", *"aeiou")


# Changes of form that a tagger's labels name (GECToR, Omelianchuk et al. 2020).


def load_transforms() -> Transforms:
    """Load the changes of form that labels name: case, verb form, plural, hyphen."""
    verbs = {
        f"VERB_{a}_{b}": partial(verb_form, current=a, target=b) for a, b in permutations(FORMS, 2)
    }
    return Transforms({**_CASES, **verbs, **_OTHERS}, ("", "-"), _candidates)


def _candidates(token: str, target: str) -> tuple[str, ...]:
    """Name what may lead from a token to another: case, verb form, plural, hyphen."""
    if token.lower() == target.lower():
        return tuple(_CASES)
    if "-" in token:
        return (*verb_forms(token, target), *_OTHERS)
    if token.startswith(target) or target.startswith(token):
        return (*verb_forms(token, target), *_AGREEMENTS)
    return verb_forms(token, target)


def _singular(token: str) -> str | None:
    return token[:-1] if token.endswith("s") and token[-2:-1].isalpha() else None


def _split_hyphens(token: str) -> str | None:
    """Split a token at its hyphens; None where a part would be empty."""
    pieces = token.split("-")
    return " ".join(pieces) if len(pieces) > 1 and all(pieces) else None


_CASES: Mapping[str, Transform] = {
    "CASE_LOWER": str.lower,
    "CASE_CAPITAL": str.capitalize,
    "CASE_UPPER": str.upper,
    "CASE_CAPITAL_1": lambda token: token[:1] + token[1:].capitalize(),
    "CASE_UPPER_-1": lambda token: token[:-1].upper() + token[-1:],
}
_AGREEMENTS: Mapping[str, Transform] = {
    "AGREEMENT_PLURAL": lambda token: token + "s" if token[-1:].isalpha() else None,
    "AGREEMENT_SINGULAR": _singular,
}
_OTHERS: Mapping[str, Transform] = {**_AGREEMENTS, "SPLIT_HYPHEN": _split_hyphens}
