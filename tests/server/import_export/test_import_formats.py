"""Every format that is imported, and every broken line with its number."""

from __future__ import annotations

import gzip
import json

import pytest
from messages import expect_error
from server.import_export.files import empty, golden, ids, imported, planned, texts

from gecbench.core.errors import FormatError, GecbenchError, UnknownNameError, UsageError
from gecbench.server.import_export.reading import content_at, content_of
from gecbench.server.models import Reference, Sentence

TABLE = "a1\t我去学校了\t我去了学校。\t我去学校了。\na2\t很好。\t没有错误\na3\t啊吧\t无法标注\n"
M2 = """S 我 去 校
T0-A0 我 去 学 校
A 2 2|||M|||学|||REQUIRED|||-NONE-|||0

S 很 好 。
T0 没有错误
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""
JSONL = (
    '{"format": "gecbench-corpus", "schema": 1, "name": "x", "lang": "zh"}\n'
    '{"id": "k1", "source": "我去校", "references": [{"text": "我去学校", "annotator": "A"}], '
    '"meta": {"level": "B1", "source": "HSK"}}\n'
    '{"id": "k2", "source": "很好。", "references": [{"error_free": true}]}\n'
)


def problems(plan) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in plan.report.problems]


def test_plain_lines_are_sentences_and_blank_ones_are_counted(site):
    project = empty()
    plan = planned(project, "我去学校。\n\n他来了。\n")
    assert (plan.report.format, plan.report.blank, plan.report.new) == ("lines", 1, 2)
    imported(project, "我去学校。\n\n他来了。\n")
    assert (ids(project), texts(project)) == (["1", "3"], ["我去学校。", "他来了。"])


def test_mucgec_marks_become_decisions(site):
    project = empty()
    plan = planned(project, TABLE, references="golden")
    assert plan.report.format == "mucgec"
    assert (plan.report.references, plan.report.decisions) == (4, 2)
    imported(project, TABLE, references="golden")
    assert ids(project) == ["a1", "a2", "a3"]
    assert golden(project) == ["我去了学校。", "我去学校了。"]
    kinds = Sentence.objects.order_by("number").values_list("golden__kind", flat=True)
    assert list(kinds) == ["corrected", "error_free", "not_annotatable"]


@pytest.mark.parametrize("text", [TABLE.replace("\n", "\r\n"), "\ufeff" + TABLE, TABLE.rstrip()])
def test_line_ends_and_a_byte_order_mark_make_no_difference(site, text):
    project = empty()
    imported(project, text, references="golden")
    assert ids(project) == ["a1", "a2", "a3"]


def test_m2_references_are_rebuilt_from_edits(site):
    project = empty()
    imported(project, M2, references="golden")
    assert (texts(project), golden(project)) == (["我去校", "很好。"], ["我去学校"])


def test_m2_of_english_joins_by_spaces(site):
    project = empty("en")
    block = "S I goes .\nA 1 2|||R:VERB|||go|||REQUIRED|||-NONE-|||0\n\nS Fine .\n\n"
    imported(project, block, references="golden")
    assert (texts(project), golden(project)) == (["I goes .", "Fine ."], ["I go ."])


def test_our_jsonl_keeps_ids_sources_and_facts(site):
    project = empty()
    imported(project, JSONL, references="golden")
    first = Sentence.objects.get(external_id="k1")
    assert (first.source.name, first.meta) == ("HSK", {"level": "B1"})
    assert golden(project) == ["我去学校"]


def test_parallel_text_joins_line_by_line(site):
    project = empty()
    imported(
        project, "我去校\n很好。\n", "我去学校\n很好。\n", "我上学校\n很好。\n", references="golden"
    )
    assert golden(project) == ["我去学校", "我上学校"]
    assert Sentence.objects.get(number=2).golden.kind == "error_free"


def test_label_studio_tasks_with_their_text_areas(site):
    result = {"type": "textarea", "value": {"text": ["我去学校", "我上学校"]}}
    choice = {"type": "choices", "value": {"choices": ["ok"]}}
    tasks = [
        {"id": 7, "data": {"text": "我去校", "level": 3}, "annotations": [{"result": [result]}]},
        {
            "id": 8,
            "data": {"text": "他来"},
            "annotations": [{"was_cancelled": True, "result": []}, {"result": [choice]}],
            "predictions": [{"result": []}],
        },
    ]
    project = empty()
    plan = planned(project, json.dumps(tasks, indent=1), references="keep")
    assert plan.report.format == "label-studio"
    assert plan.report.left_out == {
        "cancelled annotations": 1,
        "predictions": 1,
        "results of type choices": 1,
    }
    imported(project, json.dumps(tasks), references="keep")
    assert ids(project) == ["7", "8"]
    assert Sentence.objects.get(external_id="7").meta == {"level": "3"}
    rows = Reference.objects.order_by("id").values_list("text", "origin", "submission")
    assert list(rows) == [("我去学校", "import", None), ("我上学校", "import", None)]


@pytest.mark.parametrize("label", [["我去学校"], "我去学校"])
def test_doccano_lines_with_their_labels(site, label):
    project = empty()
    row = {"id": 3, "text": "我去校", "label": label, "level": "B1", "Comments": ["嗯"]}
    plan = planned(project, json.dumps(row), references="golden")
    assert (plan.report.format, plan.report.left_out) == ("doccano", {"comments": 1})
    imported(project, json.dumps(row), references="golden")
    assert (ids(project), golden(project)) == (["3"], ["我去学校"])
    assert Sentence.objects.get().meta == {"level": "B1"}


def test_yaclc_texts_keep_their_dimension(site):
    row = {
        "sentence_id": 5,
        "sentence_text": "我去校",
        "article_id": 9,
        "sentence_annos": [
            {"is_grammatical": 1, "correction": "我去学校", "annotator_count": 6},
            {"is_grammatical": 0, "correction": "我上学去", "annotator_count": 2},
            {"is_grammatical": 1, "correction": "我去校", "annotator_count": 1},
        ],
    }
    project = empty()
    plan = planned(project, json.dumps([row]), references="keep")
    assert plan.report.format == "yaclc"
    assert plan.report.left_out["declarations without a text"] == 1
    imported(project, json.dumps([row]), references="keep")
    rows = Reference.objects.order_by("id").values_list("text", "dimension")
    assert list(rows) == [("我去学校", "grammar"), ("我上学去", "fluency")]
    assert Sentence.objects.get().meta == {"article_id": "9"}


def test_yaclc_with_contradictory_annotations_comes_in_without_those(site):
    def row(number: int, *texts: str) -> dict[str, object]:
        annos = [{"is_grammatical": 1, "correction": text, "annotator_count": 1} for text in texts]
        return {"sentence_id": number, "sentence_text": f"我{number}", "sentence_annos": annos}

    rows = [row(n, f"我{n}", "我们") if n % 3 == 0 else row(n, "我们") for n in range(1, 31)]
    project = empty()
    plan = planned(project, json.dumps(rows), references="golden")
    assert (plan.obstacle, plan.report.new, plan.report.skipped_count) == ("", 20, 10)
    assert plan.report.skipped[0].message.startswith("'3': its references contradict")
    imported(project, json.dumps(rows), references="golden")
    assert len(texts(project)) == 20


def test_the_first_ten_problems_are_told_with_their_lines_and_all_are_counted(site):
    rows = [f"{n}\t句子{n}\t改过的{n}" for n in range(1, 31)]
    for bad in range(5, 20):
        rows[bad - 1] = f"{bad}"
    plan = planned(empty(), "\n".join(rows), format="mucgec", references="golden")
    assert plan.report.problem_count == 15
    assert [problem.line for problem in plan.report.problems] == list(range(5, 15))
    assert problems(plan)[0] == (5, "no TAB in '5'; a row is id TAB source TAB references")
    assert plan.obstacle == (
        "file.txt:5: no TAB in '5'; a row is id TAB source TAB references; 15 problems in all, "
        "nothing is imported"
    )


BROKEN = {
    "fcgec": (
        '{"a": {"sentence": "我"},\n"b": {"sentence": "", "operation": "[]"}}',
        2,
        "the sentence is empty",
    ),
    "table": ("source,references\n我,你\n我\n", 3, "the row has 1 cells"),
    "mucgec": ("1\t我\t我们\n1\t他\t他们\n", 2, "id '1' stands in line 1 already"),
    "jsonl": (JSONL + "{]\n", 4, "not JSON at column 2"),
    "m2": (M2 + "S 我\nA 0 9|||S|||你|||REQUIRED|||-NONE-|||0\n", 9, "the block has no T line"),
    "label-studio": ('[{"data": {"a": "x"}}]', 1, "the task's data has none of text"),
    "doccano": ('{"text": "我"}\n{"text": 5}\n', 2, "'text' is a whole number"),
    "yaclc": ('[{"sentence_text": "我"},\n\n {"sentence_id": 3}]', 3, "'sentence_text' is missing"),
    "annotations": (
        '{"format": "gecbench-annotations", "schema": 2}\n',
        1,
        "schema 2 is not known, only 1",
    ),
}


@pytest.mark.parametrize("format", list(BROKEN))
def test_what_is_wrong_is_told_with_its_line_in_every_format(site, format):
    text, line, message = BROKEN[format]
    plan = planned(empty(), text, format=format)
    assert problems(plan)[0][0] == line
    assert message in problems(plan)[0][1]
    assert plan.report.problem_count == 1


def test_what_is_wrong_inside_a_block_of_m2_has_its_own_line(site):
    text = "S I go .\nA 0 9|||R|||x|||REQUIRED|||-NONE-|||0\n\n\nS Fine .\n\nS A\nbad\n"
    plan = planned(empty("en"), text)
    assert [line for line, _ in problems(plan)] == [2, 8]


def test_json_that_breaks_off_says_that_the_rest_was_not_looked_at(site):
    plan = planned(empty(), '{"text": "我去。"}\n{"text": "他', format="doccano")
    assert plan.report.found == 1
    ((line, message),) = problems(plan)
    assert line == 2
    assert message.endswith("the rest of the file was not looked at")


@pytest.mark.parametrize("header", ["", '{"format": "other"}', '{"name": "x"}'])
def test_jsonl_without_its_header_is_refused(site, header):
    plan = planned(empty(), f"{header}\n" + JSONL.partition("\n")[2], format="jsonl")
    assert problems(plan)[0][0] == 1


def test_ids_and_facts_that_no_row_can_hold_are_told(site):
    plan = planned(
        empty(),
        f"{'x' * 201}\t我\n \t他\n",
        format="mucgec",
    )
    assert [line for line, _ in problems(plan)] == [1, 2]
    meta = JSONL.replace("B1", "\\u0000").replace("HSK", "H" * 101)
    assert "source has more than 100" in problems(planned(empty(slug="b"), meta))[0][1]
    meta = JSONL.replace("B1", "\\u0000")
    assert "NUL character" in problems(planned(empty(slug="c"), meta))[0][1]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("一\n",), "file.txt.ref0:2: the file has 1 lines, but file.txt has 2"),
        (("一\n二\n三\n",), "file.txt.ref0:3: the file has 3 lines, but file.txt has 2"),
    ],
)
def test_parallel_files_have_as_many_lines(site, columns, message):
    with pytest.raises(FormatError, match=message):
        planned(empty(), "我\n他\n", *columns).report  # noqa: B018


def test_blank_lines_in_parallel_files_are_problems(site):
    plan = planned(empty(), "我\n\n他\n", "你\n你\n\n")
    assert problems(plan) == [
        (2, "the line is blank, but files of references go with it; fill it"),
        (3, "the line is blank in file.txt.ref0; fill it"),
    ]


def test_references_in_files_go_with_lines_alone(site):
    with pytest.raises(UsageError, match="go with a file of lines, not with format m2"):
        planned(empty(), M2, "x\n", format="m2")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "f.txt:1: the file is empty"),
        ("我".encode("utf-16"), "f.txt:1: the file is UTF-16; save it as UTF-8"),
        (
            b"ok\n" + "我".encode("gb18030"),
            "f.txt:2: byte 0xce is not UTF-8; save the file as UTF-8, or choose the encoding "
            "gb18030",
        ),
    ],
)
def test_files_that_are_no_utf_8_are_refused_with_the_line_and_the_way_out(raw, message):
    with pytest.raises(FormatError, match=message):
        content_of("f.txt", raw)


def test_gb18030_is_read_where_somebody_says_so(site):
    project = empty()
    imported(project, "我去学校。\n".encode("gb18030"), encoding="gb18030")
    assert texts(project) == ["我去学校。"]
    with pytest.raises(FormatError, match="byte 0xff is not GB18030; save the file as UTF-8"):
        content_of("f.txt", b"a\xff\xff", encoding="gb18030")
    with pytest.raises(UsageError, match="unknown encoding 'latin-1'; known: utf-8, gb18030"):
        content_of("f.txt", b"a", encoding="latin-1")


def test_files_have_a_largest_size_and_a_most_of_lines(monkeypatch, tmp_path):
    monkeypatch.setattr("gecbench.server.import_export.reading.MOST_BYTES", 10)
    monkeypatch.setattr("gecbench.server.import_export.reading.MOST_LINES", 2)
    with pytest.raises(FormatError, match=r"f.txt:1: the file has 11 bytes; at most 10 are read"):
        content_of("f.txt", b"12345678901")
    with pytest.raises(FormatError, match=r"f.txt:3: the file has 3 lines; at most 2 are read"):
        content_of("f.txt", b"1\n2\n3")
    (tmp_path / "big.txt").write_bytes(b"12345678901")
    with pytest.raises(FormatError, match=r"big.txt:1: the file has 11 bytes"):
        content_at(tmp_path / "big.txt")
    with pytest.raises(GecbenchError, match=r"none.txt: no such file"):
        content_at(tmp_path / "none.txt")
    (tmp_path / "small.txt").write_bytes(b"1\n2\n")
    assert content_at(tmp_path / "small.txt").lines == ("1", "2")


def test_packed_files_are_unpacked_and_have_a_largest_size_too(monkeypatch):
    assert content_of("f.txt.gz", gzip.compress(b"1\n2\n")).lines == ("1", "2")
    monkeypatch.setattr("gecbench.server.import_export.reading.MOST_BYTES", 100)
    with pytest.raises(FormatError, match=r"f.gz:1: .*100 bytes"):
        content_of("f.gz", gzip.compress(b"1" * 101))


@pytest.mark.parametrize(
    ("name", "shown"),
    [("../../etc/passwd", "passwd"), ("C:\\x\\a.txt", "a.txt"), ("a\n\0b", "ab"), ("/", "file")],
)
def test_names_of_files_are_never_paths(name, shown):
    assert content_of(name, b"x").name == shown


def test_unknown_formats_and_unknown_json_are_named(site):
    with pytest.raises(UnknownNameError, match="unknown format 'lnes'; did you mean lines"):
        planned(empty(), "x", format="lnes")
    project = empty(slug="b")
    for unknown in ('[{"a": 1}]', '{"a": 1}'):
        with expect_error(FormatError, "file.txt:1", "--columns", "'a'"):
            planned(project, unknown)
    with pytest.raises(FormatError, match="this looks like a header, not a sentence"):
        planned(empty(slug="c"), "id\tsource\n1\t我\n")
    assert planned(empty(slug="d"), "{oops").report.format == "jsonl"


def test_objects_where_others_were_expected_are_told(site):
    plan = planned(empty(), '[{"data": "x"}, 5]', format="label-studio")
    assert problems(plan)[0][1] == "'data' is a string, 'x'; expected an object"
    assert "an object was expected, not '5'" in problems(plan)[1][1]
    plan = planned(empty(slug="b"), '{"text": "我", "id": [1]}', format="doccano")
    assert problems(plan)[0][1] == "'id' is '[1]'; a number or a text was expected"


def test_half_a_surrogate_pair_where_a_list_was_expected_is_told(site):
    plan = planned(empty(), r'[{"data": {"text": "我"}, "annotations": "\ud800"}]')
    assert "half a surrogate pair" in problems(plan)[0][1]


ESSAYS = (
    "### essay_id = e1\n我去学校。\n\n他来了。\n",
    '{"id": "e1", "text": "我去学校。\\n他来了。", "edits": [[0, [[4, 9, ""], [2, 3, null]]]]}\n',
)


@pytest.mark.parametrize("text", ESSAYS)
def test_essays_come_in_as_lines_of_a_document(site, text):
    project = empty()
    imported(project, text, references="ignore")
    assert (ids(project), texts(project)) == (["e1/1", "e1/2"], ["我去学校。", "他来了。"])
    rows = Sentence.objects.order_by("number").values_list("document", "position")
    assert list(rows) == [("e1", 1), ("e1", 2)]


def test_what_a_reader_cannot_keep_is_counted_in_the_report(site):
    left_out = planned(empty(), ESSAYS[1], references="ignore").report.left_out
    assert left_out["an edit across lines"] == 1
    assert left_out["the mark of an error that nobody corrected"] == 1


@pytest.mark.parametrize(
    "name_and_text",
    [("x.md", "# 一\n好。\n"), ("x.txt", "source,target\n好,很好\n"), ("x.xml", "<a>\n好\n")],
)
def test_what_is_no_format_is_refused_as_everywhere(site, name_and_text):
    name, text = name_and_text
    with expect_error(FormatError, f"{name}:1", "lines"):
        planned(empty(), text, name=name)
    assert planned(empty(slug="b"), text, name=name, format="lines").report.format == "lines"


def test_files_of_references_go_with_lines_alone(site):
    with expect_error(FormatError, "file.txt:1", "multigec", "lines"):
        planned(empty(), ESSAYS[0], "好。\n")
