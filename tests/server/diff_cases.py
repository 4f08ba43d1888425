"""The table of cases that the live diff is checked by, in Python and in the browser alike.

Sentences of our own, edges by hand, and changes made by chance with a fixed seed.
"""

from __future__ import annotations

import random
from typing import NamedTuple


class Case(NamedTuple):
    """Two texts and how they are compared."""

    source: str
    target: str
    lang: str = "zh"
    placeholder: str = "[缺失成分]"


CHINESE = (
    "我们宿舍住着四个人，每天一起去食堂吃早饭。",
    "妹妹把昨天买的水果都放在冰箱里了。",
    "虽然下着大雨，可是球场上还有不少人在跑步。",
    "老师让我们用三个词写一段话，写完了才能回家。",
    "他对这件事情的看法，跟我完全不一样！",
    "上个星期六，我和朋友坐了两个小时的火车去看海。",
    "“你怎么还不睡觉？”妈妈在门口小声地问。",
    "公司一共有１２０名员工，其中一半以上会说English。",
    "爷爷慢慢慢慢地走过那座很老很老的桥。",
    "如果明天不下雨的话，那么我们就去爬山吧。",
)
ENGLISH = (
    "My sister doesn't like the coffee which they sell here.",
    "Yesterday we have visited a well-known museum near the river.",
    "He said: \"I'll be there at 7.30, but don't wait for me.\"",
    "There is too many informations on this page, isn't there?",
    "If I would have known it, I will bring 1,500 euros with me.",
    "The weather was so nice that everybody were walking outside.",
    "Despite of the rain, the children played football until six o'clock.",
    "I look forward to hear from you soon!",
)

EDGES = (
    Case("", ""),
    Case("", "我去。"),
    Case("我去。", ""),
    Case("我去。", "我去。"),
    Case(" ", ""),
    Case("", "  "),
    Case("我 去。", "我去。"),
    Case("我去。", "我 去。"),
    Case("我\u3000去", "我 去"),
    Case(" 我去", "我去 "),
    Case("我 大 家", "我家"),
    Case("我家", "我 大 家"),
    Case("我 家", "我 大 家"),
    Case("哈哈哈哈", "哈哈"),
    Case("哈哈", "哈哈哈哈"),
    Case("哈哈哈", "嘿哈哈嘿"),
    Case("甲乙丙", "丁戊己庚辛"),
    Case("甲乙丙丁戊", "己庚"),
    Case("昨天我去了", "我昨天去了"),
    Case("甲乙中丙丁", "丙丁中甲乙"),
    Case("甲一二三四甲五六七八", "一二甲三四五六甲七八"),
    Case("e甲乙丙\u0301", "甲乙丙e\u0301"),
    Case("甲乙丙e\u0301", "e甲乙丙\u0301"),
    Case("ab c", "a c"),
    Case("a c", "ab c"),
    Case("甲中甲乙", "中乙甲甲"),
    Case("我父亲经常我", "我父亲经常[缺失成分]我"),
    Case("我父亲经常[缺失成分]我", "我父亲经常打我"),
    Case("[缺失 成分]好", "[缺失成分]好"),
    Case("[缺失成分", "[缺失成分]"),
    Case("[[缺失成分]]", "[缺失成分][缺失成分]"),
    Case("我[MC]去", "我[缺失成分]去", placeholder="[MC]"),
    Case("我去", "我[MC]去[MC]", placeholder="[MC]"),
    Case("我去", "我[缺 失]去", placeholder="[缺 失]"),
    Case("我去", "我[缺失成分]去", placeholder=""),
    Case("e\u0301", "e"),
    Case("e", "e\u0301"),
    Case("cafe\u0301好", "caf\u00e9好"),
    Case("我 \u0301去", "我去"),
    Case("我去", "我 \u0301 去"),
    Case("\u0301我", "我"),
    Case("[缺失成分]\u0301好", "[缺失成分]好"),
    Case("好👍🏽！", "好👍！"),
    Case("好👍！", "好👍🏽！"),
    Case("👩‍💻写字", "👨‍💻写字"),
    Case("👨‍👩‍👧回家", "👨‍👩‍👧‍👦回家"),
    Case("🇨🇳和🇫🇷", "🇫🇷和🇨🇳"),
    Case("🇨🇳🇫🇷🇩", "🇨🇳🇩🇪"),
    Case("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴"),
    Case("❤️", "❤"),
    Case("한국", "한국"),
    Case("ｶﾞ", "ｶ"),
    Case("１２３，", "123,"),
    Case("ＡＢＣ", "abc"),
    Case("𠀀𠀁我", "𠀁我𠀀"),
    Case("a\u00a0b\u2003c", "a b c"),
    Case("\u200b我", "我"),
    Case("", "", "en"),
    Case("a dog", "a big dog", "en"),
    Case("a big dog runs", "a dog runs", "en"),
    Case("a dog barks", "a dog", "en"),
    Case("dog", "dog barks loudly", "en"),
    Case("big dog", "dog", "en"),
    Case("a  dog", "a dog", "en"),
    Case("in to", "into", "en"),
    Case("well known", "well-known", "en"),
    Case("It's Tom's, isn't it?", "Its Toms, is not it?", "en"),
    Case("rock 'n' roll", "rock ’n’ roll", "en"),
    Case("3.5 and 1,000.", "3,5 and 1.000,", "en"),
    Case("I saw [MC] there", "I saw there", "en", "[MC]"),
    Case("I saw there", "I saw [MC] there [MC].", "en", "[MC]"),
    Case("yesterday I went home", "I went home yesterday", "en"),
    Case("I like 茶叶 a lot", "I like 茶 a lot", "en"),
    Case("naïve cafe\u0301", "naive café", "en"),
    Case("nice 👍🏽 job", "nice 👍 job", "en"),
    Case("x_1 and x_2", "x_2 and x_1", "en"),
    Case("don' t", "don't", "en"),
    Case("'", "''", "en"),
    Case("1.", ".1", "en"),
    Case("a.b 2.b", "a,b 2,b", "en"),
    Case("我'm 3.我", "我’m 3,我", "en"),
)

