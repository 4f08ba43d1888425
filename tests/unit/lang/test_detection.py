"""Which language undeclared texts are in; an uncertain answer is none."""

from __future__ import annotations

import pytest

from gecbench.lang.detection import contradiction, detect, detect_languages, is_chinese

TEXTS = {
    "en": "She see her friends every days , and they is happy .",
    "de": "Ich habe gestern ein Buch gelest und es war sehr interessant .",
    "cs": "Včera jsem byl doma a četl jsem zajímavou knížku o historii .",
    "ru": "Вчера я читал очень интересную книгу о русской истории .",
    "ar": "ذهبت إلى المدرسة أمس مع أصدقائي وقرأنا كتابا .",
    "et": "Eile käisin ma koolis ja lugesin väga huvitavat raamatut .",
    "ko": "나는 어제 학교에서 재미있는 책을 읽었습니다 .",
    "ja": "昨日学校で面白い本を読みました。",
    "zh": "我昨天在学校看了一本很有意思的书。",
}


@pytest.mark.parametrize("code", TEXTS)
def test_a_sentence_is_enough_for_languages_with_corpora(code: str):
    assert detect([TEXTS[code]]) == code


@pytest.mark.parametrize("text", ["", "123, 。！", "Он не", "x", "a b c"])
def test_what_shows_no_language_is_not_guessed(text: str):
    assert detect([text]) is None


@pytest.mark.parametrize(
    ("texts", "chinese"),
    [
        ([], False),
        (["123, 。！"], False),
        (["我"], True),
        (["it is 我的"], True),
        (["this is the 我的"], False),
        (["㐀𠀀豈"], True),
        (["ab我"], True),
        (["abc我"], False),  # exactly three letters for one character: not more
        (["I like tea.", "我喜欢茶。"], True),
        (["私は学校に行きます"], False),
    ],
)
def test_han_characters_weigh_as_much_as_three_letters(texts: list[str], chinese: bool):
    assert is_chinese(texts) == chinese


@pytest.mark.parametrize(
    ("code", "language", "contradicts"),
    [
        *((code, code, False) for code in TEXTS),
        *(("zh", code, True) for code in TEXTS if code != "zh"),
        *(("en", code, True) for code in ("ru", "ar", "ko", "ja")),
        *(("en", "de", False), ("en", "cs", False), ("yue", "zh", False), ("xx", "zh", False)),
        *(("en", "zh", True), ("de", "zh", True)),
    ],
)
def test_a_script_contradicts_a_language_plainly_or_not_at_all(
    code: str, language: str, contradicts: bool
):
    assert bool(contradiction(code, [TEXTS[language]] * 3)) is contradicts


def test_a_few_letters_contradict_nothing():
    assert contradiction("zh", ["He goes home ."]) is None
    assert contradiction("zh", ["我用 Python 和 PyTorch 写作业"] * 9) is None


EN = "She see her friends every days , and they is happy ."
DE = "Ich habe gestern ein Buch gelest und es war sehr interessant ."


@pytest.mark.parametrize(
    ("texts", "code", "others"),
    [
        ([EN] * 30 + [DE] * 15, "en", {"de": 15}),
        ([DE] * 15 + [EN] * 30, "en", {"de": 15}),
        ([DE] * 30 + [EN] * 15, "de", {"en": 15}),
        ([TEXTS["zh"]] * 8 + [EN] * 2, "zh", {"en": 2}),
        ([EN] * 8 + [TEXTS["zh"]] * 2, "en", {"zh": 2}),
        ([EN] * 99 + [DE] * 9, "en", {}),  # no notable share
        ([EN] * 30_000 + [DE] * 15_000, "en", {"de": 166}),
        ([EN] * 5 + [TEXTS["zh"]] * 5, None, {"en": 5, "zh": 5}),
        ([EN] * 5 + [DE] * 5 + [TEXTS["ru"]] * 5, None, {"en": 5, "de": 5, "ru": 5}),
        (["Go .", "Yes ."] * 9 + [EN], "en", {}),
    ],
)
def test_the_majority_of_sentences_decides_and_others_are_counted(texts, code, others):
    detection = detect_languages(texts)
    assert detection.code == code
    assert {other: len(places) for other, places in detection.others.items()} == others


def test_the_place_of_the_first_other_sentence_is_known():
    assert detect_languages([EN] * 6 + [DE] * 3).others["de"] == (6, 7, 8)
    first, *_ = detect_languages([EN] * 3000 + [DE] * 1500).others["de"]
    assert 3000 <= first < 3010
