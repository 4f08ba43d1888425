"""Nobody learns what another annotator makes of a sentence before it is decided (ROL-5, INV-11).

Every address that an annotator can name is read: those of the resolver, with every id there is,
those that pages link to, and the REST API; bodies and headers.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.utils.http import urlsafe_base64_encode
from server.conftest import sqlite, use
from server.web.routes import BACKEND, ROUTES
from server.workflow.inspecting import begun, inspected, rated
from server.workflow.paying import closed, paying, totals
from server.workflow.perturbing import a_perturbation, perturbed
from server.workflow.reviewing import finalised, member_of, opened
from server.workflow.stories import (
    a_project,
    all_submitted,
    claimed,
    correction,
    error_free,
    joined,
    not_annotatable,
    sentence_of,
    submitted,
)

from gecbench.server.choices import Decision
from gecbench.server.import_export.releases import make_release
from gecbench.server.models import (
    Complaint,
    InspectionItem,
    InspectionRound,
    Member,
    PayPeriod,
    PayStatement,
    Person,
    Project,
    ReviewTask,
    Sentence,
    Slot,
    Study,
)
from gecbench.server.rules.pay import Formula
from gecbench.server.workflow import claims, complaints, drafts, pay, studies
from gecbench.server.workflow.answers import Answer

SECRET = "外人之笔"
"""Stands in everything that the other annotator and the reviewers write."""

NAMES = ("Zweite-Schreiberin", "zweite-login", "Dritter-Schreiber", "dritter-login")
REVIEWER = ("Rita-Richterin", "rita-login")
BEFORE = (1, 2, 3, 4, 5)
"""Numbers of the sentences that are not decided."""

FIRST = "我昨天去图书馆借书。"


def _person(login: str, name: str) -> None:
    Person.objects.create(login=login, name=name, password="!", language="en")


def answer_with(text: str, *, decision: Decision = Decision.CORRECTED, count: int = 1) -> Answer:
    """What the other one hands in."""
    if decision == Decision.CORRECTED:
        return correction(*(f"{SECRET}{text}{n}。" for n in range(count)))
    if decision == Decision.ERROR_FREE:
        return error_free()
    return not_annotatable("other", f"{SECRET}{text}")


def story(decision: Decision = Decision.CORRECTED, count: int = 1, **options: object) -> Project:
    """Two annotators who work on the same sentences in every way; nothing is decided."""
    for login, name in (
        ("me", "Ich"), (NAMES[1], NAMES[0]), (NAMES[3], NAMES[2]), (REVIEWER[1], REVIEWER[0]),
    ):  # fmt: skip
        _person(login, name)
    project = a_project(8, annotators=3, **options)
    me, other, third = (joined(project, name) for name in ("me", NAMES[1], NAMES[3]))
    joined(project, REVIEWER[1], "reviewer")
    other_says = answer_with("改", decision=decision, count=count)
    # 1: both have handed in, one place is free.
    submitted(other, sentence_of(project, 1), other_says)
    submitted(me, sentence_of(project, 1), correction(FIRST))
    # 2: only the other has; 3: all have, and a reviewer is at it.
    submitted(other, sentence_of(project, 2), other_says)
    all_submitted(
        sentence_of(project, 3), [me, other, third], [correction("我的。"), other_says, other_says]
    )
    task = opened(project, REVIEWER[1], 3)
    draft = {
        "decision": str(decision),
        "rows": {},
        "additions": [f"{SECRET}稿"] * count,
        "note": SECRET,
    }
    drafts.save_review_draft(member_of(project, REVIEWER[1]), task.sentence, rev=0, payload=draft)
    # 4: both have it open, with drafts. 5: the other has put it off.
    payload = {"decision": "corrected", "texts": [f"{SECRET}草"] * count, "note": f"{SECRET}注"}
    put_off = claimed(other, sentence_of(project, 5))
    drafts.save_draft(other, put_off.pk, rev=0, payload=payload)
    claims.skip(other, put_off.pk, version=put_off.version)
    held = claimed(other, sentence_of(project, 4))
    drafts.save_draft(other, held.pk, rev=0, payload=payload)
    mine = claimed(me, sentence_of(project, 4))
    my_draft = {"decision": "corrected", "texts": ["我的稿。"], "note": ""}
    drafts.save_draft(me, mine.pk, rev=0, payload=my_draft)
    return project


def signed_in(login: str) -> Client:
    client = Client(raise_request_exception=False, headers={"Accept-Language": "en"})
    client.force_login(Person.objects.get(login=login), backend=BACKEND)
    return client


def whole(answer) -> str:
    """All that an answer says, headers and cookies too, in plain characters."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    head = "\n".join(f"{name}: {value}" for name, value in answer.items())
    text = f"{head}\n{answer.cookies}\n{body.decode('utf-8', 'replace')}"
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    return text + plain + html.unescape(plain) + unquote(plain)


