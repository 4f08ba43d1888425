"""The options of a scheme are those of its factory, whoever wrote it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gecbench
from gecbench.core.errors import NoEffectError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.core.scheme import Scheme, SchemeContext
from gecbench.lang import SCHEMES
from gecbench.lang.zh.char import scheme as zh_char


def sized(
    context: SchemeContext, *, size: int = 1, strict: bool = False, merging: str = "rules"
) -> Scheme:
    """Make a scheme as another package may offer it, with options of its own."""
    settings = {"size": repr(size), "strict": repr(strict), "merging": merging}
    return replace(zh_char(context), signature=settings)


@pytest.fixture(autouse=True)
def _another_package(monkeypatch):
    monkeypatch.setitem(SCHEMES, "sized", f"{__name__}:sized")


def test_a_scheme_takes_the_options_of_its_factory():
    scheme = gecbench.load_scheme("sized", size=3, merging="all-split")
    assert scheme.signature == {"size": "3", "strict": "False", "merging": "all-split"}


def test_texts_of_the_command_line_become_what_the_factory_says(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus = Corpus("c", (Sample("1", "我今天很高心。", (Rewrite(text="我今天很高兴。"),)),), "zh")
    gecbench.save(corpus, "c.jsonl", format="jsonl")
    options = ("--scheme-set", "size=3", "--scheme-set", "strict=true")
    code, out, err = run("edits", "c.jsonl", "--scheme", "sized", *options, "--to", "jsonl")
    assert (code, err) == (0, "")
    assert '"size": "3", "strict": "True"' in out.splitlines()[0]


@pytest.mark.parametrize("options", [{"depth": 2}, {"levenshtein": True}])
def test_options_that_it_has_not_are_refused(options):
    with pytest.raises(NoEffectError, match=f"scheme sized has no option {next(iter(options))}"):
        gecbench.load_scheme("sized", **options)


def test_an_option_of_another_scheme_is_refused_on_the_command_line(run, tmp_path):
    (tmp_path / "a.txt").write_text("我高心。\n")
    code, _, err = run(
        *("edits", tmp_path / "a.txt", "--reference", tmp_path / "a.txt"),
        *("--scheme", "zh-char", "--scheme-set", "size=3"),
    )
    assert code == 2
    assert "scheme zh-char has no option size" in err


def test_a_value_of_another_type_is_refused():
    with pytest.raises(UsageError, match=r"size.*'big'"):
        gecbench.load_scheme("sized", size="big")
