"""The dry run says what an import would do, and writes nothing (WFL-6, section 4.10)."""

from __future__ import annotations

import pytest
from server.import_export.files import empty, ids, imported, planned, texts
from server.workflow.stories import TEXTS, a_project

from gecbench.core.errors import UsageError
from gecbench.server.choices import Purpose
from gecbench.server.import_export.imports import run_import
from gecbench.server.import_export.plans import ImportOptions, options_from, options_json
from gecbench.server.models import (
    Audit,
    ImportBatch,
    Project,
    Reference,
    Sentence,
    Slot,
    Source,
)
from gecbench.server.workflow import projects


def rows() -> list[int]:
    tables = (Sentence, Slot, Reference, ImportBatch, Source, Audit)
    return [table.objects.count() for table in tables]


def test_a_plan_writes_nothing(site):
    project = a_project(2)
    before = rows()
    planned(project, "我\n他\n\n", source="课堂")
    assert rows() == before


def test_wfl_6_duplicates_are_told_and_a_person_chooses(site):
    project = a_project(2)
    text = f"新的句子。\n{TEXTS[1]}\n新的句子。\n"
    plan = planned(project, text)
    assert (plan.report.duplicates_inside, plan.report.duplicates_there) == (1, 1)
    assert [
        (duplicate.line, duplicate.of_line, duplicate.number)
        for duplicate in plan.report.duplicates
    ] == [
        (2, None, 2),
        (3, 1, None),
    ]
    assert plan.obstacle == (
        "file.txt: 2 sentences are there already (1 in the file, 1 in the project); choose what "
        "becomes of them: skip, keep"
    )
    with pytest.raises(UsageError, match="2 sentences are there already"):
        run_import(plan, by=None)
    assert texts(project) == list(TEXTS[:2])


@pytest.mark.parametrize(("choice", "added"), [("skip", 1), ("keep", 3)])
def test_wfl_6_duplicates_are_skipped_or_kept_as_chosen(site, choice, added):
    project = a_project(2)
    text = f"新的句子。\n{TEXTS[1]}\n新的句子。\n"
    assert planned(project, text, duplicates=choice).report.new == added
    imported(project, text, duplicates=choice)
    assert len(texts(project)) == 2 + added


def test_texts_that_differ_by_normal_form_alone_are_duplicates(site):
    plan = planned(empty(), "cafe\u0301\ncaf\u00e9\ncafé！\ncafé!\n")
    assert plan.report.duplicates_inside == 1


def test_what_becomes_of_references_is_chosen_by_a_person(site):
    project = empty()
    plan = planned(project, "1\t我\t我们\n")
    assert plan.obstacle == (
        "file.txt: 1 sentences have references; choose what becomes of them: ignore, golden, keep"
    )
    imported(project, "1\t我\t我们\n", references="ignore")
    assert (Reference.objects.count(), Slot.objects.count()) == (0, 3)


def test_kept_references_are_beside_a_sentence_that_is_annotated_all_the_same(site):
    imported(empty(), "1\t我\t我们\t咱们\t我们\n2\t他\n", references="keep")
    rows = Reference.objects.order_by("position").values_list("sentence__number", "text", "origin")
    assert list(rows) == [(1, "我们", "import"), (1, "咱们", "import")]
    assert set(Sentence.objects.values_list("state", "golden")) == {("open", None)}
    assert Slot.objects.count() == 6


def test_golden_sentences_need_no_annotator(site):
    imported(empty(), "1\t我\t我们\n2\t他\n", references="golden")
    assert list(Sentence.objects.order_by("number").values_list("state", "needed")) == [
        ("golden", 0),
        ("open", 3),
    ]
    assert Slot.objects.count() == 3


def test_the_report_counts_what_a_manager_wants_to_know(site):
    text = "我去\u200b学校。\n" + "长" * 45 + "\nI like tea .\n" + "长" * 400 + "\u00a0长\n"
    report = planned(empty(), text, source="课堂").report
    assert report.invisible == {"odd_space": 1, "zero_width": 1}
    assert report.changed == 2
    assert report.lengths == {10: 1, 20: 1, 50: 1, 500: 1}
    assert report.languages == {"zh": 3, "en": 1}
    assert report.sources == {"课堂": 4}
    assert report.new_ids == "1 to 4"


def test_invisible_characters_go_unless_a_person_keeps_them(site):
    imported(empty(), " 我去\u200b学校。\n")
    imported(empty(slug="b"), " 我去\u200b学校。\n", clean=False)
    assert set(Sentence.objects.values_list("text", flat=True)) == {
        "我去学校。",
        "我去\u200b学校。",
    }


