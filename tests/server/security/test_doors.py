"""Doors that are no view's own: methods, tokens in bodies, foreign ids, cookies, caches, logs."""

from __future__ import annotations

import json
import logging
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from server.web.routes import BACKEND, MARK, OURS, ROUTES, World, allowed
from server.worlds import there, work_done, world_database

from gecbench.server.choices import Role
from gecbench.server.models import (
    Draft,
    Invitation,
    Member,
    Notice,
    Person,
    Project,
    Sentence,
    Slot,
    Study,
)
from gecbench.server.web.http import LIMITS, Buckets
from gecbench.server.workflow import members

__all__ = ["there", "world_database"]


def enters(login: str, *, csrf: bool = False) -> Client:
    client = Client(enforce_csrf_checks=csrf, raise_request_exception=False)
    client.force_login(Person.objects.get(login=login), backend=BACKEND)
    return client


def body_of(answer) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


@pytest.mark.parametrize("who", ["annotator", "manager"])
def test_a_wrong_method_does_nothing(there: World, who: str):
    """Reading addresses read, writing ones do not answer GET; nothing else is known."""
    before, strange = work_done(), []
    for route in ROUTES:
        path = route.at("one", there.things["one"])
        for method in ("DELETE", "TRACE", "BREW"):
            if "openapi" in path or (route.path.startswith("api/") and method == "DELETE"):
                continue  # the description is open to all and changes nothing
            answer = there.clients[who].generic(method, path)
            if answer.status_code not in (404, 405) and "healthz" not in path:
                strange.append((method, path, answer.status_code))
    assert strange == []
    assert work_done() == before


def test_a_beacon_carries_its_token_in_the_body(there: World):
    """sendBeacon sets no header: with the token in the form it is taken, without it is not."""
    client = enters("one-a1", csrf=True)
    page = client.get("/p/one/work")
    token = page.context["csrf_token"]
    slot = there.things["one"]["slot_id"]
    payload = json.dumps({"rev": 0, "payload": {"decision": "corrected", "texts": ["好。"]}})
    url = f"/p/one/draft/{slot}"
    assert client.post(url, {"payload": payload}).status_code == 403
    wrong = {"payload": payload, "csrfmiddlewaretoken": "x" * 64}
    assert client.post(url, wrong).status_code == 403
    assert not Draft.objects.filter(slot=slot).exists()
    right = {"payload": payload, "csrfmiddlewaretoken": str(token)}
    assert client.post(url, right).status_code == 200
    assert Draft.objects.get(slot=slot).payload["texts"] == ["好。"]


def test_a_foreign_origin_is_refused_even_with_a_token(there: World):
    client = enters("one-boss", csrf=True)
    token = str(client.get("/account").context["csrf_token"])
    form = {"name": "Neu", "goal": "0", "csrfmiddlewaretoken": token}
    evil = {"Origin": "https://evil.example"}
    assert client.post("/account/change", form, headers=evil).status_code == 403
    here = {"Origin": "http://testserver"}
    assert client.post("/account/change", form, headers=here).status_code == 302


def test_every_answer_to_somebody_signed_in_has_all_headers_and_stays_in_no_cache(there: World):
    """Pages, failures, JSON, files: policy, nosniff, frames, referrer; never in a cache.

    None lets another site read it, either. Pages are written to by both people; of the interface
    for programs one writes and the other one deletes, by turns.
    """
    missing = []
    for who in ("annotator", "manager"):
        for n, route in enumerate(ROUTES):
            by_turns = ("POST", "DELETE")[(n + (who == "manager")) % 2]
            for method in ("GET", by_turns if route.path.startswith("api/") else "POST"):
                path = route.at("one", there.things["one"])
                if "logout" in path:
                    continue
                headers = {"Origin": "https://evil.example"}
                answer = there.clients[who].generic(method, path, headers=headers)
                body_of(answer)
                sent = answer.headers
                fine = (
                    "default-src 'none'" in sent.get("Content-Security-Policy", "")
                    and "unsafe" not in sent["Content-Security-Policy"]
                    and sent.get("X-Content-Type-Options") == "nosniff"
                    and sent.get("X-Frame-Options") == "DENY"
                    and sent.get("Referrer-Policy") == "same-origin"
                    and "X-Request-Id" in sent
                    and "Permissions-Policy" in sent
                    and not [name for name in sent if name.lower().startswith("access-control")]
                    and ("no-store" in sent.get("Cache-Control", "")
                         or "private" in sent.get("Cache-Control", ""))
                )  # fmt: skip
                if not fine:
                    missing.append((method, path, answer.status_code, dict(sent)))
    assert missing == []


