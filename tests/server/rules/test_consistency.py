"""The consistency rules CON-1 to CON-10, as switches."""

from __future__ import annotations

import string
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.core.errors import MissingExtraError
from gecbench.formats.tsv import MUCGEC
from gecbench.server.rules import consistency
from gecbench.server.rules.consistency import (
    ALWAYS,
    SENTENCES,
    Finding,
    Golden,
    findings,
    simplified_places,
)
from gecbench.server.rules.options import RULES, ProjectOptions

SOURCE = "我父亲经常我。"
PLACE = "[缺失成分]"


def examine(
    *references: str,
    source: str = SOURCE,
    decision: str = "corrected",
    lang: str = "zh",
    **options: object,
) -> tuple[Finding, ...]:
    return findings(Golden(source, lang, decision, references), ProjectOptions(**options))


def codes(findings: tuple[Finding, ...]) -> list[tuple[str, str, str, int | None]]:
    return [(finding.rule, finding.level, finding.code, finding.reference) for finding in findings]


GOOD = ("我父亲经常打我。", "我的父亲经常打我。")


@pytest.mark.parametrize(
    ("decision", "references", "expected"),
    [
        ("corrected", GOOD, []),
        ("error_free", (), []),
        ("not_annotatable", (), []),
        ("error_free", GOOD, [("CON-1", "block", "error_free_and_corrected", None)]),
        ("corrected", (GOOD[0], f" {SOURCE}"), [("CON-1", "block", "equals_source", 1)]),
        ("not_annotatable", GOOD, [("CON-2", "block", "not_annotatable_and_corrected", None)]),
        ("corrected", (), [("REV-8", "block", "nothing_decided", None)]),
        ("corrected", (GOOD[0], " "), [("ANN-12", "block", "empty", 1)]),
        ("corrected", (f"我父亲经常{PLACE}我。",), []),
        ("corrected", (f"我父亲经常{PLACE}我。", f"父亲经常{PLACE}我。"), []),
        ("corrected", (f"我父亲经常{PLACE}我。", GOOD[0], "父亲打我。"),
         [("CON-3", "block", "placeholder_in_some", 1),
          ("CON-3", "block", "placeholder_in_some", 2)]),
        ("corrected", (f"我父亲经常{PLACE}我。", f"我父亲经常{PLACE}我{PLACE}。"),
         [("CON-4", "block", "placeholder_count", 1)]),
        ("corrected", (f"我父亲经常{PLACE}我。", f"{PLACE}我父亲经常我{PLACE}。"),
         [("CON-4", "block", "placeholder_count", 1)]),
        ("corrected", (f"我父亲经常{PLACE}我。", f"我父亲{PLACE}经常我。"),
         [("CON-4-position", "warn", "placeholder_position", 1)]),
        ("corrected", ("我父亲经常【缺失成分】我。",),
         [("CON-5", "warn", "placeholder_spelling", 0)]),
        ("corrected", ("我父亲经常[MC]我。",), [("CON-5", "warn", "placeholder_spelling", 0)]),
        ("corrected", ("我父亲,经常打我.",),
         [("CON-6", "warn", "half_width", 0), ("CON-6", "warn", "half_width", 0)]),
        ("corrected", ("我父亲#经常打我。",), [("CON-7", "warn", "symbol", 0)]),
        ("corrected", (GOOD[0], "我父親经常打我。"),
         [("CON-9", "warn", "traditional_reference", 1)]),
        ("corrected", (GOOD[0], GOOD[1], f"{GOOD[0]} "),
         [("CON-10", "block", "same_reference", 2)]),
        ("corrected", ("我父é。", "我父e\u0301。"), [("CON-10", "block", "same_reference", 1)]),
        ("corrected", ("我父，亲。", "我父,a亲。"), []),
    ],
)  # fmt: skip
def test_con_1_to_con_10(decision: str, references: tuple[str, ...], expected: list):
    assert codes(examine(*references, decision=decision)) == expected


