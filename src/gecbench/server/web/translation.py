"""Errors and messages of the library in the language of the person who reads the page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db.models import TextChoices
from django.utils.translation import get_language, gettext

from gecbench.core.errors import GecbenchError, Message, OptionAdvice, Place
from gecbench.server.guidelines.rendering import Language

_AT_LINE = Message("{file}:{line}: {message}")
_AT = Message("{place}: {message}")
_WORDS = re.compile(r"(?:[^{]|\{\{)*?[a-zA-Z]")
"""What begins a template that has words beside its places."""


def interface_language() -> Language:
    """Which of the guideline's two languages the person reads."""
    return "zh" if (get_language() or "zh").startswith("zh") else "en"


@dataclass(frozen=True, slots=True)
class Translation:
    """A message as a page shows it.

    Args:
        text: In the person's language, or in English where nobody has translated it.
        foreign: Whether it stayed English, which a page marks.
    """

    text: str
    foreign: bool = False

    def __str__(self) -> str:
        return self.text


class _UntranslatedError(Exception):
    """A message, or a part of one, is not in the catalogue."""


def translate(words: str | GecbenchError) -> Translation:
    """Translate a message, or an error with the place where it is, into the person's language."""
    try:
        return Translation(_error(words) if isinstance(words, GecbenchError) else _message(words))
    except _UntranslatedError:
        english = (get_language() or "en").startswith("en")
        return Translation(str(words), foreign=not english)


def _error(error: GecbenchError) -> str:
    message = _message(error.message)
    if error.at is None:
        return message
    if isinstance(error.at, Place):
        return gettext(_AT_LINE).format(file=error.at.path, line=error.at.line, message=message)
    return gettext(_AT).format(place=_value(error.at), message=message)


def _message(text: str) -> str:
    if not isinstance(text, Message):
        raise _UntranslatedError
    english = (get_language() or "en").startswith("en")
    template = text.template if english else gettext(text.template)
    if not english and template == text.template and _WORDS.match(template):
        raise _UntranslatedError
    values = {name: _value(value) for name, value in text.values.items()}
    return template.format(**values) if values else template


def _value(value: object) -> object:
    """What stands at a place of a message: a message, a word of the workflow, or plain data."""
    if isinstance(value, OptionAdvice):
        value = value.page
    if isinstance(value, GecbenchError):
        return _error(value)
    if isinstance(value, TextChoices):
        return value.label
    return _message(value) if isinstance(value, Message) else value
