"""Segmenters: their names, what they refuse, and texts divided unlike the corpus."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import types
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.backends import SEGMENTERS, chinese
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.errors import MissingExtraError, ResourceError, UnknownNameError, UsageError
from gecbench.core.registry import resolve
from gecbench.core.sample import Corpus, Sample
from gecbench.scoring.cases import (
    Segmenter,
    segmentation_notes,
    segmenter,
    segmenter_notes,
    token_shares,
)

NONE = Corpus("x", ())
PAGE = Path(__file__).parents[3] / "docs" / "texts.md"


def corpus(*rows: tuple[str, str]) -> Corpus:
    """Samples of a source and its tokens, which are written with bars between them."""
    samples = (
        Sample(str(n), source, tokens=tuple(tokens.split("|")) if tokens else ())
        for n, (source, tokens) in enumerate(rows)
    )
    return Corpus("dev", tuple(samples))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model of pkuseg, made by pkuseg itself; its own cannot be brought along."""
    spacy_pkuseg = pytest.importorskip("spacy_pkuseg")
    folder = tmp_path_factory.mktemp("pkuseg")
    text = folder / "words.txt"
    text.write_text("我 喜欢 学习 中文 。\n他 去 学校 了 。\n" * 10, encoding="utf-8")
    with redirect_stdout(io.StringIO()):
        spacy_pkuseg.train(str(text), str(text), str(folder / "tiny"), train_iter=2)
    return folder / "tiny"


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        ([], "spaces"),
        ([("我去", "")], "spaces"),
        ([("我 去", "我|去"), ("他", "他")], "spaces"),
        ([("我去", "我|去")], "characters"),
        ([("我 去", "我|去"), ("我去", "我|去")], "characters"),
        ([("我  去", "我|去")], "characters"),
        ([("我们 去", "我们|去"), ("我们去", "我们|去")], "as given"),
    ],
)
def test_unsaid_it_is_as_the_corpus_is_divided(rows: list[tuple[str, str]], name: str):
    assert segmenter(None, corpus(*rows)).name == name


def test_a_division_that_none_gives_is_refused_when_a_text_comes():
    words = segmenter(None, corpus(("我去", "我|去"), ("我们去", "我们|去")))
    with expect_error(UsageError, "dev", "sample '1'", "'我们 去'"):
        words.divide("我们来")


@pytest.mark.parametrize(
    ("name", "tokens"),
    [("spaces", ("我有[缺失成分]", "吗")), ("characters", ("我", "有", "[缺失成分]", "吗"))],
)
def test_those_of_the_house_have_no_version(name: str, tokens: tuple[str, ...]):
    words = segmenter(name, NONE)
    assert (words.name, words.divide("我有[缺失成分] 吗")) == (name, tokens)


def test_jieba_finds_words():
    pytest.importorskip("jieba")
    words = segmenter("jieba", NONE)
    assert words.name == "jieba 0.42.1"
    assert words.divide("我来到北京清华大学。 OK 吗") == (
        *("我", "来到", "北京", "清华大学", "。", "OK", "吗"),
    )
    assert words.divide(" ") == ()


def test_pkuseg_finds_words_by_a_model_in_a_folder(model: Path):
    words = segmenter(f"pkuseg:{model}", NONE)
    assert words.divide("他喜欢 学校。") == ("他", "喜欢", "学校", "。")
    version, _, rest = words.name.removeprefix("pkuseg ").partition(" ")
    assert version[0] == "1"
    assert rest.startswith("(tiny ")
    assert len(rest) == len("(tiny 01234567)")


def test_pkusegs_own_models_lie_where_pkuseg_puts_them(model: Path, monkeypatch, tmp_path: Path):
    import spacy_pkuseg

    monkeypatch.setattr(spacy_pkuseg.config, "pkuseg_home", str(tmp_path))
    with pytest.raises(ResourceError) as error:
        segmenter("pkuseg", NONE)
    assert str(error.value).startswith(
        f"{tmp_path}/spacy_ontonotes: no model of pkuseg (weights.npz and features.msgpack), and "
        "gecbench downloads none; unpack https://"
    )
    assert str(error.value).endswith(" there, or name a folder that has one: pkuseg:FOLDER")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "spacy_ontonotes").symlink_to(model)
    named, folder = segmenter("pkuseg", NONE), segmenter(f"pkuseg:{model}", NONE)
    assert named.name.replace("spacy_ontonotes", "tiny") == folder.name
    assert named.divide("他去学校") == folder.divide("他去学校")
    assert named.name == segmenter("pkuseg:spacy_ontonotes", NONE).name


