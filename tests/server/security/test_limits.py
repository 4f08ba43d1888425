"""Nothing that is sent breaks the site: a clear 4xx, never a 500, on both databases."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import resolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server.conftest import administer, postgresql, sqlite, use
from server.security.forms import forms_in
from server.security.nasty import STORED, TYPED, VALUES, WHOLE, places, put
from server.web.routes import BACKEND, ROUTES, allowed, world
from server.worlds import world_database

from gecbench.server.models import Person, Project, ReviewTask, Slot, Study

__all__ = ["world_database"]

Things = Mapping[str, Mapping[str, Any]]
"""What is in each project."""

HOLE = "@@hole@@"
LOGINS = {
    "annotator": "one-a1",
    "other annotator": "one-a2",
    "reviewer": "one-rita",
    "manager": "one-boss",
    "administrator": "root",
}


@dataclass
class There:
    """A site that can be brought back to how it was."""

    kind: str
    things: dict[str, Any]
    again: Callable[[], None]

    def client(self, who: str) -> Client:
        client = Client(raise_request_exception=False, headers={"Accept-Language": "en"})
        client.force_login(Person.objects.get(login=LOGINS[who]), backend=BACKEND)
        return client


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def database(request, once, tmp_path_factory) -> Iterator[tuple[str, str, Things]]:
    """A site with much in it, of this process: on which database, its name, what is in it."""
    kind = request.param
    if kind == "sqlite":
        path, things, _ = request.getfixturevalue("world_database")
        name = str(tmp_path_factory.mktemp("limits") / "made.sqlite3")
        shutil.copy(path, name)
        yield kind, name, things
        return
    empty = request.getfixturevalue("migrated_postgresql")
    whole = f"{empty}_world"  # dropped with the empty one

    def make() -> Things:
        administer(f"CREATE DATABASE {whole} TEMPLATE {empty}")
        use(postgresql(whole))
        things = world().things
        connection.close()
        return things

    things = once("world on PostgreSQL", make)
    name = f"gecbench_limits_{uuid4().hex[:12]}"
    administer(f"CREATE DATABASE {name} TEMPLATE {whole}")
    yield kind, name, things
    connection.close()
    administer(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def there(database: tuple[str, str, Things]) -> Iterator[There]:
    """The site within a transaction, which is undone to bring it back to how it was."""
    kind, name, things = database
    use(sqlite(Path(name)) if kind == "sqlite" else postgresql(name))
    atomic = transaction.atomic()

    def again() -> None:
        nonlocal atomic
        if not connection.needs_rollback:
            connection.check_constraints()  # what a commit would have asked
        transaction.set_rollback(True)
        atomic.__exit__(None, None, None)
        atomic = transaction.atomic()
        atomic.__enter__()

    atomic.__enter__()
    yield There(kind, dict(things["one"]), again)
    transaction.set_rollback(True)
    atomic.__exit__(None, None, None)
    connection.close()


DRAFT = {
    "decision": "corrected", "texts": ["我改了。", "我改过了。"], "reason": "", "note": "",
    "active_ms": 5,
}  # fmt: skip
REVIEW = {
    "decision": "corrected",
    "rows": {"x": {"correct": False, "reasons": ["erroneous"], "note": "", "section": "",
                   "modified": "改", "off": [0]}},
    "additions": ["我加了。"], "reason": "", "note": "", "confirmed": True, "active_ms": 5,
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    """A request as a page's script sends it."""

    who: str
    method: str
    url: str
    body: object