def test_con_8_a_word_of_the_sentence_must_not_vanish():
    source = "我用 softwear 和 email 写信。"
    (finding,) = examine("我用 software 和邮件写信。", source=source)
    assert (finding.rule, finding.level, finding.code, finding.reference) == (
        "CON-8",
        "warn",
        "lost_word",
        0,
    )
    assert source[slice(*finding.span)] == "email"
    assert examine("x", source="an email", lang="en") == ()


def test_con_9_traditional_characters_of_the_sentence():
    first, second = examine("我在学校的时候。", source="我在學校的時候。")
    assert first.code == second.code == "traditional_source"
    assert (first.reference, first.span, first.repair) == (None, (2, 3), "学")
    assert "學" in str(first)
    assert examine(decision="not_annotatable", source="學") == ()
    assert codes(examine(decision="error_free", source="學"))[0][:3] == (
        "CON-9",
        "warn",
        "traditional_source",
    )
    assert examine("I 學", source="學", lang="en") == ()


def test_con_9_says_so_where_it_cannot_look(monkeypatch: pytest.MonkeyPatch):
    def absent():
        raise MissingExtraError("OpenCC", "zh")

    monkeypatch.setattr(consistency, "_simplifier", absent)
    (finding,) = examine(*GOOD, rules={"CON-9": "block"})
    assert (finding.rule, finding.level, finding.code, finding.blocks) == (
        "CON-9",
        "warn",
        "traditional_unchecked",
        False,
    )
    assert "gecbench[zh]" in str(finding)
    assert examine(*GOOD, rules={"CON-9": "off"}) == ()


def test_con_9_holds_its_places_where_a_conversion_changes_the_length():
    def convert(text: str) -> str:
        return text.replace("甲乙", "丙").replace("學", "学").replace("時", "时")

    places = simplified_places("甲乙學時甲學", convert)
    assert [(place.start, place.end, place.repair) for place in places] == [
        (2, 4, "学时"),
        (5, 6, "学"),
    ]


def test_con_4_the_place_is_the_one_in_the_sentence():
    same = examine(f"我父亲常{PLACE}我。", f"我的爸爸经常{PLACE}我了。")
    assert same == ()
    end = examine("我去[MC]", "我去学校[MC]", source="我去", placeholder="[MC]")
    assert end == ()
    instead = examine(f"我{PLACE}经常我。", f"我的{PLACE}亲经常我。", source="我父亲经常我。")
    assert instead == ()
    english = examine(
        "I [MC] home.", "He [MC] home.", source="I home.", lang="en", placeholder="[MC]"
    )
    assert english == ()


def test_con_5_offers_the_repair_at_its_place():
    text = "我父亲经常[Noun]我。"
    (finding,) = examine(text)
    assert text[slice(*finding.span)] == "[Noun]"
    assert finding.repair == PLACE
    start, end = finding.span
    assert examine(text[:start] + finding.repair + text[end:]) == ()
    (other,) = examine("我父亲经常[缺失成分]我。", placeholder="[MC]")
    assert other.repair == "[MC]"


def test_con_6_in_english_it_is_full_width_that_is_wrong():
    first, second = examine("Yes， I do。", source="Yes I does", lang="en")
    assert codes((first, second)) == [("CON-6", "warn", "full_width", 0)] * 2
    assert (first.span, first.repair) == ((3, 4), ",")
    assert examine("x，#", source="y", lang="ja") == ()


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "CON-8"])
def test_each_rule_is_a_switch(rule: str):
    sets = [
        (("error_free", GOOD), "CON-1"),
        (("not_annotatable", GOOD), "CON-2"),
        (("corrected", (f"我{PLACE}。", GOOD[0])), "CON-3"),
        (("corrected", (f"我{PLACE}。", f"我{PLACE}{PLACE}。")), "CON-4"),
        (("corrected", (f"我{PLACE}父亲经常我。", f"我父亲经常我{PLACE}。")), "CON-4-position"),
        (("corrected", ("我[Verb]。",)), "CON-5"),
        (("corrected", ("我.",)), "CON-6"),
        (("corrected", ("我*你。",)), "CON-7"),
        (("corrected", ("時",)), "CON-9"),
        (("corrected", ("我。", "我。")), "CON-10"),
    ]
    assert {broken for _, broken in sets} == set(RULES) - {"CON-8"}
    (decision, references), _ = next(case for case in sets if case[1] == rule)
    for level in ("warn", "block"):
        seen = examine(*references, decision=decision, rules={rule: level})
        assert {finding.level for finding in seen if finding.rule == rule} == {level}
        assert {finding.blocks for finding in seen if finding.rule == rule} == {level == "block"}
    off = examine(*references, decision=decision, rules={rule: "off"})
    assert [finding for finding in off if finding.rule == rule] == []


