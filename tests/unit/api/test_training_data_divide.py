"""`gecbench data divide`: sizes, groups, seeds and what is refused."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.api.robustness import load_perturbed, save_perturbed
from gecbench.api.training_data import divide
from gecbench.core.errors import CorpusError, GecbenchError, UsageError
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


def case(id: str, *sources: str) -> PerturbedCase:
    original, *variants = (Variant(source, source + " .") for source in sources)
    return PerturbedCase(id, original, tuple(variants))


def cases(count: int = 30, *more: PerturbedCase) -> PerturbedSet:
    cases = tuple(case(str(n), f"sentence {n}", f"another {n}") for n in range(count))
    half = count // 2
    return PerturbedSet("all", (Subset("a", cases[:half]), Subset("b", (*cases[half:], *more))))


def keys(perturbed_set: PerturbedSet) -> set[tuple[str, str]]:
    return {(subset.name, case.id) for subset in perturbed_set.subsets for case in subset.cases}


def test_every_case_is_in_one_part_and_subsets_keep_names_and_order():
    whole = cases()
    division = divide(whole, "out", test=10, dev=4)
    assert dict(division.sizes) == {"train": 16, "dev": 4, "test": 10}
    parts = {name: load_perturbed(f"out/{name}.jsonl") for name in ("train", "dev", "test")}
    assert {name: part.cases for name, part in parts.items()} == {
        name: part.cases for name, part in division.parts.items()
    }
    assert sum(len(keys(part)) for part in parts.values()) == 30
    assert set().union(*map(keys, parts.values())) == keys(whole)
    for part in parts.values():
        for subset in part.subsets:
            ids = [int(case.id) for case in subset.cases]
            assert ids == sorted(ids)
            assert all((n < 15) == (subset.name == "a") for n in ids)


def test_where_a_part_is_from(run):
    save_perturbed(replace(cases(), provenance={"synthetic": "yes"}), "all.jsonl")
    code, out, err = run("data", "divide", "all.jsonl", "-o", "out", "--test", 10, "--dev", 4)
    assert (code, out) == (0, "")
    assert err.splitlines()[0].startswith("out/train.jsonl: 16 cases (a ")
    provenance = load_perturbed("out/dev.jsonl").provenance
    assert provenance["synthetic"] == "yes"
    assert provenance["part"] == "dev"
    assert provenance["divided"] == "train 16, dev 4, test 10"
    assert provenance["division seed"] == "1"
    assert provenance["division input"].startswith("all.jsonl sha256 ")


def test_the_seed_decides_and_the_order_does_not():
    whole = cases()
    turned = replace(
        whole, subsets=tuple(replace(s, cases=s.cases[::-1]) for s in whole.subsets[::-1])
    )
    chosen = [
        keys(divide(cases, "out", test=10, dev=4, seed=seed, overwrite=True).parts["test"])
        for cases, seed in ((whole, 1), (turned, 1), (whole, 2))
    ]
    assert chosen[0] == chosen[1] != chosen[2]


def test_cases_that_share_a_sentence_stay_together(run):
    # A chain: the first original is a variant of the second, which shares one with the third.
    chain = (
        case("x", "sentence  1", "new 1"),
        case("y", "new 2", "new 1 "),
        case("z", "new 3", "new2"),
    )
    for seed in range(8):
        division = divide(cases(30, *chain), f"out{seed}", test=11, dev=5, seed=seed)
        assert dict(division.sizes) == {"train": 17, "dev": 5, "test": 11}
        assert division.together == ((("a", "1"), ("b", "x"), ("b", "y"), ("b", "z")),)
        homes = [name for name, part in division.parts.items() if ("b", "x") in keys(part)]
        assert all(set(division.together[0]) <= keys(division.parts[name]) for name in homes)
    save_perturbed(cases(30, *chain), "all.jsonl")
    err = run("data", "divide", "all.jsonl", "-o", "new", "--test", 11, "--dev", 5)[2]
    assert "4 cases share a sentence with another, in 1 group; each group is in one part" in err


def test_no_part_of_an_earlier_division_stays():
    divide(cases(), "out", test=10, dev=0)
    assert sorted(path.name for path in Path("out").iterdir()) == ["test.jsonl", "train.jsonl"]
    Path("out/mine.txt").write_text("mine")
    divide(cases(), "out", test=0, dev=4, overwrite=True)
    names = sorted(path.name for path in Path("out").iterdir())
    assert names == ["dev.jsonl", "mine.txt", "train.jsonl"]


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_a_file_that_no_division_wrote_is_never_replaced(run, part):
    save_perturbed(cases(), "all.jsonl")
    command = ("data", "divide", "all.jsonl", "-o", "out", "--test", 10, "--dev", 0)
    assert run(*command)[0] == 0
    for content in (Path("all.jsonl").read_bytes(), b"no cases at all\n"):
        Path(f"out/{part}.jsonl").write_bytes(content)
        before = {path: path.read_bytes() for path in Path("out").iterdir()}
        code, out, err = run(*command, "--seed", 2, "--overwrite")
        assert (code, out) == (1, "")
        assert f"out/{part}.jsonl" in err
        assert {path: path.read_bytes() for path in Path("out").iterdir()} == before


def test_a_division_takes_the_place_of_another_only_if_it_is_told_to(run):
    save_perturbed(cases(), "all.jsonl")
    command = ("data", "divide", "all.jsonl", "-o", "out", "--test", 10, "--dev", 4)
    assert run(*command)[0] == 0
    before = Path("out/test.jsonl").read_bytes()
    code, out, err = run(*command, "--seed", 2)
    assert (code, out) == (1, "")
    assert "out/train.jsonl" in err
    assert "--overwrite" in err
    assert Path("out/test.jsonl").read_bytes() == before
    assert run(*command, "--seed", 2, "--overwrite")[0] == 0
    assert Path("out/test.jsonl").read_bytes() != before


def test_what_is_divided_is_never_written_over():
    divide(cases(), "out", test=10, dev=3)
    before = Path("out/train.jsonl").read_bytes()
    with expect_error(UsageError, str(Path("out/train.jsonl").resolve()), "a part"):
        divide(Path("out/train.jsonl").resolve(), "out", test=5, dev=2)
    assert Path("out/train.jsonl").read_bytes() == before


def test_a_folder_that_is_divided_holds_no_part():
    divide(cases(), "out", test=10, dev=3)
    Path("linked").mkdir()
    Path("linked/all.jsonl").symlink_to(Path("out/train.jsonl").resolve())
    before = Path("out/train.jsonl").read_bytes()
    for place, folder in (("out", "out"), (".", "out"), ("linked", "out")):
        with expect_error(UsageError, place):
            divide(Path(place), folder, test=2, dev=1, overwrite=True)
    assert Path("out/train.jsonl").read_bytes() == before


@pytest.mark.parametrize("target", ["nothing.jsonl", "other/dev.jsonl"])
def test_a_link_is_no_part_of_a_division(target: str):
    divide(cases(), "other", test=10, dev=4)
    before = Path("other/dev.jsonl").read_bytes()
    Path("out").mkdir()
    Path("out/dev.jsonl").symlink_to(Path(target).resolve())
    for overwrite in (False, True):
        with expect_error(GecbenchError, "out/dev.jsonl"):
            divide(cases(), "out", test=8, dev=3, overwrite=overwrite)
    assert [path.name for path in Path("out").iterdir()] == ["dev.jsonl"]
    assert not Path("nothing.jsonl").exists()
    assert Path("other/dev.jsonl").read_bytes() == before


def test_a_part_that_cannot_be_removed_is_named(monkeypatch: pytest.MonkeyPatch):
    divide(cases(), "out", test=10, dev=4)

    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "unlink", refuse)
    with expect_error(GecbenchError, "out/dev.jsonl"):
        divide(cases(), "out", test=10, dev=0, overwrite=True)


def test_standard_output_is_no_folder(run):
    save_perturbed(cases(), "all.jsonl")
    code, out, err = run("data", "divide", "all.jsonl", "-o", "-", "--test", 10, "--dev", 4)
    assert (code, out) == (2, "")
    assert "'-'" in err
    assert not Path("-").exists()


def test_standard_input_is_no_folder(run, monkeypatch):
    save_perturbed(cases(), "all.jsonl")
    Path("-").mkdir()
    content = Path("all.jsonl").read_bytes()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(content)))
    assert run("data", "divide", "-", "-o", "out", "--test", 10, "--dev", 4)[0] == 0
    assert len(load_perturbed("out/test.jsonl").cases) == 10
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"He go home .\n")))
    assert run("correct", "copying", "-", "-o", "copy.txt")[0] == 0
    assert Path("copy.txt").read_text() == "He go home .\n"


@pytest.mark.parametrize(
    ("test", "dev", "line"),
    [
        (-1, 1, "test is -1; give how many cases it has, or 0 for none"),
        (
            2500,
            500,
            "all: 30 cases, of which 2,500 for test and 500 for dev leave none to train on; ask "
            "for fewer, as --test 15 --dev 3; the published data has 4,996 in three subsets: "
            "divide all of them together",
        ),
        (20, 10, "leave none to train on; ask for fewer, as --test 15 --dev 3"),
    ],
)
def test_wrong_numbers(test: int, dev: int, line: str):
    with pytest.raises(UsageError) as error:
        divide(cases(), "out", test=test, dev=dev)
    assert str(error.value).endswith(line)
    assert not Path("out").exists()


def test_groups_that_do_not_fit():
    cases_in_two_parts = PerturbedSet(
        "twins",
        (Subset("a", tuple(case(f"{n}{m}", f"s {n}", f"v {n} {m}") for n in "abc" for m in "12")),),
    )
    with expect_error(CorpusError, "twins", "test", "1 of its cases"):
        divide(cases_in_two_parts, "out", test=3, dev=0)
    perturbed_set = PerturbedSet(
        "one", (Subset("a", tuple(case(n, "s", f"v {n}") for n in "abc")),)
    )
    with expect_error(CorpusError, "one", "test", "2 of its cases"):
        divide(perturbed_set, "out", test=2, dev=0)


@pytest.mark.golden
def test_the_published_cases_that_are_here(shared: Path, run):
    place = shared / "data" / "robustgec"
    code, _, err = run("data", "divide", place, "-o", "out")
    assert code == 1 or code == 2
    assert "2,493 cases, of which 2,500 for test and 500" in err
    assert run("data", "divide", place, "-o", "out", "--test", 1200, "--dev", 250)[0] == 0
    sizes = [len(load_perturbed(f"out/{name}.jsonl").cases) for name in ("train", "dev", "test")]
    assert sizes == [1043, 250, 1200]
    seen: dict[str, str] = {}
    for name in ("train", "dev", "test"):
        for case in load_perturbed(f"out/{name}.jsonl").cases:
            for sentence in case.all:
                assert seen.setdefault("".join(sentence.source.split()), name) == name
