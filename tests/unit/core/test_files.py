"""Text files: what ends a line, what is refused, and writing whole or not at all."""

from __future__ import annotations

import dataclasses
import inspect
import io
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO
from unittest.mock import Mock

import fsspec
import pytest
from messages import expect_error

import gecbench
from gecbench.core.errors import FormatError, GecbenchError, MissingExtraError, UsageError
from gecbench.core.files import (
    check_folder,
    check_target,
    file_exists,
    name_of,
    read_bytes,
    read_lines,
    try_lock,
    write_bytes,
    write_text,
)
from gecbench.core.options import jobs_of_step

GBK = "你好".encode("gbk")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.txt"


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"", []),
        (b"\xef\xbb\xbf", []),
        (b"\n", [""]),
        (b"\r", [""]),
        (b"\r\n", [""]),
        (b"\n\n", ["", ""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\r", ["a", "b"]),
        (b"a\rb\nc\r\nd", ["a", "b", "c", "d"]),
        (b"a\n\rb", ["a", "", "b"]),
        (b"\xef\xbb\xbfa\nb", ["a", "b"]),
        (b"a\xef\xbb\xbf\n", ["a\ufeff"]),
        ("好\u2028\u0085\x0b\x0c\x1c😀\n".encode(), ["好\u2028\u0085\x0b\x0c\x1c😀"]),
        (b" a \t\n", [" a \t"]),
    ],
)
def test_only_lf_crlf_and_cr_end_a_line(path: Path, raw: bytes, lines: list[str]):
    path.write_bytes(raw)
    assert read_lines(path) == lines


@pytest.mark.parametrize("mark", ["utf-16", "utf-16-be"])
def test_utf_16_is_refused_by_its_mark(path: Path, mark: str):
    path.write_bytes("\ufeff好".encode(mark))
    with expect_error(FormatError, f"{path}:1", "UTF-16"):
        read_lines(path)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        (b"", 1),
        (b"\xef\xbb\xbf", 1),
        (b"a\n", 2),
        (b"\xef\xbb\xbfa\n", 2),
        (b"a\r\nb\r\n", 3),
        (b"a\rb\rc\n\n", 5),
        ("一\n二\n三 ".encode(), 3),
    ],
)
def test_a_byte_that_is_not_utf_8_is_named_with_its_line(path: Path, before: bytes, line: int):
    path.write_bytes(before + GBK + b"\nrest\n")
    with expect_error(FormatError, f"{path}:{line}", f"0x{GBK[0]:02x}", "GB18030"):
        read_lines(path)


def test_a_character_cut_at_the_end_of_the_file_is_named(path: Path):
    path.write_bytes("a\n好".encode()[:-1])
    with expect_error(FormatError, "2: byte 0xe5"):
        read_lines(path)


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("missing.txt", "no such file"),
        ("folder", "is a folder"),
        ("file/inside", "Not a directory"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, fact: str):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with expect_error(GecbenchError, str(tmp_path / name), fact):
        read_bytes(tmp_path / name)


def test_a_file_of_somebody_else_is_said(path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(_: Path, _mode: str) -> BinaryIO:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with expect_error(GecbenchError, str(path), "Permission denied"):
        read_bytes(path)


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("好\r\n".encode())))
    assert read_lines(Path("-")) == ["好"]


def test_closed_standard_input_is_said(monkeypatch: pytest.MonkeyPatch):
    """`gecbench score - x.txt <&-`: Python then has no sys.stdin."""
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(GecbenchError, match="standard input"):
        read_bytes(Path("-"))


def test_permissions_stay(tmp_path: Path):
    path = tmp_path / "x"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o600)
    write_bytes(path, b"new")
    assert (path.stat().st_mode & 0o777, path.read_bytes()) == (0o600, b"new")


def test_standard_input_that_fails_is_said(monkeypatch: pytest.MonkeyPatch):
    class Broken(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Broken()))
    with expect_error(GecbenchError, "standard input", "Bad file"):
        read_bytes(Path("-"))


def test_closed_standard_output_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdout", None)
    with expect_error(GecbenchError, "standard output"):
        write_text(Path("-"), "x")


def test_a_dash_is_standard_output(capsys: pytest.CaptureFixture[str]):
    write_text(Path("-"), "好\n")
    assert capsys.readouterr().out == "好\n"
    named = io.StringIO()
    write_text(Path("-"), "好\n", named)
    assert (named.getvalue(), capsys.readouterr().out) == ("好\n", "")


def test_text_is_written_as_utf_8_without_mark_or_crlf(path: Path):
    write_text(path, "好\n😀\n")
    assert path.read_bytes() == "好\n😀\n".encode()


