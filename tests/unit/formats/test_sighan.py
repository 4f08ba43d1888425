"""sighan: all forms of the SGML give sentences with their mistakes corrected."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError
from gecbench.core.sample import NOT_KEPT, Rewrite
from gecbench.formats.reading import read
from gecbench.formats.sighan import SIGHAN

PATH = Path("train.sgml")
ESSAYS = """<ESSAY title="信">
<TEXT>
<PASSAGE id="A-1">我喜欢坐公共气车。</PASSAGE>
<PASSAGE id="A-2">他很好。</PASSAGE>
</TEXT>
<MISTAKE id="A-1" location="7">
<WRONG>气车</WRONG>
<CORRECTION>汽车</CORRECTION>
</MISTAKE>
</ESSAY>

<ESSAY title="b"><TEXT><PASSAGE id="B-1">在见</PASSAGE></TEXT>
<MISTAKE id="B-1" location="1"><WRONG>在</WRONG><CORRECTION>再</CORRECTION></MISTAKE></ESSAY>
"""


def mistake(location: object, wrong: str, correction: str) -> str:
    return (
        f"<MISTAKE>\n <LOCATION>{location}</LOCATION>\n <WRONG>{wrong}</WRONG>\n"
        f" <CORRECTION>{correction}</CORRECTION>\n</MISTAKE>\n"
    )


def sentence(text: str, *mistakes: str) -> str:
    return f"<SENTENCE>\n  <TEXT>\n    {text}\n  </TEXT>\n{''.join(mistakes)}</SENTENCE>\n"


def test_passages_of_essays_have_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "train.sgml"
    path.write_text(ESSAYS, "utf-8")
    text = read(path)
    assert text.lang == "zh"
    assert [(s.id, s.source, s.references) for s in text.samples] == [
        ("A-1", "我喜欢坐公共气车。", (Rewrite(text="我喜欢坐公共汽车。"),)),
        ("A-2", "他很好。", (Rewrite(error_free=True),)),
        ("B-1", "在见", (Rewrite(text="再见"),)),
    ]


def test_sentences_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "test.sgml"
    two = mistake(1, "在", "再") + mistake(4, "名", "明")
    path.write_text(sentence("在见！名天") + "\n" + sentence("在见！名天", two), "utf-8")
    assert [(s.id, s.references[0].text) for s in read(path).samples] == [
        ("1", None),
        ("2", "再见！明天"),
    ]


@pytest.mark.parametrize(
    ("mistakes", "lost"),
    [
        (mistake(2, "在", "再"), "where the file says"),
        (mistake(9, "在", "再"), "where the file says"),
        (mistake(1, "在见", "再见") + mistake(2, "见", "看"), "overlaps"),
    ],
)
def test_a_mistake_that_does_not_fit_is_counted(mistakes: str, lost: str) -> None:
    text = SIGHAN.read(PATH, sentence("在见", mistakes).split("\n"))
    assert lost in text.provenance[NOT_KEPT]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (sentence("好") + "\nno tag\n", 7),
        (sentence("好") + sentence("好")[:-12], 6),
        (sentence("好") + "<SENTENCE></SENTENCE>", 6),
        (sentence("好") + sentence(""), 6),
        (sentence("好", mistake("a", "好", "坏")), 1),
        (sentence("好", mistake(1, "好", "坏").replace("CORRECTION>", "CORRECTED>")), 1),
        (sentence("好", mistake(1, "好", "坏").replace("</MISTAKE>", "")), 1),
        (ESSAYS.replace('"B-1" location', '"B-2" location'), 12),
    ],
)
def test_what_is_wrong_is_named_with_its_line(content: str, line: int) -> None:
    with expect_error(FormatError, f"{PATH}:{line}"):
        SIGHAN.read(PATH, content.split("\n"))


def test_samples_of_2013_have_the_ids_of_their_documents(tmp_path: Path) -> None:
    path = tmp_path / "sample.txt"
    path.write_text(
        '<DOC Nid="00018">\n<p>他很警悌。 </p>\n<TEXT>\n<MISTAKE wrong_position=4>\n'
        "<wrong>警悌</wrong>\n<correct>警惕</correct>\n</MISTAKE>\n</TEXT>\n</DOC>\n"
        '<DOC Nid="10001">\n<p>他很好。</p>\n<TEXT>\n</TEXT>\n</DOC>\n',
        "utf-8",
    )
    assert [(s.id, s.source, s.references) for s in read(path).samples] == [
        ("00018", "他很警悌。", (Rewrite(text="他很警惕。"),)),
        ("10001", "他很好。", (Rewrite(error_free=True),)),
    ]


@pytest.mark.parametrize(
    "mistake",
    [
        "<MISTAKE wrong_position=4>\n<WRONG>警悌</WRONG>\n<CORRECT>警惕</CORRECT>\n</MISTAKE>",
        "<Mistake wrong_position=4>\n<Wrong>警悌</Wrong>\n<Correct>警惕</Correct>\n</Mistake>",
    ],
)
def test_samples_of_2013_may_be_written_in_capitals(tmp_path: Path, mistake: str) -> None:
    path = tmp_path / "sample.txt"
    path.write_text(
        f'<DOC Nid="00018">\n<P>他很警悌。</P>\n<TEXT>\n{mistake}\n</TEXT>\n</DOC>\n', "utf-8"
    )
    assert [(s.id, s.source, s.references) for s in read(path).samples] == [
        ("00018", "他很警悌。", (Rewrite(text="他很警惕。"),)),
    ]


def test_a_word_that_is_marked_once_for_each_character_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "training.sgml"
    mistake = (
        '<MISTAKE id="A2-1-1" location="{}">\n<WRONG>班公司</WRONG>\n'
        "<CORRECTION>辦公室</CORRECTION>\n</MISTAKE>\n"
    )
    path.write_text(
        '<ESSAY title="請假">\n<TEXT>\n<PASSAGE id="A2-1-1">我到班公司找您。</PASSAGE>\n</TEXT>\n'
        f"{mistake.format(3)}{mistake.format(5)}</ESSAY>\n",
        "utf-8",
    )
    corpus = read(path)
    assert [r.text for s in corpus.samples for r in s.references] == ["我到辦公室找您。"]
    assert NOT_KEPT not in corpus.provenance
