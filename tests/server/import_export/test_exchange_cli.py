"""gecbench annotate import, export and release, as an operator types them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from django.db import connection
from server.import_export.files import empty, golden, imported, reviewed, texts

from gecbench.cli.annotate import project
from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError
from gecbench.server.import_export import exports
from gecbench.server.models import Release, Sentence

TABLE = "a\t我去校\t我去学校\nb\t很好\t没有错误\n"
Run = Callable[..., Result]


@pytest.fixture
def run(site, monkeypatch) -> Run:
    """Run a command on the test's own rows."""
    monkeypatch.setattr("gecbench.server.site.folder.open_site", lambda _: None)
    commands = {
        "import": project.import_,
        "export": project.export,
        "release": project.release,
    }

    def call(command: str, *words: object) -> Result:
        arguments = [*map(str, words), "--project", "story"]
        result = CliRunner().invoke(commands[command], arguments)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return call


def a_file(folder: Path, content: str = TABLE, name: str = "dev.tsv") -> Path:
    path = folder / name
    path.write_text(content, "utf-8")
    return path


def test_a_table_is_imported_by_its_columns_and_what_is_left_out_is_listed(run, tmp_path):
    project = empty()
    text = "no,wrong,right,more,essay\n1,我来校,我来学校,,e1\n2,他来。,他来。,他来了。,e1\n"
    file = a_file(tmp_path, text, "essays.csv")
    columns = ("id=no", "source=wrong", "references=right,more", "document=essay")
    options = [part for column in columns for part in ("--column", column)]
    result = run("import", file, *options, "--references", "golden")
    assert "  essays.csv:3: '2': its references contradict one another" in result.output
    assert "  1 (e1): 我来校\n    我来学校\n" in result.output
    assert (texts(project), golden(project)) == (["我来校"], ["我来学校"])
    with pytest.raises(GecbenchError, match="there is no new sentence"):
        run("import", file, *options, "--references", "golden", "--duplicates", "skip")
    with pytest.raises(UsageError, match="--column is WHAT=NAME"):
        run("import", file, "--column", "source")


def test_the_ending_of_the_output_chooses_the_format_of_the_report(run, tmp_path):
    empty()
    file, words = a_file(tmp_path), ("--dry-run", "--references", "golden", "-o")
    assert "dev.tsv" not in run("import", file, *words, tmp_path / "report.json").output
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert (report["obstacle"], report["report"]["new"]) == ("", 2)
    run("import", file, *words, tmp_path / "report.txt")
    assert "dev.tsv: 2 lines" in (tmp_path / "report.txt").read_text("utf-8")
    run("import", file, *words, tmp_path / "same.txt", "--format", "json")
    assert json.loads((tmp_path / "same.txt").read_text("utf-8")) == report
    with pytest.raises(UsageError, match=r"cannot write \.csv"):
        run("import", file, *words, tmp_path / "report.csv")


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(run, tmp_path):
    empty()
    file = a_file(tmp_path, "我去\u200b校\n\n我去校\n我去校\nok\n", "essays.txt")
    result = run("import", file, "--duplicates", "skip", "--dry-run")
    assert result.output.splitlines() == [
        "essays.txt: 5 lines, read as lines",
        "sentences found: 4; new: 2",
        "1 blank lines left out",
        "2 sentences that the file has twice",
        "1 texts that lost invisible characters, or white space at an end",
        "invisible characters: zero_width 1",
        "languages seen: zh 3, en 1",
        "lengths, characters up to: 10 4",
        "ids: 1 to 5",
        "the first sentences:",
        "  1: 我去校",
        "  5: ok",
        "  essays.txt:3: the same sentence as line 1",
        "  essays.txt:4: the same sentence as line 1",
        "nothing was written, because of --dry-run",
    ]
    assert Sentence.objects.count() == 0


def test_an_import_says_what_it_did(run, tmp_path):
    project = empty()
    result = run("import", a_file(tmp_path), "--references", "golden", "--source", "课堂")
    assert "2 references of 2 sentences\n1 of them declarations" in result.output
    assert "2 sentences golden at once\n" in result.output
    assert "sources: 课堂 2\n" in result.output
    assert result.output.endswith("imported 2 sentences into story\n")
    assert texts(project) == ["我去校", "很好"]


