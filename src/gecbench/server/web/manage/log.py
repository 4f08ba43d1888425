"""The log: what its rows tell people, tasks by number, people by name, acts and facts in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from gecbench.server.choices import ComplaintState, Decision
from gecbench.server.models import (
    Audit,
    Complaint,
    InspectionItem,
    Member,
    Person,
    Sentence,
    Study,
    Submission,
)
from gecbench.server.rules.options import LEVELS, SETTINGS
from gecbench.server.web.http import parse_int
from gecbench.server.web.manage.projects import choices_of
from gecbench.server.web.manage.shortcuts import (
    ROLES,
    STATUSES,
    active_manager,
    manage_page,
    manager,
)
from gecbench.server.workflow import audit

_LONGEST = 120
_HASH = 12
_NOTHING = "–"
_TASKS: Mapping[
    str, tuple[type[Sentence | Submission | Study | Complaint | InspectionItem], str]
] = {
    "sentence": (Sentence, "number"),
    "submission": (Submission, "sentence__number"),
    "study": (Study, "sentence__number"),
    "complaint": (Complaint, "study__sentence__number"),
    "inspection_item": (InspectionItem, "sentence__number"),
}
"""Kind of thing to its table, and where that has the number of the task."""

_KINDS: Mapping[str, object] = {
    "guideline": pgettext_lazy("log", "guideline"),
    "import_batch": pgettext_lazy("log", "import"),
    "inspection": pgettext_lazy("log", "inspection"),
    "invitation": pgettext_lazy("log", "invitation"),
    "member": pgettext_lazy("log", "member"),
    "release": pgettext_lazy("log", "release"),
}
_NAMES: Mapping[str, object] = {
    "accept": pgettext_lazy("log", "accepted"),
    "administrator": pgettext_lazy("log", "administrator"),
    "bytes": pgettext_lazy("log", "bytes"),
    "cases": pgettext_lazy("log", "cases"),
    "criterion": pgettext_lazy("log", "criterion"),
    "decision": pgettext_lazy("log", "decision"),
    "due": pgettext_lazy("log", "deadline"),
    "digests": pgettext_lazy("log", "hashes of texts"),
    "file": pgettext_lazy("log", "file"),
    "for": pgettext_lazy("log", "for"),
    "format": pgettext_lazy("log", "format"),
    "golden": pgettext_lazy("log", "golden set"),
    "kept_references": pgettext_lazy("log", "references kept"),
    "kind": pgettext_lazy("log", "decision"),
    "level": pgettext_lazy("log", "level"),
    "lines": pgettext_lazy("log", "lines"),
    "manifest_sha256": pgettext_lazy("log", "hash of the manifest"),
    "more": pgettext_lazy("log", "annotators more"),
    "name": pgettext_lazy("log", "name"),
    "names": pgettext_lazy("log", "with names"),
    "needed": pgettext_lazy("log", "annotators in all"),
    "no": pgettext_lazy("log", "version"),
    "note": pgettext_lazy("log", "note"),
    "outcome": pgettext_lazy("log", "outcome"),
    "population": pgettext_lazy("log", "drawn from"),
    "priority": pgettext_lazy("log", "priority"),
    "quota": pgettext_lazy("log", "sentences to do"),
    "reason": pgettext_lazy("log", "reason"),
    "roles": pgettext_lazy("log", "roles"),
    "seed": pgettext_lazy("log", "seed"),
    "sentences": pgettext_lazy("log", "sentences"),
    "sha256": pgettext_lazy("log", "hash"),
    "size": pgettext_lazy("log", "size"),
    "slug": pgettext_lazy("log", "short name"),
    "status": pgettext_lazy("log", "status"),
    "studies": pgettext_lazy("log", "study items"),
    "study": pgettext_lazy("log", "task"),
    "template": pgettext_lazy("log", "template"),
    "to": pgettext_lazy("log", "to"),
    "version": pgettext_lazy("log", "version"),
}
_VALUES: Mapping[str, Mapping[str, object]] = {
    "decision": dict(Decision.choices),
    "kind": dict(Decision.choices),
    "outcome": dict(ComplaintState.choices),
    "roles": ROLES,
    "status": STATUSES,
}
_PEOPLE = ("to", "for")


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row in words.

    Args:
        act: What was done.
        task: The number of the task that it was done to, if one.
        about: Whom or what else it was done to; "" where there is nothing to name.
        facts: What and how, each with its value.
    """

    act: str
    task: int | None
    about: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Names:
    tasks: Mapping[tuple[str, int], int]
    people: Mapping[int, str]
    members: Mapping[int, str] = field(default_factory=dict)


