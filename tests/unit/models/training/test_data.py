"""The pairs of a training run: what is learnt, what is left out and counted, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.api.files import save
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.models.training.config import DataTable, RunConfig
from gecbench.models.training.data import TrainingData, read_pairs

FIXED = Rewrite("a cat")
UNANNOTATABLE = Rewrite(unannotatable=True)


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., TrainingData]:
    """Read the pairs of corpora, which are written as JSONL."""

    def read(train: list[Sample], dev: list[Sample] | None = None, **data: object) -> TrainingData:
        save(Corpus("train", tuple(train), "en"), tmp_path / "train.jsonl", format="jsonl")
        if dev is not None:
            save(Corpus("dev", tuple(dev), "en"), tmp_path / "dev.jsonl", format="jsonl")
            data["dev"] = "dev.jsonl"
        table = DataTable(train=("train.jsonl",), **data)
        return read_pairs(RunConfig(kind="any", name="any", language="en", data=table), tmp_path)

    return read


def samples(*rows: tuple[str, tuple[Rewrite, ...]]) -> list[Sample]:
    return [Sample(str(n), *row) for n, row in enumerate(rows, 1)]


DEV = samples(("an dog", (Rewrite("a dog"),)))


def test_every_reference_is_a_pair_and_what_is_none_is_counted(read):
    train = samples(
        ("an cat", (FIXED, Rewrite("the cat"), UNANNOTATABLE)),
        ("a cow", (Rewrite(error_free=True),)),
        ("a pig", ()),
        (" ", (FIXED,)),
    )
    result = read(train, DEV, keep_correct=1.0)
    assert result.train == (("an cat", "a cat"), ("an cat", "the cat"), ("a cow", "a cow"))
    counts = result.counts
    assert [counts[f"left out: {why}"] for why in ("unannotatable", "no reference", "empty")] == [
        *(1, 1, 1)
    ]
    assert (counts["pairs"], counts["pairs without errors"], counts["dev sentences"]) == (3, 1, 1)
    assert read(train, DEV).counts["left out: no error"] == 1


def test_a_sentence_that_differs_from_a_dev_sentence_in_blanks_alone_is_not_learnt(read):
    train = samples(("an  dog", (Rewrite("a dog"),)), ("an cat", (FIXED,)))
    result = read(train, DEV)
    assert [pair.source for pair in result.train] == ["an cat"]
    assert result.counts["left out: also in dev"] == 1


def test_a_limit_takes_the_first_pairs_and_counts_the_others(read):
    train = samples(*((f"an cat {n}", (FIXED,)) for n in range(5)))
    result = read(train, DEV, limit=2)
    assert [pair.source for pair in result.train] == ["an cat 0", "an cat 1"]
    assert result.counts["left out: beyond the limit"] == 3


def test_without_a_dev_sentence_that_can_be_learnt_from_nothing_begins(read):
    with expect_error(CorpusError, "data.dev"):
        read(samples(("an cat", (FIXED,))), dev_share=0.0)
    with expect_error(CorpusError, "dev", "reference"):
        read(samples(("an cat", (FIXED,))), samples(("an dog", (UNANNOTATABLE,))))


def test_where_dev_holds_all_sentences_no_pair_is_left(read):
    with expect_error(CorpusError, "train.jsonl", "pair", "left out: also in dev: 1"):
        read(DEV, DEV)
