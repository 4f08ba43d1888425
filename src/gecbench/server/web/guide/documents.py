"""Guidelines as their pages show them: rendered once for each version, with a table of contents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from django.utils.safestring import SafeString

from gecbench.server.guide.render import render
from gecbench.server.guide.sections import Changes, Rendered, Section, compare
from gecbench.server.guide.taxonomy import Language
from gecbench.server.models import Guideline, Project
from gecbench.server.web.content import Content


@dataclass(frozen=True, slots=True)
class Shown:
    """A section for a template.

    Args:
        section: What was rendered.
        html: The same HTML, marked as safe: `guide.render` has cleaned it, whatever was written.
        new: Whether it differs from the version before.
    """

    section: Section
    html: SafeString
    new: bool = False


def rendered(guideline: Guideline, project: Project) -> Rendered:
    """Return a version as safe HTML; versions never change, so it is made once a process."""
    return _rendered(Content.of(guideline), "zh" if project.lang == "zh" else "en")


@lru_cache(maxsize=32)
def _rendered(content: Content, lang: Language) -> Rendered:
    return render(content.guideline.markdown, lang=lang, shift=1)


def shown(sections: Iterable[Section], new: Iterable[str] = ()) -> tuple[Shown, ...]:
    """Return sections for a template."""
    names = frozenset(new)
    return tuple(Shown(one, SafeString(one.html), one.id in names) for one in sections)


def contents(document: Rendered) -> tuple[Section, ...]:
    """Return what the table of contents lists: chapters and sections, not what lies below."""
    return tuple(one for one in document.sections if 1 <= one.level <= 3)


def changed_since(guideline: Guideline, project: Project) -> Changes | None:
    """Return what differs from the version before; None where there is none."""
    before = Guideline.objects.filter(project=project, version=guideline.version - 1).first()
    if before is None:
        return None
    return compare(rendered(before, project), rendered(guideline, project))