def test_models_of_one_name_are_told_apart(model: Path, tmp_path: Path):
    other = tmp_path / "tiny"
    other.mkdir()
    for path in model.iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    first = segmenter(f"pkuseg:{model}", NONE).name
    assert segmenter(f"pkuseg:{other}", NONE).name == first
    (other / "more").write_bytes(b"x")
    second = segmenter(f"pkuseg:{other}", NONE).name
    (other / "more").write_bytes(b"y")
    third = segmenter(f"pkuseg:{other}", NONE).name
    assert len({first, second, third}) == 3


@pytest.mark.parametrize("names", [(), ("weights.npz",), ("features.msgpack",)])
def test_a_folder_without_a_model_is_refused(tmp_path: Path, names: tuple[str, ...]):
    pytest.importorskip("spacy_pkuseg")
    for name in names:
        (tmp_path / name).touch()
    with expect_error(ResourceError, str(tmp_path), "no model of pkuseg"):
        segmenter(f"pkuseg:{tmp_path}", NONE)


def test_a_model_that_needs_a_word_list_of_its_own_is_refused(tmp_path: Path):
    pytest.importorskip("spacy_pkuseg")
    for name in ("weights.npz", "features.msgpack", "medicine_dict.pkl"):
        (tmp_path / name).touch()
    with expect_error(ResourceError, str(tmp_path), "medicine_dict.pkl"):
        segmenter(f"pkuseg:{tmp_path}", NONE)


