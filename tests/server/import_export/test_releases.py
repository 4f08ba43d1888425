"""A release is the same for ever, whatever happens after it (WFL-7, INV-14)."""

from __future__ import annotations

import dataclasses
import hashlib
from io import BytesIO
from zipfile import BadZipFile, ZipFile

import pytest
from django.db import DatabaseError, connection, transaction
from server.import_export.files import empty, exported, golden, imported, reviewed, the_file
from server.remembering import remembered
from server.workflow.reviewing import BAD, FAIR, finalised, member_of
from server.workflow.stories import joined, sentence_of

from gecbench.api import schemes
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.import_export import corpora, releases
from gecbench.server.import_export.releases import (
    export_archive,
    export_release,
    hash_of,
    make_release,
    release_files,
    verify_releases,
)
from gecbench.server.models import (
    Audit,
    Person,
    Project,
    Release,
    ReleaseItem,
    Sentence,
    Source,
)
from gecbench.server.workflow import management, members, projects

TABLE = (
    "a\t我你。\t我[缺失成分]你。\nb\t很好。\t没有错误\nc\t啊\t无法标注\nd\t他来\t他来了\t他要来\n"
)
FACTS = (
    '{"format": "gecbench-corpus", "schema": 1, "name": "x"}\n'
    '{"id": "f", "source": "有事实。", "references": [{"text": "有一个事实。"}], '
    '"meta": {"zz": "1", "a": "2", "source": "HSK", "长键": "三"}}\n'
)


def files(release: Release) -> dict[str, bytes]:
    return {
        name: b"".join(export_release(release, name).content) for name in release_files(release)
    }


def new_release(project: Project, name: str = "v1", **options: object) -> Release:
    return make_release(project, name=name, by=None, **options)


@remembered
def a_golden_project() -> Project:
    project = empty(placeholder_export="[MC]")
    imported(project, TABLE, references="golden", source="课堂")
    imported(project, FACTS, references="golden")
    return project


def test_a_release_has_every_format_with_its_hash(site):
    release = new_release(a_golden_project())
    contents = files(release)
    assert list(contents) == [
        *("v1.tsv", "v1.jsonl", "v1.zh-char.m2"),
        *("v1.src", "v1.ref0", "v1.ref1"),
    ]
    for name, content in contents.items():
        about = release_files(release)[name]
        assert about["sha256"] == hashlib.sha256(content).hexdigest()
        assert (about["bytes"], about["lines"]) == (len(content), content.count(b"\n"))
    assert contents["v1.tsv"].decode().splitlines()[0] == "a\t我你。\t我[MC]你。"
    assert contents["v1.src"].decode().count("\n") == 4


def test_the_manifest_says_how_it_was_made(site):
    manifest = new_release(a_golden_project()).manifest
    assert manifest["counts"] == {
        "sentences": 5,
        "corrected": 3,
        "error_free": 1,
        "not_annotatable": 1,
        "references": 4,
        "left_out_disputed": 0,
        "left_out_undecided": 0,
    }
    assert manifest["guideline"]["version"] == 1
    assert manifest["schemes"] == {"zh-char": {"granularity": "char", "scheme": "zh-char"}}
    assert sorted(manifest["sources"].values()) == ["HSK", "课堂"]
    assert manifest["placeholder_export"] == "[MC]"


def test_inv_14_a_release_never_changes_whatever_happens_after(database):
    project = reviewed(placeholder_export="[MC]")
    imported(project, TABLE, references="golden", source="课堂")
    imported(project, FACTS, references="golden")
    release = new_release(project)
    before = files(release)
    boss = member_of(project, "boss")

    joined(project, "rosa", "reviewer")
    management.reopen_sentence(boss, sentence_of(project).pk, reason="再看")
    finalised(project, [FAIR, BAD], login="rosa")
    assert sorted(golden(project)) == sorted([FAIR, BAD])
    management.withdraw(boss, [sentence_of(project, 3).pk], reason="隐私")
    projects.change_project(
        project, by=boss.person, name="别的名字", options={"placeholder_export": "<X>"}
    )
    members.change_member(member_of(project, "a1"), by=boss.person, status="left")
    Person.objects.update(name="无名")
    for source in Source.objects.all():
        Source.objects.filter(pk=source.pk).update(name=f"改过的{source.name}")
    Project.objects.update(slug="renamed")
    imported(Project.objects.get(), "新\t新句\t新句子\n", references="golden")

    again = Release.objects.get()
    assert files(again) == before
    assert verify_releases() == ()
    assert the_file(Project.objects.get(), "mucgec").encode() != before["v1.tsv"]