def test_line_ends_inside_a_text_go_even_without_cleaning(site):
    row = '{"text": "我\\n去\\t校"}'
    imported(empty(), row, clean=False)
    assert Sentence.objects.get().text == "我 去 校"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1\t我\t我\u200b\u200b们\t\u200b", "reference 2 is empty; fill it or take it out"),
        ("1\t\u200b\t我们", "the sentence is empty; fill it or take it out"),
        ("1\t" + "长" * 5001 + "\t我们", "the text has 5001 characters; at most 5000 are allowed"),
        ("1\t我\0\t我们", "the text holds a NUL character at place 2"),
    ],
)
def test_a_text_that_no_row_can_hold_stops_the_whole_import(site, row, message):
    project = empty()
    plan = planned(project, f"{row}\n2\t他\t他们\n", references="golden", format="mucgec")
    (problem,) = plan.report.problems
    assert problem.line == 1
    assert message in problem.message
    with pytest.raises(UsageError, match="nothing is imported"):
        run_import(plan, by=None)
    assert texts(project) == []


def test_references_that_break_a_blocking_rule_are_left_out_and_listed_and_the_others_come_in(site):
    """INV-6, CON-1 to CON-4: what is imported as golden is as good as what is reviewed."""
    project = empty()
    text = "k\t我\t我[缺失成分]\t我们\n2\t他\t他们\n"
    report = planned(project, text, references="golden").report
    assert (report.found, report.new, report.skipped_count, report.problem_count) == (2, 1, 1, 0)
    (left_out,) = report.skipped
    assert left_out.line == 1
    assert left_out.message.startswith("'k': correction 2 has no [缺失成分], others have it")
    assert imported(project, text, references="golden").sentences == 1
    assert texts(project) == ["他"]


def test_rules_that_a_project_switched_off_refuse_nothing(site):
    project = empty(rules={"CON-3": "off"})
    plan = planned(project, "1\t我\t我[缺失成分]\t我们\n", references="golden")
    assert plan.obstacle == ""


@pytest.mark.parametrize(
    ("row", "decisions"),
    [
        ("1\t我\t我\t我们", "corrected and error_free"),
        ("1\t我\t没有错误\t无法标注", "error_free and not_annotatable"),
        (
            "1\t我\t没有错误\t无法标注\t我们",
            "corrected and error_free and not_annotatable",
        ),
    ],
)
def test_a_contradictory_sentence_is_left_out_and_listed_and_the_others_come_in(
    site, row, decisions
):
    project = empty()
    text = f"{row}\n2\t他\t他们\n"
    report = planned(project, text, references="golden", format="mucgec").report
    assert (report.found, report.new, report.skipped_count, report.problem_count) == (2, 1, 1, 0)
    assert [(line.line, line.message) for line in report.skipped] == [
        (1, f"'1': its references contradict one another: {decisions}")
    ]
    batch = imported(project, text, references="golden", format="mucgec").batch
    assert (texts(project), batch.counts["skipped_count"]) == (["他"], 1)
    assert (batch.counts["skipped"], batch.counts["examples"]) == ([], [])


def test_all_that_is_left_out_is_counted_and_the_first_thousand_are_listed(site):
    rows = "".join(f"{n}\t句{n}\t句{n}\t改{n}\n" for n in range(1100))
    report = planned(empty(), rows, references="golden").report
    assert (report.skipped_count, len(report.skipped), report.new) == (1100, 1000, 0)


def test_a_reference_that_is_the_sentence_says_error_free_or_is_left_out_by_choice(site):
    """JFLEG has references that leave the sentence as it is."""
    project = empty("en")
    files = ("He go .\nFine .\n", "He go .\nFine .\n", "He goes .\nFine .\n")
    report = planned(project, *files, references="golden").report
    assert (report.new, report.skipped_count, report.same_as_source) == (1, 1, 3)
    imported(project, *files, references="golden", same="leave_out")
    kinds = Sentence.objects.order_by("number").values_list("golden__kind", flat=True)
    assert list(kinds) == ["corrected", "error_free"]
    report = planned(empty(slug="b"), *files, references="golden", same="leave_out").report
    assert report.left_out == {"references equal to their sentence": 1}


def test_the_first_sentences_are_shown_as_they_would_be_added(site):
    text = "".join(f"{n}\t句{n}\t改{n}\n" for n in range(7)) + "x\t好。\t没有错误\n"
    report = planned(empty(), text, references="golden").report
    assert len(report.examples) == 5
    first = report.examples[0]
    assert (first.id, first.text, first.decision, first.references) == (
        "0",
        "句0",
        "corrected",
        ("改0",),
    )
    assert planned(empty(slug="b"), text, references="ignore").report.examples[0].references == ()
    assert Sentence.objects.count() == 0


def test_documents_and_positions_of_a_table_are_kept(site):
    text = "source,essay,n\n我来。,e1,2\n他来。,e1,1\n"
    imported(empty(), text, columns={"document": "essay", "position": "n"})
    assert list(Sentence.objects.order_by("number").values_list("meta", flat=True)) == [
        {"document": "e1", "position": "2"},
        {"document": "e1", "position": "1"},
    ]


def test_contradictions_matter_for_golden_sets_alone(site):
    text = "1\t我\t没有错误\t我们\n"
    assert planned(empty(), text, references="keep").report.kept_references == 1
    assert planned(empty(slug="b"), text, references="ignore").obstacle == ""


