"""scribendi, some and impara with tiny networks.

Expected numbers are those of gec-metrics 0.1.1 on the same networks (torch 2.13.0).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages import expect_error
from text_cases import IMPOSSIBLE, case, score, stats, values
from tiny_scorers import tiny_bert, tiny_language_model, tiny_mpnet

from gecbench.backends.scorers import Encoder
from gecbench.cli import gecbench
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.metrics.reference_free import (
    Impara,
    Scribendi,
    Some,
    levenshtein_ratio,
    token_sort_ratio,
)

PAIRS = (
    ("he go to school .", "he goes to school ."),
    ("the cats sat on an mat .", "the cat sat on a mat ."),
    ("she went home .", "she went home ."),
    ("a cat sits", "cats the school went, to a mat"),
    ("they go home", "They go: home!"),
    ("he sat on the mat", "the mat sat on he"),
    ("he go", "he goes to school , she goes home ."),
)
CASES = tuple(case(source, text) for source, text in PAIRS)


@pytest.fixture(scope="session")
def networks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("networks")
    regressors = ("grammaticality", "fluency", "meaning", "quality")
    places = {
        "model": tiny_language_model(folder / "model"),
        **{name: tiny_bert(folder / name, k, numbers=1) for k, name in enumerate(regressors)},
        "similarity": tiny_bert(folder / "similarity", 9),
        "classifier": tiny_bert(folder / "classifier", 5, numbers=3),
    }
    return {name: str(place) for name, place in places.items()}


@pytest.fixture
def scribendi(networks) -> Scribendi:
    return Scribendi(model=networks["model"])


@pytest.fixture
def some(networks) -> Some:
    places = {name: networks[name] for name in ("grammaticality", "fluency", "meaning")}
    return Some(**places, longest=32)


@pytest.fixture
def impara(networks) -> Impara:
    return Impara(quality=networks["quality"], similarity=networks["similarity"], longest=32)


def test_scribendi_equals_gec_metrics(scribendi: Scribendi):
    rows = scribendi.stats_of(CASES)
    assert [row.value for row in rows] == [1, -1, 0, -1, 1, -1, -1]
    assert [row.parts["perplexity"] for row in rows] == pytest.approx(
        [1667.12781, 2407.27124, 3513.56274, 1579.36328, 666.92426, 2471.81836, 2117.14355],
        rel=1e-4,
    )
    ratios = [0.9444444444, 0.9565217391, 1, 0.41, 1, 1, 0.28]
    assert [row.parts["ratio"] for row in rows] == pytest.approx(ratios, abs=1e-9)
    assert scribendi.aggregate(rows).parts == {"sum": -2, "better": 2, "unchanged": 1, "worse": 4}
    assert score(scribendi, *CASES).value == pytest.approx(-2 / 7)


def test_some_equals_gec_metrics(some: Some):
    expected = [0.1364822, 0.1272314, 0.0845348, 0.2385831, 0.2018011, 0.1413150, 0.1469342]
    assert [row.value for row in some.stats_of(CASES)] == pytest.approx(expected, abs=1e-5)
    assert score(some, *CASES).value == pytest.approx(0.1538403, abs=1e-5)


def test_impara_equals_gec_metrics(impara: Impara):
    expected = [0.0663767, 0.1148250, 0.0907888, 0.0663319, 0, 0.0720179, 0]
    assert [row.value for row in impara.stats_of(CASES)] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [
        ("the cat sat", "Sat, the cat!", 1.0),
        ("café", "caf", 1.0),  # fuzzywuzzy drops é
        ("...", "!", 1.0),
        ("...", "a", 0.0),
        ("他来了", "他来", 0.8),
    ],
)
def test_the_token_sort_ratio_is_that_of_fuzzywuzzy(first: str, second: str, ratio: float):
    assert token_sort_ratio(first, second) == ratio


def test_of_nothing_the_levenshtein_ratio_is_whole():
    assert levenshtein_ratio("", "") == 1
    assert levenshtein_ratio("", "a") == 0


def test_empty_texts_are_scored(scribendi: Scribendi, some: Some, impara: Impara):
    empty = case("he goes", "")
    assert values(scribendi, empty, case("", "he goes"), case("", "")) == [-1, -1, 0]
    assert all(len(stats(metric, empty)) == 1 for metric in (some, impara))
    # An empty text has no perplexity; infinity is no JSON.
    (sentence,) = scribendi.sentences(stats(scribendi, empty))
    json.dumps(sentence, allow_nan=False)


def test_a_batch_says_what_single_sentences_say(scribendi: Scribendi, some: Some, impara: Impara):
    for metric in (scribendi, some, impara):
        single = [metric.stats(case).value for case in CASES]
        assert [row.value for row in metric.stats_of(CASES)] == pytest.approx(single, abs=1e-5)


def test_a_sentence_that_nobody_could_correct_is_left_out(scribendi: Scribendi):
    several = [case("he go", "he", IMPOSSIBLE), CASES[0], case("he", "he", "he", IMPOSSIBLE)]
    assert [row and row.value for row in scribendi.stats_of(several)] == [None, 1, 0]


def test_texts_that_are_too_long_are_named(networks, scribendi: Scribendi):
    rows = scribendi.stats_of([CASES[0], case("he " * 30, "he")])
    assert list(map(scribendi.is_approximate, rows)) == [False, True]
    quality, similarity = networks["quality"], networks["similarity"]
    short = Impara(quality=quality, similarity=similarity, longest=6)
    assert [row.cut for row in short.stats_of(CASES[:4])] == [True, True, False, True]


LONG = "he goes to school . " * 3
"""17 pieces with the marks at its ends."""


@pytest.fixture(scope="session")
def short(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An encoder and a regressor that read 12 pieces, where the others read 32."""
    folder = tmp_path_factory.mktemp("short")
    encoder = tiny_bert(folder / "encoder", 9, pieces=12)
    regressor = tiny_bert(folder / "regressor", 0, numbers=1, pieces=12)
    return {"encoder": str(encoder), "regressor": str(regressor)}


