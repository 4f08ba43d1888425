"""All addresses of the site, from the resolver; projects of both kinds, and all kinds of people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from unittest.mock import patch
from uuid import uuid4

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from server.workflow import perturbing, practising, reviewing
from server.workflow.paying import PLAIN, closed, paying
from server.workflow.stories import (
    a_project,
    all_submitted,
    claimed,
    correction,
    joined,
    sentence_of,
    somebody,
    submitted,
)

from gecbench.server.choices import Purpose, Role
from gecbench.server.import_export.releases import make_release
from gecbench.server.models import Member, Person, Project, ReviewTask, Sentence
from gecbench.server.rules.pay import Formula
from gecbench.server.web.permissions import Access, access_of
from gecbench.server.workflow import (
    accounts,
    assignments,
    complaints,
    inspection,
    members,
    pay,
    practice,
    reviews,
)

BACKEND = "django.contrib.auth.backends.ModelBackend"
OURS = "公开"
MARK = "机密"
"""Stands in every text of the second project; nobody of the first may ever read it."""


UNSAFE = ("POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class Route:
    """One address.

    Args:
        path: As the resolver writes it, without the API's doubles.
        access: Who may come, as its view says.
        names: Its parts that stand for something.
    """

    path: str
    access: Access | None
    names: tuple[str, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """What is tried: pages know reading and one way to write, the API knows all."""
        if self.path.startswith("api/"):
            return ("GET", *UNSAFE)
        return ("GET", "PUT" if "/draft" in self.path else "POST")

    def at(self, slug: str, things: Mapping[str, object]) -> str:
        """The address of things of a project."""
        values = {**things, "slug": slug}
        return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda match: str(values[match[1]]), self.path)


def _walk(patterns, before: str = "") -> Iterator[Route]:
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern):
            names = tuple(re.findall(r"<(?:\w+:)?(\w+)>", path))
            yield Route(path, access_of(pattern.callback), names)


def routes() -> list[Route]:
    """Every address once."""
    return list({route.path: route for route in _walk(get_resolver().url_patterns)}.values())


ROUTES = routes()


@dataclass(frozen=True)
class World:
    """Projects, what is in each, and clients of people.

    The same people work in the first project, of rewriting, and in "cases", of perturbation. The
    second is like the first, with others in it.
    """

    things: Mapping[str, Mapping[str, object]]
    clients: Mapping[str, Client]

    def paths(self, route: Route) -> tuple[str, ...]:
        """The address in the projects of the first people; once where it is of none."""
        return tuple({route.at(slug, self.things[slug]): None for slug in ("one", "cases")})


def _rewriting(slug: str, mark: str) -> dict[str, object]:
    """A project with one sentence decided and complained about, one in review, one claimed."""
    texts = [f"{mark}我昨天去了图书馆借书了{n}。" for n in range(1, 7)]
    project = a_project(texts, slug=slug, annotators=2, manager=f"{slug}-boss")
    writers = [joined(project, f"{slug}-a{n}") for n in (1, 2)]
    reviewer = joined(project, f"{slug}-rita", "reviewer")
    joined(project, f"{slug}-ruth", "reviewer")
    for number in (1, 2, 3):
        answers = [correction(f"{mark}我昨天去图书馆借书了{number}{n}。") for n in (1, 2)]
        all_submitted(sentence_of(project, number), writers, answers)
    first = sentence_of(project, 1)
    reviewing.finalised(project, [f"{mark}我昨天去图书馆借书了11。"], login=reviewer.person.login)
    reviewing.finalised(
        project, [f"{mark}我昨天去图书馆借书了21。"], login=reviewer.person.login, number=2
    )
    item = writers[1].person.studies.filter(sentence=first).get()
    complaint = complaints.complain(
        writers[1], item.pk, argument=f"{mark}为什么", client_key=uuid4()
    )
    open_one = sentence_of(project, 3)
    reviews.open_review(reviewer, open_one.pk)
    slot = claimed(writers[0], sentence_of(project, 4))
    release = make_release(project, name=f"r-{slug}", by=Person.objects.get(login=f"{slug}-boss"))
    things = _things(project, slug, mark)
    gold = Sentence.objects.get(project=project, external_id="gold-1")
    watched = submitted(writers[1], gold, correction(f"{mark}这是什么"))
    return {
        **things,
        "release": release.pk,
        "name": release.name,
        "file": next(iter(release.manifest["files"]), "none") if release.manifest else "none",
        "result_id": watched.gold_result.pk,
        "slot_id": slot.pk,
        "sentence_id": ReviewTask.objects.get(sentence=open_one).sentence_id,
        "study_id": item.pk,
        "study": item.pk,
        "complaint_id": complaint.pk,
    }


def _perturbing(slug: str, people: str, mark: str) -> dict[str, object]:
    """A project of cases with one accepted, one in review with a check before, one claimed."""
    pairs = [(f"{mark}{source}", f"{mark}{target}") for source, target in perturbing.CHINESE]
    project = perturbing.a_perturbation(pairs, slug=slug, manager=f"{people}-boss")
    writers = [joined(project, f"{people}-a{n}") for n in (1, 2)]
    reviewer = joined(project, f"{people}-rita", "reviewer")
    returned = perturbing.give_back(2, note=f"{mark}不自然")
    for number, second in ((1, perturbing.accept(2)), (2, returned)):
        for writer, word in zip(writers, perturbing.WORDS, strict=False):
            perturbing.perturbed(writer, sentence_of(project, number), f"{mark}{word}")
        perturbing.checked(reviewer, perturbing.accept(1), second)
    perturbing.perturbed(writers[1], sentence_of(project, 2), f"{mark}{perturbing.WORDS[3]}")
    reviews.open_review(reviewer, sentence_of(project, 2).pk)
    slot = claimed(writers[0], sentence_of(project, 3))
    paid = {"perturbation": Decimal("0.40"), "check": Decimal("0.30")}
    return {
        **_things(project, people, mark, PLAIN.model_copy(update=paid)),
        "slot_id": slot.pk,
        "sentence_id": sentence_of(project, 2).pk,
    }


def _things(
    project: Project, people: str, mark: str, formula: Formula = PLAIN
) -> dict[str, object]:
    """What there is in projects of both kinds: people, assignments, pay, practice, inspection."""
    boss = Person.objects.get(login=f"{people}-boss")
    lead = Member.objects.select_related("project", "person").get(project=project, person=boss)
    writer = Member.objects.get(project=project, person__login=f"{people}-a1")
    invitation, secret = members.invite(project, roles=[Role.ANNOTATOR], by=boss)
    token, _ = accounts.make_token(boss, name="nightly")
    due_at = timezone.now() + timedelta(days=9)
    quota = assignments.give_quota(lead, writer, number=9, due_at=due_at)
    paying(project, formula)
    with patch.object(pay, "SETTLED", timedelta(seconds=-9)):
        period = closed(project)
    for purpose in (Purpose.TRAINING, Purpose.TRIAL, Purpose.GOLD):
        practising.known(project, purpose, 20, mark=mark)
    candidate = practising.candidate(project, f"{people}-candidate")
    training = Sentence.objects.get(project=project, external_id="training-1")
    practised = practice.train(
        candidate, training.number, client_key=uuid4(), answer=correction(f"{mark}这是什么")
    )
    trial = practice.begin(candidate)
    tried = practising.answered(candidate, right=False)
    judges = [joined(project, f"{people}-judge{n}", "judge") for n in ("", "2")]
    inspected = inspection.begin(
        lead,
        name="first",
        size=1,
        judges=[judge.pk for judge in judges],
        criteria=inspection.CRITERIA[project.kind],
    )
    return {
        "practice_id": practised.pk,
        "answer_id": tried.pk,
        "trial_id": trial.pk,
        "task_id": trial.tasks.get(position=2).pk,
        "period_id": period.pk,
        "statement_id": period.statements.get(person=writer.person).pk,
        "table": "lines.csv",
        "round_id": inspected.pk,
        "item_id": inspected.items.get().pk,
        "number": 1,
        "version": project.guideline.version,
        "section": "work",
        "waiting": "0" * 32,
        "format": "mucgec",
        "member_id": writer.pk,
        "invitation": invitation.pk,
        "assignment": quota.pk,
        "secret": secret,
        "maker": 0,
        "uidb64": "none",
        "token": "none",
        "token_id": token.pk,
    }


PEOPLE = (
    *("anonymous", "stranger", "annotator", "other annotator", "reviewer", "judge", "manager"),
    *("manager of another", "candidate", "paused", "left", "administrator"),
)


def new_client(who: str) -> Client:
    """A client that is not signed in yet."""
    headers = {} if who == "anonymous" else {"Accept-Language": "en"}
    return Client(raise_request_exception=False, headers=headers)


def world() -> World:
    """Make it all."""
    things = {"one": _rewriting("one", OURS), "two": _rewriting("two", MARK)}
    things["cases"] = {**things["one"], **_perturbing("cases", "one", OURS)}
    for project in Project.objects.filter(slug__in=["one", "cases"]):
        for status in ("paused", "left"):
            member = joined(project, f"one-{status}", "annotator")
            members.change_member(member, by=None, status=status)
    logins = {
        "stranger": "stranger",
        "annotator": "one-a1",
        "other annotator": "one-a2",
        "reviewer": "one-rita",
        "judge": "one-judge",
        "manager": "one-boss",
        "manager of another": "two-boss",
        "candidate": "one-candidate",
        "paused": "one-paused",
        "left": "one-left",
        "administrator": "root",
    }
    somebody("stranger")
    somebody("root", is_administrator=True)
    clients = {who: new_client(who) for who in ("anonymous", *logins)}
    for who, login in logins.items():
        clients[who].force_login(Person.objects.get(login=login), backend=BACKEND)
    return World(things, clients)


def allowed(who: str, access: Access) -> bool:
    """Whether somebody may come to an address of the first project, by what its view says."""
    if access.who == "anyone":
        return True
    if who == "administrator":  # a manager of every project
        return access.who != "member" or not access.roles or Role.MANAGER in access.roles
    if access.who == "signed_in":
        return who != "anonymous"
    if access.who == "administrator":
        return False
    held = {
        "annotator": {Role.ANNOTATOR},
        "other annotator": {Role.ANNOTATOR},
        "reviewer": {Role.REVIEWER},
        "judge": {Role.JUDGE},
        "manager": {Role.MANAGER},
        "paused": set() if access.active else {Role.ANNOTATOR},
        "candidate": set() if access.active else {Role.ANNOTATOR},
    }.get(who)
    if not held:
        return False
    return not access.roles or bool(held & set(access.roles))
