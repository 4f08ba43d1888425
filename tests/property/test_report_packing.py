"""Edits over tokens and the replacements of characters that a page shows make the same text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from strategies import TAME, edit_sets

from gecbench.core.edit import Edit, apply
from gecbench.reports.page.sentences import apply_changes, changes_of
from gecbench.text.tokens import spans


@given(st.data(), st.lists(TAME, max_size=8))
def test_replacements_of_characters_make_what_the_edits_make(data: st.DataObject, words: list):
    edits = data.draw(edit_sets(len(words), TAME))
    ordered: list[Edit] = sorted(edits, key=lambda edit: (edit.start, edit.end))
    source = "".join(words)
    text_changes = changes_of(ordered, spans(source, words), "")
    target = apply([edit for edit in ordered if edit.replacement is not None], words)
    assert apply_changes(source, text_changes) == "".join(target)


@given(st.lists(TAME, max_size=8), st.sampled_from(["", " ", "\u3000 "]))
def test_tokens_are_found_where_they_stand(words: list, between: str):
    text = between.join(words)
    places = spans(text, words)
    assert [text[start:end] for start, end in places] == words
