"""ROL-5, INV-11: whoever has read others' texts, however, never annotates that sentence."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from server.workflow.reviewing import FAIR, GOOD, finalised, member_of, study_of, waiting
from server.workflow.stories import a_project, correction, joined, sentence_of, submitted

from gecbench.server.choices import SentenceState
from gecbench.server.import_export.exports import EXPORTS
from gecbench.server.models import Reading, Sentence, Submission
from gecbench.server.workflow import claims, complaints, review_tasks
from gecbench.server.workflow.accounts import Scope, make_token

BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def half(site):
    """A project in which one of three has handed in sentence 1; boss annotates, too."""
    project = a_project(2)
    boss = joined(project, "boss", "manager", "annotator")
    submitted(joined(project, "a1"), sentence_of(project), correction("秘密的答案。"))
    return project, boss


def as_person(member) -> Client:
    client = Client()
    client.force_login(member.person, BACKEND)
    return client


def as_program(member) -> Client:
    _, secret = make_token(member.person, name="t", scopes=[Scope.READ])
    return Client(headers={"Authorization": f"Bearer {secret}"})


def served(member) -> set[int]:
    """The sentences that a member is given, one after the other."""
    numbers = set()
    while (slot := claims.current(member).slot) is not None:
        numbers.add(slot.sentence.number)
        submitted(member, slot.sentence, correction("随便。"))
    return numbers


def read_page(project, boss):
    return as_person(boss).get(f"/p/{project.slug}/manage/sentences/1")


def read_api(project, boss):
    return as_program(boss).get(f"/api/v1/projects/{project.slug}/sentences/1")


def read_submissions(project, boss):
    return as_program(boss).get(f"/api/v1/projects/{project.slug}/submissions")


def read_export(project, boss):
    address = f"/p/{project.slug}/manage/export/download"
    return as_person(boss).post(address, {"format": "submissions"})


def read_export_by_program(project, boss):
    return as_program(boss).get(f"/api/v1/projects/{project.slug}/exports/annotations")


@pytest.mark.parametrize(
    "way", [read_page, read_api, read_submissions, read_export, read_export_by_program]
)
def test_who_reads_a_foreign_text_is_never_given_its_sentence(half, way):
    project, boss = half
    answer = way(project, boss)
    assert answer.status_code == 200
    text = b"".join(answer) if answer.streaming else answer.content
    assert "秘密" in text.decode() or "秘密" in json.dumps(json.loads(text), ensure_ascii=False)
    assert served(boss) == {2}


def test_who_has_read_nothing_is_given_both(half):
    project, boss = half
    as_person(boss).get(f"/p/{project.slug}/manage/sentences")
    as_program(boss).get(f"/api/v1/projects/{project.slug}/exports/sentences")
    assert served(boss) == {1, 2}


def test_every_export_with_undecided_texts_says_so():
    assert {name for name, export in EXPORTS.items() if export.texts} == {
        "submissions",
        "counts",
        "annotations",
        "variants",
    }
    assert not any(export.texts and export.golden for export in EXPORTS.values())


def test_own_submissions_are_no_reading(half):
    project, _ = half
    a1 = member_of(project, "a1")
    as_program(a1).get(f"/api/v1/projects/{project.slug}/submissions")
    assert not Reading.objects.exists()


@pytest.mark.parametrize("how", ["list", "page"])
def test_who_reads_a_complaint_has_read_its_text(site, how):
    project = waiting(reviewers=("rita", "rolf"))
    finalised(project, (GOOD, FAIR))
    item = study_of(project, "a2")
    complaint = complaints.complain(
        member_of(project, "a2"), item.pk, argument="可以。", client_key=uuid4()
    )
    rolf = joined(project, "rolf", "reviewer", "annotator")
    path = "problems" if how == "list" else f"problems/{complaint.pk}"
    client = as_person(rolf)
    assert client.get(f"/p/{project.slug}/{path}").status_code == 200
    assert list(Reading.objects.filter(person=rolf.person).values_list("sentence__number")) == [
        (1,)
    ]
    as_person(member_of(project, "a2")).get(f"/p/{project.slug}/problems/{complaint.pk}")
    assert not Reading.objects.filter(person__login="a2").exists()
    with CaptureQueriesContext(connection) as queries:
        client.get(f"/p/{project.slug}/{path}")
    assert not [query for query in queries if query["sql"].startswith(("INSERT", "BEGIN"))]


def test_an_export_notes_what_is_not_decided_alone(database):
    project = a_project(4, annotators=1)
    boss = member_of(project, "boss")
    a1 = joined(project, "a1")
    for number in (1, 2, 3):
        submitted(a1, sentence_of(project, number), correction("改。"))
    Sentence.objects.filter(project=project, number=3).update(state=SentenceState.GOLDEN)
    for _ in range(2):
        review_tasks.record_all_readings(project, boss.person)
    noted = Reading.objects.filter(person=boss.person).order_by("sentence__number")
    assert list(noted.values_list("sentence__number", flat=True)) == [1, 2]
    assert Submission.objects.count() == 3
