"""Sentences that are made of parts, so that every error, every right text and every edit is known.

Edits lie at least three characters apart, and what is put in or taken out differs from what
stands around it: there is one shortest way from the sentence to each text, and any aligner that
is worth its name finds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from gecbench.server.rules.options import PLACEHOLDER

Edit = tuple[int, int, str]
"""First character of the sentence, the one after the last, and what stands there instead."""

Edits = frozenset[Edit]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of a sentence.

    Args:
        written: What stands there.
        rights: What should; () where it is right, but people like to polish it.
        polished: What somebody who rewrites too much makes of it.
    """

    written: str
    rights: tuple[str, ...] = ()
    polished: str = ""


Part = str | Spot


@dataclass(frozen=True)
class Known:
    """A sentence of which everything is known.

    Args:
        number: From 0 on.
        kind: "corrected", "error_free" or "not_annotatable".
        source: The sentence.
        errors: Span of each error, with what is right there; the first is the usual one.
        polish: The edit of somebody who rewrites what is right.
    """

    number: int
    kind: str
    source: str
    errors: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    polish: Edit = (0, 0, "")
    readings: dict[str, Edits] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Know every text that anybody of the team may write."""
        ways = [[None, *self.fixes(n), *self.misused(n)] for n in range(len(self.errors))]
        if self.kind != "not_annotatable":
            ways.append([None, self.polish])
        for chosen in product(*ways):
            edits = frozenset(edit for edit in chosen if edit)
            self.readings[self.text(edits)] = edits

    def fixes(self, n: int) -> list[Edit]:
        """The right edits of an error."""
        start, end, rights = self.errors[n]
        return [(start, end, right) for right in rights]

    def misused(self, n: int) -> list[Edit]:
        """The placeholder where everybody knows what is missing."""
        start, end, rights = self.errors[n]
        return [(start, end, PLACEHOLDER)] if start == end and rights != (PLACEHOLDER,) else []

    def usual(self, *, other: bool = False) -> Edits:
        """The right edits; with the other choice where there is one."""
        return frozenset(
            (start, end, rights[-1 if other else 0]) for start, end, rights in self.errors
        )

    @property
    def right(self) -> set[Edits]:
        """Every set of edits that makes the sentence right."""
        return {frozenset(edits) for edits in product(*map(self.fixes, range(len(self.errors))))}

    @property
    def has_choice(self) -> bool:
        """Whether there are two right texts."""
        return any(len(rights) > 1 for _, _, rights in self.errors)

    def text(self, edits: Iterable[Edit]) -> str:
        """The sentence with some edits."""
        text = self.source
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text


def known(number: int, parts: Iterable[Part]) -> Known:
    """Put a sentence together."""
    source, errors, polish = "", [], (0, 0, "")
    for part in parts:
        spot = Spot(part) if isinstance(part, str) else part
        start, end = len(source), len(source) + len(spot.written)
        source += spot.written
        if spot.rights:
            errors.append((start, end, spot.rights))
        elif spot.polished:
            polish = (start, end, spot.polished)
    return Known(number, "corrected" if errors else "error_free", source, tuple(errors), polish)


NAMES = (
    "小明",
    "小红",
    "王老师",
    "李医生",
    "张师傅",
    "陈同学",
    "刘阿姨",
    "赵叔叔",
    "周奶奶",
    "吴爷爷",
)
TIMES = (
    *(
        "昨天早上",
        "前天下午",
        "上个星期",
        "上个周末",
        "去年夏天",
        "去年冬天",
        "春节以前",
        "今天中午",
    ),
    *(
        "开学以后",
        "放假以前",
        "考试之前",
        "比赛结束后",
        "吃过晚饭",
        "下课以后",
        "生日那天",
        "中秋节前",
    ),
    *("月底的时候", "天黑以前", "下雪那天", "出发之前"),
)
FIRST: tuple[tuple[Part, ...], ...] = (
    ("坐", Spot("再", ("在",)), "学校门口等弟弟"),
    ("比我们每个人都跑", Spot("的", ("得",)), "更快"),
    ("买了一", Spot("条", ("本", "册")), "厚厚的小说"),
    ("已经把作业交给", Spot("", ("了",)), "数学老师"),
    ("非常", Spot("很", ("",)), "喜欢打篮球"),
    ("养了一", Spot("个", ("只", "头")), "可爱的小猪"),
    ("种了一", Spot("个", ("棵", "株")), "漂亮的桃树"),
)
SECOND: tuple[tuple[Part, ...], ...] = (
    ("所以心情", Spot("狠", ("很",)), "愉快"),
    ("可是没有", Spot("代", ("带",)), "雨伞"),
    ("然后马上", Spot("座", ("坐",)), "公共汽车回家"),
    ("还给妈妈打", Spot("", ("了",)), "一个电话"),
)
MISSING: tuple[Part, ...] = ("亲手把", Spot("", (PLACEHOLDER,)), "送给妹妹")
END: tuple[Part, ...] = ("，朋友们都", Spot("说", (), "讲"), "不错。")


def correct_parts(parts: Iterable[Part]) -> Iterator[Part]:
    """The same with its errors corrected."""
    for part in parts:
        yield part.rights[0] if isinstance(part, Spot) and part.rights else part


def chinese(number: int) -> Known:
    """One of two hundred Chinese sentences."""
    name, time = NAMES[number % 10], TIMES[number // 10 % 20]
    kind = number % 20
    if kind == 19:
        return Known(number, "not_annotatable", f"桌子因为{name}跑蓝色{time}的的吗了。")
    first = FIRST[number % 7] if kind != 3 else MISSING
    second = SECOND[number // 3 % 4]
    if kind in (8, 13, 17) or (kind != 3 and number % 3 == 1):
        first = tuple(correct_parts(first))
    if kind in (3, 8, 13, 17) or number % 3 == 2:
        second = tuple(correct_parts(second))
    return known(number, (time, name, *first, "，", *second, *END))


ENGLISH_NAMES = ("Tom", "Anna", "Peter", "Mary", "Paul")
ENGLISH_TIMES = ("Yesterday", "Last week", "Last summer", "After lunch")


def english(number: int) -> Known:
    """One of twenty English sentences."""
    name, time = ENGLISH_NAMES[number % 5], ENGLISH_TIMES[number // 5 % 4]
    if number == 19:
        return Known(number, "not_annotatable", f"Blue the of {name} table because runs if.")
    first: tuple[Part, ...] = (
        (" drank too ", Spot("many", ("much",)), " cold water in the garden")
        if number % 2
        else (" sat down ", Spot("in", ("on", "upon")), " the old wooden chair")
    )
    second: tuple[Part, ...] = (" and the teachers ", Spot("was", ("were",)), " not at all")
    if number in (6, 11, 16) or number % 3 == 1:
        first = tuple(correct_parts(first))
    if number in (6, 11, 16) or number % 3 == 2:
        second = tuple(correct_parts(second))
    return known(number, (f"{time} {name}", *first, *second, " ", Spot("happy", (), "glad"), "."))