def test_half_a_character_is_refused_before_anything_is_written(path: Path):
    for place in (path, Path("-")):
        with expect_error(GecbenchError, str(place), "U+D83D", "'我们去'"):
            write_text(place, "我们去\ud83d的")
    assert list(path.parent.iterdir()) == []


def test_what_comes_from_standard_input_is_called_so():
    assert [name_of(Path(path)) for path in ("-", "a/b.c.txt", "b")] == ["stdin", "b.c", "b"]


@pytest.fixture
def store() -> Iterator[Any]:
    """A file system that is no folder of this machine; in memory, so of this process."""
    system = fsspec.filesystem("memory")
    rows = "1\t我去学校\t我去了学校\n2\t他来\t没有错误\n"
    system.pipe({"/in/dev.tsv": rows.encode(), "/in/system.txt": "我去了学校\n他来\n".encode()})
    yield system
    system.store.clear()


def test_commands_read_and_write_addresses(run, store, tmp_path: Path):
    here = tmp_path / "dev.tsv"
    here.write_bytes(store.cat("/in/dev.tsv"))
    for words, name in (
        (("edits", "{}", "--scheme", "zh-char"), "edits.m2"),
        (("convert", "{}", "--to", "jsonl"), "dev.jsonl.gz"),
        (("score", "{}", "memory://in/system.txt", "--scheme", "zh-char"), "scores.json"),
        (("corrupt", "{}"), "pairs.jsonl"),
        (("correct", "zh-homophone", "{}", "--to", "jsonl"), "out.jsonl"),
    ):
        for corpus, output in (
            (here, tmp_path / name),
            ("memory://in/dev.tsv", f"memory://out/{name}"),
        ):
            command = [str(word).format(corpus) for word in words]
            code, _, message = run(*command, "-o", output)
            assert code == 0, (words, message)
        assert store.cat(f"/out/{name}") == (tmp_path / name).read_bytes()


def test_an_address_gets_a_whole_file_or_keeps_the_old_one(run, store):
    store.pipe("/out/dev.m2", b"earlier")
    code, _, message = run(
        "convert", "memory://in/dev.tsv", "--to", "m2", "-o", "memory://out/dev.m2"
    )
    assert (code, "m2 holds edits" in message) == (1, True)
    assert store.cat("/out/dev.m2") == b"earlier"
    code, _, message = run("corrupt", "memory://in/dev.tsv", "-o", "memory://out/dev.m2")
    assert (code, "already exists" in message) == (1, True)
    assert store.cat("/out/dev.m2") == b"earlier"


@pytest.mark.parametrize(
    ("address", "facts"),
    [
        ("memory://in/none.tsv", ("memory://in/none.tsv", "no such file")),
        ("nowhere://in/none.tsv", ("nowhere://in/none.tsv", "nowhere")),
    ],
)
def test_what_is_not_at_an_address_is_said(store, address: str, facts: tuple[str, ...]):
    with expect_error(GecbenchError, *facts):
        read_lines(Path(address))


class _Failing(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """A store whose library has errors of its own: each address fails in what it is called."""

    protocol = "failing"

    def _fail(self, step: str, path: str) -> None:
        if step in path:
            raise ArithmeticError("the library's own words")

    def exists(self, path: str, **_: Any) -> bool:
        self._fail("info", path)
        return False

    def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        self._fail("open", path)
        system = self

        class File(io.BytesIO):
            def readinto(self, buffer: Any) -> int:
                system._fail("read", path)
                return super().readinto(buffer)

            def write(self, content: Any) -> int:
                system._fail("write", path)
                return super().write(content)

            def close(self) -> None:
                system._fail("close", path)
                super().close()

        return File()


@pytest.mark.parametrize("step", ["info", "open", "read", "write", "close"])
def test_what_the_library_of_a_store_raises_is_explained(step: str):
    fsspec.register_implementation("failing", _Failing, clobber=True)
    path = Path(f"failing://me:secret@host/{step}.tsv")
    if step in ("open", "read", "close"):
        with expect_error(GecbenchError, f"failing://host/{step}.tsv: cannot be read", "own words"):
            read_lines(path)
    if step in ("open", "write", "close"):
        with expect_error(GecbenchError, f"failing://host/{step}.tsv: cannot be written"):
            write_bytes(path, b"text")
    if step == "info":
        with expect_error(GecbenchError, f"failing://host/{step}.tsv: cannot be read"):
            file_exists(path)


def test_a_store_that_does_not_answer_and_a_missing_package_are_named(
    monkeypatch: pytest.MonkeyPatch,
):
    with expect_error(GecbenchError, "ftp://127.0.0.1:1/dev.tsv", "cannot be written"):
        check_target(Path("ftp://127.0.0.1:1/dev.tsv"))
    monkeypatch.setattr(
        "fsspec.core.url_to_fs", Mock(side_effect=ImportError("Install s3fs to access S3"))
    )
    with expect_error(GecbenchError, "s3://bucket/dev.tsv", "pip install s3fs"):
        read_lines(Path("s3://bucket/dev.tsv"))


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (("correct", "zh-homophone", "http://a.b 我去了学校"), "--text"),
        (("convert", "file://tmp/dev.tsv", "--to", "m2"), "file:///tmp/dev.tsv"),
        (
            ("correct", "zh-homophone", "d.txt", "-o", "file:///tmp/o.txt", "--restart"),
            "an address",
        ),
        (("edits", "d.tsv", "--scheme", "zh-char", "--resume", "parts"), "--engine ray"),
    ],
)
def test_what_cannot_be_an_address_is_refused(run, words: tuple[str, ...], fact: str):
    code, _, message = run(*words)
    assert code != 0
    assert fact in message


