"""The journal of a run: what is somebody else's stays, and what is damaged is told."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from doubling import SENTENCES, Doubling, to
from messages import expect_error

from gecbench.api.correct import correct, correct_file
from gecbench.core.corrector import Correction
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.core.options import Cluster
from gecbench.models.journal import open_journal


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text("\n".join(SENTENCES), encoding="utf-8")
    return path


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("content", ["mine", "mine\nkeep\n", '{"a": 1}\n', "\x00\x01"])
def test_a_file_of_somebody_else_is_never_emptied(text, tmp_path, content, restart) -> None:
    part = tmp_path / "out.txt.part"
    part.write_text(content)
    with pytest.raises(GecbenchError, match="is in the way"):
        correct_file(Doubling(), text, to(tmp_path / "out.txt"), restart=restart)
    assert part.read_text() == content


@pytest.mark.parametrize("whole", [0, 1, 12, 20, 30])
def test_half_a_header_is_begun_anew(text, tmp_path, whole) -> None:
    part = tmp_path / "out.txt.part"
    open_journal(part, Doubling().info.signature).close()
    part.write_bytes(part.read_bytes()[:whole])
    done = correct_file(Doubling(), text, to(tmp_path / "out.txt"))
    assert (done.sentences, done.resumed) == (10, 0)


def test_a_damaged_line_is_one_clear_line(text, tmp_path) -> None:
    with pytest.raises(KeyboardInterrupt):
        correct_file(Doubling(stop_at=6), text, to(tmp_path / "out.txt"))
    part = tmp_path / "out.txt.part"
    lines = part.read_bytes().splitlines(keepends=True)
    for damaged in (b"\0" * 8 + b"\n", lines[3].replace("的的".encode(), b"x"), b'{"a"\n'):
        part.write_bytes(b"".join([*lines[:3], damaged, *lines[4:]]))
        with expect_error(GecbenchError, "out.txt.part:4", "--restart"):
            correct_file(Doubling(), text, to(tmp_path / "out.txt"))


def test_a_journal_that_its_run_removed_is_not_written_to(tmp_path, monkeypatch) -> None:
    path = tmp_path / "o.part"
    first = open_journal(path, {"a": "b"})
    lock = fcntl.flock

    def late(file, how) -> None:
        first.remove()  # the other run ends between opening and locking
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with expect_error(GecbenchError, str(path), "another run"):
        open_journal(path, {"a": "b"})
    monkeypatch.undo()
    open_journal(path, {"a": "b"}).close()


_FULL = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from doubling import Doubling, to
from gecbench.api.correct import correct_file
from gecbench.core.errors import GecbenchError
resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
try:
    correct_file(Doubling(), Path(sys.argv[2]), to(Path(sys.argv[3])))
except GecbenchError as error:
    print(error)
"""


def test_a_full_disk_is_one_clear_line_and_loses_nothing(text, tmp_path) -> None:
    out = tmp_path / "out.txt"
    here = str(Path(__file__).parents[1])
    process = subprocess.run(
        [sys.executable, "-c", _FULL, here, str(text), str(out)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "out.txt.part: cannot be written: File too large; what is in it stays" in process.stdout
    second = Doubling()
    done = correct_file(second, text, to(out))
    assert 0 < done.resumed < 10
    assert second.asked == SENTENCES[done.resumed :]


def test_a_corrector_that_answers_too_little_is_refused(text, tmp_path) -> None:
    class Short(Doubling):
        def correct(self, texts):
            return super().correct(texts)[:-1]

    class Swapped(Doubling):
        def correct(self, texts):
            return super().correct(texts)[::-1]

    class Trimming(Doubling):
        def _one(self, text):
            return Correction(text[1:], text[1:])

    for corrector in (Short(), Swapped(), Trimming()):
        for path in (tmp_path / "out.txt", Path("-")):
            with pytest.raises(
                GecbenchError, match=r"doubling: gave \d corrections for 3 sentences"
            ):
                correct_file(corrector, text, to(path))
        with pytest.raises(GecbenchError, match="must give one of each, in order"):
            correct(corrector, SENTENCES)


def test_a_cluster_goes_on_with_the_same_corrector_alone(text, tmp_path, monkeypatch) -> None:
    clusters = []

    def here(function, batches, jobs, describe):
        clusters.append(jobs)
        yield from map(function, batches)

    monkeypatch.setattr(Cluster, "check", lambda _: None)
    monkeypatch.setattr("gecbench.models.journal.map_in_processes", here)
    cluster = Cluster(resume=tmp_path / "parts")
    for version in "12":
        load = partial(Doubling, version=version)
        assert correct_file(load(), text, to(Path("/dev/null")), jobs=cluster, load=load).sentences
    assert [cluster.inputs["version"] for cluster in clusters] == ["1", "2"]
    with expect_error(UsageError, "resume"):  # the journal's parts would be others each time
        correct_file(Doubling(), text, to(tmp_path / "out"), jobs=cluster, load=Doubling)


def test_a_worker_with_another_model_ends_the_run(text, monkeypatch) -> None:
    monkeypatch.setattr(
        "gecbench.models.journal.map_in_processes",
        lambda function, batches, *_: (result for result in map(function, batches)),
    )
    with expect_error(GecbenchError, "version is '1'", "'2'"):
        load = partial(Doubling, version="2")
        correct_file(Doubling(), text, to(Path("/dev/null")), jobs=2, load=load)


def test_details_take_no_other_files_place(text, tmp_path) -> None:
    before = text.read_bytes()
    for details, why in ((tmp_path / "x" / ".." / "o", "output"), (text, "input")):
        (tmp_path / "x").mkdir(exist_ok=True)
        with expect_error(UsageError, f"the {why}"):
            correct_file(Doubling(), text, to(tmp_path / "o", details=details))
    with expect_error(UsageError, "the output"):
        correct_file(Doubling(), text, to(Path("-"), details=Path("-")))
    assert text.read_bytes() == before


def test_a_device_is_written_to_without_a_journal(text, monkeypatch) -> None:
    monkeypatch.setattr("gecbench.api.correct.open_journal", None)  # it would lie in /dev
    assert correct_file(Doubling(), text, to(Path("/dev/null"))).sentences == 10


def test_one_text_is_not_taken_for_a_list_of_characters() -> None:
    with pytest.raises(UsageError, match=r"write \[text\]"):
        correct("copying", "我今天")


def test_a_pipe_is_read_once(tmp_path) -> None:
    from gecbench.api.files import sample

    corpus = sample("zh", "corpus.jsonl")
    script = f"{sys.executable} -m gecbench correct copying <(cat {corpus}) --to jsonl -o out"
    subprocess.run(["bash", "-c", script], cwd=tmp_path, check=True, timeout=60)
    rows = (tmp_path / "out").read_text("utf-8").splitlines()
    assert len(rows) == 1 + 76
    assert json.loads(rows[1])["id"] == "zh-001"
