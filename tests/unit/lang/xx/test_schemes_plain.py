"""The schemes for any language: least changes of words or characters, typed by operation."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gecbench import extract, load_scheme, score
from gecbench.core.edit import apply
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput

TEXTS = st.lists(st.sampled_from(["a", "b", "ä", "猫", "c."]), max_size=8).map(" ".join)


@given(TEXTS, TEXTS)
def test_edits_of_words_lead_from_source_to_target(source: str, target: str):
    check("xx-word", source, target)


@given(TEXTS, TEXTS)
def test_edits_of_characters_lead_from_source_to_target(source: str, target: str):
    check("xx-char", source, target)


def check(name: str, source: str, target: str) -> None:
    scheme = load_scheme(name)
    first, second = scheme.parse_source(source), scheme.parse_target(target)
    (edits,) = scheme.extract(first, second).edit_sets
    assert apply(edits, first.tokens) == second.tokens
    assert {edit.label for edit in edits} <= {"M", "R", "S"}
    assert [edit.label for edit in edits] == [edit.op for edit in edits]


def test_signatures_name_scheme_and_granularity():
    assert dict(load_scheme("xx-word").signature) == {"scheme": "xx-word", "granularity": "word"}
    assert dict(load_scheme("xx-char").signature) == {"scheme": "xx-char", "granularity": "char"}


def test_edits_of_a_file_with_types_of_the_scheme_are_used_as_they_are():
    corpus = Corpus("d", (Sample("1", "a b", (Rewrite("a c"),)),), "de")
    written = extract(corpus, "xx-word")
    unmarked = replace(written, provenance={})
    system = SystemOutput("s", {"1": (Rewrite("a d"),)})
    (note,) = score(unmarked, [system]).notes
    assert "do not say what found them" in note