def ids(project: Project) -> dict[str, list[object]]:
    """Every id that somebody could guess, of everybody's things."""
    return {
        "slug": [project.slug],
        "number": [*range(1, 9)],
        "slot_id": [*Slot.objects.filter(person__isnull=False).values_list("pk", flat=True)] or [1],
        "sentence_id": [*Sentence.objects.values_list("pk", flat=True)],
        "study_id": [*Study.objects.values_list("pk", flat=True)] or [1],
        "study": [1],
        "complaint_id": [*Complaint.objects.values_list("pk", flat=True)] or [1],
        "member_id": [*Member.objects.values_list("pk", flat=True)],
        "version": [1],
        "section": ["work"],
        "release": [1],
        "name": ["r1"],
        "file": ["r1.tsv"],
        "format": ["jsonl", "mucgec", "m2", "submissions", "statistics"],
        "waiting": ["0" * 32],
        "invitation": [1],
        "assignment": [1],
        "secret": ["x"],
        "token_id": [1],
        "maker": [0, *Person.objects.values_list("pk", flat=True)],
        "uidb64": ["none", *(urlsafe_base64_encode(b"%d" % n) for n in range(1, 4))],
        "token": ["none"],
        **{key: [1] for key in ("practice_id", "trial_id", "task_id", "answer_id", "result_id")},
        "period_id": [*PayPeriod.objects.values_list("pk", flat=True)] or [1],
        "statement_id": [*PayStatement.objects.values_list("pk", flat=True)] or [1],
        "table": ["lines.csv", "lines.json", "people.csv"],
        "round_id": [*InspectionRound.objects.values_list("pk", flat=True)] or [1],
        "item_id": [*InspectionItem.objects.values_list("pk", flat=True)] or [1],
    }


def addresses(project: Project) -> Iterator[str]:
    """The resolver's addresses with every id."""
    known = ids(project)
    for route in ROUTES:
        first = {name: values[0] for name, values in known.items()}
        if "logout" in route.path:
            continue
        names = [name for name in route.names if name != "slug"]
        for name in names or ["slug"]:
            for value in known[name]:
                yield route.at(project.slug, {**first, name: value})


def read(client: Client, project: Project, *, writes: bool = False) -> dict[str, str]:
    """Address to what it says, of all that there are and all that pages link to."""
    return dict(reading(client, project, writes=writes))


def reading(client: Client, project: Project, *, writes: bool = False) -> Iterator[tuple[str, str]]:
    """The same, one after another."""
    pages: dict[str, str] = {}
    waiting = [*addresses(project), "/p/story/work?task=2", "/p/story/problems?state=all"]
    waiting += ["/p/story/study?state=closed", "/api/v1/projects/story/submissions?limit=200"]
    while waiting:
        url = waiting.pop(0)
        if url in pages:
            continue
        answer = client.get(url)
        assert answer.status_code < 500, url
        pages[url] = whole(answer)
        yield url, pages[url]
        for link in re.findall(r'(?:href|src|action|data-url)="(/[^"#]*)', pages[url]):
            if urlsplit(link).path not in ("/logout",) and not link.startswith("/static/"):
                waiting.append(html.unescape(link))
        if writes:
            # By turns as a script and as a form's page would have the answer.
            accept = ("application/json", "text/html")[len(pages) % 2]
            body = json.dumps({"version": 1, "client_key": str(uuid4()), "texts": ["x"],
                               "decision": "corrected", "rev": 0, "payload": {}})  # fmt: skip
            for method in ("POST", "PUT"):
                done = client.generic(
                    method, url, body, content_type="application/json", headers={"Accept": accept}
                )
                yield f"{method} {url}", whole(done)


def telling(pages: dict[str, str], *marks: str) -> list[tuple[str, str]]:
    """Which addresses say what nobody may read there."""
    return [(url, mark) for url, text in pages.items() for mark in marks if mark in text]