def test_english_in_a_chinese_project_is_warned_of(run, tmp_path):
    empty()
    file = a_file(tmp_path, "I goes home .\nHe go .\n我去校\n", "essays.txt")
    lines = run("import", file, "--dry-run").output.splitlines()
    assert "warning: 2 of 3 sentences look English, but the project is in Chinese" in lines
    assert "warning" not in run("import", a_file(tmp_path), "--references", "golden").output


def test_a_single_problem_is_named_once(run, tmp_path, monkeypatch):
    empty()
    output: list[str] = []
    monkeypatch.setattr("click.echo", lambda text, **_: output.append(text))
    with pytest.raises(GecbenchError, match=r"dev.tsv:2: no TAB .*references; nothing is imported"):
        run("import", a_file(tmp_path, "1\t一\n2\n"), "--from", "mucgec")
    assert "no TAB" not in "\n".join(output)


def test_what_a_person_has_to_choose_is_asked_for(run, tmp_path):
    empty()
    with pytest.raises(GecbenchError, match="2 sentences have references; choose what becomes"):
        run("import", a_file(tmp_path))
    assert Sentence.objects.count() == 0


def test_what_is_to_be_chosen_names_its_option(run, tmp_path):
    imported(empty(), "a\t我去校\n")
    with pytest.raises(GecbenchError, match=r"golden, keep; say it with --references$"):
        run("import", a_file(tmp_path))
    with pytest.raises(GecbenchError, match=r"skip, keep; say it with --duplicates$"):
        run("import", a_file(tmp_path), "--references", "keep")
    other = a_file(tmp_path, "a\t别的\n", "other.tsv")
    with pytest.raises(GecbenchError, match=r"id 'a' is that of .*; say it with --number$"):
        run("import", other)


def test_a_broken_file_lists_ten_problems_and_changes_nothing(run, tmp_path):
    empty()
    file = a_file(tmp_path, "1\t一\n" + "".join(f"{n}\n" for n in range(2, 14)))
    with pytest.raises(GecbenchError, match=r"dev.tsv:2: no TAB .* 12 problems in all, nothing"):
        run("import", file, "--from", "mucgec", "--format", "json")
    assert Sentence.objects.count() == 0


def test_the_report_as_json_and_as_text_names_problems(run, tmp_path):
    empty()
    report = tmp_path / "report.txt"
    file = a_file(tmp_path, "1\t一\n" + "".join(f"{n}\n" for n in range(2, 14)))
    with pytest.raises(GecbenchError):
        run("import", file, "--from", "mucgec", "--format", "json", "-o", report)
    data = json.loads(report.read_text("utf-8"))
    assert data["report"]["problem_count"] == 12
    assert data["obstacle"].startswith("dev.tsv:2: no TAB")
    with pytest.raises(GecbenchError):
        run("import", file, "--from", "mucgec", "-o", report)
    lines = report.read_text("utf-8").splitlines()
    assert lines[-11].startswith("  dev.tsv:2: no TAB in '2'")
    assert lines[-1] == "  and 2 problems more"


def test_parallel_files_and_other_encodings(run, tmp_path):
    project = empty()
    (tmp_path / "a.src").write_bytes("我去校\n".encode("gb18030"))
    (tmp_path / "a.ref").write_bytes("我去学校\n".encode("gb18030"))
    words = ("--reference", tmp_path / "a.ref", "--references", "keep", "--encoding", "gb18030")
    result = run("import", tmp_path / "a.src", *words)
    assert "1 references kept beside their sentences" in result.output
    assert texts(project) == ["我去校"]
    again = run(
        "import", tmp_path / "a.src", "--encoding", "gb18030", "--duplicates", "keep", "--dry-run"
    )
    assert "1 sentences that the project has already" in again.output
    assert "  a.src:1: the same sentence as task 1 of the project" in again.output


def test_an_unknown_project_is_answered_with_those_that_there_are(run, tmp_path, monkeypatch):
    empty(slug="storey")
    with pytest.raises(UnknownNameError, match="unknown project 'story'; did you mean storey"):
        run("import", a_file(tmp_path))


