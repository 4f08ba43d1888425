"""Hints while somebody types: they point at a place and never block.

`hints.js` finds the same in the browser; one table of cases holds both together. The words are
made where they are shown, from the code and the values; the English ones here are for a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from gecbench.server.rules import consistency
from gecbench.server.rules.consistency import misspellings
from gecbench.server.rules.options import ALIASES, PLACEHOLDER

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "half_width": "half-width {text} between Chinese characters; full width is {repair}",
        "full_width": "full-width {text} in English; half width is {repair}",
        "double_space": "more than one space in a row",
        "unpaired": "{text} has no other half",
        "placeholder": "{text} is not how this project writes the placeholder; write {repair}",
        "lost_word": (
            "the word {text} of the sentence has gone; words are corrected, not translated"
        ),
    }
)
"""Code of a hint to its English sentence, with the names of its values."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Something to look at.

    Args:
        code: A key of `SENTENCES`.
        start: First character of the text; half-open character span. Of the source where the
            code is "lost_word".
        end: The character after its last.
        text: What stands there.
        repair: What could stand there; None where only a person knows.
    """

    code: str
    start: int
    end: int
    text: str
    repair: str | None = None

    def __str__(self) -> str:
        """Return the English sentence."""
        return SENTENCES[self.code].format(text=self.text, repair=self.repair)


def hints(
    source: str,
    text: str,
    *,
    lang: str,
    placeholder: str = PLACEHOLDER,
    aliases: Sequence[str] = ALIASES,
) -> tuple[Hint, ...]:
    """Return the hints for a text that is being written, by the order of `SENTENCES`, then place.

    Args:
        source: The sentence that is being corrected.
        text: What has been typed so far.
        lang: Language of the project.
        placeholder: The project's token for content that cannot be guessed; "" for none.
        aliases: Other spellings that are offered for repair.

    >>> [str(hint) for hint in hints("我爱你", "我爱你.", lang="zh")]
    ['half-width . between Chinese characters; full width is 。']
    """
    widths: Mapping[str, tuple[str, Callable[[str], Iterable[consistency.Place]]]] = {
        "zh": ("half_width", consistency.half_width),
        "en": ("full_width", consistency.full_width),
    }
    found: list[Hint] = []
    if lang in widths:
        code, look = widths[lang]
        found.extend(_hints(code, look(text)))
    found.extend(_hints("double_space", consistency.double_spaces(text)))
    found.extend(_hints("unpaired", consistency.unpaired(text)))
    found.extend(
        Hint("placeholder", one.start, one.end, one.text, placeholder)
        for one in misspellings(text, source, placeholder, aliases)
    )
    if lang == "zh":
        found.extend(_hints("lost_word", consistency.lost_words(source, text)))
    return tuple(found)


def _hints(code: str, places: Iterable[consistency.Place]) -> list[Hint]:
    return [Hint(code, one.start, one.end, one.text, one.repair) for one in places]
