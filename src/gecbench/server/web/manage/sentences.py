"""The table of sentences, page by page by task number: never by OFFSET, never a full scan.

What no index helps to find (a text, a source, a person) is looked for among some ten thousand
sentences at a time; the page then says how far it has looked and goes on from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from http import HTTPStatus
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import (
    CloseReason,
    ComplaintState,
    Decision,
    MemberStatus,
    Origin,
    Purpose,
    ReviewKind,
    SentenceState,
    SlotEventKind,
    SlotState,
    StudyState,
    TaskState,
)
from gecbench.server.models import (
    Complaint,
    Golden,
    Member,
    Message,
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
    Verdict,
)
from gecbench.server.web.manage.assignments import DeadlineForm
from gecbench.server.web.manage.messages import (
    TONES,
    refusal_message,
    site_label,
)
from gecbench.server.web.manage.shortcuts import (
    active_manager,
    clean_text,
    errors_as_messages,
    manage_page,
    manager,
    parse_id,
)
from gecbench.server.web.review.differences import render_diff
from gecbench.server.web.review.messages import not_annotatable_reasons, reject_reasons
from gecbench.server.workflow import management, reviews, studies
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
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return urlencode(
            {key: value for key, value in {**own, **more}.items() if value not in ("", None)}
        )

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


def parse_filters(given: Mapping[str, str]) -> Filters:
    """The filters of an address; what means nothing filters nothing."""
    state, purpose = given.get("state", ""), given.get("purpose", "")
    return Filters(
        state=state if state in tuple(SentenceState) else "",
        source=parse_id(given.get("source")),
        text=(given.get("text") or "").replace("\0", "").strip()[:200],
        person=parse_id(given.get("person")),
        purpose=purpose if purpose in tuple(Purpose) else Purpose.REAL,
    )


def matching_sentences(project: Project, filters: Filters) -> QuerySet[Sentence]:
    """All sentences that are looked for, in no order."""
    found = Sentence.objects.filter(project=project, purpose=filters.purpose)
    if filters.state:
        found = found.filter(state=filters.state)
    if filters.source is not None:
        found = found.filter(source=filters.source)
    if filters.person is not None:
        held = Slot.objects.filter(sentence=OuterRef("pk"), person=filters.person)
        found = found.filter(Exists(held))
    number = parse_id(filters.text.removeprefix("#")) if filters.text.startswith("#") else None
    if number is not None:
        return found.filter(number=number)
    return found.filter(text__contains=filters.text) if filters.text else found


def load_page(project: Project, filters: Filters, *, after: int = 0) -> Page:
    """The sentences after a number, at most `ROWS`."""
    few = _numbers_if_few(project, filters) if filters.state else None
    if few is not None:
        return _by_state(project, filters, few, after)
    last = project.next_number - 1
    end = min(after + SPAN, last)
    found = matching_sentences(project, filters).filter(number__gt=after, number__lte=end)
    rows = tuple(found.order_by("number")[: ROWS + 1])
    if len(rows) > ROWS:
        return Page(rows[:ROWS], after=rows[ROWS - 1].number)
    return Page(rows, after=end, looked=end) if end < last else Page(rows)


def _numbers_if_few(project: Project, filters: Filters) -> list[int] | None:
    """The numbers of the sentences with a state, if they are few."""
    found = Sentence.objects.filter(project=project, purpose=filters.purpose, state=filters.state)
    ordered = found.order_by("priority", "order_key")  # the order of the index
    numbers = list(ordered.values_list("number", flat=True)[: FEW + 1])
    return numbers if len(numbers) <= FEW else None


def _by_state(project: Project, filters: Filters, numbers: list[int], after: int) -> Page:
    left = sorted(one for one in numbers if one > after)
    alone = filters == Filters(state=filters.state, purpose=filters.purpose)
    some = left[: ROWS + 1] if alone else left
    found = matching_sentences(project, filters).filter(number__in=some).order_by("number")
    rows = tuple(found[: ROWS + 1])
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
    made = [
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
    return tuple(sorted(made, key=lambda one: (one.at, one.rank)))


class _Texts:
    """References of a sentence and how each differs from it, compared once."""

    def __init__(self, sentence: Sentence) -> None:
        self._sentence = sentence
        self._html: dict[str, str] = {}
        rows = Reference.objects.filter(sentence=sentence).order_by("pk")
        self.rows = tuple(rows)
        self.by_digest = {one.digest: one.text for one in self.rows}

    def line(self, text: str, note: str = "", tone: str = "") -> Line:
        """A text as a line."""
        if text not in self._html:
            self._html[text] = render_diff(self._sentence.project, self._sentence.text, text)
        return Line(self._html[text], note, tone)

    def of(self, submission: int) -> Iterator[Line]:
        """The texts of a submission."""
        for one in self.rows:
            if one.submission_id == submission:
                yield self.line(one.text)


def _arrival(sentence: Sentence) -> Entry:
    batch = sentence.batch
    who = batch.by.name if batch is not None and batch.by is not None else site_label()
    note = batch.file_name if batch is not None else ""
    return Entry(sentence.created_at, 0, gettext("came in"), who, "in", note=note)


def _events(sentence: Sentence) -> Iterator[Entry]:
    rows = SlotEvent.objects.filter(sentence=sentence).exclude(kind__in=_QUIET)
    for one in rows.select_related("person", "slot").order_by("pk"):
        words = str(SlotEventKind(one.kind).label)
        title = gettext("place %(no)s: %(what)s") % {"no": one.slot.no, "what": words}
        yield Entry(one.at, 1, title, _name(one.person), "place")


def _submissions(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    reasons = {one.name: one.label for one in not_annotatable_reasons()}
    rows = Submission.objects.filter(sentence=sentence).select_related("person", "slot")
    for one in rows.order_by("pk"):
        title = gettext("place %(no)s: submitted, %(what)s") % {
            "no": one.slot.no,
            "what": Decision(one.decision).label,
        }
        said = (reasons.get(one.reason, one.reason), one.reason_note)
        note = ": ".join(part for part in said if part)
        yield Entry(one.at, 2, title, one.person.name, "text", tuple(texts.of(one.pk)), note)


def _tasks(sentence: Sentence) -> Iterator[Entry]:
    rows = ReviewTask.objects.filter(sentence=sentence).select_related("reviewer", "handed_by")
    for one in rows.order_by("pk"):
        title = gettext("into the queue: %(what)s") % {"what": ReviewKind(one.kind).label}
        note = one.note
        if one.reviewer is not None:
            taken = gettext("with %(name)s") % {"name": one.reviewer.name}
            note = f"{taken} · {note}" if note else taken
        yield Entry(one.created_at, 3, title, _name(one.handed_by), "queue", note=note)


def _reviews(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    rows = Review.objects.filter(sentence=sentence).select_related("reviewer")
    verdicts = list(Verdict.objects.filter(review__sentence=sentence).order_by("pk"))
    for one in rows.order_by("pk"):
        title = f"{ReviewKind(one.kind).label}: {Decision(one.decision).label}"
        lines = _verdict_lines(
            [verdict for verdict in verdicts if verdict.review_id == one.pk], texts
        )
        yield Entry(one.at, 4, title, _name(one.reviewer), "review", tuple(lines), one.note)


def _verdict_lines(verdicts: Iterable[Verdict], texts: _Texts) -> Iterator[Line]:
    known = {one.name: one.label for one in reject_reasons()}
    for one in verdicts:
        words = [gettext("correct") if one.correct else gettext("wrong")]
        words += [known.get(reason, reason) for reason in one.reasons]
        words += [one.note] if one.note else []
        note, tone = " · ".join(words), "good" if one.correct else "bad"
        text = texts.by_digest.get(one.digest)
        if text is None:
            yield Line("", f"{Decision(one.decision).label}: {note}", tone)
        else:
            yield texts.line(text, note, tone)


def _golden_versions(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    rows = Golden.objects.filter(sentence=sentence).prefetch_related("entries__reference")
    for one in rows.order_by("version"):
        title = gettext("golden version %(version)s: %(what)s") % {
            "version": one.version,
            "what": Decision(one.kind).label,
        }
        entries = sorted(one.entries.all(), key=lambda entry: entry.position)
        lines = (
            texts.line(entry.reference.text, str(Origin(entry.reference.origin).label))
            for entry in entries
        )
        yield Entry(one.at, 5, title, "", "golden", tuple(lines))


def _studies(sentence: Sentence, texts: _Texts) -> Iterator[Entry]:
    rows = Study.objects.filter(sentence=sentence).select_related("person", "reference")
    for one in rows.order_by("pk"):
        what = gettext("corrections")
        lines: Sequence[Line] = ()
        if one.reference is not None:
            lines = (texts.line(one.reference.text),)
        else:
            what = gettext("a decision")
        opened = gettext("self-study begins: %(what)s") % {"what": what}
        yield Entry(one.opened_at, 6, opened, one.person.name, "study", tuple(lines))
        if one.closed_at is not None:
            words = {"what": CloseReason(one.close_reason).label, "tries": one.attempts}
            closed = gettext("self-study ends: %(what)s, tries: %(tries)s") % words
            yield Entry(one.closed_at, 7, closed, one.person.name, "study")


def _complaints(sentence: Sentence) -> Iterator[Entry]:
    rows = Complaint.objects.filter(study__sentence=sentence).select_related("person", "handler")
    for one in rows.order_by("pk"):
        yield Entry(
            one.opened_at, 8, gettext("complaint"), one.person.name, "complaint", link=one.pk
        )
        if one.decided_at is not None:
            title = gettext("complaint: %(what)s") % {"what": ComplaintState(one.state).label}
            name = _name(one.handler)
            yield Entry(one.decided_at, 9, title, name, "complaint", (), one.decision_note, one.pk)


def _messages(sentence: Sentence) -> Iterator[Entry]:
    rows = Message.objects.filter(complaint__study__sentence=sentence).select_related("person")
    for one in rows.order_by("pk"):
        yield Entry(one.at, 10, gettext("said"), one.person.name, "said", (), one.text)


def _name(person: object) -> str:
    return str(person) if person is not None else site_label()


# The table of a project's sentences, with filters that stand in the address.


@manager
@require_safe
def list_sentences(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the sentences that the filters leave, from a number on."""
    project = member.project
    filters = parse_filters(request.GET.dict())
    after = max(0, parse_id(request.GET.get("after")) or 0)
    found = load_page(project, filters, after=after)
    people = Member.objects.filter(project=project, is_annotator=True).select_related("person")
    named = Source.objects.filter(project=project).order_by("name")
    sources = dict(named.values_list("pk", "name"))
    shown = {
        "rows": [
            (
                one,
                SentenceState(one.state).label,
                TONES.get(one.state, ""),
                sources.get(one.source_id or 0),
            )
            for one in found.rows
        ],
        "page": found,
        "after": after,
        "filters": filters,
        "next": filters.query(after=found.after) if found.after is not None else "",
        "first": filters.query() if after else "",
        "states": SentenceState.choices,
        "purposes": Purpose.choices if filters.purpose != Purpose.REAL else (),
        "sources": sources.items(),
        "people": people.order_by("person__name")[:500],
    }
    return manage_page(request, member, "manage-sentences", shown)


