"""What the review pages show: the task, its candidates side by side, and what was said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from gecbench.server import models
from gecbench.server.choices import Decision, Role, SentenceState, TaskState
from gecbench.server.guidelines.rendering import Section, in_words, render_markdown
from gecbench.server.models import Draft, Guideline, Member, ReviewTask
from gecbench.server.rules.keys import tables
from gecbench.server.rules.text import TextError, cleaned
from gecbench.server.web.annotation.aids import context_address
from gecbench.server.web.navigation import Content
from gecbench.server.web.review.differences import (
    Row,
    align,
    render_diff,
    render_pieces,
    render_row,
)
from gecbench.server.web.review.forms import (
    ReviewGiven,
    RowGiven,
    answer_of,
    cited_sections,
    read_given,
    same_as_correct,
)
from gecbench.server.web.review.words import (
    DECISIONS,
    Named,
    interface_language,
    not_annotatable_reasons,
    page_words,
    reject_reasons,
)
from gecbench.server.workflow import reviews
from gecbench.server.workflow.answers import ReviewAnswer
from gecbench.server.workflow.drafts import payload_of_review
from gecbench.server.workflow.errors import Problem, RefusedError
from gecbench.server.workflow.golden import Candidate, check_consistency
from gecbench.server.workflow.reviews import candidates
from gecbench.server.workflow.submissions import keep_refused

# Sections of the guideline that are cited: people read and type titles, ids are kept (GUI-4).


def section_names(guideline: Guideline | None) -> tuple[str, ...]:
    """Return what each section that can be cited is called, in the order of the guideline.

    That is its title, with the title of the section above where several have the same.
    """
    return tuple(_names(Content.of(guideline)).values()) if guideline else ()


def section_of(guideline: Guideline | None, typed: str) -> str:
    """Return the id of the section that a title or an id names; "" where that is not one."""
    found = _meant(guideline, typed)
    return found[0] if len(found) == 1 else ""


def citation_problem(guideline: Guideline | None, typed: str, field: str) -> Problem | None:
    """Return what is wrong with a typed citation; None where it is one, or where there is none."""
    if not typed.strip():
        return None
    found = _meant(guideline, typed)
    if len(found) == 1:
        return None
    if found:
        message = f"{len(found)} sections have the title {typed!r:.120}; say which: {found}"
        return Problem("GUI-4-several", field, message)
    return Problem("GUI-4", field, f"the guideline has no section {typed!r:.120}")


@dataclass(frozen=True, slots=True)
class Cited:
    """A section of the guideline that explains something."""

    section: str
    title: str
    text: str


def excerpt(guideline: Guideline | None, section: str) -> Cited | None:
    """Return what a section says; None where there is no such section."""
    sections = _sections(Content.of(guideline)) if guideline else {}
    one = sections.get(section)
    return Cited(section, one.title, in_words(one.text, interface_language())) if one else None


def _meant(guideline: Guideline | None, typed: str) -> tuple[str, ...]:
    """Return the ids of the sections that a person can mean; an id or a full name means one."""
    if guideline is None:
        return ()
    sections, names = _sections(Content.of(guideline)), _names(Content.of(guideline))
    if typed.strip() in sections:
        return (typed.strip(),)
    wanted = _folded(typed)
    full = tuple(one for one, name in names.items() if _folded(name) == wanted)
    return full or tuple(one.id for one in sections.values() if _folded(one.title) == wanted)


def _folded(words: str) -> str:
    return " ".join(words.split()).casefold()


@lru_cache(maxsize=64)
def _sections(content: Content) -> Mapping[str, Section]:
    """Return id to section, rendered once for each version: a version never changes."""
    return {
        one.id: one for one in render_markdown(content.guideline.markdown).sections if one.level
    }


@lru_cache(maxsize=64)
def _names(content: Content) -> Mapping[str, str]:
    """Return id to a name that no other section has."""
    sections = tuple(_sections(content).values())
    titles = Counter(_folded(one.title) for one in sections)
    long = {
        one.id: f"{above} › {one.title}" if titles[_folded(one.title)] > 1 and above else one.title
        for one, above in zip(sections, _above(sections), strict=True)
    }
    names = Counter(_folded(name) for name in long.values())
    # Two of the same title under the same heading: only the id tells them apart.
    return {one: name if names[_folded(name)] == 1 else one for one, name in long.items()}


def _above(sections: Sequence[Section]) -> Iterator[str]:
    """Yield the title of the heading that each section stands under; "" for none."""
    open_: list[Section] = []
    for one in sections:
        while open_ and open_[-1].level >= one.level:
            open_.pop()
        yield open_[-1].title if open_ else ""
        open_.append(one)


# What the workflow says of a review, made to fit the page.


def settled(review: Review, member: Member) -> ReviewAnswer:
    """Return the answer that is handed in.

    A text rejected for over-correction whose restored form is another text that is judged correct
    is settled (REV-9): nobody has to confirm that no text was made of it.

    Raises:
        RefusedError: A section is cited that the guideline has not; the review is kept (INV-10).
    """
    answer = _answer(review)
    if any(_miscited(review)):
        sent = answer_of(review.given, review.candidates, review.rows)
        keep_refused(member, review.task.sentence_id, sent, Role.REVIEWER)
        raise RefusedError(examined(review))
    if not same_as_correct(review.given, review.candidates) or answer.confirmed:
        return answer
    return answer if examined(review) else replace(answer, confirmed=True)


def examined(review: Review, *, live: bool = False) -> tuple[Problem, ...]:
    """Return what is wrong with a review.

    Args:
        review: As the page shows it.
        live: Whether rules of consistency are asked even while something is not judged yet.
    """
    answer = _answer(review)
    found = (*reviews.check_answer(review.task, answer), *_miscited(review))
    if live and answer.decision == Decision.CORRECTED and any(one.blocking for one in found):
        codes = {(one.code, one.field) for one in found}
        more = (one for one in _consistency(review, answer) if (one.code, one.field) not in codes)
        found = (*found, *more)
    return unsettled(review, found)


def unsettled(review: Review, found: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return problems without the warnings about rows that another row's text settles (REV-9)."""
    twins = {f"verdict-{n}" for n in same_as_correct(review.given, review.candidates)}
    return tuple(one for one in found if one.code != "REV-9" or one.field not in twins)


