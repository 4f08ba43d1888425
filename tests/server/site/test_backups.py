"""A backup is whole, private and of one moment; a damaged one is refused, and nothing is lost."""

from __future__ import annotations

import sqlite3
import stat
import tarfile
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, connections
from server.conftest import sqlite as settings_of
from server.conftest import use

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.models import Audit, Person, Project
from gecbench.server.site import backup, databases
from gecbench.server.site.backup import restore
from gecbench.server.site.folder import DATABASE, read_site, write_options
from gecbench.server.workflow import audit


def people_in(path):
    with closing(sqlite3.connect(path)) as opened:
        return [row[0] for row in opened.execute("SELECT login FROM person")]


def test_a_backup_has_everything_and_is_private(filled):
    write_options(filled, language="en")
    backup_file = backup.make(filled)
    assert backup_file.parent == filled.backups
    for path in (backup_file, backup.sum_of(backup_file)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with tarfile.open(backup_file) as tar:
        names = tar.getnames()
    assert names == ["manifest.json", DATABASE, "secret.key", "site.toml"]
    manifest = backup.verify(backup_file)
    assert manifest.database == "sqlite"
    assert datetime.now(UTC) - manifest.created_at < timedelta(minutes=5)
    assert (
        backup.sum_of(backup_file).read_text()
        == f"{backup.sha256(backup_file)}  {backup_file.name}\n"
    )
    assert sorted(path.name for path in filled.backups.iterdir()) == [
        backup_file.name,
        f"{backup_file.name}.sha256",
    ]


def test_a_backup_never_takes_the_place_of_another(filled, tmp_path):
    target = tmp_path / "x.tar"
    backup.make(filled, target)
    before = target.read_bytes()
    with pytest.raises(GecbenchError, match=r"x.tar: exists already; name a new file"):
        backup.make(filled, target)
    assert target.read_bytes() == before


def test_a_backup_while_people_write_is_of_one_moment(filled):
    stop = threading.Event()

    def write():
        n = 0
        while not stop.is_set():
            n += 1
            audit.record("noise", who=None, data={"n": n})
        connections.close_all()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        files = [backup.make(filled, filled.backups / f"{n}.tar") for n in range(3)]
    finally:
        stop.set()
        writer.join()
    for n, path in enumerate(files):
        target = filled.folder.parent / f"restored{n}"
        restore(path, target)
        use(settings_of(target / DATABASE))
        assert audit.verify() == ()
        connection.close()
    use(settings_of(filled.folder / DATABASE))
    assert Audit.objects.filter(what="noise").count() > 3


def test_a_restored_site_has_the_same_rows_secret_and_options(filled, tmp_path):
    site = write_options(filled, language="en", hosts=("a.example",))
    backup_file = backup.make(site)
    assert restore(backup_file, tmp_path / "new") is None
    new = read_site(tmp_path / "new")
    assert (new.secret, new.language, new.hosts) == (site.secret, "en", ("a.example",))
    assert people_in(new.folder / DATABASE) == ["li"]
    assert stat.S_IMODE(new.folder.stat().st_mode) == 0o700
    for path in new.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) in (0o600, 0o700)


def test_a_site_is_replaced_only_when_told_and_kept_aside(filled, tmp_path):
    backup_file = backup.make(filled)
    Person.objects.create(login="later", name="Later")
    connection.close()
    with pytest.raises(GecbenchError, match=r"holds a site already; name a new folder, or say"):
        restore(backup_file, filled.folder)
    assert "later" in people_in(filled.folder / DATABASE)
    aside = restore(backup_file, filled.folder, replace=True)
    assert people_in(filled.folder / DATABASE) == ["li"]
    assert sorted(people_in(aside / DATABASE)) == ["later", "li"]
    assert (aside / "secret.key").read_text() == filled.secret


