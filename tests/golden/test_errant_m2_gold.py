"""Given edits come out as errant_m2 writes them, byte for byte.

How it handles files is done here: a last block without an empty line after it is lost, a block
without edit lines stays without any, and annotators are sorted by their names as strings.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from errant_golden import NOOP, Parse, blocks, extract, line, recorded

from gecbench.api.files import load as load_corpus
from gecbench.core.edit import Edit, Sentence, TokenAttributes
from gecbench.core.sample import Sample
from gecbench.lang.en import errant
from gecbench.lang.en.classify import Classifier
from gecbench.lang.en.errant import load_resources
from gecbench.scoring.extractor import with_detections

pytestmark = pytest.mark.golden


def keep_edits(
    parse: Parse, sample: Sample, edits: tuple[Edit, ...], options: dict[str, bool] | None
) -> tuple[Edit, ...]:
    """The edits of one annotator: automatic if there are no options, else kept."""
    resources = load_resources()
    source = parse(sample.source)
    tokens, joined = errant.correct(edits, source.tokens)
    target = parse(" ".join(tokens))
    if options is None:
        resources = extract(source, target)
        detected = [edit for edit in edits if edit.replacement is None]
        return with_detections(detected, (resources,))[0]
    classifier = Classifier(resources.dictionary, resources.stem)
    keep = errant.keep(joined, source, target, classifier, **options)
    assert keep is not None
    return keep


def converted(parse: Parse, path: Path, options: dict[str, bool] | None) -> list[str]:
    """The blocks of a file as errant_m2 writes them, the last one too."""
    result = []
    for sample, raw in zip(load_corpus(path).samples, blocks(path), strict=True):
        block = [f"S {sample.source}"]
        for rewrite in sorted(sample.references, key=lambda reference: reference.annotator):
            coder = rewrite.annotator
            if not rewrite.error_free:
                edits = keep_edits(parse, sample, rewrite.edit_sets[0], options)
                block += [line(edit, sample.tokens, coder) for edit in edits]
            elif "\nA " in raw:
                block.append(f"{NOOP}{coder}")
        result.append("\n".join(block))
    return result


@pytest.mark.parametrize(("name", "options"), [("auto", None), ("gold", {})])
def test_the_gold_edits_of_conll14(shared: Path, name: str, options: dict[str, bool] | None):
    want = blocks(shared / f"golden/errant/conll14.ref_{name}.m2")
    path = shared / "data/m2/conll14.gold"
    assert converted(recorded(shared), path, options) == want


@pytest.fixture(scope="module")
def live(shared: Path) -> Parse:
    """Analyse with the pipeline that ERRANT had, for sentences that were not recorded."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.load(shared / "data/en_ud_sm")

    def parse(text: str) -> Sentence:
        tokens = tuple(text.split())
        doc = pipeline(spacy.tokens.Doc(pipeline.vocab, list(tokens)))
        rows = [(t.lemma_, t.pos_, t.tag_, t.dep_, t.head.i) for t in doc]
        return Sentence(text, tokens, words=TokenAttributes(*zip(*rows, strict=True)))

    return parse


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("auto", None),
        ("gold", {}),
        ("goldno_min", {"minimise": False}),
        ("goldold_cats", {"relabel": False}),
    ],
)
def test_edge_cases(shared: Path, live: Parse, name: str, options: dict[str, bool] | None):
    folder = shared / "golden/errant/edge"
    text = converted(live, folder / "edge_m2_in.m2", options)
    want = blocks(folder / f"edge_m2_out.{name}.m2")
    assert text[:-1] == want
    assert not (folder / "edge_m2_in.m2").read_text("utf-8").endswith("\n\n")