def test_rol_5_no_address_tells_an_annotator_a_foreign_text_or_name(site):
    """INV-11: whatever is asked for, read or sent, with whose ids ever."""
    project = story()
    pages = read(signed_in("me"), project, writes=True)
    assert len(pages) > 300
    assert telling(pages, SECRET, *NAMES, *REVIEWER) == []
    assert FIRST in "".join(pages.values()), "the own texts are there: something was read"


def test_per_5_no_address_tells_a_perturber_anything_of_the_variants_of_others(site):
    """ROL-5 in projects of cases: what others made of the case one is at, or have handed in."""
    for login, name in (("me", "Ich"), (NAMES[1], NAMES[0]), (NAMES[3], NAMES[2])):
        _person(login, name)
    project = a_perturbation(slug="story", annotators=3)
    me, other, third = (joined(project, name) for name in ("me", NAMES[1], NAMES[3]))
    perturbed(other, sentence_of(project, 1), f"{SECRET}甲")
    perturbed(third, sentence_of(project, 1), f"{SECRET}乙")
    perturbed(other, sentence_of(project, 2), f"{SECRET}丙")
    perturbed(me, sentence_of(project, 2), "今天")
    claimed(me, sentence_of(project, 1))
    pages = read(signed_in("me"), project, writes=True)
    assert telling(pages, SECRET, *NAMES) == []
    assert "他今天去公园玩。" in "".join(pages.values())


@pytest.mark.slow
def test_rol_5_the_other_one_is_in_no_answer_for_who_waits_paused(site):
    project = story()
    Member.objects.filter(person__login="me").update(status="paused")
    assert telling(read(signed_in("me"), project), SECRET, *NAMES, *REVIEWER) == []


CHANGING = re.compile(
    r"[A-Za-z0-9]{64}|[A-Za-z0-9]{32}|[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{12}\b"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d[0-9:.+Z]*|\b\d{1,2}:\d\d\b|Content-Length: \d+"
    r"|Expires: [^\n]*|expires=[^;]*|Date: [^\n]*"
    r"|\"seconds\": [0-9.]+|name=\"handle\" value=\"[^\"]*"
)
"""What differs from one answer to the next whoever asks: tokens, keys, moments."""


@pytest.mark.slow
def test_rol_5_no_answer_depends_on_what_the_other_one_decided(
    migrated_sqlite: Path, tmp_path: Path
):
    """No count, no length, no order gives it away: sites that differ in it alone look the same."""
    kinds = ((Decision.CORRECTED, 3), (Decision.ERROR_FREE, 0), (Decision.NOT_ANNOTATABLE, 1))
    stories = [partial(story, decision, count) for decision, count in kinds]
    assert differences(migrated_sqlite, tmp_path, stories, "me") == []


def differences(
    migrated_sqlite: Path, tmp_path: Path, stories: Sequence[Callable[[], Project]], *logins: str
) -> list[tuple[str, str, str]]:
    """Where these people read in one site what they do not read in the first."""
    differing = []
    for n, tell in enumerate(stories):
        path = tmp_path / f"{n}.sqlite3"
        shutil.copy(migrated_sqlite, path)
        use(sqlite(path))
        project = tell()
        differing.append(
            {
                f"{login} {url}": CHANGING.sub("#", text)
                for login in logins
                for url, text in read(signed_in(login), project).items()
            }
        )
        connection.close()
    first, *others = differing
    assert all(other.keys() == first.keys() for other in others)
    return [
        difference(url, other[url], first[url])
        for other in others
        for url in other
        if other[url] != first[url]
    ]


def difference(url: str, first: str, second: str) -> tuple[str, str, str]:
    """Where two answers part."""
    place = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    return url, first[max(0, place - 60) : place + 60], second[max(0, place - 60) : place + 60]


def ended(reveal_after: int | None = 1) -> tuple[Project, str, str]:
    """A sentence that is decided: the other's first text is golden, mine and their second not."""
    for login, name in (("me", "Ich"), (NAMES[1], NAMES[0]), (REVIEWER[1], REVIEWER[0])):
        _person(login, name)
    project = a_project(3, annotators=2, reveal_after=reveal_after)
    me, other = joined(project, "me"), joined(project, NAMES[1])
    joined(project, REVIEWER[1], "reviewer")
    right, wrong = f"{SECRET}对。", f"{SECRET}错。"
    answers = [correction("我写错了。"), correction(right, wrong)]
    all_submitted(sentence_of(project, 1), [me, other], answers)
    finalised(project, [right], login=REVIEWER[1])
    return project, right, wrong


