"""The default guidelines of the package: for each kind of project one Chinese and one English."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal

from gecbench.core.errors import UnknownNameError
from gecbench.server.choices import ProjectKind

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")
CHAPTERS: dict[str, tuple[str, ...]] = {
    ProjectKind.REWRITE: ("work.md", "types.md", "review.md"),
    ProjectKind.PERTURB: ("perturb.md",),
}
PLACEHOLDERS: dict[Language, str] = {"zh": "[缺失成分]", "en": "[MC]"}


def default_guideline(
    lang: Language, *, kind: str = ProjectKind.REWRITE, placeholder: str | None = None
) -> str:
    """The Markdown of a default guideline.

    Args:
        lang: Language that the learners write, and that the guideline is written in.
        kind: Of the project: what its annotators do.
        placeholder: The project's token for what is missing and cannot be guessed; stands
            wherever the guideline shows it. None leaves the guideline's own.

    Raises:
        UnknownNameError: There is no default guideline in that language.

    >>> default_guideline("en", placeholder="[GAP]").count("[MC]")
    0
    """
    if lang not in LANGUAGES:
        raise UnknownNameError("language of guidelines", lang, LANGUAGES)
    folder = files("gecbench.server.guidelines") / lang
    text = "\n".join((folder / name).read_text("utf-8") for name in CHAPTERS[kind])
    return text.replace(PLACEHOLDERS[lang], placeholder) if placeholder else text
