"""Cases for the hints of hints.js, and the same hints from the rules of a golden set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from gecbench.server.rules import consistency
from gecbench.server.rules.consistency import Place

ExpectedHint = tuple[str, str, str | None]
"""Code, the stretch, and the repair."""


class Case(NamedTuple):
    """What is typed beside a source, and what is found."""

    source: str
    text: str
    found: tuple[ExpectedHint, ...] = ()
    lang: str = "zh"
    placeholder: str = "[缺失成分]"
    aliases: tuple[str, ...] = ("[MC]", "<空>")


def _spelling(text: str, stretch: str, **other: object) -> Case:
    placeholder = str(other.get("placeholder", "[缺失成分]"))
    return Case("我你。", text, (("placeholder", stretch, placeholder),), **other)


_LONE = "unpaired"

WIDTHS = (
    Case("", ""),
    Case("我去,你去。", "我去，你去。"),
    Case("", "我去,他不去.", (("half_width", ",", "，"), ("half_width", ".", "。"))),
    Case("", "好吗? 好!", (("half_width", "?", "？"), ("half_width", "!", "！"))),
    Case("", "他说:“好;”", (("half_width", ":", "："), ("half_width", ";", "；"))),
    Case("", "早上7:30，3.5公里，v1.2"),
    Case("", "我用Word, Excel。"),
    Case("", ",我"),
    Case("", "我去......"),
    Case("", "𠀀,𠀁", (("half_width", ",", "，"),)),
    Case(
        "",
        "Yes， he（she）does。",
        tuple(("full_width", *marks) for marks in ("，,", "（(", "）)", "。.")),
        "en",
    ),
    Case("", "The word 茶，水 is Chinese.", (), "en"),
    Case("", "， yes", (("full_width", "，", ","),), "en"),
    Case("", "𠀀，tea", (), "en"),
    Case("", "我,你。", (), "ja"),
)
SPACES = (
    Case("", "a  b   c", (("double_space", "  ", " "), ("double_space", "   ", " ")), "en"),
    Case("", "我  你", (("double_space", "  ", " "),)),
    Case("", "我\u3000\u3000你 他"),
)
PAIRS = (
    Case("", "“好”（《书》）「一『二』」【三】"),
    Case("", "“好", ((_LONE, "“", None),)),
    Case("", "好”", ((_LONE, "”", None),)),
    Case("", "（“好）”", ((_LONE, "“", None), (_LONE, "”", None))),
    Case("", "（（好）", ((_LONE, "（", None),)),
    Case("", "1) 先 2）后，a)", ()),
    Case("", "先走abc)", ((_LONE, ")", None),)),
    Case("", "一）先走；二）后走", ()),
    Case("", 'say "yes"', (), "en"),
    Case("", 'say "yes', ((_LONE, '"', None),), "en"),
    Case("", "Tom's don’t [x", ((_LONE, "[", None),), "en"),
    Case("", "](", ((_LONE, "]", None), (_LONE, "(", None)), "en"),
    Case("", "([{)", ((_LONE, "[", None), (_LONE, "{", None)), "en"),
    Case("", "👍（好", ((_LONE, "（", None),)),
)
SPELLINGS = (
    Case("我你。", "我[缺失成分]你。"),
    _spelling("我【缺失成分】你。", "【缺失成分】"),
    _spelling("我[缺失成份]你。", "[缺失成份]"),
    _spelling("我［缺失成分］你。", "［缺失成分］"),
    _spelling("我[ 缺失成分 ]你。", "[ 缺失成分 ]"),
    _spelling("我(缺失成分)你。", "(缺失成分)"),
    _spelling("我[缺成分]你。", "[缺成分]"),
    _spelling("我[缺失的成分]你。", "[缺失的成分]"),
    _spelling("我[MC ]你。", "[MC ]"),
    _spelling("我[mc]你。", "[mc]"),
    _spelling("我[Noun]你。", "[Noun]"),
    _spelling("我[实体]你。", "[实体]"),
    _spelling("我<空>你。", "<空>"),
    _spelling("我缺失成分你。", "缺失成分"),
    Case(
        "我。",
        "👍我[缺失成分你。",
        ((_LONE, "[", None), ("placeholder", "[缺失成分", "[缺失成分]")),
    ),
    Case(
        "我。", "我缺失成分]你。", ((_LONE, "]", None), ("placeholder", "缺失成分]", "[缺失成分]"))
    ),
    Case("我[实体]你。", "我[实体]们。"),
    Case("我你。", "我(MC)你[别的]。"),
    Case(
        "我你。", "我[缺失成分]【缺失成分】你。", (("placeholder", "【缺失成分】", "[缺失成分]"),)
    ),
    Case("我你。", "我[缺失成分]你。", (), "zh", ""),
    _spelling("我[缺失成分]你。", "[缺失成分]", placeholder="[MC]"),
    _spelling("我[M C]你。", "[M C]", placeholder="[MC]"),
    Case("我你。", "MC [MD]", (), "zh", "[MC]"),
    Case("I am.", "I [mc] am (MC).", (("placeholder", "[mc]", "[MC]"),), "en", "[MC]", ()),
    Case("我。", "我……你", (), "zh", "[]", ()),
    Case("我。", "我____你_", (), "zh", "____", ()),
)
WORDS = (
    Case("我用 compter 看 movie。", "我用 computer 看电影。", (("lost_word", "movie", None),)),
    Case("我喜欢English和english。", "我喜欢英语。", (("lost_word", "English", None),)),
    Case("我说ＯＫ。", "我说OK。"),
    Case("他是T恤店的。", "他是体恤店的。"),
    Case("cat和car", "cat和汽车", (("lost_word", "car", None),)),
    Case("I went home.", "I walked.", (), "en"),
    Case("我在beijing", "我在Peking", (("lost_word", "beijing", None),)),
    Case(
        "用 software 和 hardware",
        "用软件和硬件",
        (("lost_word", "software", None), ("lost_word", "hardware", None)),
    ),
)

CASES = (*WIDTHS, *SPACES, *PAIRS, *SPELLINGS, *WORDS)

CODES = ("half_width", "full_width", "double_space", "unpaired", "placeholder", "lost_word")
WIDTH_RULES: Mapping[str, tuple[str, Callable[[str], Iterable[Place]]]] = {
    "zh": ("half_width", consistency.half_width),
    "en": ("full_width", consistency.full_width),
}


class Hint(NamedTuple):
    """Something to look at: a span of the text, or of the source where the code is "lost_word"."""

    code: str
    start: int
    end: int
    text: str
    repair: str | None


def hints(case: Case) -> list[Hint]:
    """The hints for a case, in the order of `CODES`, then of places."""
    hits: list[tuple[str, Iterable[Place]]] = []
    if case.lang in WIDTH_RULES:
        code, rule = WIDTH_RULES[case.lang]
        hits.append((code, rule(case.text)))
    hits.append(("double_space", consistency.double_spaces(case.text)))
    hits.append(("unpaired", consistency.unpaired(case.text)))
    spellings = consistency.misspellings(case.text, case.source, case.placeholder, case.aliases)
    places = [Place(place.start, place.end, place.text, case.placeholder) for place in spellings]
    hits.append(("placeholder", places))
    if case.lang == "zh":
        hits.append(("lost_word", consistency.lost_words(case.source, case.text)))
    return [
        Hint(code, place.start, place.end, place.text, place.repair)
        for code, places in hits
        for place in places
    ]