def test_stu_4_golden_texts_are_hidden_until_a_try_failed_and_names_for_ever(site):
    project, right, wrong = ended()
    client = signed_in("me")
    assert telling(read(client, project), SECRET, *NAMES, *REVIEWER) == []
    study = Study.objects.get(person__login="me", state="open")
    me = member_of(project, "me")
    studies.attempt(
        me, study.pk, version=study.version, client_key=uuid4(), answer=correction("又错了。")
    )
    pages = read(client, project)
    drawn = right.removesuffix("。")  # the full stop is the source's, so it is drawn for itself
    assert {urlsplit(url).path for url, _ in telling(pages, drawn)} == {
        f"/p/story/study/{study.pk}"
    }
    assert telling(pages, wrong, *NAMES, *REVIEWER) == []


def test_stu_4_a_complaint_shows_its_author_no_more_than_the_item_does(site):
    project, right, wrong = ended()
    study = Study.objects.get(person__login="me", state="open")
    complaints.complain(member_of(project, "me"), study.pk, argument="为什么？", client_key=uuid4())
    pages = read(signed_in("me"), project)
    assert telling(pages, right, wrong, *NAMES, *REVIEWER) == []


def test_stu_4_never_is_never(site):
    project, right, wrong = ended(reveal_after=None)
    me = member_of(project, "me")
    for _ in range(3):
        study = Study.objects.get(person__login="me", state="open")
        studies.attempt(
            me, study.pk, version=study.version, client_key=uuid4(), answer=correction("又错。")
        )
    assert telling(read(signed_in("me"), project), right, wrong, *NAMES, *REVIEWER) == []


def test_a_release_and_its_files_are_not_for_annotators(site):
    project, right, wrong = ended()
    make_release(project, name="r1", by=None)
    pages = read(signed_in("me"), project)
    assert telling(pages, right, wrong) == []


ANNOTATORS = (*NAMES, "Ich ", ">Ich<", '"Ich"')


@pytest.mark.parametrize("sees", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_rol_6_reviewers_read_no_names_unless_the_project_shows_them(site, sees: bool):
    """Before and after the decision, in reviews, complaints and their talk."""
    project = story(reviewer_sees_names=sees)
    me = member_of(project, "me")
    finalised(project, [f"{SECRET}改0。"], login=REVIEWER[1], number=3)
    study = Study.objects.get(person__login="me", state="open")
    complaints.complain(me, study.pk, argument="为什么？", client_key=uuid4())
    joined(project, "rolf", "reviewer")
    third = joined(project, "third")
    submitted(third, sentence_of(project, 1), correction("三。"))
    assert ReviewTask.objects.filter(state="free").exists()
    for login in ("rolf", REVIEWER[1]):
        addresses = reading(signed_in(login), project)
        leaks = (leak for url, text in addresses for leak in telling({url: text}, *ANNOTATORS))
        first = next(leaks, None)
        assert bool(first) == sees, (login, first)


def one_has_rated(*accepts: bool) -> Project:
    """A round of inspection in which Jane has rated one item."""
    project = inspected()
    item = begun(project).items.get(position=1)
    rated(project, "jane", item, *accepts, note=f"{SECRET}{accepts}")
    for login in ("john", "boss"):
        Person.objects.filter(login=login).update(language="en")
    return project


def test_jud_1_no_address_tells_what_the_other_judge_said(migrated_sqlite: Path, tmp_path: Path):
    """Neither the text, nor by any difference; the lead does not read it either."""
    stories = [partial(one_has_rated, True, False), partial(one_has_rated, False, True)]
    assert differences(migrated_sqlite, tmp_path, stories, "john", "boss") == []


def test_pay_5_nobody_but_the_manager_reads_what_another_earned(site, monkeypatch):
    project = ended()[0]
    monkeypatch.setattr(pay, "SETTLED", timedelta(seconds=-9))
    paying(project, Formula(annotation=Decimal("1234.56"), review=Decimal("3456.78")))
    people = [member_of(project, login) for login in ("me", NAMES[1])]
    answers = [correction("我写错了。"), correction(f"{SECRET}二。")]
    all_submitted(sentence_of(project, 2), people, answers)
    finalised(project, [f"{SECRET}二。"], login=REVIEWER[1], number=2)
    assert totals(closed(project)) == {"me": 0, NAMES[1]: 246912, REVIEWER[1]: 691356}
    for login in ("me", REVIEWER[1]):
        pages = read(signed_in(login), project)
        assert telling(pages, "2469.12", "2,469.12", "246912") == []
    assert telling(pages, "6913.56") != [], "what the reviewer earned is there for them"
