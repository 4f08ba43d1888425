"""Which language a corpus is in: what the caller says, else the header, else what texts show."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from messages import expect_error, missing_facts

import gecbench
from gecbench import lang
from gecbench.api.files import sample
from gecbench.api.options import Places, SchemeSpec
from gecbench.api.schemes import scheme_for
from gecbench.core.errors import ResourceError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.lang.en import PIPELINE
from gecbench.metrics import METRICS, metric_class
from gecbench.scoring.languages import (
    check_language,
    check_pipeline,
    corpus_language,
    default_scheme,
    normaliser_notes,
)

PAIRS = {
    "de": (
        "Er gehen gestern nach Hause und lesen ein Buch .",
        "Er ging gestern nach Hause und las ein Buch .",
    ),
    "cs": (
        "Včera jsem byl doma a četl jsem zajímavou knížka .",
        "Včera jsem byl doma a četl jsem zajímavou knížku .",
    ),
    "ru": (
        "Вчера я читал очень интересный книгу о русской истории .",
        "Вчера я читал очень интересную книгу о русской истории .",
    ),
    "ar": (
        "ذهبت الى المدرسة أمس مع أصدقائي وقرأنا كتابا .",
        "ذهبت إلى المدرسة أمس مع أصدقائي وقرأنا كتابا .",
    ),
    "et": (
        "Eile käisin ma kool ja lugesin väga huvitavat raamatut .",
        "Eile käisin ma koolis ja lugesin väga huvitavat raamatut .",
    ),
    "ko": (
        "나는 어제 학교에 재미있는 책을 읽었습니다 .",
        "나는 어제 학교에서 재미있는 책을 읽었습니다 .",
    ),
    "ja": ("昨日学校に面白い本を読みました。", "昨日学校で面白い本を読みました。"),
}


def corpus_of(code: str | None, source: str, target: str) -> Corpus:
    return Corpus("c", (Sample("1", source, (Rewrite(text=target),)),), code)


def files_of(folder: Path, source: str, target: str) -> list[Path]:
    paths = [folder / "source.txt", folder / "target.txt"]
    for path, text in zip(paths, (source, target), strict=True):
        path.write_text(f"{text}\n", encoding="utf-8")
    return paths


@pytest.mark.parametrize("code", PAIRS)
def test_undeclared_text_of_other_languages_is_not_scored_as_english(run, tmp_path, code: str):
    source, target = files_of(tmp_path, *PAIRS[code])
    words = ["score", source, target, "--reference", target, "--format", "json"]
    exit_code, out, err = run(*words)
    assert exit_code == 0
    assert missing_facts(out + err, (f"{code!r}", "no language is declared", "--lang")) == []
    (result,) = json.loads(out)["results"]
    assert result["metric"] == "edits"
    assert f"scheme:{'xx-char' if code == 'ja' else 'xx-word'}|" in result["signature"]


@pytest.mark.parametrize("code", PAIRS)
def test_python_finds_the_language_as_the_command_line(code: str):
    corpus = corpus_of(None, *PAIRS[code])
    system = SystemOutput("s", {"1": corpus.samples[0].references})
    report = gecbench.score(corpus, [system])
    assert [(result.metric, result.score.counts.tp > 0) for result in report.results] == [
        ("edits", True)
    ]
    assert any(repr(code) in note and "--lang" in note for note in report.notes)


def test_what_cannot_be_told_is_asked_for(run, tmp_path):
    source, target = files_of(tmp_path, "Он не", "Он нет")
    words = ["score", source, target, "--reference", target]
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert "--lang" in err
    code, out, err = run(*words, "--lang", "ru")
    assert (code, err) == (0, "")
    assert "metric:edits|scheme:xx-word" in out
    assert "no language is declared" not in out


def test_the_caller_has_more_say_than_the_header(tmp_path):
    path = tmp_path / "c.jsonl"
    gecbench.save(corpus_of("en", "x", "y"), path, format="jsonl")
    assert gecbench.load(path).lang == "en"
    assert gecbench.load(path, lang="de").lang == "de"
    assert corpus_language(gecbench.load(path, lang="zh-Hans")).code == "zh"


@pytest.mark.parametrize(
    ("code", "want"), [("DE", "de"), ("deu", "de"), ("zh-", "zh"), ("zh-Hans", "zh-Hans")]
)
def test_headers_and_values_have_the_code_that_the_option_has(tmp_path, code: str, want: str):
    assert corpus_of(code, "x", "y").lang == want
    assert lang.language_of(code).code == want.partition("-")[0]
    pair = {"source": "x", "reference": "y"}
    rows: dict[str, dict[str, object]] = {
        "corpus": {"id": "1", "source": "x", "references": []},
        "perturbed": {"subset": "s", "id": "1", "original": pair, "variants": [pair]},
    }
    path = tmp_path / "c.jsonl"
    for name, load in (("corpus", gecbench.load), ("perturbed", gecbench.load_perturbed)):
        head = {"format": f"gecbench-{name}", "schema": 1, "name": "c", "lang": code}
        path.write_text(f"{json.dumps(head)}\n{json.dumps(rows[name])}\n", "utf-8")
        assert load(path).lang == want


@pytest.mark.parametrize("code", ["", "zh\n", "German", "d", "zh_CN", "cn", "JP"])
def test_what_is_no_code_is_refused_everywhere(run, tmp_path, code):
    with pytest.raises(gecbench.GecbenchError, match="ISO 639"):
        corpus_of(code, "x", "y")
    with pytest.raises(UsageError, match="ISO 639"):
        lang.language_of(code)
    head = {"format": "gecbench-corpus", "schema": 1, "name": "c", "lang": code}
    path = tmp_path / "c.jsonl"
    path.write_text(f'{json.dumps(head)}\n{{"id": "1", "source": "x"}}\n', "utf-8")
    with pytest.raises(gecbench.GecbenchError, match=r"c\.jsonl:1: .*header"):
        gecbench.load(path, lang="de")
    for words in (
        ("correct", "copying", "He go home ."),
        ("corrupt", sample("en", "eager.txt")),
    ):
        exit_code, out, err = run(*words, "--lang", code)
        assert (exit_code, out) == (2, "")
        assert "ISO 639" in err


def test_corrections_are_in_the_language_that_is_named(run, tmp_path):
    source, _ = files_of(tmp_path, "Er gehen .", "")
    for code in ("DE", "deu"):
        exit_code, out, _ = run("correct", "copying", source, "--to", "jsonl", "--lang", code)
        assert exit_code == 0
        assert json.loads(out.splitlines()[0])["lang"] == "de"


def test_the_header_has_more_say_than_the_texts():
    assert default_scheme(corpus_of("en", "我", "我")) == "en-errant"
    assert default_scheme(corpus_of(None, "我", "我")) == "zh-cherrant"


def test_a_chosen_scheme_says_what_texts_do_not_show():
    corpus = corpus_of(None, "1 2", "1 3")
    assert corpus_language(corpus, "zh-char").code == "zh"
    assert corpus_language(corpus, SchemeSpec("zh-char").name).code == "zh"
    assert corpus_language(corpus, gecbench.load_scheme("xx-word").name).code == "xx"
    with pytest.raises(UsageError, match="--lang"):
        corpus_language(corpus)


@pytest.mark.parametrize("corpus", [corpus_of(None, *PAIRS["de"]), corpus_of("de", "a", "b")])
def test_a_scheme_of_another_language_is_refused(corpus: Corpus):
    with pytest.raises(UsageError, match=r"'zh'.*'de'"):
        check_language(corpus, gecbench.load_scheme("zh-char"))
    check_language(corpus, gecbench.load_scheme("xx-char"))


def test_errant_without_a_pipeline_of_its_own_is_english():
    corpus = corpus_of("en", "He go .", "He goes .")
    assert scheme_for(corpus, SchemeSpec("errant")).name == "en-errant"
    assert scheme_for(corpus, "errant").name == "en-errant"


def test_the_environment_chooses_a_pipeline_of_errant_as_the_option_does(
    run, tmp_path, monkeypatch
):
    source, target = files_of(tmp_path, *PAIRS["de"])
    words = ["score", source, target, "--reference", target, "--lang", "xx", "--scheme", "errant"]
    by_option = run(*words, "--spacy-model", str(PIPELINE))
    assert by_option[0] == 0
    monkeypatch.setenv("GECBENCH_SPACY_MODEL", str(PIPELINE))
    assert run(*words) == by_option
    assert run(*words[:-2])[0] == 0, "a preference, for schemes that have the option"


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(
    ("code", "texts"), [("de", PAIRS["de"]), ("zh", ("我今天很高心。", "我今天很高兴。"))]
)
def test_a_pipeline_of_another_language_is_refused(run, tmp_path, declared: bool, code: str, texts):
    source, target = files_of(tmp_path, *texts)
    scheme = ["--scheme", "errant", "--spacy-model", PIPELINE]
    files = [source, target, "--reference", target]
    for words in (
        ["score", *files],
        ["compare", source, f"a={target}", f"b={target}", "--reference", target],
        ["edits", source, "--reference", target],
        ["combine", source, f"a={target}", f"b={target}", "-o", tmp_path / "x"],
        ["report", *files, "-o", tmp_path / "x.html"],
        ["analyse", "breakdown", *files],
    ):
        exit_code, out, err = run(*words, *scheme, *(["--lang", code] if declared else []))
        errors = [line for line in err.splitlines() if not line.startswith("note: ")]
        assert (exit_code, out, len(errors)) == (2, "", 1), words
        assert missing_facts(err, ("pipeline", "'en'", repr(code), "--spacy-model")) == []
        assert ("--lang en" in err) is not declared
    exit_code, out, _ = run("score", *files, *scheme, "--lang", "xx")
    assert (exit_code, "scheme:errant" in out) == (0, True)


def test_the_pipeline_of_the_environment_is_held_against_the_language_too(run, tmp_path, german):
    source, target = files_of(tmp_path, "She go home .", "She goes home .")
    for scheme in ([], ["--scheme", "errant"], ["--scheme", "en-errant"]):
        words = ["score", source, target, "--reference", target, "--lang", "en", *scheme]
        code, _, err = run(*words, "--spacy-model", german)
        assert (code, err.count("\n")) == (2, 1)
        assert missing_facts(err, ("'de'", "'en'", "--spacy-model", "GECBENCH_SPACY_MODEL")) == []


@pytest.fixture
def german(tmp_path: Path) -> Path:
    """The English pipeline, said to be German."""
    folder = tmp_path / "de"
    shutil.copytree(PIPELINE, folder)
    meta = json.loads((folder / "meta.json").read_text("utf-8"))
    (folder / "meta.json").write_text(json.dumps({**meta, "lang": "de"}), "utf-8")
    return folder


def test_a_pipeline_of_perturb_is_held_against_the_language_too(run, tmp_path, german):
    source, target = files_of(tmp_path, "She go home .", "She goes home .")
    words = ["perturb", source, "--reference", target, "--lang", "en", "--spacy-model", german]
    code, _, err = run(*words, "-o", tmp_path / "x.jsonl")
    assert code == 2
    assert missing_facts(err, ("'de'", "'en'", "--spacy-model")) == []


def test_norwegian_has_several_codes():
    for code in ("nb", "nn", "no"):
        check_pipeline(corpus_of(code, "a", "b"), "nb_core_news_sm", "nb")
    with pytest.raises(UsageError, match="'da'"):
        check_pipeline(corpus_of("da", "a", "b"), "nb_core_news_sm", "nb")
    check_pipeline(corpus_of("da", "a", "b"), "xx_sent", "xx")


ENGLISH = (
    "She see her friends every days , and they is happy .",
    "She sees her friends every day , and they are happy .",
)


@pytest.mark.parametrize(("first", "then"), [("en", "de"), ("de", "en")])
def test_many_sentences_of_another_language_are_noted_once(run, tmp_path, first, then):
    pairs = {"en": ENGLISH, "de": PAIRS["de"]}
    paths = [tmp_path / "source.txt", tmp_path / "target.txt"]
    for side, path in enumerate(paths):
        lines = [pairs[first][side]] * 30 + [pairs[then][side]] * 15
        path.write_text("\n".join(lines) + "\n", "utf-8")
    source, target = paths
    facts = (f"15 look like '{then}'", "45 sentences", "the first is 31", "--lang")
    for words in (
        ["score", source, target, "--reference", target],
        ["edits", source, "--reference", target, "-o", tmp_path / "x"],
        ["combine", source, f"a={target}", f"b={target}", "-o", tmp_path / "x"],
    ):
        code, out, err = run(*words)
        assert code == 0
        assert missing_facts(out + err, facts) == []
        assert (out + err).count("look like") == 1 + (first == "de")
        out, err = run(*words, "--lang", first)[1:]
        assert "look like" not in out + err


def test_no_clear_majority_is_asked_for(run, tmp_path):
    source, target = tmp_path / "source.txt", tmp_path / "target.txt"
    for side, path in enumerate((source, target)):
        lines = [ENGLISH[side]] * 5 + [("我今天很高心。", "我今天很高兴。")[side]] * 5
        path.write_text("\n".join(lines) + "\n", "utf-8")
    words = ["score", source, target, "--reference", target]
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert missing_facts(err, ("10 sentences", "5 like 'en'", "5 like 'zh'", "--lang")) == []
    code, out, err = run(*words, "--scheme", "xx-char")
    assert (code, "5 look like 'zh' (the first is 6)" in out) == (0, True)


@pytest.mark.parametrize("code", [5, b"de", ["de"], object()])
def test_a_language_that_is_no_text_is_refused(code):
    corpus = corpus_of(None, *PAIRS["de"])
    system = SystemOutput("s", {"1": corpus.samples[0].references})
    for call in (
        lambda: gecbench.score(corpus, [system], lang=code),
        lambda: gecbench.extract(corpus, "xx-word", lang=code),
        lambda: gecbench.correct("copying", ["x"], lang=code),
        lambda: lang.language_of(code),
    ):
        with pytest.raises(UsageError, match="no text"):
            call()


@pytest.mark.parametrize("code", ["", "d", "german", "q9", "é é"])
def test_a_code_is_two_or_three_letters(code: str):
    with pytest.raises(UsageError, match="ISO 639"):
        lang.language_of(code)


@pytest.mark.parametrize(
    ("code", "known"),
    [
        *(("zho", "zh"), ("cmn", "zh"), ("chi", "zh"), ("eng", "en"), ("jpn", "ja")),
        *(("deu", "de"), ("ger", "de"), ("DE", "de"), ("ZH-hant", "zh"), ("zh-Hant", "zh")),
        *(("yue", "yue"), ("qqq", "qqq"), ("XX", "xx")),
    ],
)
def test_a_code_becomes_the_one_of_two_letters_where_there_is_one(code: str, known: str):
    assert lang.language_of(code).code == known


@pytest.mark.parametrize("code", [*lang.LANGUAGES, "de", "ja"])
def test_a_language_names_a_scheme_and_a_metric_that_exist(code: str):
    language = lang.language_of(code)
    assert language.code == code
    for scheme in (language.scheme, language.offline_scheme):
        assert scheme in lang.SCHEMES
        assert scheme.partition("-")[0] in (code, "xx")
    assert language.metric in METRICS
    languages = metric_class(language.metric).languages
    assert not languages or code in languages


def test_units_are_what_lengths_count():
    assert lang.language_of("zh").units("我 有3") == ("我", "有", "3")
    assert lang.language_of("de").units(" Das  ist ") == ("Das", "ist")


@pytest.mark.parametrize("option", [["--spacy-model", "x"], ["--merging", "all-split"], ["--lev"]])
def test_an_option_of_errant_without_the_scheme_names_it(run, tmp_path, option: list[str]):
    source, target = files_of(tmp_path, *PAIRS["de"])
    code, _, err = run("score", source, target, "--reference", target, *option)
    assert code == 2
    assert "take --scheme errant" in err


def test_a_metric_for_one_language_decides_where_texts_show_none(run, tmp_path):
    source, target = files_of(tmp_path, "Go .", "Goes .")
    words = ["score", source, target, "--reference", target, "--metric"]
    assert run(*words, "edits")[0] == 2
    code, out, _ = run(*words, "errant,gleu")
    assert code == 0
    assert "metric:errant|scheme:en-errant" in out


def test_a_metric_for_another_language_names_the_corpus_and_a_metric(run, tmp_path):
    source, target = files_of(tmp_path, *PAIRS["de"])
    source = source.rename(tmp_path / "de.txt")
    words = ["score", source, target, "--reference", target, "--metric", "errant"]
    code, _, err = run(*words, "--lang", "de")
    assert code == 2
    assert "corpus 'de' is in de; take --metric edits" in err
    assert "--lang" not in err
    assert "--lang" in run(*words)[2]


def test_a_language_whose_metric_is_for_another_is_answered_with_one_for_any(monkeypatch):
    language = replace(lang.language_of("pt"), metric="errant")
    monkeypatch.setattr("gecbench.api.score.corpus_language", lambda *_: language)
    corpus = corpus_of("pt", "a b", "a c")
    with pytest.raises(UsageError, match="take --metric edits"):
        gecbench.score(corpus, [SystemOutput("s", {"1": corpus.samples[0].references})])


def test_errant_without_a_pipeline_for_another_language_names_the_option():
    with pytest.raises(UsageError, match=r"errant without --spacy-model.*name a pipeline"):
        scheme_for(corpus_of("pt", "a b", "a c"), "errant")
    with pytest.raises(UsageError, match="errant without --spacy-model is for language 'en'"):
        scheme_for(corpus_of("pt", "a b", "a c"), SchemeSpec("errant"))


def test_missing_data_of_a_scheme_that_nobody_chose_name_one_that_needs_none(tmp_path):
    corpus = corpus_of("zh", "我", "你")
    places = Places(tmp_path)
    with expect_error(ResourceError, "gecbench data get cherrant", "--scheme zh-char", "scheme="):
        scheme_for(corpus, SchemeSpec(places=places))
    for spec in (SchemeSpec("zh-cherrant"), SchemeSpec(strategy="first")):
        with pytest.raises(ResourceError) as error:
            scheme_for(corpus, replace(spec, places=places))
        assert "zh-char" not in str(error.value)


def test_a_chinese_format_without_chinese_characters_is_noted(run, tmp_path):
    (tmp_path / "c.tsv").write_text("1\tShe go to school every days .\tShe goes .\n")
    (tmp_path / "s.txt").write_text("She goes to school every day .\n")
    words = ["score", tmp_path / "c.tsv", tmp_path / "s.txt", "--scheme"]
    code, out, _ = run(*words, "zh-char")
    assert code == 0
    assert "hardly any Chinese characters" in out.partition("system ")[0]
    assert "--lang" in out.partition("system ")[0]
    code, out, _ = run(*words, "en-errant", "--lang", "en")
    assert (code, "Chinese" in out) == (0, False)


def test_edits_written_keep_the_language(run, tmp_path):
    source, target = files_of(tmp_path, *PAIRS["de"])
    words = ["edits", source, "--reference", target, "--to", "jsonl"]
    assert json.loads(run(*words)[1].splitlines()[0])["lang"] == "de"
    assert json.loads(run(*words, "--lang", "nl")[1].splitlines()[0])["lang"] == "nl"


@pytest.mark.parametrize(
    ("code", "names", "count"),
    [
        ("zh", ("t2s", "s2t", "lower"), 0),
        ("yue", ("s2t",), 0),
        ("xx", ("t2s",), 0),
        ("en", ("lower", "nfkc"), 0),
        ("ja", ("t2s", "nfkc"), 1),
        ("en", ("t2s", "s2t"), 2),
    ],
)
def test_changes_of_texts_for_another_language_are_warned_of(code, names, count) -> None:
    notes = normaliser_notes(corpus_of(code, "a", "b"), lang.language_of(code), names)
    assert len(notes) == count
    assert all("'zh'" in note and repr(code) in note for note in notes)


def test_the_warning_stands_in_a_report() -> None:
    corpus = corpus_of("ja", *PAIRS["ja"])
    system = SystemOutput("s", {"1": (Rewrite(text=PAIRS["ja"][1]),)})
    report = gecbench.score(corpus, [system], options=gecbench.Options(normalise=("t2s",)))
    assert any("--normalise t2s" in note for note in report.notes)


def test_the_proposal_beside_um_counts_for_m2_alone(run, tmp_path):
    gold, system = tmp_path / "gold.m2", tmp_path / "system.txt"
    gold.write_text(
        "S This is a very odd sentence .\nA 4 5|||Um||||||REQUIRED|||-NONE-|||0\n\n", "utf-8"
    )
    system.write_text("This is a very sentence .\n", "utf-8")
    words = ["score", gold, system, "--lang", "en", "--metric", "m2,errant", "--format", "json"]
    rows = {row["metric"]: row for row in json.loads(run(*words)[1])["results"]}
    counts = {name: tuple(row[key] for key in ("tp", "fp", "fn")) for name, row in rows.items()}
    assert counts == {"m2": (1, 0, 0), "errant": (0, 1, 0)}
