"""llm-judge asks a server that answers as the test wants."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from chat_server import Scripted, answer_with, fail_with
from messages import expect_error
from text_cases import IMPOSSIBLE, case

from gecbench.analysis.meta import of_run, read_people
from gecbench.analysis.options import Layout
from gecbench.api.files import load, load_system
from gecbench.api.options import Options
from gecbench.api.score import collect_stats, score
from gecbench.core.errors import FormatError, GecbenchError, UnknownNameError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.formats import stored
from gecbench.metrics.llm_judge import LlmJudge, Rating, load_rubric, read_rating

CASES = (
    case("he go", "he goes"),
    case("she sit", "she sits", "she sits"),
    case("a", "a", IMPOSSIBLE),
    case("he go", "he goes"),
    case("they", "they {hypothesis}"),
)


def rated(rating: object, **more: object):
    return answer_with(json.dumps({"reason": "good", "score": rating}), **more)


def correction_in(question: str) -> str:
    return re.search(r"^Correction: (.*)$", question, re.M)[1]


@pytest.fixture
def profile(server: Scripted, tmp_path: Path) -> Path:
    path = tmp_path / "profile.toml"
    lines = ['model = "judge"', f'base_url = "{server.url}"', 'cache = "cache"', "retries = 0"]
    # A profile of a corrector will do.
    path.write_text("\n".join([*lines, 'prompt = "zh-minimal"']) + "\n", "utf-8")
    return path


@pytest.fixture
def judge(profile: Path) -> LlmJudge:
    return LlmJudge(profile=str(profile))


def test_ratings_become_values_from_0_to_1(server: Scripted, judge: LlmJudge):
    server.script = lambda _, text: rated(2 if "sits" in text else 5)
    rows = judge.stats_of(CASES)
    assert rows == (Rating(1, 5, ""), Rating(0.25, 2, ""), None, Rating(1, 5, ""), Rating(1, 5, ""))
    scored = [row for row in rows if row]
    assert judge.aggregate(scored).value == pytest.approx(3.25 / 4)
    assert judge.aggregate(scored).parts == {"rating": 4.25, "unread": 0}
    assert sorted(map(correction_in, server.asked)) == ["he goes", "she sits", "they {hypothesis}"]


def test_answers_are_cached(server: Scripted, judge: LlmJudge):
    server.script = lambda *_: rated(4)
    first = judge.stats_of(CASES)
    server.script = lambda *_: fail_with(401)
    assert judge.stats_of(CASES) == first
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("answer", "rating"),
    [
        ('{"score": 4}', 4),
        ('{"score": "3.5", "reason": "{}"}', 3.5),
        ('<think>{"score": 1}</think>```json\n{"score": 5}\n```', 5),
        ('Scores: {"score": 2} and again {"score": 2}', 2),
        ('{"score": 2} or {"score": 3}', None),
        ('{"score": 6}', None),
        ('{"score": NaN}', None),
        ('{"score": true}', None),
        ('{"score": null}', None),
        ("4", None),
        ("{score: 4}", None),
        ("", None),
    ],
)
def test_only_one_number_on_the_scale_is_a_rating(answer: str, rating: float | None):
    assert read_rating(answer, load_rubric("overall")).rating == rating


def test_an_answer_without_a_rating_is_never_scored(server: Scripted, judge: LlmJudge):
    server.script = lambda _, text: answer_with("Well done!") if "sits" in text else rated(5)
    with expect_error(GecbenchError, "1 of 4 ratings", "'Well done!'"):
        judge.stats_of(CASES)
    server.script = lambda *_: rated(1)
    assert [row and row.value for row in judge.stats_of(CASES)] == [1, 0, None, 1, 1]


def test_where_some_are_allowed_they_are_left_out_and_counted(server: Scripted, profile: Path):
    judge = LlmJudge(profile=str(profile), most_unread=0.25)
    server.script = lambda _, text: fail_with(500) if "sits" in text else rated(3)
    rows = [row for row in judge.stats_of(CASES) if row]
    assert [row.value for row in rows] == [0.5, None, 0.5, 0.5]
    assert judge.aggregate(rows).value == 0.5
    assert judge.aggregate(rows).parts["unread"] == 1
    assert [sentence["value"] for sentence in judge.sentences(rows)] == [0.5, None, 0.5, 0.5]
    assert judge.resample(rows, np.array([[0, 1, 1, 2], [1, 1, 1, 1]])).tolist() == [0.5, 0]
    assert any("not be read: 1;" in note for note in judge.notes(rows))


def test_a_run_is_one_however_long_and_is_refused_before_it_costs(
    server: Scripted, profile: Path, monkeypatch: pytest.MonkeyPatch
):
    """The share of unread answers is that of the corpus, though it is scored part by part."""
    monkeypatch.setattr(stored, "BLOCK", 2)
    words = ("It sat.", "He sits.", "She sat.", "They sat.", "We sat.")
    samples = tuple(Sample(str(n), w, (Rewrite(w),)) for n, w in enumerate(words))
    system = SystemOutput("a", {str(n): (Rewrite(w + " Now."),) for n, w in enumerate(words)})
    settings = {"llm-judge.profile": str(profile), "llm-judge.most_unread": "0.2"}
    options = Options(metrics=("llm-judge", "gleu"), settings=settings)
    server.script = lambda _, text: fail_with(500) if "sits" in text else rated(3)
    with expect_error(UsageError, "--re-extract"):
        score(Corpus("c", samples, "en"), system, options=replace(options, re_extract=True))
    assert not server.asked
    report = score(Corpus("c", samples, "en"), system, options=options)
    assert [result.metric for result in report.results] == ["llm-judge", "gleu"]
    assert report.results[0].score.parts["unread"] == 1


def test_a_rating_too_great_for_a_number_is_none(server: Scripted, judge: LlmJudge):
    server.script = lambda *_: answer_with('{"score": 1%s}' % ("0" * 400))
    with expect_error(GecbenchError, "4 of 4 ratings"):
        judge.stats_of(CASES)


def test_a_spent_budget_ends_the_run(server: Scripted, profile: Path):
    with profile.open("a") as file:
        file.write("price_in = 1000.0\nprice_out = 0.0\nbudget = 0.02\nconcurrency = 1\n")
    judge = LlmJudge(profile=str(profile))
    server.script = lambda *_: rated(3)  # 10 tokens, 0.01
    with expect_error(GecbenchError, server.url, "0.02", "2 answers"):
        judge.stats_of(CASES)
    assert len(server.asked) == 2
    assert judge.stats_of(CASES)[4].rating == 3  # the two are in the cache
    assert len(server.asked) == 3


def test_a_budget_is_refused_where_nothing_says_what_answers_cost(server: Scripted, profile: Path):
    text = profile.read_text() + "budget = 1.0\nconcurrency = 1\n"
    profile.write_text(text)
    with expect_error(UsageError, "budget", "price_in"):
        LlmJudge(profile=str(profile)).stats_of(CASES)
    profile.write_text(text + "price_in = 1.0\n")
    server.script = lambda *_: rated(3, usage=False)
    with expect_error(GecbenchError, server.url, "budget"):
        LlmJudge(profile=str(profile)).stats_of(CASES)


def test_the_signature_names_model_rubric_and_sampling(judge: LlmJudge):
    parts = dict(judge.signature.parts)
    assert parts["status"] == "experimental"
    assert (parts["model"], parts["scale"], parts["temperature"]) == ("judge", "1-5", "0")
    assert parts["rubric"] == f"overall:{load_rubric('overall').hash()}"


def test_a_rubric_may_be_a_file(server: Scripted, profile: Path, tmp_path: Path):
    path = tmp_path / "strict.toml"
    path.write_text(
        'system = "Be strict, from {lowest} to {highest}."\n'
        'user = "{source} > {hypothesis}"\nlowest = 0\nhighest = 100\n'
    )
    server.script = lambda *_: rated(40)
    (row,) = LlmJudge(profile=str(profile), rubric=str(path)).stats_of(CASES[:1])
    assert row.value == 0.4
    first, second = server.bodies[0]["messages"]
    assert (first["content"], second["content"]) == ("Be strict, from 0 to 100.", "he go > he goes")


def test_what_cannot_be_asked_is_refused(profile: Path, tmp_path: Path):
    with expect_error(UsageError, "llm-judge.profile"):
        LlmJudge()
    with expect_error(UnknownNameError, "'nice'", "overall"):
        LlmJudge(profile=str(profile), rubric="nice").stats_of(CASES)
    path = tmp_path / "rubric.toml"
    for text, fact in (('user = "{source}"', "{hypothesis}"), ("", "user")):
        path.write_text(text)
        with expect_error(FormatError, str(path), fact):
            load_rubric(str(path))
    path.write_text('user = "{source} {hypothesis}"\nlowest = 5\n')
    with expect_error(FormatError, str(path), "lowest"):
        load_rubric(str(path))


def rating_by_length(text: str) -> int:
    """A judge without knowledge, whose ratings have ties."""
    return 1 + len(text) % 5


@pytest.mark.slow
def test_agreement_with_seedas_rankings(
    shared: Path, server: Scripted, profile: Path, tmp_path: Path
):
    folder = shared / "golden/seeda"
    rows = json.loads((folder / "src_ids.json").read_text("utf-8"))
    names = ("T5", "REF-M", "GECToR-ens")
    outputs = {}
    for name in names:
        lines = (shared / f"data/seeda/outputs/{name}.txt").read_text("utf-8").split("\n")
        outputs[name] = [lines[row] for row in rows]
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in outputs[name]))
    corpus = load(folder / "subset.src")
    systems = [load_system(tmp_path / f"{name}.txt", corpus) for name in names]
    server.script = lambda _, text: rated(rating_by_length(correction_in(text)))
    profile.write_text(profile.read_text().replace('cache = "cache"', 'cache = "none"'))
    settings = {"llm-judge.profile": str(profile)}
    run_stats = collect_stats(
        corpus, systems, options=Options(metrics=("llm-judge",), settings=settings)
    )
    people = read_people(
        {"TS_edit": shared / "data/seeda/human/TS_edit.txt"},
        {"edit": shared / "data/seeda/judgments_edit.xml"},
    )
    evaluation = of_run(run_stats, people, Layout(sizes=()))
    agree = ties = pairs = 0
    sources = sorted({item.source for item in people.judgments[0].items}, key=int)
    place = {source: at for at, source in enumerate(sources)}
    for item in people.judgments[0].items:
        ranked = [name for name in names if name in item.ranks]
        for first_system, second_system in combinations(ranked, 2):
            if item.ranks[first_system] == item.ranks[second_system]:
                continue
            first, second = (
                rating_by_length(outputs[name][place[item.source]])
                for name in (first_system, second_system)
            )
            pairs += 1
            ties += first == second
            agree += first != second and (first > second) == (
                item.ranks[first_system] < item.ranks[second_system]
            )
    level = next(level for level in evaluation.sentences if level.set == "base")
    assert (level.pairs, level.agree) == (pairs, agree)
    assert level.metric_ties.first + level.metric_ties.second == ties
    (base,) = [level for level in evaluation.systems if level.set == "base"]
    assert base.coefficients["pearson"].value is not None