def test_the_sentence_itself_as_reference_says_error_free(site):
    report = planned(empty(), "1\t我\t我\n2\t他\t他们\t他们\n", references="golden").report
    assert (report.same_as_source, report.merged, report.golden) == (1, 1, 2)


def test_numbers_as_ids_that_are_taken_begin_otherwise(site):
    project = empty()
    imported(project, "一\n二\n")
    assert planned(project, "三\n四\n").report.new_ids == "2-1 to 2-2"
    imported(project, "三\n四\n")
    imported(project, "五\n")
    assert ids(project) == ["1", "2", "2-1", "2-2", "3-1"]


def test_ids_of_the_file_that_are_taken_are_problems_unless_numbered_anew(site):
    project = empty()
    imported(project, "k\t我\n", format="mucgec")
    plan = planned(project, "k\t他\n", format="mucgec")
    assert plan.report.problems[0].message == (
        "id 'k' is that of another sentence of the project; number the sentences again, or give "
        "another id"
    )
    imported(project, "k\t他\n", format="mucgec", number=True)
    assert ids(project) == ["k", "1"]
    assert Sentence.objects.get(external_id="1").meta == {"id": "k"}


def test_the_same_file_again_is_all_duplicates_and_no_clash_of_ids(site):
    project = empty()
    imported(project, "k\t我\n", format="mucgec")
    again = planned(project, "k\t我\n", format="mucgec")
    assert (again.report.duplicates_there, again.report.problem_count) == (1, 0)
    skipped = planned(project, "k\t我\n", format="mucgec", duplicates="skip")
    assert skipped.obstacle == "file.txt: there is no new sentence to import"
    plan = planned(project, "k\t我\n", format="mucgec", duplicates="keep")
    assert plan.report.problem_count == 1


@pytest.mark.parametrize("bad", [3, 12, 3000])
def test_issue_5_the_ten_problems_of_a_report_are_the_first_by_line(site, bad):
    """Ids are compared with the project at the end, and are told at their places all the same."""
    project = empty()
    imported(project, "k\t我\nm\t你\n", format="mucgec")
    text = "k\t他\n" + "x\n" * bad + "m\t她\n"
    report = planned(project, text, format="mucgec").report
    lines = [1, *range(2, bad + 2), bad + 2]
    assert [problem.line for problem in report.problems] == lines[:10]
    assert report.problem_count == bad + 2


@pytest.mark.parametrize(
    ("purpose", "state", "needed"),
    [("training", "golden", 0), ("trial", "golden", 0), ("gold", "annotating", 1)],
)
def test_sentences_with_known_answers_are_marked_and_have_them(site, purpose, state, needed):
    text = "a\t我去校\t我去学校\nb\t很好\t没有错误\n"
    imported(empty(), text, purpose=purpose, priority=7, source="练习")
    for sentence in Sentence.objects.all():
        assert (sentence.purpose, sentence.priority, sentence.source.name) == (purpose, 7, "练习")
        assert (sentence.state, sentence.needed, sentence.slots.count()) == (state, needed, needed)
    first, second = Sentence.objects.order_by("number")
    assert first.golden.entries.get().reference.text == "我去学校"
    assert second.golden.kind == "error_free"


def test_a_sentence_without_a_known_answer_is_no_training_task(site):
    report = planned(empty(), "a\t我\tb\n", format="mucgec", purpose="trial").report
    assert report.problem_count == 0
    report = planned(empty(slug="other"), "a\t我\n", format="mucgec", purpose="trial").report
    assert [problem.line for problem in report.problems] == [1]


@pytest.mark.parametrize("references", ["ignore", "keep"])
def test_known_answers_are_golden_and_nothing_else(references):
    with pytest.raises(UsageError, match="known answers: golden"):
        ImportOptions(purpose=Purpose.GOLD, references=references)


def test_closed_projects_take_no_sentence(site):
    project = empty()
    projects.archive_project(project, by=project.created_by)
    with pytest.raises(UsageError, match="project story is closed; bring it back before"):
        planned(Project.objects.get(), "我\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "latin-1"}, "encoding is 'latin-1'; it is one of utf-8, gb18030"),
        ({"references": "all"}, "references is 'all'; it is one of ignore, golden, keep"),
        ({"duplicates": "both"}, "duplicates is 'both'; it is one of skip, keep"),
        ({"purpose": "exam"}, "purpose is 'exam'; it is one of real, training, trial, gold"),
        ({"priority": 10**7}, "priority is 10000000; it is a whole number from -1000000"),
        ({"priority": True}, "priority is True; it is a whole number"),
        ({"source": "x" * 101}, "the name of the source has more than 100 characters"),
        ({"sorce": "x"}, "unknown import option 'sorce'; did you mean source"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        options_from(options)


def test_options_are_kept_as_json_and_come_back():
    options = ImportOptions(references="golden", purpose=Purpose.TRAINING, number=True)
    assert options_from({**options_json(options), "purpose": Purpose.TRAINING}) == options
