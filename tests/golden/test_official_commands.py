"""`gecbench errant-compare` and its like print and write what the official programs do."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gecbench.cli import main

pytestmark = pytest.mark.golden


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Iterator:
    """Run a command line in this process; return exit code, standard output and error."""
    threshold = gc.get_threshold()

    def run(*words: object) -> tuple[int, str, str]:
        try:
            main([str(word) for word in words])
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        return code, *capsys.readouterr()

    yield run
    gc.set_threshold(*threshold)


# ERRANT. Its own script is installed with the tests.

ERRANT_FLAGS = [
    *([], ["-dt"], ["-ds"], ["-cs"], ["-cse"], ["-cat", "1"], ["-cat", "2"], ["-cse", "-cat", "3"]),
    *(["-b", "1"], ["--beta", "2.5", "-cat", "2"], ["-single"], ["-multi", "-dt"]),
    *(["-filt", "R:PUNCT", "M:PUNCT", "R:SPELL", "-v"], ["-v"], ["-v", "-dt"], ["-v", "-ds"]),
    *(["-v", "-cse", "-cat", "3"], ["-v", "-single"], ["-multi", "--verbose", "-b", "1"]),
]


@pytest.fixture(scope="module")
def errant_files(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The first sentences of a system and of two annotators."""
    folder = tmp_path_factory.mktemp("errant")
    for name in ("T5.m2", "conll14.ref_auto.m2"):
        blocks = (shared / "golden/errant" / name).read_text("utf-8").split("\n\n")[:150]
        (folder / name).write_text("\n\n".join(blocks) + "\n\n", "utf-8")
    return folder / "T5.m2", folder / "conll14.ref_auto.m2"


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # ERRANT leaves its files open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("flags", ERRANT_FLAGS, ids=" ".join)
def test_errant_compare_prints_what_errants_own_script_prints(
    run, capsys, monkeypatch: pytest.MonkeyPatch, errant_files: tuple[Path, Path], flags: list[str]
):
    words = ["-hyp", str(errant_files[0]), "-ref", str(errant_files[1]), *flags]
    want = official_block(capsys, monkeypatch, words)
    assert run("errant-compare", *words) == (0, want, "")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("flags", [[], ["-multi", "-ds", "-v"]], ids=" ".join)
def test_conll_2014s_own_m2_counts_as_in_errant(
    run, capsys, monkeypatch: pytest.MonkeyPatch, shared: Path, flags: list[str]
):
    """It has types of NUCLE, of which Um is a correction to the script."""
    files = shared / "golden/errant/T5.m2", shared / "data/m2/conll14.gold"
    words = ["-hyp", str(files[0]), "-ref", str(files[1]), *flags]
    want = official_block(capsys, monkeypatch, words)
    assert run("errant-compare", *words) == (0, want, "")


def official_block(capsys, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> str:
    """What ERRANT's own script prints."""
    compare_m2 = pytest.importorskip("errant.commands.compare_m2")
    monkeypatch.setattr(sys, "argv", ["errant_compare", *words])
    compare_m2.main()
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("ending", "flags"),
    [
        ("", []),
        (".all-merge", ["-merge", "all-merge"]),
        (".all-split", ["-merge", "all-split"]),
        (".all-equal", ["-merge", "all-equal"]),
        (".lev", ["-lev"]),
    ],
)
def test_errant_parallel_writes_the_official_file(
    run, shared: Path, tmp_path: Path, ending: str, flags: list[str]
):
    """With a blank source, and texts that differ in white space alone."""
    pytest.importorskip("spacy")
    folder, out = shared / "golden/errant/edge", tmp_path / "out.m2"
    words = ["-orig", folder / "edge_orig.txt", "-cor", folder / "edge_cor.txt", "-out", out]
    pipeline = ["--spacy-model", shared / "data/en_ud_sm"]
    code, printed, notes = run("errant-parallel", *words, *flags, *pipeline)
    assert (code, printed) == (0, "Loading resources...\nProcessing parallel files...\n")
    assert "71" in notes
    assert out.read_bytes() == (folder / f"edge{ending}.m2").read_bytes()


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("auto", ["-auto"]),
        ("gold", ["-gold"]),
        ("goldno_min", ["-gold", "-no_min"]),
        ("goldold_cats", ["-gold", "-old_cats"]),
    ],
)
def test_errant_m2_writes_the_official_file_and_the_last_block(
    run, shared: Path, tmp_path: Path, name: str, flags: list[str]
):
    pytest.importorskip("spacy")
    folder, out = shared / "golden/errant/edge", tmp_path / "out.m2"
    pipeline = ["--spacy-model", shared / "data/en_ud_sm"]
    code, printed, _ = run("errant-m2", *flags, folder / "edge_m2_in.m2", "-out", out, *pipeline)
    assert (code, printed) == (0, "Loading resources...\nProcessing M2 file...\n")
    want = (folder / f"edge_m2_out.{name}.m2").read_text("utf-8")
    assert out.read_text("utf-8").removeprefix(want).startswith("S This last block has no blank")


# ChERRANT. The numbers are recorded, and the form of its block is ERRANT's.


def block(want: dict, flags: Sequence[str]) -> str:
    """The block of recorded numbers."""
    beta = float(flags[flags.index("-b") + 1]) if "-b" in flags else 0.5
    title, lines = f" {want['title']} ", []
    if "categories" in want:
        lines += ["", f"{title:=^66}"]
        rows = {
            "Category": {n: n.upper() for n in ("tp", "fp", "fn", "p", "r")} | {"f": f"F{beta}"}
        }
        for name, row in (rows | dict(sorted(want["categories"].items()))).items():
            cells = [str(row[n]).ljust(8) for n in ("tp", "fp", "fn", "p", "r")]
            lines.append(" ".join([name.ljust(14), *cells, str(row["f"])]))
    numbers = [want[name] for name in ("tp", "fp", "fn", "p", "r", "f")]
    lines += ["", f"{title:=^46}", f"TP\tFP\tFN\tPrec\tRec\tF{beta}", "\t".join(map(str, numbers))]
    return "\n".join([*lines, "=" * 46, "", ""])


