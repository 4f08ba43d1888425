"""What every corrector must keep to; tests of each kind call `check_corrector` with theirs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from gecbench.core.corrector import Correction, Corrector, apply

ZH = (
    "我今天很高心。",
    "",
    "我",
    "他们因该去打蓝球，因为天气很好！",
    " 前后有空格　",
    "这是３个ＡＢＣ和abc 123。",
    "😀👨‍👩‍👧\u200b标点……——“”",
    "我喜欢" * 400,
    "我今天很高心。",
    "\t",
    "第一句。第二句！第三句？\n第四句",
)
EN = (
    "He go to school every day .",
    "",
    "a",
    "I has a apple and and an banana.",
    "  spaces   inside and at both ends  ",
    "numbers 3.14 , 1,000 and e-mail a@b.example",
    "naïve café 😀 \u00a0 \u2019s",
    "word " * 700,
    "He go to school every day .",
    "supercalifragilisticexpialidocious" * 20,
    "one. two! three?\nfour",
)


def check_corrector(make: Callable[[], Corrector], texts: Sequence[str]) -> list[Correction]:
    """Hold a corrector to the laws of `Corrector`, and return what it made of the texts."""
    corrector = make()
    try:
        corrections = corrector.correct(texts)
        _check_each(corrections, texts)
        _check_alone(corrector, texts, corrections)
        _check_order(corrector, texts, corrections)
        assert corrector.correct([]) == []
    finally:
        corrector.close()
    again = make()
    try:
        if again.info.deterministic:
            assert again.info.signature == corrector.info.signature
            assert [c.text for c in again.correct(texts)] == [c.text for c in corrections]
    finally:
        again.close()
    assert corrector.info.about
    assert all(isinstance(value, str) for value in corrector.info.signature.values())
    return corrections


def _check_each(corrections: Sequence[Correction], texts: Sequence[str]) -> None:
    assert [c.source for c in corrections] == list(texts)
    for correction in corrections:
        assert apply(correction.edits, correction.source) == correction.text
        for edit in correction.edits:
            assert edit.score is None or 0 <= edit.score <= 1
            assert correction.source[edit.start : edit.end] != edit.replacement


def _check_alone(
    corrector: Corrector, texts: Sequence[str], corrections: Sequence[Correction]
) -> None:
    for text, together in zip(texts, corrections, strict=True):
        (alone,) = corrector.correct([text])
        _check_same(alone, together)


def _check_order(
    corrector: Corrector, texts: Sequence[str], corrections: Sequence[Correction]
) -> None:
    places = list(range(len(texts)))
    random.Random(5).shuffle(places)
    for place, shuffled in zip(places, corrector.correct([texts[k] for k in places]), strict=True):
        _check_same(shuffled, corrections[place])


def _check_same(first: Correction, second: Correction) -> None:
    assert first.text == second.text
    assert [(e.start, e.end, e.replacement) for e in first.edits] == [
        (e.start, e.end, e.replacement) for e in second.edits
    ]
    assert first.flags == second.flags
    for left, right in zip(first.edits, second.edits, strict=True):
        assert (left.score is None) == (right.score is None)
        if left.score is not None and right.score is not None:
            assert abs(left.score - right.score) < 1e-4
