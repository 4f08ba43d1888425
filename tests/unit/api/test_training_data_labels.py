"""The labels beside the pairs: done in rounds, they make the target of the source."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tiny_profiles import CHINESE, ENGLISH

from gecbench.api.training_data import corrupt
from gecbench.core.corrector import apply
from gecbench.lang import transforms_for
from gecbench.models.tags.derive import apply_labels, choose_labels, derive_rounds
from gecbench.models.tags.replay import text_edits
from gecbench.text.tokens import split_tokens, tokens_of

COPIES = 300


@pytest.mark.parametrize(("language", "texts"), [("zh", CHINESE), ("en", ENGLISH)])
def test_labels_lead_from_source_to_target(tmp_path: Path, language: str, texts: tuple[str, ...]):
    (tmp_path / "x.txt").write_text("\n".join(texts * COPIES) + "\n", encoding="utf-8")
    corrupt(
        tmp_path / "x.txt", tmp_path / "x.tsv", to="pairs", labels=tmp_path / "x.labels", seed=3
    )
    pairs = [line.split("\t") for line in (tmp_path / "x.tsv").read_text("utf-8").splitlines()]
    header, *rows = map(
        msgspec.json.decode, (tmp_path / "x.labels").read_text("utf-8").splitlines()
    )
    assert header == {
        "format": "gecbench-labels",
        "schema": 1,
        "lang": language,
        "tokens": language,
    }
    assert len(rows) == len(pairs) >= COPIES * len(texts) * 0.95
    transforms = transforms_for(language)
    whole = 0
    for row, (source, target) in zip(rows, pairs, strict=True):
        tokens = tuple(split_tokens(source, language)[1::2])
        tokens_wanted = tuple(split_tokens(target, language)[1::2])
        assert tuple(row["tokens"]) == tokens
        assert len(row["labels"]) == len(tokens) + 1
        rounds = derive_rounds(tokens, tokens_wanted, transforms)
        assert choose_labels(row["labels"]) == rounds[0].labels
        assert apply_labels(*rounds[-1], transforms) == tokens_wanted
        whole += replayed(source, tokens_wanted, transforms, language) == target
    # What a tokenised text or a quotation mark leaves open is a blank, never a token.
    assert whole >= 0.99 * len(pairs)


def replayed(text, target, transforms, language):
    """The text after as many rounds as it takes, by what correctors do with labels."""
    for _ in range(20):
        tokens = tokens_of(text, language)
        rounds = derive_rounds([token.text for token in tokens], target, transforms, limit=1)
        if not rounds:
            return text
        edits = text_edits(text, tokens, rounds[0].labels, None, transforms, language=language)
        text = apply(edits, text)
    return text