def describe_rows(rows: Sequence[Audit]) -> list[LogRow]:
    """Rows in words; what they name is looked up for all at once."""
    names = _look_up(rows)
    return [
        LogRow(
            action_label(row.what),
            names.tasks.get((row.object_kind, _id(row))),
            _about(row, names),
            tuple((name, _shorten(value)) for name, value in _facts(row.data, names) if value),
        )
        for row in rows
    ]


def _look_up(rows: Sequence[Audit]) -> _Names:
    ids: dict[str, set[int]] = {}
    for row in rows:
        ids.setdefault(row.object_kind, set()).add(_id(row))
        sentences = row.data.get("sentences")
        ids.setdefault("sentence", set()).update(sentences if isinstance(sentences, list) else ())
        for key in _PEOPLE:
            people = row.data.get(key)
            people = people if isinstance(people, list) else [people]
            ids.setdefault("person", set()).update(
                person for person in people if isinstance(person, int)
            )
        if isinstance(row.data.get("study"), int):
            ids.setdefault("study", set()).add(row.data["study"])
    tasks = {
        (kind, pk): number
        for kind, (model, place) in _TASKS.items()
        if ids.get(kind)
        for pk, number in model._base_manager.filter(pk__in=ids[kind]).values_list("pk", place)
    }
    people = Person.objects.filter(pk__in=ids.get("person", ()))
    members = Member.objects.filter(pk__in=ids.get("member", ()))
    return _Names(
        tasks,
        dict(people.values_list("pk", "name")),
        dict(members.values_list("pk", "person__name")),
    )


def _id(row: Audit) -> int:
    return int(row.object_id) if row.object_id.isdecimal() else 0


def _about(row: Audit, labels: _Names) -> str:
    kind, pk = row.object_kind, _id(row)
    if not row.object_id or kind == "project" or (kind, pk) in labels.tasks:
        return ""
    names = {"member": labels.members, "person": labels.people}.get(kind, {})
    name = names.get(pk)
    return name or f"{_KINDS.get(kind, kind)} {row.object_id}"


def _facts(data: Mapping[str, object], names: _Names) -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        if key == "old":
            continue
        if key != "new":
            yield _name(key), _value(key, value, names)
        elif not isinstance(value, dict):
            yield _name("needed"), f"{data.get('old', _NOTHING)} → {value}"
        elif data.get("old"):
            yield from _changes(data["old"], value, names)
        else:
            yield from _facts(value, names)


def _changes(old: object, new: object, names: _Names) -> Iterator[tuple[str, str]]:
    """Yield what differs; options keep only what is not as usual."""
    before = old if isinstance(old, dict) else {}
    after = new if isinstance(new, dict) else {}
    for key in dict.fromkeys((*before, *after)):
        if key in ("options", "rules"):
            yield from _changes(before.get(key), after.get(key), names)
        elif before.get(key) != after.get(key):
            values = [
                _value(key, side[key], names) if key in side else gettext("as usual")
                for side in (before, after)
            ]
            yield _name(key), " → ".join(values)


def _name(key: str) -> str:
    if key in SETTINGS:
        return gettext(SETTINGS[key].title or key)
    return str(_NAMES.get(key, key))


def _value(key: str, value: object, names: _Names) -> str:
    """A value in words; "" where it is not worth a word."""
    if value in (None, "") or (key == "administrator" and not value):
        return _NOTHING if key in SETTINGS else ""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, list):
        return _join_values(key, value, names)
    if key in _PEOPLE and isinstance(value, int):
        return names.people.get(value, str(value))
    if key == "study" and isinstance(value, int) and ("study", value) in names.tasks:
        return f"#{names.tasks['study', value]}"
    if key.startswith("CON-"):
        return gettext(LEVELS.get(value, str(value)))  # type: ignore[call-overload]  # any value
    words = choices_of(SETTINGS[key]) if key in SETTINGS else _VALUES.get(key, {})
    return str(words.get(str(value), value))


def _join_values(key: str, values: Iterable[object], names: _Names) -> str:
    comma = pgettext("list", ", ")
    if key == "sentences":
        return comma.join(
            f"#{names.tasks.get(('sentence', value), value)}"
            for value in values
            if isinstance(value, int)
        )
    if key == "digests":
        return comma.join(str(value)[:_HASH] for value in values)
    return comma.join(_value(key, value, names) for value in values)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