def test_rules_without_a_switch_always_block():
    off = dict.fromkeys(RULES, "off")
    assert codes(examine(rules=off)) == [("REV-8", "block", "nothing_decided", None)]
    assert codes(examine("", rules=off)) == [("ANN-12", "block", "empty", 0)]
    assert set(ALWAYS) == {"REV-8", "ANN-12"}


def test_each_rule_of_the_options_is_looked_at():
    assert list(consistency._LOOKS) == list(RULES)


REFERENCES = st.text(alphabet=f"我父亲经常打,.#時a {PLACE}【】", max_size=12)


@given(
    st.sampled_from(["corrected", "error_free", "not_annotatable"]),
    st.lists(REFERENCES | st.just(f"我{PLACE}。"), max_size=4),
    st.sampled_from(["zh", "en"]),
)
def test_findings_can_be_said_and_stand_where_they_say(decision: str, texts: list, lang: str):
    for finding in examine(*texts, decision=decision, lang=lang):
        names = {
            name for _, name, _, _ in string.Formatter().parse(SENTENCES[finding.code]) if name
        }
        assert names == set(dict(finding.values))
        assert str(finding)
        if finding.span is not None:
            source = finding.code in ("traditional_source", "lost_word")
            text = SOURCE if source else texts[finding.reference]
            assert text[slice(*finding.span)] == dict(finding.values)["text"]


@given(st.lists(REFERENCES, max_size=4), st.randoms(use_true_random=False))
def test_what_blocks_does_not_depend_on_the_order_of_the_references(texts: list, chance):
    mixed = list(texts)
    chance.shuffle(mixed)

    def blocking(arguments: list) -> set[str]:
        return {finding.rule for finding in examine(*arguments) if finding.blocks}

    assert blocking(texts) == blocking(mixed)


def test_mucgec_dev_obeys_what_the_specification_counted(shared: Path):
    path = shared / "data" / "mucgec" / "MuCGEC_dev.txt"
    seen: Counter[str] = Counter()
    for sample in MUCGEC.read(path, path.read_text("utf-8").splitlines()).samples:
        texts = tuple(
            reference.text for reference in sample.references if reference.text is not None
        )
        free = any(reference.error_free for reference in sample.references)
        out = any(reference.unannotatable for reference in sample.references)
        decision = "error_free" if free else "not_annotatable" if out else "corrected"
        broken = findings(Golden(sample.source, "zh", decision, texts), ProjectOptions())
        seen.update({finding.code for finding in broken})
        seen.update([decision], references=len(texts), sentences=1)
        seen.update(placeholder=any(PLACE in text for text in texts))
        seen.update(blocked=any(finding.blocks for finding in broken))
        seen.update(traditional=any(finding.rule == "CON-9" for finding in broken))
    # The specification's 2,467 references are these and the 58 decisions.
    assert (seen["sentences"], seen["references"]) == (1137, 2467 - 55 - 3)
    assert (seen["error_free"], seen["not_annotatable"], seen["placeholder"]) == (55, 3, 3)
    assert seen["blocked"] == seen["same_reference"] == seen["equals_source"] == 0
    assert seen["placeholder_spelling"] == seen["placeholder_position"] == 0
    assert (seen["traditional"], seen["traditional_reference"]) == (23, 4)
