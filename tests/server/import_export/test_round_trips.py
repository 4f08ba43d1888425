"""What goes out and comes back in is the same, in every format, for what the format holds."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from server.import_export.files import (
    empty,
    exported,
    golden,
    imported,
    json_lines,
    reviewed,
    the_file,
)
from server.remembering import remembered
from server.workflow.stories import error_free, not_annotatable

from gecbench.server.models import Project, Reference, Sentence
from gecbench.server.rules.text import clean, key

TABLE = (
    "a1\t我去学校了。\t我去了学校。\t我去过学校。\n"
    "a2\t很好。\t没有错误\n"
    "a3\t我[缺失成分]你。\t我爱[缺失成分]你。\n"
    "a4\t啊吧\t无法标注\n"
)


@remembered
def a_golden_project(slug: str = "story", table: str = TABLE) -> Project:
    project = empty(slug=slug)
    imported(project, table, references="golden", format="mucgec", source="课堂")
    return project


def test_mucgec_tables_come_back_byte_by_byte(database):
    assert the_file(a_golden_project(), "mucgec") == TABLE


def test_the_published_dev_set_comes_back_byte_by_byte(site, shared):
    """MuCGEC's own file, imported as golden sets and exported."""
    raw = (shared / "data" / "mucgec" / "MuCGEC_dev.txt").read_bytes()
    project = empty()
    imported(project, raw, references="golden")
    assert the_file(project, "mucgec").encode() == raw


def test_our_jsonl_comes_back_with_sources_and_facts(site):
    first = the_file(a_golden_project(), "jsonl")
    again = empty(slug="again")
    imported(again, first, references="golden")
    assert json_lines(the_file(again, "jsonl"))[1:] == json_lines(first)[1:]
    assert json_lines(first)[1]["meta"] == {"source": "课堂"}


def test_parallel_text_comes_back_but_for_what_it_cannot_say(site):
    files = exported(a_golden_project(), "parallel")
    assert list(files) == [".src", ".ref0", ".ref1"]
    assert files[".ref1"].splitlines() == ["我去过学校。", "很好。", "我爱[缺失成分]你。"]
    again = empty(slug="again")
    imported(again, files[".src"], files[".ref0"], files[".ref1"], references="golden")
    assert exported(again, "parallel") == files
    assert Sentence.objects.get(project=again, text="很好。").golden.kind == "error_free"


def test_m2_comes_back_as_the_same_edits(site):
    first = the_file(a_golden_project(), "m2", scheme="zh-char")
    again = empty(slug="again")
    imported(again, first, references="golden", format="m2")
    assert the_file(again, "m2") == first
    assert golden(again) == ["我去了学校。", "我去过学校。"]


def test_m2_of_english_comes_back(site):
    project = empty("en")
    rows = "1\tI goes home .\tI go home .\tI went home .\n2\tFine .\tFine .\n"
    imported(project, rows, references="golden", format="mucgec")
    first = the_file(project, "m2")
    assert first.startswith("S I goes home .\nA 1 2|||R:VERB")
    again = empty("en", slug="again")
    imported(again, first, references="golden")
    assert the_file(again, "m2") == first


def test_the_full_export_brings_sentences_and_golden_sets_back(site):
    project = reviewed()
    again = empty(slug="again")
    imported(again, the_file(project, "annotations"), references="golden")
    assert golden(again) == golden(project)
    assert list(Sentence.objects.filter(project=again).values_list("state", flat=True)) == [
        "golden",
        "open",
    ]


@pytest.mark.parametrize(
    ("mark", "kind"), [("没有错误", "error_free"), ("无法标注", "not_annotatable")]
)
def test_the_full_export_brings_decisions_back(site, mark, kind):
    project = a_golden_project(table=f"a\t我\t{mark}\n")
    again = empty(slug="again")
    imported(again, the_file(project, "annotations"), references="golden")
    assert Sentence.objects.get(project=again).golden.kind == kind


def test_counts_as_yaclc_bring_the_distinct_texts_back(site):
    from server.workflow.reviewing import GOOD, waiting
    from server.workflow.stories import correction

    project = waiting(correction(GOOD), correction(GOOD), error_free(), not_annotatable())
    text = the_file(project, "counts")
    (row,) = json_lines(text)
    assert (row["total_annotators"], row["not_annotatable"]) == (4, 1)
    assert row["sentence_annos"] == [
        {"is_grammatical": 1, "correction": GOOD, "edits_count": 1, "annotator_count": 2},
        {
            "is_grammatical": 1,
            "correction": row["sentence_text"],
            "edits_count": 0,
            "annotator_count": 1,
        },
    ]
    again = empty(slug="again")
    imported(again, text, references="keep")
    assert [reference.text for reference in Reference.objects.filter(sentence__project=again)] == [
        GOOD
    ]


_TEXT = st.text(
    st.sampled_from("我去了学校，。a1 =+-@\"'|\u3000é\u200b😀[缺失成分]"), min_size=1, max_size=12
).map(lambda text: clean(text).text)
_ROWS = st.lists(
    st.tuples(
        _TEXT.filter(bool),
        st.lists(_TEXT.filter(bool), max_size=3, unique_by=key),
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.no_cover
@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(rows=_ROWS)
@pytest.mark.parametrize("format", ["mucgec", "jsonl"])
def test_any_golden_sets_come_back_the_same(site, format, rows):
    table = ""
    for n, (text, others) in enumerate(rows):
        references = [other for other in others if key(other) != key(text)] or ["没有错误"]
        table += "\t".join([f"k{n}", text, *references]) + "\n"
    number = Project.objects.count()
    rules = {"CON-3": "off", "CON-4": "off"}
    project = empty(slug=f"one-{number}", rules=rules)
    choices = {"references": "golden", "duplicates": "keep"}
    imported(project, table, format="mucgec", **choices)
    assert the_file(project, "mucgec") == table
    first = the_file(project, format)
    again = empty(slug=f"two-{number}", rules=rules)
    imported(again, first, format=format, **choices)
    assert the_file(again, "mucgec") == table
