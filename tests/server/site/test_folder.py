"""The data folder: private, complete, and its options mean something."""

from __future__ import annotations

import stat

import pytest

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.site import folder
from gecbench.server.site.folder import (
    Site,
    apply_environment,
    check_extras,
    make_site,
    make_upload_folder,
    read_site,
    write_options,
)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_folder_and_secret_are_private_and_stay_the_same(tmp_path):
    site = make_site(tmp_path / "a" / "site")
    assert mode(site.folder) == 0o700
    assert mode(site.folder / "secret.key") == 0o600
    assert mode(site.backups) == 0o700
    assert len(site.secret) > 60
    site.folder.chmod(0o755)
    assert make_site(site.folder) == site
    assert mode(site.folder) == 0o700


def test_the_secret_is_in_no_message_about_a_site(tmp_path):
    site = Site(tmp_path, "hush", database="postgresql://a:hush@h/n")
    assert "hush" not in repr(site)


def test_a_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(GecbenchError, match=r"holds other files \(thesis.tex\)"):
        make_site(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_cannot_be_a_data_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(GecbenchError, match=r"the data folder cannot be made: File exists"):
        make_site(tmp_path / "file")


def test_what_is_no_data_folder_says_how_to_make_one(tmp_path):
    with pytest.raises(GecbenchError, match=r"make one: gecbench annotate init"):
        read_site(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("databse = 'x'", "unknown option 'databse'; known: database,"),
        ("https = 1", "https is 1; a bool was expected"),
        ("hosts = ['a', 2]", r"hosts is \['a', 2\]; a list of names was expected"),
        ("log = 'xml'", "log is 'xml'; it is one of 'text', 'json'"),
        ("language = 'de'", "language is 'de'; it is one of"),
        ("hosts = [", "cannot be read"),
    ],
)
def test_options_that_mean_nothing_are_refused(tmp_path, text, message):
    site = make_site(tmp_path / "site")
    (site.folder / "site.toml").write_text(text)
    with pytest.raises(GecbenchError, match=message):
        read_site(site.folder)


def test_options_are_kept_and_read_back(tmp_path):
    site = make_site(tmp_path / "site")
    write_options(site, hosts=("a.example", 'b"c'), https=True)
    site_read = write_options(site, language="en")
    assert (site_read.hosts, site_read.https, site_read.language) == (
        ("a.example", 'b"c'),
        True,
        "en",
    )
    assert mode(site.folder / "site.toml") == 0o600
    with pytest.raises(UsageError, match=r"unknown option 'x'"):
        write_options(site, x=1)
    assert read_site(site.folder) == site_read


def test_the_environment_overrules_the_file():
    site = Site(folder=None, secret="s", language="en", hosts=("a",))
    variables = {"GECBENCH_HOSTS": "b, c", "GECBENCH_HTTPS": "1", "GECBENCH_LANGUAGE": " "}
    assert apply_environment(site, variables) == Site(
        None, "s", language="en", hosts=("b", "c"), https=True
    )
    with pytest.raises(UsageError, match=r"GECBENCH_HTTPS is 'yes'; it is 0 or 1"):
        apply_environment(site, {"GECBENCH_HTTPS": "yes"})
    with pytest.raises(UsageError, match=r"GECBENCH_LOG: log is 'xml'"):
        apply_environment(site, {"GECBENCH_LOG": "xml"})


def test_a_folder_that_cannot_be_written_to_says_so(tmp_path, monkeypatch):
    site = make_site(tmp_path / "site")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gecbench.server.site.folder._write_private", full)
    with pytest.raises(GecbenchError, match=r"site.toml: cannot be written: No space left"):
        write_options(site, https=True)


@pytest.mark.parametrize(
    "url",
    ["mail.example", "smtp://", "http://a.example:25", "smtp+tls://p:secret@host", "smtp://h:port"],
)
def test_a_mail_server_is_a_url_and_a_refusal_does_not_repeat_it(tmp_path, url):
    with pytest.raises(UsageError, match="smtp is no mail server") as refused:
        write_options(make_site(tmp_path / "site"), smtp=url)
    assert "p:secret" not in str(refused.value)


def test_a_mail_server_has_its_parts(tmp_path):
    new_site = make_site(tmp_path / "site")
    server = write_options(new_site, smtp="smtp+tls://li:a%40b@mail.example:587").mail_server
    parts = (server.scheme, server.hostname, server.port, server.username)
    assert parts == ("smtp+tls", "mail.example", 587, "li")
    assert "a%40b" not in repr(new_site)


@pytest.mark.parametrize("name", ["Shanghai", "+08:00", "../zoneinfo/UTC", "Asia"])
def test_a_time_zone_has_a_name_that_is_known(tmp_path, name):
    new_site = make_site(tmp_path / "site")
    with pytest.raises(UsageError, match="a name as Asia/Shanghai"):
        write_options(new_site, time_zone=name)
    with pytest.raises(UsageError, match="GECBENCH_TIME_ZONE"):
        apply_environment(new_site, {"GECBENCH_TIME_ZONE": name})
    assert write_options(new_site, time_zone="Asia/Shanghai").time_zone == "Asia/Shanghai"


@pytest.mark.parametrize(
    ("variable", "link", "text", "zone"),
    [
        ("", "/usr/share/zoneinfo/Asia/Shanghai", "Europe/Berlin", "Asia/Shanghai"),
        (":Asia/Tokyo", "/usr/share/zoneinfo/Asia/Shanghai", "", "Asia/Tokyo"),
        ("CST-8", "", "Europe/Berlin\n", "Europe/Berlin"),
        ("", "/usr/share/zoneinfo/Etc/UTC", "Etc/UTC", "UTC"),
        ("", "/etc/other", "nonsense", "UTC"),
        ("", "", "", "UTC"),
    ],
)
def test_the_zone_of_the_machine(tmp_path, monkeypatch, variable, link, text, zone):
    monkeypatch.setattr(folder, "LOCAL_TIME", tmp_path / "localtime")
    monkeypatch.setattr(folder, "TIME_ZONE", tmp_path / "timezone")
    if link:
        (tmp_path / "localtime").symlink_to(link)
    if text:
        (tmp_path / "timezone").write_text(text)
    assert folder.machine_zone({"TZ": variable}) == zone


@pytest.mark.parametrize("cache", ["redis://host:abc", "redis://:secret@host:99999/0"])
def test_an_address_that_redis_cannot_read_is_refused_and_not_repeated(cache):
    pytest.importorskip("redis")
    with pytest.raises(UsageError, match=r"cache is no address of Redis") as refused:
        check_extras(cache=cache)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("place", ["missing/uploads", "file"])
def test_a_folder_that_takes_no_uploads_is_refused_at_the_start(tmp_path, place):
    (tmp_path / "file").touch()
    site = Site(folder=tmp_path, secret="s", uploads=str(tmp_path / place))
    with pytest.raises(GecbenchError, match=r"cannot be kept here.*GECBENCH_UPLOADS"):
        make_upload_folder(site)
    with pytest.raises(UsageError, match=r"uploads is 'relative'"):
        apply_environment(site, {"GECBENCH_UPLOADS": "relative"})
    make_upload_folder(Site(folder=tmp_path, secret="s", uploads=str(tmp_path / "uploads")))
    assert (tmp_path / "uploads" / "gecbench-uploads").stat().st_mode & 0o777 == 0o700