def _answer(review: Review) -> ReviewAnswer:
    """Return the answer as the workflow takes it: sections by their ids."""
    answer = answer_of(review.given, review.candidates, review.rows)
    guideline = review.task.project.guideline
    verdicts = [
        replace(one, section=section_of(guideline, one.section)) if one.section else one
        for one in answer.verdicts
    ]
    return replace(answer, verdicts=verdicts)


def _miscited(review: Review) -> Iterator[Problem]:
    """Yield which rows cite what is no section of the guideline."""
    for n, typed in cited_sections(review.given, review.candidates):
        found = citation_problem(review.task.project.guideline, typed, f"section-{n}")
        if found is not None:
            yield found


def _consistency(review: Review, answer: ReviewAnswer) -> tuple[Problem, ...]:
    right = {one.key for one in answer.verdicts if one.correct}
    texts = [
        (f"verdict-{n}", one.text)
        for n, one in enumerate(review.candidates)
        if one.text and one.key in right
    ]
    texts += [
        (f"addition-{n}", one.text)
        for n, one in enumerate(answer.additions)
        if one.text.strip() and _is_text(one.text)
    ]
    if not texts:
        return ()
    fields, written = zip(*texts, strict=True)
    return check_consistency(review.task.sentence, Decision.CORRECTED, written, fields)


def _is_text(text: str) -> bool:
    """Return whether it could be kept; what is wrong with it otherwise is told already."""
    try:
        cleaned(text)
    except TextError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Switch:
    """One edit that can be put back to the source (REV-9)."""

    number: int
    on: bool
    html: SafeString