REFUSED = {
    *("max_answer_4", "filt_NA", "filt_noop", "multi_hyp_avg", "start500_only"),
}
"""Refused, though the official script takes them and does something else than they say."""


@pytest.mark.slow
def test_cherrant_compare_prints_the_official_blocks(run, shared: Path):
    folder = shared / "golden/cherrant"
    runs = json.loads((folder / "scores.json").read_text("utf-8"))["dev hyp=all ref=all"]
    files = ["-hyp", folder / "example_pred_dev.char.all.m2"]
    files += ["-ref", folder / "MuCGEC_dev.char.all.m2"]
    refused = set()
    for name, want in runs.items():
        code, printed, error = run("cherrant-compare", *files, *want["flags"])
        if code:
            assert error.startswith("gecbench: ")
            assert len(error.splitlines()) == 1
            refused.add(name)
        else:
            assert (printed, error) == (block(want, want["flags"]), ""), name
    assert refused == REFUSED


EDGES_REFUSED = {
    # files that M2 cannot be: an edit twice in one set, T lines that are not what the edits make
    "multi-align ref: shared edit counted twice",
    "multi-align hyp: shared wrong edit counted twice as FP",
    "multi-align hyp: correct edit counted once",
    "exact match, both multi-align",
    "block with no A line = noop",
    "ds: two edits same span in one coder",
    # files that do not belong together
    *("different S lines are not checked", "counts differ", "leading blank block"),
    # flags that do something else than they say
    *("max_answer_num 4", "filt NA"),
}


def test_cherrant_compare_prints_the_official_blocks_of_edge_cases(
    run, shared: Path, tmp_path: Path
):
    path = shared / "golden/cherrant/compare_edge_results.json"
    refused, files = set(), [tmp_path / "hyp.m2", tmp_path / "ref.m2"]
    for name, want in json.loads(path.read_text("utf-8")).items():
        for file, side in zip(files, ("hyp", "ref"), strict=True):
            file.write_text("".join(f"{text}\n\n" for text in want[side]), "utf-8")
        words = ["-hyp", files[0], "-ref", files[1], *want["flags"]]
        code, printed, error = run("cherrant-compare", *words)
        if code:
            assert error.startswith("gecbench: ")
            refused.add(name)
        else:
            assert (printed, error) == (block(want, want["flags"]), ""), name
    assert refused == EDGES_REFUSED


@pytest.mark.parametrize(
    ("flags", "ending"),
    [
        ([], "all"),
        pytest.param(["-s", "first"], "first", marks=pytest.mark.slow),
        pytest.param(["--no_simplified"], "all.nosimp", marks=pytest.mark.slow),
    ],
)
def test_cherrant_parallel_writes_the_official_file(
    run, shared: Path, tmp_path: Path, flags: list[str], ending: str
):
    pytest.importorskip("opencc")
    folder, out = shared / "golden/cherrant", tmp_path / "out.m2"
    words = ["-f", folder / "fuzz.para", "-o", out, *flags, "-g", "char", "-b", 128, "-d", 0]
    words += ["-w", 16, "-m", "--mirror", shared / "data"]
    assert run("cherrant-parallel", *words)[:2] == (0, "")
    assert out.read_bytes() == (folder / f"fuzz.char.{ending}.m2").read_bytes()


# m2scorer.


def test_m2scorer_prints_the_official_lines(run, shared: Path):
    rows = json.loads((shared / "golden/m2/m2_made.json").read_text("utf-8"))
    for name in ("GECToR-ens.beta1", "GECToR-ens.iwc", "REF-M.max4", "conll14alt.PIE"):
        want = rows[name]
        hypothesis, gold = Path(want["hypothesis"]).name, Path(want["gold"]).name
        corpus = shared / ("golden/m2/m2data" if "alt" in gold else "data/m2") / gold
        words = ["--max_unchanged_words", want["max_unchanged_words"], "--beta", want["beta"]]
        words += ["--ignore_whitespace_casing"] * want["ignore_whitespace_casing"]
        words += [shared / "data/seeda/outputs" / hypothesis, corpus]
        names = {"Precision   ": "P", "Recall      ": "R", f"F_{want['beta']:.1f}       ": "F"}
        lines = "".join(f"{label}: {want[key]:.4f}\n" for label, key in names.items())
        assert run("m2scorer", *words) == (0, lines, ""), name


def test_m2scorer_prints_the_official_lines_of_edge_cases(run, shared: Path, tmp_path: Path):
    rows = json.loads((shared / "golden/m2/m2_edge_cases.json").read_text("utf-8"))
    refused, (gold, output) = [], (tmp_path / "gold.m2", tmp_path / "output.txt")
    for row in rows:
        gold.write_text(row["m2"], encoding="utf-8", newline="")
        output.write_text(row["hypothesis"], encoding="utf-8", newline="")
        code, printed, error = run("m2scorer", *row["options"], output, gold)
        if code:
            assert error.startswith("gecbench: ")
            refused.append(row["note"].partition(":")[0])
        elif "error" not in row:
            assert printed.splitlines() == row["printed"], row["note"]
    assert len(refused) == 3  # of what the official program stops at, or reads across sentences
