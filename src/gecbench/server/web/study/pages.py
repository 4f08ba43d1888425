"""What the study screen shows: the own text, what was said of it, and, later, what is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from gecbench.server.choices import CloseReason, Decision, StudyState
from gecbench.server.models import Golden, Member, Study, StudyTry
from gecbench.server.rules.keys import tables
from gecbench.server.rules.text import key
from gecbench.server.web.review.differences import align, render_diff, render_row
from gecbench.server.web.review.pages import excerpt
from gecbench.server.web.review.words import (
    DECISIONS,
    Named,
    diff_words,
    not_annotatable_reasons,
    reject_reasons,
)
from gecbench.server.workflow.studies import Lesson

CLOSED: Mapping[str, object] = {
    CloseReason.MATCHED: _("You found a golden text."),
    CloseReason.UPHELD: _("Your complaint was upheld."),
    CloseReason.GOLDEN_CHANGED: _("The golden texts changed, and yours is among them now."),
    CloseReason.WAIVED: _("A manager closed it."),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A text in the comparison: whose it is, its aligned HTML, and whether it is right."""

    title: str
    html: SafeString
    golden: bool
    right: bool | None


@dataclass(frozen=True, slots=True)
class Listed:
    """One item of the list."""

    study: Study
    words: str
    html: str
    days: int
    closed: str


def listed(member: Member, items: Sequence[Study]) -> tuple[Listed, ...]:
    """Return items as the list shows them, with their age."""
    now = timezone.now()
    return tuple(
        Listed(
            one,
            own_words(one),
            own_html(member, one),
            (now - one.opened_at) // timedelta(days=1),
            str(CLOSED.get(one.close_reason, "")),
        )
        for one in items
    )


def own_words(study: Study) -> str:
    """Return the own decision in words; "" where the item is about a text."""
    return "" if study.reference else str(DECISIONS[Decision(study.submission.decision)])


def own_reason(study: Study) -> str:
    """Return the author's own reason why the sentence cannot be annotated, and their note."""
    known = {one.name: one.words for one in not_annotatable_reasons()}
    made = study.submission
    return ": ".join(filter(None, (known.get(made.reason, made.reason), made.reason_note)))


def decided_words(kind: str, golden: Golden | None) -> str:
    """Return a golden kind in words; "" where there are texts to show, or nothing may be shown."""
    if kind in {"", Decision.CORRECTED}:
        return ""
    known = {one.name: one.words for one in not_annotatable_reasons()}
    reason = known.get(golden.reason, "") if golden else ""
    return ": ".join(filter(None, (str(DECISIONS[Decision(kind)]), reason)))


def own_html(member: Member, study: Study) -> str:
    """Show the own text as a difference; "" for a decision."""
    if study.reference is None:
        return ""
    return render_diff(member.project, study.sentence.text, study.reference.text)


def context(member: Member, lesson: Lesson, *, following: Study | None) -> dict[str, object]:
    """Return what the template of an item needs."""
    study, verdict = lesson.study, lesson.verdict
    guideline = member.project.guideline
    reasons = verdict.reasons if verdict else []
    cited = (excerpt(guideline, verdict.section),) if verdict and verdict.section else ()
    explained = tuple(excerpt(guideline, one.section) for one in _reasons(reasons))
    return {
        "lesson": lesson,
        "study": study,
        "sentence": study.sentence,
        "open": study.state == StudyState.OPEN,
        "closed": str(CLOSED.get(study.close_reason, "")),
        "own": own_html(member, study),
        "own_decision": own_words(study),
        "own_reason": own_reason(study),
        "reasons": _reasons(reasons),
        "cited": [one for one in cited if one],
        "explained": [one for one in explained if one],
        "tries": [(one, _tried(member, study, one)) for one in lesson.tries],
        "lines": _lines(member, lesson),
        "decided": decided_words(lesson.decision, study.sentence.golden),
        "text": _begin(study, lesson.tries),
        "following": following,
        "client_key": uuid4(),
        "data": _data(member, study),
        "words": page_words(),
    }


def _reasons(names: Sequence[str]) -> tuple[Named, ...]:
    return tuple(one for one in reject_reasons() if one.name in names)


def _begin(study: Study, tries: Sequence[StudyTry]) -> str:
    """Return what stands in the box: the last try, else the own text, else the sentence."""
    written = [one.text for one in tries if one.text]
    if written:
        return written[-1]
    return study.reference.text if study.reference else study.sentence.text


def _tried(member: Member, study: Study, attempt: StudyTry) -> tuple[str, str]:
    if attempt.decision != Decision.CORRECTED:
        return str(DECISIONS[Decision(attempt.decision)]), ""
    return "", render_diff(member.project, study.sentence.text, attempt.text)


def _lines(member: Member, lesson: Lesson) -> tuple[Line, ...]:
    study = lesson.study
    own = [(gettext("Yours"), study.reference.text)] if study.reference else []
    last = [one.text for one in lesson.tries if one.text]
    own += [(gettext("Your last try"), last[-1])] if last else []
    return compared(member, study.sentence.text, own, [one.text for one in lesson.revealed])


def compared(
    member: Member, source: str, own: Sequence[tuple[str, str]], golden: Sequence[str]
) -> tuple[Line, ...]:
    """Return own and golden texts one below the other; none before golden ones may be shown.

    Args:
        member: Who reads them.
        source: The sentence.
        own: Title and text of those that are not golden.
        golden: The golden texts that may be shown.
    """
    if not golden:
        return ()
    titled = [
        (gettext("Golden %(number)s") % {"number": n}, text) for n, text in enumerate(golden, 1)
    ]
    titles, texts = zip(*own, *titled, strict=True)
    placeholder = member.project.rules.placeholder
    alignment = align(source, texts, lang=member.project.lang, placeholder=placeholder)
    rows = (alignment.source, *alignment.rows)
    right = {key(one) for one in golden}
    return tuple(
        Line(
            name, render_row(row, placeholder), n > len(own), key(row.text) in right if n else None
        )
        for n, (name, row) in enumerate(zip((gettext("Original"), *titles), rows, strict=True))
    )


def _data(member: Member, study: Study) -> dict[str, object]:
    slug = member.project.slug
    return {
        "study": study.pk,
        "version": study.version,
        "person": member.person_id,
        "source": study.sentence.text,
        "lang": member.project.lang,
        "placeholder": member.project.rules.placeholder,
        "original": study.reference.text if study.reference else study.sentence.text,
        "keys": asdict(tables(member.person.preferences.get("keys"), screen="study")),
        "urls": {
            "attempt": reverse("study-try", args=(slug, study.pk)),
            "login": reverse("login"),
        },
    }


def nearest_words(nearest: int) -> str:
    """Return how far a try is from the nearest golden text, without giving that away."""
    if nearest < 0:
        return gettext("Not right yet. No text is right here; think of the decision.")
    words = ngettext(
        "Not right yet: %(count)s edit away from the nearest golden text.",
        "Not right yet: %(count)s edits away from the nearest golden text.",
        nearest,
    )
    return words % {"count": nearest}


def page_words() -> dict[str, object]:
    """Return the words that the study page's script needs."""
    return {
        "diff": diff_words(),
        "unreached": gettext("The server was not reached. Nothing is lost; try again."),
        "kept": gettext("What you had typed before stands in the box again."),
        "source": gettext("This is the original."),
    }