DEV = gecbench.sample("zh", "corpus.jsonl")
CASES = gecbench.sample("zh", "perturbed.txt")
ANSWERS = gecbench.sample("zh", "perturbed-swayed.txt")
OUTPUTS = gecbench.sample("zh", "eager.txt")
TWO_SLASHES = "file://tmp/dev.tsv"


def _difficulty(corpus: Any) -> None:
    options = gecbench.DifficultyOptions(reference=1, weights=TWO_SLASHES)
    system = gecbench.load_system(OUTPUTS, corpus)
    gecbench.difficulty(corpus, system, scheme="zh-char", options=options)


def _prepare(output: Any = "none", *, path: Any = DEV, **paths: Any) -> None:
    gecbench.prepare("", output=output, corpora={"a": {"path": str(path)}}, **paths)


def _perturb(corpus: Any) -> None:
    gecbench.perturb(corpus, options=gecbench.PerturbOptions(words=TWO_SLASHES, pos=False))


PATHS: dict[str, Callable[[Any], object]] = {
    "Cluster.resume": lambda _: jobs_of_step(gecbench.Cluster(resume=TWO_SLASHES)),
    "DifficultyOptions.weights": _difficulty,
    "PerturbOptions.words": _perturb,
    "check_perturbed.cases": lambda _: gecbench.check_perturbed(TWO_SLASHES),
    "correlation.data": lambda _: gecbench.correlation(TWO_SLASHES),
    "corrupt.texts": lambda _: gecbench.corrupt(TWO_SLASHES, "none"),
    "corrupt.output": lambda _: gecbench.corrupt(DEV, TWO_SLASHES),
    "corrupt.labels": lambda _: gecbench.corrupt(DEV, "none", labels=TWO_SLASHES),
    "load.path": lambda _: gecbench.load(TWO_SLASHES),
    "load.references": lambda _: gecbench.load(DEV, references=[TWO_SLASHES]),
    "load_perturbed.path": lambda _: gecbench.load_perturbed(TWO_SLASHES),
    "load_system.path": lambda corpus: gecbench.load_system(TWO_SLASHES, corpus),
    "load_systems.path": lambda corpus: gecbench.load_systems(TWO_SLASHES, corpus),
    "meta.data": lambda _: gecbench.meta(TWO_SLASHES, human=["people.tsv"]),
    "meta.human": lambda _: gecbench.meta(human=[TWO_SLASHES]),
    "meta.judgments": lambda _: gecbench.meta(judgments=[TWO_SLASHES]),
    "meta.sentence_scores": lambda _: gecbench.meta(
        human=["people.tsv"], sentence_scores=TWO_SLASHES
    ),
    "paper_table.file": lambda _: gecbench.paper_table(TWO_SLASHES),
    "paper_table.results": lambda _: gecbench.paper_table("none", [TWO_SLASHES]),
    "perturb.corpus": lambda _: gecbench.perturb(TWO_SLASHES),
    "prepare.corpora": lambda _: _prepare(path=TWO_SLASHES),
    "prepare.output": lambda _: _prepare(TWO_SLASHES),
    "prepare.filters": lambda _: _prepare(filters=[TWO_SLASHES]),
    "prepare.dev_output": lambda _: _prepare(dev_output=TWO_SLASHES),
    "robustness.cases": lambda _: gecbench.robustness(TWO_SLASHES, ANSWERS),
    "robustness.systems": lambda _: gecbench.robustness(CASES, [TWO_SLASHES]),
    "robustness.frequency": lambda _: gecbench.robustness(
        CASES, ANSWERS, scheme="zh-char", frequency=TWO_SLASHES, orders=0
    ),
    "save.path": lambda corpus: gecbench.save(corpus, TWO_SLASHES, format="m2"),
    "save_perturbed.path": lambda _: gecbench.save_perturbed(
        gecbench.load_perturbed(CASES), TWO_SLASHES
    ),
    "save_report.path": lambda _: gecbench.save_report(Mock(), TWO_SLASHES),
}
"""A call with such an address, by function or class and its parameter."""