@pytest.mark.slow  # needs PostgreSQL, which its parameters do not tell
def test_inv_14_both_databases_write_the_same_bytes(request):
    contents = []
    for database in ("on_sqlite", "on_postgresql"):
        request.getfixturevalue(database)
        contents.append(files(new_release(a_golden_project())))
    assert contents[0] == contents[1]
    assert '{"a": "2", "zz": "1", "长键": "三"'.encode() in contents[0]["v1.jsonl"]


@pytest.mark.parametrize("column", ["meta = '{}'", "source_id = NULL", "text = 'x'"])
def test_what_a_release_is_made_of_cannot_be_changed(database, column):
    a_golden_project()
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        connection.cursor().execute(f"UPDATE sentence SET {column}")  # noqa: S608


def test_a_sentence_in_dispute_waits_for_the_next_release(site):
    from uuid import uuid4

    from gecbench.server.models import Study
    from gecbench.server.workflow import complaints

    project = reviewed()
    imported(project, TABLE, references="golden")
    study = Study.objects.get(person__login="a2")
    complaints.complain(member_of(project, "a2"), study.pk, argument="我觉得对", client_key=uuid4())
    release = new_release(project)
    assert release.manifest["counts"]["left_out_disputed"] == 1
    assert release.manifest["counts"]["left_out_undecided"] == 1
    assert b"s1" not in files(release)["v1.tsv"]
    assert exported(project, "mucgec")[".tsv"].startswith("s1\t")


def test_what_was_tampered_with_is_found_and_is_not_written(site):
    project = a_golden_project()
    new_release(project)
    cursor = connection.cursor()
    cursor.execute("DROP TRIGGER reference_no_update")
    cursor.execute("UPDATE reference SET text = '假的' WHERE text = '他来了'")
    release = Release.objects.get()
    problems = verify_releases()
    assert len(problems) == 4  # the table, the corpus, the edits, the first column of references
    assert all(line.startswith("release story/v1: v1.") for line in problems)
    with pytest.raises(GecbenchError, match=r"v1.tsv is not what was released: its sha256 is"):
        files(release)
    parts: list[bytes] = []
    with pytest.raises(GecbenchError):
        parts.extend(export_release(release, "v1.tsv").content)
    assert parts == []  # what fits into one piece is not written at all


def test_a_changed_manifest_and_missing_sentences_are_found(site):
    project = a_golden_project()
    release, other = new_release(project), new_release(project, "v2")
    cursor = connection.cursor()
    cursor.execute("DROP TRIGGER release_no_update")
    cursor.execute("DROP TRIGGER release_item_no_delete")
    changed = {**release.manifest, "title": "x"}
    Release.objects.filter(pk=release.pk).update(manifest=changed)
    ReleaseItem.objects.filter(release=other, position=0)._raw_delete("default")
    assert verify_releases(project) == (
        "release story/v1: the manifest is not the one that was written",
        "release story/v2: has 4 sentences, the manifest 5",
    )
    assert verify_releases(empty(slug="other")) == ()


def test_edits_by_another_version_of_a_scheme_are_refused_in_words(site, monkeypatch):
    release = new_release(a_golden_project())
    scheme = schemes.load_scheme("zh-char")
    newer = dataclasses.replace(scheme, signature={**scheme.signature, "version": "2"})
    monkeypatch.setattr(releases, "load_scheme", lambda _, **__: newer)
    assert verify_releases() == (
        "release story/v1: the edits of release 'v1' were found by zh-char with granularity char, "
        "scheme zh-char, and here it has granularity char, scheme zh-char, version 2; use the "
        f"gecbench {release.manifest['gecbench']} that made them",
    )


