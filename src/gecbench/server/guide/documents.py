"""The default guidelines that come with the package: one Chinese, one English, same section ids."""

from __future__ import annotations

from importlib.resources import files

from gecbench.core.errors import UnknownNameError
from gecbench.server.guide.taxonomy import LANGUAGES, Language

CHAPTERS = ("work.md", "types.md", "review.md")
PLACEHOLDERS: dict[Language, str] = {"zh": "[缺失成分]", "en": "[MC]"}


def default_guideline(lang: Language, *, placeholder: str | None = None) -> str:
    """Return the Markdown of a default guideline.

    Args:
        lang: Language that the learners write, and that the guideline is written in.
        placeholder: The project's token for what is missing and cannot be guessed; stands
            wherever the guideline shows it. None leaves the guideline's own.

    Raises:
        UnknownNameError: There is no default guideline in that language.

    >>> default_guideline("en", placeholder="[GAP]").count("[MC]")
    0
    """
    if lang not in LANGUAGES:
        raise UnknownNameError("language of guidelines", lang, LANGUAGES)
    folder = files("gecbench.server.guide") / lang
    text = "\n".join((folder / name).read_text("utf-8") for name in CHAPTERS)
    return text.replace(PLACEHOLDERS[lang], placeholder) if placeholder else text
