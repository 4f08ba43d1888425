"""multigec: essays, their references and outputs of systems in files of one form, joined by id."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

import gecbench
from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.essays import FORMAT
from gecbench.formats.reading import sources

PATH = Path("x.md")
ORIGINAL = "### essay_id = T-1\nHe go .\n\nShe go .\n\n\n### essay_id = T-2\n# Fine .\n"
CORRECTED = "### essay_id = T-2\n# Fine !\n\n### essay_id = T-1\nHe goes .\n\nShe goes .\n"


def file(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_an_essay_is_a_text_with_its_line_ends(tmp_path: Path) -> None:
    assert gecbench.load(file(tmp_path, "orig.md", ORIGINAL)) == Corpus(
        "orig", (Sample("T-1", "He go .\n\nShe go ."), Sample("T-2", "# Fine ."))
    )


@pytest.mark.parametrize("format", [None, "multigec"])
def test_references_and_systems_are_joined_by_id(tmp_path: Path, format: str | None) -> None:
    original, corrected = file(tmp_path, "o.md", ORIGINAL), file(tmp_path, "r.md", CORRECTED)
    corpus = gecbench.load(original, references=[corrected, original], format=format)
    texts = ("He goes .\n\nShe goes .", "He go .\n\nShe go .")
    assert corpus.samples[0].references == tuple(Rewrite(text=text) for text in texts)
    assert corpus.samples[1].references[0] == Rewrite(text="# Fine !")
    system = gecbench.load_system(corrected, corpus)
    assert system.hypotheses["T-1"] == (Rewrite(text=texts[0]),)


def test_an_essay_that_is_missing_is_named(tmp_path: Path) -> None:
    original = file(tmp_path, "o.md", ORIGINAL)
    short = file(tmp_path, "s.md", "### essay_id = T-1\nx\n")
    with expect_error(CorpusError, str(short), "'T-2'"):
        gecbench.load(original, references=[short])


def test_what_is_corrected_keeps_its_ids(tmp_path: Path) -> None:
    actual_sources = sources(file(tmp_path, "o.md", ORIGINAL))
    assert actual_sources.corpus is not None
    assert [sample.id for sample in actual_sources.corpus.samples] == ["T-1", "T-2"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("\nHe go .\n### essay_id = 1\nx\n", 2),
        ("### essay_id = 1\nx\n### essay_id = 2\n\n", 3),
        ("### essay_id = 1\nx\n### essay_id = 1\ny\n", 3),
        ("\n", 1),
    ],
)
def test_what_is_wrong_is_named_with_its_line(content: str, line: int) -> None:
    with expect_error(FormatError, f"{PATH}:{line}"):
        FORMAT.read(PATH, content.split("\n"))


def test_essays_are_written_with_their_references_and_read_back(tmp_path: Path) -> None:
    references = (Rewrite(text="He goes .\n\nShe goes ."), Rewrite(text="They go ."))
    corpus = Corpus("c", (Sample("T-1", "He go .\n\nShe go .", references),))
    assert gecbench.save(corpus, tmp_path / "c", format="multigec") == []
    files = [tmp_path / name for name in ("c-orig.md", "c-ref1.md", "c-ref2.md")]
    assert files[0].read_text("utf-8") == "### essay_id = T-1\nHe go .\n\nShe go .\n\n"
    assert gecbench.load(files[0], references=files[1:]).samples == corpus.samples


def test_an_ending_of_the_name_is_not_repeated(tmp_path: Path) -> None:
    corpus = Corpus("c", (Sample("1", "He go .", (Rewrite(text="He goes ."),)),))
    gecbench.save(corpus, tmp_path / "c.md", format="multigec")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c-orig.md", "c-ref1.md"]


@pytest.mark.parametrize("line", ["# Essay ID photos are bad.", "#essayid check", "# Essay ID"])
def test_a_line_that_begins_as_a_heading_is_text(tmp_path: Path, line: str) -> None:
    corpus = Corpus("c", (Sample("1", f"He go .\n{line}"), Sample("2", "a")))
    gecbench.save(corpus, tmp_path / "c.md", format="multigec")
    assert gecbench.load(tmp_path / "c.md") == corpus


@pytest.mark.parametrize("line", ["## Essay ID: 2", "### essay_id 2", "# essayid=2"])
def test_a_misspelled_heading_is_named(line: str) -> None:
    with expect_error(FormatError, f"{PATH}:2", line):
        FORMAT.read(PATH, ["### essay_id = 1", line, "a"])
    with expect_error(CorpusError, "'1'", line):
        FORMAT.write(Corpus("c", (Sample("1", f"a\n{line}"),)))


def test_what_an_essay_cannot_hold_is_lost_with_a_count_or_refused(tmp_path: Path) -> None:
    samples = (Sample("1", "\na\n", (Rewrite(error_free=True),)), Sample("2", "b"))
    assert len(FORMAT.losses(Corpus("c", samples, "sv"))) == 4
    for sample in (Sample("1 ", "a"), Sample("1", "a\n### essay_id = 2"), Sample("1", " ")):
        with expect_error(CorpusError, repr(sample.id)):
            FORMAT.write(Corpus("c", (sample,)))