def test_a_folder_in_use_is_not_replaced(filled, tmp_path, monkeypatch):
    monkeypatch.setattr(databases, "SETTLING", 0.1)
    backup_file = backup.make(filled)
    with closing(sqlite3.connect(filled.folder / DATABASE)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(GecbenchError, match=r"another program has the database open"):
            restore(backup_file, filled.folder, replace=True)
    assert people_in(filled.folder / DATABASE) == ["li"]


def test_a_folder_with_other_things_is_not_restored_into(filled, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("x")
    with pytest.raises(GecbenchError, match=r"holds other files"):
        restore(backup.make(filled), tmp_path / "other", replace=True)


def test_a_database_is_named_for_postgresql_alone(filled, tmp_path):
    with pytest.raises(UsageError, match=r"is a backup of SQLite; restore it without --database"):
        restore(backup.make(filled), tmp_path / "new", database="postgresql://a@b/c")
    with pytest.raises(GecbenchError, match=r"no such file"):
        restore(tmp_path / "none.tar", tmp_path / "new2")


def test_one_changed_byte_is_found_with_and_without_the_sum_beside(filled):
    backup_file = backup.make(filled)
    content = bytearray(backup_file.read_bytes())
    content[len(content) // 2] ^= 1
    backup_file.write_bytes(content)
    with pytest.raises(GecbenchError, match=r"it was changed or cut, use another"):
        backup.verify(backup_file)
    backup.sum_of(backup_file).unlink()
    with pytest.raises(GecbenchError, match=rf"{DATABASE} in it was changed"):
        backup.verify(backup_file)


@pytest.mark.parametrize("left", [0, 100, 0.5])
def test_a_cut_backup_is_found(filled, left):
    backup_file = backup.make(filled)
    backup.sum_of(backup_file).unlink()
    content = backup_file.read_bytes()
    backup_file.write_bytes(
        content[: int(len(content) * left) if isinstance(left, float) else left]
    )
    with pytest.raises(GecbenchError, match=r"is no (whole )?backup"):
        backup.verify(backup_file)


def packed(path, parts):
    import io

    with tarfile.open(path, "w") as tar:
        for name, content in parts.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (b"{}", "no manifest in it"),
        (b"[]", "no manifest in it"),
        (b'{"format": 2, "version": "9.9"}', "made by a newer gecbench"),
        (
            b'{"format": 1, "made_at": "2026-01-01T00:00:00+00:00", "version": "1", '
            b'"database": "sqlite", "sha256": {"../../evil": "x", "secret.key": "y"}}',
            r"it holds \['../../evil', 'secret.key'\]",
        ),
    ],
)
def test_what_is_no_backup_is_refused(tmp_path, manifest, message):
    packed(tmp_path / "x.tar", {"manifest.json": manifest, "../../evil": b"x"})
    with pytest.raises(GecbenchError, match=message):
        backup.verify(tmp_path / "x.tar")
    assert not (tmp_path.parent / "evil").exists()


def test_an_empty_sum_beside_is_no_sum(filled):
    backup_file = backup.make(filled)
    backup.sum_of(backup_file).write_text("")
    with pytest.raises(GecbenchError, match=r"is not what"):
        backup.verify(backup_file)


def test_a_part_that_is_no_file_is_refused(tmp_path):
    import json

    sums = {"secret.key": "x", DATABASE: "x"}
    manifest = {
        "format": 1,
        "made_at": "2026-01-01T00:00:00",
        "version": "1",
        "database": "sqlite",
        "sha256": sums,
    }
    packed(tmp_path / "x.tar", {"manifest.json": json.dumps(manifest).encode()})
    with tarfile.open(tmp_path / "x.tar", "a") as tar:
        entry = tarfile.TarInfo("secret.key")
        entry.type = tarfile.DIRTYPE
        tar.addfile(entry)
    with pytest.raises(GecbenchError, match=r"secret.key in it is no file"):
        backup.verify(tmp_path / "x.tar")


def test_a_damaged_database_is_not_saved(filled):
    with closing(sqlite3.connect(filled.folder / DATABASE)) as opened:
        opened.execute("PRAGMA foreign_keys=OFF")
        opened.execute("UPDATE project SET created_by_id = 999")
        opened.commit()
    with pytest.raises(GecbenchError, match=r"of project names a row of person that is not there"):
        backup.make(filled)
    assert list(filled.backups.iterdir()) == []


def test_what_is_no_database_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"no database at all" * 100)
    with pytest.raises(GecbenchError, match=r"is no sound SQLite database"):
        databases.check_sqlite(tmp_path / "x")
    with pytest.raises(GecbenchError, match=r"there is no database; make one"):
        databases.copy(tmp_path / "none", tmp_path / "y")
    with pytest.raises(GecbenchError, match=r"cannot be copied"):
        databases.copy(tmp_path / "x", tmp_path / "y")


def test_damage_inside_is_found(filled):
    path = filled.folder / DATABASE
    connection.close()
    databases.settle(path)
    content = bytearray(path.read_bytes())
    for page in range(4096 * 20, 4096 * 60, 4096):
        content[page + 8 : page + 60] = b"\xff" * 52
    path.write_bytes(content)
    with pytest.raises(GecbenchError, match=r"the database is damaged|is no sound SQLite database"):
        databases.check_sqlite(path)


def test_a_full_disk_leaves_no_half_backup(filled, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup, "_add", full)
    with pytest.raises(GecbenchError, match=r"cannot be written: No space left on device"):
        backup.make(filled)
    assert list(filled.backups.iterdir()) == []


DAY = timedelta(days=1)


def test_seven_days_and_four_weeks_stay():
    start = datetime(2026, 1, 1, 6, tzinfo=UTC)
    times = [start + n * DAY / 2 for n in range(120)]
    stays = sorted(backup.to_keep(times))
    assert stays[-7:] == [datetime(2026, 2, 23 + n, 18, tzinfo=UTC) for n in range(6)] + [
        datetime(2026, 3, 1, 18, tzinfo=UTC)
    ]
    # Sundays are the last of their weeks.
    assert stays[:-7] == [datetime(2026, 2, day, 18, tzinfo=UTC) for day in (8, 15, 22)]


def test_old_ones_go_with_their_sums_and_others_stay(filled):
    for n in range(1, 31):
        for end in ("", ".sha256"):
            (filled.backups / f"gecbench-202601{n:02}T120000Z.tar{end}").write_text("x")
    (filled.backups / "gecbench-my-own.tar").write_text("x")
    (filled.backups / "before-0002-20260101T000000Z.tar").write_text("x")
    deleted = backup.prune(filled)
    left = sorted(path.name for path in filled.backups.glob("gecbench-2026*.tar"))
    assert len(deleted) == 30 - len(left)
    assert [name[15:17] for name in left] == ["11", "18", *map(str, range(24, 31))]
    assert len(list(filled.backups.glob("*.sha256"))) == len(left)
    assert (filled.backups / "gecbench-my-own.tar").exists()
    assert (filled.backups / "before-0002-20260101T000000Z.tar").exists()
    assert backup.newest(filled) == datetime(2026, 1, 30, 12, tzinfo=UTC)


def test_a_site_without_backups_has_no_newest(folder):
    assert backup.newest(folder) is None
    assert Project.objects.count() == 0
