"""Exports while people work: what a file says of a sentence is of one moment, nobody waits."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, connections
from server.import_export.files import empty, exported, imported, texts
from server.workflow.stories import sentence_of

from gecbench.server.import_export import annotations, exports
from gecbench.server.import_export.corpora import read_snapshot
from gecbench.server.import_export.exports import ExportOptions, export
from gecbench.server.models import Sentence

TABLE = "".join(f"k{n}\t句子{n}\t改过的句子{n}\n" for n in range(4))


def meanwhile(act):
    """Let somebody else do something on a connection of their own, now."""
    failures = []

    def run():
        try:
            act()
        except Exception as error:  # noqa: BLE001  # whatever it is, the test shall see it
            failures.append(error)
        finally:
            connections.close_all()

    other = threading.Thread(target=run)
    other.start()
    other.join(15)
    assert not other.is_alive(), "a reader holds up a writer"
    assert failures == []


def test_what_is_read_together_is_of_one_moment_and_nobody_waits(database):
    project = empty()
    imported(project, "我\n你\n")
    with read_snapshot():
        before = texts(project)
        meanwhile(lambda: imported(project, "他\n"))
        assert texts(project) == before
    assert texts(project) == [*before, "他"]
    assert not connection.in_atomic_block
    Sentence.objects.update(priority=3)  # and it can be written again


def test_a_moment_that_fails_is_over_and_people_may_write_again(database):
    project = empty()

    def fail():
        with read_snapshot():
            assert texts(project) == []
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    imported(project, "我\n")
    with read_snapshot():
        assert texts(project) == ["我"]


def test_the_full_export_shows_each_sentence_as_it_was_at_one_moment(database, monkeypatch):
    project = empty()
    imported(project, TABLE, references="golden")
    first = sentence_of(project, 1).pk

    def changed():
        Sentence.objects.filter(pk=first).update(state="review_ready", golden=None, needed=7)

    read = annotations._rows_around

    def slowly():
        meanwhile(changed)
        return read()

    monkeypatch.setattr(annotations, "_rows_around", slowly)
    text = exported(project, "annotations")[".annotations.jsonl"]
    row = text.splitlines()[1]
    assert '"state": "golden"' in row
    assert '"needed": 7' not in row
    assert sentence_of(project, 1).needed == 7


def test_all_files_of_parallel_text_are_of_the_same_moment(site):
    project = empty()
    imported(project, TABLE, references="golden")
    files = export(project, ExportOptions("parallel"))
    contents = {files[0].ending: b"".join(files[0].content).decode()}
    imported(project, "z\t新的\t新的一\t新的二\n", references="golden")
    Sentence.objects.filter(external_id="k0").update(state="review_ready")
    contents |= {file.ending: b"".join(file.content).decode() for file in files[1:]}
    assert list(contents) == [".src", ".ref0"]
    assert contents[".src"].splitlines() == [f"句子{n}" for n in range(4)]
    assert contents[".ref0"].splitlines() == [f"改过的句子{n}" for n in range(4)]
    assert exports.EXPORTS["parallel"].golden
