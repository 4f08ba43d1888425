"""Every verb of the Python API, called by its public name on the bundled samples."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import gecbench

ZH = gecbench.load(gecbench.sample("zh", "corpus.jsonl"))
CAUTIOUS, EAGER, FLUENT = (
    gecbench.load_system(gecbench.sample("zh", f"{name}.txt"), ZH)
    for name in ("cautious", "eager", "fluent")
)
FAST = gecbench.Options(metrics=("cherrant", "sentence-accuracy"))


def test_score_and_compare():
    report = gecbench.score(ZH, CAUTIOUS, scheme="zh-char")
    assert [result.metric for result in report.results] == ["cherrant"]
    plan = gecbench.Plan(resamples=100)
    comparisons = gecbench.compare(ZH, [CAUTIOUS, EAGER], scheme="zh-char", plan=plan)
    assert [(p.first, p.second) for p in comparisons.metrics[0].pairs] == [("cautious", "eager")]


def test_what_is_shown_in_a_session_is_short():
    shown = [ZH, CAUTIOUS]
    assert all(len(repr(value)) < 2000 and "\n" not in repr(value) for value in shown)
    assert repr(ZH).startswith("Corpus(name='zh-samples', samples=(Sample(id=")


def test_extract_and_combine():
    english = gecbench.load(gecbench.sample("en", "corpus.jsonl"))
    assert gecbench.extract(english).provenance["scheme"] == "en-errant"
    extracted = gecbench.extract(ZH, "zh-char")
    assert extracted.provenance["scheme"] == "zh-char"
    voting = gecbench.Voting(threshold=2)
    combined = gecbench.combine(ZH, [CAUTIOUS, EAGER, FLUENT], scheme="zh-char", voting=voting)
    assert len(combined.texts) == len(ZH.samples)


def test_correct():
    output = gecbench.correct("zh-homophone", ["我今天很高心。"], name="mine")
    assert (output.system, list(output.hypotheses)) == ("mine", ["1"])


def test_perturb():
    options = gecbench.PerturbOptions(variants=2, pos=False, filler="frequency")
    corpus = gecbench.load(gecbench.sample("en", "corpus.jsonl"))
    perturbed = gecbench.perturb(corpus, options=options)
    assert perturbed.cases.provenance["variants"] == "2"
    assert {len(case.variants) for case in perturbed.cases.cases} == {2}


@pytest.mark.parametrize("name", ["corpus.jsonl", "perturbed.txt"])
def test_perturb_takes_a_path(name: str):
    options = gecbench.PerturbOptions(variants=2, pos=False)
    path = gecbench.sample("en", name)
    perturbed = gecbench.perturb(str(path), options=options).cases
    assert perturbed.cases
    assert perturbed.provenance["input"].startswith(f"{name} sha256 ")


def test_paper_table():
    tables = Path(__file__).parents[3] / "workflows" / "tables"
    paper = gecbench.paper_table(str(tables / "robustgec-table-5.toml"))
    assert paper.tables
    assert paper.tables[0].rows


def test_corrupt_and_prepare(tmp_path: Path):
    pairs = tmp_path / "pairs.jsonl"
    counts = gecbench.corrupt(gecbench.sample("zh", "corpus.jsonl"), pairs, seed=3)
    assert counts.made == sum(
        len(sample.references[0].edit_sets[0])
        for sample in gecbench.load(pairs).samples
        if sample.references[0].edit_sets
    )
    corpora = {"made": {"path": str(pairs)}}
    manifest = gecbench.prepare(output=tmp_path / "train.jsonl", corpora=corpora)
    assert [corpus.name for corpus in manifest.corpora] == ["made"]


def test_train_reads_a_configuration():
    assert gecbench.read_settings(None, recipe="tiny").config.language == "zh"


def test_report(tmp_path: Path):
    page = gecbench.report(ZH, CAUTIOUS, scheme="zh-char", title="Mine")
    gecbench.save_report(replace(page, reports=page.reports[:1]), tmp_path / "page.html")
    assert "Mine" in (tmp_path / "page.html").read_text("utf-8")


def submissions() -> gecbench.Corpus:
    """References as if two annotators had handed them in."""
    samples = [
        gecbench.Sample(
            sample.id,
            sample.source,
            tuple(
                gecbench.Rewrite(text=f"{sample.source}{name}", annotator=name)
                for name in ("ann", "bob")
            ),
        )
        for sample in ZH.samples[:12]
    ]
    return gecbench.Corpus("submissions", tuple(samples), "zh")


def test_analyses_of_annotators():
    agreement = gecbench.agreement(submissions(), scheme="zh-char")
    assert agreement.corpus == "submissions"
    human = gecbench.human(ZH, submissions(), scheme="zh-char", least=1)
    assert len(human.annotators) == 2


SYSTEMS: Sequence[gecbench.SystemOutput] = (CAUTIOUS, EAGER, FLUENT)


@pytest.mark.parametrize("name", ["breakdown", "correlation", "references"])
def test_analyses_of_scores(name):
    analyse = getattr(gecbench, name)
    analysis = analyse(ZH, SYSTEMS, scheme="zh-char", options=FAST)
    assert type(analysis).__module__.startswith("gecbench.analysis")


def test_difficulty():
    options = gecbench.DifficultyOptions(beta=1.0)
    (result,) = gecbench.difficulty(ZH, SYSTEMS, scheme="zh-char", options=options)
    assert result.corpus == ZH.name


def write_people(folder: Path) -> Path:
    """Write a file of people's scores of the systems."""
    path = folder / "people.tsv"
    path.write_text("system\thuman\ncautious\t3\neager\t1\nfluent\t2\n", "utf-8")
    return path


