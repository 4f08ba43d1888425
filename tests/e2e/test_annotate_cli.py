"""The commands of operators as a person types them: real processes, a real data folder."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from server.live import free_port


@pytest.fixture
def run(run_process):
    """A site belongs to one process."""
    return run_process


@pytest.fixture(scope="module")
def new_site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("new site")
    words = [sys.executable, "-m", "gecbench", "annotate", "init", "site"]
    words += ["--time-zone", "Asia/Shanghai"]
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    assert re.search(r"http://127.0.0.1:8700/invitation/[\w-]{43}$", ended.stdout.strip())
    assert ended.stderr == "gecbench: days begin at midnight of Asia/Shanghai\n"
    return folder / "site"


@pytest.fixture
def site(new_site, tmp_path) -> Path:
    """A new site, of which each test has its own copy."""
    return shutil.copytree(new_site, tmp_path / "site")


def test_a_new_folder_is_private_and_whole(site, run):
    assert stat.S_IMODE(site.stat().st_mode) == 0o700
    for path in site.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    ended = run("annotate", "check", "--data", "site")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr == "gecbench: all is as it must be\n"


@pytest.mark.slow
def test_people_are_made_and_listed(site, run, good, bad):
    added = run("annotate", "user", "add", "li", "--administrator", GECBENCH_SITE="site")
    assert added.returncode == 0, added.stderr
    assert re.search(r"/password/[\w/-]{40,}$", added.stdout.strip())
    assert good("annotate", "user", "list", "--data", "site") == "li  li  active, administrator\n"
    message = bad(2, "annotate", "user", "link", "nobody", "--data", "site")
    assert message == "nobody has the login 'nobody'; gecbench annotate user list"


@pytest.mark.slow
def test_a_backup_goes_to_another_folder(site, good, run, bad, tmp_path):
    backup = good("annotate", "backup", "--data", "site").strip()
    assert good("annotate", "backup", "--verify", backup).startswith(f"{backup}: whole; sqlite")
    good("annotate", "restore", backup, "new")
    assert (tmp_path / "new" / "secret.key").read_text() == (site / "secret.key").read_text()
    assert run("annotate", "check", "--data", "new").returncode == 0
    assert bad(1, "annotate", "restore", backup, "new").endswith("say --replace")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--bind", "8700"), 2, "'8700' is no address; write HOST:PORT, as 127.0.0.1:8700"),
        (("--bind", "0.0.0.0:0"), 2, "by plain HTTP; put a proxy with https before it"),
        (("--bind", "0.0.0.0:0", "--insecure"), 2, "--host annotate.example.org"),
        (("--database", "postgresql://a@127.0.0.1:1/x"), 1, "the database cannot be opened: "),
    ],
)
def test_serve_refuses_what_cannot_be(site, bad, words, code, message):
    assert message in bad(code, "annotate", "serve", "--data", "site", *words)


def test_a_folder_of_other_things_is_no_data_folder(bad, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    message = bad(1, "annotate", "serve", "--data", "mine", "--bind", "127.0.0.1:0")
    assert message.startswith("mine: holds other files (thesis.tex)")
    assert "is no data folder of gecbench" in bad(1, "annotate", "check", "--data", "mine")


def test_serve_makes_everything_and_answers_until_ctrl_c(tmp_path, bad):
    port = free_port()
    words = ["annotate", "serve", "--data", "fresh", "--time-zone", "Asia/Shanghai"]
    words += ["--bind", f"127.0.0.1:{port}"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GECBENCH_", "DJANGO_"))}
    server = subprocess.Popen(
        [sys.executable, "-m", "gecbench", *words], cwd=tmp_path, env=clean,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        first = server.stdout.readline()
        assert first == f"gecbench: people work at http://127.0.0.1:{port} (Ctrl-C ends it)\n"
        assert "no administrator" in server.stdout.readline() + server.stdout.readline()
        link = server.stdout.readline().strip()
        with urllib.request.urlopen(link, timeout=30) as page:
            assert page.status == 200
            style = re.search(r"/static/gecbench/base\.[0-9a-f]+\.css", page.read().decode())[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{style}") as css:
            assert css.headers["Content-Type"].startswith("text/css")
        busy = bad(1, *words)
        assert busy.endswith("in use by another program; name another address: --bind "
                             "127.0.0.1:PORT")  # fmt: skip
        other = bad(1, *words[:-1], "127.0.0.1:0")
        assert other == "fresh: a server is running on this data folder; stop it first"
        os.killpg(server.pid, signal.SIGINT)
        out, err = server.communicate(timeout=60)
    finally:
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGKILL)
            server.communicate()
    assert server.returncode == 0
    assert out == ""
    assert err.endswith("gecbench: ended\n")
    assert "Traceback" not in err


def test_help_needs_no_django():
    code = (
        "import sys, contextlib, io, gecbench.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    gecbench.cli.main(['annotate', 'serve', '--help'])\n"
        "assert not {'django', 'gunicorn', 'axes'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
