"""The description of the API is true, and whatever is sent is answered in words, never by 500."""

from __future__ import annotations

import json
import string

import hypothesis.strategies as st
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client
from django.urls import resolve
from hypothesis import HealthCheck, given, settings
from server.import_export.files import reviewed
from server.rest.calls import ROOT, Caller, answer_of, operations
from server.workflow.stories import somebody

from gecbench.server.import_export.releases import make_release
from gecbench.server.models import Project
from gecbench.server.rest import projects
from gecbench.server.rest.urls import api

OPERATIONS = sorted((path, method) for path, method, _ in operations())


def test_the_description_is_open_and_names_no_foreign_host(site):
    status, body = answer_of(Client().get(f"{ROOT}openapi.json"))
    assert (status, body["info"]["title"]) == (200, "gecbench")
    assert "http" not in json.dumps({**body, "components": {}})
    assert answer_of(Client().get(ROOT)) == (200, {"openapi": f"{ROOT}openapi.json"})
    assert answer_of(Client().get(f"{ROOT}docs"))[0] == 404
    schemes = body["components"]["securitySchemes"]
    assert {scheme["type"] for scheme in schemes.values()} == {"http", "apiKey"}


def test_every_operation_says_what_it_does():
    bare = [path for path, _, about in operations() if not about.get("description")]
    assert bare == []
    assert len(OPERATIONS) >= 18


def test_what_somebody_sends_has_no_unknown_field(site):
    caller = Caller(somebody("root", is_administrator=True))
    body = {"slug": "x", "name": "x", "lang": "zh", "is_admin": True}
    status, answer = caller.post("projects", body)
    assert status == 422
    assert answer["problems"] == [
        {"field": "given.is_admin", "message": "Extra inputs are not permitted"}
    ]
    status, answer = caller.post("projects", {**body, "is_admin": 1, "name": "a\0b"})
    assert status == 422
    reviewed(manager="root")
    status, answer = caller.send("projects/story/imports/plan", "我\n", sorce="x")
    assert (status, answer["error"].split(";")[0]) == (422, "unknown field 'sorce'")
    for path in ("me", "tokens", "projects", "projects/story", "projects/story/sentences/1"):
        status, answer = caller.get(path, x=1)
        assert (status, answer["error"]) == (422, "unknown parameter 'x'; there are none here")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OperationalError("database is locked"), 503),
        (OperationalError("database or disk is full"), 507),
        (ZeroDivisionError("oh"), 500),
    ],
)
def test_what_breaks_is_answered_without_its_inside(site, monkeypatch, error, status):
    def broken(*_):
        raise error

    caller = Caller(somebody("root", is_administrator=True))
    reviewed(manager="root")
    monkeypatch.setattr(projects, "_sentence", broken)
    code, body = caller.get("projects/story/sentences")
    assert code == status
    assert set(body) == {"error", "request_id"}
    assert str(error) not in body["error"]


_NASTY = st.text(st.sampled_from("a1/.%\0'\"<>\\ é学😀\n;--=[]{}"), max_size=12) | st.sampled_from(
    ["", "0", "-1", "null", "99999999999999999999", "true", "v1", "1", "story"]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _NASTY,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NASTY, inner, max_size=3),
    max_leaves=6,
)
_FIELDS = (
    *("slug", "name", "lang", "template", "annotators", "max_references", "options", "note"),
    *("schemes", "scopes", "expires_at", "format", "encoding", "references", "duplicates"),
)
_BODY = st.dictionaries(st.sampled_from(_FIELDS), _JSON, max_size=5) | _JSON
_QUERY = st.dictionaries(
    st.sampled_from(
        ["after", "limit", "state", "purpose", "decision", "scheme", "names", "alias", "part", "x"]
    ),
    _NASTY,
    max_size=3,
)


@pytest.fixture
def root(site) -> Caller:
    project: Project = reviewed(manager="root")
    make_release(project, name="v1", by=None)
    return Caller(somebody("root", is_administrator=True))


def _path(data: st.DataObject, path: str) -> str:
    from urllib.parse import quote

    for name in [part[1] for part in string.Formatter().parse(path) if part[1]]:
        right = {"slug": "story", "number": "1", "format": "mucgec", "name": "v1", "file": "v1.tsv"}
        value = data.draw(st.just(right.get(name, "1")) | _NASTY)
        path = path.replace("{" + name + "}", quote(value, safe=""))
    return ROOT + path.removeprefix("/")


@pytest.mark.slow
@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_nothing_that_is_sent_breaks_it(root, data):
    """Every operation, with right and wrong values for everything: the answer is one of ours."""
    path, method = data.draw(st.sampled_from(OPERATIONS))
    address = _path(data, path)
    query = data.draw(_QUERY)
    arguments: dict[str, object] = {"headers": root.headers}
    if method == "post" and "imports" in path:
        content = data.draw(st.binary(max_size=40) | _NASTY.map(str.encode))
        fields = data.draw(st.dictionaries(st.sampled_from(_FIELDS), _NASTY, max_size=3))
        arguments["data"] = {"file": SimpleUploadedFile("f.txt", content), **fields}
    elif method == "post":
        arguments["data"] = json.dumps(data.draw(_BODY))
        arguments["content_type"] = "application/json"
    elif method == "get":
        arguments["data"] = query
    if method == "delete" and address.endswith("/1"):
        return  # that is the token with which all this is asked
    status, body = answer_of(getattr(root.client, method)(address, **arguments))
    assert status < 500, (method, address, query, body)
    if status >= 400 and not isinstance(body, str):  # no address at all: the site's own page
        assert set(body) <= {"error", "request_id", "problems"}
        assert body["error"]


def test_the_site_has_the_api_under_its_address():
    match = resolve("/api/v1/me", urlconf="gecbench.server.urls")
    assert match.namespace == api.urls_namespace
    assert resolve("/api/v1/", urlconf="gecbench.server.urls").url_name == "api-root"
