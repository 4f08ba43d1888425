"""Changes of form that a label names without naming the word: case, verb form, plural, hyphen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import permutations

from gecbench.lang.en.verbs import FORMS, verb_form, verb_forms
from gecbench.models.tags.labels import MERGE_HYPHEN, MERGE_SPACE

Transform = Callable[[str], str | None]
"""From a token to its other form; None where it has none. Several tokens come with blanks."""


Namer = Callable[[str, str], tuple[str, ...]]
"""From a token and another form of it to the names that may lead there, likeliest first."""


def _no_name(_token: str, _target: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Transforms:
    """The changes of form of a language.

    Args:
        functions: Name, as "CASE_LOWER", to what it does.
        merges: Labels that join tokens; () in a language that writes no blanks.
        namer: Says which transforms to try; it only saves time.
    """

    functions: Mapping[str, Transform] = field(default_factory=dict)
    merges: tuple[str, ...] = ()
    namer: Namer = _no_name

    def apply(self, name: str, token: str) -> str | None:
        """Return what a transform makes of a token; None where it does nothing: keep it."""
        function = self.functions.get(name)
        made = function(token) if function else None
        return None if made == token else made

    def explain(self, token: str, target: str) -> str | None:
        """Return the name of the transform that leads from a token to another, or None.

        >>> transforms_for("en").explain("goes", "went")
        'VERB_VBZ_VBD'
        >>> transforms_for("en").explain("well-known", "well known")
        'SPLIT_HYPHEN'
        """
        if token == target:
            return None
        return next(
            (name for name in self.namer(token, target) if self.apply(name, token) == target), None
        )


@cache
def transforms_for(language: str) -> Transforms:
    """Return the changes of form of a language: "en" has some, every other none."""
    if language != "en":
        return Transforms()
    verbs = {
        f"VERB_{a}_{b}": partial(verb_form, given=a, wanted=b) for a, b in permutations(FORMS, 2)
    }
    return Transforms({**_CASES, **verbs, **_OTHERS}, (MERGE_SPACE, MERGE_HYPHEN), _english)


def _english(token: str, target: str) -> tuple[str, ...]:
    """Return what may lead from an English token to another: case, verb form, plural, hyphen."""
    if token.lower() == target.lower():
        return tuple(_CASES)
    if "-" in token:
        return (*verb_forms(token, target), *_OTHERS)
    if token.startswith(target) or target.startswith(token):
        return (*verb_forms(token, target), *_AGREEMENTS)
    return verb_forms(token, target)


def _capital_1(token: str) -> str | None:
    return token[0] + token[1:].capitalize() if len(token) > 1 else None


def _upper_but_last(token: str) -> str | None:
    return token[:-1].upper() + token[-1] if len(token) > 1 else None


def _plural(token: str) -> str | None:
    return token + "s" if token[-1:].isalpha() else None


def _singular(token: str) -> str | None:
    return token[:-1] if token.endswith("s") and token[-2:-1].isalpha() else None


def _split(token: str) -> str | None:
    """Return the parts of a token as tokens; None where a part would be empty."""
    pieces = token.split("-")
    return " ".join(pieces) if len(pieces) > 1 and all(pieces) else None


_CASES: Mapping[str, Transform] = {
    "CASE_LOWER": str.lower,
    "CASE_CAPITAL": str.capitalize,
    "CASE_UPPER": str.upper,
    "CASE_CAPITAL_1": _capital_1,
    "CASE_UPPER_-1": _upper_but_last,
}
_AGREEMENTS: Mapping[str, Transform] = {
    "AGREEMENT_PLURAL": _plural,
    "AGREEMENT_SINGULAR": _singular,
}
_OTHERS: Mapping[str, Transform] = {**_AGREEMENTS, "SPLIT_HYPHEN": _split}
