"""An import is all or nothing; a large one that is interrupted is gone on with."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection
from server.import_export.files import empty, ids, imported, planned, texts
from server.workflow.stories import somebody

from gecbench.server.import_export import imports, plans
from gecbench.server.import_export.imports import run_import
from gecbench.server.models import (
    Audit,
    Golden,
    ImportBatch,
    Project,
    Reference,
    Sentence,
    Slot,
    Source,
)
from gecbench.server.workflow.errors import ConflictError

TABLES = (Sentence, Slot, ImportBatch, Source, Golden, Reference, Audit)
FILE = "a\t我去校\t我去学校\nb\t他来\nc\t很好\t没有错误\n"


def rows() -> list[int]:
    return [table.objects.count() for table in TABLES]


def failing_at(place: int):
    """Let the k-th statement fail, as a disk or a server does."""
    seen = 0

    def execute(run, sql, parameters, many, context):
        nonlocal seen
        seen += 1
        if seen == place:
            raise OperationalError("database or disk is full")
        return run(sql, parameters, many, context)

    return execute


def test_a_failure_at_any_statement_changes_nothing(database):
    """INV-8's other half: who was told of a failure finds everything as it was."""
    project = empty()
    options = {"references": "golden", "format": "mucgec", "source": "课堂"}
    before, next_number = rows(), Project.objects.get().next_number
    place = 0
    while True:
        place += 1
        plan = planned(project, FILE, **options)
        try:
            with connection.execute_wrapper(failing_at(place)):
                run_import(plan, by=None)
        except OperationalError:
            assert rows() == before
            assert Project.objects.get().next_number == next_number
        else:
            break
    assert place > 10
    assert ids(project) == ["a", "b", "c"]


@pytest.fixture
def in_pieces(monkeypatch):
    """Pieces of two sentences, and nothing large enough to be one transaction."""
    monkeypatch.setattr(imports, "AT_ONCE", 1)
    monkeypatch.setattr(imports, "BATCH", 2)


def test_a_large_import_that_was_interrupted_is_gone_on_with(database, in_pieces, monkeypatch):
    project = empty()
    text = "".join(f"k{n}\t句子{n}\t改过的句子{n}\n" for n in range(7))
    options = {"references": "keep", "format": "mucgec"}
    real = imports._add
    calls = []

    def broken(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise OperationalError("server closed the connection")
        real(*arguments)

    monkeypatch.setattr(imports, "_add", broken)
    with pytest.raises(OperationalError):
        imported(project, text, **options)
    monkeypatch.setattr(imports, "_add", real)
    batch = ImportBatch.objects.get()
    assert (len(ids(project)), plans.missing(batch)) == (4, 3)

    other = planned(project, text, **options, duplicates="skip")
    assert other.resumes is None  # other options are another import
    plan = planned(project, text, **options)
    assert (plan.resumes, plan.report.new, plan.report.duplicates_there) == (batch.pk, 3, 0)
    assert plan.obstacle == ""
    done = run_import(plan, by=None)
    assert (done.batch.pk, done.sentences) == (batch.pk, 3)
    assert ids(project) == [f"k{n}" for n in range(7)]
    assert Reference.objects.count() == 7
    assert plans.missing(batch) == 0


def test_numbers_as_ids_go_on_as_they_began(site, in_pieces, monkeypatch):
    project = empty()
    imported(project, "零\n")
    real = imports._add
    monkeypatch.setattr(imports, "_add", lambda *_: None)
    imported(project, "一\n二\n三\n")
    monkeypatch.setattr(imports, "_add", real)
    imported(project, "四\n五\n", name="b.txt")
    imported(project, "一\n二\n三\n")
    assert ids(project) == ["1", "3-1", "3-2", "2-1", "2-2", "2-3"]


def test_a_project_that_changed_since_the_plan_is_a_conflict(database):
    project = empty()
    plan = planned(project, FILE, references="ignore", format="mucgec")
    imported(project, "b\t别的句子\n", format="mucgec")
    before = rows()
    with pytest.raises(ConflictError, match=r"changed since the file was looked at \(.*b"):
        run_import(plan, by=None)
    assert rows() == before


def test_an_import_is_in_the_log_and_its_batch_says_what_it_was(site):
    project = empty()
    boss = somebody("boss")
    plan = planned(project, FILE, references="golden", name="dev.tsv")
    done = run_import(plan, by=boss)
    batch = ImportBatch.objects.get()
    assert done.batch == batch
    assert (batch.file_name, batch.format, batch.by) == ("dev.tsv", "mucgec", boss)
    assert batch.file_sha256 == plan.sha256
    assert batch.counts["sentences"] == 3
    assert batch.counts["options"]["references"] == "golden"
    logged = Audit.objects.get(what="sentences.imported")
    assert (logged.who, logged.data) == (boss, {"sentences": 3, "kept_references": 0})
    assert Sentence.objects.filter(batch=batch).count() == 3


def test_many_sentences_go_in_and_come_in_order(site, monkeypatch):
    monkeypatch.setattr(imports, "BATCH", 100)
    project = empty()
    text = "".join(f"第{n}句话。\n" for n in range(650))
    imported(project, text)
    assert texts(project) == text.splitlines()
    assert planned(project, text).report.duplicates_there == 650


def test_the_rules_of_presence_ask_in_pieces(site, monkeypatch):
    monkeypatch.setattr(plans, "ASKED", 3)
    project = empty()
    imported(project, "".join(f"{n}句\n" for n in range(10)))
    assert planned(project, "".join(f"{n}句\n" for n in range(10))).report.duplicates_there == 10
