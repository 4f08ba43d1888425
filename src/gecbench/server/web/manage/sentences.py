"""The table of sentences, page by page by task number: never by OFFSET, never a full scan.

What no index helps to find (a text, a source, a person) is looked for among some ten thousand
sentences at a time; the page then says how far it has looked and goes on from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain, zip_longest
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.validators import validate_comma_separated_integer_list
from django.db.models import Exists, OuterRef, QuerySet, TextChoices
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import (
    CheckDecision,
    CloseReason,
    ComplaintState,
    Decision,
    MemberStatus,
    NotAnnotatableReason,
    Origin,
    ProjectKind,
    Purpose,
    RejectReason,
    ReviewKind,
    SentenceState,
    SlotEventKind,
    SlotState,
    StudyState,
    TaskState,
    VariantOrigin,
    VariantReason,
    label_of,
)
from gecbench.server.models import (
    Audit,
    Complaint,
    Golden,
    Member,
    Message,
    Person,
    Project,
    Reference,
    Release,
    Review,
    ReviewTask,
    Sentence,
    Slot,
    SlotEvent,
    Source,
    Study,
    Submission,
    Variant,
    VariantCheck,
    Verdict,
)
from gecbench.server.web.annotation import case_parts
from gecbench.server.web.differences import render_diff
from gecbench.server.web.http import (
    NoteField,
    PriorityField,
    RowField,
    form_problems,
    form_status,
    parse_int,
)
from gecbench.server.web.manage.members import DeadlineField
from gecbench.server.web.manage.shortcuts import (
    TONES,
    act,
    active_manager,
    manage_page,
    manager,
    refusal_message,
)
from gecbench.server.workflow import management, reviews, studies, variant_checks
from gecbench.server.workflow.assignments import give_batch
from gecbench.server.workflow.errors import NotYoursError, Problem, RefusedError
from gecbench.server.workflow.management import RAISABLE
from gecbench.server.workflow.review_tasks import (
    MOST_ANNOTATORS,
    live_task,
    record_reading,
    reviewers_for,
)
from gecbench.server.workflow.sentences import WORKABLE

ROWS = 50
SPAN = 20_000
"""Sentences that one page looks through."""

FEW = 5_000
"""A state that so many sentences have at most is found by the index of states."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What is looked for; "" and None are anything.

    Args:
        state: A SentenceState.
        source: Row of a source.
        text: What the sentence contains, or "#12", a task number.
        person: Row of a person who holds one of the places.
        purpose: A Purpose.
    """

    state: str = ""
    source: int | None = None
    text: str = ""
    person: int | None = None
    purpose: str = Purpose.REAL

    def query(self, **more: object) -> str:
        """The filters as an address has them."""
        values = asdict(self) | more
        return urlencode({key: value for key, value in values.items() if value not in ("", None)})

    @property
    def narrow(self) -> bool:
        """Whether anything but the purpose is asked for."""
        return bool(self.state or self.source or self.text or self.person)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the table.

    Args:
        rows: In the order of their numbers.
        after: Number after which the next page begins; None where this is the last.
        looked: Up to which number was looked, where that was not the end; None else.
    """

    rows: tuple[Sentence, ...]
    after: int | None = None
    looked: int | None = None


def parse_filters(query: Mapping[str, str]) -> Filters:
    """The filters of an address; what means nothing filters nothing."""
    state, purpose = query.get("state", ""), query.get("purpose", "")
    return Filters(
        state=state if state in tuple(SentenceState) else "",
        source=parse_int(query.get("source", "")),
        text=(query.get("text") or "").replace("\0", "").strip()[:200],
        person=parse_int(query.get("person", "")),
        purpose=purpose if purpose in tuple(Purpose) else Purpose.REAL,
    )