def test_an_export_is_a_file_with_its_hash(run, tmp_path):
    imported(empty(), TABLE, references="golden")
    result = run("export", "--to", "mucgec", "-o", tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text("utf-8") == TABLE
    sha256 = hashlib.sha256(TABLE.encode()).hexdigest()
    assert result.output == f"{sha256}  {tmp_path / 'out.tsv'} ({len(TABLE.encode())} bytes)\n"


def test_an_export_goes_to_the_terminal_and_says_what_it_leaves_out(run):
    project = reviewed()
    result = run("export", "--to", "mucgec", "--placeholder", "[MC]")
    assert result.stdout.startswith("s1\t")
    assert result.stderr.splitlines() == [
        "note: 1 sentences are not decided, or are withdrawn: not in the file",
        "note: [缺失成分] is written [MC]",
    ]
    assert "A1" in run("export", "--to", "submissions", "--names").stdout
    assert "A1" not in run("export", "--to", "submissions").stdout
    assert project.slug == "story"


def test_a_release_is_made_listed_written_and_verified(run, tmp_path):
    imported(empty(), TABLE, references="golden")
    output = run("release", "make", "v1", "--note", "第一版")
    assert output.stderr == "released 2 sentences of story as v1\n"
    listed = run("release", "list").output
    assert listed.startswith("v1\t")
    assert "\t2 sentences\t" in listed
    run("release", "list", "-o", tmp_path / "list.json")
    (row,) = json.loads((tmp_path / "list.json").read_text("utf-8"))["releases"]
    assert (row["name"], row["sentences"]) == ("v1", 2)
    run("release", "export", "v1", "-o", tmp_path / "out")
    assert output.stdout == (tmp_path / "out" / "SHA256SUMS").read_text()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "SHA256SUMS",
        "v1.jsonl",
        "v1.manifest.json",
        "v1.ref0",
        "v1.src",
        "v1.tsv",
        "v1.zh-char.m2",
    ]
    manifest = hashlib.sha256((tmp_path / "out" / "v1.manifest.json").read_bytes()).hexdigest()
    assert manifest == Release.objects.get().manifest_sha256
    for line in output.stdout.splitlines():
        sha256, name = line.split("  ")
        assert hashlib.sha256((tmp_path / "out" / name).read_bytes()).hexdigest() == sha256
    assert run("release", "verify").stderr == "1 release of story is what was released\n"
    with pytest.raises(UnknownNameError, match="unknown release 'v2'; known: v1"):
        run("release", "export", "v2", "-o", tmp_path / "out")


def test_a_release_that_is_not_what_it_was_fails(run):
    imported(empty(), TABLE, references="golden")
    run("release", "make", "v1", "--scheme", "zh-char")
    connection.cursor().execute("DROP TRIGGER reference_no_update")
    connection.cursor().execute("UPDATE reference SET text = '假的'")
    with pytest.raises(GecbenchError, match="4 files or releases are not what was released"):
        run("release", "verify")
    assert Release.objects.count() == 1


def test_the_command_line_names_the_formats_of_the_server():
    assert set(project.EXPORT_FORMATS) == set(exports.EXPORTS)


def test_options_that_mean_nothing_are_wrong_use(run):
    imported(empty(), TABLE, references="golden")
    with pytest.raises(UsageError, match="a scheme of edits is for format m2"):
        run("export", "--to", "mucgec", "--scheme", "zh-char")


def test_the_whole_way_in_real_processes(tmp_path, live_template):
    """A data folder, a file in, the same bytes out: four commands, nothing patched."""
    import shutil

    data = tmp_path / "data"
    shutil.copytree(live_template, data)
    environment = {
        **os.environ,
        "GECBENCH_SITE": str(data),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    environment.pop("DJANGO_SETTINGS_MODULE", None)

    def call(*words: str) -> str:
        return subprocess.run(
            [sys.executable, *words], env=environment, capture_output=True, text=True, check=True
        ).stdout

    call(
        "-c",
        "from pathlib import Path; from gecbench.server.site.folder import open_site;"
        f"open_site(Path({str(data)!r}));"
        "from gecbench.server.workflow.projects import create_project;"
        "create_project(slug='dev', name='Dev', lang='zh', by=None)",
    )
    file = a_file(tmp_path)
    annotate = ("-m", "gecbench", "annotate")
    call(*annotate, "import", str(file), "--project", "dev", "--references", "golden")
    assert call(*annotate, "export", "--project", "dev", "--to", "mucgec") == TABLE
    call(*annotate, "release", "make", "v1", "--project", "dev")
    call(*annotate, "release", "verify", "--project", "dev")


@pytest.mark.parametrize("purpose", ["training", "trial", "gold"])
def test_sets_with_known_answers_are_imported(run, tmp_path, purpose):
    empty()
    run("import", a_file(tmp_path), "--purpose", purpose)
    assert list(Sentence.objects.values_list("purpose", flat=True)) == [purpose] * 2
