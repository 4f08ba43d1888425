"""Nobody in where they do not belong: every address, every kind of person, both projects.

The addresses come from the resolver: one that does not say who may come fails here until it does.
"""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client
from server.web.routes import (
    BACKEND,
    MARK,
    OURS,
    PEOPLE,
    ROUTES,
    UNSAFE,
    Route,
    World,
    allowed,
)
from server.worlds import there, work_done, world_database

from gecbench.server.models import Audit, Person

__all__ = ["there", "world_database"]


def text_of(answer) -> str:
    if getattr(answer, "streaming", False):
        return b"".join(answer.streaming_content).decode("utf-8", "replace")
    return answer.content.decode("utf-8", "replace")


def test_the_addresses_were_found():
    assert len(ROUTES) > 60
    assert {"login", "p/<slug:slug>/work", "api/v1/me"} <= {route.path for route in ROUTES}


def test_every_address_says_who_may_come_and_what_its_parts_are(there: World):
    silent = [route.path for route in ROUTES if route.access is None]
    assert silent == [], "decorate these views with one of web/permissions.py"
    known = {"slug", *there.things["one"]}
    unknown = [route.path for route in ROUTES if not set(route.names) <= known]
    assert unknown == [], "say in tests/server/web/routes.py which objects their parts are"


def refused(route: Route, who: str, answer: HttpResponse) -> bool:
    """Whether an answer says no: where to sign in, or that there is no such thing."""
    if who == "anonymous":
        to_sign_in = answer.status_code == 302 and answer["Location"].startswith("/login?next=")
        return to_sign_in or answer.status_code == 401
    # The API looks at the shape of a body before it looks at the person: the same for all.
    shapeless = route.path.startswith("api/") and answer.status_code in (400, 415, 422)
    return answer.status_code == 404 or shapeless


@pytest.mark.parametrize("who", PEOPLE)
def test_who_may_not_come_learns_nothing(who: str, there: World):
    """ROL-4: signed out they are sent to sign in, else there is nothing, whatever they send.

    Methods are tried in the two projects by turns, from address to address and person to person.
    """
    open_doors = []
    for turn, route in enumerate(ROUTES, PEOPLE.index(who)):
        if allowed(who, route.access):
            continue
        paths = there.paths(route)
        for n, method in enumerate(route.methods, turn):
            path = paths[n % len(paths)]
            answer = there.clients[who].generic(method, path)
            fine = answer.status_code == 405 or refused(route, who, answer)
            if not fine or OURS in text_of(answer):
                open_doors.append((method, path, answer.status_code))
    assert open_doors == []


@pytest.mark.parametrize("who", PEOPLE)
def test_who_may_come_is_answered(who: str, there: World):
    closed = []
    for route in ROUTES:
        if not allowed(who, route.access):
            continue
        page = route.access.who == "member" and set(route.names) == {"slug"}
        for path in there.paths(route):
            answer = there.clients[who].get(path)
            wrong = page and answer.status_code in (401, 403, 404)
            if answer.status_code >= 500 or wrong or MARK in text_of(answer):
                closed.append((path, answer.status_code))
    assert closed == []


def test_a_page_that_is_read_answers_head_as_well(there: World):
    """Programs that look whether a page is there ask with HEAD."""
    refused_head = []
    for route in ROUTES:
        client, path = there.clients["manager"], route.at("one", there.things["one"])
        if route.path.startswith("api/") or client.get(path).status_code == 405:
            continue
        if client.head(path).status_code == 405:
            refused_head.append(route.path)
    assert refused_head == []


@pytest.mark.parametrize("who", ["annotator", "reviewer", "manager", "paused", "administrator"])
def test_things_of_another_project_do_not_exist(who: str, there: World):
    """The own project's address with the other one's things is as if there were none."""
    in_both = {"slug", "section", "version", "number", "name", "file", "format"}
    leaks = []
    for route in ROUTES:
        if "slug" not in route.names or set(route.names) <= in_both:
            continue
        path = route.at("one", there.things["two"])
        for method in route.methods:
            answer = there.clients[who].generic(method, path)
            none = answer.status_code in (400, 404, 405, 410, 415, 422)
            back = answer.status_code == 302 and answer["Location"].startswith("/p/one/")
            if not (none or back) or MARK in text_of(answer):
                leaks.append((method, path, answer.status_code))
    assert leaks == []


@pytest.mark.parametrize("who", ["stranger", "annotator", "manager", "paused"])
def test_nobody_of_one_project_reads_the_other(who: str, there: World):
    leaks = []
    for route in ROUTES:
        if "slug" not in route.names:
            continue
        path = route.at("two", there.things["two"])
        for method in route.methods:
            answer = there.clients[who].generic(method, path)
            fine = answer.status_code == 405 or refused(route, who, answer)
            if not fine or MARK in text_of(answer):
                leaks.append((method, path, answer.status_code))
    assert leaks == []


def test_every_unsafe_request_needs_its_token(there: World):
    """A form from elsewhere carries the session's cookie and no token: refused, for everybody."""
    accepted = []
    for login in ("one-a1", "root"):
        client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        client.force_login(Person.objects.get(login=login), backend=BACKEND)
        for route in ROUTES:
            path = route.at("one", there.things["one"])
            for method in UNSAFE:
                answer = client.generic(method, path)
                hidden = path == "/metrics" and answer.status_code == 404  # without its own token
                if answer.status_code not in (401, 403, 405) and not hidden:
                    accepted.append((login, method, path, answer.status_code))
    assert accepted == []


@pytest.mark.parametrize("who", ["annotator", "reviewer", "manager"])
def test_only_posts_may_leave_a_trace(who: str, there: World):
    """Reading is no act: the chained log has a line for claims and exports alone.

    Showing a task claims it, which is what pages of work are for; all else stays as it was.
    """
    before = Audit.objects.count()
    claiming = [route for route in ROUTES if "work" in route.path or "review" in route.path]
    for route in claiming:
        text_of(there.clients[who].get(route.at("one", there.things["one"])))
    frozen = work_done()
    for route in ROUTES:
        if route not in claiming:
            text_of(there.clients[who].get(route.at("one", there.things["one"])))
    assert work_done() == frozen
    actions = set(Audit.objects.filter(seq__gt=before).values_list("what", flat=True))
    assert {action for action in actions if not action.startswith("export")} == set()