def test_meta(tmp_path: Path):
    people = write_people(tmp_path)
    meta = gecbench.meta(ZH, SYSTEMS, human=[people], scheme="zh-char", options=FAST)
    assert {level.metric for level in meta.systems} == set(FAST.metrics)


def test_robustness():
    cases = gecbench.load_perturbed(gecbench.sample("zh", "perturbed.txt"))
    output = gecbench.sample("zh", "perturbed-swayed.txt")
    robustness = gecbench.robustness(cases, output, scheme="zh-char", orders=0)
    assert robustness.systems
    assert gecbench.check_perturbed(cases).corpus == cases.name


def test_segmentation():
    segmentation = gecbench.segmentation(ZH, CAUTIOUS, segmenters=["characters"], beside=())
    assert [segmenter.name for segmenter in segmentation.segmenters] == ["characters"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gecbench.Options(metrics="gleu"), r"metrics 'gleu'"),
        (lambda: gecbench.sample("zh", "corpus.json"), r"did you mean zh/corpus.jsonl"),
        (lambda: gecbench.Corpus("c", (), "English"), r"'English' is no ISO 639 code"),
        (lambda: gecbench.score(Path("dev.tsv"), CAUTIOUS), r"'dev\.tsv' is no corpus"),
        (lambda: gecbench.extract("dev.tsv"), r"'dev\.tsv' is no corpus"),
        (lambda: gecbench.Options(beta="1"), r"beta is '1'"),
        (lambda: gecbench.Options(max_references=1.5), r"is 1\.5"),
        (lambda: gecbench.Voting(spelling="sounds"), r"spelling is 'sounds'"),
        (lambda: gecbench.breakdown(ZH, CAUTIOUS, by="length"), r"by 'length'"),
        (lambda: gecbench.segmentation(ZH, CAUTIOUS, beside="gleu"), r"beside 'gleu'"),
        (lambda: gecbench.segmentation(ZH, CAUTIOUS, segmenters="jieba"), r"segmenters 'jieba'"),
        (
            lambda: gecbench.robustness(gecbench.sample("zh", "perturbed.txt"), CAUTIOUS, beta=()),
            "beta",
        ),
    ],
)
def test_what_beginners_write_is_answered(make, message: str):
    with pytest.raises(gecbench.GecbenchError, match=message):
        make()


def test_the_language_that_a_call_names_takes_the_place_of_that_of_the_corpus():
    texts = ["Es geht ihm gut .", "12 34"]
    samples = [gecbench.Sample(t, t, (gecbench.Rewrite(text=t),)) for t in texts]
    system = gecbench.SystemOutput("same", {t: (gecbench.Rewrite(text=t),) for t in texts})
    for declared in (None, "zh"):
        corpus = gecbench.Corpus("german", tuple(samples), declared)
        (result,) = gecbench.score(corpus, system, lang="deu").results
        assert result.metric == "edits"
        assert "|scheme:xx-word|" in str(result.score.signature)
        assert gecbench.extract(corpus, None, lang="deu").lang == "de"


NEED_NO_LANGUAGE = {"load_system", "load_systems", "save", "save_perturbed"}
"""They look for no edits and correct nothing."""


def takes_texts(name: str) -> bool:
    """Say whether a public name is a function of a corpus or perturbed cases."""
    function = getattr(gecbench, name)
    return inspect.isfunction(function) and any(
        re.search("Corpus|PerturbedSet", parameter.annotation)
        for parameter in inspect.signature(function).parameters.values()
    )


@pytest.mark.parametrize(
    "verb", sorted(filter(takes_texts, {*gecbench.__all__} - NEED_NO_LANGUAGE))
)
def test_every_verb_that_reads_a_corpus_or_cases_takes_their_language(verb: str, tmp_path: Path):
    values: dict[str, object] = {
        **dict.fromkeys(("corpus", "data", "submissions"), ZH),
        "cases": gecbench.sample("zh", "perturbed.txt"),
        "corrector": "copying",
        "human": [write_people(tmp_path)],
        "outputs": gecbench.sample("zh", "perturbed-swayed.txt"),
        "scheme": None,
        "systems": SYSTEMS,
    }
    function = getattr(gecbench, verb)
    arguments = {
        name: values[name] for name in values.keys() & inspect.signature(function).parameters
    }
    with pytest.raises(gecbench.GecbenchError, match="'german' is no ISO 639 code"):
        function(**arguments, lang="german")


def test_a_wrong_name_is_answered_as_python_does():
    with pytest.raises(
        AttributeError, match=r"^module 'gecbench' has no attribute 'scor'$"
    ) as error:
        gecbench.scor  # noqa: B018
    assert (error.value.name, error.value.obj) == ("scor", gecbench)  # what suggestions are made of
