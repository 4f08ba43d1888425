"""A backup made while people write is whole, and a restored site gives the same release."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from server.survival.clients import Crowd
from server.survival.conftest import database_of, run_cli
from server.survival.scenes import scene, submissions


def stored(folder, database: str) -> int:
    """How many submissions a restored site has."""
    question = "SELECT count(*) FROM submission"
    if database:
        import psycopg

        with psycopg.connect(database) as opened:
            return opened.execute(question).fetchone()[0]
    with closing(sqlite3.connect(folder / "gecbench.sqlite3")) as opened:
        return opened.execute(question).fetchone()[0]


def test_a_backup_under_load_restores_clean(loaded, tmp_path, request):
    """Section 5.2: it is of one moment between its beginning and its end."""
    annotators, reviewers = scene(loaded, 1500, annotators=8, reviewers=1)
    database = database_of(loaded)
    file, target = tmp_path / "x.tar", tmp_path / "restored"
    crowd = Crowd(loaded)
    with crowd.working(annotators, reviewers):
        crowd.wait_until(lambda: len(crowd.record.submissions) > len(annotators))
        for _ in range(10):
            file.unlink(missing_ok=True)
            before = submissions(loaded)
            run_cli("backup", file, "--data", loaded.folder, database=database)
            after = submissions(loaded)
            if after > before:
                break
    assert after > before, "nobody wrote meanwhile"
    new = request.getfixturevalue("new_database")(bare=True) if database else ""
    run_cli("restore", file, target, *(["--database", new] if new else []))
    run_cli("check", "--data", target, database=new)
    assert before <= stored(target, new) <= after


@pytest.mark.parametrize("loaded", ["postgresql"], indirect=True)
def test_a_restored_site_gives_the_same_release_to_the_byte(loaded, tmp_path, request):
    """The restore drill of section 5.2, after real work; on SQLite a backup is the file itself."""
    annotators, reviewers = scene(loaded, 6, annotators=3, reviewers=1)
    crowd = Crowd(loaded)
    with crowd.working(annotators, reviewers):
        for thread in crowd.threads[: len(annotators)]:
            thread.join(120)
        crowd.wait_until(lambda: len(crowd.record.reviews) == 6)
    database = database_of(loaded)
    run_cli("release", "make", "v1", "--project", "one", "--data", loaded.folder, database=database)
    run_cli("backup", tmp_path / "x.tar", "--data", loaded.folder, database=database)
    new = request.getfixturevalue("new_database")(bare=True)
    run_cli("restore", tmp_path / "x.tar", tmp_path / "new", "--database", new)
    sums = []
    for n, (folder, url) in enumerate([(loaded.folder, database), (tmp_path / "new", new)]):
        where = tmp_path / f"out{n}"
        words = ("release", "export", "v1", "--project", "one", "-o", where, "--data", folder)
        run_cli(*words, database=url)
        sums.append((where / "SHA256SUMS").read_text())
        full = tmp_path / f"all{n}.jsonl"
        words = ("export", "--project", "one", "--to", "submissions", "-o", full, "--data", folder)
        run_cli(*words, database=url)
        sums.append(full.read_text())
    assert sums[0] == sums[2]
    assert sums[1] == sums[3]
    assert len(sums[0].splitlines()) > 1
    assert len(crowd.record.reviews) == 6
