"""nucle: paragraphs of essays, with the corrections of each teacher."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError
from gecbench.core.sample import NOT_KEPT, Corpus
from gecbench.formats.essays import NUCLE
from gecbench.formats.reading import read

PATH = Path("nucle.sgml")


def mistake(
    paragraph: object, start: int, end: int, correction: str, kind: str = "Vform", last: object = ""
) -> str:
    return (
        f'<MISTAKE start_par="{paragraph}" start_off="{start}" end_par="{last or paragraph}" '
        f'end_off="{end}">\n<TYPE>{kind}</TYPE>\n<CORRECTION>{correction}</CORRECTION>\n</MISTAKE>\n'
    )


def document(*teachers: str, nid: int = 840) -> str:
    annotations = "".join(
        f'<ANNOTATION teacher_id="{17 + k}">\n{mistakes}</ANNOTATION>\n'
        for k, mistakes in enumerate(teachers)
    )
    return (
        f'<DOC nid="{nid}">\n<TEXT>\n<TITLE>\nOn dog\n</TITLE>\n<P>\nHe go home.\n</P>\n'
        f"<P>\nDogs are big.\n</P>\n</TEXT>\n{annotations}</DOC>\n"
    )


def texts(corpus: Corpus) -> list[list[str | None]]:
    return [[None if r.error_free else r.text for r in s.references] for s in corpus.samples]


def test_titles_and_paragraphs_are_sentences_with_their_corrections(tmp_path: Path) -> None:
    path = tmp_path / "nucle.sgml"
    teachers = (
        mistake(1, 3, 5, "goes") + mistake(0, 3, 6, "dogs", "Nn"),
        mistake(2, 0, 4, "A dog"),
    )
    path.write_text(document(*teachers) + document(nid=841), "utf-8")
    corpus = read(path)
    assert corpus.lang == "en"
    assert [(s.id, s.source) for s in corpus.samples[:4]] == [
        ("840/1", "On dog"),
        ("840/2", "He go home."),
        ("840/3", "Dogs are big."),
        ("841/1", "On dog"),
    ]
    assert texts(corpus)[:4] == [
        ["On dogs", None],
        ["He goes home.", None],
        [None, "A dog are big."],
        [],
    ]
    assert [r.annotator for r in corpus.samples[0].references] == ["17", "18"]


@pytest.mark.parametrize(
    ("mistakes", "lost"),
    [
        (mistake(1, 3, 5, "goes", "Um"), "nobody corrected"),
        (mistake(1, 3, 0, "goes", last=2), "across paragraphs"),
        (mistake(7, 0, 1, "x"), "across paragraphs"),
        (mistake(1, 3, 50, "x"), "across paragraphs"),
    ],
)
def test_what_is_not_kept_is_counted(mistakes: str, lost: str) -> None:
    corpus = NUCLE.read(PATH, document(mistakes).split("\n"))
    assert lost in corpus.provenance[NOT_KEPT]
    assert corpus.samples[1].references[0].text in (None, "He go home.")


@pytest.mark.parametrize(
    ("content", "line", "fact"),
    [
        (document() + "x\n", 14, "'x'"),
        (document() + "<DOC nid='1'>\n", 14, "DOC"),
        (document() + '<DOC nid="1"></DOC>\n', 14, "'1'"),
        (document() + document(mistake("a", 0, 1, "x"), nid=1), 14, "start_par"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(content: str, line: int, fact: str) -> None:
    with expect_error(FormatError, f"{PATH}:{line}", fact):
        NUCLE.read(PATH, content.split("\n"))


@pytest.mark.parametrize(
    ("mistakes", "text"),
    [
        ([(3, 6, "goes")], "He goes home."),
        ([(3, 6, "goes"), (6, 10, "house")], "He goes house."),
        ([(2, 5, "goes")], "He goes home."),
        ([(0, 3, ""), (3, 5, "Goes")], "Goes home."),
        ([(2, 6, "")], "He home."),
        ([(5, 6, "")], "He gohome."),
        ([(5, 6, ", ")], "He go, home."),
        ([(6, 11, "home")], "He go home"),
        ([(6, 6, "the")], "He go the home."),
        ([(0, 0, "So")], "So He go home."),
        ([(5, 5, "es")], "He goes home."),
        ([(6, 6, "to ")], "He go to home."),
    ],
)
def test_a_blank_that_is_marked_with_a_word_does_not_join_two(
    tmp_path: Path, mistakes: list[tuple[int, int, str]], text: str
) -> None:
    path = tmp_path / "nucle.sgml"
    path.write_text(document("".join(mistake(1, *m) for m in mistakes)), "utf-8")
    assert texts(read(path))[1] == [text]
