"""What the consistency rules say of a golden set: findings, with codes and English sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gecbench.server.laws.options import Level

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "error_free_and_corrected": (
            "the sentence is declared free of errors, and has {count} corrections; take one away"
        ),
        "equals_source": (
            "correction {number} is the sentence itself; is the sentence free of errors?"
        ),
        "not_annotatable_and_corrected": (
            "the sentence is declared not annotatable, and has {count} corrections; take one away"
        ),
        "placeholder_in_some": (
            "correction {number} has no {placeholder}, others have it; all have it or none"
        ),
        "placeholder_count": (
            "correction {number} has {placeholder} {count} times, correction {other} has it "
            "{expected} times; all have as many"
        ),
        "placeholder_position": (
            "correction {number} has {placeholder} at another place than correction {other}; "
            "right only where there are several ways"
        ),
        "placeholder_spelling": (
            "correction {number}: {text} is not how this project writes the placeholder; "
            "write {repair}"
        ),
        "half_width": (
            "correction {number}: half-width {text} between Chinese characters; full width is "
            "{repair}"
        ),
        "full_width": "correction {number}: full-width {text} in English; half width is {repair}",
        "symbol": "correction {number}: the symbol {text} inside Chinese text is still there",
        "lost_word": (
            "correction {number}: the word {text} of the sentence has gone; words are corrected, "
            "not translated"
        ),
        "traditional_source": (
            "the sentence has traditional characters ({text}); this project is for simplified ones"
        ),
        "traditional_reference": (
            "correction {number} has traditional characters ({text}); write {repair}"
        ),
        "traditional_unchecked": (
            "traditional characters could not be looked for, because OpenCC is not installed; "
            "the operator can install gecbench[zh]"
        ),
        "same_reference": "correction {number} is the same as correction {other}",
        "nothing_decided": (
            "there is no correction; write one, or declare the sentence free of errors or not "
            "annotatable"
        ),
        "empty": "correction {number} is empty",
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

    def __str__(self) -> str:
        """Return the English sentence."""
        return SENTENCES[self.code].format(**dict(self.values))
