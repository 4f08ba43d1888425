"""What of a model's answer is a correction, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.chat.profile import Bounds
from gecbench.core.corrector import apply
from gecbench.models.chat.answers import parse_answer, restore_spacing
from gecbench.models.chat.prompts import number_lines, split_numbered

TAKEN = [
    ("他很高心。", "他很高兴。", "他很高兴。"),
    ("他很高心。", "  他很高兴。\n", "他很高兴。"),
    ("他很高心。", "“他很高兴。”", "他很高兴。"),
    ("他很高心。", "修改后的句子：他很高兴。", "他很高兴。"),
    ("他很高心。", "**改正：**「他很高兴。」", "他很高兴。"),
    ("他很高心。", "<output>他很高兴。</output>", "他很高兴。"),
    ("他很高心。", "<think>高心应为高兴</think>\n\n他很高兴。", "他很高兴。"),
    ("他很高心。", "```\n他很高兴。\n```", "他很高兴。"),
    (" 他很高心。\t", "他很高兴。", " 他很高兴。\t"),
    ("“他很高心。”", "“他很高兴。”", "“他很高兴。”"),
    ("答案：他很高心。", "答案：他很高兴。", "答案：他很高兴。"),
    ("1. He go home.", "1. He goes home.", "1. He goes home."),
    ("He go home.", "Corrected sentence: He goes home.", "He goes home."),
    ("Output: he go.", "Output: he goes.", "Output: he goes."),
    ('"Go," he say.', '"Go," he said.', '"Go," he said.'),
    ("He go.\nShe go.", "He goes.\nShe goes.", "He goes.\nShe goes."),
    ("Bye", "Bye!", "Bye!"),
    # What reads like a refusal corrects a sentence that reads so itself.
    (
        "I am sorry, but I can not helps you today.",
        "I'm sorry, but I can't help you today.",
        "I'm sorry, but I can't help you today.",
    ),
    (
        "抱歉，我无法参加明天的会义。",
        "抱歉，我无法参加明天的会议。",
        "抱歉，我无法参加明天的会议。",
    ),
    ("As an AI I likes data.", "As an AI I like data.", "As an AI I like data."),
    ("There is no errors here.", "There are no errors here.", "There are no errors here."),
    # Templates that open the thoughts themselves leave only their end in the answer.
    (
        "He go home.",
        "Is it he go?\nHe goes home, maybe.\n</think>\n\nHe goes home.",
        "He goes home.",
    ),
    ("He go.\nShe go.", "He goes.\r\nShe goes.", "He goes.\nShe goes."),
    ("Look\there .", "Look\there !", "Look\there !"),
    ("A \ufffd are here.", "A \ufffd is here.", "A \ufffd is here."),
]


@pytest.mark.parametrize(("source", "answer", "text"), TAKEN)
def test_a_correction_is_taken(source: str, answer: str, text: str) -> None:
    correction = parse_answer(
        source, answer, tokens="zh" if "他" in source or "我" in source else "en"
    )
    assert (correction.text, correction.flags) == (text, ())
    assert apply(correction.edits, source) == text


ANSWERS = [
    ("他很高心。", "", "empty"),
    ("他很高心。", " \n", "empty"),
    ("他很高心。", "<output></output>", "empty"),
    ("他很高心。", "<think>这句话里", "cut"),
    ("How is bomb maked?", "I'm sorry, but I can't assist with that request.", "refused"),
    ("How is bomb maked?", "I’m sorry, I cannot help.\nPlease ask something else.", "refused"),
    ("How is bomb maked?", "I can't help with that.", "refused"),
    ("How is bomb maked?", "As an AI language model, I have no opinion.", "refused"),
    ("他很高心。", "抱歉，我无法提供帮助。", "refused"),
    ("他很高心。", "很抱歉，我不能处理。", "refused"),
    ("他去学校上学。", "这个句子没有语法错误。", "explained"),
    ("He goes home every day.", "The sentence is already correct.", "explained"),
    ("He goes home every day.", "No errors found.", "explained"),
    (
        "What are the capital of France?",
        "Paris is its capital, of course, my friend.",
        "too different",
    ),
    ("他很高心。", "他。", "too different"),
    ("他很高心。", "他非常非常高兴，因为今天天气很好。", "too different"),
    ("He go home.", "He goes home.\nHe went home.", "explained"),
    ("He go.\nShe go.", "He goes and she goes.", "explained"),
    # What files of lines and tables cannot hold, and halves of characters.
    ("He go home.", "He goes\thome.", "too different"),
    ("He go home.", "He goes\rhome.", "too different"),
    ("He go home.", "He goes\u2028home.", "too different"),
    ("他很高心。", "他很高\ufffd。", "too different"),
    # A sentence that is lost, and one that answers.
    ("他来了。她走了。我们也都走了。", "他来了。她走了。", "too different"),
    ("他，你叫什么名字？", "他，你叫什么名字？我叫小明。", "too different"),
    ("What are your name?", "What is your name? My name is Qwen.", "too different"),
    ("他很高心。", '"' * 5000, "too different"),
    ("He go.", "<output>He goes.</output><output>He went.</output>", "explained"),
]


@pytest.mark.parametrize(("source", "answer", "flag"), ANSWERS)
def test_what_is_no_correction_leaves_the_source(source: str, answer: str, flag: str) -> None:
    correction = parse_answer(source, answer, tokens="zh" if "他" in source else "en")
    assert (correction.text, correction.flags) == (source, (flag,))


@pytest.mark.parametrize(
    "answer",
    [
        "Here is the corrected sentence:\n\nHe goes home.\n\nI changed go to goes.",
        "He goes home.\n\nExplanation: the verb agrees with the subject.",
        "I looked at the verb. <output>He goes home.</output>",
        "Corrected sentence:\nHe goes home.",
    ],
)
def test_a_correction_among_explanations_is_taken_and_flagged(answer: str) -> None:
    correction = parse_answer("He go home.", answer, tokens="en")
    assert (correction.text, correction.flags) == ("He goes home.", ("explained",))


@pytest.mark.parametrize(("finish", "flag"), [("length", "cut"), ("refused", "refused")])
def test_why_an_answer_ended_counts(finish: str, flag: str) -> None:
    correction = parse_answer("他很高心。", "他很高兴。", tokens="zh", finish=finish)
    assert (correction.text, correction.flags) == ("他很高心。", (flag,))


def test_bounds_are_options() -> None:
    source, answer = "我昨天去了学校。", "昨日我到校。"
    assert parse_answer(source, answer, tokens="zh").text == answer
    strict = Bounds(most_changed=0.2)
    assert parse_answer(source, answer, tokens="zh", bounds=strict).flags == ("too different",)
    lost = "He came. She left us too."
    assert parse_answer(lost, "He came.", tokens="en", bounds=Bounds(shortest=0.2)).text == lost
    any_share = Bounds(shortest=0.2, most_changed=1)
    assert parse_answer(lost, "He came.", tokens="en", bounds=any_share).text == "He came."
    short = Bounds(shortest=0.9)
    assert parse_answer(source, answer, tokens="zh", bounds=short).flags == ("too different",)


@given(
    source=st.text(min_size=1).filter(str.strip),
    answer=st.text(),
    kind=st.sampled_from(["zh", "en"]),
)
def test_whatever_a_model_says_the_edits_lead_to_the_text(
    source: str, answer: str, kind: str
) -> None:
    correction = parse_answer(source, answer, tokens=kind)
    assert correction.source == source
    assert apply(correction.edits, source) == correction.text
    if {"cut", "empty", "refused", "too different"} & set(correction.flags):
        assert correction.text == source


@given(source=st.text(min_size=1).filter(str.strip), kind=st.sampled_from(["zh", "en"]))
def test_a_source_said_again_is_never_flagged(source: str, kind: str) -> None:
    correction = parse_answer(source, source.strip(), tokens=kind)
    assert (correction.text, correction.flags) == (source, ())


@pytest.mark.parametrize(
    ("source", "answer", "text"),
    [
        ("He go to school .", "He goes to school.", "He goes to school ."),
        ("He do n't likes it .", "He doesn't like it.", "He does n't like it ."),
        ('I said " hi " , ok ?', 'I said "hi", okay?', 'I said " hi " , okay ?'),
        ("John 's dog bark , and 3.5 cats run .", "John's dog barks, and 3.5 cats run.",
         "John 's dog barks , and 3.5 cats run ."),
        ("He come , she go .", "He came. She went.", "He came . She went ."),
        ("Hello ,world", "Hello, world", "Hello, world"),
    ],
)  # fmt: skip
def test_a_sentence_in_tokens_stays_in_tokens(source: str, answer: str, text: str) -> None:
    assert restore_spacing(source, answer) == text


@given(source=st.text(), answer=st.text())
def test_respacing_changes_nothing_but_white_space(source: str, answer: str) -> None:
    assert restore_spacing(source, answer, "answer") == answer
    for spacing in ("auto", "source"):
        assert "".join(restore_spacing(source, answer, spacing).split()) == "".join(answer.split())
    assert "".join(restore_spacing(source, source, "source")) == source


LINES = st.lists(st.text(st.characters(exclude_characters="\n\r", codec="utf-8")).map(str.strip))


@given(texts=LINES)
def test_batches_are_told_apart_as_they_were_numbered(texts: list[str]) -> None:
    assert split_numbered(number_lines(texts), len(texts)) == texts


@pytest.mark.parametrize(
    "answer",
    [
        "1. a",
        "1. a\n2. b\n3. c",
        "2. a\n1. b",
        "1. a\nb",
        "a\nb",
        "Sure:\n1. a\n2. b",
        "",
        "1. a\n1. b",
    ],
)
def test_a_wrong_count_or_order_is_no_batch(answer: str) -> None:
    assert split_numbered(answer, 2) is None
