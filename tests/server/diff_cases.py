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

# Text, rewriting, and what is drawn: -deleted-, +inserted+, <moved from<, >moved to>.
CHINESE_WORDS = (
    # One character that stays between two longer changes is half a word.
    ("人口多对的食粮问题上", "人口多使在粮食方面", "人口多-对的食粮问题上-+使在粮食方面+"),
    ("我们的食粮问题上", "我们在粮食方面", "我们-的食粮问题上-+在粮食方面+"),
    ("他重视赶上流行", "他注重跟上潮流", "他-重视赶上流行-+注重跟上潮流+"),
    ("参加游览组很累", "旅游团很累", "-参加游览组-+旅游团+很累"),
    ("国家制提了更加税", "国家提高了税", "国家-制-提-了更加-+高了+税"),
    ("我要作练运会表", "我要参加运动比赛", "我要-作练运会表-+参加运动比赛+"),
    ("这菜好味极吃", "这菜美味可口", "这菜-好-+美+味-极吃-+可口+"),
    ("一起玩耍游泳池后回家", "做作业游览区后回家", "-一起玩耍游泳池-+做作业游览区+后回家"),
    ("昨晚开会讨谈问答", "昨晚商量讨论题目", "昨晚-开会讨谈问答-+商量讨论题目+"),
    ("天空颜料彩丽多样", "天空里五彩缤纷", "天空-颜料彩丽多样-+里五彩缤纷+"),
    ("大家努力学习汉课文", "大家认真练习中文", "大家-努力学习汉课-+认真练习中+文"),
    # A character that mostly is a word by itself stays what it is.
    ("漂亮的姑娘来了", "美丽的女孩来了", "-漂亮-+美丽+的-姑娘-+女孩+来了"),
    ("老师和同学一起", "家长和朋友一起", "-老师-+家长+和-同学-+朋友+一起"),
    ("妈妈在厨房做饭", "爸爸在客厅做饭", "-妈妈-+爸爸+在-厨房-+客厅+做饭"),
    ("早上我上班", "今天我休息", "-早上-+今天+我-上班-+休息+"),
    # So does one between two short changes: two wrong characters.
    ("他门在说话", "他们再说话", "他-门在-+们再+说话"),
    ("以后在说把", "以后再说吧", "以后-在-+再+说-把-+吧+"),
    ("带个口照", "戴个口罩", "-带-+戴+个口-照-+罩+"),
    ("我坐作业", "我做作业", "我-坐-+做+作业"),
    # A longer stretch, a mark of punctuation and a placeholder are no half words.
    ("开始讨论问题很久时", "我们讨论问题好几天", "-开始-+我们+讨论问题-很久时-+好几天+"),
    ("认真读书，天天练字", "努力读书，每日写诗", "-认真-+努力+读书，-天天练字-+每日写诗+"),
    ("首先一点，其次两点", "第一个呢，然后其他", "-首先一点-+第一个呢+，-其次两点-+然后其他+"),
    ("去过[缺失成分]两次", "到了[缺失成分]一趟", "-去过-+到了+[缺失成分]-两次-+一趟+"),
    # Changes that touch are one deletion and one insertion.
    ("我想喝水去", "我想吃饭了去", "我想-喝水-+吃饭了+去"),
    ("他很快地跑", "他走", "他-很快地跑-+走+"),
    ("妹妹喜欢猫", "妹妹喜欢小兔子", "妹妹喜欢-猫-+小兔子+"),
    # One deletion and one insertion are shorter apart; so is each of them alone.
    ("了我去", "我去吧", "-了-我去+吧+"),
    ("我们大大家一一起去", "我们大家一起去", "我们-大-大家-一-一起去"),
    ("我看了书回家", "我看书回家了", "我看<了<书回家>了>"),
    ("昨天我去看海", "我昨天去看海", ">我>昨天<我<去看海"),
    ("我把它放好在柜里", "我把它好放在柜里", "我把它-放好-+好放+在柜里"),
    # Of several shortest alignments it is the scorer's, even where another one marks less.
    ("他对我很帮助", "他很有帮助", "他-对我很-+很有+帮助"),
    # A word in letters, or a number, is one word.
    ("他会说Engilsch了", "他会说English了", "他会说Eng-ilsc-+lis+h了"),
    ("发了imeil给我", "发了email给我", "发了-ime-+ema+il给我"),
    ("用Weichaad聊天", "用WeChat聊天", "用We-ichaad-+Chat+聊天"),
    ("去KTV唱歌曲", "在KTV听音乐", "-去-+在+KTV-唱歌曲-+听音乐+"),
    ("一共2019元", "一共3018元", "一共-2019-+3018+元"),
    ("一共2019 2019元", "一共3019 2018元", "一共-2-+3+019 201-9-+8+元"),
)
ENGLISH_WORDS = (
    # Words are what is compared; one that stays is never drawn as changed.
    ("He go to there by his car", "He went there in his car",
     "He -go to-+went+ there -by-+in+ his car"),
    ("I am agree with you", "I agree with you", "I -am -agree with you"),
    ("in the my house", "at my home", "-in the-+at+ my -house-+home+"),
    ("He have been living here since two years", "He has lived here for two years",
     "He -have been living-+has lived+ here -since-+for+ two years"),
    ("It depends of the weather", "It depends on the weather",
     "It depends -of-+on+ the weather"),
    # What hyphens join is one word.
    ("I wrote e-mails today", "I wrote E-mail today", "I wrote -e-mails-+E-mail+ today"),
    ("a good-known-men club", "a well-known-man club", "a -good-known-men-+well-known-man+ club"),
    ("a good-known singer", "a well-known singer", "a -good-+well+-known singer"),
    ("five-years-old boys", "five-year-old boy", "five--years-+year+-old -boys-+boy+"),
    # Blanks and marks of punctuation part words.
    ("dogs, cat", "dog, cats", "-dogs-+dog+, -cat-+cats+"),
    ("dogs - cat", "dog - cats", "-dogs-+dog+ - -cat-+cats+"),
    ("red/blu lights", "rad/blue lights", "-red-+rad+/-blu-+blue+ lights"),
    # Changes that touch are one; moves stay moves.
    ("I have much works", "I have a lot of work", "I have -much works-+a lot of work+"),
    ("yesterday I went home", "I went home yesterday", "<yesterday <I went home> yesterday>"),
    ("She very likes music", "She likes music very much", "She -very -likes music+ very much+"),
)  # fmt: skip
WORDS = tuple(
    (Case(source, target, lang), drawn)
    for lang, table in (("zh", CHINESE_WORDS), ("en", ENGLISH_WORDS))
    for source, target, drawn in table
)