def test_ids_of_another_project_in_a_form_change_nothing(there: World):
    """The address is one's own; what the form names is not."""
    mine, other = there.things["one"], there.things["two"]
    boss = there.clients["manager"]
    foreign = Member.objects.get(project__slug="two", person__login="two-rita").pk
    theirs = Sentence.objects.filter(project__slug="two").values_list("pk", flat=True)
    before, m = work_done(), "/p/one/manage/"
    forms = {
        f"{m}sentences/3/assign": {"reviewer": foreign},
        f"{m}sentences/bulk/do": {
            "act": "withdraw", "ids": ",".join(map(str, theirs)), "typed": len(theirs),
            "reason": "x",
        },
        f"{m}sentences/bulk": {"act": "withdraw", "sentence": list(theirs)},
        f"{m}sentences/1/waive/{other['study_id']}": {"note": "x"},
        f"{m}members/{foreign}": {"roles": ["manager"], "status": "active"},
        f"{m}members/invitations/{other['invitation']}": {},
        f"{m}guideline/cases": {"case": 1},
        f"/p/one/problems/{other['complaint_id']}/case": {"note": "x"},
    }  # fmt: skip
    for url, form in forms.items():
        answer = boss.post(url, form)
        assert MARK not in body_of(answer).decode(), url
        assert answer.status_code in (302, 404, 422), (url, answer.status_code)
    assert work_done() == before
    assert Invitation.objects.get(pk=other["invitation"]).revoked_at is None
    assert mine["slot_id"] != other["slot_id"]


def test_nobody_touches_the_work_of_a_colleague(there: World):
    """Slots, studies, complaints, notices, sessions and tokens of another person."""
    things, me = there.things["one"], there.clients["other annotator"]
    ones = Person.objects.get(login="one-a1")
    notice = Notice.objects.filter(person=ones).first() or Notice.objects.create(
        person=ones, kind="guideline", data={}
    )
    before = work_done()
    answer = {"version": 1, "client_key": str(uuid4()), "decision": "corrected", "texts": ["x。"]}
    slot = things["slot_id"]
    for url, body in (
        (f"/p/one/submit/{slot}", answer),
        (f"/p/one/draft/{slot}", {"rev": 0, "payload": {"decision": "", "texts": ["x"]}}),
        (f"/p/one/work/skip/{slot}", {"version": 1}),
        (f"/p/one/work/reopen/{slot}", {}),
    ):
        response = me.post(
            url, json.dumps(body), content_type="application/json",
            headers={"Accept": "application/json"},
        )  # fmt: skip
        assert response.status_code in (404, 409, 410), (url, response.content)
        assert OURS not in response.content.decode()
    theirs = Study.objects.filter(person=ones).first()
    if theirs is not None:
        assert me.get(f"/p/one/study/{theirs.pk}").status_code == 404
    me.post("/notices/read", {"notice": notice.pk})
    assert Notice.objects.get(pk=notice.pk).read_at is None
    assert me.post(f"/account/tokens/{things['token_id']}/revoke").status_code == 404
    me.post("/account/sessions/end", {"handle": "all"})
    assert there.clients["annotator"].get("/account").status_code == 200
    assert work_done() == before


NEW_RIGHTS = {
    "is_administrator": "on", "is_superuser": "1", "is_staff": "1", "is_active": "",
    "login": "root2", "password": "x", "is_manager": "on", "status": "active", "person": "1",
    "preferences": '{"keys": {}}', "id": "1", "pk": "1",
}  # fmt: skip


