"""Laws of the named changes of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TEXTS, corpora, edited_corpora

from gecbench.core.edit import apply
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.scoring.texts import Normaliser, change_notes, characters, normalise
from gecbench.text import NORMALISATIONS, Normalisation, normalisation

KNOWN = {name: normalisation(name) for name in NORMALISATIONS}
NAMES = st.lists(st.sampled_from(sorted(KNOWN)), min_size=1, max_size=3)
CHARACTERS = st.characters(exclude_categories=["Cs"])
MIXED = st.lists(
    st.sampled_from(
        ["乾", "坤", "頭", "髮", "Ａ", "，", "“", "—", "´", "ﬁ", "e\u0301", "Σ", "　", " "]
    ),
    max_size=8,
).map("".join)
ANY = st.one_of(TEXTS, MIXED, st.text(CHARACTERS, max_size=8))


# OpenCC is not among them: what it makes can be converted further.
@pytest.mark.parametrize("name", ["halfwidth", "lower", "nfc", "nfkc", "punctuation", "squeeze"])
@given(text=ANY)
def test_twice_is_once(name: str, text: str):
    once = KNOWN[name].change(text)
    assert KNOWN[name].change(once) == once


@given(tokens=st.lists(ANY.filter(lambda text: text and not set(text) & set(" "))))
def test_a_spaced_text_changes_as_its_tokens_do(tokens: list[str]):
    tokens = [piece for token in tokens for piece in token.split()]
    for name, normaliser in sorted(KNOWN.items()):
        assert normaliser.change(" ".join(tokens)) == " ".join(map(normaliser.change, tokens)), name


@given(text=ANY, names=NAMES)
def test_a_chain_is_its_changes_one_after_the_other(text: str, names: list[str]):
    changed = text
    for name in names:
        changed = KNOWN[name].change(changed)
    assert Normaliser([KNOWN[name] for name in names]).text(text) == changed


@given(corpus=corpora())
def test_a_change_of_nothing_gives_back_what_came(corpus: Corpus):
    """Whatever a corpus holds: edits that say nothing, equal edit sets, edits out of range."""
    work = Normaliser((Normalisation("none", str),))
    outputs = {sample.id: sample.references for sample in corpus.samples}
    system = SystemOutput("s", outputs, {sample.id: sample.tokens for sample in corpus.samples})
    assert work.corpus(corpus) == corpus
    assert work.system(system) == system
    notes = change_notes((corpus, [system]), (work.corpus(corpus), [work.system(system)]))
    assert len(notes) == 1
    assert notes[0].startswith(f"normalising changed 0 of {len(corpus.samples)} sources, 0 of")


@given(corpus=edited_corpora(), names=NAMES)
def test_texts_stay_what_edits_make_of_tokens(corpus: Corpus, names: list[str]):
    try:
        changed, _, _ = normalise(corpus, (), names)
    except CorpusError:
        return
    for before, after in zip(corpus.samples, changed.samples, strict=True):
        assert len(after.tokens) == len(before.tokens)
        for old, new in zip(before.references, after.references, strict=True):
            if old.text is None:
                continue
            assert characters(new.text) == characters(
                "".join(apply(new.edit_sets[0], after.tokens))
            )
            old_spans = {(edit.start, edit.end, edit.label) for edit in old.edit_sets[0]}
            assert all((e.start, e.end, e.label) in old_spans for e in new.edit_sets[0])


@given(corpus=edited_corpora(), names=NAMES)
def test_systems_are_changed_as_references_are(corpus: Corpus, names: list[str]):
    system = SystemOutput(
        "s",
        {sample.id: sample.references for sample in corpus.samples},
        {sample.id: sample.tokens for sample in corpus.samples},
    )
    try:
        changed, (output,), _ = normalise(corpus, (system,), names)
    except CorpusError:
        return
    assert output.hypotheses == {sample.id: sample.references for sample in changed.samples}
    assert output.tokens == {sample.id: sample.tokens for sample in changed.samples}