def test_an_archive_with_a_file_that_would_not_be_the_same_does_not_open(site):
    release = new_release(a_golden_project())
    whole = b"".join(export_archive(release).content)
    with ZipFile(BytesIO(whole)) as archive:
        assert {name: archive.read(f"v1/{name}") for name in files(release)} == files(release)
    changed = {**release.manifest, "files": {**release.manifest["files"]}}
    changed["files"]["v1.tsv"] = {**changed["files"]["v1.tsv"], "sha256": "0" * 64}
    release.manifest = changed
    sent = []
    with pytest.raises(GecbenchError, match=r"v1\.tsv is not what was released"):
        sent.extend(export_archive(release).content)
    with pytest.raises(BadZipFile):
        ZipFile(BytesIO(b"".join(sent)))


def test_a_project_without_m2_has_none(site):
    project = empty("en")
    imported(project, "1\tI goes\tI go\n", references="golden", format="mucgec")
    assert [name for name in release_files(new_release(project)) if name.endswith("m2")] == []


@pytest.mark.parametrize("name", ["", "a/b", "../x", "a b", ".x", "-x", "x" * 101, "a\0"])
def test_names_of_releases_are_names_of_files(site, name):
    with pytest.raises(UsageError, match="the name of a release is letters, digits, dots"):
        new_release(a_golden_project(), name)


def test_a_name_is_used_once(site, monkeypatch):
    project = a_golden_project()
    new_release(project)
    with pytest.raises(UsageError, match="has a release 'v1' already; name another"):
        new_release(project)
    # Two at the same moment: the second finds out when it writes.
    monkeypatch.setattr(releases.Release.objects, "filter", lambda **_: Release.objects.none())
    with pytest.raises(UsageError, match="has a release 'v1' already; name another"):
        new_release(project)
    assert Release.objects.all().count() == 1


def test_a_scheme_of_another_language_is_refused(site):
    with pytest.raises(UsageError, match="not 'en-errant'; there are: zh-cherrant, zh-char"):
        new_release(a_golden_project(), schemes=["en-errant"])


def test_a_release_has_the_files_that_it_has(site):
    release = new_release(a_golden_project())
    with pytest.raises(UsageError, match=r"release 'v1' has no file 'v1.csv'; it has v1.tsv"):
        export_release(release, "v1.csv")


def test_parallel_text_of_what_is_not_annotatable_is_empty(site):
    project = empty()
    imported(project, "c\t啊\t无法标注\n", references="golden", format="mucgec")
    contents = files(new_release(project))
    assert (contents["v1.src"], contents["v1.ref0"]) == (b"", b"")
    assert contents["v1.tsv"] == "c\t啊\t无法标注\n".encode()
    assert verify_releases() == ()


def test_making_a_release_is_in_the_log(site):
    release = new_release(a_golden_project())
    assert Audit.objects.get(what="release.made").data == {
        "name": "v1",
        "manifest_sha256": release.manifest_sha256,
    }
    assert hash_of(dict(reversed(release.manifest.items()))) == release.manifest_sha256


def test_releases_are_read_in_pieces(site, monkeypatch):
    monkeypatch.setattr(corpora, "PIECE", 2)
    project = a_golden_project()
    release = new_release(project)
    assert verify_releases() == ()
    assert ReleaseItem.objects.filter(release=release).count() == Sentence.objects.count()
    assert files(release)["v1.tsv"].decode() == the_file(project, "mucgec")


def test_the_published_dev_set_is_released_as_it_was(site, shared):
    """MuCGEC's own file in, the same bytes out of a release."""
    raw = (shared / "data" / "mucgec" / "MuCGEC_dev.txt").read_bytes()
    project = empty()
    imported(project, raw, references="golden")
    release = new_release(project, "MuCGEC_dev")
    assert b"".join(export_release(release, "MuCGEC_dev.tsv").content) == raw
    counts = release.manifest["counts"]
    assert (counts["sentences"], counts["error_free"], counts["not_annotatable"]) == (1137, 55, 3)
    assert counts["references"] == 2467 - 58
