"""Perturbed cases come in and go out: corpora, RobustGEC's files, their faults (PER-10)."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from django.test import override_settings
from server.workflow.perturbing import a_perturbation, accept, checked, reviewer, submit_variant
from server.workflow.perturbing import done_case as done
from server.workflow.stories import a_project, claimed, joined, sentence_of

from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server import settings
from gecbench.server.choices import Purpose
from gecbench.server.import_export.exports import (
    EXPORTS,
    ExportOptions,
    export,
    formats_of,
    notes,
)
from gecbench.server.import_export.imports import run_import
from gecbench.server.import_export.plans import ImportOptions, plan_import
from gecbench.server.import_export.reading import content_of
from gecbench.server.import_export.releases import export_release, make_release, release_files
from gecbench.server.models import Member, Project, Sentence, Slot, Variant
from gecbench.server.workflow import variant_checks
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.perturbation import find_faults

CASES = (
    "O-S He go home .\nO-T He goes home .\n"
    "A1-S He go there .\nA1-T He goes there .\n"
    "A2-S He go home .\nA2-T He goes home .\n"
    "\n"
    "O-S She is here .\nO-T She is here .\n"
    "A1-S She is there .\nA1-T She was there .\n"
    "A2-S She is there .\nA2-T She is there .\n"
    "\n"
    "O-S Bad .\nO-T \n"
    "A1-S Good .\nA1-T \n"
    "A2-S  Odd  .\nA2-T \n"
    "\n"
)
"""Blocks with the faults of the published ones, an empty target, and odd white space."""


def project_of(lang: str = "en", slug: str = "cases") -> Project:
    return a_perturbation((), slug=slug, lang=lang, annotators=2)


def imported(project: Project, text: str | bytes, name: str = "f.txt", **options: object) -> int:
    raw = text.encode() if isinstance(text, str) else text
    plan = plan_import(project, content_of(name, raw), ImportOptions(**options))
    assert plan.obstacle == ""
    return run_import(plan, by=None).sentences


def exported(project: Project, format: str) -> dict[str, bytes]:
    files = export(project, ExportOptions(format))
    return {file.ending: b"".join(file.content) for file in files}


@pytest.mark.parametrize(
    ("name", "text", "pairs"),
    [
        (
            "c.m2",
            "S He go home .\nA 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0\n\n",
            [("He go home .", "He goes home .")],
        ),
        (
            "c.tsv",
            "1\tHe go home .\tHe goes home .\n2\tShe is .\t没有错误\n",
            [("He go home .", "He goes home ."), ("She is .", "She is .")],
        ),
        (
            "c.jsonl",
            '{"format": "gecbench-corpus", "schema": 1, "name": "c", "lang": "en"}\n'
            '{"id": "1", "source": "He go home .", "references": [{"text": "He goes home ."}]}\n',
            [("He go home .", "He goes home .")],
        ),
    ],
)
def test_any_corpus_becomes_cases(site, name, text, pairs):
    project = project_of()
    assert imported(project, text, name) == len(pairs)
    rows = Sentence.objects.order_by("number").values_list("text", "target")
    assert list(rows) == pairs
    case = sentence_of(project).case
    assert [(chip["source"], chip["target"]) for chip in case.chips] == [("go", "goes")]
    assert (case.scheme, "merging" in case.signature) == ("en-errant", True)
    assert Slot.objects.count() == 2 * len(pairs)
    assert check() == ()


@pytest.mark.parametrize("ending", ["tsv", "jsonl"])
def test_a_release_of_a_rewriting_project_becomes_cases(site, ending):
    rewriting = a_project(["He go home."], lang="en", slug="rewriting", annotators=1)
    plan = plan_import(
        rewriting,
        content_of("t.tsv", b"1\tHe go to school .\tHe goes to school .\n"),
        ImportOptions(references="golden"),
    )
    run_import(plan, by=None)
    release = make_release(rewriting, name="v1", by=None)
    (name,) = (name for name in release_files(release) if name.endswith(ending))
    content = b"".join(export_release(release, name).content)
    project = project_of()
    assert imported(project, content, name) == 1
    case = sentence_of(project).case
    assert [(chip["source"], chip["target"]) for chip in case.chips] == [("go", "goes")]


def test_chinese_errors_are_found_with_the_data_that_the_environment_names(
    site, shared: Path, cache: Path, monkeypatch
):
    for variable, name in (("GECBENCH_DATA", "folder"), ("GECBENCH_DATA_MIRROR", "mirror")):
        monkeypatch.setenv(variable, str(shared / "data"))
        places = runpy.run_path(settings.__file__)["PLACES"]
        assert getattr(places, name) == shared / "data"
    project = a_perturbation((), slug="data")
    content = content_of("a.tsv", "1\t我门去学校。\t我们去学校。\n".encode())
    with override_settings(PLACES=replace(places, cache=cache)):
        run_import(plan_import(project, content, ImportOptions(scheme="zh-cherrant")), by=None)
    assert Sentence.objects.get(project=project).case.scheme == "zh-cherrant"


def test_of_several_references_a_manager_chooses_one(site):
    text = "1\t我门去。\t我们去。\t我去。\n2\t他来。\t他来了。\n3\t不通。\n"
    project = project_of("zh")
    plan = plan_import(
        project, content_of("c.tsv", text.encode()), ImportOptions(scheme="zh-char", reference=2)
    )
    assert (plan.report.new, plan.report.skipped_count) == (1, 2)
    assert dict(plan.report.left_out) == {"references beside the one that was chosen": 1}
    run_import(plan, by=None)
    assert sentence_of(project).target == "我去。"


def test_what_a_perturbation_project_cannot_read_is_refused(site):
    project = project_of()
    content = content_of("c.tsv", b"1\tHe go .\tHe goes .\n")
    for options in (
        ImportOptions(scheme="zh-char"),
        ImportOptions(references="golden"),
        ImportOptions(purpose=Purpose.GOLD),
    ):
        with pytest.raises(UsageError):
            plan_import(project, content, options)
    assert not Sentence.objects.exists()


def test_inv_12_training_and_trial_sets_are_no_cases_and_reach_no_export(site):
    project = project_of()
    imported(project, "1\tHe go .\tHe goes .\n", "t.tsv", purpose=Purpose.TRIAL)
    imported(project, CASES)
    assert not hasattr(Sentence.objects.get(purpose="trial"), "case")
    assert b"He go .\n" not in exported(project, "robustgec")[".para.txt"]
    assert len(exported(project, "variants")[".variants.jsonl"].splitlines()) == 3
    assert check() == ()


def test_per_10_blocks_come_in_as_cases_that_are_done_and_go_out_as_they_were(database):
    project = project_of()
    assert imported(project, CASES) == 3
    assert set(Sentence.objects.values_list("state", flat=True)) == {"golden"}
    assert Variant.objects.filter(origin="import").count() == 6
    files = exported(project, "robustgec")
    assert files[".para.txt"].decode() == CASES
    sources = [line[5:] for line in CASES.splitlines() if line[3:4] == "S" or line[2:3] == "S"]
    assert len(files[".input.txt"].decode().splitlines()) == len(sources) == 9
    assert check() == ()


def test_per_10_faults_of_the_published_kind_are_listed_and_made_again(site):
    project = project_of()
    imported(project, CASES)
    assert [(row.number, row.position, str(row.fault)) for row in find_faults(project.pk)] == [
        (1, 2, "original"),
        (2, 1, "error_free"),
        (2, 2, "repeated"),
        (3, 1, "moved"),
        (3, 2, "moved"),
    ]
    boss = Member.objects.get(project=project, person__login="boss")
    sentence = sentence_of(project)
    variant_checks.reopen(boss, sentence.pk, positions=[2], note="equal to the original")
    assert check() == ()
    li = joined(project, "li")
    slot = claimed(li, sentence_of(project))
    assert (slot.no, sentence_of(project).state) == (2, "annotating")
    with pytest.raises(GecbenchError):
        submit_variant(li, slot, "He ", " there .")  # the first variant, imported
    submit_variant(li, slot, "He ", " to town .")
    golden = checked(reviewer(project), accept(2)).golden
    assert golden.version == 2
    block = exported(project, "robustgec")[".para.txt"].decode().split("\n\n")[0]
    assert block.endswith("A2-S He go to town .\nA2-T He goes to town .")
    assert [row.number for row in find_faults(project.pk)] == [2, 2, 3, 3]
    assert check() == ()


def test_per_10_gecbenchs_jsonl_goes_round(site):
    project = project_of()
    imported(project, CASES)
    first = exported(project, "cases")[".jsonl"]
    again = project_of(slug="again")
    assert imported(again, first, "cases.jsonl") == 3
    assert exported(again, "robustgec")[".para.txt"].decode() == CASES


def jsonl(*rows: dict[str, object]) -> bytes:
    header = {"format": "gecbench-perturbed", "schema": 1, "name": "x", "lang": "en"}
    return "".join(f"{json.dumps(row)}\n" for row in (header, *rows)).encode()


def a_row(source: str = "He go home .", **fields: object) -> dict[str, object]:
    pairs = [{"source": text, "reference": "He goes ."} for text in (source, "He go .")]
    return {"subset": "x", "id": "a", "original": pairs[0], "variants": pairs[1:]} | fields


@pytest.mark.parametrize(
    ("rows", "line", "values"),
    [
        ([a_row("He go\nhome ."), a_row("I go .", id="b")], 2, {"id": "a"}),
        ([a_row(), a_row("I\rgo .", id="b")], 3, {"id": "b"}),
        ([a_row(id="i" * 201)], 2, {}),
        ([a_row(id="i\u202e")], 2, {}),
        ([a_row(subset="s" * 101)], 2, {}),
        (
            [a_row(subset="a/b", id="c"), a_row("I go .", subset="a", id="b/c")],
            3,
            {"id": "a/b/c", "first": 2},
        ),
    ],
)
def test_a_case_that_no_row_or_file_can_hold_is_a_problem_at_its_line(site, rows, line, values):
    plan = plan_import(project_of(), content_of("c.jsonl", jsonl(*rows)))
    assert plan.report.problem_count == 1
    problem = plan.report.problems[0]
    assert (problem.line, problem.message.values) == (line, values)


def test_a_problem_of_a_block_stands_at_its_first_line(site):
    text = CASES.replace("O-T \n", "O-T \0\n")
    report = plan_import(project_of(), content_of("c.txt", text.encode())).report
    assert [problem.line for problem in report.problems] == [15]


def test_predictions_beside_cases_are_counted_as_left_out(site):
    text = "O-S He go .\nO-T He goes .\nO-P He go .\nA1-S I go .\nA1-T I goes .\nA1-P I go .\n"
    report = plan_import(project_of(), content_of("c.txt", text.encode())).report
    assert (report.new, sum(report.left_out.values())) == (1, 2)


def test_per_10_everything_says_who_made_what(database):
    project = a_perturbation()
    done(project)
    row = json.loads(exported(project, "variants")[".variants.jsonl"].splitlines()[0])
    assert (row["source"], row["state"], row["golden_version"]) == (
        "我门昨天去学校看老师。",
        "golden",
        1,
    )
    variant = row["variants"][0]
    assert (variant["origin"], variant["golden"], variant["position"]) == ("person", True, 1)
    assert variant["annotator"].startswith("P")
    assert variant["checks"][0]["decision"] == "accepted"


def test_formats_are_those_of_the_kind_of_project(site):
    project = a_perturbation()
    done(project)
    assert set(formats_of(project.kind)) == {"robustgec", "cases", "variants", "sentences"}
    for name in set(EXPORTS) - set(formats_of(project.kind)):
        with pytest.raises(UsageError):
            export(project, ExportOptions(name))
    note_values = {note.code: note.values for note in notes(project, ExportOptions("robustgec"))}
    assert note_values == {"undecided": {"count": 2}}


def test_cases_of_different_widths_are_no_file_of_cases(site):
    project = project_of()
    imported(project, CASES)
    narrow = "O-S Hi you .\nO-T Hi you .\nA1-S Hi me .\nA1-T Hi me .\n\n"
    imported(project, narrow, "g.txt")
    with pytest.raises(GecbenchError, match="1, 2"):
        exported(project, "cases")
    assert len(exported(project, "variants")[".variants.jsonl"].splitlines()) == 4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["conll14", "tem8"])
def test_per_10_the_published_files_go_round_byte_for_byte(site, shared: Path, name):
    """Every fourth case of them; each kind of fault is among these."""
    folder = shared / "data" / "robustgec" / name
    project = project_of()
    blocks = (folder / "para.txt").read_bytes().split(b"\n\n")[:-1]
    raw = b"".join(block + b"\n\n" for block in blocks[::4])
    imported(project, raw, "para.txt", duplicates="keep")
    files = exported(project, "robustgec")
    assert files[".para.txt"] == raw
    lines = (folder / "input.txt").read_bytes().splitlines(keepends=True)
    width = len(lines) // len(blocks)
    assert files[".input.txt"] == b"".join(
        line for number, line in enumerate(lines) if number // width % 4 == 0
    )
    counts = Counter(str(row.fault) for row in find_faults(project.pk))
    faults = {
        "conll14": {"original": 5, "moved": 9, "repeated": 1},
        "tem8": {"moved": 30, "original": 24},
    }
    assert counts == faults[name]
    assert check(project.pk) == ()