def matching_sentences(project: Project, filters: Filters) -> QuerySet[Sentence]:
    """All sentences that are looked for, in no order."""
    rows = Sentence.objects.filter(project=project, purpose=filters.purpose)
    if filters.state:
        rows = rows.filter(state=filters.state)
    if filters.source is not None:
        rows = rows.filter(source=filters.source)
    if filters.person is not None:
        slots = Slot.objects.filter(sentence=OuterRef("pk"), person=filters.person)
        rows = rows.filter(Exists(slots))
    number = (
        parse_int(filters.text.removeprefix("#").strip()) if filters.text.startswith("#") else None
    )
    if number is not None:
        return rows.filter(number=number)
    return rows.filter(text__contains=filters.text) if filters.text else rows


def load_page(project: Project, filters: Filters, *, after: int = 0) -> Page:
    """The sentences after a number, at most `ROWS`."""
    few = _numbers_if_few(project, filters) if filters.state else None
    if few is not None:
        return _by_state(project, filters, few, after)
    last = project.next_number - 1
    end = min(after + SPAN, last)
    matches = matching_sentences(project, filters).filter(number__gt=after, number__lte=end)
    rows = tuple(matches.order_by("number")[: ROWS + 1])
    if len(rows) > ROWS:
        return Page(rows[:ROWS], after=rows[ROWS - 1].number)
    return Page(rows, after=end, looked=end) if end < last else Page(rows)


def _numbers_if_few(project: Project, filters: Filters) -> list[int] | None:
    """The numbers of the sentences with a state, if they are few."""
    rows = Sentence.objects.filter(project=project, purpose=filters.purpose, state=filters.state)
    ordered = rows.order_by("priority", "order_key")  # the order of the index
    numbers = list(ordered.values_list("number", flat=True)[: FEW + 1])
    return numbers if len(numbers) <= FEW else None


def _by_state(project: Project, filters: Filters, numbers: list[int], after: int) -> Page:
    numbers_after = sorted(number for number in numbers if number > after)
    alone = filters == Filters(state=filters.state, purpose=filters.purpose)
    batch = numbers_after[: ROWS + 1] if alone else numbers_after
    matches = matching_sentences(project, filters).filter(number__in=batch).order_by("number")
    rows = tuple(matches[: ROWS + 1])
    return Page(rows[:ROWS], after=rows[ROWS - 1].number) if len(rows) > ROWS else Page(rows)


# Everything that happened to a sentence, in the order of time.


_QUIET = (SlotEventKind.RENEW, SlotEventKind.SUBMIT, SlotEventKind.JUDGE)
"""A renewal is no news; submissions and verdicts are shown themselves."""


