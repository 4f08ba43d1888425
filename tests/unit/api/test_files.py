"""Several systems in one M2 file."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.api.files import in_language, load, load_systems, save
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample

LINE = "A {} {}|||R|||{}|||REQUIRED|||-NONE-|||{}"
SOURCES = "S a b\n\nS c\n\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    (tmp_path / "gold.m2").write_text(SOURCES, encoding="utf-8")
    return load(tmp_path / "gold.m2")


def m2(tmp_path: Path, *annotators: int) -> Path:
    lines = "".join(f"{LINE.format(0, 1, f'x{k}', k)}\n" for k in annotators)
    path = tmp_path / "hyp.m2"
    path.write_text(f"S a b\n{lines}\nS c\n\n", encoding="utf-8")
    return path


def texts_by_system(systems):
    return {
        system.system: [
            edit.replacement[0]
            for versions in system.hypotheses.values()
            for edit in versions[0].edit_sets[0]
        ]
        for system in systems
    }


def test_each_annotator_is_a_system_that_leaves_alone_what_it_has_no_line_for(tmp_path, corpus):
    systems = load_systems(m2(tmp_path, 1, 0), corpus)
    assert texts_by_system(systems) == {"0": ["x0"], "1": ["x1"]}
    assert [len(v) for system in systems for v in system.hypotheses.values()] == [1, 1, 1, 1]
    assert systems[0].tokens == {"1": ("a", "b"), "2": ("c",)}


def test_names_say_how_many_systems_there_are(tmp_path, corpus):
    path = m2(tmp_path, 0, 2)
    assert texts_by_system(load_systems(path, corpus, names=["a", "b", "c"])) == {
        "a": ["x0"],
        "b": [],
        "c": ["x2"],
    }


def test_ten_annotators_are_in_the_order_of_numbers(tmp_path, corpus):
    assert list(texts_by_system(load_systems(m2(tmp_path, *range(11)), corpus)))[-2:] == ["9", "10"]


def test_annotators_with_names_are_systems_of_these_names(tmp_path, corpus):
    rewrites = (Rewrite("x b", annotator="Li"), Rewrite("y b", annotator="Wu"))
    other = Corpus(
        "h", (Sample("1", "a b", rewrites), Sample("2", "c", (Rewrite("d", annotator="Li"),)))
    )
    save(other, tmp_path / "h.jsonl", format="jsonl")
    li, wu = load_systems(tmp_path / "h.jsonl", corpus)
    assert (li.system, li.hypotheses["2"][0].text) == ("Li", "d")
    assert (wu.system, wu.hypotheses["2"][0].error_free) == ("Wu", True)


def test_a_gap_is_refused_as_it_may_be_a_system(tmp_path, corpus):
    with expect_error(CorpusError, "hyp.m2", "annotator 3", "annotator 1"):
        load_systems(m2(tmp_path, 0, 3), corpus)


def test_more_annotators_than_names_are_refused(tmp_path, corpus):
    with expect_error(CorpusError, "annotator 2", "2 names", "0 to 1"):
        load_systems(m2(tmp_path, 0, 2), corpus, names=["a", "b"])


def test_one_name_twice_is_refused(tmp_path, corpus):
    with expect_error(UsageError, "a,a"):
        load_systems(m2(tmp_path, 0), corpus, names=["a", "a"])


def test_a_file_without_annotators_needs_names(tmp_path, corpus):
    with expect_error(CorpusError, "no annotator", "--names"):
        load_systems(m2(tmp_path), corpus)


def test_texts_that_say_nobody_wrote_them_are_refused(tmp_path, corpus):
    (tmp_path / "one.txt").write_text("a\nb\n", encoding="utf-8")
    with expect_error(CorpusError, "one.txt", "sentence '1'", "annotator"):
        load_systems(tmp_path / "one.txt", corpus)


def test_a_long_path_instead_of_a_corpus_is_quoted_with_a_sign_of_the_cut():
    with pytest.raises(UsageError, match=r"'/long/long/[^']*…' is no corpus; load it"):
        in_language("/long" * 20 + "/corpus.jsonl", None)
