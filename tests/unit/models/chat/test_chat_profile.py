"""Profiles, prompts and rates: what a user writes, and what is said of what is wrong."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import expect_error

from gecbench import models
from gecbench.backends.chat import _retry_after
from gecbench.chat.calls import Rates
from gecbench.core.errors import FormatError, MissingExtraError, UnknownNameError, UsageError
from gecbench.formats.validation import list_packaged
from gecbench.models import load_corrector
from gecbench.models.chat.prompts import Prompt, PromptExample, load_prompt, read_examples

from .loops import run as run_in_thread

URL = "http://127.0.0.1:9/v1"


def write_profile(path: Path, text: str) -> str:
    path.write_text(text, "utf-8")
    return f"chat:{path}"


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'base_url = "{URL}"\nmodel = "m"\nmodle = "n"', "'modle'; did you mean model"),
        ('model = "m"', "'base_url' is missing"),
        (f'base_url = "{URL}"\nmodel = "m"\nretries = -1', "'retries' is -1; expected int >= 0"),
        (f'base_url = "{URL}"\nmodel = "m"\nbatch = "two"', "'batch' is a string, 'two'; expected"),
        ("base_url = ", r"p\.toml.*: is not TOML"),
    ],
)
def test_what_is_wrong_in_a_profile_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load_corrector(write_profile(tmp_path / "p.toml", text))


@pytest.mark.parametrize(
    ("place", "options", "message"),
    [
        ("gpt", {}, r"chat:gpt: is neither a profile \(a \.toml file\) nor MODEL@URL"),
        ("m@ftp://x", {}, "is neither a profile"),
        ("m@http://", {}, "is no address; write it as"),
        ("m@http://me:secret@h/v1", {}, "holds a user or password"),
        ("m@http://h/v1?key=secret", {}, "base_url of h: ends in a query"),
        (f"m@{URL}", {"speed": 1}, "unknown option of chat 'speed'"),
        (f"m@{URL}", {"batch": "0"}, "option batch of chat: it is '0'; expected int >= 1"),
        (f"m@{URL}", {"prompt": "zh-minmal"}, "unknown prompt 'zh-minmal'; did you mean zh-min"),
        (f"m@{URL}", {"language": "de"}, "no prompt for language 'de'; set prompt"),
        (f"m@{URL}", {"language": "German"}, "'German' is no ISO 639 code"),
        (f"m@{URL}", {"key_env": "NO_SUCH_KEY"}, "variable NO_SUCH_KEY is not set"),
        (f"m@{URL}", {"key_env": "sk-a secret"}, "variable that key_env names is not set"),
        (f"m@{URL}", {"extra": {"api_key": "secret"}}, "extra.api_key looks like a key"),
        (f"m@{URL}", {"extra": {"messages": []}}, "extra.messages is not free"),
        (
            f"m@{URL}",
            {"extra": {"top_p": float("nan")}},
            "extra cannot be sent as JSON: Out of range",
        ),
        (f"m@{URL}", {"extra": {"day": date(2024, 1, 1)}}, "extra cannot be sent as JSON: .*date"),
        (f"m@{URL}", {"omit": ["seed", "seed"], "key_header": "a secret"}, "key_header is no name"),
        ("m@http://h:99999/v1", {}, "base_url .*: is no address"),
        ("m@http://h:port/v1", {}, "base_url .*: is no address"),
        ("m@http://exa mple/v1", {}, "base_url .*: is no address"),
        (f"m@{URL}", {"replay": "true", "cache": "none"}, "from a cache, but cache is none"),
        (f"m@{URL}", {"shortest": "2"}, "option shortest of chat: it is '2'; expected float <= 1"),
    ],
)
def test_what_is_wrong_in_options_is_named(
    place: str, options: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        load_corrector(f"chat:{place}", {"cache": str(tmp_path), **options})
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_key_that_no_header_can_hold_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("A_KEY", "密钥")
    with expect_error(UsageError, "the key", "header") as caught:
        load_corrector(f"chat:m@{URL}", {"key_env": "A_KEY", "cache": str(tmp_path)})
    assert "密" not in str(caught.value)


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


def test_without_httpx_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gecbench.backends.find_spec", lambda _: None)
    with expect_error(MissingExtraError, "httpx", "gecbench[chat]"):
        load_corrector(f"chat:m@{URL}")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(None, None), ("3", 3), ("0.5", 0.5), ("-1", 0), ("soon", None), ("", None),
     ("Wed, 21 Oct 2015 07:28:00 GMT", 0)],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert _retry_after(value) == seconds


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


CALLS = st.lists(st.tuples(st.floats(0, 30), st.integers(0, 50)), max_size=40)


@given(calls=CALLS, requests=st.integers(0, 5), tokens=st.integers(0, 100))
def test_no_minute_holds_more_than_is_allowed(
    calls: list[tuple[float, int]], requests: int, tokens: int
) -> None:
    clock = Clock()
    rates = Rates(requests, tokens, clock=clock, sleep=clock.sleep)
    went: list[tuple[float, int]] = []

    async def run() -> None:
        for gap, used in calls:
            clock.now += gap
            await rates.admit(used)
            went.append((clock.now, used))

    run_in_thread(run())
    assert len(went) == len(calls)
    for when, _ in went:
        minute = [used for at, used in went if when - 59.999 < at <= when]
        assert not requests or len(minute) <= requests
        assert not tokens or sum(minute) <= tokens or len([u for u in minute if u]) == 1
    if not requests and not tokens:
        assert clock.now == pytest.approx(1000 + sum(gap for gap, _ in calls))


def test_true_numbers_take_the_place_of_expected_ones_and_a_pause_is_for_all() -> None:
    clock = Clock()
    rates = Rates(0, 100, clock=clock, sleep=clock.sleep)

    async def run() -> None:
        entry = await rates.admit(90)
        rates.settle(entry, 10)
        await rates.admit(90)
        assert clock.now == 1000
        rates.hold(7)
        await rates.admit(0)
        assert clock.now == 1007
        await rates.admit(50)
        assert clock.now == 1060

    run_in_thread(run())