@dataclass(frozen=True, slots=True)
class Line:
    """A text of an entry.

    Args:
        html: How it differs from the sentence; "" where there is only a note.
        note: Words beside it.
        tone: "good", "bad" or "".
    """

    html: str = ""
    note: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that happened.

    Args:
        at: When.
        rank: Of what happened at the same moment, small ones come first.
        title: What, in words.
        who: A name.
        kind: "golden", "review", ... for the mark beside it.
        lines: Texts.
        note: What somebody said.
        link: Row of a complaint that has a page of its own; None else.
    """

    at: datetime
    rank: int
    title: str
    who: str
    kind: str
    lines: tuple[Line, ...] = ()
    note: str = ""
    link: int | None = None


def history(sentence: Sentence) -> tuple[Entry, ...]:
    """All entries of a sentence, oldest first."""
    texts = _Texts(sentence)
    entries = [
        _arrival(sentence),
        *_events(sentence),
        *_submissions(sentence, texts),
        *_tasks(sentence),
        *_reviews(sentence, texts),
        *_golden_versions(sentence, texts),
        *_studies(sentence, texts),
        *_complaints(sentence),
        *_messages(sentence),
    ]
    return tuple(sorted(entries, key=lambda entry: (entry.at, entry.rank)))


class _Texts:
    """References of a sentence and how each differs from it, compared once."""

    def __init__(self, sentence: Sentence) -> None:
        self._sentence = sentence
        self._html: dict[str, str] = {}
        rows = Reference.objects.filter(sentence=sentence).order_by("pk")
        self.rows = tuple(rows)
        self.variants = tuple(Variant.objects.filter(sentence=sentence).order_by("pk"))
        self.by_digest = {reference.digest: reference.text for reference in self.rows}

    def line(self, text: str, note: str = "", tone: str = "") -> Line:
        """A text as a line."""
        if text not in self._html:
            self._html[text] = render_diff(self._sentence.project, self._sentence.text, text)
        return Line(self._html[text], note, tone)

    def of(self, submission: int) -> Iterator[Line]:
        """The texts of a submission."""
        for reference in self.rows:
            if reference.submission_id == submission:
                yield self.line(reference.text)
        for variant in self.variants:
            if variant.submission_id == submission:
                yield self.line(variant.source)


def _arrival(sentence: Sentence) -> Entry:
    batch = sentence.batch
    who = batch.by.name if batch is not None and batch.by is not None else gettext("the site")
    note = batch.file_name if batch is not None else ""
    return Entry(sentence.created_at, 0, gettext("imported"), who, "in", note=note)


def _events(sentence: Sentence) -> Iterator[Entry]:
    rows = SlotEvent.objects.filter(sentence=sentence).exclude(kind__in=_QUIET)
    events = list(rows.select_related("person", "slot").order_by("pk"))
    # `person` holds the place: nobody where one was added, and who sent a variant back is another.
    people = Person.objects.in_bulk({event.data["by"] for event in events if "by" in event.data})
    for event in events:
        person, by = event.person, people.get(event.data.get("by"))
        if event.kind == SlotEventKind.SEND_BACK or person is None:
            person = by
        words = str(SlotEventKind(event.kind).label)
        title = gettext("place %(no)s: %(what)s") % {"no": event.slot.no, "what": words}
        yield Entry(event.at, 1, title, _name(person), "place")


def _submissions(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    rows = Submission.objects.filter(sentence=sentence).select_related("person", "slot")
    rewrites = sentence.project.kind == ProjectKind.REWRITE
    for submission in rows.order_by("pk"):
        title = gettext("place %(no)s: submitted, %(what)s") % {
            "no": submission.slot.no,
            "what": Decision(submission.decision).label if rewrites else gettext("a variant"),
        }
        reason = label_of(NotAnnotatableReason, submission.reason)
        note = gettext(": ").join(str(text) for text in (reason, submission.reason_note) if text)
        yield Entry(
            submission.at,
            2,
            title,
            submission.person.name,
            "text",
            tuple(texts.of(submission.pk)),
            note,
        )


def _tasks(sentence: Sentence) -> Iterator[Entry]:
    rows = ReviewTask.objects.filter(sentence=sentence).select_related("reviewer", "handed_by")
    tasks = list(rows.order_by("pk"))
    reopened = list(_reopened(sentence)) if any(map(_is_reopened, tasks)) else []
    for task, following in zip_longest(tasks, tasks[1:]):
        title = gettext("into the queue: %(what)s") % {"what": ReviewKind(task.kind).label}
        note = task.note
        if task.reviewer is not None:
            holder = gettext("with %(name)s") % {"name": task.reviewer.name}
            note = f"{holder} · {note}" if note else holder
        person = task.handed_by
        if person is None and _is_reopened(task):
            # The row of the log is written just after the task.
            acts = [row for row in reopened if not following or row.at < following.created_at]
            person = acts[-1].who if acts else None
        yield Entry(task.created_at, 3, title, _name(person), "queue", note=note)


def _is_reopened(task: ReviewTask) -> bool:
    return task.kind == ReviewKind.REOPENED


def _reopened(sentence: Sentence) -> QuerySet[Audit]:
    """The rows of the log about managers who had a sentence reviewed again."""
    rows = Audit.objects.filter(
        project=sentence.project_id,
        what="sentence.reopened",
        object_kind="sentence",
        object_id=str(sentence.pk),
    )
    return rows.select_related("who").order_by("seq")


def _reviews(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    rows = Review.objects.filter(sentence=sentence).select_related("reviewer")
    verdicts = list(Verdict.objects.filter(review__sentence=sentence).order_by("pk"))
    for review in rows.order_by("pk"):
        kind, decision = ReviewKind(review.kind).label, _decision(sentence, review.decision)
        title = f"{kind}{gettext(': ')}{decision}"
        lines = chain(
            _verdict_lines(
                [verdict for verdict in verdicts if verdict.review_id == review.pk], texts
            ),
            _check_lines(review, texts),
        )
        yield Entry(
            review.at, 4, title, _name(review.reviewer), "review", tuple(lines), review.note
        )


def _verdict_lines(verdicts: Iterable[Verdict], texts: _Texts) -> Iterator[Line]:
    for verdict in verdicts:
        words = [gettext("correct") if verdict.correct else gettext("wrong")]
        words += [label_of(RejectReason, reason) for reason in verdict.reasons]
        words += [verdict.note] if verdict.note else []
        note, tone = " · ".join(words), "good" if verdict.correct else "bad"
        text = texts.by_digest.get(verdict.digest)
        if text is None:
            yield Line("", f"{Decision(verdict.decision).label}{gettext(': ')}{note}", tone)
        else:
            yield texts.line(text, note, tone)


def _check_lines(review: Review, texts: _Texts) -> Iterator[Line]:
    checks = VariantCheck.objects.filter(review=review).order_by("slot__no")
    for check in checks.select_related("variant", "edited"):
        words = [str(CheckDecision(check.decision).label)]
        words += [label_of(VariantReason, reason) for reason in check.reasons]
        words += [check.note] if check.note else []
        tone = "bad" if check.decision == CheckDecision.RETURNED else "good"
        yield texts.line(check.variant.source, " · ".join(words), tone)
        if check.decision == CheckDecision.EDITED:
            yield texts.line(check.edited.source, str(VariantOrigin.REVIEWER.label), "good")


def _decision(sentence: Sentence, decision: str) -> str:
    if sentence.project.kind == ProjectKind.PERTURB:
        return gettext("variants")
    return str(Decision(decision).label)


def _golden_versions(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    rows = Golden.objects.filter(sentence=sentence).prefetch_related("entries__reference")
    for golden in rows.order_by("version"):
        title = gettext("golden version %(version)s: %(what)s") % {
            "version": golden.version,
            "what": _decision(sentence, golden.kind),
        }
        entries = sorted(golden.entries.all(), key=lambda entry: entry.position)
        lines = (
            texts.line(entry.reference.text, str(Origin(entry.reference.origin).label))
            for entry in entries
        )
        variants = (
            texts.line(entry.variant.source, str(VariantOrigin(entry.variant.origin).label))
            for entry in golden.variants.select_related("variant")
        )
        yield Entry(golden.at, 5, title, "", "golden", (*lines, *variants))


def _studies(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    rows = Study.objects.filter(sentence=sentence).select_related("person", "reference")
    for study in rows.order_by("pk"):
        what = gettext("corrections")
        lines: Sequence[Line] = ()
        if study.reference is not None:
            lines = (texts.line(study.reference.text),)
        else:
            what = gettext("a decision")
        opened = gettext("self-study begins: %(what)s") % {"what": what}
        yield Entry(study.opened_at, 6, opened, study.person.name, "study", tuple(lines))
        if study.closed_at is not None:
            words = {"what": CloseReason(study.close_reason).label, "tries": study.attempts}
            closed = gettext("self-study ends: %(what)s, tries: %(tries)s") % words
            yield Entry(study.closed_at, 7, closed, study.person.name, "study")


def _complaints(sentence: Sentence) -> Iterator[Entry]:
    rows = Complaint.objects.filter(study__sentence=sentence).select_related("person", "handler")
    for complaint in rows.order_by("pk"):
        yield Entry(
            complaint.opened_at,
            8,
            gettext("complaint"),
            complaint.person.name,
            "complaint",
            link=complaint.pk,
        )
        if complaint.decided_at is not None:
            title = gettext("complaint: %(what)s") % {"what": ComplaintState(complaint.state).label}
            name = _name(complaint.handler)
            yield Entry(
                complaint.decided_at,
                9,
                title,
                name,
                "complaint",
                (),
                complaint.decision_note,
                complaint.pk,
            )


def _messages(sentence: Sentence) -> Iterator[Entry]:
    rows = Message.objects.filter(complaint__study__sentence=sentence).select_related("person")
    for message in rows.order_by("pk"):
        yield Entry(message.at, 10, gettext("said"), message.person.name, "said", (), message.text)


def _name(person: object) -> str:
    return str(person) if person is not None else gettext("the site")


# The table of a project's sentences, with filters that stand in the address.


@manager
@require_safe
def list_sentences(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the sentences that the filters leave, from a number on."""
    project = member.project
    filters = parse_filters(request.GET.dict())
    after = parse_int(request.GET.get("after", "")) or 0
    page = load_page(project, filters, after=after)
    people = Member.objects.filter(project=project, is_annotator=True).select_related("person")
    rows = Source.objects.filter(project=project).order_by("name")
    sources = dict(rows.values_list("pk", "name"))
    context = {
        "rows": [
            (
                row,
                SentenceState(row.state).label,
                TONES.get(row.state, ""),
                sources.get(row.source_id or 0),
            )
            for row in page.rows
        ],
        "page": page,
        "after": after,
        "filters": filters,
        "next": filters.query(after=page.after) if page.after is not None else "",
        "first": filters.query() if after else "",
        "states": SentenceState.choices,
        "purposes": Purpose.choices,
        "sources": sources.items(),
        "people": people.order_by("person__name")[:500],
    }
    return manage_page(request, member, "manage-sentences", context)


