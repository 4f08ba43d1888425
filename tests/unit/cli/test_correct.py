"""gecbench correct: what it is given, and what it refuses."""

from __future__ import annotations

import io

import pytest
from messages import missing_facts

import gecbench
from gecbench.cli import main
from gecbench.core.errors import UsageError
from gecbench.formats.validation import options_of
from gecbench.models.tagger.corrector import TaggerOptions

GERMAN = "Ich habe gestern ein sehr gutes Buch gelesen ."
HEADER = '{"format": "gecbench-corpus", "schema": 1, "name": "c", "lang": "zh"}'
SAMPLE = f'{{"id": "1", "source": "{GERMAN}", "references": []}}'
LANGUAGE_NOTES = (
    "its texts show hardly any Chinese",
    "texts look like 'de'",
    "texts look like 'zh'",
)


@pytest.fixture
def run(capfd, tmp_path, monkeypatch):
    """Run the command in a folder with a small file, and return code, output and messages."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text("一。\n二。\n", "utf-8")

    def run_(*words: str) -> tuple[int, str, str]:
        try:
            main(["correct", *words])
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        return code, *capfd.readouterr()

    return run_


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("copying", ""), 2, "INPUT is empty; name a file, or give a text"),
        (("copying", "He go and/or come ."), 1, "no such file; check the path, or say --text"),
        (("copying", "helo"), 1, "no such file; check the path, or say --text"),
        (
            ("copying", "--text", "a b", "--from", "lines"),
            2,
            "INPUT is a text, not a file, and is answered on the terminal; leave --from out",
        ),
        (("copying", "a b", "--to", "m2", "--details", "d"), 2, "leave --to and --details out"),
        (("copying", "in.txt", "--longest", "9"), 2, "--longest has no effect without --split"),
        (
            ("copying", "in.txt", "--restart"),
            2,
            "by --output, can be begun again; leave --restart out",
        ),
        (("copying", "in.txt", "--restart", "-o", "/dev/null"), 2, "; leave --restart out"),
        (("copying", "in.txt", "--restart", "-o", "x" * 300), 1, "cannot be written"),
        (("copying", "in.txt", "--restart", "-o", "no/x"), 1, "folder no does not exist"),
        (("copying", "in.txt", "--diff", "--to", "m2", "-o", "x"), 2, "; leave --output and --to"),
        (("copying", "a b", "--scheme", "zh-char"), 2, "--to m2 shows; leave --scheme out"),
        (("copying", "in.txt", "--lev"), 2, "--to m2 shows; leave --lev out"),
        (("copying", "in.txt", "--to", "m2", "--scheme", "zh-chra"), 2, "did you mean zh-char"),
        (("x" * 300, "in.txt"), 2, "unknown corrector 'xxx"),
        (("copying", "/proc/self/mem"), 1, "/proc/self/mem: cannot be read: Input/output error"),
    ],
)
def test_wrong_use_is_one_clear_line(run, words, code, why) -> None:
    ended, out, err = run(*words)
    assert (ended, out) == (code, "")
    assert err.startswith("gecbench: ")
    assert why in err
    assert err.count("\n") == 1


def test_an_unknown_scheme_is_refused_before_anything_is_corrected(run, tmp_path) -> None:
    run("copying", "in.txt", "--to", "m2", "--scheme", "zh-chra", "-o", "out.m2")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.txt"]


def test_texts_are_told_from_files(run) -> None:
    assert run("copying", "我今天很高心。")[:2] == (0, "我今天很高心。\n")
    assert run("copying", "--text", "in.txt")[:2] == (0, "in.txt\n")
    assert run("copying", "--text", "a/b c")[:2] == (0, "a/b c\n")
    assert run("copying", "长" * 3000)[:2] == (0, "长" * 3000 + "\n")
    assert run("copying", "in.txt")[:2] == (0, "一。\n二。\n")


@pytest.mark.parametrize(
    ("words", "content", "note"),
    [
        (("copying",), f"{HEADER}\n{SAMPLE}\n", "zh, but its texts show hardly any Chinese"),
        (("copying", "--lang", "zh"), f"{GERMAN}\n", "zh, but its texts show hardly any Chinese"),
    ],
)
def test_texts_of_another_language_are_noted_from_standard_input_too(
    run, tmp_path, monkeypatch, words, content, note
) -> None:
    (tmp_path / "in").write_text(content, "utf-8")
    for name in ("-", "in"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        code, out, err = run(*words, name)
        assert code == 0
        assert "gestern" in out
        assert err.count(note) == 1


@pytest.mark.parametrize(
    ("model", "text", "language"),
    [
        ("en-rules", GERMAN, "de"),
        ("en-rules", "我今天很高心。", "zh"),
        ("zh-homophone", "He go to school every days .", "en"),
        ("en-rules", f"{GERMAN}\n{GERMAN}\nHe go to school every days .", "de"),
    ],
)
def test_texts_that_plainly_show_another_language_are_refused_unless_it_is_declared(
    run, tmp_path, monkeypatch, model, text, language
) -> None:
    (tmp_path / "in").write_text(f"{text}\n", "utf-8")
    (tmp_path / "in.para").write_text(f"1\t{text}\t{text}\n".replace("\n", " ") + "\n", "utf-8")
    right = "en" if model == "en-rules" else "zh"
    for words in (("in", "-o", "out"), ("-",), (text,), ("in.para", "-o", "out")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{text}\n".encode())))
        code, out, err = run(model, *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert missing_facts(err, (model, f"'{language}'", f"--lang {right}")) == []
    assert not (tmp_path / "out").exists()
    assert run(model, "in", "--lang", right)[0] == 0
    with pytest.raises(gecbench.GecbenchError, match=f"'{language}'.*--lang {right}"):
        gecbench.correct(model, text.split("\n"))
    assert gecbench.correct(model, text.split("\n"), lang=right).hypotheses


def test_few_letters_are_noted_alone(run) -> None:
    code, out, err = run("en-rules", "Das ist gut")
    assert (code, out) == (0, "Das ist gut\n")
    assert "note: the texts look like" in err


def test_many_sentences_of_another_language_are_noted(run, tmp_path) -> None:
    english = "She see her friends every days , and they is happy ."
    (tmp_path / "in").write_text(f"{english}\n" * 4 + f"{GERMAN}\n" * 2, "utf-8")
    code, _, err = run("en-rules", "in", "-o", "out")
    assert code == 0
    assert missing_facts(err, ("2 look like 'de'", "first is 5", "--lang")) == []


def test_a_language_that_a_file_declares_is_refused_by_one_message(run, tmp_path) -> None:
    (tmp_path / "in.jsonl").write_text(f"{HEADER}\n{SAMPLE}\n", "utf-8")
    code, out, err = run("en-rules", "in.jsonl", "-o", "out.jsonl")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "en-rules is for en, and the texts are in zh" in err
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize(
    ("model", "text", "notes"),
    [
        ("en-rules", "He go to school every days .", ["its texts show hardly any Chinese"]),
        ("zh-homophone", "我今天很高心。", []),
        ("copying", GERMAN, ["its texts show hardly any Chinese"]),
    ],
)
def test_a_language_that_only_the_format_implies_is_no_declaration(
    run, tmp_path, model, text, notes
) -> None:
    (tmp_path / "in.para").write_text(f"1\t{text}\t{text}\n", "utf-8")
    code, _, err = run(model, "in.para", "-o", "out.para")
    assert code == 0
    assert [why for why in LANGUAGE_NOTES if why in err] == notes
    assert run(model, "in.para", "--lang", "fr")[0] == (0 if model == "copying" else 2)


def test_the_language_of_perturbed_cases_is_a_declaration(run, tmp_path) -> None:
    cases = gecbench.load_perturbed(gecbench.sample("zh", "perturbed.txt"), lang="zh")
    gecbench.save_perturbed(cases, tmp_path / "in.jsonl")
    code, out, err = run("en-rules", "in.jsonl")
    assert (code, out) == (2, "")
    assert "en-rules is for en, and the texts are in zh" in err


def test_a_file_with_a_byte_order_mark_alone_is_empty(run, tmp_path) -> None:
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbf")
    code, _, err = run("copying", "bom.txt")
    assert code == 1
    assert "bom.txt:1: the file is empty" in err


def test_an_option_of_several_values_takes_commas() -> None:
    assert options_of("tagger", TaggerOptions, {"weights": "1, 2.5"}).weights == (1.0, 2.5)
    assert options_of("tagger", TaggerOptions, {"weights": ""}).weights == ()
    with pytest.raises(UsageError, match="option weights"):
        options_of("tagger", TaggerOptions, {"weights": "1,x"})


def test_a_model_is_not_written_over(run, tmp_path):
    ensemble = tmp_path / "vote.toml"
    ensemble.write_text("untouched", "utf-8")
    code, output, message = run("ensemble:vote.toml", "in.txt", "-o", "vote.toml", "--to", "lines")
    assert (code, output) == (2, "")
    assert "vote.toml, which is read" in message
    assert ensemble.read_text("utf-8") == "untouched"


def test_an_unknown_corrector_is_answered_with_names_as_they_are_written(run):
    code, _, err = run("foo", "他来了。")
    assert (code, err.count("\n")) == (2, 1)
    assert "known: causal:PLACE, chat:PLACE, copying, en-lm, en-rules, ensemble:PLACE" in err
    assert err.endswith("; or the folder of a model, or hub:NAME\n")
    assert "did you mean tagger:PLACE?" in run("taggr", "他来了。")[2]
