"""What robust training is given: pairs of contexts, what is held back, and what is refused."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from messages import expect_error
from robust_cases import TEXTS, configuration, write_cases
from small_task import KIND as SMALL

from gecbench.core.errors import CorpusError, FormatError, GecbenchError, UsageError
from gecbench.formats.validation import convert
from gecbench.models.batches import ContextPair, SentencePair
from gecbench.models.robust.pairs import (
    check_robust_table,
    distinct_pairs,
    read_context_pairs,
)
from gecbench.models.tagger.training import KIND, TaggerConfig


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_cases(tmp_path / "cases.jsonl")
    (tmp_path / "dev.tsv").write_text("1\tHe go .\tHe goes .\n2\tFine .\tFine .\n")
    return tmp_path


def read_data(home: Path, robust=None, **tables):
    config = configuration(robust, **tables)
    check_robust_table(config, KIND)
    return read_context_pairs(config, home)


def sources(actual_pairs) -> set[str]:
    return {side.source for pair in actual_pairs for side in pair}


def test_each_variant_is_one_twin_of_its_original(home) -> None:
    data = read_data(home, data={"dev": "dev.tsv"})
    assert len(data.train) == 12
    (original, variant, _), *_ = TEXTS
    assert data.train[0] == ContextPair(SentencePair(*original), SentencePair(*variant))
    assert data.counts["pairs"] == 12
    assert list(data.files) == ["cases.jsonl", "dev.tsv"]
    assert [pair.original == pair.perturbed for pair in data.dev_pairs] == [True, True]
    assert len(distinct_pairs(data.train)) == 18


def test_every_format_of_cases_gives_the_same(home) -> None:
    blocks = ["O", "A1", "A2"]
    text = "\n\n".join(
        "\n".join(
            f"{mark}-S {source}\n{mark}-T {target}"
            for mark, (source, target) in zip(blocks, item, strict=True)
        )
        for item in TEXTS
    )
    (home / "ours").mkdir()
    (home / "ours" / "para.txt").write_text(text + "\n")
    (home / "set" / "ours").mkdir(parents=True)
    (home / "set" / "ours" / "para.txt").write_text(text + "\n")
    train = read_data(home, data={"dev": "dev.tsv"}).train
    for name in ("ours/para.txt", "ours", "set"):
        assert read_data(home, {"cases": [name]}, data={"dev": "dev.tsv"}).train == train
    digests = read_data(home, {"cases": ["set", "ours"]}, data={"dev": "dev.tsv"}).files
    (home / "ours" / ".hidden").write_text("x")
    (home / "set" / "ours" / "para.txt").write_text(text.replace("cat", "hen") + "\n")
    other = read_data(home, {"cases": ["set", "ours"]}, data={"dev": "dev.tsv"}).files
    assert [digests[name] == other[name] for name in ("set", "ours")] == [False, True]


def test_the_bundled_cases_can_be_named(home) -> None:
    data = read_data(home, {"cases": ["sample:en/perturbed.txt"]})
    assert len(data.train) > 10


def test_cases_are_held_back_whole_and_by_the_seed(home) -> None:
    data = read_data(home, data={"dev_share": 0.34})
    assert data.counts["left out: cases in dev"] == 2
    assert (len(data.dev.samples), len(data.dev_pairs), len(data.train)) == (6, 4, 8)
    assert not sources(data.train) & sources(data.dev_pairs)
    assert {sample.source for sample in data.dev.samples} == sources(data.dev_pairs)
    assert read_data(home, data={"dev_share": 0.34}).dev == data.dev
    seeds = {
        read_data(home, data={"dev_share": 0.34}, training={"seed": seed}).dev.samples[0].source
        for seed in range(1, 9)
    }
    assert len(seeds) > 1


def test_an_original_that_occurs_twice_is_drawn_once_and_held_back_with_all_its_cases(home) -> None:
    (first, *others), more = TEXTS[0], [("He go to town .", "He goes to town .")] * 2
    write_cases(home / "cases.jsonl", [[first, *others], [first, *more], *TEXTS[1:]])
    for seed in range(1, 9):
        data = read_data(home, data={"dev_share": 0.5}, training={"seed": seed})
        held = {sample.source for sample in data.dev.samples}
        # Half of the six originals, not of the seven cases; a case more where it has the same one.
        both = first[0] in held
        assert len(held & {original[0] for original, *_ in TEXTS}) == 3
        assert len(data.dev.samples) == 3 * (3 + both)
        assert data.counts["left out: cases in dev"] == 3 + both
        assert not sources(data.train) & held


@pytest.mark.parametrize(
    "shared", [TEXTS[0][0][0], TEXTS[0][2][0], TEXTS[0][1][0].replace(" ", "  ")]
)
def test_a_case_any_of_whose_sentences_is_in_dev_is_not_learnt(home, shared) -> None:
    (home / "dev.tsv").write_text(f"1\t{shared}\tHe goes .\n")
    data = read_data(home, data={"dev": "dev.tsv"})
    assert data.counts["left out: cases in dev"] == 1
    assert len(data.train) == 10
    assert TEXTS[0][0][0] not in sources(data.train)


def test_dev_may_be_cases_of_their_own_or_all(home) -> None:
    write_cases(home / "held.jsonl", TEXTS[:2])
    data = read_data(home, data={"dev": "held.jsonl"})
    assert data.counts["left out: cases in dev"] == 2
    assert (len(data.dev.samples), len(data.dev_pairs), len(data.train)) == (6, 4, 8)
    everything = read_data(home, data={"dev": "train"})
    assert (len(everything.dev.samples), len(everything.train)) == (18, 12)


def test_what_cannot_be_compared_is_left_out_and_counted(home) -> None:
    original, *_ = TEXTS[0]
    texts = [
        [original, (original[0].replace(" ", "  "), original[1]), ("He go home .", "")],
        [("A a .", ""), ("B a .", "B ."), ("C a .", "C .")],
        TEXTS[3],
    ]
    write_cases(home / "cases.jsonl", texts)
    data = read_data(home, data={"dev": "dev.tsv"})
    assert len(data.train) == 2
    assert data.counts["left out: perturbed source is the original"] == 1
    assert data.counts["left out: empty"] == 3
    everything = read_data(home, data={"dev": "train"})
    assert everything.counts["dev pairs left out: perturbed source is the original"] == 1
    assert everything.counts["dev pairs left out: empty"] == 3
    write_cases(home / "cases.jsonl", texts[:2])
    with expect_error(CorpusError, "the original: 1"):
        read_data(home, data={"dev": "dev.tsv"})


def test_a_limit_takes_the_first_twins(home) -> None:
    data = read_data(home, data={"dev": "dev.tsv", "limit": 5})
    assert len(data.train) == 5
    assert data.counts["left out: beyond the limit"] == 7


def test_r_drop_pairs_each_sentence_with_itself(home) -> None:
    (home / "train.tsv").write_text("1\tI has it .\tI have it .\n2\tGood .\tGood .\n")
    robust = {"method": "r-drop", "cases": []}
    data = read_data(
        home, robust, data={"train": ["train.tsv"], "dev": "dev.tsv", "keep_correct": 1}
    )
    assert [pair.original == pair.perturbed for pair in data.train] == [True, True]
    assert data.train[0].original == SentencePair("I has it .", "I have it .")


def test_r_drop_is_scored_on_perturbed_cases_as_on_any_corpus(home) -> None:
    (home / "train.tsv").write_text(f"1\t{TEXTS[0][1][0]}\tx\n2\tI has it .\tI have it .\n")
    write_cases(home / "held.jsonl", TEXTS[:2])
    data = {"train": ["train.tsv"], "dev": "held.jsonl"}
    result = read_data(home, {"method": "r-drop", "cases": []}, data=data)
    assert [sample.source for sample in result.dev.samples] == [
        source for text in TEXTS[:2] for source, _ in text
    ]
    assert [pair.original.source for pair in result.train] == ["I has it ."]
    assert result.counts["left out: also in dev"] == 1


@pytest.mark.parametrize(
    ("robust", "tables", "error", "why"),
    [
        ({"alpha": -0.1}, {}, FormatError, r"'robust.alpha' is -0.1; expected float >= 0.0"),
        ({"cases": []}, {}, FormatError, r"robust: cases names no file; name perturbed cases"),
        ({"method": "r-drop"}, {}, FormatError, r"robust: method .r-drop. compares .*leave cases"),
        ({"method": "cpt"}, {}, FormatError, r"'robust.method' is 'cpt'; one of: cpr, r-drop"),
        ({"haeds": "labels"}, {}, FormatError, r"'robust.haeds'.*did you mean robust.heads"),
        ({"skip_after": -1}, {}, FormatError, r"'robust.skip_after' is -1; expected int >= 0"),
        ({}, {"data": {"train": ["a.tsv"]}}, UsageError, r"data.train: robust.method .cpr. learns"),
        ({}, {"data": {"keep_correct": 0.5}}, UsageError, r"data.keep_correct chooses among"),
        ({}, {"model": {"reduction": "sentence"}}, UsageError, r"model.reduction .sentence. does"),
        ({}, {"model": {"train_rounds": 2}}, UsageError, r"model.train_rounds 2 does not go with"),
        ({"sources_too": True}, {}, UsageError, r"robust.sources_too is about targets"),
        ({"cases": ["nothing"]}, {}, GecbenchError, r"nothing: no such file"),
        ({"cases": ["dev.tsv"]}, {}, CorpusError, r"dev.tsv: holds no perturbed cases .*perturb"),
        ({"cases": ["empty.txt"]}, {}, CorpusError, r"empty.txt: holds no perturbed cases"),
        ({"cases": ["bare.txt"]}, {}, FormatError, r"bare.txt:2: .*A1-S is missing"),
        ({}, {"data": {"dev_share": 0.0}}, CorpusError, r"there is no dev case; name cases or"),
        (
            {},
            {"data": {"dev": "same.txt"}},
            CorpusError,
            r"same.txt: no perturbed pair is there to .*",
        ),
        ({}, {"data": {"dev_share": 1.0}}, CorpusError, r"no perturbed pair is left to learn"),
        ({}, {"data": {"dev": "bare.tsv"}}, FormatError, r"bare.tsv:1: no sentence has a refer"),
        ({}, {"language": "zh"}, CorpusError, r"cases.jsonl: its cases are in 'en', but .*zh"),
    ],
)
def test_bad_input_is_one_clear_line(home, robust, tables, error, why) -> None:
    (home / "empty.txt").write_text("")
    (home / "bare.txt").write_text("O-S He go .\nO-T He goes .\n")
    (home / "bare.tsv").write_text("He go .\n")
    (home / "same.txt").write_text("O-S A a .\nO-T A .\nA1-S A  a .\nA1-T A .\n")
    with pytest.raises(error, match=why) as caught:
        read_data(home, robust, **tables)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"skip_after": 1}, r"robust.skip_after is about sentences that were perturbed"),
        ({"disagreeing": "keep"}, r"robust.disagreeing is about"),
        ({"sources_too": True}, r"robust.sources_too is about sentences"),
        ({"alpha": 0.0}, r"robust.alpha 0 with robust.method .r-drop"),
    ],
)
def test_r_drop_refuses_what_is_about_perturbations(home, more, why) -> None:
    with pytest.raises(UsageError, match=why):
        read_data(home, {"method": "r-drop", "cases": [], **more}, data={"train": ["dev.tsv"]})


def test_a_kind_without_predictions_to_compare_is_refused() -> None:
    with expect_error(UsageError, "[robust]", "kind tagger"):
        check_robust_table(configuration(), SMALL)


def test_the_configurations_in_the_documentation_are_whole() -> None:
    page = (Path(__file__).parents[4] / "docs" / "correct" / "robust.md").read_text("utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```$", page, re.M | re.S)
    assert len(blocks) >= 2
    for block in blocks:
        tables = {"kind": "tagger", "name": "x", "language": "en", **tomllib.loads(block)}
        check_robust_table(convert("robust.md", tables, TaggerConfig), KIND)