# One sentence: its whole history, and what a manager can do about it.


def _sentence(member: Member, number: int) -> Sentence:
    rows = Sentence.objects.select_related("project", "source", "batch__by", "golden")
    return get_object_or_404(rows, project=member.project, number=number)


@manager
@require_safe
def sentence(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Show a sentence with all that happened to it."""
    row = _sentence(member, number)
    record_reading(row.pk, member.person_id)
    slots = Slot.objects.filter(sentence=row).select_related("person").order_by("no")
    task = live_task(row.pk)
    is_free = task is not None and task.state == TaskState.FREE
    studies_ = Study.objects.filter(sentence=row, state=StudyState.OPEN).select_related("person")
    state = SentenceState(row.state)
    context = {
        "sentence": row,
        "state": SentenceState(state).label,
        "tone": TONES.get(state, ""),
        "purpose": Purpose(row.purpose).label,
        "slots": [(slot, SlotState(slot.state).label) for slot in slots],
        "task": task,
        "entries": history(row),
        "reviewed": task is None and Review.objects.filter(sentence=row).exists(),
        "releases": Release.objects.filter(items__sentence=row).order_by("pk"),
        "lessons": studies_.order_by("pk"),
        "may_reopen": state == SentenceState.GOLDEN,
        "may_withdraw": state != SentenceState.WITHDRAWN,
        "may_restore": state == SentenceState.WITHDRAWN,
        "may_raise": row.project.kind == ProjectKind.REWRITE
        and state in RAISABLE
        and row.golden_id is None,
        "most": MOST_ANNOTATORS - row.needed,
        "reviewers": reviewers_for(row).select_related("person").order_by("person__name")
        if is_free
        else (),
        "waits": is_free,
        "made_again": _places(row) if row.project.kind == ProjectKind.PERTURB else (),
        "original": case_parts(row),
    }
    return manage_page(
        request, member, "manage-sentences", context, template="manage/sentence.html"
    )


def _places(sentence: Sentence) -> list[tuple[int, str]]:
    """The places of a case that is done, each with its variant."""
    standing = variant_checks.accepted_variants(sentence)
    return [(position, variant.source) for position, variant in standing.items()]


class ReasonForm(forms.Form):
    """Why something is done."""

    reason = NoteField()


class ReopenForm(ReasonForm):
    """Why, and of a case which variants."""

    position = forms.TypedMultipleChoiceField(
        label=_("Places"), coerce=int, required=False, choices=[(n, n) for n in range(1, 101)]
    )


@act("manage-sentence", "number", form=ReopenForm)
def reopen(member: Member, number: int, reason: str, position: Sequence[int]) -> str:
    """Have a decided sentence reviewed again, or variants of a case made again."""
    if member.project.kind == ProjectKind.PERTURB:
        row = _sentence(member, number)
        variant_checks.reopen(member, row.pk, positions=position, note=reason)
        return gettext("These variants are made again; the others stay.")
    management.reopen_sentence(member, _sentence(member, number).pk, reason=reason)
    return gettext("It waits for a reviewer again; the golden set stays.")


@act("manage-sentence", "number", form=ReasonForm)
def withdraw(member: Member, number: int, reason: str) -> str:
    """Take a sentence out of work."""
    management.withdraw(member, [_sentence(member, number).pk], reason=reason)
    return gettext("The sentence is withdrawn. You can restore it any time.")


@act("manage-sentence", "number")
def restore(member: Member, number: int) -> str:
    """Put a withdrawn sentence back."""
    management.restore(member, [_sentence(member, number).pk])
    return gettext("The sentence is back where its submissions say it stands.")


class RaiseForm(forms.Form):
    """How many more annotators are asked for."""

    more = RowField()


@act("manage-sentence", "number", form=RaiseForm)
def raise_needed(member: Member, number: int, more: int | None) -> str:
    """Ask for more annotators of a sentence."""
    sentence = management.raise_needed(member, _sentence(member, number).pk, more=more or 0)
    return gettext("%(needed)s annotators are asked for now.") % {"needed": sentence.needed}


class NoteForm(forms.Form):
    """What is said about it."""

    note = NoteField()


class ReviewerForm(NoteForm):
    """Who reviews a sentence."""

    reviewer = RowField()


@act("manage-sentence", "number", form=ReviewerForm)
def assign(member: Member, number: int, reviewer: int | None, note: str) -> str:
    """Say who reviews a sentence."""
    people = Member.objects.filter(project=member.project).select_related("person")
    to = get_object_or_404(people, pk=reviewer)
    reviews.assign(member, _sentence(member, number).pk, to=to, note=note)
    return gettext("%(name)s reviews it next.") % {"name": to.person.name}


@act("manage-sentence", "number", form=NoteForm)
def waive(member: Member, number: int, study: int, note: str) -> str:
    """Close a study item of a sentence."""
    item = get_object_or_404(Study, sentence=_sentence(member, number), pk=study)
    studies.waive(member, item.pk, note=note)
    return gettext("The study item is closed; its author is told why.")


# Acts on many sentences: shown first, then confirmed by typing how many they are.


MOST = 1000
"""Sentences of one act: nobody waits longer than it takes."""


class Act(TextChoices):
    """What can be done with several sentences."""

    WITHDRAW = "withdraw", _("Withdraw")
    RESTORE = "restore", _("Restore")
    PRIORITY = "priority", _("Change the priority")
    KEEP = "keep", _("Keep for somebody")


_SHOWN = 10


class ActForm(ReasonForm):
    """An act, with what it needs, and the number of its sentences, typed to confirm it."""

    act = forms.ChoiceField(choices=Act.choices)
    ids = forms.CharField(validators=[validate_comma_separated_integer_list])
    typed = RowField()
    priority = PriorityField(required=False)
    member = RowField()
    due = DeadlineField(required=False)


@active_manager
@require_POST
def preview(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Show what an act would do to the chosen sentences; nothing is changed."""
    act = request.POST.get("act", "")
    ids, left = _selection(request, member)
    if act not in Act.values or not ids:
        messages.error(request, gettext("Choose some sentences, and what to do with them."))
        return redirect("manage-sentences", member.project.slug)
    form = ActForm(initial={"act": act, "ids": ",".join(map(str, ids))})
    return _page(request, member, form, ids, left=left)


def _selection(request: HttpRequest, member: Member) -> tuple[list[int], int]:
    """The rows of the chosen sentences, and how many match beyond what one act does."""
    if request.POST.get("scope") != "all":
        return _ids_in_project(member, request.POST.getlist("sentence")), 0
    rows = matching_sentences(member.project, parse_filters(request.POST.dict()))
    ids = list(rows.order_by("number").values_list("pk", flat=True)[:MOST])
    return ids, rows.count() - len(ids) if len(ids) == MOST else 0


def _ids_in_project(member: Member, texts: Iterable[str]) -> list[int]:
    """The rows that some texts name, as far as they are of the project."""
    numbers = {number for number in map(parse_int, texts) if number is not None}
    rows = Sentence.objects.filter(project=member.project, pk__in=sorted(numbers)[:MOST])
    return list(rows.order_by("number").values_list("pk", flat=True))


def _page(
    request: HttpRequest,
    member: Member,
    form: ActForm,
    ids: Sequence[int],
    *,
    left: int = 0,
    problem: str = "",
) -> HttpResponse:
    act = Act(form["act"].value())
    rows = Sentence.objects.filter(pk__in=ids).order_by("number")
    states = Counter(rows.values_list("state", flat=True))
    context = {
        "form": form,
        "act": act,
        "count": len(ids),
        "left": left,
        "most": MOST,
        "changing": _count_changes(act, states),
        "states": [(SentenceState(name).label, count) for name, count in states.most_common()],
        "examples": rows[:_SHOWN],
        "more": max(0, len(ids) - _SHOWN),
        "in_work": Slot.objects.filter(sentence__in=ids, state=SlotState.OPEN).count()
        if act == Act.WITHDRAW
        else 0,
        "people": annotators(member.project) if act == Act.KEEP else (),
        "chosen": parse_int(str(form["member"].value() or "")),
        "problem": problem,
    }
    return manage_page(
        request,
        member,
        "manage-sentences",
        context,
        template="manage/bulk_action.html",
        status=form_status(problem),
    )


def _count_changes(act: Act, states: Mapping[str, int]) -> int:
    """How many an act would change: the others are as wanted already."""
    withdrawn = states.get(SentenceState.WITHDRAWN, 0)
    if act == Act.RESTORE:
        return withdrawn
    if act == Act.KEEP:
        return sum(states.get(state, 0) for state in WORKABLE)
    return sum(states.values()) - (withdrawn if act == Act.WITHDRAW else 0)


@active_manager
@require_POST
def run(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Do it, if the number that was typed is the number of sentences."""
    form = ActForm(request.POST)
    texts = set(request.POST.get("ids", "").split(",")[:MOST])
    ids = _ids_in_project(member, texts)
    if {"act", "ids"} & form.errors.keys() or len(ids) != len(texts):
        raise NotYoursError("one of these sentences is not in this project")
    if form.errors:
        return _page(request, member, form, ids, problem=form_problems(form))
    if form.cleaned_data["typed"] != len(ids):
        problem = gettext("Type %(n)s to confirm.") % {"n": len(ids)}
        return _page(request, member, form, ids, problem=problem)
    try:
        count = _apply(member, ids, **form.cleaned_data)
    except GecbenchError as error:
        return _page(request, member, form, ids, problem=refusal_message(error))
    message = ngettext("%(n)s sentence was changed.", "%(n)s sentences were changed.", count)
    messages.success(request, message % {"n": count})
    return redirect("manage-sentences", member.project.slug)


def _apply(manager: Member, rows: Sequence[int], *, act: str, **values: Any) -> int:
    if act == Act.WITHDRAW:
        return management.withdraw(manager, rows, reason=values["reason"])
    if act == Act.RESTORE:
        return management.restore(manager, rows)
    if act == Act.PRIORITY:
        if values["priority"] is None:
            raise RefusedError([Problem("priority", "priority")])
        return management.set_priority(manager, rows, priority=values["priority"])
    to = annotators(manager.project).filter(pk=values["member"]).first()
    if to is None:
        raise RefusedError([Problem("keep-member", "member")])
    if values["due"] is None:
        raise RefusedError([Problem("due-wrong", "due")])
    return give_batch(manager, to, due_at=values["due"], sentences=rows)[1]


def annotators(project: Project) -> QuerySet[Member]:
    """The active annotators, by name."""
    active = Member.objects.filter(project=project, is_annotator=True, status=MemberStatus.ACTIVE)
    return active.select_related("person").order_by("person__name", "pk")
