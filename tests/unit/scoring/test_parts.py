"""Corpora are scored part by part, in one process or several, with the same results."""

from dataclasses import replace

import pytest

import gecbench
from gecbench.api.score import collect_stats
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.formats import stored
from gecbench.metrics.edits import Cherrant
from gecbench.scoring import parts, run

TEXTS = ("我去了学校", "我去学校", "他来这里了", "他昨天来了这里", "他来了")


@pytest.fixture
def data() -> tuple[Corpus, list[SystemOutput]]:
    """Thirty sentences, three without an answer and two with several outputs, two systems."""
    samples, outputs = [], ({}, {})
    for number in range(30):
        source, first, second = (TEXTS[(number + step) % len(TEXTS)] for step in (0, 1, 3))
        references = (Rewrite(first), Rewrite(second), Rewrite(error_free=True))[: 1 + number % 3]
        if number % 10 == 9:
            references = (Rewrite(unannotatable=True),)
        samples.append(Sample(str(number), source, references, {"even": str(number % 2)}))
        outputs[0][str(number)] = (Rewrite(first),) * (2 if number in (3, 17) else 1)
        outputs[1][str(number)] = (Rewrite(source + "吗"),)
    systems = [SystemOutput(name, texts) for name, texts in zip("ab", outputs, strict=True)]
    return Corpus("dev", tuple(samples), "zh"), systems


OPTIONS = gecbench.Options(metrics=("cherrant", "gleu"), by="even", resamples=100, exclude=("Q",))


@pytest.mark.parametrize("jobs", [1, 2])
def test_parts_give_what_the_whole_gives(data, monkeypatch, jobs):
    whole = gecbench.score(*data, scheme="zh-char", options=OPTIONS)
    monkeypatch.setattr(stored, "BLOCK", 7)
    monkeypatch.setattr(run, "_DRAWS_AT_ONCE", 200)  # resamples of the intervals, some at a time
    options = replace(OPTIONS, jobs=jobs)
    assert gecbench.score(*data, scheme="zh-char", options=options) == whole


class FirstPairing(Cherrant):
    def stats(self, case):
        pairings = super().stats(case)
        return pairings and pairings[:1]


class Wrapper(FirstPairing):
    name = "wrapper"

    @property
    def span_metric(self):
        return Cherrant()


@pytest.mark.parametrize("metric", [FirstPairing(), Wrapper()])
def test_statistics_of_another_package_are_taken_though_edits_could_be_counted(
    data, monkeypatch, metric
):
    monkeypatch.setitem(collect_stats.__globals__, "make_metrics", lambda *_, **__: [metric])
    counted = collect_stats(*data, scheme="zh-char", keep_cases=False)
    assert counted.rows == collect_stats(*data, scheme="zh-char").rows
    assert {len(row) for row in counted.rows["a", metric.name] if row} == {1}


def test_cases_of_parts_are_in_order(data, monkeypatch):
    whole = collect_stats(*data, scheme="zh-char")
    monkeypatch.setattr(stored, "BLOCK", 7)
    run_stats = collect_stats(*data, scheme="zh-char", options=gecbench.Options(jobs=2))
    assert (run_stats.cases, run_stats.rows, run_stats.notes) == (
        whole.cases,
        whole.rows,
        whole.notes,
    )
    assert not collect_stats(*data, scheme="zh-char", keep_cases=False).cases


def test_edits_of_files_are_judged_by_the_whole_corpus(data, monkeypatch):
    """A part whose references all have edits of a person is extracted again with the others."""
    corpus, systems = data
    extracted = gecbench.extract(corpus, "zh-char")
    renamed = tuple(
        replace(
            sample,
            references=tuple(
                replace(
                    r, edit_sets=tuple(tuple(replace(e, label="X") for e in s) for s in r.edit_sets)
                )
                for r in sample.references
            ),
        )
        for sample in extracted.samples[:14]
    )
    mixed = Corpus("mixed", (*renamed, *corpus.samples[14:]), "zh")
    whole = gecbench.score(mixed, systems, scheme="zh-char")
    assert any("extracted again" in note for note in whole.notes)
    monkeypatch.setattr(stored, "BLOCK", 7)
    assert gecbench.score(mixed, systems, scheme="zh-char") == whole


def test_a_scheme_that_is_here_alone_works_in_one_process(data, monkeypatch):
    monkeypatch.setattr(stored, "BLOCK", 7)
    monkeypatch.setattr(parts, "_PAYS", 0)
    loaded = gecbench.load_scheme("zh-char")
    here = gecbench.score(*data, scheme=loaded, options=gecbench.Options(jobs=None))
    assert here == gecbench.score(*data, scheme="zh-char", options=gecbench.Options(jobs=None))
    with pytest.raises(UsageError, match=r"jobs 2: .* cannot be sent"):
        gecbench.score(*data, scheme=loaded, options=gecbench.Options(jobs=2))


def test_errors_of_other_processes_arrive(data, monkeypatch):
    corpus, systems = data
    monkeypatch.setattr(stored, "BLOCK", 7)
    tokens = tuple(corpus.samples[20].source)
    far = Edit(40, 41, ("x",))
    broken = replace(corpus.samples[20], references=(Rewrite(edit_sets=((far,),)),), tokens=tokens)
    samples = (*corpus.samples[:20], broken, *corpus.samples[21:])
    with pytest.raises(CorpusError, match="'20'"):
        gecbench.score(
            Corpus("dev", samples, "zh"),
            systems,
            scheme="zh-char",
            options=gecbench.Options(jobs=2),
        )


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_edits_of_parts_are_those_of_the_whole(data, monkeypatch, jobs):
    whole = gecbench.extract(data[0], "zh-char")
    monkeypatch.setattr(stored, "BLOCK", 7)
    assert gecbench.extract(data[0], "zh-char", jobs=jobs) == whole


def test_kept_edits_of_parts_are_those_of_the_whole(monkeypatch):
    sources = "He go home .", "She has a apple .", "It is fine ."
    edits = Edit(1, 2, ("goes",), "X"), Edit(2, 3, ("an",), "X"), None
    samples = tuple(
        Sample(
            source,
            source,
            (Rewrite(edit_sets=((edit,) if edit else (),)),),
            {},
            tuple(source.split()),
        )
        for source, edit in zip(sources, edits, strict=True)
    )
    corpus = Corpus("dev", samples, "en")
    whole = gecbench.extract(corpus, "en-errant", keep=True)
    assert whole.samples[0].references[0].edit_sets[0][0].label == "R:VERB:SVA"
    monkeypatch.setattr(stored, "BLOCK", 2)
    assert gecbench.extract(corpus, "en-errant", keep=True) == whole


def test_edits_of_a_scheme_that_is_here_alone_are_found_in_one_process(data, monkeypatch):
    monkeypatch.setattr(stored, "BLOCK", 7)
    with pytest.raises(UsageError, match=r"jobs 2: .* cannot be sent"):
        gecbench.extract(data[0], gecbench.load_scheme("zh-char"), jobs=2)


def test_no_process_is_not_enough(data):
    for nothing in (0, -3):
        with pytest.raises(UsageError, match=f"jobs is {nothing};"):
            gecbench.extract(data[0], "zh-char", jobs=nothing)