@dataclass(frozen=True, slots=True)
class Shown:
    """One candidate as the page shows it.

    Args:
        n: Place, from 0.
        candidate: What was submitted.
        row: The aligned text; None for a decision.
        html: The aligned text as HTML; "" for a decision.
        switches: Its edits.
        decision: Name of the decision; "" for a text.
        given: What was said of it so far.
        reasons: What it can be rejected for, and whether that is chosen.
        said: Reasons that annotators gave, in words.
        made: In a review that is over, the golden text that was made of it, as a difference.
        cited: Likewise, the section of the guideline that was cited.
    """

    n: int
    candidate: Candidate
    row: Row | None
    html: str
    switches: tuple[Switch, ...]
    decision: str
    given: RowGiven
    reasons: tuple[tuple[Named, bool], ...]
    said: tuple[tuple[str, str], ...]
    made: str = ""
    cited: Cited | None = None

    @property
    def number(self) -> int:
        """Place as people count."""
        return self.n + 1


@dataclass(frozen=True, slots=True)
class Review:
    """A review task with all that its page and its answer need."""

    task: ReviewTask
    shown: tuple[Shown, ...]
    source_html: SafeString
    given: ReviewGiven
    rev: int
    saved_at: str
    mine: bool
    done: models.Review | None = None

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates in the order shown."""
        return tuple(one.candidate for one in self.shown)

    @property
    def rows(self) -> Mapping[str, Row]:
        """Key of a text to its aligned row."""
        return {one.candidate.key: one.row for one in self.shown if one.row is not None}

    @property
    def annotators(self) -> int:
        """How many people submitted; one of them may have written several texts."""
        return self.task.sentence.submitted

    @property
    def texts(self) -> int:
        """How many distinct texts there are."""
        return len(self.rows)


def is_mine(task: ReviewTask, member: Member) -> bool:
    """Return whether a member holds a task now."""
    return task.state == TaskState.OPEN and task.reviewer_id == member.person_id


def review_of(member: Member, task: ReviewTask, given: ReviewGiven | None = None) -> Review:
    """Return a task as its page shows it.

    Args:
        given: What was just sent; None takes what was decided, or the member's draft.
    """
    over = task.state == TaskState.DONE and given is None
    done = models.Review.objects.filter(task=task).first() if over else None
    draft = None if given or done else Draft.objects.filter(task=task, person=member.person).first()
    held = read_given(payload_of_review(done)) if done else given or _drafted(draft)
    found = [one for one in candidates(task, member) if not done or one.key in held.rows]
    rules = member.project.rules
    alignment = align(
        task.sentence.text,
        [one.text for one in found if one.text],
        lang=member.project.lang,
        placeholder=rules.placeholder,
    )
    rows = iter(alignment.rows)
    shown = tuple(
        _shown(
            n,
            one,
            next(rows) if one.text else None,
            held.rows.get(one.key, RowGiven()),
            task,
            done=done is not None,
        )
        for n, one in enumerate(found)
    )
    return Review(
        task=task,
        shown=shown,
        source_html=render_row(alignment.source, rules.placeholder),
        given=held,
        rev=draft.rev if draft else 0,
        saved_at=draft.saved_at.isoformat() if draft else "",
        mine=is_mine(task, member),
        done=done,
    )


def _decided(review: Review) -> dict[str, object] | None:
    """Return what the page of a review that is over says of the whole sentence."""
    done = review.done
    if done is None:
        return None
    reasons = {one.name: one.words for one in not_annotatable_reasons()}
    project, source = review.task.project, review.task.sentence.text
    return {
        "review": done,
        "words": DECISIONS[review.given.decision],
        "reason": reasons.get(done.reason, ""),
        "additions": [render_diff(project, source, one) for one in review.given.additions],
    }


def _drafted(draft: Draft | None) -> ReviewGiven:
    """Return what a draft holds; one that an older page wrote may mean nothing now."""
    try:
        return read_given(draft.payload) if draft else ReviewGiven()
    except RefusedError:
        return ReviewGiven()


def _shown(
    n: int,
    candidate: Candidate,
    row: Row | None,
    given: RowGiven,
    task: ReviewTask,
    *,
    done: bool,
) -> Shown:
    project, placeholder = task.project, task.project.rules.placeholder
    reasons = tuple((one, one.name in given.reasons) for one in reject_reasons())
    known = {one.name: one.words for one in not_annotatable_reasons()}
    return Shown(
        n,
        candidate,
        row,
        render_row(row, placeholder) if row else "",
        _switches(row, given, placeholder) if row else (),
        "" if row else str(DECISIONS[Decision(candidate.key)]),
        given,
        reasons,
        tuple((known.get(name, name), note) for name, note in candidate.reasons),
        render_diff(project, task.sentence.text, given.modified) if done and given.modified else "",
        excerpt(project.guideline, given.section) if done else None,
    )


def _switches(row: Row, given: RowGiven, placeholder: str) -> tuple[Switch, ...]:
    return tuple(
        Switch(
            number, number not in given.off, render_pieces((m.piece for m in marks), placeholder)
        )
        for number, marks in enumerate(row.switches, 1)
    )


def context(review: Review, member: Member) -> dict[str, object]:
    """Return what the template of a review needs."""
    task = review.task
    kind = "mine" if review.mine else _why_not(task)
    return {
        "review": review,
        "task": task,
        "sentence": task.sentence,
        "context": context_address(member.project.slug, task.sentence),
        "kind": kind,
        "decided": _decided(review),
        "not_annotatable": [
            (one, one.name == review.given.reason) for one in not_annotatable_reasons()
        ],
        "sections": section_names(member.project.guideline),
        "data": _data(review, member),
        "words": page_words(),
        "client_key": uuid4(),
        "addresses": _addresses(member, task.sentence_id),
    }


def _why_not(task: ReviewTask) -> str:
    if task.sentence.state == SentenceState.WITHDRAWN:
        return "withdrawn"
    if task.state == TaskState.OPEN and task.lease_until and task.lease_until > timezone.now():
        return "held"
    return "done" if task.state in {TaskState.DONE, TaskState.RETURNED} else "free"


def keys(member: Member) -> dict[str, object]:
    """Return which keys do what on the review screen, by the member's own choice."""
    return asdict(tables(member.person.preferences.get("keys"), screen="review"))