def test_a_form_gives_no_rights_that_it_does_not_ask_for(there: World):
    """Mass assignment by forms: fields that a page does not have mean nothing."""
    client = enters("one-a1")
    before = Person.objects.filter(login="one-a1").values()[0]
    client.post("/account/change", {**NEW_RIGHTS, "name": "Neu", "goal": "0"})
    after = Person.objects.filter(pk=before["id"]).values()[0]
    changed = {name for name in after if after[name] != before[name]}
    assert changed <= {"name", "language", "theme", "preferences"}
    project = Project.objects.get(slug="one")
    _, secret = members.invite(project, roles=[Role.ANNOTATOR], by=None)
    form = {**NEW_RIGHTS, "login": "neu", "name": "Neu", "password": "long and rare 1",
            "again": "long and rare 1", "roles": ["manager", "reviewer"]}  # fmt: skip
    assert Client().post(f"/invitation/{secret}", form).status_code == 302
    new = Member.objects.get(project=project, person__login="neu")
    assert (new.is_annotator, new.is_manager, new.is_reviewer, new.is_judge) == (1, 0, 0, 0)
    assert not new.person.is_administrator


@pytest.mark.parametrize("end", ["used", "over", "revoked", "guessed", "empty"])
def test_a_link_that_does_not_hold_lets_nobody_in(there: World, end: str):
    project, boss = Project.objects.get(slug="one"), Person.objects.get(login="one-boss")
    invitation, secret = members.invite(project, roles=[Role.MANAGER], by=boss)
    if end == "used":
        members.accept(secret, login="first", name="First", password="long and rare 1")
    elif end == "over":
        late = timezone.now() - timedelta(seconds=1)
        Invitation.objects.filter(pk=invitation.pk).update(expires_at=late)
    elif end == "revoked":
        members.revoke(invitation, by=boss)
    elif end == "guessed":
        secret = invitation.token_hash  # what the database holds is not what opens
    else:
        secret = "%00"
    people = Person.objects.count()
    form = {"login": "x", "name": "X", "password": "long and rare 1", "again": "long and rare 1"}
    for client in (Client(raise_request_exception=False), enters("stranger")):
        for data in (form, {"do": "join"}):
            answer = client.post(f"/invitation/{secret}", data)
            assert answer.status_code == (404 if end in ("guessed", "empty") else 410)
            assert "One" not in answer.content.decode()
    assert Person.objects.count() == people
    assert not Member.objects.filter(project=project, person__login="stranger").exists()


@pytest.mark.parametrize("status", ["paused", "left", "training", "trial", "invited"])
def test_rol_4_tri_3_only_the_active_get_or_hand_in_a_task(there: World, status: str):
    """With a session that was open all the time, and requests made by hand."""
    things, client = there.things["one"], enters("one-a1")
    slot = Slot.objects.get(pk=things["slot_id"])
    assert client.get("/p/one/work").status_code == 200
    Member.objects.filter(project__slug="one", person__login="one-a1").update(status=status)
    before = work_done()
    answer = {"version": slot.version, "client_key": str(uuid4()), "decision": "corrected",
              "texts": ["我改了。"], "confirmed": True}  # fmt: skip
    for url, body in (
        (f"/p/one/submit/{slot.pk}", answer),
        (f"/p/one/draft/{slot.pk}", {"rev": 0, "payload": {"texts": ["x"]}}),
        (f"/p/one/work/skip/{slot.pk}", {"version": slot.version}),
        ("/p/one/work/claim", {}),
        (f"/p/one/work/recall/{slot.sentence_id}", {}),
        (f"/p/one/work/reopen/{slot.pk}", {}),
    ):
        response = client.post(
            url, json.dumps(body), content_type="application/json",
            headers={"Accept": "application/json"},
        )  # fmt: skip
        assert response.status_code in (403, 404), (url, response.status_code)
    page = client.get("/p/one/work")
    assert page.status_code in (200, 404)
    text = page.content.decode()
    assert slot.sentence.text not in text, "the page says why there is no task, and shows none"
    assert page.status_code == 404 or page.context["page"]["task"] is None
    assert work_done() == before