TEXTS = {"neither": ("he go", "he"), "source": (LONG, "he"), "hypothesis": ("he go", LONG)}
WHERE = tuple(TEXTS)


def long_of(metric: Impara | Some) -> list[str]:
    cases = [case(*texts) for texts in TEXTS.values()]
    return [name for name, row in zip(WHERE, metric.stats_of(cases), strict=True) if row.cut]


def test_a_hypothesis_too_long_for_the_encoder_of_impara_alone_is_named(networks, short):
    quality, similarity = networks["quality"], networks["similarity"]
    assert long_of(Impara(quality=quality, similarity=similarity)) == []
    assert long_of(Impara(quality=quality, similarity=short["encoder"])) == [*WHERE[1:]]
    assert long_of(Impara(quality=short["regressor"], similarity=similarity)) == ["hypothesis"]


@pytest.mark.parametrize(
    ("which", "names"),
    [
        ("", []),
        ("grammaticality", ["hypothesis"]),
        ("fluency", ["hypothesis"]),
        ("meaning", ["source", "hypothesis"]),
    ],
)
def test_a_text_too_long_for_any_network_of_some_is_named(networks, short, which, names):
    places = {name: networks[name] for name in ("grammaticality", "fluency", "meaning")}
    if which:
        places[which] = short["regressor"]
    assert long_of(Some(**places)) == names


def test_networks_whose_positions_are_not_all_for_texts_read_what_they_can(tmp_path: Path):
    network = Encoder(str(tiny_mpnet(tmp_path / "mpnet", 19)), 128)
    assert [network.is_cut((text,)) for text in (LONG, LONG + "he")] == [False, True]
    assert network.similarity([LONG + "he he"], [LONG + "he"]) == [pytest.approx(1)]


def test_signatures_name_models_and_hashes(scribendi: Scribendi, some: Some, impara: Impara):
    for metric, names in ((scribendi, 1), (some, 3), (impara, 2)):
        parts = dict(metric.signature.parts)
        assert parts["status"] == "experimental"
        assert sum("@" in value for value in parts.values()) == names


def test_a_model_that_is_not_there_or_of_another_kind_is_refused(networks):
    with expect_error(UsageError, "some.grammaticality"):
        Some()
    with expect_error(GecbenchError, "./nowhere"):
        Scribendi(model="./nowhere").stats(CASES[0])
    three = Impara(quality=networks["classifier"], similarity=networks["similarity"])
    with expect_error(GecbenchError, networks["classifier"], "gives 3 numbers"):
        three.stats(CASES[0])


def test_a_corpus_without_references_is_scored(
    networks, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "source.txt").write_text("\n".join(source for source, _ in PAIRS) + "\n")
    (tmp_path / "system.txt").write_text("\n".join(text for _, text in PAIRS) + "\n")
    files = [str(tmp_path / name) for name in ("source.txt", "system.txt")]
    words = ["--lang", "en", "--set", f"scribendi.model={networks['model']}", "--ci"]
    gecbench.main(
        ["score", *files, "--metric", "scribendi", "--format", "json", *words],
        standalone_mode=False,
    )
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["value"] == pytest.approx(-2 / 7)
    with pytest.raises(GecbenchError, match="has no reference"):
        gecbench.main(
            ["score", *files, "--metric", "scribendi,gleu", *words], standalone_mode=False
        )
