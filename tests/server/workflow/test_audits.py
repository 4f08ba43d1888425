"""The log is a chain: what was changed, removed or put in between is found."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from server.workflow.races import together
from server.workflow.stories import a_project, somebody

from gecbench.server.models import Audit, Project
from gecbench.server.workflow import audit


def execute(statement: str, *values: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)


def without_guards() -> None:
    """Drop the triggers, as somebody with the database in hand could."""
    on = " ON audit" if connection.vendor == "postgresql" else ""
    for event in ("update", "delete"):
        execute(f"DROP TRIGGER audit_no_{event}{on}")


@pytest.fixture
def chain(database):
    project = Project.objects.create(slug="one", name="One", lang="zh")
    who = somebody("li")
    for n in range(1, 6):
        audit.record(
            "test.done",
            who=who if n % 2 else None,
            project=project if n % 2 else None,
            about=("thing", n),
            data={"n": n, "名": ["值", None, True], "deep": {"b": 1, "a": 2}},
        )
    return who


def test_an_untouched_chain_is_right(chain):
    assert audit.verify() == ()
    rows = list(Audit.objects.order_by("seq"))
    assert [row.seq for row in rows] == [1, 2, 3, 4, 5]
    assert [row.previous_hash for row in rows] == [audit.START, *(r.hash for r in rows[:-1])]
    assert audit.verify(noted=audit.head()) == ()
    assert audit.verify(noted=(0, audit.START)) == ()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit SET what = 'test.undone' WHERE seq = 3",
        "UPDATE audit SET address = '10.0.0.1' WHERE seq = 3",
        "UPDATE audit SET who_id = NULL WHERE seq = 3",
        "UPDATE audit SET project_id = NULL WHERE seq = 3",
        "UPDATE audit SET object_id = '4' WHERE seq = 3",
        "UPDATE audit SET object_kind = 'other' WHERE seq = 3",
        "UPDATE audit SET data = '{}' WHERE seq = 3",
        "UPDATE audit SET at = '2020-01-01 00:00:00+00:00' WHERE seq = 3",
    ],
)
def test_a_changed_row_is_found(chain, change):
    without_guards()
    execute(change)
    assert audit.verify() == ("audit 3: was changed after it was written",)


def test_a_row_changed_together_with_its_hash_is_found_by_the_next(chain):
    without_guards()
    row = Audit.objects.get(seq=3)
    row.what = "test.undone"
    statement = "UPDATE audit SET what = %s, hash = %s WHERE seq = 3"
    execute(statement, row.what, audit.hash_of(row))
    assert audit.verify() == ("audit 4: does not follow the row before it",)


def test_a_removed_row_is_found(chain):
    without_guards()
    execute("DELETE FROM audit WHERE seq IN (2, 3)")
    assert audit.verify() == (
        "audit 4: 2 rows before it are missing",
        "audit 4: does not follow the row before it",
    )


def test_rows_removed_from_the_end_are_found_by_a_noted_head(chain):
    noted = audit.head()
    without_guards()
    execute("DELETE FROM audit WHERE seq = 5")
    assert audit.verify() == ()
    assert audit.verify(noted=noted) == (
        "audit 5: was noted earlier and is missing; the last is 4",
    )


def test_a_chain_made_anew_is_found_by_a_noted_head(chain):
    noted = audit.head()
    without_guards()
    execute("DELETE FROM audit")
    for n in range(6):
        audit.record("test.forged", who=None, about=("thing", n))
    assert audit.verify() == ()
    assert audit.verify(noted=noted) == ("audit 5: is not the row that was noted earlier",)


def test_an_inserted_row_is_found(chain):
    row = Audit.objects.get(seq=5)
    forged = Audit(
        seq=6, at=row.at, what="test.forged", previous_hash=Audit.objects.get(seq=4).hash
    )
    forged.hash = audit.hash_of(forged)
    forged.save()
    assert audit.verify() == ("audit 6: does not follow the row before it",)


def test_many_wrong_rows_are_not_all_listed(chain, monkeypatch):
    monkeypatch.setattr(audit, "_MOST", 2)
    without_guards()
    execute("UPDATE audit SET what = 'x'")
    problems = audit.verify()
    assert len(problems) == 3
    assert problems[-1].startswith("and so on")


def test_the_chain_does_not_fork_when_many_write_at_once(database):
    results = together(16, lambda n: audit.record("test.done", who=None, about=("thing", n)))
    assert [result for result in results if isinstance(result, Exception)] == []
    assert Audit.objects.count() == 16
    assert audit.verify() == ()


def test_a_row_of_a_transaction_that_fails_is_no_row(database):
    with transaction.atomic():
        audit.record("test.done", who=None)
        transaction.set_rollback(True)
    audit.record("test.done", who=None)
    assert Audit.objects.get().seq == 1
    assert audit.verify() == ()


def test_rows_name_where_a_request_came_from(site):
    with audit.request_address("192.0.2.7"):
        inside = audit.record("test.done", who=None)
    outside = audit.record("test.done", who=None)
    with_address = audit.record("test.done", who=None, address="192.0.2.8")
    assert [entry.address for entry in (inside, outside, with_address)] == [
        "192.0.2.7",
        "",
        "192.0.2.8",
    ]
    assert audit.verify() == ()


def test_the_acts_of_a_project_are_logged(site):
    a_project(1)
    assert list(Audit.objects.order_by("seq").values_list("what", flat=True)) == [
        "member.added",
        "project.made",
    ]
    assert audit.verify() == ()
