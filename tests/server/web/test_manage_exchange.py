"""Import with its dry run, export with its log, and releases, as a manager's browser sees them."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode
from zipfile import ZipFile

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation
from server.web.asking import Asking
from server.workflow import reviewing
from server.workflow.perturbing import a_perturbation
from server.workflow.stories import a_project, joined, somebody

from gecbench.formats.records import READERS
from gecbench.server.choices import Role, SentenceState
from gecbench.server.import_export import reading
from gecbench.server.models import Audit, ImportBatch, Project, Release, Sentence
from gecbench.server.web import http
from gecbench.server.web.manage.imports import format_words
from gecbench.server.workflow import projects

BEGIN = "/p/story/manage/import"
GOOD = "s1\t我很喜欢吃水果了。\t我很喜欢吃水果。\ns2\t天气今天好。\t今天天气好。\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setattr(settings, "SITE", replace(settings.SITE, folder=folder))
    return folder


@pytest.fixture
def project(site, folder) -> Project:
    return a_project(0)


@pytest.fixture
def boss(project) -> Asking:
    return Asking(somebody("boss"))


def file(text: str | bytes, name: str = "dev.tsv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)


def uploaded(boss: Asking, text: str | bytes, **more: object) -> str:
    """The address of the report about an uploaded file."""
    answer = boss.client.post(BEGIN, {"file": file(text), **more})
    assert answer.status_code == 302, answer.content.decode()
    return answer.url


def test_an_import_waits_for_its_choices_and_then_comes_in_whole(project, boss, folder):
    report = uploaded(boss, GOOD)
    page = boss.get(report).context
    assert (page["told"].found, page["told"].with_references) == (2, 2)
    assert page["obstacle"]
    assert not Sentence.objects.exists()
    assert boss.client.post(f"{report}/run", {}).status_code == 422
    assert not Sentence.objects.exists()
    page = boss.get(f"{report}?references=golden").context
    assert (page["obstacle"], page["told"].golden) == ("", 2)
    answer = boss.client.post(f"{report}/run", {"references": "golden"}, follow=True)
    assert "2 sentences were imported" in answer.content.decode()
    assert Sentence.objects.filter(state=SentenceState.GOLDEN).count() == 2
    assert list((folder / "uploads").iterdir()) == []
    assert "dev.tsv" in boss.html(BEGIN)
    assert Audit.objects.filter(what="sentences.imported").count() == 1


@pytest.mark.parametrize(
    ("language", "warning", "words"),
    [
        ("en", "2 of 3 sentences look English, but the project is in Chinese", "English 2"),
        ("zh-hans", "3 个句子中有 2 个看来是英文，而项目的语言是中文", "英文 2"),
    ],
)
def test_english_in_a_chinese_project_is_warned_of(project, folder, language, warning, words):
    boss = Asking(somebody("boss"), language=language)
    html = " ".join(boss.html(uploaded(boss, "I goes home .\nHe go .\n我去校\n")).split())
    assert warning in html
    assert words in html


def test_a_corpus_comes_into_a_perturbation_project_without_a_word_about_references(site, folder):
    a_perturbation((), slug="story")
    boss = Asking(somebody("boss"))
    report = uploaded(boss, f"{GOOD}s3\t我门去。\t他们去。\t我们去。\n")
    chosen = {"scheme": "zh-char", "reference": "1"}
    page = boss.get(f"{report}?{urlencode(chosen)}")
    assert (page.context["obstacle"], page.context["told"].new) == ("", 3)
    assert 'type="radio" name="references"' not in page.content.decode()
    # Variants have no known answers, so there are no gold tasks.
    assert [name for name, _ in page.context["form"]["purpose"].field.choices] == [
        "real",
        "training",
        "trial",
    ]
    assert len(boss.get("/p/story/manage/trials").context["sizes"]) == 2
    answer = boss.client.post(f"{report}/run", chosen, follow=True)
    assert "3 sentences were imported" in answer.content.decode()
    assert Sentence.objects.get(external_id="s3").target == "他们去。"
    assert boss.get("/p/story/manage/export").context["chosen"] == "robustgec"


CASES = """O-S 我门去学校。
O-T 我们去学校。
A1-S 我门去公园。
A1-T 我们去公园。
A2-S 我门去学校。
A2-T 我们去学校。
"""


def test_per_10_the_faults_of_imported_variants_are_listed(site, folder):
    a_perturbation((), slug="story")
    boss = Asking(somebody("boss"))
    report = uploaded(boss, CASES)
    page = boss.get(f"{report}?scheme=zh-char")
    assert (page.context["told"].format, page.context["told"].new) == ("perturbed", 1)
    for field in ("reference", "clean"):  # neither says anything to cases that are done
        assert f'id="{field}"' not in page.content.decode()
    answer = boss.client.post(f"{report}/run", {"scheme": "zh-char"}, follow=True)
    assert answer.redirect_chain == [("/p/story/manage/faults", 302)]
    faults = answer.context["faults"]
    assert [(fault.number, fault.position, fault.fault) for fault, _ in faults] == [
        (1, 2, "original")
    ]
    assert "/p/story/manage/sentences/1" in answer.content.decode()
    assert "/p/story/manage/faults" in boss.html(BEGIN)


def test_decisions_are_shown_before_it_is_chosen_what_becomes_of_them(project, boss):
    text = "s1\t我去。\t没有错误\ns2\t我门去。\t我门去。\t我们去。\n"
    report = uploaded(boss, text)
    decisions = [example.decision for example, _ in boss.get(report).context["examples"]]
    assert decisions == ["error_free", "corrected"]
    answer = boss.client.post(f"{report}/run", {"references": "golden"}, follow=True)
    assert [str(message) for message in answer.context["messages"]] == [
        "1 sentence was imported.",
        "1 sentence stayed out.",
    ]


def test_a_broken_file_changes_nothing_and_lists_the_first_ten_problems_with_lines(project, boss):
    lines = [f"s{n}\t句子{n}。" for n in range(1, 15)]
    broken = "\n".join(["s0\t好。", *(f"\t{line}" for line in lines)])
    report = uploaded(boss, broken)
    answer = boss.client.post(f"{report}/run", {"format": "mucgec", "references": "ignore"})
    assert answer.status_code == 422
    page = boss.get(f"{report}?format=mucgec&references=ignore")
    assert page.context["told"].problem_count == 14
    shown = re.findall(r'class="line">Line (\d+)', page.content.decode())
    assert shown == [str(n) for n in range(2, 12)]
    assert "These are the first ten" in page.content.decode()
    assert not Sentence.objects.exists()
    assert not ImportBatch.objects.exists()


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is empty"),
        ("我们。\n".encode("gb18030"), "choose the encoding gb18030"),
        ("我们。\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_a_file_that_cannot_be_read_is_answered_with_one_line(project, boss, raw, message):
    if not raw:  # an empty file is no file to a browser's form
        answer = boss.client.post(BEGIN, {"file": file(raw)}, follow=True)
    else:
        answer = boss.get(uploaded(boss, raw))
    assert message in answer.content.decode()


def test_gb18030_is_read_when_it_is_chosen(project, boss):
    report = uploaded(boss, "我们去学校。\n".encode("gb18030"), name="x.txt")
    assert boss.get(f"{report}?encoding=gb18030").context["told"].new == 1


def test_a_table_comes_in_by_its_columns_after_the_first_sentences_were_shown(project, boss):
    text = "wrong,right,more,essay,n\n我来校,我来学校,,e1,2\n他来。,他来。,他来了。,e1,1\n"
    report = uploaded(boss, text, file=file(text, "essays.csv"))
    html = boss.html(report)
    assert "there is no column" in html
    for role in ("source", "id", "document", "position"):
        select = html.split(f'id="column_{role}"')[1].split("</select>")[0]
        assert re.findall('<option value="([^"]*)"', select) == [
            "",
            *text.split("\n")[0].split(","),
        ]
    boxes = re.findall('name="column_references" value="([^"]*)"', html)
    assert boxes == ["wrong", "right", "more", "essay", "n", ""]  # and what the import takes on
    columns = {
        "column_source": "wrong",
        "column_references": "right, more",
        "column_document": "essay",
        "column_position": "n",
        "references": "golden",
    }
    page = boss.get(f"{report}?{urlencode(columns)}")
    ((first, _),) = page.context["examples"]
    assert (first.text, first.references, first.decision) == (
        "我来校",
        ("我来学校",),
        "corrected",
    )
    html = page.content.decode()
    assert (
        len(re.findall('name="column_references" value="(?:right|more)"[^>]* checked', html)) == 2
    )
    several = {**columns, "column_references": ["right", "more"]}  # as the form sends them
    again = boss.get(f"{report}?{urlencode(several, doseq=True)}")
    assert again.context["told"] == page.context["told"]
    assert "e1 · 2" in html
    assert "1 sentence stays out" in html
    assert "contradict one another: has corrections and free of errors" in html
    assert "What is listed as left out stays out" in html
    assert not Sentence.objects.exists()
    boss.client.post(f"{report}/run", page.context["form"].chosen)
    sentence = Sentence.objects.get()
    assert (sentence.text, sentence.meta) == ("我来校", {"document": "e1", "position": "2"})
    again = uploaded(boss, text, file=file(text, "essays.csv"))
    address = f"{again}?{urlencode({**columns, 'same': 'leave_out', 'duplicates': 'skip'})}"
    assert boss.get(address).context["told"].new == 1


def test_perturbed_cases_are_refused_in_both_languages(project, boss):
    blocks = "O-S He go .\nO-T He goes .\nA1-S They go .\nA1-T They go .\n"
    report = uploaded(boss, blocks, file=file(blocks, "para.txt"))
    assert "these are perturbed cases" in boss.html(report)
    chinese = Asking(somebody("boss"), language="zh-hans").html(report)
    assert "扰动样例" in chinese
    assert boss.client.post(f"{report}/run", {"format": "lines"}).status_code == 422
    assert not Sentence.objects.exists()


def test_wfl_6_duplicates_wait_for_a_choice(project, boss):
    report = uploaded(boss, "一句话。\n一句话。\n")
    assert boss.get(report).context["obstacle"]
    assert "Line 2 is line 1" in boss.html(report)
    boss.client.post(f"{report}/run", {"duplicates": "skip"})
    assert Sentence.objects.count() == 1
    again = uploaded(boss, "一句话。\n")
    assert "Line 1 is sentence #1" in boss.html(again)


def test_references_come_in_files_of_their_own(project, boss):
    report = uploaded(boss, "我去学校了昨天。\n", references=[file("我昨天去学校了。\n", "ref0")])
    boss.client.post(f"{report}/run", {"references": "golden"})
    assert Sentence.objects.get().golden.entries.get().reference.text == "我昨天去学校了。"


def test_no_file_is_said(project, boss):
    answer = boss.client.post(BEGIN, {})
    assert answer.status_code == 422
    assert "Choose a file first" in answer.content.decode()


def test_too_large_or_too_many_files_are_refused(project, boss, monkeypatch):
    answer = boss.client.post(
        BEGIN, {"file": file("x\n"), "references": [file("y\n") for _ in range(11)]}
    )
    assert answer.status_code == 422
    monkeypatch.setattr("gecbench.server.web.manage.imports.MOST_BYTES", 3)
    answer = boss.client.post(BEGIN, {"file": file("long\n")})
    assert (answer.status_code, "at most 3" in answer.content.decode()) == (422, True)
    assert reading.MOST_BYTES == 100_000_000


def test_an_upload_is_private_and_its_name_is_no_path(project, boss, folder):
    evil = "../../../evil.txt"
    report = uploaded(boss, "一句话。\n", file=file("一句话。\n", evil))
    waiting = folder / "uploads" / report.rsplit("/", 1)[1]
    assert {path.name for path in waiting.iterdir()} == {"0", "about.json"}
    for path in (folder / "uploads", waiting):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    for path in waiting.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not list(folder.parent.glob("**/evil*"))


def test_nobody_else_sees_an_upload(project, boss):
    report = uploaded(boss, "一句话。\n")
    joined(project, "second", Role.MANAGER)
    second = Asking(somebody("second"))
    for url in (report, report.replace("import/", "import/../import/x")):
        assert second.get(url).status_code == 404
    assert second.form(f"{report}/run").status_code == 404
    assert second.form(f"{report}/forget").status_code == 404
    a_project(1, slug="other", manager="boss")
    assert boss.get(report.replace("/story/", "/other/")).status_code == 404
    for token in ("0" * 32, "about.json", "x" * 32):
        assert boss.get(f"{BEGIN}/{token}").status_code == 404
    assert boss.get(report).status_code == 200


def test_an_upload_is_forgotten_when_asked_and_after_a_day(project, boss, folder):
    report = uploaded(boss, "一句话。\n")
    boss.form(f"{report}/forget")
    assert list((folder / "uploads").iterdir()) == []
    uploaded(boss, "二句话。\n")
    old = next((folder / "uploads").iterdir())
    ago = time.time() - 25 * 3600
    os.utime(old, (ago, ago))
    report = uploaded(boss, "三句话。\n")
    assert not old.exists()
    uploaded(boss, "四句话。\n")
    assert boss.get(report).status_code == 200


def test_what_others_keep_in_the_folder_of_uploads_stays(project, boss, tmp_path, monkeypatch):
    shared = tmp_path / "shared"
    shared.mkdir()
    monkeypatch.setattr(settings, "SITE", replace(settings.SITE, uploads=str(shared)))
    uploaded(boss, "一句话。\n")
    (ours,) = shared.iterdir()
    (waiting,) = ours.iterdir()
    foreign = [shared / "theirs", shared / ("0" * 32), ours / "theirs", ours / ("0" * 32)]
    for there in (*foreign, waiting):
        there.mkdir(exist_ok=True)
        os.utime(there, (0, 0))
    uploaded(boss, "二句话。\n")
    assert not waiting.exists()
    assert all(there.is_dir() for there in foreign)


@pytest.mark.parametrize("fields", [{"priority": "soon"}, {"references": "eat"}, {"encoding": "x"}])
def test_options_that_mean_nothing_are_said(project, boss, fields):
    report = uploaded(boss, "一句话。\n")
    assert boss.client.post(f"{report}/run", fields).status_code == 422
    assert not Sentence.objects.exists()


def test_a_project_that_changed_meanwhile_is_looked_at_again(project, boss, monkeypatch):
    from gecbench.server.workflow.errors import ConflictError

    def lost(plan, *, by):
        raise ConflictError("somebody was first")

    report = uploaded(boss, "一句话。\n")
    monkeypatch.setattr("gecbench.server.web.manage.imports.run_import", lost)
    answer = boss.client.post(f"{report}/run", {"priority": "5"}, follow=True)
    assert "look at it again" in answer.content.decode()
    assert answer.context["form"].chosen["priority"] == "5"


@pytest.fixture
def decided(site, folder, monkeypatch) -> Asking:
    monkeypatch.setattr(http, "_BUCKETS", http.Buckets())
    project = reviewing.waiting(texts=2)
    reviewing.finalised(project)
    return Asking(somebody("boss"))


FORMATS = ("mucgec", "jsonl", "parallel", "m2", "submissions", "counts", "annotations", "sentences")


@pytest.mark.parametrize("format", FORMATS)
def test_each_export_streams_and_the_log_has_its_sha256(decided, format):
    assert decided.get(f"/p/story/manage/export?format={format}").context["chosen"] == format
    part = {"part": ".src"} if format == "parallel" else {}
    answer = decided.form("/p/story/manage/export/download", format=format, **part)
    assert answer.streaming
    data = answer.getvalue()
    done = Audit.objects.get(what="export.done")
    assert done.data["sha256"] == hashlib.sha256(data).hexdigest()
    assert done.data["bytes"] == len(data) > 0
    assert done.data["sha256"] in decided.html("/p/story/manage/export")
    assert Audit.objects.get(what="export.begun").who.login == "boss"


def test_exports_have_pseudonyms_unless_names_are_asked_for(decided):
    url = "/p/story/manage/export/download"
    plain = decided.form(url, format="annotations").getvalue().decode()
    named = decided.form(url, format="annotations", names="yes").getvalue().decode()
    assert '"A1"' not in plain
    assert '"A1"' in named
    assert Audit.objects.filter(what="export.begun").last().data["names"] is True


def test_an_export_in_chinese_leaves_out_of_the_file_and_speaks_of_no_import(decided):
    boss = Asking(somebody("boss"), language="zh-hans")
    page = boss.html("/p/story/manage/export?format=mucgec")
    assert '<option value="leave_out">不写入文件</option>' in page
    assert "不导入" not in page


def test_an_import_by_the_page_is_for_real_work_if_nothing_else_is_said(project, boss):
    report = uploaded(boss, "一句话。\n")
    assert 'value="real" selected' in boss.html(report)
    boss.client.post(f"{report}/run", {"purpose": "training"})
    assert not Sentence.objects.exists(), "a training task has a known answer"
    boss.client.post(f"{report}/run", {})
    assert Sentence.objects.get().purpose == "real"


def test_an_export_that_means_nothing_is_answered_in_the_page(decided):
    url = "/p/story/manage/export/download"
    for fields in ({"format": "zip"}, {"format": "parallel"}, {"format": "mucgec", "names": "yes"}):
        assert decided.form(url, **fields).status_code == 422
    assert not Audit.objects.filter(what="export.begun").exists()


def test_a_project_without_golden_sets_says_so(project, boss):
    page = boss.get("/p/story/manage/export")
    assert page.context["ready"] is False
    assert "no golden set yet" in page.content.decode()


def test_wfl_7_a_release_is_made_listed_and_saved_with_its_hash(decided):
    answer = decided.form("/p/story/manage/releases", name="v1", note="first", schemes=["zh-char"])
    release = Release.objects.get()
    assert answer.url == f"/p/story/manage/releases/{release.pk}"
    page = decided.get(answer.url).context
    assert page["counts"]["sentences"] == 1
    for file in page["files"]:
        saved = decided.get(f"{answer.url}/{file['name']}")
        assert hashlib.sha256(saved.getvalue()).hexdigest() == file["sha256"]
        assert saved["X-Sha256"] == file["sha256"]
    names = {entry["name"] for entry in page["files"]}
    assert "v1.zh-char.m2" in names
    sums = decided.get(f"{answer.url}/SHA256SUMS").getvalue().decode()
    assert {line.split("  ")[1] for line in sums.splitlines()} == names
    saved = decided.get(f"{answer.url}/v1.manifest.json")
    manifest = saved.getvalue()
    assert hashlib.sha256(manifest).hexdigest() == release.manifest_sha256
    assert int(saved["Content-Length"]) == len(manifest)
    html = decided.html(answer.url)
    assert f'href="{answer.url}/SHA256SUMS"' in html
    assert f'href="{answer.url}/v1.manifest.json"' in html
    assert decided.get(f"{answer.url}/other.tsv").status_code == 404
    assert "v1" in decided.html("/p/story/manage/releases")
    again = decided.form("/p/story/manage/releases", name="v1")
    assert again.status_code == 422
    assert Audit.objects.filter(what="release.made").count() == 1


def test_a_release_is_saved_as_one_archive_whose_files_are_those_saved_one_by_one(decided):
    url = decided.form("/p/story/manage/releases", name="v1", schemes=["zh-char"]).url
    assert f'href="{url}/v1.zip"' in decided.html(url)
    saved = decided.get(f"{url}/v1.zip")
    assert saved.streaming
    assert saved["Content-Type"] == "application/zip"
    assert saved["Content-Disposition"].endswith("v1.zip")
    page = decided.get(url).context
    names = [*page["beside"], *(entry["name"] for entry in page["files"])]
    data = saved.getvalue()
    with ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [f"v1/{name}" for name in names]
        for name in names:
            assert archive.read(f"v1/{name}") == decided.get(f"{url}/{name}").getvalue()
    assert decided.get(f"{url}/v1.zip").getvalue() == data


def test_a_release_of_another_project_is_not_found(decided):
    decided.form("/p/story/manage/releases", name="v1")
    a_project(1, slug="other", manager="stranger")
    url = f"/p/other/manage/releases/{Release.objects.get().pk}"
    stranger = Asking(somebody("stranger"))
    assert stranger.get(url).status_code == 404
    assert stranger.get(f"{url}/v1.tsv").status_code == 404
    assert stranger.get(f"{url}/v1.zip").status_code == 404


def test_a_closed_project_imports_nothing(project, boss):
    report = uploaded(boss, "一句话。\n")
    projects.archive_project(project, by=somebody("boss"))
    assert boss.client.post(f"{report}/run", {}).status_code == 422
    assert not Sentence.objects.exists()


def test_formats_of_imports_are_words_in_both_languages():
    names = ("FCGEC", "Label Studio", "doccano")
    for name in (*READERS, "parallel", "perturbed"):
        with translation.override("zh-hans"):
            chinese = str(format_words(name))
        with translation.override("en"):
            english = str(format_words(name))
        assert chinese.endswith(f"（{name}）")
        assert english.endswith(f" ({name})")
        assert english.startswith(names) or chinese.split("（")[0] != english.split(" (")[0]