def calls(things: dict[str, Any]) -> dict[str, Call]:
    """Every address that takes JSON, with a body that is right now."""
    slot = Slot.objects.get(pk=things["slot_id"])
    task = ReviewTask.objects.get(sentence=things["sentence_id"], state="open")
    study = Study.objects.filter(person__login="one-a2", state="open").exclude(
        pk=things["study_id"]
    )[0]
    rows = {
        digest: {"correct": True, "reasons": [], "note": "", "section": "", "modified": None,
                 "off": []}
        for digest in task.sentence.references.values_list("digest", flat=True)
    }  # fmt: skip
    reviewed = {**REVIEW, "rows": rows}
    key, root = str(uuid4()), "/p/one/"
    at = "2026-01-01T00:00:00Z"
    return {
        "draft": Call("annotator", "PUT", f"{root}draft/{slot.pk}",
                      {"rev": 0, "payload": DRAFT, "client_at": at}),
        "submit": Call("annotator", "POST", f"{root}submit/{slot.pk}",
                       {**DRAFT, "version": slot.version, "client_key": key, "suggestion": None,
                        "confirmed": True}),
        "skip": Call("annotator", "POST", f"{root}work/skip/{slot.pk}", {"version": slot.version}),
        "reopen": Call("annotator", "POST", f"{root}work/reopen/{slot.pk}", {"version": 1}),
        "review draft": Call("reviewer", "PUT", f"{root}review/{task.sentence_id}/draft",
                             {"rev": 0, "payload": REVIEW, "client_at": at}),
        "examine": Call("reviewer", "POST", f"{root}review/{task.sentence_id}/examine",
                        {"payload": REVIEW}),
        "finalise": Call("reviewer", "POST", f"{root}review/{task.sentence_id}/finalise",
                         {"version": task.version, "client_key": key, "payload": reviewed}),
        "try": Call("other annotator", "POST", f"{root}study/{study.pk}/try",
                    {**DRAFT, "texts": ["我试试。"], "version": study.version, "client_key": key}),
        "login": Call("manager", "POST", "/login", {"login": "x", "password": "y"}),
        "projects": Call("administrator", "POST", "/api/v1/projects",
                         {"slug": "new", "name": "N", "lang": "zh", "template": "mucgec",
                          "annotators": 3, "max_references": 3, "options": {"undo_seconds": 5}}),
        "releases": Call("manager", "POST", "/api/v1/projects/one/releases",
                         {"name": "r9", "note": "", "schemes": ["zh-char"]}),
        "tokens": Call("manager", "POST", "/api/v1/tokens",
                       {"name": "t", "scopes": ["read"], "expires_at": None}),
    }  # fmt: skip


NAMES = (
    "draft", "submit", "skip", "reopen", "review draft", "examine", "finalise", "try", "login",
    "projects", "releases", "tokens",
)  # fmt: skip


def send(client: Client, call: Call, raw: bytes | str) -> HttpResponseBase:
    return client.generic(
        call.method,
        call.url,
        raw,
        content_type="application/json",
        headers={"Accept": "application/json"},
    )


def wrong(answer: Any) -> str:
    """What is wrong with an answer; "" where it is one of ours."""
    if answer.status_code >= 500:
        return f"{answer.status_code}"
    if answer.status_code >= 400:
        try:
            data = json.loads(answer.content)
        except ValueError:
            return f"{answer.status_code} is no JSON: {answer.content[:100]!r}"
        if not (data.get("error") or data.get("problems")):
            return f"{answer.status_code} says nothing"
        if len(answer.content) > 300_000:
            return "it sends back all that came"
    return ""


@pytest.mark.parametrize("name", NAMES)
def test_every_field_takes_every_value_without_a_500(there: There, name: str):
    """Wrong types, huge numbers, NUL, halves of characters, depth: one field at a time."""
    call = calls(there.things)[name]
    client = there.client(call.who)
    broken, now = [], call
    turns = cycle([value for value in VALUES if value not in STORED])
    for path in places(call.body):
        # What a database may refuse, and of the others another five at each place.
        others = [next(turns) for _ in range(5)] if there.kind == "sqlite" else []
        for value in (*STORED, *others):
            raw = json.dumps(put(now.body, path, HOLE)).replace(f'"{HOLE}"', value)
            answer = send(client, now, raw)
            if fault := wrong(answer):
                broken.append((path, value[:40], fault))
            if answer.status_code < 400 and name not in ("examine", "login"):
                there.again()
                client, now = there.client(call.who), calls(there.things)[name]
    assert broken == []


# Whole bodies and unknown fields are refused before any database is asked.
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", NAMES)
def test_every_body_is_answered_without_a_500(there: There, name: str):
    call = calls(there.things)[name]
    client = there.client(call.who)
    answers = {raw[:20]: send(client, call, raw) for raw in WHOLE}
    assert {raw: wrong(answer) for raw, answer in answers.items() if wrong(answer)} == {}
    unread = [
        raw for raw, answer in answers.items() if answer.status_code < 400 and name != "reopen"
    ]
    assert unread == []


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("login", "reopen")])
def test_an_unknown_field_is_refused(there: There, name: str):
    """Mass assignment: nobody adds `person`, `state` or `is_manager` to what a page sends.

    Signing in and taking back read the fields that they name, and no others.
    """
    call = calls(there.things)[name]
    for field in ("person", "person_id", "state", "is_manager", "slot", "project", "__proto__"):
        answer = send(there.client(call.who), call, json.dumps({**call.body, field: 1}))
        assert answer.status_code in (400, 422), field
        assert wrong(answer) == ""