_SMALL = ("甲乙", "甲乙 ", "甲\u0301👍🏽", "甲[缺失成分]，", "🇨🇳a\u200d👩 ", "的了 \u3000")
_NEW_CHINESE = ("的", "了", "是", "，", "[缺失成分]", "很", " ", "👍", "e\u0301", "Ａ", "在一起")
_NEW_ENGLISH = ("the", "a", "to", ",", "has been", "'s", "-", "  ", "[MC]", "3.5", "👍🏽")


def _changed(source: str, chance: random.Random, new: tuple[str, ...], parts: list[str]) -> str:
    """Return a text after one to five changes: drops, additions, replacements, moves."""
    kept = list(parts)
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(kept) + 1)
        end = min(len(kept), at + chance.choice((1, 1, 1, 2, 4)))
        kind = chance.choice(("drop", "add", "replace", "move", "double"))
        taken = kept[at:end]
        if kind in ("drop", "replace", "move"):
            del kept[at:end]
        if kind in ("add", "replace"):
            kept.insert(at, chance.choice(new))
        if kind in ("move", "double"):
            to = chance.randrange(len(kept) + 1)
            kept[to:to] = taken
    return "".join(kept)


def _by_chance() -> list[Case]:
    chance = random.Random("the live diff")
    found = []
    for _ in range(20):
        for source in CHINESE:
            found.append(Case(source, _changed(source, chance, _NEW_CHINESE, list(source))))
    for _ in range(20):
        for source in ENGLISH:
            parts = [part for word in source.split(" ") for part in (word, " ")][:-1]
            target = _changed(source, chance, _NEW_ENGLISH, parts)
            found.append(Case(source, target, "en", "[MC]"))
    for letters in _SMALL:
        for _ in range(20):
            one, two = ("".join(chance.choices(letters, k=chance.randint(0, 9))) for _ in range(2))
            found.append(Case(one, two, chance.choice(("zh", "zh", "en"))))
    return found


def _long() -> list[Case]:
    chance = random.Random("long texts")
    whole = "".join(CHINESE) * 4
    english = " ".join(ENGLISH) * 4
    return [
        Case(whole, _changed(whole, chance, _NEW_CHINESE, list(whole))),
        Case(whole, "".join(chance.sample(whole, len(whole)))),
        Case("的" * 500, "的" * 300 + "了" * 200),
        Case(english, _changed(english, chance, _NEW_ENGLISH, english.split(" ")), "en"),
    ]


CASES = (*EDGES, *_by_chance(), *_long())
