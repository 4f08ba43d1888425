"""Reading perturbed cases and what systems made of them: forms, folders, and refusals."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from messages import expect_error
from perturbed_set import BOOKS, CASES, COPY, HOME, PERFECT, blocks, system, write_folder

import gecbench
from gecbench.core.errors import CorpusError, FormatError, GecbenchError
from gecbench.core.perturbed import PerturbedCase, Subset, Variant
from gecbench.core.sample import NOT_KEPT
from gecbench.formats.perturbed import read_outputs, read_perturbed, write_perturbed

CLASS = CASES.subsets[0]


def written(folder: Path, text: str, name: str = "para.txt") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def refused(kind: type[GecbenchError], message: str, path: Path) -> None:
    with pytest.raises(kind, match=re.escape(message)) as caught:
        read_perturbed(path)
    assert str(caught.value).startswith(str(path)) or path.is_dir()


def test_a_file_of_blocks_is_called_after_itself_or_its_folder(tmp_path):
    for name, want in (("class/para.txt", "class"), ("mine.txt", "mine")):
        perturbed_set = read_perturbed(written(tmp_path, blocks(CLASS), name))
        assert (perturbed_set.name, [s.name for s in perturbed_set.subsets]) == (want, [want])
        assert perturbed_set.subsets[0].cases == CLASS.cases


def test_a_folder_of_subsets_is_read_in_the_order_of_names(tmp_path):
    folder = write_folder(tmp_path / "set")
    written(tmp_path, blocks(Subset("b", (HOME,))), "set/b.txt")
    written(
        tmp_path, write_perturbed(replace(CASES, subsets=(Subset("z", (HOME,)),))), "set/z.jsonl"
    )
    written(tmp_path, "", "set/.hidden")
    perturbed_set = read_perturbed(folder)
    assert perturbed_set.name == "set"
    assert [s.name for s in perturbed_set.subsets] == ["b", "class", "exam", "z"]
    assert [s.cases for s in perturbed_set.subsets[1:3]] == [s.cases for s in CASES.subsets]
    (folder / "class" / "input.txt").unlink()
    alone = read_perturbed(folder / "class")
    assert (alone.name, alone.subsets) == ("class", perturbed_set.subsets[1:2])


def test_blank_lines_and_missing_texts_of_references_are_no_matter(tmp_path):
    text = "\n\nO-S a b\nO-T \n  \n\nA1-S"  # a block ends at a line of white space
    with expect_error(FormatError, "para.txt:4", "A1-S"):
        read_perturbed(written(tmp_path, text))
    perturbed_set = read_perturbed(written(tmp_path, "\n\nO-S a b\nO-T\nA1-S a c\nA1-T \n \n"))
    assert [text.reference for text in perturbed_set.cases[0].all] == ["", ""]
    assert [text.source for text in perturbed_set.cases[0].all] == ["a b", "a c"]


def test_predictions_beside_cases_are_told_of(tmp_path):
    path = written(tmp_path, blocks(CLASS, PERFECT[:6]))
    perturbed_set = read_perturbed(path)
    assert perturbed_set.provenance == {NOT_KEPT: f"predictions in {perturbed_set.name}"}
    assert perturbed_set.subsets[0].cases == CLASS.cases


FIRST = "O-S a\nO-T b\nA1-S a\nA1-T b\nA2-S a\nA2-T b\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("S a\nO-T b\n", ":1: these are no perturbed cases: a file of them begins with 'O-S '"),
        ("", ":1: the file is empty"),
        ("O-S a\nO-T b\nA2-S a\nA2-T b\n", ":3: the line begins with 'A2-S', expected A1-S; a"),
        ("O-S a\nA1-S a\n", ":2: the line begins with 'A1-S', expected O-T"),
        ("O-S a\nO-T b\nA1-T a\nA1-S b\n", ":3: the line begins with 'A1-T', expected A1-S"),
        ("O-S a\nO-T b\n", ":2: the block ends here, A1-S is missing; every block has 1"),
        ("O-S a\nO-T b\nA1-S a\n", ":3: the block ends here, A1-T is missing"),
        (FIRST.replace("A2-T b\n", ""), ":5: the block ends here, A2-T is missing"),
        (FIRST + "\nO-S a\nO-T b\nA1-S a\nA1-T b\n", ":11: the block ends here, A2-S is missing"),
        (FIRST + "\n" + FIRST + "A3-S a\nA3-T b\n", ":14: the block goes on after A2-T; every"),
        (FIRST + "\n" + FIRST.replace("A1-S a", "A1-S "), ":10: the source A1-S is empty; fill"),
        ("O-S a\nO-T b\nO-P c\nA1-S a\nA1-T b\n", ":5: the block ends here, A1-P is missing"),
    ],
)
def test_blocks_that_are_not_whole_are_refused(tmp_path, text: str, message: str):
    path = written(tmp_path, text)
    refused(FormatError, f"{path}{message}", path)


def test_a_file_without_blocks_is_refused(tmp_path):
    from gecbench.formats.perturbed import read_blocks

    with expect_error(FormatError, "x.txt:1", "no block"):
        read_blocks(Path("x.txt"), ["", " "])


def test_folders_that_hold_something_else_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    refused(GecbenchError, "the folder is empty; it should hold subsets", tmp_path / "empty")
    (tmp_path / "odd" / "sub").mkdir(parents=True)
    refused(GecbenchError, "sub: there is no para.txt in it", tmp_path / "odd")
    written(tmp_path, "x", "noted/README.md")
    refused(GecbenchError, "README.md: a folder of subsets holds folders", tmp_path / "noted")


def test_an_input_of_other_sentences_is_refused(tmp_path):
    folder = write_folder(tmp_path / "set") / "class"
    lines = (folder / "input.txt").read_text("utf-8").split("\n")
    written(folder, "\n".join(["别的", *lines[1:]]), "input.txt")
    refused(CorpusError, "input.txt:1: the sentence is '别的', but para.txt has", folder)
    written(folder, "\n".join(lines[:4]) + "\n", "input.txt")
    refused(CorpusError, "input.txt: 4 lines, but para.txt has 6 sources", folder)


def test_jsonl_holds_everything(tmp_path):
    path = written(tmp_path, write_perturbed(CASES), "mine.jsonl")
    assert read_perturbed(path) == CASES
    bare = replace(CASES, lang=None, provenance={})
    assert read_perturbed(written(tmp_path, write_perturbed(bare), "bare.jsonl")) == bare


def _changed(**fields: object) -> str:
    """The set with its first case changed; None takes a field away."""
    header, first, *rest = write_perturbed(CASES).splitlines()
    row = {
        key: value for key, value in {**json.loads(first), **fields}.items() if value is not None
    }
    return "\n".join([header, json.dumps(row, ensure_ascii=False), *rest])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "x"}', ':1: the first line has no "format": "gecbench-perturb'),
        (write_perturbed(CASES).replace('"schema": 1', '"schema": 2'), ":1: schema 2 is not known"),
        (write_perturbed(CASES).replace('"lang"', '"lanf"'), ":1: unknown key 'lanf'; did you"),
        (_changed(note="x"), ":2: unknown key 'note'"),
        (_changed(id=None), ":2: 'id' is missing; expected a string"),
        (_changed(variants=[]), ":2: case '1' has no variant; give at least one"),
        (_changed(original={"source": " ", "reference": "x"}), ":2: a source is empty; fill it"),
        (_changed(original={"source": "x"}), ":2: 'original.reference' is missing"),
        (
            _changed(original={"source": "x", "reference": "", "a": "b"}),
            ":2: unknown key 'original.a'",
        ),
        (_changed(id="2"), ":3: case '2' of subset 'class' stands in line 2 already; ids are uniq"),
        (
            _changed(variants=[{"source": "x", "reference": ""}]),
            ":3: case '2' has 2 variants, the first case has 1; give all cases the same number",
        ),
        (
            write_perturbed(CASES).splitlines()[0],
            ": mine: every subset has at least one case; here is none",
        ),
        (_changed(subset="exam"), ":4: subset 'exam' goes on after 'class'; cases of one subset"),
    ],
)
def test_jsonl_that_breaks_a_rule_is_refused(tmp_path, text: str, message: str):
    path = written(tmp_path, text, "mine.jsonl")
    refused(FormatError, f"{path}{message}", path)


@pytest.mark.parametrize("text", [blocks(CLASS), write_perturbed(CASES), "\nO-T a b\n"])
def test_perturbed_cases_are_no_corpus_and_the_command_for_them_is_named(tmp_path, text: str):
    path = written(tmp_path, text, "mine.txt")
    with expect_error(FormatError, str(path), "perturbed cases", "analyse robustness"):
        gecbench.load(path)


def test_a_corpus_is_no_perturbed_cases_and_the_command_that_makes_them_is_named(tmp_path):
    path = written(tmp_path, '{"format": "gecbench-corpus"}')
    with expect_error(FormatError, f"{path}:1", "corpus", "gecbench perturb", "robustness"):
        read_perturbed(path)


@pytest.mark.parametrize("lang", ["zh", None])
def test_segmented_chinese_cases_go_with_outputs_that_are_not(tmp_path, lang: str | None):
    texts = [text.source for case in CASES.cases for text in case.all]
    spaced = [
        replace(
            subset,
            cases=tuple(
                PerturbedCase(
                    case.id,
                    Variant(" ".join(case.original.source), case.original.reference),
                    tuple(Variant(" ".join(v.source), v.reference) for v in case.variants),
                )
                for case in subset.cases
            ),
        )
        for subset in CASES.subsets
    ]
    cases = replace(CASES, subsets=tuple(spaced), lang=lang)
    system_output = read_outputs(written(tmp_path, "\n".join(texts), "out.txt"), cases)
    assert [version[0].text for version in system_output.hypotheses.values()] == texts
    others = written(tmp_path, "\n".join("ＡＢＣ" for _ in texts), "others.txt")
    with expect_error(CorpusError, str(others), "9 of 9", f"'{cases.name}'"):
        read_outputs(others, cases)


def test_a_system_is_lines_blocks_or_a_folder(tmp_path):
    want = system("out", PERFECT)
    lines = written(tmp_path, "\n".join(PERFECT), "out.txt")
    assert read_outputs(lines, CASES) == want
    assert read_outputs(lines, CASES, name="other").system == "other"
    written(tmp_path, blocks(CLASS, PERFECT[:6]), "out/class.txt")
    written(tmp_path, "\n".join(PERFECT[6:]), "out/exam.txt")
    written(tmp_path, "", "out/.hidden")
    assert read_outputs(tmp_path / "out", CASES) == want


def test_a_combined_file_of_all_subsets_is_a_system(tmp_path):
    text = "\n".join(
        [blocks(CLASS, PERFECT[:6]), blocks(CASES.subsets[1], PERFECT[6:])],
    )
    assert read_outputs(written(tmp_path, text, "out.txt"), CASES) == system("out", PERFECT)


def refused_system(message: str, path: Path) -> None:
    with pytest.raises(GecbenchError, match=re.escape(message)):
        read_outputs(path, CASES)


def test_lines_that_are_too_few_are_refused(tmp_path):
    path = written(tmp_path, "\n".join(COPY[:-1]), "out.txt")
    refused_system(f"{path}: 8 sentences, but corpus 'mine' has 9; give one for each", path)


def test_lines_of_other_sentences_are_refused(tmp_path):
    path = written(tmp_path, "\n".join(["一二三四五"] * 9), "out.txt")
    refused_system(f"{path}: 9 of 9 outputs share almost no word with their sentence (first", path)
    half = written(tmp_path, "\n".join([*COPY[:5], *["一二三四五"] * 4]), "half.txt")
    assert len(read_outputs(half, CASES).hypotheses) == 9


def test_empty_outputs_are_no_other_sentences(tmp_path):
    path = written(tmp_path, "\n" * 9, "out.txt")
    assert {r.text for (r,) in read_outputs(path, CASES).hypotheses.values()} == {""}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (blocks(CLASS), "the blocks have no -P lines, so there is nothing that a system made"),
        (blocks(CLASS, PERFECT), "2 blocks, but there are 3 cases in class, exam; give one"),
        (
            blocks(Subset("x", (BOOKS, HOME, replace(HOME, id="3"))), PERFECT),
            ":21: O-S is '他昨天回去家了。', but case '1' has '天气很好。'",
        ),
        (
            "\n".join([blocks(CLASS, PERFECT), blocks(CASES.subsets[1], PERFECT)]).replace(
                "A1-T 他回家了。", "A1-T 他回去了。"
            ),
            ":15: A1-T is '他回去了。', but case '2' has '他回家了。'",
        ),
        ("O-S a\nO-T b\nO-P c\nA1-S a\nA1-T b\nA1-P c\n\n" * 3, ":1: the block has 1 variant, c"),
    ],
)
def test_blocks_of_other_cases_are_refused(tmp_path, text: str, message: str):
    refused_system(message, written(tmp_path, text, "out.txt"))


def test_folders_that_lack_a_subset_or_have_others_are_refused(tmp_path):
    folder = tmp_path / "out"
    written(folder, "\n".join(PERFECT[:6]), "class.txt")
    refused_system("no file for subset exam; a system's folder has a file for each subset", folder)
    written(folder, "x", "exams.txt")
    refused_system("no file for subset exam; files of unknown subsets: exams; a system", folder)
    (folder / "exams.txt").unlink()
    for name in ("exam.txt", "exam.out"):
        written(folder, "\n".join(PERFECT[6:]), name)
    refused_system("exam.out and exam.txt are both of one subset; leave one", folder)


def test_an_unknown_language_in_the_header_is_refused_with_its_line(tmp_path):
    path = written(tmp_path, write_perturbed(replace(CASES, lang="English")), "cases.jsonl")
    refused(FormatError, f"{path}:1: language 'English' is no ISO 639 code", path)
