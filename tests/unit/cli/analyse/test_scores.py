"""`gecbench analyse breakdown | references | human | segmentation`: options and refusals."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from messages import assert_is_line

from gecbench.api.files import sample, save
from gecbench.core.sample import Corpus, Rewrite, Sample

CORPUS = sample("zh", "corpus.jsonl")
CAUTIOUS, EAGER = sample("zh", "cautious.txt"), sample("zh", "eager.txt")
CHAR = ("--scheme", "zh-char")


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    """What two invented annotators handed in for two sentences of the samples."""
    texts = {
        "zh-001": (
            "我在图书馆借了三个书，打算周末看完了。",
            "我在图书馆借了三本书，打算周末看完。",
        ),
        "zh-002": ("你什么时候有空？咱们一起吃个饭巴！", "你什么时候有空？咱们一起吃饭吧！"),
    }
    rows = tuple(
        Sample(name, source, (Rewrite(text, annotator="李"), Rewrite(source, annotator="王")))
        for name, (source, text) in texts.items()
    )
    path = tmp_path / "submissions.jsonl"
    save(Corpus("handed in", rows, "zh"), path, format="jsonl")
    return path


def test_a_breakdown_in_json_takes_all_its_options(run):
    code, out, err = run(
        *("analyse", "breakdown", CORPUS, CAUTIOUS, EAGER, *CHAR, "--format", "json"),
        *("--by", "length,field:origin", "--length-bins", "12,16", "--between", "eager,cautious"),
        *("--least", "20", "--sentences", "1"),
    )
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert [breakdown["by"] for breakdown in data["breakdowns"]] == ["length", "field:origin"]
    assert data["breakdowns"][0]["groups"] == ["0-12", "13-16", "17+"]
    (comparison,) = data["comparisons"]
    assert comparison["between"] == ["eager", "cautious"]
    assert all(difference["size"] >= 20 for difference in comparison["differences"])
    assert len(comparison["sentences"]) == 1


def test_a_breakdown_of_one_system_has_tables_alone(run):
    code, out, _ = run("analyse", "breakdown", CORPUS, EAGER, *CHAR, "--by", "state", "--counts")
    assert code == 0
    assert "cherrant by whether the sentence has errors" in out
    assert "All groups with counts" in out
    assert "decide the difference" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--length-bins", "10,x"), "--length-bins '10,x' must be whole numbers with commas"),
        (("--length-bins", "20,10"), "length bins 20,10 must be ascending"),
        (("--by", "size"), "unknown kind of groups 'size'"),
        (
            ("--by", "size"),
            "length, errors, state, or field:NAME",
        ),  # there is no field of that name
        (("--between", "eager"), "eager: name two different systems, as A,B"),
        (("--least", "0"), "least is 0; it must be a whole number of at least 1"),
    ],
)
def test_a_breakdown_refuses_what_means_nothing(run, words, message):
    code, out, err = run("analyse", "breakdown", CORPUS, EAGER, CAUTIOUS, *CHAR, *words)
    assert (code, out) == (2, "")
    assert message in err


def test_references_take_all_their_options(run):
    code, out, err = run(
        *("analyse", "references", CORPUS, EAGER, *CHAR, "--format", "json", "--by", "origin"),
        *("--take", "subsets", "--at-least", "2", "--up-to", "3", "--subsets", "2", "--seed", "5"),
    )
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert [row["name"] for row in data["statistics"]] == ["all", "essays", "chats"]
    assert data["sweep"] == {
        "taking": "subsets",
        "at_least": 2,
        "up_to": 3,
        "most": 2,
        "seed": 5,
        "sentences": 53,
    }
    assert [(p["k"], p["subsets"], p["of"]) for p in data["curves"][0]["points"]] == [
        *((1, 2, 4), (2, 2, 6), (3, 2, 4))
    ]


def test_references_without_systems_are_counted(run):
    code, out, err = run("analyse", "references", CORPUS, *CHAR)
    assert (code, err) == (0, "")
    assert out.splitlines()[2].split() == [
        *("all", "75", "1", "67", "89.3", "17.2", "2.0", "2.1", "2.1")
    ]


@pytest.mark.parametrize(
    "option",
    [
        *("--take=first", "--at-least=2", "--up-to=2", "--seed=1", "--beta=1", "--edits=multi"),
        *("--choice=sentence-best", "--level=detection-span", "--exclude=S", "--set=gleu.order=2"),
        *("--segmenter=jieba", "--system-from=lines"),
    ],
)
def test_options_of_scores_are_refused_without_systems(run, option):
    code, _, err = run("analyse", "references", CORPUS, *CHAR, option)
    assert code == 2
    assert_is_line(err, option.partition("=")[0])


def test_types_are_found_where_they_decide(run):
    plain = run(
        "analyse", "references", CORPUS, EAGER, *CHAR, "--format", "csv", "--table", "cherrant"
    )
    excluded = run(
        *("analyse", "references", CORPUS, EAGER, *CHAR, "--format", "csv", "--table", "cherrant"),
        *("--exclude", "S"),
    )
    assert plain[0] == excluded[0] == 0
    assert plain[1] != excluded[1]


def test_annotators_are_scored(run, submissions):
    code, out, err = run(
        *("analyse", "human", CORPUS, submissions, *CHAR, "--least", "1", "--anonymous"),
        *("--format", "json", "--against", "others"),
    )
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert data["against"] == "others"
    assert [(a["annotator"], a["submissions"]) for a in data["annotators"]] == [
        ("A1", 2),
        ("A2", 2),
    ]


def test_submissions_that_do_not_fit_are_named_by_their_file(run, submissions):
    text = re.sub('"id": ?"zh-0', '"id": "zh-9', submissions.read_text("utf-8"))
    submissions.write_text(text, encoding="utf-8")
    code, _, err = run("analyse", "human", CORPUS, submissions, *CHAR)
    assert code == 1
    assert err.startswith(
        f"gecbench: {submissions}: none of its sentences, as 'zh-901', is in corpus 'zh-samples'"
    )


def test_standard_input_is_read_once(run):
    for words in (("human", "-", "-"), ("references", "-", "-"), ("segmentation", "-", "-")):
        code, _, err = run("analyse", *words)
        assert code == 2
        assert "standard input can be read once only" in err


def test_segmenters_are_named_with_commas(run):
    code, out, err = run(
        *("analyse", "segmentation", CORPUS, CAUTIOUS, EAGER, "--segmenter", "characters"),
        *("--format", "json", "--beside", "sentence-accuracy", "--metric", "m2,sent-m2"),
    )
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert [segmenter["segmenter"] for segmenter in data["segmenters"]] == ["characters"]
    assert list(data["movements"]) == ["m2", "sent-m2"]
    assert list(data["beside"]) == ["sentence-accuracy"]


def test_nothing_stands_beside_where_nothing_is_asked_for(run):
    code, out, _ = run(
        *("analyse", "segmentation", CORPUS, CAUTIOUS, "--segmenter", "characters"),
        *("--beside", "", "--golds", "divided", "--format", "json"),
    )
    assert code == 0
    assert json.loads(out)["beside"] == {}


def test_options_that_no_metric_takes_are_refused(run):
    code, _, err = run("analyse", "segmentation", CORPUS, CAUTIOUS, "--level", "detection-span")
    assert code == 2
    assert "no metric of m2 has the option level" in err


def test_an_annotator_with_an_empty_name_is_refused_with_its_line(run, submissions):
    text = submissions.read_text("utf-8").replace('"王"', '""', 1)
    submissions.write_text(text, encoding="utf-8")
    code, _, err = run("analyse", "human", CORPUS, submissions, *CHAR)
    assert code == 1
    assert err.startswith(f"gecbench: {submissions}:2: the annotator is ''; write a name, or leave")


def test_annotators_whose_edits_overlap_are_scored_by_what_their_texts_say(run, tmp_path):
    """Published gold files have an edit twice; its text is known."""
    line = "A 1 2|||S|||高二|||REQUIRED|||-NONE-|||0\n"
    path = tmp_path / "twice.m2"
    path.write_text(f"S 我 高中二 的\n{line}{line}\n", encoding="utf-8")
    words = ("--from", "m2-maxmatch", "--system-from", "m2-maxmatch", "--metric", "m2")
    code, out, err = run("analyse", "human", path, path, *words, "--least", "1")
    assert (code, err) == (0, "")
    assert "mean of 1" in out
    over = "A 1 3|||S|||高三|||REQUIRED|||-NONE-|||0\n"
    path.write_text(f"S 我 高中二 的\n{line}{over}\n", encoding="utf-8")
    code, _, err = run("analyse", "human", path, path, *words)
    assert code == 1
    assert "overlaps edit span 1 2" in err


@pytest.mark.parametrize("option", ["--between=eager,x", "--least=1", "--sentences=0"])
def test_options_of_two_systems_are_refused_with_one(run, option):
    code, _, err = run("analyse", "breakdown", CORPUS, EAGER, *CHAR, option)
    assert code == 2
    assert_is_line(err, "two systems", option.partition("=")[0])


def between(run, between_value: str, *names: str) -> tuple[int, str, str]:
    systems = [f"{name}={EAGER if n % 2 else CAUTIOUS}" for n, name in enumerate(names)]
    return run(
        *("analyse", "breakdown", CORPUS, *systems, *CHAR, "--by", "state", "--format", "json"),
        *("--between", between_value),
    )


def test_systems_whose_names_have_commas_can_be_named(run):
    code, out, err = between(run, "x,y,b", "x,y", "b", "c")
    assert (code, err) == (0, "")
    assert json.loads(out)["comparisons"][0]["between"] == ["x,y", "b"]
    code, out, _ = between(run, "b, x,y", "x,y", "b")
    assert json.loads(out)["comparisons"][0]["between"] == ["b", "x,y"]


def test_two_systems_that_may_be_meant_by_one_text_are_told_apart(run):
    code, _, err = between(run, "x,y,b", "x,y", "b", "x", "y,b")
    assert code == 2
    assert "--between 'x,y,b' may be 'x' and 'y,b' or 'x,y' and 'b'" in err


@pytest.mark.parametrize("option", ["--seed=1", "--subsets=3"])
def test_options_of_draws_are_refused_where_the_first_references_are_taken(run, option):
    words = ("analyse", "references", CORPUS, EAGER, *CHAR, option)
    code, _, err = run(*words, "--take", "first")
    assert code == 2
    name = option.partition("=")[0]
    assert f"--take first draws no subsets; leave {name} out" in err
    assert run(*words)[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--beside", ""), "no metric beside needs edits; leave --scheme out"),
        (("--beside", "char-bleu"), "no metric beside needs edits; leave --scheme out"),
        (("--beside", "moon"), "unknown metric 'moon'"),
        (("--beside", "char-bleu,char-bleu"), "leave --scheme out"),
    ],
)
def test_a_scheme_that_nothing_needs_is_refused(run, words, message):
    code, out, err = run("analyse", "segmentation", CORPUS, CAUTIOUS, *CHAR, *words)
    assert (code, out) == (2, "")
    assert message in err


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def broken_down(run, *words: object, form: str) -> str:
    code, out, _ = run(
        *("analyse", "breakdown", CORPUS, CAUTIOUS, EAGER, *CHAR, "--ci", "--resamples", "200"),
        *("--seed", "3", "--format", form, *words),
    )
    assert code == 0
    return out


def test_a_breakdown_has_the_intervals_of_score_in_every_form(run):
    """A group of sentences has the interval that `score --by` gives it."""
    code, out, _ = run(
        *("score", CORPUS, CAUTIOUS, *CHAR, "--by", "origin", "--ci", "--resamples", "200"),
        *("--seed", "3", "--format", "json"),
    )
    assert code == 0
    expected = json.loads(out)["results"][1]
    interval = expected["interval"]
    by = ("--by", "field:origin")
    (breakdown,) = json.loads(broken_down(run, *by, form="json"))["breakdowns"]
    cell = breakdown["cells"]["cautious"][breakdown["groups"].index(expected["subset"])]
    assert cell["interval"] == interval
    first = rows_of(broken_down(run, *by, form="csv"))[0]
    assert first["origin"] == expected["subset"]
    ends = (float(first["cautious 95% from"]), float(first["cautious 95% to"]))
    assert ends == (interval["low"], interval["high"])
    counts = broken_down(run, *by, "--counts", "--table", "counts", form="csv")
    assert float(rows_of(counts)[0]["95% from"]) == interval["low"]
    text = f"{100 * interval['low']:.2f}-{100 * interval['high']:.2f}"
    assert f"75.86*  {text}" in broken_down(run, *by, form="text")
    assert f"| **75.86** | {text} |" in broken_down(run, *by, form="markdown")


def test_groups_with_nothing_to_correct_have_no_interval_and_a_note_says_so(run):
    rows = rows_of(broken_down(run, "--by", "state", form="csv"))
    ends = {row["state"]: row["cautious 95% from"] for row in rows}
    assert ends["error-free"] == ""
    assert ends["erroneous"] != ""
    assert "-\n" in broken_down(run, "--by", "state", form="text")
    notes = json.loads(broken_down(run, "--by", "state", form="json"))["notes"]
    assert any("nothing to correct" in note for note in notes)


def test_intervals_of_types_hold_the_choice_of_references(run):
    data = json.loads(broken_down(run, "--by", "type-1", form="json"))
    for cells in data["breakdowns"][0]["cells"].values():
        for cell in cells:
            assert cell["interval"]["low"] <= cell["value"] <= cell["interval"]["high"]
    assert any("choice of references is held" in note for note in data["notes"])


def test_metrics_that_count_no_edits_have_intervals_too(run):
    words = ("--by", "length", "--metric", "sentence-accuracy", "--ci", "--format", "json")
    code, out, _ = run("analyse", "breakdown", CORPUS, CAUTIOUS, EAGER, *words)
    assert code == 0
    data = json.loads(out)
    intervals = [cell["interval"] for cell in data["breakdowns"][0]["cells"]["eager"]]
    assert all(0 <= interval["low"] < interval["high"] <= 1 for interval in intervals)


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (("--resamples", "200"), ("--resamples", "--ci")),
        (("--ci", "--resamples", "0"), ("--resamples 0",)),
        (("--ci", "--resamples", "50"), ("50", "100")),
    ],
)
def test_resamples_of_a_breakdown_are_refused_as_by_score(run, words, facts):
    code, out, err = run("analyse", "breakdown", CORPUS, EAGER, *CHAR, *words)
    assert (code, out) == (2, "")
    assert_is_line(err, *facts)
