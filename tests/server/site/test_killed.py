"""kill -9, Ctrl-C and a full disk: what a command was at is whole or not there at all."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.db import connection
from server.site.test_backups import people_in

from gecbench.core.errors import GecbenchError
from gecbench.server.models import Person
from gecbench.server.site import backup
from gecbench.server.site.backup import restore
from gecbench.server.site.folder import DATABASE, SECRET, make_site, private_folder

_HOLDS = """
import sys, time
from pathlib import Path
from gecbench.server.site.folder import private_folder
with private_folder(Path(sys.argv[1]), ".backup-") as folder:
    (folder / "secret").write_text("x")
    print(folder, flush=True)
    time.sleep(600)
"""


def holding(parent):
    """Another process that works in a private folder, and the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(parent)], stdout=subprocess.PIPE, text=True
    )
    return process, process.stdout.readline().strip()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_what_a_killed_backup_left_goes_with_the_next_and_the_living_stays(tmp_path, end):
    living, its_folder = holding(tmp_path)
    killed, left = holding(tmp_path)
    try:
        killed.send_signal(end)
        killed.wait()
        assert Path(left).is_dir() == (end != signal.SIGINT)
        with private_folder(tmp_path, ".backup-") as paths:
            there = {str(path) for path in tmp_path.iterdir()}
            assert there == {its_folder, str(paths)}
            assert (paths.stat().st_mode & 0o777) == 0o700
        assert {str(path) for path in tmp_path.iterdir()} == {its_folder}
    finally:
        for process in (living, killed):
            process.kill()
            process.wait()
            process.stdout.close()


class Killed(BaseException):
    """Nothing catches it: the process ends here."""


@pytest.mark.parametrize("at", range(12))
def test_a_restore_that_is_killed_at_any_step_leaves_no_half_site(filled, monkeypatch, at):
    """Each renaming is a step; after any there is the old site, the new one, or clear words."""
    backup_file = backup.make(filled)
    Person.objects.create(login="later", name="Later")
    connection.close()
    steps = 0

    def counted(act):
        def step(self, target):
            nonlocal steps
            if steps == at:
                raise Killed
            steps += 1
            return act(self, target)

        return step

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", counted(Path.rename))
        patched.setattr(Path, "replace", counted(Path.replace))
        with contextlib.suppress(Killed):
            restore(backup_file, filled.folder, replace=True)
    if (filled.folder / SECRET).exists():
        expected = ["li"] if steps > 2 else ["later", "li"]
        assert sorted(people_in(filled.folder / DATABASE)) == expected
    else:
        with pytest.raises(GecbenchError, match=r"a restore was interrupted here"):
            make_site(filled.folder)
    with pytest.raises(GecbenchError, match=r"say --replace"):
        restore(backup_file, filled.folder)
    restore(backup_file, filled.folder, replace=True)
    assert people_in(filled.folder / DATABASE) == ["li"]
    assert make_site(filled.folder).secret == filled.secret
    aside = [people_in(database) for database in filled.folder.glob(f"replaced-*/{DATABASE}")]
    assert ["later", "li"] in [sorted(names) for names in aside]


def test_a_restore_that_fails_leaves_the_folder_to_the_next_try(filled, tmp_path):
    backup_file = backup.make(filled)
    broken = tmp_path / "broken.tar"
    broken.write_bytes(backup_file.read_bytes()[:2000])
    with pytest.raises(GecbenchError):
        restore(broken, tmp_path / "new")
    restore(backup_file, tmp_path / "new")
    assert people_in(tmp_path / "new" / DATABASE) == ["li"]


def test_a_database_without_its_secret_is_not_served(filled):
    (filled.folder / SECRET).unlink()
    with pytest.raises(GecbenchError, match=r"or secret.key was removed; restore a backup with"):
        make_site(filled.folder)
    assert not (filled.folder / SECRET).exists()


def test_two_restores_in_one_second_lose_nothing(filled, monkeypatch):
    backup_file = backup.make(filled)
    connection.close()
    first = restore(backup_file, filled.folder, replace=True)
    second = restore(backup_file, filled.folder, replace=True)
    assert first != second
    assert people_in(first / DATABASE) == people_in(second / DATABASE) == ["li"]


_SERVE = [sys.executable, "-m", "gecbench", "annotate"]


def test_a_first_start_that_is_killed_at_any_moment_is_gone_on_with(tmp_path):
    folder = tmp_path / "site"
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GECBENCH_", "DJANGO_"))}
    for tenths in (4, 8, 11, 14):
        process = subprocess.Popen(
            [*_SERVE, "init", str(folder)], env=clean, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(tenths / 10)
        process.kill()
        process.wait()
    ended = subprocess.run(
        [*_SERVE, "init", str(folder)], env=clean, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "/invitation/" in ended.stdout
    assert backup.SECRET in {path.name for path in folder.iterdir()}
