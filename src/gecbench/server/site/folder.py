"""A site's data folder: private, with its secret and options; its disk; how processes open it."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError
from gecbench.server.site.databases import check_client, check_url

# What a data folder's disk must offer: locks that hold, one server at a time, room to work in.


MOUNTS = Path("/proc/self/mounts")
NETWORK = frozenset(
    [
        *("9p", "afs", "ceph", "cifs", "davfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs"),
        *("nfs4", "ocfs2", "smb3", "smbfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs"),
        "fuse.sshfs",
    ]
)
"""Kinds of file systems on which SQLite's write-ahead log is not safe."""


def file_system(folder: Path, mounts: Path = MOUNTS) -> str:
    """The kind of the file system of a folder; "" where the system does not say."""
    try:
        lines = mounts.read_text("utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    place, kind = "", ""
    for line in lines:
        _, mounted, its_kind, *_ = line.split(" ")
        mounted = mounted.replace("\\040", " ")
        inside = folder.resolve().is_relative_to(mounted)
        if inside and len(mounted) >= len(place):  # the last of equals hides the ones before
            place, kind = mounted, its_kind
    return kind


def refuse_network(folder: Path, mounts: Path = MOUNTS) -> None:
    """Refuse a folder that other machines may write to, too.

    Raises:
        GecbenchError: It lies on a network file system.
    """
    kind = file_system(folder, mounts)
    if kind in NETWORK:
        raise GecbenchError(
            f"{folder}: lies on a network file system ({kind}), where SQLite loses data; name a "
            "folder on a local disk, or a PostgreSQL server: --database URL"
        )


@contextmanager
def alone(folder: Path) -> Iterator[int]:
    """Hold a data folder for one process; yields what a child process must close.

    Raises:
        GecbenchError: Another process holds it.
    """
    path = folder / LOCK
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise GecbenchError(f"{path}: cannot be opened: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise GecbenchError(
                f"{folder}: a server is running on this data folder; stop it first"
            ) from None
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def private_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a new folder that nobody else reads and that is gone at the end.

    What a process left there that was killed goes, too: secrets and gigabytes do not pile up.
    Each one is locked by the process that uses it, so that those of living ones stay.
    """
    with _lock(parent):  # nobody sweeps between the making of a folder and its lock
        for old in parent.glob(f"{prefix}*"):
            with suppress(OSError), _lock(old, wait=False):
                shutil.rmtree(old, ignore_errors=True)
        temporary = tempfile.TemporaryDirectory(
            dir=parent, prefix=prefix, ignore_cleanup_errors=True
        )
        descriptor = os.open(temporary.name, os.O_RDONLY | os.O_CLOEXEC)
        with suppress(OSError):  # some network file systems lock no folders
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    try:
        with temporary:
            yield Path(temporary.name)
    finally:
        os.close(descriptor)


@contextmanager
def _lock(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold a folder; without waiting, one that is held or cannot be raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if wait:
            with suppress(OSError):  # some network file systems lock no folders
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


# A site's data folder: private, with its secret, its options and where its database is.


SECRET = "secret.key"
SHORTEST_SECRET = 32
OPTIONS = "site.toml"
DATABASE = "gecbench.sqlite3"
BACKUPS = "backups"
LOCK = "serving.lock"
STATIC = "static"
UPLOADS = "uploads"
SHARED_UPLOADS = "gecbench-uploads"
REPLACED = "replaced-"
"""What a restore has put aside begins so."""


@dataclass(frozen=True, slots=True)
class Site:
    """One installation of the annotation platform.

    Args:
        folder: Its data folder, readable by its owner alone.
        secret: Signs sessions and links; generated, never shown.
        database: A URL as postgresql://user@host/name; "" is SQLite in the folder.
        language: Of the interface for those who have chosen none: "zh-hans", "en"; "" is the
            browser's.
        time_zone: Where days begin, as "Asia/Shanghai", for those who have chosen no place; "" is
            the machine's.
        hosts: Names under which the site may be asked for, besides this machine's own.
        https: Whether it is reached by https, which a proxy before it ends.
        hsts_subdomains: Whether browsers shall use https for all names below the site's, too.
        hsts_preload: Whether makers of browsers may put the name on their lists of https sites.
        behind_proxy: Whether the proxy's word about addresses of people is believed.
        rate_limits: Whether drafts, submissions and exports are limited; off for load tests.
        smtp: The server that sends mails, as smtp+tls://person:password@host:587; "" sends none.
        mail_from: The address that mails are from.
        log: How requests are logged, "text" or "json".
        hints_en: The corrector whose hints perturbers of English may ask for; "" is none.
        hints_zh: That for Chinese.
        uploads: The folder in which files wait to be imported, one for all hosts; "" is the data
            folder.
        cache: Redis, as redis://host:6379/0, in which all hosts count how often people ask; "" is
            the database, or the memory of each process on SQLite.
        metrics_token: Whoever reads /metrics has it; "" is nobody.
    """

    folder: Path
    secret: str = field(repr=False)
    database: str = field(default="", repr=False)
    language: str = ""
    time_zone: str = ""
    hosts: tuple[str, ...] = ()
    https: bool = False
    hsts_subdomains: bool = False
    hsts_preload: bool = False
    behind_proxy: bool = False
    rate_limits: bool = True
    smtp: str = field(default="", repr=False)
    mail_from: str = ""
    log: str = "text"
    hints_en: str = ""
    hints_zh: str = ""
    uploads: str = ""
    cache: str = field(default="", repr=False)
    metrics_token: str = field(default="", repr=False)

    @property
    def mail_server(self) -> SplitResult:
        """The parts of the mail server's URL."""
        return urlsplit(self.smtp)

    @property
    def sqlite(self) -> Path | None:
        """The file of the database; None where a server has it."""
        return None if self.database else self.folder / DATABASE

    @property
    def backups(self) -> Path:
        """The folder of backups."""
        return self.folder / BACKUPS

    @property
    def upload_folder(self) -> Path:
        """The folder of files that wait to be imported: always one of our own."""
        if not self.uploads:
            return self.folder / UPLOADS
        return Path(self.uploads) / SHARED_UPLOADS


def make_site(folder: Path, secret: str = "") -> Site:
    """Make a data folder, or complete one: private permissions and a secret.

    Args:
        folder: The folder.
        secret: That of the site's other hosts, for a folder that has none; "" makes a new one.

    Raises:
        GecbenchError: It cannot be made, holds other things, or has another secret.
    """
    if secret and len(secret) < SHORTEST_SECRET:
        raise GecbenchError(
            f"GECBENCH_SECRET_KEY has {len(secret)} characters; it has at least {SHORTEST_SECRET}, "
            "made at random, as by: openssl rand -base64 48"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        site_names = {
            SECRET,
            OPTIONS,
            BACKUPS,
            LOCK,
            *(DATABASE + end for end in ("", "-wal", "-shm")),
        }
        names = {path.name for path in folder.iterdir()}
        strangers = names - site_names
        if SECRET not in names and (
            DATABASE in names or any(path.startswith(REPLACED) for path in names)
        ):
            raise GecbenchError(
                f"{folder}: a restore was interrupted here, or {SECRET} was removed; restore a "
                "backup with --replace, which keeps aside what is there"
            )
        if strangers and not (folder / SECRET).exists():
            raise GecbenchError(
                f"{folder}: holds other files ({min(strangers)}); name a new or empty folder"
            )
        folder.chmod(0o700)
        if not (folder / SECRET).exists():
            _write_private(folder / SECRET, secret or secrets.token_urlsafe(50))
        (folder / BACKUPS).mkdir(exist_ok=True, mode=0o700)
    except OSError as error:
        raise GecbenchError(
            f"{folder}: the data folder cannot be made: {error.strerror}"
        ) from error
    site = read_site(folder)
    if secret and site.secret != secret:
        raise GecbenchError(
            f"{folder}: {SECRET} is not GECBENCH_SECRET_KEY; all hosts of a site have one secret, "
            "so put the site's into both"
        )
    return site


def read_site(folder: Path) -> Site:
    """The site of a data folder.

    Raises:
        GecbenchError: The folder is none, or its options mean nothing.
    """
    try:
        secret = (folder / SECRET).read_text("utf-8").strip()
    except OSError:
        raise GecbenchError(
            f"{folder}: is no data folder of gecbench; say --data FOLDER or set GECBENCH_SITE; or "
            f"make one: gecbench annotate init {folder}"
        ) from None
    return Site(folder=folder, secret=secret, **_options(folder / OPTIONS))  # type: ignore[arg-type]


def make_upload_folder(site: Site) -> None:
    """Make the folder of files that wait to be imported, or find it usable.

    A folder whose parent is missing is not made: it may be that of a disk that is not mounted.

    Raises:
        GecbenchError: It cannot be made, or be written to.
    """
    folder = site.upload_folder
    try:
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise GecbenchError(
            f"{folder}: files to be imported cannot be kept here: {error.strerror}; make the "
            "folder for the user of the server, or name another one: uploads (GECBENCH_UPLOADS)"
        ) from error


def _write_private(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)


_KINDS: Mapping[str, type] = {
    "database": str,
    "language": str,
    "time_zone": str,
    "hosts": list,
    "https": bool,
    "hsts_subdomains": bool,
    "hsts_preload": bool,
    "behind_proxy": bool,
    "rate_limits": bool,
    "smtp": str,
    "mail_from": str,
    "log": str,
    "hints_en": str,
    "hints_zh": str,
    "uploads": str,
    "cache": str,
    "metrics_token": str,
}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "language": ("", "zh-hans", "en"),
    "log": ("text", "json"),
}


def _options(path: Path) -> dict[str, object]:
    """The options of site.toml, checked; none where the file is absent."""
    if not path.exists():
        return {}
    try:
        options = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GecbenchError(f"{path}: cannot be read: {error}") from error
    for key, value in options.items():
        _check(str(path), key, value)
    return {key: tuple(value) if key == "hosts" else value for key, value in options.items()}


def _check(where: str, key: str, value: object) -> None:
    if key not in _KINDS:
        raise UsageError(f"{where}: unknown option {key!r}; known: {', '.join(_KINDS)}")
    if not isinstance(value, _KINDS[key]) or (
        isinstance(value, list) and not all(isinstance(item, str) and item for item in value)
    ):
        expected = "list of names" if key == "hosts" else _KINDS[key].__name__
        raise UsageError(f"{where}: {key} is {value!r}; a {expected} was expected")
    if key in _CHOICES and value not in _CHOICES[key]:
        names = ", ".join(repr(choice) for choice in _CHOICES[key])
        raise UsageError(f"{where}: {key} is {value!r}; it is one of {names}")
    if key == "database" and isinstance(value, str) and value:
        check_url(value)
    if key == "time_zone" and isinstance(value, str):
        check_zone(value, f"{where}: time_zone")
    if key == "smtp" and isinstance(value, str) and value:
        _check_smtp(where, value)
    if key == "cache" and value and not str(value).startswith(("redis://", "rediss://", "unix://")):
        raise UsageError(f"{where}: {_NO_REDIS}")
    if key == "uploads" and value and not Path(str(value)).is_absolute():
        raise UsageError(f"{where}: uploads is {value!r}; it is the whole path of a folder")
    if key == "metrics_token" and value and len(str(value)) < _SHORTEST_TOKEN:
        raise UsageError(
            f"{where}: metrics_token has fewer than {_SHORTEST_TOKEN} characters; make one at "
            "random, as by: openssl rand -hex 32"
        )


_SHORTEST_TOKEN = 16
_NO_REDIS = "cache is no address of Redis; write redis://host:6379/0"


def _check_smtp(where: str, url: str) -> None:
    """Refuse what is no mail server, without repeating its password."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("smtp", "smtp+tls", "smtp+ssl") and parts.hostname and parts.port
    except ValueError:
        fine = False
    if not fine:
        raise UsageError(
            f"{where}: smtp is no mail server; write smtp+tls://person:password@host:587, "
            "smtp+ssl://person:password@host:465 or smtp://localhost:25"
        )


LOCAL_TIME, TIME_ZONE = Path("/etc/localtime"), Path("/etc/timezone")


def is_zone(name: str) -> bool:
    """Whether a time zone has this name."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def check_zone(name: str | None, where: str = "--time-zone") -> None:
    """Refuse what is no time zone; none and "" say nothing.

    Raises:
        UsageError: No time zone has this name.
    """
    if name and not is_zone(name):
        zones = {zone.casefold(): zone for zone in available_timezones()}
        near = get_close_matches(name.casefold(), zones, n=1)
        meant = f"did you mean {zones[near[0]]}? " if near else ""
        raise UsageError(
            f"{where} is {name!r}; {meant}it is a name as Asia/Shanghai or Europe/Berlin"
        )


def machine_zone(environment: Mapping[str, str]) -> str:
    """The name of this machine's time zone; "UTC" where it says none.

    The variable TZ comes first, as everywhere; then what a system has set up.
    """
    names = [environment.get("TZ", "").removeprefix(":")]
    with suppress(OSError):
        names.append(str(LOCAL_TIME.readlink()).partition("/zoneinfo/")[2])
    with suppress(OSError, UnicodeDecodeError):
        names.append(TIME_ZONE.read_text("utf-8").strip())
    zone = next((name for name in names if name and is_zone(name)), "UTC")
    return "UTC" if zone in ("Etc/UTC", "Etc/UCT", "UCT", "Zulu", "Etc/Zulu") else zone


def write_options(site: Site, **changed: object) -> Site:
    """Keep options in site.toml and return the site with them.

    Raises:
        GecbenchError: An option means nothing, or the file cannot be written.
    """
    path = site.folder / OPTIONS
    options = {**_options(path), **changed}
    lines = []
    for key, value in options.items():
        plain = list(value) if isinstance(value, tuple) else value
        _check(str(path), key, plain)
        # JSON's texts, truths and lists of texts are TOML's too.
        lines.append(f"{key} = {json.dumps(plain, ensure_ascii=False)}\n")
    temporary = path.with_name(f".{OPTIONS}.new")
    try:
        temporary.unlink(missing_ok=True)
        _write_private(temporary, "".join(lines))
        temporary.replace(path)
    except OSError as error:
        raise GecbenchError(f"{path}: cannot be written: {error.strerror}") from error
    return read_site(site.folder)


ENVIRONMENT: Mapping[str, str] = {
    "GECBENCH_DATABASE_URL": "database",
    "GECBENCH_LANGUAGE": "language",
    "GECBENCH_TIME_ZONE": "time_zone",
    "GECBENCH_HOSTS": "hosts",
    "GECBENCH_HTTPS": "https",
    "GECBENCH_HSTS_SUBDOMAINS": "hsts_subdomains",
    "GECBENCH_HSTS_PRELOAD": "hsts_preload",
    "GECBENCH_BEHIND_PROXY": "behind_proxy",
    "GECBENCH_RATE_LIMITS": "rate_limits",
    "GECBENCH_SMTP": "smtp",
    "GECBENCH_MAIL_FROM": "mail_from",
    "GECBENCH_LOG": "log",
    "GECBENCH_HINTS_EN": "hints_en",
    "GECBENCH_HINTS_ZH": "hints_zh",
    "GECBENCH_UPLOADS": "uploads",
    "GECBENCH_CACHE": "cache",
    "GECBENCH_METRICS_TOKEN": "metrics_token",
}
"""Variable to the option that it overrules: for containers, and for what `serve` was told."""


def apply_environment(site: Site, environment: Mapping[str, str]) -> Site:
    """The site as the environment wants it; an empty variable says nothing.

    Raises:
        UsageError: A variable's value means nothing.
    """
    changed: dict[str, object] = {}
    for variable, key in ENVIRONMENT.items():
        text = environment.get(variable, "").strip()
        if not text:
            continue
        value: object = text
        if _KINDS[key] is bool:
            if text not in ("0", "1"):
                raise UsageError(f"{variable} is {text!r}; it is 0 or 1")
            value = text == "1"
        elif key == "hosts":
            value = [part.strip() for part in text.split(",") if part.strip()]
        _check(variable, key, value)
        changed[key] = tuple(value) if isinstance(value, list) else value
    return replace(site, **changed)  # type: ignore[arg-type]  # each was checked


# A site is opened once in a process: Django learns where the data are.


DEFAULT = Path("gecbench-data")
"""The data folder where nothing else is said."""


def open_site(folder: Path, **overruling: str) -> Site:
    """Set Django up on a data folder and return the site.

    Args:
        folder: One that `make_site` made.
        overruling: Variable of `folder.ENVIRONMENT` to what it shall be in this process.

    Raises:
        GecbenchError: It is no data folder, or another one is open in this process.
        MissingExtraError: The extra `annotate` is not installed.
    """
    os.umask(0o077)  # whatever is written from now on is the owner's alone
    os.environ.update(overruling)
    site = apply_environment(read_site(folder), os.environ)
    check_extras(site.database, site.cache)
    os.environ["GECBENCH_SITE"] = str(folder.resolve())
    os.environ["DJANGO_SETTINGS_MODULE"] = "gecbench.server.settings"
    import django
    from django.apps import apps
    from django.conf import settings

    if not apps.ready:
        django.setup()
    if settings.SITE.folder != folder.resolve():
        raise GecbenchError(f"{folder}: another site, {settings.SITE.folder}, is open already")
    return site


def check_extras(database: str = "", cache: str = "") -> None:
    """Refuse in one line what would end in a traceback of an import, or of the address of Redis.

    Raises:
        UsageError: The option `cache` is no address.
        MissingExtraError: The extra `annotate` is missing, or `postgres` or `redis` where needed.
    """
    from importlib.util import find_spec

    modules = ("django", "axes", "csp", "django_htmx", "whitenoise", "dj_database_url")
    for module in (*modules, "prometheus_client"):
        if find_spec(module) is None:
            raise MissingExtraError(f"{module} (the annotation platform)", "annotate")
    if database.startswith("postgres"):
        check_client()
    if not cache:
        return
    if find_spec("redis") is None:
        raise MissingExtraError("redis (for the option `cache`)", "redis")
    from redis.connection import parse_url

    try:
        parse_url(cache)  # type: ignore[no-untyped-call]
    except ValueError:  # it may hold a password, so it is not repeated
        raise UsageError(_NO_REDIS) from None
