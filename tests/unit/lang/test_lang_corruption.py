"""What each language brings for making errors."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gecbench.core.errors import UsageError
from gecbench.core.registry import resolve
from gecbench.lang import CORRUPTIONS, LANGUAGES

DEFAULTS = {"tokens": "en", "segment": "", "shapes": "own"}


def load(code: str, **settings: str):
    return resolve("language", code, CORRUPTIONS)(SimpleNamespace(**DEFAULTS | settings), None)


@pytest.mark.parametrize("code", CORRUPTIONS)
def test_types_of_a_corpus_are_made_by_rules_that_there_are(code: str):
    corruption = load(code)
    assert code in LANGUAGES
    for label in ("S", "M", "R", "W:R", *corruption.types):
        assert set(corruption.substitutes(corruption.type_of(label))) <= corruption.types.keys()


@pytest.mark.parametrize(
    ("code", "settings"),
    [("zh", {"tokens": "space"}), ("en", {"segment": "jieba"}), ("en", {"shapes": "cherrant"})],
)
def test_a_setting_for_another_language_is_refused(code: str, settings: dict[str, str]):
    with pytest.raises(UsageError, match=next(iter(settings))):
        load(code, **settings)