def next_address(member: Member) -> str:
    """Return where the next review is."""
    return reverse("review", args=(member.project.slug,))


def _addresses(member: Member, sentence_id: int) -> dict[str, str]:
    slug = member.project.slug
    return {
        name: reverse(f"review-{name}", args=(slug, sentence_id))
        for name in ("sentence", "draft", "examine", "finalise", "hand", "second", "more")
    } | {"next": next_address(member), "login": reverse("login")}


def _data(review: Review, member: Member) -> dict[str, object]:
    """Return what the page's script needs."""
    rules = member.project.rules
    return {
        "source": review.task.sentence.text,
        "lang": member.project.lang,
        "placeholder": rules.placeholder,
        "keys": keys(member),
        "version": review.task.version,
        "task": review.task.pk,
        "rev": review.rev,
        "at": review.saved_at,
        "person": member.person_id,
        "activeMs": review.given.active_ms,
        "urls": _addresses(member, review.task.sentence_id),
        "rows": [_row_data(one) for one in review.shown],
    }


def _row_data(shown: Shown) -> dict[str, object]:
    marks = shown.row.marks if shown.row else ()
    return {
        "key": shown.candidate.key,
        "text": shown.candidate.text,
        "pieces": [
            {"source": mark.piece.source, "target": mark.piece.target, "switch": mark.switch}
            for mark in marks
        ],
        "off": list(shown.given.off),
    }
