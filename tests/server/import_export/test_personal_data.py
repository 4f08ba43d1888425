"""What a site keeps of one person, as a file: all of it, and nothing of anybody else."""

from __future__ import annotations

import json
from collections import Counter

from django.apps import apps
from django.test import Client
from server.security.hostile import hostile
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised, member_of, waiting
from server.workflow.stories import a_project, joined, submitted

from gecbench.server.import_export import personal_data
from gecbench.server.models import Audit, Draft, Person, Submission
from gecbench.server.workflow import claims

ELSEWHERE = {
    "Invitation.for_person": "a link that others made",
    "Invitation.by": "in the log as invitation.made",
    "Invitation.used_by": "in the log as invitation.used",
    "Project.created_by": "in the log as project.created",
    "MemberEvent.by": "in the log as member.changed",
    "Assignment.by": "in the log as assignment.made",
    "Slot.person": "each thing that happened to it is a place",
    "ReviewTask.reviewer": "each that was decided is a review, each opened a reading",
    "ReviewTask.not_for": "the review that was questioned",
    "ReviewTask.handed_by": "in the log as review.handed_on",
    "Session.person": "lines of the kind session, of those that live",
    "Study.closed_by": "in the log",
    "InspectionRound.by": "in the log as inspection.begun",
    "PayFormula.by": "in the log as pay.formula_saved",
    "PayActivation.by": "in the log as pay.formula_activated",
    "PayPeriod.by": "in the log as pay.closed",
    "Overruling.by": "in the log as trial.overruled and gold.overruled",
    "Complaint.first_reviewer": "the review that is questioned",
}
"""Columns with people that have no lines of their own, and where it is told instead."""


def lines_of(person: Person) -> list[dict[str, object]]:
    return [
        json.loads(part)
        for part in b"".join(personal_data.export_personal_data(person)).decode().split("\n")
        if part
    ]


def test_every_column_with_a_person_is_in_the_file_or_named_here(site):
    person_columns = set()
    for _, rows, _told in personal_data._kinds(Person(pk=1)):
        where = [child.lhs for child in rows.query.where.children]
        person_columns |= {(column.target.model.__name__, column.target.name) for column in where}
    person_columns |= {
        ("StudyTry", "study"),
        ("MemberEvent", "member"),
        ("Assignment", "member"),
        ("Trial", "member"),
    }
    columns = {
        f"{model.__name__}.{column.name}"
        for model in apps.get_app_config("server").get_models()
        for column in model._meta.fields
        if column.related_model is Person
    }
    names = {f"{model}.{column}" for model, column in person_columns}
    assert columns - names == set(ELSEWHERE)
    assert not names & set(ELSEWHERE)


def test_the_file_counts_what_the_tables_count(furnished):
    furnished("hostile", hostile)
    kinds = set()
    for person in Person.objects.order_by("pk")[:20]:  # who works there comes first
        header, *lines = lines_of(person)
        assert (header["format"], header["login"]) == ("gecbench-own-data", person.login)
        counts = Counter(line["kind"] for line in lines)
        kinds |= set(counts)
        for kind, rows, _ in personal_data._kinds(person):
            assert counts[kind] == rows.count(), kind
        assert sum(counts.values()) == len(lines)
    every = {kind for kind, _, _ in personal_data._kinds(Person(pk=1))}
    elsewhere = {"import", "token", "pay_statement", "variant_check"}
    assert every - kinds <= elsewhere, "kinds that this site has no line of"


def test_own_texts_are_in_it_and_foreign_ones_are_not(site):
    project = waiting(reviewers=("rita",))
    finalised(project, (GOOD, FAIR))
    a2 = member_of(project, "a2").person
    mine = set(Submission.objects.filter(person=a2).values_list("references__text", flat=True))
    foreign = {GOOD, FAIR, BAD} - mine
    text = b"".join(personal_data.export_personal_data(a2)).decode()
    assert mine
    assert foreign
    assert all(written in text for written in mine)
    assert [written for written in foreign if written in text] == []
    rita = b"".join(personal_data.export_personal_data(member_of(project, "rita").person)).decode()
    assert '"kind": "review"' in rita
    assert [text for text in mine if text in rita] == []


def test_nothing_in_it_tells_who_reviewed_ones_work(site):
    project = waiting(reviewers=("rita",))
    finalised(project, (GOOD, FAIR))
    lines = lines_of(member_of(project, "a2").person)
    places = [line for line in lines if line.get("kind") == "place"]
    assert {line["what"] for line in places} >= {"claim", "submit"}
    assert all("by" not in line["data"] for line in places)


def test_more_rows_than_a_piece_come_in_order(site, monkeypatch):
    monkeypatch.setattr(personal_data, "_PIECE", 2)
    project = a_project(5, annotators=1)
    li = joined(project, "li")
    for _ in range(5):
        slot = claims.current(li).slot
        submitted(li, slot.sentence)
    lines = [line for line in lines_of(li.person) if line.get("kind") == "submission"]
    numbers = Submission.objects.order_by("pk").values_list("sentence__number", flat=True)
    assert [line["sentence"] for line in lines] == list(numbers)
    assert len(lines) == 5


def test_the_page_gives_the_file_to_whoever_asks_for_their_own(site):
    project = a_project(1)
    li = joined(project, "li")
    slot = claims.current(li).slot
    Draft.objects.create(slot=slot, person=li.person, payload={"texts": ["半句"]}, rev=1)
    client = Client()
    assert client.get("/account/data").status_code == 302
    client.force_login(li.person, "django.contrib.auth.backends.ModelBackend")
    assert "/account/data" in client.get("/account").content.decode()
    answer = client.get("/account/data")
    assert answer["Content-Disposition"] == "attachment; filename*=UTF-8''gecbench-li.jsonl"
    lines = [json.loads(part) for part in b"".join(answer).decode().split("\n") if part]
    assert lines == lines_of(li.person)
    (draft,) = [line for line in lines if line.get("kind") == "draft"]
    assert (draft["payload"], draft["for"]) == ({"texts": ["半句"]}, "work")
    assert not Audit.objects.filter(what__startswith="export").exists()


def test_where_they_are_signed_in_and_who_failed_to_is_in_it(site):
    project = a_project(1)
    li, other = joined(project, "li").person, joined(project, "wang").person
    for person in (li, other):
        client = Client(headers={"user-agent": f"Browser of {person.login}"})
        client.force_login(person, "django.contrib.auth.backends.ModelBackend")
        session = client.session
        session.update({"began": 1_700_000_000, "agent": f"Browser of {person.login}"})
        session.save()
        Client().post("/login", {"login": person.login, "password": "wrong"})
    lines = lines_of(li)
    (signed_in,) = [line for line in lines if line.get("kind") == "session"]
    assert (signed_in["browser"], signed_in["began"]) == (
        "Browser of li",
        "2023-11-14T22:13:20+00:00",
    )
    assert len([line for line in lines if line.get("kind") == "failed_sign_in"]) == 1
    assert "wang" not in b"".join(personal_data.export_personal_data(li)).decode()
