"""Projects: made, changed, put away; guidelines published and read."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import timedelta

from django.db.models import Max
from django.utils import timezone

from gecbench.core.errors import Message, UnknownNameError, UsageError
from gecbench.server.choices import MemberStatus, Role
from gecbench.server.guidelines import PLACEHOLDERS, default_guideline
from gecbench.server.guidelines.rendering import Language, render_markdown
from gecbench.server.models import Acknowledgement, Guideline, Member, Notice, Person, Project
from gecbench.server.rules.options import ALIASES, TEMPLATES, columns_of, options_json, options_of
from gecbench.server.workflow import audit
from gecbench.server.workflow.errors import ConflictError
from gecbench.server.workflow.management import fit_slots
from gecbench.server.workflow.members import add_member
from gecbench.server.workflow.transactions import lock_project, transactional

LANGUAGES: tuple[Language, ...] = ("zh", "en")
SLUG_PATTERN = r"\A[a-z0-9][a-z0-9_-]{0,59}\Z"
RESTORE_WINDOW = timedelta(days=30)
"""How long a deleted project can be brought back."""


@transactional
def create_project(
    *,
    slug: str,
    name: str,
    lang: str,
    by: Person | None,
    template: str = "mucgec",
    annotators: int | None = None,
    max_references: int | None = None,
    options: Mapping[str, object] | None = None,
) -> Project:
    """Make a project with the default guideline of its language as version 1; `by` manages it.

    The template says its kind: whether people rewrite sentences or perturb them.

    Raises:
        UsageError: A name that is taken or means nothing; an option that does.
    """
    if lang not in LANGUAGES:
        raise UnknownNameError(Message("language"), lang, LANGUAGES)
    if template not in TEMPLATES:
        raise UnknownNameError(Message("template"), template, TEMPLATES)
    start = TEMPLATES[template]
    rules = options_of({**_spellings(lang), **(options or {})})
    if Project.objects.filter(slug=_slug(slug)).exists():
        raise UsageError("the short name {slug!r} is taken; choose another", slug=slug)
    columns = columns_of(
        {
            "name": " ".join(name.split()),
            "annotators": start.annotators if annotators is None else annotators,
            "max_references": start.max_references if max_references is None else max_references,
        }
    )
    project = Project.objects.create(
        slug=slug,
        kind=start.kind,
        lang=lang,
        options=options_json(rules),
        created_by=by,
        **columns.model_dump(),
    )
    text = default_guideline(lang, kind=start.kind, placeholder=rules.placeholder)
    _put_in_force(project, text, note="", by=by)
    if by is not None:
        add_member(project, by, roles=(Role.MANAGER,), by=by)
    data = {"slug": slug, "template": template}
    audit.record("project.made", who=by, project=project, about=("project", project.pk), data=data)
    return project


def _spellings(lang: str) -> dict[str, object]:
    """The placeholder of a language other than Chinese, whose spelling is the default."""
    if lang == "zh":
        return {}
    english = PLACEHOLDERS["en"]
    return {
        "placeholder": english,
        "placeholder_aliases": tuple(alias for alias in ALIASES if alias != english),
    }


def _slug(slug: str) -> str:
    if not re.fullmatch(SLUG_PATTERN, slug):
        raise UsageError(
            "the short name is {slug!r}; it has at most 60 small letters, digits, - and"
            " _, as mucgec-2",
            slug=slug,
        )
    return slug


def settings_fingerprint(project: Project) -> str:
    """A digest of all that `change_project` changes; a form keeps it, to see it is old."""
    settings = (project.name, project.annotators, project.max_references, project.options)
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def change_project(
    project: Project,
    *,
    by: Person,
    name: str | None = None,
    annotators: int | None = None,
    max_references: int | None = None,
    options: Mapping[str, object] | None = None,
    seen: str | None = None,
) -> Project:
    """Change what may be changed (WFL-1): N upwards for all, downwards for untouched sentences.

    Options are laid over those there are. A new N reaches the sentences as `numbers.fit_slots`
    says, in short transactions; giving the same N again finishes what was interrupted.

    Args:
        project: Which.
        by: Who.
        name: New; None leaves it. So with those that follow.
        annotators: N.
        max_references: Of each annotator.
        options: Only those that change.
        seen: The `state_of` that the change was made from; None changes whatever is there.

    Raises:
        UsageError: A value that means nothing.
        ConflictError: Somebody changed the project since it was `seen`.
    """
    changes = {"name": name, "annotators": annotators, "max_references": max_references}
    changes = {key: value for key, value in changes.items() if value is not None}
    if name is not None:
        changes["name"] = " ".join(name.split())
    columns_of({"name": "-", "annotators": 1, "max_references": 1, **changes})
    _write_changes(project.pk, changes, options, by, seen)
    if annotators is not None:
        fit_slots(project.pk)
    project.refresh_from_db()
    return project


@transactional
def _write_changes(
    project_id: int,
    changes: Mapping[str, object],
    options: Mapping[str, object] | None,
    by: Person,
    seen: str | None = None,
) -> None:
    project = lock_project(project_id)
    if seen is not None and seen != settings_fingerprint(project):
        raise ConflictError("the settings have changed meanwhile; look at them, then change them")
    new = dict(changes)
    if options is not None:
        new["options"] = options_json(options_of({**project.options, **options}))
    differing = {key: value for key, value in new.items() if getattr(project, key) != value}
    if differing:
        old = {key: getattr(project, key) for key in differing}
        Project.objects.filter(pk=project_id).update(**differing)
        _log("project.changed", project, by, {"old": old, "new": differing})


def _log(what: str, project: Project, by: Person, data: Mapping[str, object]) -> None:
    audit.record(what, who=by, project=project, about=("project", project.pk), data=data)


def guideline_text(markdown: str) -> str:
    """A guideline as it is kept: line ends alike, nothing around it."""
    return markdown.replace("\r\n", "\n").replace("\r", "\n").strip() + "\n"


def publish_guideline(project: Project, *, markdown: str, note: str, by: Person) -> Guideline:
    """Publish the next version and make it the one in force; members get a notice (GUI-2).

    Whoever publishes it has read it.

    Raises:
        UsageError: It is empty, or equal to the version in force.
        FormatError: It cannot be shown, being too long (`guide.bounds`).
    """
    text = guideline_text(markdown)
    if not text.strip() or "\0" in text:
        raise UsageError("the guideline is empty or holds NUL characters; write some Markdown")
    # What is in force can be shown to everybody. It may take seconds, so nobody waits for it.
    render_markdown(text)
    return _publish(project, text, note.strip(), by)


@transactional
def _publish(project: Project, text: str, note: str, by: Person) -> Guideline:
    current = lock_project(project.pk)
    if current.guideline is not None and current.guideline.sha256 == _sha256(text):
        raise UsageError(
            "this is version {version}, which is in force already",
            version=current.guideline.version,
        )
    guideline = _put_in_force(current, text, note=note, by=by)
    Acknowledgement.objects.create(guideline=guideline, person=by)
    others = Member.objects.filter(project=current).exclude(status=MemberStatus.LEFT)
    people = others.exclude(person=by).values_list("person_id", flat=True)
    data = {"version": guideline.version, "note": guideline.note}
    Notice.objects.tell(people, current.pk, "guideline", data)
    _log(
        "guideline.published",
        current,
        by,
        {"version": guideline.version, "sha256": guideline.sha256},
    )
    project.guideline = guideline
    return guideline


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _put_in_force(project: Project, text: str, *, note: str, by: Person | None) -> Guideline:
    last = Guideline.objects.filter(project=project).aggregate(Max("version"))["version__max"]
    guideline = Guideline.objects.create(
        project=project,
        version=(last or 0) + 1,
        markdown=text,
        sha256=_sha256(text),
        note=note,
        by=by,
    )
    Project.objects.filter(pk=project.pk).update(guideline=guideline)
    project.guideline = guideline
    return guideline


@transactional
def acknowledge(guideline: Guideline, person: Person) -> None:
    """Note that somebody has read a version; twice is once."""
    Acknowledgement.objects.get_or_create(guideline=guideline, person=person)
    Notice.objects.filter(
        person=person,
        project_id=guideline.project_id,
        kind="guideline",
        data__version=guideline.version,
        read_at=None,
    ).update(read_at=timezone.now())


@transactional
def archive_project(project: Project, *, by: Person) -> Project:
    """Close a project for work; everything stays readable."""
    return _put_away(project, by, "project.archived", archived_at=timezone.now())


@transactional
def delete_project(project: Project, *, typed: str, by: Person) -> Project:
    """Hide a project (it can be brought back for 30 days, and by backup later).

    Raises:
        UsageError: The typed name is not the project's slug.
    """
    if typed != project.slug:
        raise UsageError(
            "{typed!r} is not the project's short name {slug!r}", typed=typed, slug=project.slug
        )
    return _put_away(project, by, "project.deleted", deleted_at=timezone.now())


@transactional
def restore_project(project: Project, *, by: Person) -> Project:
    """Undo archiving or deleting.

    Raises:
        UsageError: It was deleted too long ago.
    """
    deleted = lock_project(project.pk).deleted_at
    if deleted is not None and deleted + RESTORE_WINDOW < timezone.now():
        raise UsageError(
            "the project was deleted more than {days} days ago; restore a backup",
            days=RESTORE_WINDOW.days,
        )
    return _put_away(project, by, "project.brought_back", archived_at=None, deleted_at=None)


def _put_away(project: Project, by: Person, what: str, **columns: object) -> Project:
    current = lock_project(project.pk)
    if any((getattr(current, key) is None) != (value is None) for key, value in columns.items()):
        Project.objects.filter(pk=project.pk).update(**columns)
        _log(what, current, by, {})
    project.refresh_from_db()
    return project
