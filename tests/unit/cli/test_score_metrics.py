"""Several metrics, corpora and intervals on the command line, in both languages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from messages import assert_is_line, missing_facts

from gecbench.api.files import sample
from gecbench.lang.zh.char import scheme as zh_char

ZH = str(sample("zh", "corpus.jsonl"))
EN = str(sample("en", "corpus.jsonl"))
EAGER, CAUTIOUS = str(sample("zh", "eager.txt")), str(sample("zh", "cautious.txt"))
EN_EAGER, EN_CAUTIOUS = str(sample("en", "eager.txt")), str(sample("en", "cautious.txt"))

GOLD = """\
S The cat sat at mat .
A 3 4|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 4 4|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 3 4|||UNK|||at|||REQUIRED|||-NONE-|||1

S No error here .

"""


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(GOLD, "utf-8")
    return tmp_path / "gold.m2"


@pytest.fixture
def hypothesis(tmp_path: Path) -> Path:
    (tmp_path / "sys.txt").write_text("The cat sat on the mat .\nNo error here .\n", "utf-8")
    return tmp_path / "sys.txt"


def scored(run, *words: object) -> dict:
    code, out, err = run("score", *words, "--format", "json")
    assert (code, err) == (0, ""), err
    return json.loads(out)


def values(data: dict) -> dict:
    return {(r["system"], r["metric"]): r["value"] for r in data["results"]}


def test_all_metrics_stand_in_one_table(run):
    names = ["sentence-accuracy", "char-bleu", "gleu", "mp-prime", "green", "cherrant", "m2"]
    words = (ZH, EAGER, CAUTIOUS, "--scheme", "zh-char", "--metric", ",".join(names))
    data = scored(run, *words)
    assert list(dict.fromkeys(r["metric"] for r in data["results"])) == names
    assert all(r["signature"].startswith(f"metric:{r['metric']}|") for r in data["results"])
    header = run("score", *words)[1].splitlines()[0].split()
    assert header == ["system", *names]


def test_a_metric_of_another_language_says_why_it_has_no_number(run):
    data = scored(run, ZH, EAGER, "--scheme", "zh-char", "--metric", "cherrant,errant")
    assert data["results"][1] == {
        "system": "eager",
        "metric": "errant",
        "value": None,
        "note": "errant is for language en, corpus 'zh-samples' is in zh",
    }


def test_where_no_metric_applies_the_run_fails(run):
    code, out, err = run("score", EN, EN_EAGER, "--metric", "cherrant")
    assert (code, out) == (2, "")
    assert "cherrant is for language zh, corpus 'en-samples' is in en; take --metric errant" in err


def test_a_scheme_of_another_language_than_it_looks_like_is_refused(run, gold, hypothesis):
    code, out, err = run("score", gold, hypothesis, "--scheme", "zh-char")
    assert (code, out) == (2, "")
    assert "scheme zh-char is for language 'zh', the corpus looks like 'en'" in err
    assert "the corpus looks like 'en'" in run("edits", gold, "--scheme", "zh-char")[2]


def test_types_that_tell_their_scheme_may_stand_beside_found_ones(run, gold, hypothesis, tmp_path):
    data = scored(run, gold, hypothesis)
    assert not any("given in files" in note for note in data["notes"])
    gold.write_text(GOLD.replace("M:DET", "ArtOrDet"), "utf-8")
    data = scored(run, gold, hypothesis)
    assert any(
        "are not those of scheme en-errant (of types as ArtOrDet)" in note for note in data["notes"]
    )


def test_edits_that_overlap_say_what_to_do(run, hypothesis, tmp_path: Path):
    line = "A 3 4|||R:PREP|||on|||REQUIRED|||-NONE-|||0\n"
    (tmp_path / "twice.m2").write_text(GOLD.replace(line, line + line), "utf-8")
    words = (tmp_path / "twice.m2", hypothesis, "--from", "m2-maxmatch")
    code, _, err = run("score", *words)
    assert code == 1
    assert "sentence '1': edit span 3 4 overlaps edit span 3 4" in err
    assert run("score", *words, "--metric", "m2")[0] == 0


def test_metrics_over_texts_need_no_scheme(run, monkeypatch):
    def refuse(*_: object, **__: object):
        raise AssertionError("a scheme was made")

    monkeypatch.setattr("gecbench.api.schemes._load", refuse)
    assert values(scored(run, EN, EN_EAGER, "--metric", "gleu,sentence-accuracy"))


def test_given_golds_need_no_scheme_either(run, gold, hypothesis, monkeypatch):
    monkeypatch.setattr("gecbench.api.schemes._load", None)
    data = scored(run, gold, hypothesis, "--metric", "m2,sent-m2")
    assert values(data) == {("sys", "m2"): 1.0, ("sys", "sent-m2"): 1.0}
    assert "|golds:as given|tokens:spaces|" in data["results"][0]["signature"]


def test_english_edits_are_found_by_the_pipeline_that_is_brought_along(run):
    data = scored(run, EN, EN_EAGER, EN_CAUTIOUS)
    assert [r["metric"] for r in data["results"]] == ["errant", "errant"]
    assert "|spacy-model:en_gecbench_small 1.0.0 (spacy 3." in data["results"][0]["signature"]
    assert sum("published ERRANT figures" in note for note in data["notes"]) == 1
    assert "R:SPELL" in data["results"][0]["by_type"]


def test_types_are_found_only_where_they_are_shown(run, monkeypatch):
    plain = run("score", EN, EN_EAGER)[1].splitlines()[1].split()[1:4]
    typed = scored(run, EN, EN_EAGER)["results"][0]
    assert [int(number) for number in plain] == [typed["tp"], typed["fp"], typed["fn"]]
    monkeypatch.setattr("gecbench.lang.en.errant.load_resources", None)
    assert run("score", EN, EN_EAGER)[0] == 0


def test_golds_are_found_where_none_are_given(run):
    data = scored(run, EN, EN_EAGER, "--metric", "m2")
    assert "|golds:extracted|scheme:en-errant|" in data["results"][0]["signature"]


def test_corpora_stand_side_by_side(run):
    words = [EN, EN_EAGER, "+", ZH, EAGER, "--metric", "sentence-accuracy,errant,cherrant"]
    data = scored(run, *words[:-1], "sentence-accuracy")
    assert [corpus["corpus"]["name"] for corpus in data["corpora"]] == ["en-samples", "zh-samples"]
    code, out, err = run("score", EN, EN_EAGER, "+", EN, EN_CAUTIOUS)
    assert (code, err) == (0, "")
    header = ["system", "en-samples", "errant", "en-samples", "(2)", "errant"]
    assert out.splitlines()[0].split() == header, "two of one name stay two"


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ([EN, "+", ZH, EAGER], ("+", "corpus", "system")),
        ([EN, EN_EAGER, "+"], ("+", "corpus", "system")),
        ([EN, EN_EAGER, "+", ZH, EAGER, "--reference", "x"], ("--reference", "--meta", "corpus")),
        ([EN, EN_EAGER, "--set", "gleu.unit"], ("--set", "'gleu.unit'", "METRIC.OPTION=VALUE")),
        ([EN, EN_EAGER, "--set", "gleu.unit=word"], ("'gleu.unit'", "metric")),
        ([EN, EN_EAGER, "--metric", "gleu", "--set", "gleu.order=0"], ("gleu.order", "0")),
        ([EN, EN_EAGER, "--ci", "--resamples", "5"], ("resamples", "5", "100")),
        ([EN, EN_EAGER, "--normalise", "nfd"], ("normalisation", "'nfd'", "nfc")),
        ([EN, EN_EAGER, "--segmenter", "jiebar", "--metric", "m2"], ("segmenter", "'jiebar'")),
        ([EN, EN_EAGER, "--seed", "1"], ("--seed", "--ci")),
        ([EN, EN_EAGER, "--metric", "gleu", "--beta", "2"], ("gleu", "beta")),
        ([EN, EN_EAGER, "--metric", "m2", "--level", "detection-span"], ("m2", "level")),
        ([EN, EN_EAGER, "--metric", "m2", "--exclude", "R:DET"], ("m2", "exclude")),
        ([EN, EN_EAGER, "--segmenter", "jieba"], ("errant", "segmenter")),
        ([EN, EN_EAGER, "--metric", "m2", "--segmenter", "spaces"], ("spaces", "en-errant", "M2")),
        (
            [EN, EN_EAGER, "--metric", "m2", "--set", "m2.a-b=1", "--set", "m2.a_b=2"],
            ("--set", "m2.a_b", "once"),
        ),
        ([EN, EN_EAGER, "--metric", "gleu", "--merging", "rules"], ("gleu", "--merging")),
        (
            [EN, EN_EAGER, "--metric", "gleu,green", "--scheme", "en-errant"],
            ("gleu", "green", "--scheme"),
        ),
        ([EN, EN_EAGER, "--metric", "gleu", "--lev"], ("gleu", "--lev")),
        ([EN, EN_EAGER, "--merging", "none"], ("--merging", "'none'")),
        (
            [ZH, EAGER, "--scheme", "zh-char", "--spacy-model", "x"],
            ("zh-samples", "zh-char", "spacy-model"),
        ),
    ],
)
def test_wrong_use_is_one_line(run, words: list[str], facts: tuple[str, ...]):
    code, out, err = run("score", *words)
    assert (code, out) == (2, "")
    assert_is_line(err, *facts)


def test_a_pipeline_of_the_environment_is_for_english_alone(run, monkeypatch):
    monkeypatch.setenv("GECBENCH_SPACY_MODEL", "en_no_such")
    assert run("score", ZH, EAGER, "--scheme", "zh-char")[0] == 0
    assert "there is no folder and no installed" in run("score", EN, EN_EAGER)[2]


def test_intervals_hold_their_values(run):
    data = scored(run, EN, EN_EAGER, "--metric", "gleu,errant", "--ci", "--resamples", "200")
    for result in data["results"]:
        assert result["interval"]["low"] < result["value"] < result["interval"]["high"]
        assert result["interval"]["level"] == 0.95
    again = scored(run, EN, EN_EAGER, "--metric", "gleu,errant", "--ci", "--resamples", "200")
    other = scored(
        run, EN, EN_EAGER, "--metric", "gleu,errant", "--ci", "--resamples", "200", "--seed", "1"
    )
    assert data == again != other


def test_normalising_is_counted_and_stands_in_the_signature(run, tmp_path: Path):
    (tmp_path / "a.txt").write_text("Ａ cat .\n", "utf-8")
    (tmp_path / "b.txt").write_text("A cat .\n", "utf-8")
    words = (
        tmp_path / "a.txt",
        tmp_path / "b.txt",
        "--reference",
        tmp_path / "a.txt",
        "--lang",
        "en",
    )
    plain = scored(run, *words, "--metric", "sentence-accuracy")
    folded = scored(run, *words, "--metric", "sentence-accuracy", "--normalise", "halfwidth")
    assert [data["results"][0]["value"] for data in (plain, folded)] == [0.0, 1.0]
    assert "|normalise:halfwidth|" in folded["results"][0]["signature"]
    assert any(note.startswith("normalising changed ") for note in folded["notes"])


def test_what_metrics_leave_out_differs_and_is_said(run, tmp_path: Path):
    lines = [
        '{"format": "gecbench", "version": 1, "name": "x", "lang": "zh"}',
        '{"id": "1", "source": "我去了", "references": [{"unannotatable": true}, '
        '{"unannotatable": true}]}',
        '{"id": "2", "source": "他来", "references": [{"text": "他来了"}]}',
    ]
    head = Path(ZH).read_text("utf-8").splitlines()[0]
    lines[0] = json.dumps({**json.loads(head), "name": "x"}, ensure_ascii=False)
    (tmp_path / "x.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "sys.txt").write_text("我去\n他来了\n", "utf-8")
    words = (tmp_path / "x.jsonl", tmp_path / "sys.txt", "--scheme", "zh-char")
    data = scored(run, *words, "--metric", "cherrant,sentence-accuracy")
    assert [r["sentences"] for r in data["results"]] == [2, 1]
    assert data["notes"] == [
        "metrics leave out different numbers of sentences that nobody could correct: "
        "cherrant 0, sentence-accuracy 1"
    ]


def test_each_metric_says_its_own_of_each_sentence(run, gold, hypothesis, tmp_path: Path):
    out = tmp_path / "sentences.jsonl"
    words = (gold, hypothesis, "--metric", "m2,gleu", "--per-sentence", out)
    assert run("score", *words)[0] == 0
    header, *rows = map(json.loads, out.read_text("utf-8").splitlines())
    assert len(header["signatures"]) == 2
    assert [(row["metric"], row["id"]) for row in rows] == [
        ("m2", "1"),
        ("m2", "2"),
        ("gleu", "1"),
        ("gleu", "2"),
    ]


def test_undivided_texts_are_refused_unless_they_are_meant(run, gold, tmp_path: Path):
    (tmp_path / "sys.txt").write_text("Thecatsatonthemat.\nNoerrorhere.\n", "utf-8")
    code, out, err = run("score", gold, tmp_path / "sys.txt", "--metric", "m2")
    assert (code, out) == (2, "")
    assert "sys: looks unsegmented: the median text has 0.25" in err
    meant = scored(run, gold, tmp_path / "sys.txt", "--metric", "m2", "--segmenter", "spaces")
    assert any("looks unsegmented" in note for note in meant["notes"])
    named = scored(run, gold, tmp_path / "sys.txt", "--metric", "m2", "--segmenter", "characters")
    assert any("segmenter characters divides 0 of 2" in note for note in named["notes"])


def test_sentences_too_long_to_be_exact_are_named(run, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("gecbench.edits.maxmatch.MOST_PAIRS", 1)
    (tmp_path / "gold.m2").write_text(GOLD, "utf-8")
    (tmp_path / "sys.txt").write_text("A dog sits on the mats .\nNo error here .\n", "utf-8")
    data = scored(run, tmp_path / "gold.m2", tmp_path / "sys.txt", "--metric", "m2")
    (note,) = data["notes"]
    assert missing_facts(note, ("m2", "sentences too long", "1")) == []


def test_given_edits_can_be_kept(run, gold):
    code, out, err = run("edits", gold, "--keep-edits")
    assert (code, err) == (0, "")
    assert "A 3 4|||UNK|||at|||REQUIRED|||-NONE-|||1" in out
    assert run("edits", gold, "--keep-edits", "--no-relabel")[1].startswith(GOLD)
    code, _, err = run("edits", ZH, "--scheme", "zh-char", "--keep-edits")
    assert code == 2
    assert "scheme zh-char" in err
    code, _, err = run("edits", EN, "--keep-edits")
    assert code == 1
    assert "has a reference without edits to keep; leave --keep-edits out" in err


def test_an_error_that_is_only_detected_stays_when_edits_are_extracted(run, tmp_path: Path):
    (tmp_path / "x.m2").write_text(
        "S 我 去\nT0-A0 我 去\nA 0 1|||UNK|||我|||REQUIRED|||-NONE-|||0\n\n", "utf-8"
    )
    code, out, _ = run("edits", tmp_path / "x.m2", "--scheme", "zh-char")
    assert (code, out.splitlines()[-2]) == (0, "A 0 1|||UNK|||我|||REQUIRED|||-NONE-|||0")


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("errant", ["--lev"], "--lev has no effect; add --re-extract, or leave --lev out"),
        (
            "errant",
            ["--lev", "--no-re-extract"],
            "add --re-extract in place of --no-re-extract, or leave --lev out",
        ),
        (
            "errant",
            ["--scheme", "en-errant", "--merging", "all-split"],
            "add --re-extract, or leave --scheme and --merging out",
        ),
        ("m2", ["--lev"], "no effect; leave --lev out"),
        ("m2", ["--re-extract"], "leave it out"),
        ("gleu", ["--re-extract"], "leave --re-extract out"),
        ("gleu", ["--lev"], "leave --lev out"),
    ],
)
def test_options_of_extraction_are_refused_where_nothing_is_extracted(
    run, tmp_path: Path, metric: str, options: list[str], message: str
):
    (tmp_path / "gold.m2").write_text(OWN, "utf-8")
    words = ["score", tmp_path / "gold.m2", tmp_path / "gold.m2", "--lang", "en"]
    code, out, err = run(*words, "--metric", metric, *options)
    assert (code, out) == (2, "")
    assert message in err
    if metric == "errant":
        assert run(*words, "--metric", metric, *options, "--re-extract")[0] == 0  # the last counts


@pytest.mark.parametrize("words", [("score",), ("analyse", "difficulty")])
def test_a_scheme_is_used_if_one_of_several_corpora_uses_it(run, tmp_path: Path, words):
    gold = tmp_path / "gold.m2"
    gold.write_text(OWN, "utf-8")
    scheme = ("--scheme", "en-errant")
    code, out, err = run(*words, gold, gold, "+", EN, EN_EAGER, *scheme)
    assert (code, err) == (0, "")
    assert "en-samples" in out
    code, out, err = run(*words, gold, gold, "+", gold, gold, *scheme)
    assert (code, out) == (2, "")
    assert "gold: all edits stand in the files" in err


def test_an_option_of_extraction_may_have_an_effect_on_one_corpus_of_several(
    run, tmp_path: Path, monkeypatch
):
    def cherrant(_context, *, simplify: bool = True):
        return replace(zh_char(), signature={"simplify": str(simplify)})

    monkeypatch.setattr("gecbench.lang.zh.cherrant.scheme", cherrant)
    gold = tmp_path / "gold.m2"
    gold.write_text(OWN, "utf-8")
    pair, english, chinese = (gold, gold), (EN, EN_EAGER), (ZH, EAGER)
    for words in (
        (*chinese, "+", *english, "--no-simplify"),
        (*chinese, "+", *english, "--no-simplify", "--lev"),
        (*pair, "+", *english, "--lev"),
        (*pair, "+", *english, "--metric", "m2", "--re-extract"),
    ):
        code, _, err = run("score", *words)
        assert (code, err) == (0, "")
    alone = scored(run, *chinese, "--no-simplify")["results"][0]["signature"]
    beside = scored(run, *chinese, "+", *english, "--no-simplify")["corpora"][0]
    assert "|simplify:False|" in alone
    assert beside["results"][0]["signature"] == alone


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--no-simplify"], "gold: all edits stand in the files"),
        (["--metric", "m2", "--re-extract"], "gold: no metric of m2 compares edits"),
    ],
)
def test_an_option_without_effect_on_any_corpus_is_refused_before_edits_are_extracted(
    run, tmp_path: Path, monkeypatch, options: list[str], message: str
):
    monkeypatch.setattr("gecbench.lang.en.errant._Errant.batch", None)
    gold = tmp_path / "gold.m2"
    gold.write_text(OWN, "utf-8")
    other = (EN, EN_EAGER) if "--no-simplify" in options else (gold, gold)
    code, out, err = run("score", gold, gold, "+", *other, *options, "--lang", "en")
    assert (code, out) == (2, "")
    assert message in err


def test_notes_on_a_scheme_name_the_corpus_that_it_extracted_nothing_of(run, tmp_path: Path):
    gold = tmp_path / "gold.m2"
    gold.write_text(OWN, "utf-8")
    words = ("score", gold, gold, "+", gold, gold, "+", EN, EN_EAGER, "--scheme", "en-errant")
    code, out, _ = run(*words, "--no-re-extract")
    assert code == 0
    text = " ".join(out.split())
    assert "note: gold: all edits stand in the files" in text
    assert "note: gold (2): all edits stand in the files" in text


OWN = (
    "S She go to the school .\n"
    "A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0\n"
    "A 3 4|||U:DET||||||REQUIRED|||-NONE-|||0\n\n"
)
"""Edits as ERRANT finds them."""
