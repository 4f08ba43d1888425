"""gecbench analyse robustness: what it takes, shows and refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from perturbed_set import CASES, COPY, PERFECT, blocks, write_folder

from gecbench.api.files import sample
from gecbench.api.options import SchemeSpec
from gecbench.api.schemes import uses_pipeline
from gecbench.core.perturbed import SYNTHETIC
from gecbench.core.sample import Corpus, Sample
from gecbench.formats.perturbed import read_perturbed, write_perturbed

EN, ZH = sample("en", "perturbed.txt"), sample("zh", "perturbed.txt")
SWAYED = sample("zh", "perturbed-swayed.txt")


@pytest.fixture
def analysed(run):
    """Run the analysis by characters; return its JSON."""

    def analysed(*words: object) -> dict:
        code, out, err = run(
            *("analyse", "robustness", *words, "--scheme", "zh-char", "--format", "json")
        )
        assert (code, err) == (0, "")
        return json.loads(out)

    return analysed


def test_a_file_and_named_systems(analysed):
    data = analysed(ZH, SWAYED, f"again={SWAYED}")
    assert [part["system"] for part in data["systems"]] == ["perturbed-swayed", "again"]
    assert data["systems"][0]["official"]["like_original"] == 6
    assert data["systems"][0]["agreement"]["neither"] == 4


def test_systems_whose_files_differ_in_their_endings_alone_keep_them_as_in_score(
    analysed, tmp_path: Path
):
    (tmp_path / "perturbed-swayed.out").write_bytes(SWAYED.read_bytes())
    data = analysed(ZH, SWAYED, tmp_path / "perturbed-swayed.out")
    names = [part["system"] for part in data["systems"]]
    assert names == ["perturbed-swayed.txt", "perturbed-swayed.out"]


@pytest.mark.parametrize(("scheme", "unit"), [("xx-char", "character"), ("xx-word", "word")])
def test_the_unit_is_that_of_the_schemes_tokens_not_of_the_language(run, tmp_path, scheme, unit):
    cases, system = tmp_path / "cases.txt", tmp_path / "system.txt"
    cases.write_text("O-S I own pup\nO-T I own qq pup\nA1-S I had pup\nA1-T I had qq pup\n")
    system.write_text("I own xy pup\nI had yz pup\n")
    words = ("analyse", "robustness", cases, system, "--lang", "en", "--scheme", scheme)
    data = json.loads(run(*words, "--orders", 0, "--format", "json")[1])
    assert data["unit"] == unit
    (case,) = data["disagreements"]
    assert [s["changes"][0]["after"] for s in case["sentences"]] == ["xy", "yz"]


def test_cases_and_a_system_cannot_both_be_standard_input(run):
    code, _, err = run("analyse", "robustness", "-", "-")
    assert (code, "'-' stands twice" in err) == (2, True)


def test_folders_of_subsets_and_systems(analysed, tmp_path: Path):
    folder = write_folder(tmp_path / "set")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "class.txt").write_text("\n".join(PERFECT[:6]), "utf-8")
    (tmp_path / "out" / "exam.txt").write_text("\n".join(COPY[6:]), "utf-8")
    data = analysed(folder, tmp_path / "out", f"named={tmp_path / 'out'}")
    assert [(part["system"], part["subset"]) for part in data["systems"][:4]] == [
        ("out", None),
        ("named", None),
        ("out", "class"),
        ("named", "class"),
    ]
    assert all(part["edits"]["crs"] == 1 for part in data["systems"])


def test_english_with_its_own_pipeline(run):
    steady = sample("en", "perturbed-steady.txt")
    code, out, err = run("analyse", "robustness", EN, steady, "--table", "disagreements")
    assert (code, err) == (0, "")
    assert "perturbed  8     yes       no     is > are" in out


def test_other_ways_to_count(analysed, tmp_path: Path):
    frequency = tmp_path / "train.txt"
    frequency.write_text("北京今天\n", "utf-8")
    data = analysed(
        *(ZH, SWAYED, "--beta", "1", "--level", "detection-span", "--orders", "0"),
        *("--normalise", "nfkc", "--frequency", frequency),
    )
    assert data["beta"] == 1
    assert "level:detection-span" in data["signatures"][0]
    assert "orders" not in data["signatures"][0]
    assert {cell["name"] for cell in data["frequencies"]} == {"0", "1-9"}


def test_several_weights_of_recall_in_one_run(run, analysed):
    half, whole = (analysed(ZH, SWAYED, "--beta", beta) for beta in ("0.5", "1"))
    both = analysed(ZH, SWAYED, "--beta", "0.5,1")
    assert both.pop("other_betas") == [{key: whole[key] for key in ("beta", "systems", "trivial")}]
    assert both.pop("signatures") == [*half.pop("signatures"), *whole["signatures"]]
    assert both == half
    words = ("analyse", "robustness", ZH, SWAYED, "--scheme", "zh-char", "--beta", "0.5,1")
    first, second = (run(*words, "--table", name)[1] for name in ("scores", "scores-f1"))
    assert "lower F0.5" in first
    assert "lower F1" in second


def test_what_takes_long_is_said_before_with_the_way_to_have_it_once(run, monkeypatch, tmp_path):
    monkeypatch.setattr("gecbench.cli.analyse.scores._PARSED_A_SECOND", 1)
    english = ("analyse", "robustness", EN, sample("en", "perturbed-steady.txt"))
    code, _, err = run(*english)
    assert code == 0
    assert err.count("\n") == 1
    assert "--parse-cache" in err
    assert run(*english, "--parse-cache", tmp_path)[::2] == (0, "")
    assert run("analyse", "robustness", ZH, SWAYED, "--scheme", "zh-char")[2] == ""


def test_any_scheme_that_parses_says_how_long_it_takes():
    corpus = Corpus("c", (Sample("1", "He go ."),), lang="en")
    for spec in (SchemeSpec(), SchemeSpec("errant"), SchemeSpec("errant", spacy_model="other")):
        assert uses_pipeline(spec, corpus)
    assert not uses_pipeline(SchemeSpec("xx-word"), corpus)


@pytest.mark.usefixtures("chinese_font")
def test_figures_are_written(run, tmp_path: Path):
    code, _, err = run(
        *("analyse", "robustness", ZH, SWAYED, "--scheme", "zh-char"),
        *("--figures", tmp_path / "figures", "--language", "zh"),
    )
    assert code == 0
    assert "robustness-bounds.svg" in err
    assert (tmp_path / "figures" / "robustness-action.csv").read_text("utf-8").startswith("series")


def test_a_look_at_the_cases_needs_no_system(run):
    code, out, err = run("analyse", "robustness", EN, "--check")
    assert (code, err) == (0, "")
    assert "touches-error" in out
    code, out, _ = run("analyse", "robustness", ZH, "--check", "--format", "csv")
    assert out.splitlines()[0] == "finding,meaning,perturbed"


def test_predictions_in_the_cases_are_told_of(run, tmp_path: Path):
    path = tmp_path / "both.txt"
    path.write_text(blocks(CASES.subsets[0], PERFECT[:6]), "utf-8")
    code, _, err = run("analyse", "robustness", path, path, "--scheme", "zh-char")
    assert code == 0
    assert err == "note: both: not kept: predictions in both\n"


def test_cases_that_a_program_perturbed_are_no_evaluation(run, tmp_path: Path):
    path = tmp_path / "made.jsonl"
    perturbed = replace(read_perturbed(ZH), provenance={SYNTHETIC: "by gecbench"})
    path.write_text(write_perturbed(perturbed), "utf-8")
    code, out, _ = run("analyse", "robustness", path, SWAYED, "--scheme", "zh-char")
    assert code == 0
    assert "for training, no evaluation" in " ".join(out.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give the outputs of a system, or --check"),
        ([SWAYED, "--check"], "--check looks at the cases alone; leave SYSTEM... out"),
        (["--check", "--beta", "1", "--seed", "2"], "alone; leave --beta and --seed out"),
        ([SWAYED, "--beta", "0.5;1"], "'0.5;1' is no number"),
        ([SWAYED, "--beta", "1,0"], "beta is 0; it must be a number from 0.001 to 1000"),
        ([SWAYED, "--orders", "0", "--seed", "1"], "--orders is 0, so --seed has no effect"),
        ([SWAYED, "--orders", "1"], "orders is 1; give 2 or more, or 0"),
        (["-", "a=-"], "standard input can be read once only; '-' stands twice"),
        ([SWAYED, "--scheme", "zh-chat"], "unknown scheme 'zh-chat'; did you mean zh-char"),
        ([SWAYED, "--scheme", "en-errant"], "scheme en-errant is for language 'en'"),
        ([SWAYED, SWAYED, "--scheme", "zh-char"], "two systems are both called"),
    ],
)
def test_wrong_use_is_refused_in_a_line(run, words, message: str):
    code, out, err = run("analyse", "robustness", ZH, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
