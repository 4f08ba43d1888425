"""sighan-test, ctc2021: places of corrections become texts with the sentences they belong to.

The layouts are those of SIGHAN's release notes (sighan8csc_release1.0, sighan7csc_release1.0) and
of CTC-2021's call; the sentences are ours.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from messages import expect_error

import gecbench
from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.sighan import CTC as CTC_FORMAT

FREE = Rewrite(error_free=True)
SIGHAN = "(pid=A2-1-1)\t他汽車很快。\n(pid=A2-1-2)\t天氣很好。\n"
CTC = "pid=1-1 公司的言轮引发声讨。\npid=1-2 天气很好。\npid=1-3 俄罗女排都都会来。\n"
MORE = "".join(f"pid={n}-1 好。\n" for n in range(5))
CTC_ANSWERS = (
    "pid=1-1, 4, 别字, 轮, 论, 5, 别词, 引发, 引起,\n"
    "pid=1-2, -1\n"
    "pid=1-3, 2, 缺失, , 斯, 5, 冗余, 都, ,\n"
)


def load(tmp_path: Path, sentences: str, answers: str) -> dict[str, Rewrite]:
    (tmp_path / "in.txt").write_text(sentences, "utf-8")
    (tmp_path / "truth.txt").write_text(answers, "utf-8")
    corpus = gecbench.load(tmp_path / "in.txt", references=[tmp_path / "truth.txt"])
    assert corpus.lang == "zh"
    return {sample.id: sample.references[0] for sample in corpus.samples}


@pytest.mark.parametrize(
    ("sentences", "answers", "references"),
    [
        (
            SIGHAN,
            "A2-1-2, 0 \nA2-1-1, 2, 氣, 5, 慢\n",
            {"A2-1-1": Rewrite(text="他氣車很慢。"), "A2-1-2": FREE},
        ),
        (  # the spelling task of CCL 2022, track 1
            "(YACLC-CSC-VALID-ID=0165)\t他好。\n(YACLC-CSC-VALID-ID=0166)\t他好。\n",
            "(YACLC-CSC-VALID-ID=0165), 2, 來\n(YACLC-CSC-VALID-ID=0166), 0\n",
            {"0165": Rewrite(text="他來。"), "0166": FREE},
        ),
        (
            "(YACLC-CSC-VALID-ID=0165)\t他好。\n",
            "(YACLC-CSC-VALID-ID=0165)\t他來。\n",
            {"0165": Rewrite(text="他來。")},
        ),
        ("(NID=00351) 他好。\n", "\t00351, 2, 來\n", {"00351": Rewrite(text="他來。")}),
        (
            CTC,
            CTC_ANSWERS,
            {
                "1-1": Rewrite(text="公司的言论引起声讨。"),
                "1-2": FREE,
                "1-3": Rewrite(text="俄罗斯女排都会来。"),
            },
        ),
    ],
)
def test_answers_are_references_by_id(
    tmp_path: Path, sentences: str, answers: str, references: dict[str, Rewrite]
) -> None:
    assert load(tmp_path, sentences, answers) == references


def test_what_a_system_hands_in_is_places_or_sentences_and_may_be_packed(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(CTC, "utf-8")
    corpus = gecbench.load(tmp_path / "in.txt")
    (tmp_path / "places.txt.gz").write_bytes(gzip.compress(CTC_ANSWERS.encode()))
    (tmp_path / "texts.txt").write_text(CTC.replace("言轮", "言论"), "utf-8")
    places = gecbench.load_system(tmp_path / "places.txt.gz", corpus)
    assert places.hypotheses["1-3"] == (Rewrite(text="俄罗斯女排都会来。"),)
    texts = gecbench.load_system(tmp_path / "texts.txt", corpus)
    assert texts.hypotheses["1-1"] == (Rewrite(text="公司的言论引发声讨。"),)


@pytest.mark.parametrize(
    ("sentences", "answers", "facts"),
    [
        (SIGHAN, "A2-1-1, 0\nA2-1-2, 9, 氣\n", ("truth.txt:2", "氣")),
        (SIGHAN, "A2-1-1, 2, 氣車, 3, 車\nA2-1-2, 0\n", ("truth.txt:1", "車")),
        (SIGHAN, "A2-1-1, 0\nA2-1-2, 0\nA2-1-1, 0\n", ("truth.txt:3", "A2-1-1", "1")),
        (SIGHAN, "A2-1-1, 0\nA2-1-2, 2, 氣, 3\n", ("truth.txt:2", "3")),
        (CTC, CTC_ANSWERS.replace("4, 别字", "3, 别字"), ("truth.txt:1", "论", "言轮引发声讨。")),
        (CTC, "1-1, -1\n1-3, 5, 冗余, 都\n", ("truth.txt:2", "都")),
        (CTC, "1-1, -1\n1-3, 5, 冗余, 都, 都,\n", ("truth.txt:2", "都")),
        (SIGHAN, "A2-1-1, 0\n\nA2-1-2, 0\n", ("truth.txt:2", "blank")),
        (SIGHAN, "A2-1-1, 0\nA2-1-2, 0\n \n", ("truth.txt:3", "blank")),
        (SIGHAN, "A2-1-1, 0\n, 0\n", ("truth.txt:2", "id")),
        (CTC, CTC_ANSWERS.replace("pid=1-2", "pid="), ("truth.txt:2", "id")),
        (SIGHAN.replace("\n", "\n\n", 1), "A2-1-1, 0\nA2-1-2, 0\n", ("in.txt:2", "blank")),
        ("(X-ID=01)\t他好。\n", "(X-ID=01)\t2, 來\n", ("truth.txt:1", "2, 來", "comma")),
        ("(X-ID=01)\t他好。\n", "(X-ID=01)，2，來\n", ("truth.txt:1", "2，來", "comma")),
        ("(X-ID=01)\t他好。\n", "(X-ID=01), 2 來\n", ("truth.txt:1", "2 來")),
        (MORE + "女排会来。\n", CTC_ANSWERS, ("in.txt:6", "女排会来。")),
    ],
)
def test_the_line_that_does_not_fit_is_named(
    tmp_path: Path, sentences: str, answers: str, facts: tuple[str, ...]
) -> None:
    with expect_error(FormatError, *facts):
        load(tmp_path, sentences, answers)


def test_answers_need_all_sentences_and_are_no_corpus(tmp_path: Path) -> None:
    with expect_error(CorpusError, "truth.txt", "A2-1-2"):
        load(tmp_path, SIGHAN, "A2-1-1, 0\n")
    with expect_error(FormatError, "truth.txt:1", "--reference"):
        gecbench.load(tmp_path / "truth.txt")


@pytest.mark.parametrize(
    ("sentences", "answers", "line"),
    [
        (SIGHAN, "A2-1-1, 2, 氣車\nA2-1-2,\n", 1),
        (SIGHAN, "A2-1-1, x, 氣\nA2-1-2, 0\n", 1),
        (CTC, CTC_ANSWERS[:-8], 1),
        (CTC, CTC_ANSWERS.replace("pid=1-1, 4", "pid=1-1; x"), 2),
        ("(NID=00351) 他好。\n(NID=00352) 我。\n", "00351, 2, 來\n0035\n", 1),
    ],
)
def test_damaged_answers_of_a_system_are_not_read_as_its_texts(
    tmp_path: Path, sentences: str, answers: str, line: int
) -> None:
    (tmp_path / "in.txt").write_text(sentences, "utf-8")
    corpus = gecbench.load(tmp_path / "in.txt")
    system = tmp_path / "system.txt"
    system.write_text(answers, "utf-8")
    with expect_error(FormatError, f"system.txt:{line}", answers.split("\n")[line - 1], "lines"):
        gecbench.load_system(system, corpus)
    assert len(gecbench.load_system(system, corpus, format="lines").hypotheses) == len(
        corpus.samples
    )


@pytest.mark.parametrize(
    ("ids", "texts"),
    [
        (("2008", "2009", "2010"), ("2008, 北京奥运会", "他好。", "我好。")),
        (("2008", "2009"), ("2008, 北京奥运会", "他好。")),
        (("2008",), ("2008, 北京奥运会",)),
        (tuple("012345"), ("一", "二", "5, 六和七", "四", "五", "六")),
        (tuple("012345"), ("一", "5, 六和七", "5, 六", "5, 七", "五", "六")),
    ],
)
def test_a_system_is_not_refused_for_one_line_with_an_id_and_a_comma(
    tmp_path: Path, ids: tuple[str, ...], texts: tuple[str, ...]
) -> None:
    corpus = Corpus("c", tuple(Sample(name, "他好。") for name in ids), "zh")
    (tmp_path / "system.txt").write_text("\n".join(texts), "utf-8")
    hypotheses = gecbench.load_system(tmp_path / "system.txt", corpus).hypotheses
    assert [hypotheses[name] for name in ids] == [(Rewrite(text=text),) for text in texts]


def test_one_line_with_a_pid_makes_no_file_of_a_spelling_task(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("pid=1 a\nb\n", "utf-8")
    assert [sample.source for sample in gecbench.load(tmp_path / "in.txt").samples] == [
        "pid=1 a",
        "b",
    ]
    (tmp_path / "in.txt").write_text("pid=1 a\nb\npid=2 c", "utf-8")
    with expect_error(FormatError, "in.txt:2", "--from lines"):
        gecbench.load(tmp_path / "in.txt")


@pytest.mark.parametrize(
    ("line", "matches"),
    [
        ("pid=1 a" + " " * 100_000 + ".", True),
        ("pid=1, 1, a," + " " * 100_000, False),
        ("pid=1, 1, a, b, c," + " " * 100_000 + ".", False),
    ],
    ids=["sentence", "part", "answer"],
)
def test_a_line_with_many_blanks_is_looked_at_as_fast_as_others(line: str, matches: bool) -> None:
    assert CTC_FORMAT.matches([line]) == matches


def test_a_number_and_a_comma_may_begin_a_text(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("1, 2 and 3 .\n", "utf-8")
    corpus = gecbench.load(tmp_path / "in.txt")
    assert (
        gecbench.load_system(tmp_path / "in.txt", corpus).hypotheses["1"][0].text == "1, 2 and 3 ."
    )
