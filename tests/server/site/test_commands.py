"""The commands of operators, in this process; tests/e2e/test_annotate_cli.py runs the real ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner
from django.db import connections
from django.test import Client
from server.site.test_moving import bare, empty

from gecbench.cli import gecbench
from gecbench.cli.annotate import site as commands
from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError
from gecbench.server.models import Person, Token
from gecbench.server.site import backup, migration, serving
from gecbench.server.site import folder as site_opening
from gecbench.server.site.folder import Site, apply_environment, make_site, read_site, write_options
from gecbench.server.site.serving import Address, address_of
from gecbench.server.web.errors import database_error
from gecbench.server.workflow import accounts
from gecbench.server.workflow.checks import Violation
from gecbench.server.workflow.errors import RefusedError

__all__ = ["bare", "empty"]


@pytest.fixture
def run(filled, in_process):
    in_process(filled)

    def run(*words, code=0, data=True):
        arguments = [
            "annotate",
            *map(str, words),
            *(["--data", str(filled.folder)] if data else []),
        ]
        ended = CliRunner().invoke(gecbench, arguments, catch_exceptions=code != 0)
        if code:
            assert isinstance(ended.exception, GecbenchError), ended.output
            assert ended.exception.exit_code == code
            return str(ended.exception)
        assert ended.exit_code == 0, ended.output
        return ended.output

    return run


def test_help_names_every_command():
    shown = CliRunner().invoke(gecbench, ["annotate", "--help"]).output
    for name in ("serve", "init", "user", "import", "check", "backup", "restore", "move"):
        assert name in shown
    wrong = CliRunner().invoke(gecbench, ["annotate", "srve"])
    assert "did you mean serve" in wrong.output


def test_people_are_added_listed_and_linked(run):
    added = run("user", "add", "Wang", "--name", "王", "--url", "https://a.example/")
    link = added.splitlines()[0]
    assert link.startswith("https://a.example/password/0/")
    assert Person.objects.get(login="wang").has_usable_password() is False
    assert run("user", "add", "wang", code=2) == "the login 'wang' is taken"
    listed = run("user", "list")
    assert "li    李薇  active, administrator" in listed
    people = json.loads(run("user", "list", "--format", "json"))["people"]
    assert {"login": "li", "name": "李薇"}.items() <= people[0].items()
    assert run("user", "list", "--format", "csv").startswith("login,name,standing,projects\n")
    assert run("user", "link", "WANG").startswith("http://127.0.0.1:8700/password/0/")
    assert "nobody has the login 'zhao'" in run("user", "link", "zhao", code=2)
    assert Client().get(link.removeprefix("https://a.example")).status_code == 302


def test_a_lock_after_failed_tries_is_lifted(run):
    for _ in range(5):
        Client().post("/login", {"login": "li", "password": "wrong"})
    assert accounts.login_locks("li")
    assert "li can try to sign in again" in run("user", "unlock", "li")
    assert not accounts.login_locks("li")
    assert "was not locked" in run("user", "unlock", "li")


@pytest.mark.parametrize("login", ["", "a b", "x" * 151])
def test_a_login_that_cannot_be_is_refused(folder, login):
    with pytest.raises(UsageError, match=r"is no login"):
        accounts.add_person(login)


def test_people_are_shut_out_and_let_in(run):
    run("user", "add", "wang")
    wang = accounts.get_person("wang")
    accounts.make_token(wang, name="x")
    assert "cannot sign in any more" in run("user", "deactivate", "wang")
    assert not accounts.get_person("wang").is_active
    assert Token.objects.get().revoked_at is not None
    assert "is shut out; let them in first" in run("user", "link", "wang", code=2)
    assert "wang  wang  shut out" in run("user", "list")
    run("user", "activate", "wang")
    assert accounts.get_person("wang").is_active


def test_an_administrator_stays(run):
    assert "is the last administrator" in run("user", "deactivate", "li", code=2)
    assert "is the last administrator" in run("user", "promote", "li", "--no-more", code=2)
    run("user", "add", "wang")
    assert "is an administrator" in run("user", "promote", "wang")
    assert "is no administrator any more" in run("user", "promote", "li", "--no-more")
    assert [person.login for person in Person.objects.filter(is_administrator=True)] == ["wang"]


def test_the_tasks_of_whoever_is_shut_out_are_free_again(folder):
    from server.workflow.stories import a_project, claimed, joined, sentence_of

    project = a_project(2)
    member = joined(project, "a1")
    slot = claimed(member, sentence_of(project))
    accounts.deactivate(member.person)
    slot.refresh_from_db()
    assert (slot.state, slot.person) == ("free", None)
    assert accounts.list_people()[0][3] == "story (annotator, active)"


def test_a_wrong_old_password_changes_nothing(folder, person):
    li = person("li2")
    with pytest.raises(RefusedError, match=r"not your password"):
        accounts.change_password(li, old="x", new="staple staple staple")


def test_check_is_silent_where_all_is_well(run):
    assert "all is as it must be" in run("check")
    assert "all is as it must be" in run("check", "--project", "one")
    assert "there is no project 'two'; known: one" in run("check", "--project", "two", code=2)


def test_check_names_what_is_broken(run, monkeypatch, tmp_path):
    broken = (Violation("INV-4", "one/3", "submitted is 2, counted 3"),)
    monkeypatch.setattr("gecbench.server.workflow.checks.check", lambda *_, **__: broken)
    monkeypatch.setattr(
        "gecbench.server.import_export.releases.verify_releases",
        lambda _: ("release one/r: other bytes",),
    )
    assert "2 invariants are broken" in run("check", code=1)
    run("check", "-o", tmp_path / "broken.txt", code=1)
    lines = (tmp_path / "broken.txt").read_text("utf-8").splitlines()
    assert [line.split()[0] for line in lines] == ["INV-4", "INV-14"]


def test_backups_are_made_verified_and_pruned(run, filled, tmp_path):
    for n in range(1, 11):  # a Monday to the Wednesday of the week after
        (filled.backups / f"gecbench-202602{n + 1:02}T000000Z.tar").write_text("x")
    result = run("backup", "--keep")
    assert result.startswith(str(filled.backups / "gecbench-"))
    assert "4 old backups were removed" in result
    assert not (filled.backups / "gecbench-20260202T000000Z.tar").exists()
    assert run("backup", tmp_path / "x.tar").strip() == str(tmp_path / "x.tar")
    assert "whole; sqlite of" in run("backup", "--verify", tmp_path / "x.tar")
    assert "name the file to verify" in run("backup", "--verify", code=2)
    assert "exists already" in run("backup", tmp_path / "x.tar", code=1)


def test_restore_says_where_the_old_lies(run, filled, tmp_path):
    text = run("backup").strip()
    result = run("restore", text, tmp_path / "new", data=False)
    assert f"restored {tmp_path / 'new'}; look at it: gecbench annotate check" in result
    replaced = run("restore", text, tmp_path / "new", "--replace", data=False)
    assert f"what was there lies in {tmp_path / 'new'}/replaced-" in replaced


def test_move_names_the_new_database(run, filled, empty):
    result = run("move", "--to", empty)
    assert "site.toml names the new database" in result
    assert read_site(filled.folder).database == empty


def test_a_move_that_breaks_something_changes_nothing(run, filled, empty, monkeypatch):
    monkeypatch.setattr("gecbench.cli.annotate.site.violations", lambda: ["INV-1 x: y"])
    assert "the site still uses SQLite" in run("move", "--to", empty, code=1)
    assert read_site(filled.folder).database == ""
    assert migration._OTHER not in connections.settings


def test_what_options_say_becomes_the_environment():
    plain = address_of("127.0.0.1:1")
    nothing = {"behind_proxy": False, "insecure": False, "log": None}
    assert commands.environment(plain, "", (), **nothing) == {}
    variables = commands.environment(
        address_of("192.0.2.1:80"), "postgresql://a/b", ("x",), behind_proxy=True, insecure=False,
        log="json",
    )  # fmt: skip
    assert variables == {
        "GECBENCH_DATABASE_URL": "postgresql://a/b",
        "GECBENCH_HOSTS": "x,192.0.2.1",
        "GECBENCH_BEHIND_PROXY": "1",
        "GECBENCH_HTTPS": "1",
        "GECBENCH_LOG": "json",
    }
    insecure = {**nothing, "insecure": True}
    assert commands.environment(address_of("[2001:db8::1]:80"), "", (), **insecure) == {
        "GECBENCH_HOSTS": "[2001:db8::1]",
        "GECBENCH_HTTPS": "0",
    }


@pytest.mark.parametrize(
    ("site", "address", "url"),
    [
        ({}, None, "http://127.0.0.1:8700"),
        ({}, Address("127.0.0.1", 9), "http://127.0.0.1:9"),
        ({"hosts": ("a", "b"), "https": True}, Address("0.0.0.0", 9), "https://a"),
        ({"hosts": ("*.a", "b")}, Address("0.0.0.0", 9), "http://b:9"),
        ({"hosts": ("a",)}, Address("192.0.2.1", 9), "http://192.0.2.1:9"),
    ],
)
def test_links_begin_with_what_people_type(tmp_path, site, address, url):
    assert commands.base_url(Site(tmp_path, "s", **site), address) == url


def test_old_and_missing_backups_are_told_at_the_start(filled, capsys):
    def warnings():
        words = commands.start_message(filled, Address("127.0.0.1", 9))
        assert words == "gecbench: people work at http://127.0.0.1:9 (Ctrl-C ends it)"
        return capsys.readouterr().err

    assert "no backup was ever made" in warnings()
    old = datetime.now(UTC) - timedelta(hours=27)
    (filled.backups / f"gecbench-{old:%Y%m%dT%H%M%S}Z.tar").write_text("x")
    assert f"the last backup is of {old:%Y-%m-%d %H:%M} UTC, more than 26 hours old" in warnings()
    backup.make(filled)
    assert warnings() == ""


def test_a_site_without_an_administrator_prints_a_link(folder, capsys):
    words = commands.start_message(folder, Address("127.0.0.1", 9))
    assert "Open this link once, within 7 days:\nhttp://127.0.0.1:9/invitation/" in words


def test_prepared_says_what_was_saved(filled, in_process, capsys, monkeypatch):
    in_process(filled)
    monkeypatch.setattr(
        "gecbench.server.site.migration.bring_up_to_date", lambda site, **_: site.backups / "b.tar"
    )
    assert commands.open_up_to_date(filled.folder, {}) == filled
    assert "before, it was saved:" in capsys.readouterr().err
    in_process(filled)
    elsewhere = commands.open_up_to_date(
        filled.folder, {"GECBENCH_DATABASE_URL": "postgresql://a/b"}
    )
    assert elsewhere == filled


def test_init_makes_a_folder_that_remembers(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "open_up_to_date", lambda *_: None)
    monkeypatch.setattr(commands, "administrator_link", lambda base: f"{base}/invitation/x")
    words = ["annotate", "init", str(tmp_path / "s"), "--host", "a.example", "--https"]
    output = (
        CliRunner().invoke(gecbench, [*words, "--language", "en"], catch_exceptions=False).output
    )
    assert "https://a.example/invitation/x" in output
    site = read_site(tmp_path / "s")
    assert (site.https, site.behind_proxy, site.language) == (True, True, "en")
    monkeypatch.setattr(commands, "administrator_link", lambda *_: "")
    again = CliRunner().invoke(gecbench, ["annotate", "init", str(tmp_path / "s")]).output
    assert "invitation" not in again
    assert read_site(tmp_path / "s") == site


@pytest.mark.parametrize(
    ("variable", "words", "message", "stays"),
    [
        ("Asia/Tokyo", ["--time-zone", "Asia/Shanghai"], "midnight of Asia/Shanghai", True),
        ("Asia/Shanghai", [], "midnight of Asia/Shanghai, as on this machine", True),
        ("UTC", ["--time-zone", "UTC"], "midnight of UTC", True),
        ("UTC", [], "warning: days begin at midnight UTC", False),
    ],
)
def test_where_days_begin_is_said_at_the_first_start_and_kept(
    tmp_path, monkeypatch, variable, words, message, stays
):
    monkeypatch.setattr(commands, "open_up_to_date", lambda *_: None)
    monkeypatch.setattr(commands, "administrator_link", lambda *_: "")
    monkeypatch.setenv("TZ", variable)
    init = ["annotate", "init", str(tmp_path / "s")]
    first = CliRunner().invoke(gecbench, [*init, *words], catch_exceptions=False)
    assert message in first.output
    zone = read_site(tmp_path / "s").time_zone
    assert zone == (message.split()[-1] if words else variable if stays else "")
    again = CliRunner().invoke(gecbench, init, catch_exceptions=False)
    assert ("days begin" in again.output) is not stays


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(commands, "open_up_to_date", lambda *_: None)
    monkeypatch.setattr(commands, "administrator_link", lambda *_: "")
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True)
    monkeypatch.setattr(os, "tcgetpgrp", lambda _: os.getpgrp())
    monkeypatch.setenv("TZ", "UTC")


@pytest.mark.usefixtures("terminal")
def test_whoever_makes_a_site_at_a_terminal_is_asked_where_days_begin(tmp_path):
    init = ["annotate", "init", str(tmp_path / "s")]
    assert CliRunner().invoke(gecbench, init, input="").exit_code  # given up, as by Ctrl-C
    assert not (tmp_path / "s").exists()
    first = CliRunner().invoke(gecbench, init, input="shanghai\nAsia/Shanghai\n")
    assert "'shanghai'; did you mean Asia/Shanghai?" in first.output
    assert f"made {tmp_path / 's'}" in first.output
    assert "midnight of Asia/Shanghai" in first.output
    assert read_site(tmp_path / "s").time_zone == "Asia/Shanghai"
    again = CliRunner().invoke(gecbench, init, catch_exceptions=False)
    assert "Time zone" not in again.output
    assert f"{tmp_path / 's'} is there already" in again.output


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("background", [False, True])
def test_utc_decides_nothing_for_who_accepts_it_or_is_not_asked(tmp_path, monkeypatch, background):
    if background:
        monkeypatch.setattr(os, "tcgetpgrp", lambda _: os.getpgrp() + 1)
    init = ["annotate", "init", str(tmp_path / "s")]
    output = CliRunner().invoke(gecbench, init, input="\n", catch_exceptions=False).output
    assert ("Time zone in which" in output) is not background
    assert "warning: days begin at midnight UTC" in output
    assert read_site(tmp_path / "s").time_zone == ""


@pytest.mark.usefixtures("terminal")
def test_serve_asks_nothing_and_makes_nothing_where_the_port_is_busy(tmp_path):
    with serving.bind(Address("127.0.0.1", 0)) as busy:
        busy.listen()
        words = ["--data", str(tmp_path / "s"), "--bind", f"127.0.0.1:{busy.getsockname()[1]}"]
        ended = CliRunner().invoke(gecbench, ["annotate", "serve", *words])
    assert isinstance(ended.exception, GecbenchError)
    assert ended.output == ""
    assert not (tmp_path / "s").exists()


def test_the_environment_says_where_days_begin(tmp_path, monkeypatch):
    monkeypatch.setenv("GECBENCH_TIME_ZONE", "Asia/Shanghai")
    site = apply_environment(make_site(tmp_path / "s"), os.environ)
    commands.settle_time_zone(site, None)
    assert read_site(tmp_path / "s").time_zone == ""


def test_a_time_zone_that_is_none_makes_no_site(tmp_path):
    ended = CliRunner().invoke(
        gecbench, ["annotate", "init", str(tmp_path / "s"), "--time-zone", "Shanghai"]
    )
    assert isinstance(ended.exception, UsageError)
    assert not (tmp_path / "s").exists()


def test_serve_goes_from_the_address_to_the_end(filled, monkeypatch):
    seen = {}

    def run(opened, *, workers, ready, close_in_workers, drain):
        seen.update(port=opened.getsockname()[1], workers=workers, drain=drain)
        ready()

    monkeypatch.setattr(serving, "run", run)
    monkeypatch.setattr(serving, "collect_static_files", lambda: None)
    monkeypatch.setattr(commands, "open_up_to_date", lambda data, *_, **__: read_site(data))
    words = ["annotate", "serve", "--data", str(filled.folder), "--bind", "127.0.0.1:0"]
    output = CliRunner().invoke(gecbench, [*words, "--workers", "2"], catch_exceptions=False).output
    assert f"http://127.0.0.1:{seen['port']} (Ctrl-C" in output
    assert (seen["workers"], seen["drain"], "gecbench: ended" in output) == (2, 0, True)


def test_one_of_several_hosts_has_their_secret_and_migrates_nothing(
    folder, tmp_path, in_process, monkeypatch, capsys
):
    """A second host takes the first one's secret, makes no link, and leaves the database alone."""
    first = folder.folder
    secret = (first / "secret.key").read_text("utf-8").strip()
    second = make_site(tmp_path / "second", secret)
    assert second.secret == secret
    for wrong in ("short", "x" * 40):
        with pytest.raises(GecbenchError, match=r"GECBENCH_SECRET_KEY"):
            make_site(tmp_path / "second", wrong)
    in_process(folder)
    commands.open_up_to_date(first, {}, migrate=False)
    message = commands.start_message(folder, Address("127.0.0.1", 9), alone=False)
    assert "invitation" not in message + capsys.readouterr().err
    monkeypatch.setattr(
        "gecbench.server.site.migration.missing_migrations", lambda: ("server.0001_initial",)
    )
    with pytest.raises(GecbenchError, match=r"server\.0001_initial.*annotate init"):
        commands.open_up_to_date(first, {}, migrate=False)


