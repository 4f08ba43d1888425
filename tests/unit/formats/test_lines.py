"""lines: one sentence a line, and what becomes of everything else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import gecbench
from gecbench.core.edit import Edit
from gecbench.core.errors import FormatError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.lines import FORMAT
from gecbench.formats.reading import read, read_system

SOURCES = (Sample("1", "a b"), Sample("2", ""), Sample("3", " \t"))


def test_a_file_in_no_other_format_is_lines(tmp_path: Path) -> None:
    path = tmp_path / "dev.src"
    path.write_text("a { b\nS c\n")
    assert [sample.source for sample in read(path).samples] == ["a { b", "S c"]


def test_a_line_is_a_sentence_and_its_number_the_id() -> None:
    assert FORMAT.read(Path("in/dev.src"), ["a b", "", " \t"]) == Corpus("dev", SOURCES)


OTHER_FILES = [
    ("a.json", '[{"text": "He go home ."}]', 1, "JSON"),
    ("a.txt", '\n[\n  {"text": "He go home ."}\n]', 2, "JSON"),
    ("a.txt", '["He go home ."]', 1, "JSON"),
    ("a.csv", "source,target\nHe go .,He goes .", 1, "CSV"),
    ("a.CSV", "He go .,He goes .", 1, "CSV"),
    ("a.xml", '<?xml version="1.0"?>\n<p>He go home .</p>', 1, "XML"),
    ("a.sgml", '<DOC nid="829">\nHe go home .', 1, "XML"),
    ("a.txt", "<!DOCTYPE html>\n<html>", 1, "XML"),
    ("a.txt", "id,source,target\n1,He go .,He goes .", 1, "CSV"),
    ("a.md", "# Essays\n\nHe go .", 1, "Markdown"),
    ("a.txt", "### Essay 1\n\nHe go .", 1, "Markdown"),
    ("a.jsonl", '\n{"source": "He go ."}', 2, "JSON"),
    ("a.sgml", "  <TEXT>He go .</TEXT>\n  <MISTAKE>", 1, "SGML"),
    ("a.txt", "# Essays\n\n## One\nHe go .", 1, "Markdown"),
    ("a.txt", "He go .\n\n# Essays\n\n- He go .", 3, "Markdown"),
    ("predictions", "name,city\nAnn,Bonn\nJohn,New York", 1, "CSV"),
    ("predictions", "a;b;c\n1;2;3", 1, "CSV"),
    ("a.json", '"He go home ."', 1, "JSON"),
    ("a.yaml", "text: He go .", 1, "YAML"),
    ("a.tex", "\\section{He go .}", 1, "TeX"),
    ("a.txt", "He go .\nShe go .\n\n## Part two\n\nWe goes .", 4, "Markdown"),
    ("a.txt", "| source | target |\n|---|:-:|\n| He go . | He goes . |", 1, "Markdown"),
    ("a.txt", "He go .\na | b\n--|--\nc | d", 2, "Markdown"),
    ("a.txt", "Say this:\n\n```bash\ngecbench\n```", 3, "Markdown"),
    ("a.txt", "---\ntitle: Essays\ntags:\n- one\n---\n\nHe go .", 1, "Markdown"),
    ("a.txt", "[1,\n2,\n3]", 1, "JSON"),
    ("a.txt", "[1,\n2", 1, "JSON"),
    ("a.txt", "[1, 2, 3]", 1, "JSON"),
    ("a.txt", "\n[[1, 2],\n[3]]", 2, "JSON"),
    ("a.txt", '[["a","b"],["c","d"]]', 1, "JSON"),
    ("a.txt", "[" + "9" * 5000 + "]", 1, "JSON"),
    ("a.txt", '["a","b"]\n["c","d"]', 1, "JSON"),
    ("a.txt", '{"source": "He go ."\n"target": 1}', 1, "JSON"),
    ("a.txt", '{\n  "a": 1\n}', 1, "JSON"),
    ("a.txt", '"first","last"\n"Ann","Bonn"\n"John","New, York"', 1, "CSV"),
    ("a.conllu", "# sent_id = 1\n# text = He go .", 1, "CoNLL-U"),
]


@pytest.mark.parametrize(("name", "content", "line", "kind"), OTHER_FILES)
def test_a_file_of_another_kind_is_text_only_if_the_format_is_named(
    tmp_path: Path, name: str, content: str, line: int, kind: str
) -> None:
    path = tmp_path / name
    path.write_text(content + "\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert kind in message
    assert message.endswith("or say --from lines if this is a text")
    texts = [sample.source for sample in read(path, format="lines").samples]
    assert texts == content.split("\n")


@pytest.mark.parametrize(
    "sentence",
    [
        *("[缺失成分]了。", "[sic] He go .", "<unk> go home .", "<b>He</b> go .", "Well, I go ."),
        *("well,yes", "well,yes\nno,I go ,too", "你好,我去\n好,再见", "# 1 He go .\nShe go ."),
        *("# It have a number sign .\n\nI has it", "# first\nsecond", "#1\n\nI has it"),
        *("He said :\n---\nHe go .", "---\nHe go .\n---", "a | b\nc | d"),
        *("```", '"Yes","no" , he say .\n"I go"', '"Hi"\n"You"', "[1] He go .", "[1, 2] say so ."),
        *("Hi,there\nYes,please\nNo,thanks", "# 1 topping please\n\nI has it"),
        *("I like it.\n## Chapter one\nIt was good.", "今天很好。\n## 我的日记\n我去公园。"),
        *("## Chapter one\nIt was good.", "I see\n~~~\nwe\n~~~", "---\n- Hello there\n---"),
        *("# Introduction\n\nIt is good.", "a | b\n-|-", "a | b\n-|-\nIt is good."),
        *('"Yes","No"\n"Why","Because"', "[1,\nThis is a sentence.", "[1, 2]\nHe go .", "[" * 9),
        *("---\nAnn: Hello\nTom: Hi\n---", "text,yes\nHe go .\nShe go .", "## He go . \n\nI go"),
        *('["Yes", he say .\nI go', "[\nHe go ."),
    ],
)
def test_a_sentence_with_brackets_or_commas_is_a_sentence(tmp_path: Path, sentence: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(sentence + "\n", encoding="utf-8")
    assert [sample.source for sample in read(path).samples] == sentence.split("\n")


@pytest.mark.parametrize(
    "line",
    [
        *('"' + "a" * 200_000 + '","b"', "<" + "a" * 200_000, "[" * 200_000, "1" * 200_000),
        *("## a" + " " * 100_000 + ".", "| a |" + " " * 100_000 + "."),
    ],
    ids=["quotes", "tag", "brackets", "digits", "heading", "bars"],
)
def test_a_long_line_is_read_as_fast_as_a_short_one(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"{line}\n{line}\n", encoding="utf-8")
    corpus = read(path)
    assert [sample.source for sample in corpus.samples] == [line, line]
    names = tuple(Sample(f"s{n}", "a") for n in range(2))
    assert read_system(path, Corpus("c", names)).hypotheses["s1"] == (Rewrite(text=line),)


def test_keys_that_nothing_ends_are_no_front_matter(tmp_path: Path) -> None:
    texts = ["---", *["-a: b"] * 60, "He go ."]
    path = tmp_path / "a.txt"
    path.write_text("\n".join(texts), encoding="utf-8")
    assert [sample.source for sample in read(path).samples] == texts


@pytest.mark.parametrize(
    "texts",
    [
        ("He go .", "", "## Chapter one", "", "It were good ."),
        ("source,target", "one,two"),
        ("# Title", "", "- It is good ."),
    ],
)
def test_a_system_has_as_many_lines_as_sentences_whatever_they_look_like(
    tmp_path: Path, texts: tuple[str, ...]
) -> None:
    path = tmp_path / "system.txt"
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    corpus = Corpus("c", tuple(Sample(str(n), text) for n, text in enumerate(texts, 1)))
    hypotheses = read_system(path, corpus).hypotheses
    assert [hypotheses[sample.id] for sample in corpus.samples] == [
        (Rewrite(text=t),) for t in texts
    ]
    with pytest.raises(FormatError, match="lines"):
        read_system(path, replace(corpus, samples=corpus.samples[:1]))


@pytest.mark.parametrize(
    "texts", [("I like it.", "## Chapter one"), ("[1,", "A sentence."), ("~~~",) * 2]
)
def test_what_is_written_as_lines_is_read_back(tmp_path: Path, texts: tuple[str, ...]) -> None:
    corpus = Corpus("c", tuple(Sample(str(n), text) for n, text in enumerate(texts, 1)))
    gecbench.save(corpus, tmp_path / "c", format="lines")
    assert gecbench.load(tmp_path / "c") == corpus


def test_without_references_there_is_one_file() -> None:
    assert FORMAT.write(Corpus("dev", SOURCES)) == {"": "a b\n\n \t\n"}


def test_references_come_in_files_of_their_own() -> None:
    references = (Rewrite(text="x"), Rewrite(text=""))
    assert FORMAT.write(Corpus("dev", (Sample("1", "a", references),))) == {
        ".src": "a\n",
        ".ref0": "x\n",
        ".ref1": "\n",
    }


def test_what_a_line_cannot_say_becomes_a_text() -> None:
    edits = (Edit(1, 2, None, "UNK"), Edit(2, 2, ("c",), "M"))
    samples = (
        Sample("1", "a", (Rewrite(error_free=True), Rewrite(unannotatable=True))),
        Sample("2", "b", (Rewrite(text="x"),)),
        Sample("3", "c"),
        Sample("4", "a b", (Rewrite(edit_sets=(edits,)),), tokens=("a", "b")),
    )
    assert FORMAT.write(Corpus("dev", samples)) == {
        ".src": "a\nb\nc\na b\n",
        ".ref0": "a\nx\nc\na b c\n",
        ".ref1": "a\nx\nc\na b c\n",
    }


def test_the_first_reference_is_repeated_not_the_last() -> None:
    three, two = ([Rewrite(text=text) for text in texts] for texts in ("abc", "de"))
    samples = (Sample("1", "x", tuple(three)), Sample("2", "y", tuple(two)))
    assert FORMAT.write(Corpus("dev", samples))[".ref2"] == "c\nd\n"


def test_chinese_tokens_are_joined_without_spaces() -> None:
    rewrite = Rewrite(edit_sets=((Edit(2, 2, ("吗",), "M"),),))
    corpus = Corpus("dev", (Sample("1", "你好", (rewrite,), tokens=("你", "好")),), "zh")
    assert FORMAT.write(corpus)[".ref0"] == "你好吗\n"


def test_nothing_is_lost_of_texts() -> None:
    assert FORMAT.losses(Corpus("dev", SOURCES)) == []
    assert FORMAT.losses(Corpus("dev", (Sample("1", "a", (Rewrite(text="x"),)),))) == []


def test_each_loss_is_said_with_its_count() -> None:
    samples = (
        Sample("1", "a", (Rewrite(error_free=True), Rewrite(unannotatable=True))),
        Sample("k2", "b", (Rewrite(text="x"),)),
        Sample("k3", "b", (Rewrite(error_free=True),)),
        Sample("k4", "c"),
    )
    assert FORMAT.losses(Corpus("dev", samples, "en")) == [
        "lines holds no ids but line numbers: 3 sentences lose theirs",
        "lines holds no language: 1 corpus loses its own",
        "lines cannot say 'error free': 2 references written as a copy of the source",
        "lines cannot say 'unannotatable': 1 reference written as a copy of the source",
        "2 sentences have fewer than 2 references: their first reference is repeated",
        "1 sentence has no reference: its source is repeated",
    ]
