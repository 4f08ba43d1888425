"""What leaves the site: the right sentences, under the right names, safely."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path
from uuid import uuid4

import pytest
from server.import_export.files import (
    empty,
    exported,
    golden,
    imported,
    json_lines,
    reviewed,
    the_file,
)
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised, member_of, waiting
from server.workflow.stories import correction, sentence_of

from gecbench.api.analyse import human
from gecbench.api.files import load
from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError
from gecbench.core.files import write_stream
from gecbench.server.choices import Purpose
from gecbench.server.import_export import corpora
from gecbench.server.import_export.corpora import cell
from gecbench.server.import_export.exports import (
    ExportOptions,
    choose_file,
    export,
    formats_of,
    notes,
    write_export,
)
from gecbench.server.import_export.releases import make_release
from gecbench.server.models import Person, Sentence, Source, Study
from gecbench.server.workflow import complaints, management, studies

FORMATS = formats_of("rewrite")


def everything(project) -> str:
    """All that any export or release says."""
    texts = [text for name in FORMATS for text in exported(project, name).values()]
    release = make_release(project, name=f"r{uuid4().hex[:8]}", by=None)
    return "\n".join([*texts, json.dumps(release.manifest, ensure_ascii=False)])


@pytest.mark.parametrize("purpose", [Purpose.TRAINING, Purpose.TRIAL])
def test_inv_12_sentences_for_training_and_trials_reach_no_export(site, purpose):
    project = reviewed()
    poison = waiting(correction("毒药改过了。"), slug="poison")
    finalised(poison, ["毒药改过了。"])
    for sentence in Sentence.objects.filter(project=poison):
        Sentence.objects.filter(pk=sentence.pk).update(purpose=purpose)
    assert "毒药" not in "".join(
        text
        for name in FORMATS
        if not FORMATS[name].golden
        for text in exported(poison, name).values()
    )
    with pytest.raises(GecbenchError, match="project poison has no golden set yet; review some"):
        exported(poison, "mucgec")
    with pytest.raises(GecbenchError, match="no golden set yet; nothing to release"):
        make_release(poison, name="v1", by=None)
    imported(project, "t1\t毒药句。\t毒药改。\n", purpose=purpose)
    imported(project, "t2\t毒药质检。\t毒药改。\n", purpose=Purpose.GOLD)
    assert "毒药" not in everything(project)
    assert "毒药" not in the_file(project, "sentences")


def note_texts(project, options) -> tuple[str, ...]:
    return tuple(map(str, notes(project, options)))


def test_golden_sets_leave_in_the_order_of_the_review(site):
    project = reviewed()
    cells = the_file(project, "mucgec").rstrip("\n").split("\t")
    assert cells == ["s1", "我昨天去了图书馆借书了。", *golden(project)]
    assert sorted(cells[2:]) == sorted([GOOD, FAIR])


def test_sentences_that_are_not_decided_or_withdrawn_stay_out_and_are_counted(site):
    project = reviewed()
    assert note_texts(project, ExportOptions("mucgec")) == (
        "1 sentences are not decided, or are withdrawn: not in the file",
    )
    management.withdraw(member_of(project, "boss"), [sentence_of(project).pk], reason="隐私")
    with pytest.raises(GecbenchError, match="has no golden set yet"):
        exported(project, "mucgec")
    assert the_file(project, "submissions").count("\n") == 1
    assert the_file(project, "counts") == ""


def test_what_is_not_annotatable_is_in_the_file_or_not_as_chosen(site):
    project = empty()
    imported(project, "1\t啊\t无法标注\n2\t我\t我们\n3\t好\t没有错误\n", references="golden")
    assert the_file(project, "mucgec").count("无法标注") == 1
    assert the_file(project, "mucgec", unannotatable="leave_out").count("无法标注") == 0
    assert note_texts(project, ExportOptions("jsonl", unannotatable="leave_out")) == (
        "1 sentences are not annotatable: not in the file",
    )
    assert note_texts(project, ExportOptions("parallel")) == (
        "1 sentences are not annotatable: not in the file",
        "1 sentences are free of errors: their source is the reference",
        "sentences with fewer references than the one with most repeat their first one",
    )
    assert note_texts(project, ExportOptions("counts")) == ()


def test_the_placeholder_has_its_alias_in_exports(site):
    project = empty(placeholder_export="[MC]")
    imported(project, "1\t我你。\t我[缺失成分]你。\n", references="golden")
    assert the_file(project, "mucgec") == "1\t我你。\t我[MC]你。\n"
    assert the_file(project, "mucgec", alias="") == "1\t我你。\t我[缺失成分]你。\n"
    assert the_file(project, "mucgec", alias="<MASK>") == "1\t我你。\t我<MASK>你。\n"
    assert note_texts(project, ExportOptions("mucgec")) == ("[缺失成分] is written [MC]",)


def test_submissions_are_what_analyse_human_reads(site, tmp_path):
    """STA-3 with the same scorer: the exports of one project are its two arguments."""
    project = reviewed()
    for name in ("jsonl", "submissions"):
        write_export(export(project, ExportOptions(name)), tmp_path / name)
    agreement = human(load(tmp_path / "jsonl"), load(tmp_path / "submissions"), scheme="zh-char")
    assert sorted(
        (annotator.submissions, annotator.kept) for annotator in agreement.annotators
    ) == [
        (1, 0),
        (1, 1),
        (2, 1),
    ]


def test_people_have_stable_pseudonyms_unless_their_names_are_asked_for(site):
    project = reviewed()
    first = the_file(project, "submissions")
    assert "A1" not in first
    Person.objects.filter(login="a1").update(name="别名")
    assert the_file(project, "submissions") == first
    names = {
        reference["annotator"] for row in json_lines(first)[1:] for reference in row["references"]
    }
    assert len(names) == 3
    assert all(len(name) == 11 and name.startswith("P") for name in names)
    shown = json_lines(the_file(project, "submissions", names=True))[1]
    assert {reference["annotator"] for reference in shown["references"]} == {"别名", "A2", "A3"}


def test_the_same_person_has_another_pseudonym_in_another_project(site):
    first, other = reviewed(), reviewed(slug="other")

    def names(project):
        rows = json_lines(the_file(project, "submissions"))[1:]
        return {reference["annotator"] for row in rows for reference in row["references"]}

    assert not names(first) & names(other)


def test_namesakes_are_told_apart(site):
    project = reviewed()
    Person.objects.filter(login__in=["a1", "a2"]).update(name="王芳")
    text = the_file(project, "submissions", names=True)
    assert "王芳 (a1)" in text
    assert "王芳 (a2)" in text


def test_what_nobody_decided_has_nobodys_name(site):
    from gecbench.server.import_export.corpora import Naming

    assert (Naming(1).of(None), Naming(1, {}).of(None), Naming(1, {}).of(5)) == (
        "nobody",
        "nobody",
        "person 5",
    )


def test_a_stream_goes_to_a_device_or_is_told_that_there_is_none(monkeypatch):
    write_stream(Path("/dev/null"), [b"a", b"b"])
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(GecbenchError, match="standard output is closed"):
        write_stream(Path("-"), [b"a"])


def test_only_what_stands_handed_in_counts(site):
    from gecbench.server.models import Slot
    from gecbench.server.workflow import submissions as handing

    project = waiting(correction(GOOD), correction(FAIR), reviewers=())
    slot = Slot.objects.get(person__login="a2")
    handing.reopen(member_of(project, "a2"), slot.pk)
    (row,) = json_lines(the_file(project, "submissions"))[1:]
    assert [reference["text"] for reference in row["references"]] == [GOOD]
    assert json_lines(the_file(project, "counts"))[0]["total_annotators"] == 1


def test_the_full_export_has_the_whole_story(site):
    project = reviewed()
    study = Study.objects.get(person__login="a2")
    mine = member_of(project, "a2")
    from gecbench.server.choices import Decision
    from gecbench.server.workflow.answers import Answer

    studies.attempt(
        mine,
        study.pk,
        version=study.version,
        client_key=uuid4(),
        answer=Answer(Decision.CORRECTED, ("我昨天去图书馆还书了。",)),
    )
    complaints.complain(mine, study.pk, argument="我觉得对", client_key=uuid4())
    header, row, _ = json_lines(the_file(project, "annotations"))
    assert (header["format"], header["people"], header["guideline"]) == (
        "gecbench-annotations",
        "pseudonyms",
        1,
    )
    assert [submission["texts"][0]["text"] for submission in row["submissions"][:2]] == [GOOD, FAIR]
    assert row["submissions"][2]["decision"] == "error_free"
    (review,) = row["reviews"]
    verdicts = {(verdict["text"], verdict["decision"]): verdict for verdict in review["verdicts"]}
    assert verdicts[GOOD, "corrected"]["correct"] is True
    assert verdicts[BAD, "corrected"]["reasons"] == ["erroneous"]
    assert verdicts["", "error_free"]["correct"] is False
    (version,) = row["goldens"]
    assert version["review"] == 1
    assert [reference["text"] for reference in version["references"]] == golden(project)
    about = {study["about"]: study for study in row["studies"]}
    assert about[BAD]["tries"][0]["text"] == "我昨天去图书馆还书了。"
    (complaint,) = about[BAD]["complaints"]
    assert complaint["messages"][0]["text"] == "我觉得对"
    people = {submission["annotator"] for submission in row["submissions"]}
    assert complaint["by"] in people


def test_the_full_export_has_references_that_were_kept(site):
    project = empty()
    imported(project, "1\t我\t我们\n", references="keep")
    row = json_lines(the_file(project, "annotations"))[1]
    assert row["imported_references"] == [{"text": "我们", "dimension": "grammar"}]


def test_a_table_for_spreadsheets_has_no_formulas(site):
    project = empty()
    imported(project, '=1+1\n-2\n+3\n@x\n好，"引"\n', source="=HYPERLINK(1)")
    text = the_file(project, "sentences")
    assert text.startswith("\ufeffnumber,id,")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert [row["sentence"] for row in rows] == ["'=1+1", "'-2", "'+3", "'@x", '好，"引"']
    assert {row["source"] for row in rows} == {"'=HYPERLINK(1)"}
    assert [row["number"] for row in rows] == ["1", "2", "3", "4", "5"]


def test_a_table_counts_golden_references(site):
    rows = list(csv.DictReader(io.StringIO(the_file(reviewed(), "sentences").lstrip("\ufeff"))))
    assert [(row["decision"], row["golden_version"], row["references"]) for row in rows] == [
        ("corrected", "1", "2"),
        ("", "", "0"),
    ]


@pytest.mark.parametrize(
    "text", ["\tx", "\rx", "\nx", "=x", "+x", "-x", "@x", "＝1＋1", "＋x", "－x", "＠x"]
)
def test_cells_that_spreadsheets_take_for_formulas_are_made_harmless(text):
    assert cell(text) == f"'{text}"


def test_files_are_whole_and_have_their_hash_beside_them(site, tmp_path):
    project = reviewed()
    ((path, sha256, size),) = write_export(
        export(project, ExportOptions("mucgec")), tmp_path / "dev.tsv"
    )
    raw = path.read_bytes()
    assert (hashlib.sha256(raw).hexdigest(), len(raw)) == (sha256, size)
    assert (tmp_path / "dev.tsv.sha256").read_text() == f"{sha256}  dev.tsv\n"
    written = write_export(export(project, ExportOptions("parallel")), tmp_path / "dev")
    assert [file.name for file, _, _ in written] == ["dev.src", "dev.ref0", "dev.ref1"]


def test_a_file_that_breaks_off_is_not_there(site, tmp_path, monkeypatch):
    project = reviewed()

    def broken(*_):
        yield [corpora.GoldenRow(1, 1)]
        raise RuntimeError

    monkeypatch.setattr(corpora, "current_golden", lambda *_, **__: broken())
    with pytest.raises(RuntimeError):
        write_export(export(project, ExportOptions("mucgec")), tmp_path / "dev.tsv")
    assert [path.name for path in tmp_path.iterdir() if "dev" in path.name] == []


def test_standard_output_takes_one_file(site, capfdbinary):
    project = reviewed()
    write_export(export(project, ExportOptions("mucgec")), Path("-"))
    with pytest.raises(UsageError, match="this export has 3 files; name them by --output"):
        write_export(export(project, ExportOptions("parallel")), Path("-"))


def test_one_part_of_several_is_named(site):
    files = export(reviewed(), ExportOptions("parallel"))
    assert choose_file(files, ".ref1").ending == ".ref1"
    with pytest.raises(UsageError, match=r"name a part: .src, .ref0, .ref1"):
        choose_file(files)
    with pytest.raises(UsageError, match=r"there is no part '.ref2'; this export has the parts"):
        choose_file(files, ".ref2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"format": "m2", "scheme": "en-errant"},
            "not 'en-errant'; there are: zh-cherrant, zh-char",
        ),
        ({"format": "jsonl", "scheme": "zh-char"}, "a scheme of edits is for format m2"),
        ({"format": "mucgec", "names": True}, "format mucgec names nobody; leave names out"),
        (
            {"format": "mucgec", "unannotatable": "x"},
            "unannotatable is 'x'; it is keep or leave_out",
        ),
        ({"format": "parallel", "unannotatable": "keep"}, "format parallel has no choice about"),
        ({"format": "counts", "unannotatable": "keep"}, "format counts has no choice about"),
    ],
)
def test_options_that_mean_nothing_are_refused(site, options, message):
    project = empty()
    imported(project, "1\t我\t我们\n", references="golden")
    with pytest.raises(UsageError, match=message):
        export(project, ExportOptions(**options))
    with pytest.raises(UnknownNameError, match="unknown format of export 'mucgek'; did you mean"):
        ExportOptions("mucgek")


def test_exports_read_in_pieces(site, monkeypatch):
    table = "".join(f"k{n}\t句子{n}\t改过的句子{n}\n" for n in range(25))
    whole, pieces = empty(), empty(slug="pieces")
    for project in (whole, pieces):
        imported(project, table, references="golden")

    def all_of(project):
        texts = [text for name in FORMATS for text in exported(project, name).values()]
        return [text.replace("pieces", "story").replace("Pieces", "Story") for text in texts]

    expected = all_of(whole)
    monkeypatch.setattr(corpora, "PIECE", 7)
    monkeypatch.setattr("gecbench.server.import_export.corpora.PIECE", 7)
    times = r'"at": "[^"]*"'
    import re

    assert [re.sub(times, "", text) for text in all_of(pieces)] == [
        re.sub(times, "", text) for text in expected
    ]


def test_an_export_asks_few_questions_of_the_database(site):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    project = reviewed()
    for name in FORMATS:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            exported(project, name)
        assert len(queries) <= 30, name


def test_facts_that_are_no_texts_leave_as_json(site):
    look = corpora.Look("[缺失成分]", sources={1: "课堂"})
    assert look.meta({"b": [1, "二"], "a": "x"}, 1) == {
        "a": "x",
        "b": '[1, "二"]',
        "source": "课堂",
    }
    assert list(look.meta({"b": "", "a": ""}, None)) == ["a", "b"]
    assert Source.objects.count() == 0
