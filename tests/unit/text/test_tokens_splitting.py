"""Splitting into sentences and back."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from gecbench.api.files import load
from gecbench.lang import language_of
from gecbench.text.tokens import DEFAULT, split


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", ()),
        ("没有句号", ("没有句号",)),
        ("一。二！三？", ("一。", "二！", "三？")),
        ("真的？！好。", ("真的？！", "好。")),
        ("他说：“走！”然后走了。", ("他说：“走！”", "然后走了。")),
        ("他说：“走！”，然后走了。", ("他说：“走！”，然后走了。",)),
        ("真的！！，我走了。", ("真的！！，我走了。",)),
        ("“好！！”，他说。", ("“好！！”，他说。",)),
        ("（好？？）》，走了。", ("（好？？）》，走了。",)),
        ("一。 \n二。", ("一。 \n", "二。")),
        ("Dr. Li paid 3.5 yuan. He left", ("Dr. Li paid 3.5 yuan. ", "He left")),
        ('"Stop!" he said. Why?', ('"Stop!" ', "he said. ", "Why?")),
        ("It rains . We stay .", ("It rains . ", "We stay .")),
        ("see example.com now", ("see example.com now",)),
        ("等等… 好", ("等等… ", "好")),
    ],
)
def test_sentences(text: str, pieces: tuple[str, ...]) -> None:
    assert split(text) == pieces


@given(
    st.text(alphabet="一二。？！”’，.!? \nab\"'…„“»«3", max_size=60),
    st.integers(1, 12),
    st.sampled_from(["xx", "de", "fr"]),
)
def test_nothing_is_lost_and_nothing_too_long(text: str, longest: int, code: str) -> None:
    splitter = language_of(code).splitter
    assert "".join(split(text, splitter)) == text
    cut = split(text, splitter, longest=longest)
    assert "".join(cut) == text
    assert all(0 < len(piece) <= longest for piece in cut)


def test_abbreviations_are_looked_for_near_the_mark_alone(monkeypatch) -> None:
    from gecbench.text import tokens

    looked = []
    ends, abbreviation = tokens._patterns(tokens.DEFAULT)

    class Watching:
        def search(self, text: str, start: int, end: int):
            looked.append(end - start)
            return abbreviation.search(text, start, end)

    monkeypatch.setattr(tokens, "_patterns", lambda _: (ends, Watching()))
    text = "Prof. Li left, e.g. by bus. (Dr. Wang stayed.) Mr. A. Li came. " * 50
    assert len(split(text)) == 50 * 3
    assert max(looked) <= 6


@pytest.mark.parametrize(
    ("code", "text", "pieces"),
    [
        ("de", "Das ist z. B. gut. Dr. Li kam.", ("Das ist z. B. gut. ", "Dr. Li kam.")),
        ("cs", "To je např. dobré. Mgr. Li je tam.", ("To je např. dobré. ", "Mgr. Li je tam.")),
        ("es", "La Sra. Li vino. No. Sí.", ("La Sra. Li vino. ", "No. ", "Sí.")),
        ("fr", "Voir p. ex. ici. Oui.", ("Voir p. ex. ici. ", "Oui.")),
        ("ru", "А. С. Пушкин и др. писали. Да.", ("А. С. Пушкин и др. писали. ", "Да.")),
        ("uk", "Читай, т. д. і т. п. тут. Так.", ("Читай, т. д. і т. п. тут. ", "Так.")),
        ("de", "Am 3. Mai kommt er. Gut.", ("Am 3. Mai kommt er. ", "Gut.")),
        ("de", "Vom 3.–5. und am 24.12. nicht.", ("Vom 3.–5. und am 24.12. nicht.",)),
        ("de", "Es war 1990. Dann kam er.", ("Es war 1990. ", "Dann kam er.")),
        ("cs", "Přijde 5. května. Dobře.", ("Přijde 5. května. ", "Dobře.")),
        ("fi", "Se on 6. joulukuuta. Hyvä.", ("Se on 6. joulukuuta. ", "Hyvä.")),
        ("sv", "Jag är 3. Du är 4.", ("Jag är 3. ", "Du är 4.")),
        ("de", "Er sagte: „Komm!“ Dann ging er.", ("Er sagte: „Komm!“ ", "Dann ging er.")),
        ("de", "»Komm!« »Ja.« Sie ging.", ("»Komm!« ", "»Ja.« ", "Sie ging.")),
        ("de", "„Dr. Li kommt.“ Gut.", ("„Dr. Li kommt.“ ", "Gut.")),
        ("cs", "„Pojď!“ Šel.", ("„Pojď!“ ", "Šel.")),
        ("ru", "«Иди!» Он ушёл.", ("«Иди!» ", "Он ушёл.")),
        ("fr", "« Bien. » Il part.", ("« Bien. » ", "Il part.")),
        ("fr", "«\u00a0Bien\u202f!\u202f», dit-il.", ("«\u00a0Bien\u202f!\u202f», dit-il.",)),
        ("fr", "Il part. « Bien. »", ("Il part. ", "« Bien. »")),
        ("cs", "Např. tohle. Tzv. ano.", ("Např. tohle. ", "Tzv. ano.")),
        ("de", "Usw. Das ist gut.", ("Usw. Das ist gut.",)),
        ("de", "Das sind 5 Mio. Euro. Gut.", ("Das sind 5 Mio. Euro. ", "Gut.")),
        ("es", "Vive en EE. UU. desde ayer. Sí.", ("Vive en EE. UU. desde ayer. ", "Sí.")),
        ("uk", "Він у м. Київ. Так.", ("Він у м. Київ. ", "Так.")),
        ("ar", "كيف حالك؟ أنا بخير.", ("كيف حالك؟ ", "أنا بخير.")),
        ("ur", "یہ کیا ہے؟ یہ کتاب ہے۔ اچھا", ("یہ کیا ہے؟ ", "یہ کتاب ہے۔ ", "اچھا")),
        ("hi", "यह किताब है। अच्छा।", ("यह किताब है। ", "अच्छा।")),
        ("hy", "Բարև։ Ես եմ։", ("Բարև։ ", "Ես եմ։")),
        ("el", "Τι κάνεις; Καλά.", ("Τι κάνεις; ", "Καλά.")),
        ("ko", "밥을 먹었다. 맛있었다.", ("밥을 먹었다. ", "맛있었다.")),
        ("ja", "猫がいる。犬もいる。", ("猫がいる。", "犬もいる。")),
    ],
)
def test_languages_have_marks_and_abbreviations_of_their_own(
    code: str, text: str, pieces: tuple[str, ...]
) -> None:
    assert split(text, language_of(code).splitter) == pieces


@pytest.mark.parametrize("code", ["zh", "en", "xx", "ko", "ja"])
def test_chinese_english_and_undeclared_texts_share_one_rule(code: str) -> None:
    assert language_of(code).splitter == DEFAULT


def test_a_long_sentence_is_cut_behind_a_pause() -> None:
    assert split("我来，他走，我们都好", longest=7) == ("我来，他走，", "我们都好")
    assert split("abcdefgh", longest=3) == ("abc", "def", "gh")


@pytest.mark.golden
def test_the_measured_share_of_mucgec(shared) -> None:
    # specs: 41.1 % of dev lines hold more than one sentence, 1.68 pieces on average.
    texts = [s.source for s in load(shared / "data" / "mucgec" / "MuCGEC_dev.txt").samples]
    counts = [len(split(text)) for text in texts]
    assert round(sum(n > 1 for n in counts) / len(counts), 3) == 0.411
    assert round(sum(counts) / len(counts), 2) == 1.68
    assert all("".join(split(text, longest=100)) == text for text in texts)
