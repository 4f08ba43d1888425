"""mucgec: what rows mean, what they cannot hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

import gecbench
from gecbench.core.edit import Edit
from gecbench.core.errors import FormatError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.tsv import MUCGEC

PATH = Path("dev.tsv")


def references(*cells: str) -> tuple[Rewrite, ...]:
    return MUCGEC.read(PATH, ["\t".join(["1", "好", *cells])]).samples[0].references


def written(*rewrites: Rewrite, lang: str | None = "zh", tokens: tuple[str, ...] = ()) -> str:
    sample = Sample("1", "好", rewrites, tokens=tokens)
    return MUCGEC.write(Corpus("dev", (sample,), lang))[""]


@pytest.mark.parametrize("cell", ["没有错误", "沒有錯誤", "没有錯误", " 没有\u3000错误 "])
def test_error_free_is_a_state(cell: str) -> None:
    assert references(cell) == (Rewrite(error_free=True),)


@pytest.mark.parametrize("cell", ["无法标注", "無法標註", "無法標注", "无法 标注"])
def test_unannotatable_is_a_state(cell: str) -> None:
    assert references(cell) == (Rewrite(unannotatable=True),)


@pytest.mark.parametrize(
    "cell", ["没有错误。", "没有错", "四个字符", " 好 ", "[缺失成分]", "x\u2028y"]
)
def test_everything_else_is_a_text_kept_exactly(cell: str) -> None:
    assert references(cell) == (Rewrite(text=cell),)


def test_a_source_is_never_a_mark() -> None:
    corpus = MUCGEC.read(PATH, ["1\t没有错误"])
    assert corpus.samples == (Sample("1", "没有错误"),)


def test_the_corpus_is_chinese_and_named_after_the_file() -> None:
    assert MUCGEC.read(PATH, ["7\t 好 "]) == Corpus("dev", (Sample("7", " 好 "),), "zh")


def test_references_keep_their_order() -> None:
    assert references("乙", "没有错误", "甲") == (
        Rewrite(text="乙"),
        Rewrite(error_free=True),
        Rewrite(text="甲"),
    )


def test_states_are_written_as_marks() -> None:
    assert written(Rewrite(error_free=True), Rewrite(unannotatable=True), Rewrite(text="很好")) == (
        "1\t好\t没有错误\t无法标注\t很好\n"
    )


@pytest.mark.parametrize(("lang", "text"), [("zh", "很好吗"), ("en", "很好 吗")])
def test_edits_without_a_text_are_applied(lang: str, text: str) -> None:
    edits = (Edit(0, 1, ("很好",), "S"), Edit(1, 2, None, "UNK"))
    rewrite = Rewrite(edit_sets=(edits,))
    assert written(rewrite, lang=lang, tokens=("好", "吗")) == f"1\t好\t{text}\n"


def test_the_first_line_that_is_not_blank_tells() -> None:
    assert MUCGEC.matches(["", "1\t好"])
    assert not MUCGEC.matches(["", "好", "1\t好"])
    assert not MUCGEC.matches(["", " "])


def test_nothing_is_lost_of_a_corpus_of_texts() -> None:
    corpus = Corpus("dev", (Sample("1", "好", (Rewrite(error_free=True),)),), "zh")
    assert MUCGEC.losses(corpus) == []


def test_each_loss_is_said_with_its_count() -> None:
    edits = ((Edit(0, 1, ("您",), "S"),),)
    samples = (
        Sample("1", "好", (Rewrite(text="x", annotator="Li"),), {"origin": "web"}, ("好",)),
        Sample("2", "好", (Rewrite(edit_sets=edits, capped=True),), {"origin": "web"}, ("好",)),
    )
    assert MUCGEC.losses(Corpus("dev", samples, None, {"year": "2022"})) == [
        "mucgec holds no metadata: 2 sentences lose theirs",
        "mucgec holds no provenance: 1 corpus loses its own",
        "mucgec holds no annotators: 1 reference loses its own",
        "mucgec holds no edits: 1 reference loses its own",
        "mucgec holds no flag that edit sets were capped: 1 reference loses its own",
        "mucgec holds no tokens: 2 sentences lose theirs",
        "mucgec holds texts: 1 reference known only by edits, written as what these make of the "
        "source, errors left uncorrected no longer marked",
        "mucgec is Chinese: the language None becomes 'zh'",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "He go .\tHe goes .\tHe went .\nIt work .\tIt works .\tIt worked .\n",
        "他很好。\t他好。\t他很好了。\n我去？\t我去吗？\t我走？\n",
        "He go home\tHe goes home\nIt work well\tIt works well\n",
        "我有三个书\t我有三本书\n",
        "Goes\tgoes\nworkd\tworked\n",
    ],
)
def test_sources_and_their_targets_are_not_taken_for_ids_and_sources(tmp_path: Path, text: str):
    """Read as MuCGEC's rows, the first target of short sentences would be scored as the source."""
    (tmp_path / "pairs.tsv").write_text(text, "utf-8")
    with expect_error(FormatError, "pairs.tsv:1: say --from pairs", "--from mucgec"):
        gecbench.load(tmp_path / "pairs.tsv")


def test_ids_may_end_in_a_point(tmp_path: Path):
    (tmp_path / "c.tsv").write_text("1.\t他很好\t他好\n2.\t我去\t我走\n", "utf-8")
    assert [sample.id for sample in gecbench.load(tmp_path / "c.tsv").samples] == ["1.", "2."]


@pytest.mark.parametrize("rows", ["1\t我有三个书\n2\t1 2", "dev_1\tdev one\nA-2\tI have two ."])
def test_ids_and_sources_without_references_are_read(tmp_path: Path, rows: str):
    (tmp_path / "c.tsv").write_text(rows + "\n", "utf-8")
    assert len(gecbench.load(tmp_path / "c.tsv").samples) == 2


@pytest.mark.parametrize("sentence", ["1179537", "345", "2"])
def test_targets_of_clang8_without_their_sources_are_refused(tmp_path: Path, sentence: str) -> None:
    path = tmp_path / "clang8_en.detokenized.tsv"
    path.write_text(f"734998\t{sentence}\t1\tFalse\tI go .\n735001\t{sentence}\t0\tTrue\tSo .\n")
    with expect_error(FormatError, f"{path}:1", "cLang-8", "--from pairs"):
        gecbench.load(path)