# The log of who did what: a chain, read by key, verified by administrators.


_ROWS = 50
_SHOWN = 10


@manager
@require_safe
def audit_log(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the project's rows, newest first, from ?before= on."""
    before = parse_int(request.GET.get("before"))
    entries = Audit.objects.filter(project=member.project).select_related("who")
    if before is not None:
        entries = entries.filter(seq__lt=before)
    rows = list(entries.order_by("-seq")[: _ROWS + 1])
    context = {
        "rows": list(zip(rows[:_ROWS], describe_rows(rows[:_ROWS]), strict=True)),
        "older": rows[_ROWS - 1].seq if len(rows) > _ROWS else None,
        "before": before,
    }
    return manage_page(request, member, "manage-audit", context)


@active_manager
@require_POST
def verify(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Recompute the whole chain of the site, for administrators."""
    if not member.person.is_administrator:
        raise Http404
    wrong = audit.verify()
    if wrong:
        message = ngettext("%(n)s row does not fit:", "%(n)s rows do not fit:", len(wrong))
        messages.error(request, f"{message % {'n': len(wrong)}} {'; '.join(wrong[:_SHOWN])}")
    else:
        seq, last = audit.head()
        message = gettext("All %(n)s rows of the site fit. The last hash is %(hash)s.")
        messages.success(request, message % {"n": seq, "hash": last})
    return redirect("manage-audit", member.project.slug)


def action_label(what: str) -> str:
    """A dotted name of the log in words; one that is not known stays as it is."""
    label = ACTIONS.get(what)
    return what if label is None else str(label)


ACTIONS: Mapping[str, object] = {
    "project.made": _("made the project"),
    "project.changed": _("changed settings"),
    "project.archived": _("archived the project"),
    "project.deleted": _("deleted the project"),
    "project.brought_back": _("brought the project back"),
    "guideline.published": _("published a guideline"),
    "guideline.cases_settled": _("settled guideline cases"),
    "invitation.made": _("made an invitation"),
    "invitation.used": _("came by an invitation"),
    "invitation.revoked": _("withdrew an invitation"),
    "member.added": _("made somebody a member"),
    "member.changed": _("changed a member"),
    "person.password_link_made": _("made a link for a new password"),
    "person.unlocked": _("lifted the lock after failed sign-ins"),
    "assignment.made": _("gave a member work"),
    "assignment.moved": _("changed a deadline"),
    "assignment.ended": _("ended what a member was given"),
    "sentences.imported": _("imported sentences"),
    "suggestions.made": _("let a corrector make suggestions"),
    "sentence.reopened": _("had a sentence reviewed again"),
    "sentence.withdrawn": _("withdrew sentences"),
    "sentence.restored": _("restored sentences"),
    "sentence.raised": _("asked for more annotators"),
    "sentence.priority": _("changed priorities"),
    "submission.made": _("submitted a sentence"),
    "review.assigned": _("assigned a review"),
    "review.finalised": _("decided a sentence"),
    "review.handed_on": _("handed a review on"),
    "review.second_opinion": _("asked for a second opinion"),
    "review.undone": _("took a decision back"),
    "review.returned": _("returned a sentence to annotators"),
    "complaint.made": _("complained"),
    "complaint.decided": _("decided a complaint"),
    "complaint.guideline_case": _("noted a guideline case"),
    "study.waived": _("closed a study item"),
    "trial.begun": _("began a trial"),
    "trial.passed": _("passed a trial"),
    "trial.failed": _("did not pass a trial"),
    "trial.stopped": _("stopped a trial by a change of status"),
    "trial.overruled": _("changed the judgement of a trial answer"),
    "gold.overruled": _("changed the judgement of a gold task"),
    "pay.formula_saved": _("saved a formula of pay"),
    "pay.formula_activated": _("put a formula of pay in force"),
    "pay.closed": _("closed a pay period"),
    "pay.exported": _("saved the statements of a pay period"),
    "inspection.begun": _("began a quality inspection"),
    "inspection.replaced": _("replaced a judge of a quality inspection"),
    "inspection.closed": _("closed a quality inspection"),
    "inspection.rated": _("rated an item of an inspection"),
    "inspection.undone": _("took a rating back"),
    "inspection.resolved": _("resolved a disagreement of judges"),
    "release.made": _("made a release"),
    "export.begun": _("began an export"),
    "export.done": _("finished an export"),
}
