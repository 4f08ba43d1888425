"""Real files, and what the official tools wrote, through the formats."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError
from gecbench.core.files import read_lines
from gecbench.core.sample import NOT_KEPT, Corpus
from gecbench.formats import load_format
from gecbench.formats.reading import read, read_parallel, read_system

pytestmark = pytest.mark.golden

BYTE_FOR_BYTE = [
    "golden/cherrant/MuCGEC_dev.char.all.m2",
    "golden/cherrant/MuCGEC_dev.char.first.m2",
    "golden/cherrant/example_pred_dev.char.all.m2",
    "golden/cherrant/fuzz.char.all.m2",
    "golden/cherrant/fuzz.char.all.nosimp.m2",
    "golden/cherrant/demo.hyp.char.all.m2",
    "golden/errant/T5.m2",
    "golden/errant/T5.all-split.m2",
    "golden/errant/GECToR-ens.m2",
    "golden/errant/conll14.ref_parallel.m2",
    "golden/errant/robustgec_conll14.O.m2",
    "data/m2/fce.gold",
]
SAME_CORPUS = [
    "data/m2/conll14.gold",  # blocks without an A line become a noop
    "golden/errant/conll14.ref_auto.m2",  # likewise
    "golden/errant/conll14.ref_gold.m2",  # likewise; UNK without a text
    "golden/errant/robustgec_tem8.O.m2",  # sentence 586 inserts the word -NONE-
    "golden/errant/edge/edge.all-split.m2",
    "golden/errant/edge/edge_m2_in.m2",
    "golden/errant/edge/edge_m2_out.gold.m2",
    "golden/m2/m2data/conll14alt.m2",
    "golden/cherrant/ensemble/six.T4.m2",  # Chinese without T lines
    "data/cherrant/samples/demo.ref.m2.word",  # T lines that divide words otherwise
]


def again(corpus: Corpus, name: str) -> Corpus:
    content = load_format(name).write(corpus)[""]
    return load_format(name).read(Path(corpus.name), content.split("\n")[:-1])


@pytest.mark.parametrize("name", BYTE_FOR_BYTE + SAME_CORPUS)
def test_real_m2_comes_back_the_same_by_m2_and_by_jsonl(shared: Path, name: str) -> None:
    """What official tools wrote is written byte for byte, too."""
    corpus = read(shared / name)
    written = load_format("m2").write(corpus)[""]
    if name in BYTE_FOR_BYTE:  # then reading it again is reading the file
        assert written.encode() == (shared / name).read_bytes()
    else:
        assert load_format("m2").read(shared / name, written.split("\n")[:-1]) == corpus
    assert load_format("m2").losses(corpus) == []
    assert again(corpus, "jsonl") == corpus


@pytest.mark.parametrize("name", ["MuCGEC_dev.txt", "MuCGEC_test.txt", "example_pred_dev.txt"])
def test_real_mucgec_is_written_byte_for_byte(shared: Path, name: str) -> None:
    path = shared / "data" / "mucgec" / name
    corpus = read(path)
    assert load_format("mucgec").losses(corpus) == []
    assert load_format("mucgec").write(corpus)[""].split("\n")[:-1] == read_lines(path)


def test_mucgec_dev_has_the_published_numbers(shared: Path) -> None:
    samples = read(shared / "data/mucgec/MuCGEC_dev.txt").samples
    references = [rewrite for sample in samples for rewrite in sample.references]
    assert (len(samples), len(references)) == (1137, 2467)
    assert sum(reference.unannotatable for reference in references) == 3


def test_mucgec_and_its_m2_are_the_same_corpus_but_for_normalising(shared: Path) -> None:
    texts = read(shared / "data/mucgec/MuCGEC_dev.txt")
    edits = read(shared / "golden/cherrant/MuCGEC_dev.char.all.m2")
    for first, second in zip(texts.samples, edits.samples, strict=True):
        assert "".join(first.source.split()) == second.source
        assert len(first.references) == len(second.references)


def test_the_same_system_in_two_formats_has_the_same_sentences(shared: Path) -> None:
    corpus = read(shared / "data/mucgec/MuCGEC_dev.txt")
    rows = read_system(shared / "data/mucgec/example_pred_dev.txt", corpus)
    blocks = read_system(shared / "golden/cherrant/example_pred_dev.char.all.m2", corpus)
    assert list(blocks.hypotheses) == list(rows.hypotheses)
    assert len(blocks.tokens) == 1137
    assert not rows.tokens


def test_the_texts_of_conll14_are_those_the_official_tools_were_given(shared: Path) -> None:
    gold = read(shared / "data/m2/conll14.gold")
    source = read(shared / "golden/m2/m2data/conll14.src", format="lines")
    for first, second in zip(gold.samples, source.samples, strict=True):
        assert first.source == second.source


def test_outputs_on_conll14_are_read_by_position(shared: Path) -> None:
    corpus = read(shared / "data/m2/conll14.gold")
    output = read_system(shared / "golden/errant/T5.m2", corpus)
    assert output.system == "T5"
    assert len(output.hypotheses) == 1312


def test_parallel_files_of_fce_belong_together(shared: Path) -> None:
    folder = shared / "golden/m2/m2data"
    corpus = read_parallel(folder / "fce.src", [folder / "fce.ref", folder / "fce.half"])
    assert len(corpus.samples) == 2695
    assert all(len(sample.references) == 2 for sample in corpus.samples)


def test_nlpcc18_is_read_as_the_maxmatch_scorer_reads_it(shared: Path) -> None:
    corpus = read(shared / "data/m2/nlpcc18.gold", format="m2-maxmatch")
    golds = [rewrite.edit_sets[0] for sample in corpus.samples for rewrite in sample.references]
    assert (len(corpus.samples), sum(map(len, golds))) == (2000, 3790)
    assert corpus.provenance == {NOT_KEPT: "1 edit outside the sentence"}
    assert sum(len(set(edits)) < len(edits) for edits in golds) == 1
    assert sum(list(edits) != sorted(edits, key=lambda e: (e.start, e.end)) for edits in golds) == 1


@pytest.mark.parametrize(
    "name", ["data/m2/conll14.gold", "data/m2/fce.gold", "golden/m2/m2data/conll14alt.m2"]
)
def test_both_readings_of_a_sound_gold_file_are_the_same(shared: Path, name: str) -> None:
    assert read(shared / name, format="m2-maxmatch") == read(shared / name)


def test_nlpcc18_is_refused_at_its_first_bad_edit(shared: Path) -> None:
    path = shared / "data/m2/nlpcc18.gold"
    with expect_error(FormatError, f"{path}:4303", "span 1 2", "--from m2-maxmatch"):
        read(path)


def test_nlpcc18_is_refused_at_the_edit_that_ends_after_the_sentence(
    shared: Path, tmp_path: Path
) -> None:
    lines = read_lines(shared / "data/m2/nlpcc18.gold")
    del lines[4302]
    path = tmp_path / "nlpcc18.gold"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read(path)
    n = next(n for n, line in enumerate(lines, 1) if line.startswith("A 19 202|||"))
    assert str(error.value) == (
        f"{path}:{n}: edit span '19 202' ends after the source, which has 25 tokens; correct it, "
        "or read the file as the MaxMatch scorer does: --from m2-maxmatch"
    )
