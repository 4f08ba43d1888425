"""Prompts: those of the package, and a user's own."""

from __future__ import annotations

from pathlib import Path

from messages import expect_error

from gecbench import models
from gecbench.core.errors import FormatError, UnknownNameError, UsageError
from gecbench.formats.validation import list_packaged
from gecbench.models import load_corrector
from gecbench.models.chat.prompts import Prompt, PromptExample, load_prompt, read_examples

URL = "http://127.0.0.1:9/v1"


def test_packaged_prompts_are_whole() -> None:
    names = list_packaged(Path(models.__file__).parent / "prompts")
    assert {"robustgec", "zh-minimal", "zh-fluent", "en-minimal", "en-fluent"} <= set(names)
    for name in names:
        prompt = load_prompt(name)
        assert prompt.language in ("zh", "en")
        assert prompt.single("甲乙")[-1].content.count("甲乙") == 1
        assert len({load_prompt(other).hash() for other in names}) == len(names)
        assert "{" not in "".join(turn.content for turn in prompt.single("甲"))
        if prompt.batch:
            assert "1. 甲\n2. 乙" in prompt.several(["甲", "乙"])[-1].content
            assert "{" not in "".join(turn.content for turn in prompt.several(["甲"]))


def test_the_prompt_of_the_paper_is_the_papers() -> None:
    (turn,) = load_prompt("robustgec").single("He go .")
    assert turn.role == "user"
    assert turn.content == (
        "I want you to act as a grammar checker to correct explicit mistakes in the following "
        "sentence. Please directly return the corrected sentence without explanation.\n\nHe go ."
    )


def test_what_a_sentence_holds_is_never_a_place() -> None:
    prompt = Prompt(name="p", language="en", user="say {text}", batch="{count}: {text}")
    assert prompt.single("{text} {count}")[-1].content == "say {text} {count}"
    assert prompt.several(["{count}", "{text}"])[-1].content == "2: 1. {count}\n2. {text}"


def test_examples_come_before_the_sentence() -> None:
    prompt = Prompt(
        name="p",
        system="s",
        user="改{text}",
        batch="{count}{text}",
        examples=(PromptExample("错", "对"),),
    )
    assert [tuple(turn) for turn in prompt.single("甲")] == [
        ("system", "s"), ("user", "改错"), ("assistant", "对"), ("user", "改甲"),
    ]  # fmt: skip
    assert [turn.content for turn in prompt.several(["甲"])] == ["s", "11. 错", "1. 对", "11. 甲"]
    assert (
        prompt.hash() != Prompt(name="p", system="s", user="改{text}", batch="{count}{text}").hash()
    )


def test_examples_can_be_a_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "few.para"
    corpus.write_text("1\t我高心\t我高兴\n2\t很好\t没有错误\n3\t他门\t他们\n", "utf-8")
    assert read_examples(corpus, 2) == (
        PromptExample("我高心", "我高兴"),
        PromptExample("很好", "很好"),
    )
    assert len(read_examples(corpus, 0)) == 3
    with expect_error(UsageError, "3 examples", "4", "shots"):
        read_examples(corpus, 4)


def test_a_prompt_of_ones_own_must_have_a_place(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Correct this!", "utf-8")
    with expect_error(FormatError, "mine.txt", "user"):
        load_prompt("mine.txt", tmp_path)
    (tmp_path / "mine.toml").write_text('user = "{text}"\nusr = ""', "utf-8")
    with expect_error(FormatError, "'usr'", "user"):
        load_prompt("mine.toml", tmp_path)
    with expect_error(UnknownNameError, "'robust'", "robustgec"):
        load_prompt("robust")
    (tmp_path / "mine.txt").write_text("改：{text}", "utf-8")
    with expect_error(UsageError, "which language"):
        load_corrector(f"chat:m@{URL}", {"prompt": str(tmp_path / "mine.txt")})