# One sentence: its whole history, and what a manager can do about it.


_DECIDED = (SentenceState.GOLDEN,)


def _sentence(member: Member, number: int) -> Sentence:
    found = None
    if number < 2**31:
        rows = Sentence.objects.select_related("project", "source", "batch__by", "golden")
        found = rows.filter(project=member.project, number=number).first()
    if found is None:
        raise Http404
    return found


@manager
@require_safe
def sentence(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Show a sentence with all that happened to it."""
    found = _sentence(member, number)
    record_reading(found.pk, member.person_id)
    slots = Slot.objects.filter(sentence=found).select_related("person").order_by("no")
    task = live_task(found.pk)
    waits = task is not None and task.state == TaskState.FREE
    lessons = Study.objects.filter(sentence=found, state=StudyState.OPEN).select_related("person")
    state = SentenceState(found.state)
    shown = {
        "one": found,
        "state": SentenceState(state).label,
        "tone": TONES.get(state, ""),
        "purpose": Purpose(found.purpose).label,
        "slots": [(slot, SlotState(slot.state).label) for slot in slots],
        "task": task,
        "entries": history(found),
        "reviewed": task is None and Review.objects.filter(sentence=found).exists(),
        "releases": Release.objects.filter(items__sentence=found).order_by("pk"),
        "lessons": lessons.order_by("pk"),
        "may_reopen": state in _DECIDED,
        "may_withdraw": state != SentenceState.WITHDRAWN,
        "may_restore": state == SentenceState.WITHDRAWN,
        "may_raise": state in RAISABLE and found.golden_id is None,
        "most": MOST_ANNOTATORS - found.needed,
        "reviewers": reviewers_for(found).select_related("person").order_by("person__name")
        if waits
        else (),
        "waits": waits,
    }
    return manage_page(request, member, "manage-sentences", shown, template="manage/sentence.html")


def _to_sentence(member: Member, number: int) -> HttpResponse:
    return redirect("manage-sentence", slug=member.project.slug, number=number)


@active_manager
@require_POST
@errors_as_messages("manage-sentence")
def reopen(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Have a decided sentence reviewed again."""
    reason = clean_text(request, "reason", most=5000)
    reviews_anew = _sentence(member, number)
    management.reopen_sentence(member, reviews_anew.pk, reason=reason)
    messages.success(request, gettext("It waits for a reviewer again; the golden set stays."))
    return _to_sentence(member, number)


@active_manager
@require_POST
@errors_as_messages("manage-sentence")
def withdraw(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Take a sentence out of work."""
    reason = clean_text(request, "reason", most=5000)
    management.withdraw(member, [_sentence(member, number).pk], reason=reason)
    messages.success(request, gettext("The sentence is withdrawn. You can restore it any time."))
    return _to_sentence(member, number)


@active_manager
@require_POST
@errors_as_messages("manage-sentence")
def restore(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Put a withdrawn sentence back."""
    management.restore(member, [_sentence(member, number).pk])
    messages.success(request, gettext("The sentence is back where its submissions say it stands."))
    return _to_sentence(member, number)


@active_manager
@require_POST
@errors_as_messages("manage-sentence")
def raise_needed(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Ask for more annotators of a sentence."""
    more = parse_id(request.POST.get("more")) or 0
    found = management.raise_needed(member, _sentence(member, number).pk, more=more)
    said = gettext("%(needed)s annotators are asked for now.") % {"needed": found.needed}
    messages.success(request, said)
    return _to_sentence(member, number)


@active_manager
@require_POST
@errors_as_messages("manage-sentence")
def assign(request: HttpRequest, member: Member, number: int) -> HttpResponseBase:
    """Say who reviews a sentence."""
    reviewer = parse_id(request.POST.get("reviewer")) or 0
    to = Member.objects.filter(project=member.project, pk=reviewer).select_related("person").first()
    if to is None:
        raise Http404
    note = clean_text(request, "note", most=5000)
    reviews.assign(member, _sentence(member, number).pk, to=to, note=note)
    said = gettext("%(name)s reviews it next.") % {"name": to.person.name}
    messages.success(request, said)
    return _to_sentence(member, number)


@active_manager
@require_POST
@errors_as_messages("manage-sentence")
def waive(request: HttpRequest, member: Member, number: int, study: int) -> HttpResponseBase:
    """Close a study item of a sentence."""
    found = Study.objects.filter(sentence=_sentence(member, number), pk=study).first()
    if found is None:
        raise Http404
    studies.waive(member, found.pk, note=clean_text(request, "note", most=5000))
    messages.success(request, gettext("The study item is closed; its author is told why."))
    return _to_sentence(member, number)


# Acts on many sentences: shown first, then confirmed by typing how many they are.


MOST = 1000
"""Sentences of one act: nobody waits longer than it takes."""

ACTIONS: Mapping[str, object] = {
    "withdraw": _("Withdraw"),
    "restore": _("Restore"),
    "priority": _("Change the priority"),
    "keep": _("Keep for somebody"),
}
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Selection:
    """Sentences that an act is about.

    Args:
        ids: Their rows, in the order of their numbers.
        left: How many more match, beyond what one act does.
    """

    ids: tuple[int, ...]
    left: int = 0


@active_manager
@require_POST
def preview(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Show what an act would do to the chosen sentences; nothing is changed."""
    act = request.POST.get("act", "")
    chosen = _selection(request, member)
    if act not in ACTIONS or not chosen.ids:
        messages.error(request, gettext("Choose some sentences, and what to do with them."))
        return redirect("manage-sentences", member.project.slug)
    return _page(request, member, act, chosen)


def _selection(request: HttpRequest, member: Member) -> Selection:
    if request.POST.get("scope") == "all":
        filters = parse_filters(request.POST.dict())
        found = (
            matching_sentences(member.project, filters)
            .order_by("number")
            .values_list("pk", flat=True)
        )
        ids = tuple(found[:MOST])
        left = found.count() - len(ids) if len(ids) == MOST else 0
        return Selection(ids, left)
    given = {parse_id(one) for one in request.POST.getlist("sentence")}
    return Selection(_ids_in_project(member, {one for one in given if one is not None}))


def _ids_in_project(member: Member, given: set[int]) -> tuple[int, ...]:
    """Those of some rows that are of the project."""
    some = sorted(given)[:MOST]
    here = Sentence.objects.filter(project=member.project, pk__in=some)
    return tuple(here.order_by("number").values_list("pk", flat=True))


def _page(
    request: HttpRequest, member: Member, act: str, chosen: Selection, problem: str = ""
) -> HttpResponse:
    rows = Sentence.objects.filter(pk__in=chosen.ids).order_by("number")
    states = Counter(rows.values_list("state", flat=True))
    changing = _count_changes(act, states)
    shown = {
        "act": act,
        "title": ACTIONS[act],
        "ids": ",".join(str(one) for one in chosen.ids),
        "count": len(chosen.ids),
        "left": chosen.left,
        "most": MOST,
        "changing": changing,
        "states": [(SentenceState(name).label, count) for name, count in states.most_common()],
        "examples": rows[:_SHOWN],
        "more": max(0, len(chosen.ids) - _SHOWN),
        "in_work": Slot.objects.filter(sentence__in=chosen.ids, state=SlotState.OPEN).count()
        if act == "withdraw"
        else 0,
        "given": {one: request.POST.get(one, "") for one in ("reason", "priority", "due")},
        "people": annotators(member.project) if act == "keep" else (),
        "chosen": parse_id(request.POST.get("member")),
        "problem": problem,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return manage_page(
        request,
        member,
        "manage-sentences",
        shown,
        template="manage/bulk_action.html",
        status=status,
    )


def _count_changes(act: str, states: Mapping[str, int]) -> int:
    """How many an act would change: the others are as wanted already."""
    withdrawn = states.get(SentenceState.WITHDRAWN, 0)
    if act == "restore":
        return withdrawn
    if act == "keep":
        return sum(states.get(state, 0) for state in WORKABLE)
    return sum(states.values()) - (withdrawn if act == "withdraw" else 0)


@active_manager
@require_POST
def run(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Do it, if the number that was typed is the number of sentences."""
    act = request.POST.get("act", "")
    given = {parse_id(one) for one in request.POST.get("ids", "").split(",")[:MOST]}
    chosen = Selection(_ids_in_project(member, {one for one in given if one is not None}))
    if act not in ACTIONS or not chosen.ids or len(chosen.ids) != len(given):
        raise NotYoursError("one of these sentences is not in this project")
    if parse_id(request.POST.get("typed")) != len(chosen.ids):
        wrong = gettext("Type %(n)s to confirm.") % {"n": len(chosen.ids)}
        return _page(request, member, act, chosen, wrong)
    try:
        done = _apply(request, member, act, chosen)
    except GecbenchError as error:
        return _page(request, member, act, chosen, refusal_message(error))
    said = ngettext("%(n)s sentence was changed.", "%(n)s sentences were changed.", done)
    messages.success(request, said % {"n": done})
    return redirect("manage-sentences", member.project.slug)


def _apply(request: HttpRequest, member: Member, act: str, chosen: Selection) -> int:
    if act == "withdraw":
        reason = clean_text(request, "reason", most=5000)
        return management.withdraw(member, chosen.ids, reason=reason)
    if act == "restore":
        return management.restore(member, chosen.ids)
    if act == "keep":
        return _keep_for_member(request, member, chosen)
    priority = parse_id(request.POST.get("priority"))
    outside = management.PRIORITIES[1] + 1  # what is no number is refused like one out of bounds
    return management.set_priority(
        member, chosen.ids, priority=outside if priority is None else priority
    )


def annotators(project: Project) -> QuerySet[Member]:
    """The active annotators, by name."""
    active = Member.objects.filter(project=project, is_annotator=True, status=MemberStatus.ACTIVE)
    return active.select_related("person").order_by("person__name", "pk")


def _keep_for_member(request: HttpRequest, member: Member, chosen: Selection) -> int:
    form = DeadlineForm(request.POST)
    to = annotators(member.project).filter(pk=parse_id(request.POST.get("member")) or 0).first()
    if to is None:
        raise RefusedError([Problem("keep-member", "member", "no active annotator is chosen")])
    if not form.is_valid():
        raise RefusedError([Problem("due-wrong", "due", " ".join(map(str, form.errors["due"])))])
    due = form.cleaned_data["due"]
    return give_batch(member, to, due_at=due, sentences=chosen.ids)[1]
