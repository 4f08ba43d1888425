"""Sentences and corruptors that the tests of corrupting share."""

from __future__ import annotations

from functools import cache

from gecbench.datasets.corrupt.corrupt import Corruptor, load_corruptor
from gecbench.datasets.corrupt.profile import load_profile, with_settings
from gecbench.edits.corruption import CorruptedText, draws, key_of

CHINESE = (
    "虽然今天下雨，但是我们还是去了北京的图书馆，借了三本书。",
    "妹妹说：“因为我很喜欢学习中文，所以每天都看中国电影！”",
    "他已经在上海工作了五年，目的是提高自己的汉语水平。",
    "你知道他为什么没有来学校吗？老师们都觉得非常奇怪。",
)
ENGLISH = (
    "The students often discuss the problems of their country because it is important to people.",
    "She goes to school every day, and her brother's friends have always played football there.",
    "In fact, I am better at writing; however, many children don't like a lot of homework.",
    "I think information is useful, but do not believe everything that they want to sell.",
    "Yesterday he decided to see the two cities, although the weather was very cold.",
)


def no_shapes() -> bytes:
    raise AssertionError("the table of shapes is not asked for")


@cache
def corruptors(language: str, tokens: str = "en") -> tuple[Corruptor, ...]:
    """Corruptors of few errors, of as many as there is room for, and of some correct sentences."""
    base = load_profile(f"{language}-default")
    more = {"shortest": "1", "tokens": tokens}
    profiles = (
        with_settings(base, more),
        with_settings(base, {**more, "errors": "0,0,0,0,0,0,0,1", "correct": "0.1"}),
    )
    return tuple(load_corruptor(profile, "test", no_shapes) for profile in profiles)


@cache
def _corruptor_of_type(language: str, name: str) -> Corruptor:
    base = load_profile(f"{language}-default")
    zero = {f"types.{other}": "0" for other in base.types}
    settings = {**zero, f"types.{name}": "1", "errors": "1", "shortest": "1"}
    return load_corruptor(with_settings(base, settings), "test", no_shapes)


def one_type(language: str, name: str, text: str, number: int) -> CorruptedText | None:
    """What becomes of a text that gets one error of a type; None where there is no place."""
    return _corruptor_of_type(language, name)(text, draws(key_of(0, "test"), number)).corrupted
