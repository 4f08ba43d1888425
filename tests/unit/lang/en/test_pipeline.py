"""The English pipeline that gecbench brings: its folder and what it says."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import gecbench

ROOT = Path(__file__).parents[4]
FOLDER = Path(gecbench.__file__).parent / "lang" / "en" / "pipeline"
TAGS_OF_ERRANT = frozenset(
    # errant 3.0.2, en-ptb_map and what merger.py and classifier.py add to it.
    "# $ '' , -LRB- -RRB- . : `` HYPH AFX JJ JJR JJS CC CD DT PDT PRP$ WDT WP$ EX PRP WP FW LS NIL "  # noqa: SIM905
    "IN MD VB VBD VBG VBN VBP VBZ NN NNS NNP NNPS POS RP TO RB RBR RBS WRB UH SYM SP _SP BES HVS "
    "ADD GW NFP XX".split()
)
LABELS_OF_ERRANT = frozenset(
    "acomp amod advmod aux auxpass det dobj nsubj nsubjpass pobj poss prep prt punct".split()  # noqa: SIM905
)


@pytest.fixture(scope="module")
def nlp():
    """The bundled pipeline."""
    spacy = pytest.importorskip("spacy", reason="the English extra is not installed")
    return spacy.load(FOLDER)


@pytest.fixture(scope="module")
def say(nlp):
    """Return what the pipeline says of a sentence: tokens divided by spaces."""
    from spacy.tokens import Doc

    return lambda text: nlp(Doc(nlp.vocab, words=text.split()))


class TestFolder:
    def test_it_is_small(self):
        assert sum(path.stat().st_size for path in FOLDER.rglob("*")) <= 8_000_000

    def test_it_brings_its_licences(self):
        texts = {path.name: path.read_text("utf-8") for path in FOLDER.glob("[LN]*")}
        assert "Attribution-ShareAlike 4.0 International" in texts["LICENSE"]
        assert "WordNet 3.0 Copyright 2006 by Princeton" in texts["LICENSE.wordnet"]
        assert "Copyright (c) 2019 ExplosionAI GmbH" in texts["LICENSE.spacy-lookups-data"]
        assert "Universal Dependencies" in texts["NOTICE"]

    def test_it_says_what_it_is(self):
        meta = json.loads((FOLDER / "meta.json").read_text("utf-8"))
        facts = [meta[key] for key in ("name", "version", "license", "author")]
        assert facts == ["gecbench_small", "1.0.0", "CC BY-SA 4.0", "The gecbench authors"]
        assert {source["license"] for source in meta["sources"]} >= {"CC BY-SA 4.0"}
        assert meta["training"]["seed"] == 0

    def test_it_names_no_folder_of_the_machine_it_was_made_on(self):
        config = (FOLDER / "config.cfg").read_text("utf-8")
        paths = config.split("[paths]")[1].split("[system]")[0].split("\n")
        assert {line.split("=")[-1].strip() for line in paths if line} == {"null"}

    def test_every_file_goes_into_the_package(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
        patterns = project["tool"]["setuptools"]["package-data"]["gecbench"]
        package = Path(gecbench.__file__).parent
        packed = {path for pattern in patterns for path in package.glob(pattern)}
        assert {path for path in FOLDER.rglob("*") if path.is_file()} <= packed

    def test_it_keeps_no_words_of_the_treebank(self):
        strings = set(json.loads((FOLDER / "vocab" / "strings.json").read_text("utf-8")))
        assert not strings & {"Baathists", "Falluja", "GummiBear"}


class TestPipeline:
    def test_its_parts(self, nlp):
        parts = "tok2vec tagger morphologizer attribute_ruler lemmatizer parser"
        assert nlp.pipe_names == parts.split()

    def test_the_parser_can_be_left_out(self, nlp):
        """No rule that gives tags or lemmas looks at the parse, which most scores do not need."""
        assert "DEP" not in json.dumps(nlp.get_pipe("attribute_ruler").patterns)

    def test_it_has_every_label_that_errant_asks_for(self, nlp):
        assert set(nlp.get_pipe("parser").labels) >= LABELS_OF_ERRANT

    def test_errant_knows_all_its_tags(self, nlp):
        assert set(nlp.get_pipe("tagger").labels) <= TAGS_OF_ERRANT

    def test_its_parts_of_speech_are_universal(self, nlp):
        universal = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
        labels = {label.removeprefix("POS=") for label in nlp.get_pipe("morphologizer").labels}
        assert labels == set(universal.split())

    def test_a_sentence_without_words_is_no_error(self, say):
        assert len(say("")) == 0

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("She has been running .", "nsubj aux aux ROOT punct"),
            ("The letter was written by her .", "det nsubjpass auxpass ROOT agent pobj punct"),
            ("He is very happy .", "nsubj ROOT advmod acomp punct"),
            ("They live in a big house .", "nsubj ROOT prep det amod pobj punct"),
            ("I do n't like my job .", "nsubj aux neg ROOT poss dobj punct"),
            ("She wants to give up her job .", "nsubj ROOT aux xcomp prt poss dobj punct"),
        ],
    )
    def test_dependencies(self, say, text, expected):
        assert [token.dep_ for token in say(text)] == expected.split()

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("She has been running .", "PRP VBZ VBN VBG ."),
            ("The children 's books are cheaper .", "DT NNS POS NNS VBP JJR ."),
            ("He went to Paris to study .", "PRP VBD IN NNP TO VB ."),
        ],
    )
    def test_tags(self, say, text, expected):
        assert [token.tag_ for token in say(text)] == expected.split()

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("She has been running .", "she have be run ."),
            ("I ca n't see them .", "I can not see they ."),
            ("The men bought two knives .", "the man buy two knife ."),
            ("We saw three blickets .", "we see three blicket ."),
        ],
    )
    def test_lemmas(self, say, text, expected):
        assert [token.lemma_ for token in say(text)] == expected.split()

    def test_parts_of_speech(self, say):
        text = "She has been to London , but I have a car ."
        tags = "PRON AUX AUX ADP PROPN PUNCT CCONJ PRON VERB DET NOUN PUNCT"
        assert [token.pos_ for token in say(text)] == tags.split()