@pytest.mark.parametrize(
    ("option", "message"),
    [(["--no-migrate"], r"no database.*annotate init s, or"), (["--drain", "nan"], r"nan")],
)
def test_what_serve_refuses_makes_no_site(tmp_path, monkeypatch, option, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GECBENCH_DATABASE_URL", raising=False)
    ended = CliRunner().invoke(gecbench, ["annotate", "serve", "--data", "s", *option])
    assert isinstance(ended.exception, GecbenchError)
    assert re.search(message, str(ended.exception))
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("words", [("init", "s"), ("serve", "--data", "s")])
def test_a_missing_extra_is_said_before_anything_else(tmp_path, monkeypatch, words):
    import importlib.util

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    ended = CliRunner().invoke(gecbench, ["annotate", *words])
    assert isinstance(ended.exception, MissingExtraError)
    assert ended.output == ""
    assert not (tmp_path / "s").exists()


def test_a_site_is_opened_once_in_a_process(filled, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "umask", lambda *_: 0)
    for name in ("GECBENCH_SITE", "DJANGO_SETTINGS_MODULE"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    with pytest.raises(GecbenchError, match=r"another site, .*, is open already"):
        site_opening.open_site(filled.folder)
    from django.conf import settings

    monkeypatch.setattr(settings, "SITE", read_site(filled.folder.resolve()))
    assert site_opening.open_site(filled.folder) == read_site(filled.folder)


@pytest.mark.parametrize(
    ("missing", "url", "message"),
    [
        ("axes", "", r"axes .the annotation platform. is not installed; .*gecbench\[annotate\]"),
        ("psycopg", "postgresql://a/b", r"psycopg .for PostgreSQL. .*gecbench\[postgres\]"),
    ],
)
def test_a_missing_extra_is_one_line(filled, monkeypatch, missing, url, message):
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == missing else real(name)
    )
    monkeypatch.setattr(os, "umask", lambda *_: 0)
    site = write_options(filled, database=url) if url else filled
    with pytest.raises(MissingExtraError, match=message):
        site_opening.open_site(site.folder)


@pytest.mark.parametrize("words", [("user", "list"), ("check",), ("stats", "x")])
def test_a_database_without_its_tables_is_one_line_that_says_what_to_do(tmp_path, words):
    site = make_site(tmp_path / "bare")
    ended = annotate(*words, "--data", str(site.folder))
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "the database is not up to date (no such table: " in ended.stderr
    assert "gecbench annotate serve" in ended.stderr


def annotate(*words):
    """A command as people run it, in a process of its own."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GECBENCH_", "DJANGO_"))}
    return subprocess.run(
        [sys.executable, "-m", "gecbench", "annotate", *words],
        env=clean, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_what_a_database_cannot_do_is_worded():
    from django.db import DatabaseError, OperationalError, ProgrammingError

    for error, message in (
        (OperationalError("database or disk is full"), r"the disk is full or not to be written to"),
        (
            OperationalError("database is locked"),
            r"is busy or cannot be reached \(database is lock",
        ),
        (OperationalError('connection failed: database "x" does not exist'), r"cannot be reached"),
        (ProgrammingError('relation "person" does not exist'), r"is not up to date \(relation"),
    ):
        assert re.search(message, str(database_error(error)))
    assert database_error(DatabaseError("")) is None
    assert database_error(ValueError("database is locked")) is None


def test_a_command_words_what_the_database_cannot_do(run, filled, monkeypatch):
    from django.db import OperationalError

    def full(*_):
        raise OperationalError("database or disk is full")

    monkeypatch.setattr("gecbench.server.workflow.accounts.list_people", full)
    assert "the disk is full or not to be written to" in run("user", "list", code=1)
    arguments = ["annotate", "user", "list", "--data", str(filled.folder)]
    with monkeypatch.context() as patched:
        patched.delitem(sys.modules, "gecbench.server.models")
        with pytest.raises(OperationalError):
            CliRunner().invoke(gecbench, arguments, catch_exceptions=False)


@pytest.mark.parametrize("url", ["mysql://a@b/c", "nonsense", "sqlite:///x", "postgresql://a@b"])
def test_a_url_of_no_database_server_is_refused_and_not_kept(tmp_path, url):
    ended = annotate("init", str(tmp_path / "new"), "--database", url)
    assert ended.returncode == 2
    assert "the database's URL is postgresql://PERSON:PASSWORD@HOST:PORT/NAME" in ended.stderr
    assert url not in ended.stderr
    assert not (tmp_path / "new" / "site.toml").exists()