def _forms(there: There) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Who sends which form of which page; of forms that differ in an id alone, the first."""
    known = set()
    for who in LOGINS if there.kind == "sqlite" else ("annotator", "manager"):
        client = there.client(who)
        for route in ROUTES:
            if not allowed(who, route.access) or "api/" in route.path:
                continue
            if "logout" in route.path or "download" in route.path:
                continue
            url = route.at("one", there.things)
            answer = client.get(url)
            if answer.status_code != 200 or "html" not in answer.get("Content-Type", ""):
                continue
            for form in forms_in(answer.content.decode()):
                where = urljoin(url, form.action) if form.action else url
                if form.method == "post":
                    kind = (resolve(urlsplit(where).path).route, *form.fields)
                    if kind not in known:
                        known.add(kind)
                        yield who, where, form.fields


WORST = ("a\0b\ud800", "9" * 19)
"""What a database may refuse."""


def test_every_field_of_every_form_takes_every_text_without_a_500(there: There):
    broken, count, turns = [], 0, cycle(TYPED)
    for who, url, fields in list(_forms(there)):
        client = there.client(who)
        for name, value in fields.items():
            # What a database may refuse there, and of the others another one for each field.
            # Damaged texts end in the forms, before any database; numbers are too large for one.
            texts = (WORST[value.isdigit()], next(turns))
            for text in texts if there.kind == "sqlite" else WORST[1:] * value.isdigit():
                raw = urlencode({**fields, name: text}, errors="surrogatepass")
                answer = client.post(url, raw, content_type="application/x-www-form-urlencoded")
                count += 1
                if answer.status_code >= 500:
                    broken.append((who, url, name, text[:30], answer.status_code))
                if answer.status_code == 302:
                    there.again()
                    client = there.client(who)
    assert broken == []
    assert count > (100 if there.kind == "sqlite" else 10)


def rotated(names: Iterable[str], n: int) -> list[str]:
    """The names, beginning with another one for each number."""
    row = [*names]
    return row[n % len(row) :] + row[: n % len(row)]


def test_every_number_and_text_of_an_address_is_answered_without_a_500(there: There):
    """Huge, negative and strange numbers in paths and queries.

    Each address is asked by one of those who may come, by turns.
    """
    names = ("after", "before", "task", "q", "state", "source", "version", "who", "what", "person",
             "sort", "since", "until", "scheme", "page", "next", "part", "limit")  # fmt: skip
    turns = cycle([text for text in TYPED if len(text) <= 6000])
    broken = []
    clients = {who: there.client(who) for who in ("annotator", "reviewer", "manager")}
    for n, route in enumerate(ROUTES):
        who = next(
            (client for client in rotated(clients, n) if allowed(client, route.access)), None
        )
        if who is None:
            continue
        # What a database may refuse, and of the others another one at each address.
        for text in WORST if there.kind == "postgresql" else (*WORST, next(turns)):
            right = route.at("one", there.things)
            query = urlencode(dict.fromkeys(names, text), errors="surrogatepass")
            urls = [f"{right}?{query}"]
            if set(route.names) - {"slug"} and text and text.isprintable():
                odd = dict.fromkeys(route.names, text.replace("/", "").replace("?", ""))
                urls.append(route.at("one", {**there.things, **odd}))
            for url in urls:
                answer = clients[who].get(url)
                if getattr(answer, "streaming", False):
                    b"".join(answer.streaming_content)
                if answer.status_code >= 500:
                    broken.append((who, url[:90], answer.status_code))
    assert broken == []


_SCALAR = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.text(st.characters(categories=["Cs", "Cc", "Lo"]), max_size=8)
)
_JSON = st.recursive(
    _SCALAR,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | st.sampled_from(list(DRAFT)), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_nothing_that_a_script_could_send_breaks_a_page(there: There, data):
    """Hypothesis over the fields of every JSON address."""
    name = data.draw(st.sampled_from(NAMES))
    call = calls(there.things)[name]
    body = call.body
    for path in data.draw(st.lists(st.sampled_from([*places(body)]), min_size=1, max_size=2)):
        try:
            body = put(body, path, data.draw(_JSON))
        except (KeyError, TypeError, AssertionError):
            continue  # the place went with what stood around it
    answer = send(there.client(call.who), call, json.dumps(body))
    assert wrong(answer) == "", (name, body)
    if answer.status_code < 400:
        there.again()


def test_what_is_too_large_is_refused_before_it_is_read(there: There):
    """Ten million characters: 413 or 400, with words."""
    client, before = there.client("annotator"), Project.objects.count()
    call = calls(there.things)["draft"]
    answer = send(client, call, json.dumps(put(call.body, ("payload", "note"), "长" * 10_000_000)))
    assert answer.status_code in (400, 413)
    assert wrong(answer) == ""
    answer = client.post("/account/change", {"name": "长" * 10_000_000})
    assert answer.status_code in (400, 413)
    assert Project.objects.count() == before