def test_ltp_is_refused_without_folder_model_or_package(tmp_path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ltp", None)
    with expect_error(UsageError, "ltp:FOLDER"):
        segmenter("ltp", NONE)
    with expect_error(ResourceError, str(tmp_path), "no model of LTP", "config.json"):
        segmenter(f"ltp:{tmp_path}", NONE)
    (tmp_path / "config.json").touch()
    with expect_error(UsageError, "LTP", "pip install ltp"):
        segmenter(f"ltp:{tmp_path}", NONE)


def test_ltp_is_asked_for_the_words_of_each_piece_and_for_no_download(tmp_path: Path, monkeypatch):
    """A stand-in for LTP 4.2, whose interface the function keeps to."""
    calls = []

    class Stand:
        def __init__(self, *arguments, **named):
            calls.append((arguments, named))

        def pipeline(self, pieces, tasks):
            calls.append(tasks)
            return types.SimpleNamespace(cws=[[p[:2], p[2:]] for p in pieces])

    monkeypatch.setitem(sys.modules, "ltp", types.SimpleNamespace(LTP=Stand))
    monkeypatch.setattr(chinese, "version", lambda _: "4.2.14")
    (tmp_path / "config.json").touch()
    words = segmenter(f"ltp:{tmp_path}", NONE)
    assert words.divide("我们来了 他们去了") == ("我们", "来了", "他们", "去了")
    assert words.divide("") == ()
    assert calls == [((str(tmp_path),), {"local_files_only": True}), ["cws"]]
    assert words.name.startswith(f"ltp 4.2.14 ({tmp_path.name} ")


def test_a_program_that_loses_characters_is_refused():
    divide = chinese._check_words("cutter 1", lambda text: [text[:3]])
    assert divide("我们 ".strip()) == ("我们",)
    with expect_error(UsageError, "cutter 1", "'我们来了'"):
        divide("我们来了")


def test_a_text_is_divided_once():
    texts: list[str] = []
    divide = chinese._check_words("counter", lambda text: texts.append(text) or [text])
    assert [divide("我"), divide("我")] == [("我",), ("我",)]
    assert texts == ["我"]


@pytest.mark.parametrize(
    ("name", "module", "what"),
    [("jieba", "jieba", "jieba"), ("pkuseg", "spacy_pkuseg", "spacy-pkuseg")],
)
def test_without_the_package_the_command_that_brings_it_is_said(monkeypatch, name, module, what):
    monkeypatch.setitem(sys.modules, module, None)
    with expect_error(MissingExtraError, str(what), "'gecbench[zh-words]'"):
        segmenter(name, NONE)


@pytest.mark.parametrize("name", ["spaces:x", "characters:", "jieba:big"])
def test_a_model_is_refused_where_there_is_none_to_choose(name: str):
    if name.startswith("jieba"):
        pytest.importorskip("jieba")
    with pytest.raises(UsageError, match="takes no model"):
        segmenter(name, NONE)


def test_an_unknown_name_is_answered_with_the_nearest_of_all():
    with expect_error(UnknownNameError, "'character'", "characters"):
        segmenter("character", NONE)
    with pytest.raises(UnknownNameError, match="did you mean jieba"):
        segmenter("jeiba", NONE)


def test_every_name_is_imported_and_documented():
    assert all(resolve("segmenter", name, SEGMENTERS) for name in SEGMENTERS)
    page = PAGE.read_text("utf-8")
    names = ["spaces", "characters", *SEGMENTERS]
    assert [name for name in names if f"`{name}" not in page] == []


QUIET = """
import sys
from gecbench.scoring.cases import segmenter
from gecbench.core.sample import Corpus
assert not {"jieba", "spacy_pkuseg", "numpy"} & set(sys.modules)
for name in sys.argv[1:]:
    segmenter(name, Corpus("x", ())).divide("我喜欢学习。")
"""


def test_programs_start_without_a_word_and_are_imported_when_asked_for(model: Path, tmp_path: Path):
    pytest.importorskip("jieba")
    old = tmp_path / "old"  # pkuseg's first file format, of which it warns
    old.mkdir()
    (old / "weights.npz").write_bytes((model / "weights.npz").read_bytes())
    srsly = pytest.importorskip("srsly")
    features = srsly.read_msgpack(model / "features.msgpack")
    (old / "features.pkl").write_bytes(pickle.dumps(features))
    names = ["jieba", f"pkuseg:{model}", f"pkuseg:{old}"]
    loud = tmp_path / "pkg_resources.py"  # which jieba imports, and newer setuptools warn of
    loud.write_text("import warnings\nwarnings.warn('deprecated')\nraise ImportError\n", "utf-8")
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", QUIET, *names],
        env={
            **os.environ,
            "TMPDIR": str(tmp_path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")
    assert {path.name for path in tmp_path.iterdir()} == {"old", loud.name}  # and no cache


def case(source: str, *hypotheses: str) -> Case:
    versions = tuple(CaseRewrite(tokens=tuple(text.split())) for text in hypotheses)
    return Case("1", versions, (), tokens=tuple(source.split()))


@pytest.mark.parametrize(
    ("cases", "note"),
    [
        ([case("a b c d", "a b c d")], None),
        ([case("a b c d", "a b")], None),  # exactly half
        ([case("a b c d", "a")], "s: looks unsegmented: the median text has 0.25 tokens"),
        ([case("a b c d", "a", "a b c", "a b c")], None),
        ([case("a b c d", "a"), case("a", "b"), case("", "a")], "s: looks unsegmented"),
        ([case("a b c d", "a", "", "")], "s: looks unsegmented"),
        ([case("a b", "a b", "", "")], None),  # empty outputs are another matter
        ([case("a b c d e", "1 2 3 4 5 6 7")], None),
        (
            [case("a b", "1 2 3")],
            "s: looks divided finer than the sources: the median text has 1.50",
        ),
        ([case("a", "1 2 3")], None),
        ([case("", "a")], None),
        ([], None),
    ],
)
def test_systems_that_are_divided_otherwise_are_named(cases: list[Case], note: str | None):
    notes = segmentation_notes({"s": token_shares(cases)})
    assert len(notes) == (note is not None)
    assert all(item.startswith(note) for item in notes)


def test_how_many_sources_are_divided_alike_is_said():
    samples = corpus(("我 去", "我|去"), ("我 们", "我 们"), ("他", ""))
    assert segmenter_notes(segmenter("spaces", NONE), samples) == [
        "segmenter spaces divides 1 of 2 sources as dev does; in the others, words that a system "
        "left alone can count as edits"
    ]
    assert segmenter_notes(segmenter("spaces", NONE), corpus(("我 去", "我|去"))) == []


def test_sources_are_divided_as_texts_come_that_nothing_has_divided():
    texts: list[str] = []
    other = Segmenter("other 1", lambda text: texts.append(text) or ("我们", "去"))
    samples = corpus(("我们 去", "我们|去"), ("我 们去", "我|们去"))
    (note,) = segmenter_notes(other, samples)
    assert note.startswith("segmenter other 1 divides 1 of 2 sources as dev does; ")
    assert texts == ["我们去", "我们去"]