NAMES = {"load_scheme.spacy_model", "PerturbOptions.spacy_model"}
"""Of pipelines: these are no paths alone."""


def test_in_python_too_an_address_of_a_file_has_three_slashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    corpus = gecbench.load(DEV)
    monkeypatch.chdir(tmp_path)
    Path("people.tsv").write_text("system\tpeople\ncautious\t2\neager\t1\n", "utf-8")
    accepted = []
    for name, use in PATHS.items():
        try:
            use(corpus)
        except GecbenchError as error:
            if isinstance(error, UsageError) and "file:///tmp/dev.tsv" in str(error):
                continue
        accepted.append(name)
    assert accepted == []


def test_every_path_of_the_python_interface_is_tried():
    """Of a Path nobody can tell any more how many slashes there were."""
    paths = set()
    for name in gecbench.__all__:
        of = getattr(gecbench, name)
        if inspect.isfunction(of) or dataclasses.is_dataclass(of):
            for parameter in inspect.signature(of).parameters.values():
                text = str(parameter.annotation).partition("Option(")[0]
                if ("Path" in text and "str" in text) or text == "Named":
                    paths.add(f"{name}.{parameter.name}")
    assert paths - NAMES == PATHS.keys() - {"prepare.corpora"}


def test_without_fsspec_the_command_that_brings_it_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with expect_error(MissingExtraError, "gecbench[remote]"):
        check_target(Path("s3://bucket/dev.jsonl"))
    with expect_error(UsageError, "s3://bucket/parts"):
        check_folder(Path("s3://bucket/parts"))


@pytest.mark.parametrize("step", ["chmod", "replace"])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError, SystemExit])
def test_a_stop_midway_keeps_the_old_content_and_leaves_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, step: str, stop: type[BaseException]
):
    path.write_text("old", encoding="utf-8")

    def fail(*_: object) -> None:
        raise stop

    monkeypatch.setattr(Path, step, fail)
    with pytest.raises(stop):
        write_bytes(path, b"new")
    assert path.read_text("utf-8") == "old"
    assert list(path.parent.iterdir()) == [path]


def test_content_that_cannot_be_written_leaves_nothing(path: Path):
    with pytest.raises(TypeError):
        write_bytes(path, "text")
    assert list(path.parent.iterdir()) == []


def test_a_full_disk_is_said_and_keeps_the_old_content(path: Path, monkeypatch: pytest.MonkeyPatch):
    path.write_text("old", encoding="utf-8")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with expect_error(GecbenchError, str(path), "No space left on device"):
        write_bytes(path, b"new")
    assert path.read_text("utf-8") == "old"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("missing/x.txt", "missing does not exist"),
        ("file/x.txt", "is a file, no folder"),
        ("folder", "is a folder"),
        ("x" * 300, "File name too long"),
    ],
)
def test_what_cannot_be_written_is_said(tmp_path: Path, name: str, fact: str):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with expect_error(GecbenchError, str(tmp_path / name), fact):
        write_bytes(tmp_path / name, b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_are_those_of_any_new_file(path: Path, mask: int, mode: int):
    before = os.umask(mask)
    try:
        write_bytes(path, b"new")
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_pipe_is_written_through(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_bytes(pipe, b"new")
    reader.join()
    assert read == [b"new"]
    assert pipe.is_fifo()


def test_a_device_is_written_through_and_stays_a_device(tmp_path: Path):
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        write_bytes(device, b"new")
    except (PermissionError, GecbenchError):  # then nobody here could replace the real one
        device = Path("/dev/null")
        write_bytes(device, b"new")
    assert device.is_char_device()


def test_a_link_stays_a_link_to_the_new_content(tmp_path: Path):
    """-o /dev/stdout is such a link; replaced, the machine would be without it."""
    file, link = tmp_path / "folder" / "file", tmp_path / "link"
    file.parent.mkdir()
    file.write_text("old", encoding="utf-8")
    link.symlink_to(file)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


def test_a_locked_file_is_locked_for_others_until_it_is_closed(path):
    with path.open("ab") as first, path.open("ab") as second:
        assert try_lock(first)
        assert not try_lock(second)
        first.write(b"x")
        first.flush()
        assert path.read_bytes() == b"x"
        first.close()
        assert try_lock(second)


def test_a_folder_that_another_process_makes_meanwhile_is_one(tmp_path: Path, monkeypatch):
    folder = tmp_path / "cache"
    exists = Path.exists

    def make_and_look(path: Path) -> bool:
        folder.mkdir(exist_ok=True)
        return exists(path)

    monkeypatch.setattr(Path, "exists", make_and_look)
    check_folder(folder)
    assert folder.is_dir()
