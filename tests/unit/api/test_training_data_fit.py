"""Profiles fitted to a corpus: what they hold, and that texts then err as the corpus does."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from messages import expect_error

from gecbench.api.schemes import load_scheme
from gecbench.api.training_data import corrupt, fit
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, FormatError, UsageError
from gecbench.core.files import read_lines
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.datasets.corrupt.profile import load_profile
from gecbench.formats.reading import read

SOURCES = ("他很快的跑了。", "我在去学校了一次。", "他慢慢的走来。", "今天很高心。", "他在地里。")
TARGETS = ("他很快地跑了。", "我再去了学校一次。", "他慢慢地走来。", "今天很高兴。", "他在地里。")


def chinese(copies: int = 1) -> Corpus:
    rows = list(zip(SOURCES, TARGETS, strict=True)) * copies
    return Corpus(
        "learners",
        tuple(Sample(str(k), s, (Rewrite(text=t),)) for k, (s, t) in enumerate(rows)),
        "zh",
    )


def english(copies: int = 3) -> Corpus:
    tokens = ("I", "discuss", "about", "the", "problems", "in", "school", ".")
    edits = (Edit(2, 3, (), "U:PREP"), Edit(5, 6, ("at",), "R:PREP"))
    more = (Edit(0, 0, None, "UNK"),)
    right = ("He", "is", "here", ".")
    samples = []
    for k in range(copies):
        samples.append(
            Sample(f"a{k}", " ".join(tokens), (Rewrite(edit_sets=((*more, *edits),)),), {}, tokens)
        )
        samples.append(Sample(f"b{k}", " ".join(right), (Rewrite(error_free=True),), {}, right))
    return Corpus("learners", tuple(samples), "en")


def test_numbers_types_and_confusions_are_those_of_the_corpus(tmp_path: Path):
    fitted = fit(chinese(), tmp_path / "p.toml", scheme=load_scheme("zh-char"))
    profile = fitted.profile
    assert (fitted.pairs, fitted.edits) == (5, 6)
    assert profile.correct == 0.2
    assert profile.errors == (3.0, 0.0, 1.0)
    assert profile.types == {"S": 4.0, "M": 1.0, "R": 1.0}
    (substituted,) = [error for error in profile.fitted if error.name == "S"]
    assert substituted.confusions == (("地", "的", 2, 3),)
    assert substituted.rest == 0.5
    assert substituted.lengths == ((1, 1, 4),)
    assert profile.source["corpus"] == "learners"
    assert load_profile(str(tmp_path / "p.toml")) == profile


def test_a_word_that_is_missing_or_too_much_has_its_neighbour():
    profile = fit(chinese(2), scheme=load_scheme("zh-char")).profile
    by = {error.name: error for error in profile.fitted}
    assert by["M"].confusions == (("去了", "去", 2, 2),)
    assert by["R"].confusions == (("校", "校了", 2, 2),)


def test_the_given_edits_of_english_are_turned_round(tmp_path: Path):
    fitted = fit(english(), tmp_path / "p.toml")
    assert fitted.left_out == {"detected, not corrected": 3}
    by = {error.name: error for error in fitted.profile.fitted}
    assert by["R:PREP"].confusions == (("at", "in", 3, 3),)
    assert by["U:PREP"].confusions == (("discuss", "discuss about", 3, 3),)
    texts = tmp_path / "x.txt"
    texts.write_text("We discuss it at home .\n" * 200, encoding="utf-8")
    counts = corrupt(texts, tmp_path / "y.jsonl", str(tmp_path / "p.toml"))
    sources = Counter(sample.source for sample in read(tmp_path / "y.jsonl").samples)
    assert set(sources) == {"We discuss about it in home .", "We discuss it at home ."}
    assert abs(counts.left_correct / counts.written - 0.5) < 0.1


def test_places_are_as_likely_as_the_corpus_errs_there(tmp_path: Path):
    """A confusion of half of all places is ten times as likely as one of a twentieth."""
    profile = {
        "language": "zh",
        "types": {"S": 1},
        "fitted": [
            {"name": "S", "edits": 15, "confusions": [["在", "再", 10, 20], ["有", "又", 5, 100]]}
        ],
    }
    convert = msgspec.convert(profile, type(load_profile("zh-default")))
    texts = tmp_path / "x.txt"
    texts.write_text("我在有\n" * 2000, encoding="utf-8")
    corrupt(texts, tmp_path / "y.tsv", convert, to="pairs")
    sources = Counter(line.split("\t")[0] for line in read_lines(tmp_path / "y.tsv"))
    assert 7 < sources["我再有"] / sources["我在又"] < 14


def test_strange_words_survive_the_file(tmp_path: Path):
    corpus = strange()
    fitted = fit(corpus, tmp_path / "p.toml")
    assert load_profile(str(tmp_path / "p.toml")) == fitted.profile


def strange() -> Corpus:
    edit = Edit(0, 1, ('"\\\x7f\x01é',), "R:\x7f")
    reference = Rewrite(edit_sets=((edit,),))
    return Corpus(
        'x"\\y', tuple(Sample(str(k), "a b", (reference,), {}, ("a", "b")) for k in range(3)), "en"
    )


def test_what_cannot_be_fitted_is_one_clear_line(tmp_path: Path):
    right = Sample("1", "好", (Rewrite(error_free=True),))
    with expect_error(CorpusError, "no reference"):
        fit(Corpus("x", (right,), "zh"))
    with expect_error(CorpusError, "sentence '0'"):
        fit(chinese())
    with expect_error(UsageError, "least count", "0"):
        fit(english(), least=0)
    with expect_error(UsageError, "'de'"):
        fit(Corpus("x", (right,), "de"))


def test_a_fitted_type_that_makes_nothing_is_refused(tmp_path: Path):
    (tmp_path / "p.toml").write_text(
        'language = "en"\ntypes = {"R:X" = 1}\n[[fitted]]\nname = "R:X"\nedits = 3\n',
        encoding="utf-8",
    )
    (tmp_path / "x.txt").write_text("I am here .\n", encoding="utf-8")
    with expect_error(FormatError, "'R:X'"):
        corrupt(tmp_path / "x.txt", tmp_path / "y", str(tmp_path / "p.toml"))


def test_edits_that_overlap_are_counted():
    tokens = ("a", "b", "c")
    bad = Rewrite(edit_sets=((Edit(0, 2, ("x",), "R:X"), Edit(1, 3, ("y",), "R:X")),))
    corpus = english()
    corpus = Corpus("x", (*corpus.samples, Sample("z", "a b c", (bad,), {}, tokens)), "en")
    assert fit(corpus).left_out["in a reference whose edits overlap"] == 2


def test_edits_that_change_nothing_are_counted_and_never_written(tmp_path: Path):
    """A few annotators mark what is right and write it again."""
    tokens = ("他", "很", "好")
    same = Rewrite(edit_sets=((Edit(0, 1, ("他",), "S"), Edit(2, 3, ("行",), "S")),))
    samples = tuple(Sample(str(k), "他很好", (same,), {}, tokens) for k in range(3))
    fitted = fit(Corpus("x", samples, "zh"))
    assert fitted.left_out == {"changes nothing": 3}
    assert fitted.profile.fitted[0].confusions == (("行", "好", 3, 3),)


def test_words_with_blanks_inside_are_no_confusions(tmp_path: Path):
    tokens = ("5\u00a0km", "away")
    reference = Rewrite(edit_sets=((Edit(0, 1, ("5\u00a0miles",), "R"), Edit(2, 2, ("!",), "M")),))
    samples = tuple(Sample(str(k), "5\u00a0km away", (reference,), {}, tokens) for k in range(3))
    fitted = fit(Corpus("x", samples, "en"), tmp_path / "p.toml")
    assert [error.confusions for error in fitted.profile.fitted] == [(("away !", "away", 3, 3),)]
    (tmp_path / "x.txt").write_text("He is away !\n", encoding="utf-8")
    counts = corrupt(tmp_path / "x.txt", tmp_path / "y", str(tmp_path / "p.toml"))
    assert counts.made == 1


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('confusions = [["我", "我", 1, 3]]', "'我' is confused with '我'"),
        ('confusions = [["我 们", "我", 1, 3]]', "give two that differ, without white space"),
        ('confusions = [["我", "窝", 0, 3]]', "expected int >= 1"),
        ("moves = [[1, 1, 0]]", "expected int >= 1"),
        ("lengths = [[0, 1, 0]]", "expected int >= 1"),
    ],
)
def test_a_fitted_type_that_says_nothing_is_refused(tmp_path: Path, keys: str, message: str):
    path = fitted_file(tmp_path, keys)
    (tmp_path / "x.txt").write_text("我们在这里。\n", encoding="utf-8")
    with pytest.raises(FormatError) as failed:
        corrupt(tmp_path / "x.txt", tmp_path / "y", str(path))
    assert message in str(failed.value)


def fitted_file(folder: Path, keys: str) -> Path:
    path = folder / "p.toml"
    head = 'language = "zh"\ntypes = {S = 1}\n[[fitted]]\nname = "S"\nedits = 3\n'
    path.write_text(f"{head}{keys}\n", encoding="utf-8")
    return path


def test_confusions_are_made_where_no_rule_makes_the_rest(tmp_path: Path):
    path = fitted_file(tmp_path, 'rest = 1.0\nconfusions = [["我", "窝", 1, 3]]')
    (tmp_path / "x.txt").write_text("我们在这里。\n", encoding="utf-8")
    assert corrupt(tmp_path / "x.txt", tmp_path / "y", str(path)).made == 1
