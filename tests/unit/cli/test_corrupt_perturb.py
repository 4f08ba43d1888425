"""`gecbench perturb`: what it writes, reports and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from error_checks import problems

from gecbench.api.files import sample
from gecbench.api.robustness import load_perturbed, save_perturbed
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant

EN, ZH = sample("en", "corpus.jsonl"), sample("zh", "corpus.jsonl")
CASES = sample("en", "perturbed.txt")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


def test_an_english_corpus_with_parts_of_speech(run):
    code, out, err = run("perturb", EN, "-o", "out.jsonl", "--seed", 3)
    assert (code, out) == (0, "")
    first, rejected, *left, last = err.splitlines()
    perturbed_set = load_perturbed("out.jsonl")
    assert perturbed_set.width == 6
    assert first.startswith(f"{len(perturbed_set.cases)} of ")
    assert f"{5 * len(perturbed_set.cases)} variants: " in first
    assert rejected.startswith("attempts given up: ")
    assert all(line.startswith("left out, ") for line in left)
    assert last == (
        "note: synthetic variants may have errors of their own; train with them, never evaluate"
    )
    assert [problems(case, "en") for case in perturbed_set.cases if problems(case, "en")] == []
    provenance = perturbed_set.provenance
    assert "never for evaluation" in provenance["synthetic"]
    assert provenance["seed"] == "3"
    assert provenance["input"].startswith("corpus.jsonl sha256 ")
    assert provenance["filler"].startswith("frequency (en-samples, ")
    assert "en_gecbench_small" in provenance["words"]


def test_a_language_that_nobody_declared_is_noted(run):
    Path("de.txt").write_text("Ich habe gestern ein Buch gelest .\n", "utf-8")
    Path("right.txt").write_text("Ich habe gestern ein Buch gelesen .\n", "utf-8")
    words = ("perturb", "de.txt", "--reference", "right.txt", "--no-pos", "--variants", 1)
    notes = run(*words, "-o", "out.jsonl")[2].splitlines()
    assert [("'de'" in note, "--lang" in note) for note in notes if "look like" in note] == [
        (True, True)
    ]
    assert "look like" not in run(*words, "-o", "declared.jsonl", "--lang", "de")[2]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(run):
    for name, seed in (("one", 1), ("two", 1), ("three", 2)):
        assert run("perturb", ZH, "-o", name, "--no-pos", "--seed", seed)[0] == 0
    first, second, third = (Path(name).read_bytes() for name in ("one", "two", "three"))
    assert first == second != third


@pytest.mark.slow
def test_a_case_for_each_reference(run):
    assert run("perturb", ZH, "-o", "out.jsonl", "--each-reference", "--variants", 2)[0] == 0
    perturbed_set = load_perturbed("out.jsonl")
    assert {"zh-001/1", "zh-001/2"} <= {case.id for case in perturbed_set.cases}
    assert perturbed_set.width == 3
    assert [problems(case, "zh") for case in perturbed_set.cases if problems(case, "zh")] == []


def test_originals_of_cases_are_perturbed_anew(run):
    words = ("--operations", "delete", "--variants", 2, "--no-pos")
    code, _, err = run("perturb", CASES, "-o", "out.jsonl", *words)
    assert code == 0
    perturbed_set, old = load_perturbed("out.jsonl"), load_perturbed(CASES)
    assert [case.original for case in perturbed_set.cases] == [case.original for case in old.cases]
    for case in perturbed_set.cases:
        length = len(case.original.source.split())
        assert [len(variant.source.split()) for variant in case.variants] == [length - 1] * 2
    assert f"{len(old.cases)} of {len(old.cases)} sentences have " in err
    assert f"{2 * len(old.cases)} delete" in err
    code, _, err = run("perturb", CASES, "-o", "new.jsonl", "--each-reference")
    assert (code, "holds perturbed cases; leave --each-reference out" in err) == (2, True)


def test_sentences_that_cannot_are_counted(run):
    rows = ["1\t我\t他", "2\t我去学校了。\t我去学校。", "3\t没有参考。"]
    Path("some.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    code, _, err = run("perturb", "some.tsv", "-o", "out.jsonl", "--no-pos", "--variants", 2)
    assert code == 0
    assert "1 of 3 sentences have 2 variants: " in err
    assert "left out, no reference: 1 (3)" in err
    assert "left out, not enough different variants: 1 (1)" in err


def test_cases_that_cannot_are_named_with_their_subset_and_the_right_reason(run):
    def case(source: str, reference: str) -> PerturbedCase:
        variant = Variant(source, reference)
        return PerturbedCase("7", variant, (variant,))

    subsets = (
        Subset("a", (case("He go to a school there .", "He goes to a school there ."),)),
        Subset("b", (case("Nothing of it is right .", ""),)),
        Subset("c", (case("I is", "am"),)),
    )
    save_perturbed(PerturbedSet("three", subsets), "three.jsonl")
    code, _, err = run("perturb", "three.jsonl", "-o", "out.jsonl", "--no-pos", "--variants", 3)
    assert code == 0
    assert "left out, empty references: 1 (b/7)" in err
    assert "left out, not enough different variants: 1 (c/7)" in err


def test_words_of_another_text(run):
    Path("words.txt").write_text("苹果 香蕉 葡萄\n", "utf-8")
    words = ("--words", "words.txt", "--no-pos", "--operations", "insert", "--variants", 2)
    assert run("perturb", ZH, "-o", "out.jsonl", *words)[0] == 0
    for case in load_perturbed("out.jsonl").cases:
        for variant in case.variants:
            added = len(variant.source) - len(case.original.source)
            assert added == 2
            assert any(fruit in variant.source for fruit in ("苹果", "香蕉", "葡萄"))


def test_a_masked_model_fills(run, english_bert: Path, roberta: Path):
    for place in (english_bert, roberta):
        words = ("--filler", f"mask:{place}", "--insert", "fill", "--top", 5, "--batch", 7)
        words = (*words, "--device", "cpu", "--overwrite")
        code, _, err = run("perturb", CASES, "-o", "out.jsonl", *words)
        assert code == 0, err
        perturbed_set = load_perturbed("out.jsonl")
        assert f"mask ({place.name}, sha256 " in perturbed_set.provenance["filler"]
        assert [
            problems(case, "space") for case in perturbed_set.cases if problems(case, "space")
        ] == []
        first = Path("out.jsonl").read_bytes()
        assert run("perturb", CASES, "-o", "again.jsonl", *words)[0] == 0
        assert Path("again.jsonl").read_bytes() == first


def test_a_masked_model_fills_chinese_words_character_by_character(run, chinese_bert: Path):
    words = ("--filler", f"mask:{chinese_bert}", "--operations", "substitute", "--variants", 3)
    assert run("perturb", ZH, "-o", "out.jsonl", *words)[0] == 0
    perturbed_set = load_perturbed("out.jsonl")
    assert [problems(case, "zh") for case in perturbed_set.cases if problems(case, "zh")] == []
    assert all(
        len(variant.source) == len(case.original.source)
        for case in perturbed_set.cases
        for variant in case.variants
    )


def test_interrupted_it_leaves_nothing(run, monkeypatch: pytest.MonkeyPatch):
    from gecbench.datasets.perturb import variants

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(variants, "_run_searches", interrupted)
    assert run("perturb", CASES, "-o", "out.jsonl", "--no-pos") == (
        130,
        "",
        "gecbench: interrupted\n",
    )
    assert list(Path().iterdir()) == []


def refused(run, *words: object, corpus: object = CASES) -> tuple[int, str]:
    code, out, err = run("perturb", corpus, "-o", "out.jsonl", *words)
    assert out == ""
    assert not Path("out.jsonl").exists()
    (line,) = err.splitlines()
    return code, line


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--variants", 0), "variants is 0; ask for 1 to 100 of each case"),
        (("--operations", "insert,swap"), "unknown operation 'swap'"),
        (("--operations", ","), "no operation is named; name some of substitute, insert, delete"),
        (("--operations", "insert,insert"), "a kind of operation is named twice in insert,insert"),
        (("--filler", "frequncy"), "unknown filler 'frequncy'; did you mean frequency?"),
        (("--filler", "mask"), "needs a masked language model by name or folder: mask:NAME"),
        (("--insert", "fill"), "needs a masked language model: filler mask:NAME"),
        (("--top", 5), "filler frequency has no use for top; leave it out"),
        (("--device", "cpu"), "filler frequency has no use for device; leave it out"),
        (("--filler", "mask:x", "--pos"), "filler mask has no use for pos; leave it out"),
        (("--filler", "mask:x", "--words", "x"), "filler mask has no use for words"),
        (("--filler", "mask:x", "--top", 0), "top is 0; give 1 or more"),
        (("--filler", "mask:x", "--operations", "delete"), "but nothing is filled"),
        (
            ("--filler", "mask:x", "--operations", "delete", "--insert", "fill"),
            "insert is none of the operations",
        ),
        (("--operations", "delete", "--insert", "random"), "insert is none of the operations"),
        (("--no-pos", "--spacy-model", "x"), "which --no-pos does without; say one"),
        (("--tokens", "zh", "--spacy-model", "x"), "Chinese texts take jieba's"),
    ],
)
def test_wrong_options(run, words: tuple[object, ...], line: str):
    code, body = refused(run, *words)
    assert code == 2
    assert line in body


def test_wrong_input(run):
    assert refused(run, corpus="no.tsv") == (1, "gecbench: no.tsv: no such file; check the path")
    Path("bare.txt").write_text("He go .\n", "utf-8")
    code, line = refused(run, "--lang", "en", corpus="bare.txt")
    assert code == 1
    assert "no sentence has a reference to perturb it with (1 no reference); give" in line
    Path("short.tsv").write_text("1\tNo\tYes\n", "utf-8")
    code, line = refused(run, "--lang", "en", corpus="short.tsv")
    assert "none of 1 sentence has 5 different variants (rejected: none); ask for fewer" in line
    Path("german.jsonl").write_text(
        json.dumps({"format": "gecbench-corpus", "schema": 1, "name": "g", "lang": "de"})
        + "\n"
        + json.dumps({"id": "1", "source": "Ich bin", "references": [{"text": "Ich bin da"}]})
        + "\n",
        "utf-8",
    )
    code, line = refused(run, corpus="german.jsonl")
    assert (code, "no pipeline that knows parts of speech in language 'de'" in line) == (2, True)
    code, _, err = run("perturb", CASES, "-o", "nowhere/out.jsonl")
    assert (code, "the folder nowhere does not exist" in err) == (1, True)


@pytest.mark.parametrize("read", ["it.jsonl", "./it.jsonl"])
def test_what_is_read_is_never_written_over(run, read: str):
    Path("it.jsonl").write_bytes(EN.read_bytes())
    for words in ((read, "-o", Path.cwd() / "it.jsonl"), (EN, "-o", "it.jsonl", "--words", read)):
        code, _, err = run("perturb", *words, "--no-pos")
        assert code == 2
        assert "it.jsonl, which is read; name another file" in err
    assert Path("it.jsonl").read_bytes() == EN.read_bytes()


def test_a_file_that_is_there_needs_overwrite(run):
    Path("out.jsonl").write_text("of somebody else", "utf-8")
    code, _, err = run("perturb", ZH, "-o", "out.jsonl", "--no-pos", "--variants", 1)
    assert code == 1
    assert "out.jsonl" in err
    assert "--overwrite" in err
    assert Path("out.jsonl").read_text("utf-8") == "of somebody else"
    words = ("--no-pos", "--variants", 1, "--overwrite")
    assert run("perturb", ZH, "-o", "out.jsonl", *words)[0] == 0
    assert load_perturbed("out.jsonl").cases


def test_gold_edits_of_a_corpus_are_never_touched(run):
    """An edit of word order holds words that both sides have; they are no context."""
    source = ["He", "has", "in", "the", "last", "long", "years", "been", "happy", "."]
    edit = {"start": 1, "end": 9, "label": "R:WO"}
    edit["replacement"] = ["has", "been", "in", "the", "last", "long", "years", "happy"]
    more = {"start": 3, "end": 3, "replacement": ["all"], "label": "M:DET"}
    header = {"format": "gecbench-corpus", "schema": 1, "name": "x", "lang": "en"}
    rows = [
        {
            "id": str(n),
            "source": " ".join(source),
            "tokens": source,
            "references": [{"edit_sets": [[single]]}],
        }
        for n, single in enumerate((edit, more))
    ]
    Path("x.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in (header, *rows)))
    assert run("perturb", "x.jsonl", "-o", "y", "--no-pos", "--variants", 3)[0] == 0
    first, second = load_perturbed("y").cases
    for variant in first.variants:
        assert "has in the last long years been happy" in variant.source
        assert "has been in the last long years happy" in variant.reference
    for variant in second.variants:
        assert "in the" in variant.source
        assert "in all the" in variant.reference


def test_a_model_that_cannot_fill(run, tmp_path: Path):
    code, line = refused(run, "--filler", "mask:/no/model")
    assert (code, "/no/model: no such folder" in line) == (1, True)


def test_without_what_knows_parts_of_speech(run, monkeypatch: pytest.MonkeyPatch):
    import sys

    monkeypatch.setitem(sys.modules, "jieba", None)
    code, line = refused(run, corpus=ZH)
    assert code == 2
    assert "jieba, which finds Chinese words and their parts of speech, is not installed" in line