_SMALL = ("甲乙", "甲乙 ", "甲\u0301👍🏽", "甲[缺失成分]，", "🇨🇳a\u200d👩 ", "的了 \u3000")
_NEW_CHINESE = ("的", "了", "是", "，", "[缺失成分]", "很", " ", "👍", "e\u0301", "Ａ", "在一起")
_NEW_ENGLISH = ("the", "a", "to", ",", "has been", "'s", "-", "  ", "[MC]", "3.5", "👍🏽")


def _changed(source: str, chance: random.Random, new: tuple[str, ...], parts: list[str]) -> str:
    """Return a text after one to five changes: drops, additions, replacements, moves."""
    pieces = list(parts)
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(pieces) + 1)
        end = min(len(pieces), at + chance.choice((1, 1, 1, 2, 4)))
        kind = chance.choice(("drop", "add", "replace", "move", "double"))
        taken = pieces[at:end]
        if kind in ("drop", "replace", "move"):
            del pieces[at:end]
        if kind in ("add", "replace"):
            pieces.insert(at, chance.choice(new))
        if kind in ("move", "double"):
            to = chance.randrange(len(pieces) + 1)
            pieces[to:to] = taken
    return "".join(pieces)


def _by_chance() -> list[Case]:
    chance = random.Random("the live diff")
    cases = []
    for _ in range(20):
        for source in CHINESE:
            cases.append(Case(source, _changed(source, chance, _NEW_CHINESE, list(source))))
    for _ in range(20):
        for source in ENGLISH:
            parts = [part for word in source.split(" ") for part in (word, " ")][:-1]
            target = _changed(source, chance, _NEW_ENGLISH, parts)
            cases.append(Case(source, target, "en", "[MC]"))
    for letters in _SMALL:
        for _ in range(20):
            first, second = (
                "".join(chance.choices(letters, k=chance.randint(0, 9))) for _ in range(2)
            )
            cases.append(Case(first, second, chance.choice(("zh", "zh", "en"))))
    return cases


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


CASES = (*EDGES, *(case for case, _ in WORDS), *_by_chance(), *_long())
