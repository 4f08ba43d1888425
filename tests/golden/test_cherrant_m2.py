"""Our M2 files are ChERRANT's, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.api.files import load
from gecbench.api.schemes import extract
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.edits import alignment
from gecbench.formats import load_format

pytestmark = pytest.mark.golden

DEV = ("data/mucgec/MuCGEC_dev.txt", "MuCGEC_dev")
PREDICTION = ("data/mucgec/example_pred_dev.txt", "example_pred_dev")
FUZZ = ("golden/cherrant/fuzz.para", "fuzz")
DEMO = ("data/cherrant/samples/demo.hyp.para", "demo.hyp")


def written(corpus: Corpus, scheme) -> str:
    (text,) = load_format("m2").write(extract(corpus, scheme)).values()
    return text


@pytest.mark.parametrize("strategy", ["all", "first"])
@pytest.mark.parametrize(("source", "name"), [DEV, PREDICTION, FUZZ, DEMO])
def test_m2_is_the_official_one(shared: Path, make_cherrant, source, name, strategy):
    want = (shared / f"golden/cherrant/{name}.char.{strategy}.m2").read_text("utf-8")
    assert written(load(shared / source), make_cherrant(strategy=strategy)) == want


@pytest.mark.slow
@pytest.mark.parametrize(("source", "name"), [PREDICTION, FUZZ])
def test_m2_is_the_official_one_without_a_compiler_too(
    shared: Path, make_cherrant, monkeypatch, source, name
):
    monkeypatch.setattr(alignment, "compiled", None)
    assert alignment.kernel_name() == "python"
    want = (shared / f"golden/cherrant/{name}.char.all.m2").read_text("utf-8")
    assert written(load(shared / source), make_cherrant()) == want


def test_targets_can_be_left_unsimplified(shared: Path, make_cherrant):
    want = (shared / "golden/cherrant/fuzz.char.all.nosimp.m2").read_text("utf-8")
    assert written(load(shared / FUZZ[0]), make_cherrant(simplify=False)) == want


@pytest.mark.parametrize("system", range(1, 7))
def test_m2_of_pseudo_systems_is_the_official_one(shared: Path, make_cherrant, system):
    folder = shared / "golden/cherrant/ensemble"
    corpus = load(folder / f"sys{system}.para")
    want = (folder / f"sys{system}.m2").read_text("utf-8")
    assert written(corpus, make_cherrant()) == want


def edge_cases(shared: Path) -> dict[str, str]:
    results = json.loads((shared / "golden/cherrant/edge_results.json").read_text("utf-8"))
    return {name: case["m2"] for name, case in results.items() if case["exit"] == 0}


def as_corpus(blocks: list[list[str]]) -> Corpus:
    """The texts behind official blocks: what S and T lines say, without their edits."""
    samples = []
    for number, (source, *rest) in enumerate(blocks, 1):
        references = []
        for line in rest:
            mark, _, text = line.partition(" ")
            if text == "没有错误":
                references.append(Rewrite(error_free=True))
            elif text == "无法标注":
                references.append(Rewrite(unannotatable=True))
            elif mark.endswith("-A0"):
                references.append(Rewrite(text.replace(" ", "")))
        samples.append(Sample(str(number), source[2:].replace(" ", ""), tuple(references)))
    return Corpus("edges", tuple(samples), "zh")


def test_edge_cases_are_the_official_ones(shared: Path, make_cherrant):
    scheme = make_cherrant()
    compared = 0
    for name, m2 in edge_cases(shared).items():
        blocks = [b for b in m2.split("\n\n") if b.strip()]  # empty ones: rows without target
        lines = [b.strip("\n").split("\n") for b in blocks]
        for block in lines:
            texts = as_corpus([[line for line in block if line[0] in "ST"]])
            if name == "pipes" and any("||||" in line for line in block):
                with pytest.raises(CorpusError, match=r"bars.*jsonl"):
                    written(texts, scheme)
            else:
                assert written(texts, scheme) == "\n".join(block) + "\n\n", (name, block[0])
            compared += 1
    assert compared > 50


def test_sentences_that_the_official_script_dies_of_work(make_cherrant):
    """It stops at 992 characters; these have 2,400."""
    scheme = make_cherrant()
    long = "今天我们去公园玩了很久。" * 200
    changed = long[:500] + "猫" + long[501:1500] + long[1501:]
    source, target = scheme.parse_source(long), scheme.parse_target(changed)
    (edits,) = scheme.extract(source, target).edit_sets
    assert [(edit.start, edit.end, edit.label) for edit in edits] == [
        (500, 501, "S"),
        (1500, 1501, "R"),
    ]


def test_everyday_characters_that_explode_give_one_set(make_cherrant):
    """Spec, section 6: nothing in common, each pair at 1.75: C(24, 10) = 1,961,256 paths."""
    scheme = make_cherrant()
    source = scheme.parse_source("院据布世一何已统们象只老称示好从机名然清白安程了")
    target = scheme.parse_target("务查眼铁温采观研影造热量选品")
    assert (len(source.tokens), len(target.tokens)) == (24, 14)
    result = scheme.extract(source, target)
    assert not result.capped
    assert result.edit_sets == ((Edit(0, 24, target.tokens, "S"),),)
