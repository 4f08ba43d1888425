"""Labels of all real pairs lead to the target exactly; how many rounds it takes is recorded.

The published comparison is the measurement of the survey of correction models (section 1.3), made
with another aligner on the same 4,050 pairs of FCGEC-valid and MuCGEC-dev.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from gecbench.core.corrector import apply
from gecbench.core.files import read_lines
from gecbench.core.format import Format
from gecbench.formats.fcgec import FORMAT as FCGEC
from gecbench.formats.perturbed import read_blocks
from gecbench.formats.tsv import MUCGEC
from gecbench.lang import transforms_for
from gecbench.models.tags.derive import choose_labels, derive_labels
from gecbench.models.tags.labels import KEEP, build_label_vocabulary
from gecbench.models.tags.replay import text_edits
from gecbench.text.tokens import tokens_of

pytestmark = [pytest.mark.golden, pytest.mark.no_cover]


def rewritten(corpus) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a corpus in which something changes."""
    for sample in corpus.samples:
        for reference in sample.references:
            if reference.text and reference.text != sample.source:
                yield sample.source, reference.text


def read(reader: Format, path: Path) -> list[tuple[str, str]]:
    return list(rewritten(reader.read(path, read_lines(path))))


def rounds_needed(source: str, target: str, kind: str, language: str) -> int | None:
    """Return after how many rounds the text is the target; None where it never is."""
    transforms = transforms_for(language)
    texts = [token.text for token in tokens_of(target, kind)]
    spacing = "tokenised" if kind == "space" else None
    text, number = source, 0
    while text != target:
        tokens = tokens_of(text, kind)
        labels = choose_labels(derive_labels([token.text for token in tokens], texts, transforms))
        edits = text_edits(
            text, tokens, labels, None, transforms, language=language, spacing=spacing
        )
        if not edits:
            return None
        text, number = apply(edits, text), number + 1
    return number


def needed(pairs, kind: str = "zh", language: str = "zh") -> list[int | None]:
    """Return how many pairs need 1, 2, 3, 4, 5 and more rounds, and how many never arrive."""
    counts = Counter(rounds_needed(a, b, kind, language) for a, b in pairs)
    more = sum(n for number, n in counts.items() if number and number > 5)
    return [*(counts[number] for number in range(1, 6)), more, counts[None]]


@pytest.fixture(scope="module")
def fcgec_pairs(shared: Path):
    return read(FCGEC, shared / "data/fcgec/FCGEC_valid.json")


@pytest.fixture(scope="module")
def mucgec_pairs(shared: Path):
    return read(MUCGEC, shared / "data/mucgec/MuCGEC_dev.txt")


def test_mucgec_and_fcgec_arrive(mucgec_pairs, fcgec_pairs):
    assert (len(mucgec_pairs), len(fcgec_pairs)) == (2409, 1641)
    counts = [needed(mucgec_pairs), needed(fcgec_pairs)]
    # The one that never arrives has a blank in its target that its source has not: no label can
    # say that. Its characters arrive.
    assert counts == [[1301, 659, 290, 94, 33, 32, 0], [979, 359, 214, 37, 20, 31, 1]]
    both = [a + b for a, b in zip(*counts, strict=True)]
    shares = [sum(both[: n + 1]) / 40.50 for n in range(5)]
    assert shares == pytest.approx([58.6, 81.3, 93.5, 96.8, 98.3], abs=2.5)


def test_predictions_arrive(shared: Path):
    pairs = read(MUCGEC, shared / "data/mucgec/example_pred_dev.txt")
    assert needed(pairs) == [935, 50, 4, 1, 0, 0, 0]


def test_robustgec_arrives(shared: Path):
    result = {}
    for name in ("conll14", "tem8"):
        path = shared / f"data/robustgec/{name}/para.txt"
        cases = [block.case for block in read_blocks(path, read_lines(path))]
        pairs = [(variant.source, variant.reference) for case in cases for variant in case.all]
        result[name] = needed([(a, b) for a, b in pairs if a != b], "space", "en")
    assert result == {"conll14": [6014, 799, 193, 25, 11, 12, 0], "tem8": [7055, 31, 0, 0, 0, 0, 0]}


def test_vocabularies_cover_what_the_survey_measured(mucgec_pairs, fcgec_pairs):
    counter: Counter[str] = Counter()
    several = 0
    for source, target in mucgec_pairs + fcgec_pairs:
        sides = ([token.text for token in tokens_of(side, "zh")] for side in (source, target))
        rows = derive_labels(*sides, transforms_for("zh"))
        labels_of = [[label for label in row if label != KEEP] for row in rows]
        several += any(len(labels) > 1 for labels in labels_of)
        for labels in labels_of:
            counter.update(labels)
    assert (len(counter), counter.total(), several) == (1996, 21823, 1769)
    vocabularies = (build_label_vocabulary(counter, min_count=n) for n in (2, 3, 5))
    known = [sum(counter[label] for label in v.labels) for v in vocabularies]
    shares = [100 * n / counter.total() for n in known]
    assert shares == pytest.approx([97.1, 94.1, 88.6], abs=0.2)
