"""Commands that cannot go on say in one line why, and leave nothing half made."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest
from click.testing import CliRunner

from gecbench.cli import gecbench
from gecbench.core.errors import GecbenchError, MissingExtraError
from gecbench.server.models import Person
from gecbench.server.site import backup, migration
from gecbench.server.site.folder import read_site

NOWHERE = "postgresql://postgres@127.0.0.1:1/none"
LACKING = r"psycopg .for PostgreSQL. is not installed; run: pip install 'gecbench\[postgres\]'"


@pytest.fixture
def no_psycopg(monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "psycopg" else real(name)
    )


def test_a_move_without_psycopg_says_what_to_install(filled, no_psycopg):
    with pytest.raises(MissingExtraError, match=LACKING):
        migration.copy_rows(filled, NOWHERE)


def test_init_without_psycopg_leaves_no_folder(tmp_path, no_psycopg):
    ended = init(tmp_path / "new", NOWHERE)
    assert isinstance(ended.exception, MissingExtraError)
    assert not (tmp_path / "new").exists()


def test_init_without_its_database_leaves_no_folder(tmp_path):
    ended = init(tmp_path / "new", NOWHERE)
    assert "the database cannot be opened: " in str(ended.exception)
    assert not (tmp_path / "new").exists()


def init(folder, url):
    ended = CliRunner().invoke(gecbench, ["annotate", "init", str(folder), "--database", url])
    assert isinstance(ended.exception, GecbenchError)
    return ended


def test_what_is_no_data_folder_says_how_another_is_named(tmp_path):
    with pytest.raises(GecbenchError, match=r"; say --data FOLDER or set GECBENCH_SITE; or make"):
        read_site(tmp_path)


def test_who_says_no_is_told_that_nothing_was_done(filled, in_process):
    in_process(filled)
    words = ["annotate", "user", "forget", "li", "--data", str(filled.folder)]
    ended = CliRunner().invoke(gecbench, words, input="n\n")
    assert isinstance(ended.exception, GecbenchError)
    assert str(ended.exception) == "nothing was done: li stays who they are"
    assert Person.objects.filter(login="li").exists()


def test_two_backups_in_one_second_are_two_files(filled):
    files = [backup.make(filled) for _ in range(3)]
    assert len(set(files)) == 3
    assert all(backup.verify(file) for file in files)
    assert len(backup._list_backups(filled)) == 3  # so that old ones are pruned like others


def test_serving_without_the_extra_says_what_to_install(tmp_path):
    program = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['django', 'whitenoise', 'gunicorn', 'axes', 'ninja']))\n"
        "from gecbench.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program, "annotate", "serve", "--data", str(tmp_path / "new")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "django (the annotation platform) is not installed" in ended.stderr
    assert not (tmp_path / "new").exists()
