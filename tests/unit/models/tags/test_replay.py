"""From labels to edits of the text, blanks included."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gecbench.core.corrector import TextEdit, apply
from gecbench.core.errors import EditError
from gecbench.lang import transforms_for
from gecbench.models.tags.derive import apply_labels, choose_labels, derive_labels
from gecbench.models.tags.labels import KEEP, UNKNOWN
from gecbench.models.tags.replay import compose, text_edits
from gecbench.text.tokens import tokens_of

SHORT = {"+": "$APPEND_", "=": "$REPLACE_", "^": "$TRANSFORM_", "&": "$MERGE_"}


def edits_of(text: str, plan: str, language: str = "en", kind: str | None = None, **options):
    """Return edits: `plan` has "2-" to delete token 2, "0+x" to append x to $START, and so on."""
    tokens = tokens_of(text, kind or language)
    labels = [KEEP] * (len(tokens) + 1)
    for step in plan.split():
        place = "".join(filter(str.isdigit, step[:2]))
        rest = step[len(place) :]
        labels[int(place)] = "$DELETE" if rest == "-" else SHORT[rest[0]] + rest[1:]
    scores = [n / 100 for n in range(len(labels))]
    edits = text_edits(
        text, tokens, labels, scores, transforms_for(language), language=language, **options
    )
    assert all(labels[round(edit.score * 100)] == edit.label for edit in edits)
    return edits


@pytest.mark.parametrize(
    ("text", "plan", "expected"),
    [
        # Raw English.
        ("I goes home.", "2^VERB_VBZ_VB", "I go home."),
        ("I went home", "3+.", "I went home."),
        ("I went home\n", "3+.", "I went home.\n"),
        ("Well I went.", "1+,", "Well, I went."),
        ("Well, I went.", "2-", "Well I went."),
        ("Well, I went home.", "5-", "Well, I went."),
        ("Well, I went home.", "4- 5-", "Well, I."),
        ("went home.", "0+I", "I went home."),
        ("  went home.", "0+I", "  I went home."),
        ("So I went home.", "1-", "I went home."),
        ("So I went home.", "1- 2- 3- 4- 5-", ""),
        ("I like it and you like it.", "4=,", "I like it, you like it."),
        ("I like it, you like it.", "4=and", "I like it and you like it."),
        ("He (probably) left.", "3+not", "He (probably not) left."),
        ("It is ( a ) one, as I said, and so on.", "3- 5-", "It is a one, as I said, and so on."),
        ("He left (.", "3-", "He left."),
        ("He left probably.", "2+(", "He left (probably."),
        ("I can not go in to it.", "2&SPACE 5&SPACE", "I cannot go into it."),
        ("A well known man.", "2&HYPHEN", "A well-known man."),
        ("A well-known man.", "2^SPLIT_HYPHEN", "A well known man."),
        ("He always is late.", "2&SWAP", "He is always late."),
        ("I ran 5km today.", "3=five", "I ran five km today."),
        ("I ran 5km today.", "3=6", "I ran 6km today."),
        ("I ran 5km today.", "4=miles", "I ran 5miles today."),
        ("It costs 5 dollars.", "2+about 3+US", "It costs about 5 US dollars."),
        ("to  keep   odd\tblanks .", "1=never 5-", "never  keep   odd\tblanks"),
        ("It is and/or that.", "4-", "It is and or that."),
        # Tokenised English.
        ("I goes home .", "2=go 3+now", "I go home now ."),
        ("Well I went .", "1+,", "Well , I went ."),
        ("Well , I went .", "2-", "Well I went ."),
        ("He did n't went .", "2- 3- 4=goes", "He goes ."),
        ("I ca n't , he said .", "2+! 4-", "I ca ! n't he said ."),
        ("I like it and you , too .", "4=,", "I like it , you , too ."),
        ("in to it , now .", "1&SPACE", "into it , now ."),
        ("in so to it , now .", "1&SPACE 2-", "into it , now ."),
        ("in so to it , now .", "1&HYPHEN 2-", "in-to it , now ."),
        ("(y , ok .", "1=x", "x y , ok ."),
    ],
)
def test_english_is_written_as_the_text_is(text, plan, expected):
    assert apply(edits_of(text, plan), text) == expected


@pytest.mark.parametrize(
    ("text", "plan", "expected"),
    [
        ("我今天很高心。", "6=兴", "我今天很高兴。"),
        ("我有 3 本 book。", "5-", "我有 3 本。"),
        ("我有 3 本 book。", "4-", "我有 3 book。"),
        ("我有 3 本 book。", "3-", "我有本 book。"),
        ("我 use big 数据。", "2-", "我 big 数据。"),
        ("我爱big 数据。", "2-", "我big 数据。"),
        ("big 的数据。", "2-", "big 数据。"),
        ("我有 3 本 book。", "3=三", "我有三本 book。"),
        ("我爱big数据。", "3+data", "我爱big data数据。"),
        ("我爱big数据。", "4=data 5-", "我爱big data。"),
        ("我爱 big data。", "3-", "我爱 data。"),
        ("我爱big，data。", "4-", "我爱big data。"),
        ("爱书。", "0+我 1+看", "我爱看书。"),
        ("我 爱 书 。", "2+看 3-", "我 爱 看 。"),
        ("'s 我 我", "1=cd", "cd s 我 我"),
        ("我\u3000爱书。", "2=看", "我\u3000看书。"),
        ("", "0+我", "我"),
        (" ", "0+我", " 我"),
    ],
)
def test_chinese_has_no_blanks_but_around_words_that_have_them(text, plan, expected):
    assert apply(edits_of(text, plan, "zh"), text) == expected


def test_the_style_can_be_said():
    assert apply(edits_of("We learn", "2+."), "We learn") == "We learn."
    assert apply(edits_of("We learn", "2+.", spacing="tokenised"), "We learn") == "We learn ."


def test_each_label_is_an_edit_with_its_score():
    assert edits_of("我今天很高心。", "2- 3- 6=兴 7=！", "zh") == (
        TextEdit(1, 2, "", 0.02, "$DELETE"),
        TextEdit(2, 3, "", 0.03, "$DELETE"),
        TextEdit(5, 6, "兴", 0.06, "$REPLACE_兴"),
        TextEdit(6, 7, "！", 0.07, "$REPLACE_！"),
    )
    assert edits_of("He always is late.", "2&SWAP") == (
        TextEdit(3, 12, "is always", 0.02, "$MERGE_SWAP"),
    )


def test_what_cannot_be_done_changes_nothing():
    text = "Go in it."
    tokens = tokens_of(text, "en")
    for label in (UNKNOWN, "nonsense", "$TRANSFORM_MAGIC", "$TRANSFORM_VERB_VBD_VB", "$APPEND_"):
        labels = [label] * 5
        assert text_edits(text, tokens, labels, None, transforms_for("en"), language="en") == ()
    assert edits_of(text, "0= 0^CASE_LOWER") == edits_of(text, "4&SPACE") == ()
    assert edits_of(text, "3&SPACE 2=in") == ()
    assert edits_of("a b", "1&SWAP 2=c") == (TextEdit(2, 3, "c", 0.02, "$REPLACE_c"),)


LABELS = st.one_of(
    st.sampled_from(
        [
            *(KEEP, KEEP, "$DELETE", "$DELETE", UNKNOWN, "nonsense", "$MERGE_SPACE"),
            *("$MERGE_HYPHEN", "$MERGE_SWAP", "$APPEND_的", "$APPEND_ab", "$APPEND_1", "$APPEND_,"),
            *("$APPEND_a b", "$REPLACE_了", "$REPLACE_ab", "$REPLACE_2", "$REPLACE_.", '$APPEND_"'),
            *("$TRANSFORM_CASE_UPPER", "$TRANSFORM_SPLIT_HYPHEN", "$TRANSFORM_VERB_VB_VBD"),
        ]
    ),
    st.text(max_size=3).map("$APPEND_{}".format),
    st.text(max_size=3).map("$REPLACE_{}".format),
)
TEXTS = st.lists(
    st.sampled_from(
        [
            *"我有的，。😀 \n-'\",.(1",
            "ab",
            " go",
            "well-known",
            "  ",
            "e\u0301",
            "\u3000",
            "'s",
            "7",
        ]
    ),
    max_size=9,
).map("".join)


HALF = settings(max_examples=settings().max_examples // 2 + 1)
"""These laws are tried on half as many examples as others, to save time."""


@HALF
@given(st.data(), TEXTS, st.sampled_from(["zh", "en"]), st.sampled_from(["zh", "en", "space"]))
def test_any_labels_give_valid_edits(data, text, language, kind):
    tokens = tokens_of(text, kind)
    count = len(tokens) + 1
    labels = data.draw(st.lists(LABELS, min_size=count, max_size=count))
    transforms = transforms_for(language)
    edits = text_edits(text, tokens, labels, [0.5] * count, transforms, language=language)
    result = apply(edits, text)  # raises where edits overlap
    assert "".join(result.split()) == "".join("".join(applied_words(tokens, labels, transforms)))
    assert len(edits) <= sum(label != KEEP for label in labels)
    assert all(text[edit.start : edit.end] != edit.replacement for edit in edits)
    if not edits:
        assert result == text


def applied_words(tokens, labels, transforms):
    """Return what the labels make of tokens, without asking how it is written."""
    return [
        "".join(word.split())
        for word in apply_labels([token.text for token in tokens], labels, transforms)
    ]


PLAIN = [*(KEEP, KEEP, "$DELETE", "$APPEND_的", "$APPEND_ab", "$APPEND_1", "$APPEND_，")]
PLAIN += ["$REPLACE_了", "$REPLACE_cd", "$REPLACE_2", "$REPLACE_.", UNKNOWN]


@HALF
@given(st.data(), TEXTS)
def test_the_new_chinese_text_has_the_new_tokens(data, text):
    tokens = tokens_of(text, "zh")
    count = len(tokens) + 1
    labels = data.draw(st.lists(st.sampled_from(PLAIN), min_size=count, max_size=count))
    transforms = transforms_for("zh")
    edits = text_edits(text, tokens, labels, None, transforms, language="zh")
    tokens_wanted = apply_labels([token.text for token in tokens], labels, transforms)
    assert tuple(token.text for token in tokens_of(apply(edits, text), "zh")) == tokens_wanted


WORDS = ["a", "The", "the", "go", "went", "well-known", "well", "known", ",", ".", "😀", "'s", "-"]


@HALF
@given(st.lists(st.sampled_from(WORDS), max_size=8), st.lists(st.sampled_from(WORDS), max_size=8))
def test_a_tokenised_text_reaches_its_target_exactly(source, target):
    text, target_text = " ".join(source), " ".join(target)
    transforms = transforms_for("en")
    for _ in range(len(target) + 2):
        tokens = tokens_of(text, "space")
        words = [token.text for token in tokens]
        labels = choose_labels(derive_labels(words, target, transforms))
        edits = text_edits(
            text, tokens, labels, None, transforms, language="en", spacing="tokenised"
        )
        text = apply(edits, text)
    assert text == target_text


def edit(start, end, replacement, score=None, label=None):
    return TextEdit(start, end, replacement, score, label)


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        # Nothing to do with one another: both as they were.
        ([edit(0, 1, "甲", 0.9, "A")], [edit(4, 5, "戊", 0.5, "B")],
         [edit(0, 1, "甲", 0.9, "A"), edit(4, 5, "戊", 0.5, "B")]),
        ([edit(1, 1, "甲乙")], [edit(6, 7, "戊")], [edit(1, 1, "甲乙"), edit(4, 5, "戊")]),
        ([edit(3, 4, "")], [edit(0, 1, "甲")], [edit(0, 1, "甲"), edit(3, 4, "")]),
        # Side by side: still two.
        ([edit(1, 2, "甲")], [edit(2, 3, "乙")], [edit(1, 2, "甲"), edit(2, 3, "乙")]),
        # One behind the other at one place: one, with the lesser score.
        ([edit(1, 2, "甲", 0.9, "A")], [edit(2, 2, "乙", 0.5, "B")],
         [edit(1, 2, "甲乙", 0.5, "A B")]),
        ([edit(1, 1, "甲", 0.4)], [edit(2, 2, "乙")], [edit(1, 1, "甲乙", 0.4)]),
        ([edit(1, 2, "")], [edit(1, 1, "乙")], [edit(1, 2, "乙")]),
        ([edit(1, 2, "甲")], [edit(1, 1, "乙")], [edit(1, 1, "乙"), edit(1, 2, "甲")]),
        # Changed again.
        ([edit(1, 2, "甲")], [edit(1, 2, "乙")], [edit(1, 2, "乙")]),
        ([edit(1, 2, "甲乙")], [edit(0, 2, "")], [edit(0, 2, "乙")]),
        # Undone.
        ([edit(1, 2, "甲")], [edit(1, 2, "二")], []),
        ([edit(1, 2, "")], [edit(1, 1, "二")], []),
        ([edit(1, 1, "甲")], [edit(1, 2, "")], []),
        ([edit(1, 2, "甲"), edit(2, 3, "乙")], [edit(1, 3, "二乙")], [edit(2, 3, "乙")]),
        ([], [edit(1, 2, "甲")], [edit(1, 2, "甲")]),
        ([edit(1, 2, "甲")], [], [edit(1, 2, "甲")]),
    ],
)  # fmt: skip
def test_edits_of_edits(first, second, whole):
    source = "一二三四五"
    assert compose(first, second, source) == tuple(whole)


def test_words_are_not_cut():
    first, second = [edit(2, 6, "walks")], [edit(2, 7, "walked")]
    assert compose(first, second, "I walk.") == (edit(2, 6, "walked"),)
    first, second = [edit(2, 6, "goes")], [edit(2, 6, "walk home")]
    assert compose(first, second, "I walk.") == (edit(6, 6, " home"),)


def test_edits_that_do_not_fit_are_refused():
    with pytest.raises(EditError, match="ends after the source"):
        compose([edit(0, 1, "")], [edit(0, 1, "")], "a")
    with pytest.raises(EditError, match="overlaps or precedes"):
        compose([edit(1, 2, ""), edit(0, 1, "")], [], "ab")


@st.composite
def edits_over(draw, text):
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))  # an odd one is left over
    texts = st.text("ab 我", max_size=3)
    return [edit(start, end, draw(texts), draw(st.floats(0, 1))) for start, end in spans]


"""These laws are tried on half as many examples as others, to save time."""


@HALF
@given(st.data(), st.text("ab 我", max_size=10))
def test_composing_is_doing_one_after_the_other(data, source):
    first = data.draw(edits_over(source))
    between = apply(first, source)
    second = data.draw(edits_over(between))
    third = data.draw(edits_over(apply(second, between)))
    whole = compose(first, second, source)
    assert apply(whole, source) == apply(second, between)
    longer = compose(whole, third, source)
    assert apply(longer, source) == apply(third, apply(second, between))


@HALF
@given(st.data(), st.text("ab 我", max_size=10))
def test_what_is_undone_is_gone(data, source):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(source)), max_size=8, unique=True)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))  # an odd one is left over
    first = [edit(start, end, "x") for start, end in spans if start < end]
    shift, second = 0, []
    for result in first:
        second.append(
            edit(result.start + shift, result.start + shift + 1, source[result.start : result.end])
        )
        shift += 1 - (result.end - result.start)
    assert compose(first, second, source) == ()
