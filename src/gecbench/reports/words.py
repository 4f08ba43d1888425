"""What readers see, in the languages of the reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Words:
    """One text in English and in Chinese.

    >>> Words("references", "参考答案").in_("zh")
    '参考答案'
    """

    en: str
    zh: str

    def in_(self, language: Language) -> str:
        """Return the text in a language."""
        return self.zh if language == "zh" else self.en


def said(text: str | Words, language: Language) -> str:
    """Return a text in a language; names of systems and the like are the same in all."""
    return text.in_(language) if isinstance(text, Words) else text