def test_a_person_who_is_shut_out_is_out_at_once(there: World):
    client = enters("one-boss")
    assert client.get("/p/one/manage/").status_code == 200
    Person.objects.filter(login="one-boss").update(is_active=False)
    for route in ROUTES:
        if route.access.who == "anyone":
            continue
        answer = client.get(route.at("one", there.things["one"]))
        assert answer.status_code in (302, 401, 405), route.path
        assert OURS not in body_of(answer).decode("utf-8", "replace")


def test_a_session_of_before_is_no_session_after_signing_in(there: World):
    """Fixation: a key that somebody else knows is not the key of who signs in with it."""
    client = Client()
    client.cookies["gecbench_session"] = "attackersattackersattackers12345"
    client.get("/login")
    Person.objects.filter(login="stranger").update(
        password=Person.objects.get(login="stranger").password
    )
    client.force_login(Person.objects.get(login="stranger"), backend=BACKEND)
    assert client.cookies["gecbench_session"].value != "attackersattackersattackers12345"
    other = Client()
    other.cookies["gecbench_session"] = "attackersattackersattackers12345"
    assert other.get("/account").status_code == 302


SECRETS = ("password", "argon2", "secret.key", "gecb_")


def test_no_log_line_has_a_text_a_name_or_a_secret(there: World, caplog):
    """Everybody reads and posts everywhere; the log has routes, numbers, times."""
    with caplog.at_level(logging.DEBUG):
        for who in ("annotator", "manager", "anonymous"):
            for route in ROUTES:
                if "logout" in route.path:
                    continue
                path = route.at("one", there.things["one"])
                body_of(there.clients[who].get(path + "?q=机密查询"))
                form = {"text": "机密之言", "note": "机密之言", "name": "机密之名"}
                there.clients[who].post(path, form)
    ours = [record for record in caplog.records if not record.name.startswith("django.db")]
    text = "\n".join(f"{record.getMessage()} {record.exc_text or ''}" for record in ours)
    assert len(ours) > 300
    secret = str(there.things["one"]["secret"])
    for hush in ("机密", OURS, "One-Boss", "one-a1", secret, *SECRETS):
        assert hush not in re.sub(r"/\S*password\S*", "", text), hush


def test_no_page_shows_a_secret(there: World):
    """Hashes of passwords and tokens, the site's key: on no page, in no answer of the API."""
    hashes = set(Invitation.objects.values_list("token_hash", flat=True))
    for who in ("manager", "administrator"):
        for route in ROUTES:
            if not allowed(who, route.access):
                continue
            text = body_of(there.clients[who].get(route.at("one", there.things["one"]))).decode(
                "utf-8", "replace"
            )
            assert not [digest for digest in hashes if digest in text], route.path
            assert "argon2" not in text, route.path


@pytest.mark.parametrize(("kind", "pause", "times"), [("draft", 0.8, 2000), ("submit", 3.0, 500)])
def test_honest_work_is_never_too_fast(kind: str, pause: float, times: int):
    """Drafts at every pause of typing (section 4.9), a submission every three seconds: all day."""
    now = [0.0]
    buckets = Buckets(clock=lambda: now[0])
    for _ in range(times):
        assert buckets.wait(kind, 1) == 0
        now[0] += pause
    burst = LIMITS[kind].burst
    refused = [buckets.wait(kind, 1) for _ in range(burst + 5)]
    assert refused[-1] > 0, "who runs wild is stopped"


@pytest.mark.parametrize(
    "target", ["x", "logout", "²", "{{7}}", "//evil.example", "/\\evil.example"]
)
def test_a_way_on_that_is_no_address_of_the_site_leads_home(there: World, target: str):
    client = there.clients["annotator"]
    assert client.get("/login", {"next": target})["Location"] == "/"
    assert client.post("/language", {"next": target, "language": "en"})["Location"] == "/"
