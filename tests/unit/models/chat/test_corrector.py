"""The chat corrector against a scripted server: laws, cache, batches, costs, Ctrl-C."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_server import Scripted, answer_with, correction_of, fail_with
from corrector_checks import EN, ZH, check_corrector
from event_loops import run as run_in_thread
from messages import expect_error

from gecbench.core.errors import GecbenchError, UsageError

Make = Callable[..., Any]

TEN = [f"第{n}天他很高心。" for n in range(10)]


@pytest.mark.parametrize(("texts", "prompt"), [(ZH, "zh-minimal"), (EN, "en-minimal")])
def test_it_keeps_the_laws_of_correctors(
    chat: Make, server: Scripted, texts: tuple[str, ...], prompt: str
) -> None:
    corrections = check_corrector(lambda: chat(prompt=prompt), texts)
    assert [c.text for c in corrections] == [correction_of(text) for text in texts]
    assert corrections[0].text != texts[0]
    assert not any(text.isspace() or not text for text in server.asked)


def test_the_order_is_kept_however_answers_come(chat: Make, server: Scripted) -> None:
    chance = random.Random(3)
    delays = [chance.random() / 20 for _ in range(40)]
    server.script = lambda n, text: answer_with(correction_of(text), delay=delays[n % 40])
    texts = [f"第{n}次很高心。" for n in range(40)]
    corrections = chat(concurrency=16).correct(texts)
    assert [c.text for c in corrections] == [f"第{n}次很高兴。" for n in range(40)]


def test_no_more_questions_are_under_way_than_allowed(chat: Make, server: Scripted) -> None:
    running = most = 0
    lock = threading.Lock()

    def script(_: int, text: str) -> Any:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.01)
        with lock:
            running -= 1
        return answer_with(text)

    server.script = script
    chat(concurrency=3).correct(TEN)
    assert most <= 3


def test_equal_texts_are_asked_once(chat: Make, server: Scripted) -> None:
    corrections = chat().correct(["他很高心。"] * 5)
    assert [c.text for c in corrections] == ["他很高兴。"] * 5
    assert len(server.bodies) == 1


def test_an_answer_is_not_asked_for_again(chat: Make, server: Scripted) -> None:
    first = chat().correct(TEN)
    assert len(server.bodies) == 10
    again = chat()
    assert again.correct(TEN) == first
    assert len(server.bodies) == 10
    assert (again.totals.calls, again.totals.cached) == (0, 10)


@pytest.mark.parametrize(
    "other",
    [{"temperature": 0.5}, {"seed": 2}, {"prompt": "zh-fluent"}, {"max_tokens": 9}, {"batch": 2}],
)
def test_another_question_is_another_answer(
    chat: Make, server: Scripted, other: dict[str, object]
) -> None:
    first, second = chat(), chat(**other)
    assert first.info.signature != second.info.signature
    first.correct(TEN[:1])
    second.correct(TEN[:1])
    assert len(server.bodies) == 2


def test_how_it_is_sent_does_not_change_the_answer(chat: Make, server: Scripted) -> None:
    first, second = chat(), chat(stream=True, concurrency=1, timeout=9, retries=0)
    assert first.info.signature == second.info.signature
    first.correct(TEN[:1])
    second.correct(TEN[:1])
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("answer", "flag"),
    [
        (answer_with("他很高", "length"), "cut"),
        (answer_with(None), "empty"),
        (answer_with("抱歉，我无法处理"), "refused"),
    ],
)
def test_only_good_answers_are_kept(chat: Make, server: Scripted, answer: Any, flag: str) -> None:
    server.script = lambda n, text: answer if n == 1 else answer_with(correction_of(text))
    (result,) = chat().correct(["他很高心。"])
    assert (result.text, result.flags) == ("他很高心。", (flag,))
    assert chat().correct(["他很高心。"])[0].text == "他很高兴。"


def test_replay_asks_nobody(chat: Make, server: Scripted) -> None:
    chat().correct(TEN)
    replay = chat(replay=True)
    assert replay.info.deterministic
    assert [c.text for c in replay.correct(TEN)] == [correction_of(t) for t in TEN]
    with expect_error(GecbenchError, "1 of 2", "'没有'"):
        replay.correct([TEN[0], "没有"])
    assert len(server.bodies) == 10


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_nobody_else_can_read_what_people_have_written(chat: Make, tmp_path: Path) -> None:
    chat().correct(["他很高心。"])
    rest = list((tmp_path / "cache").glob("answers.sqlite*"))
    assert rest
    assert [path.stat().st_mode & 0o077 for path in rest] == [0] * len(rest)


def test_a_file_that_is_no_cache_is_refused(chat: Make, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "answers.sqlite").write_bytes(b"not a database at all" * 100)
    with expect_error(GecbenchError, "answers.sqlite", "cache"):
        chat()


ONE_OF_TWO = """
import sys
from gecbench.models import load_corrector
corrector = load_corrector(sys.argv[1], {"prompt": "zh-minimal", "cache": sys.argv[2]})
found = corrector.correct([f"第{n}天他很高心。" for n in range(30)])
assert [c.text for c in found] == [f"第{n}天他很高兴。" for n in range(30)]
corrector.close()
"""


def test_two_processes_share_a_cache(chat: Make, server: Scripted, tmp_path: Path) -> None:
    words = [sys.executable, "-c", ONE_OF_TWO, f"chat:tiny@{server.url}", str(tmp_path / "cache")]
    both = [subprocess.Popen(words), subprocess.Popen(words)]
    assert [first.wait(60) for first in both] == [0, 0]
    requests = len(server.bodies)
    assert 30 <= requests <= 60
    third = chat()
    third.correct([f"第{n}天他很高心。" for n in range(30)])
    assert len(server.bodies) == requests
    log = (tmp_path / "cache" / "costs.jsonl").read_text("utf-8").splitlines()
    assert len([json.loads(line) for line in log]) == 90


def test_it_works_inside_a_running_loop(chat: Make) -> None:
    async def notebook() -> str:
        return chat().correct(["他很高心。"])[0].text

    assert run_in_thread(notebook()) == "他很高兴。"


def test_ctrl_c_stops_it_and_loses_no_answer(chat: Make, server: Scripted) -> None:
    free = threading.Event()

    def script(n: int, text: str) -> Any:
        if n == 4:
            os.kill(os.getpid(), signal.SIGINT)
            free.wait(30)
        return answer_with(correction_of(text))

    server.script = script
    corrector = chat(concurrency=1)
    with pytest.raises(KeyboardInterrupt):
        corrector.correct(TEN)
    free.set()
    threading.Event().wait(0.3)  # in which nothing more is to be asked
    assert len(server.bodies) == 4
    corrector.close()
    server.script = lambda _, text: answer_with(correction_of(text))
    assert [c.text for c in chat().correct(TEN)] == [correction_of(t) for t in TEN]
    assert len(server.bodies) == 4 + 7


def test_costs_are_counted_and_logged_without_texts_and_keys(
    chat: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Scripted
) -> None:
    monkeypatch.setenv("A_KEY", "secret-123")
    corrector = chat(price_in=2.0, price_out="10", key_env="A_KEY")
    corrector.correct(TEN[:3])
    corrector.correct(TEN[:4])
    totals = corrector.totals
    assert (totals.sentences, totals.calls, totals.cached) == (7, 4, 3)
    assert (totals.tokens_in, totals.tokens_out) == (40, 16)
    assert totals.cost == pytest.approx(4 * (10 * 2 + 4 * 10) / 1e6)
    text = (tmp_path / "cache" / "costs.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["cached"] for line in lines] == [False] * 3 + [True] * 3 + [False]
    assert lines[0]["cost"] == pytest.approx(60e-6)
    assert lines[3]["cost"] == 0
    assert "secret" not in text
    assert "天" not in text
    assert server.headers[0]["Authorization"] == "Bearer secret-123"
    corrector.close()
    assert corrector.report()[1] == "40 tokens in, 16 out, cost 0.000240"
    assert "secret" not in repr(corrector)
    assert "secret" not in str(corrector.info)


def test_answers_without_usage_are_counted_as_such(chat: Make, server: Scripted) -> None:
    server.script = lambda _, text: answer_with(text, usage=False)
    corrector = chat(price_in=1)
    corrector.correct(TEN[:2])
    assert "2 answers came without their number of tokens: not in it" in corrector.report()


def numbered_answer(text: str) -> str:
    lines = [line for line in text.split("\n") if line[:1].isdigit()]
    return "\n".join(correction_of(line) for line in lines)


def test_batches_are_asked_together(chat: Make, server: Scripted) -> None:
    server.script = lambda _, text: answer_with(numbered_answer(text))
    corrections = chat(batch=4, concurrency=1).correct(TEN)
    assert [c.text for c in corrections] == [correction_of(t) for t in TEN]
    assert len(server.bodies) == 3
    assert "4个句子" in server.asked[0]
    assert "2. 第1天他很高心。" in server.asked[0]


def test_a_batch_with_a_wrong_count_is_asked_one_by_one(chat: Make, server: Scripted) -> None:
    def script(_: int, text: str) -> Any:
        if "个句子" in text:
            return answer_with("\n".join(numbered_answer(text).split("\n")[:-1]))
        return answer_with(correction_of(text))

    server.script = script
    corrector = chat(batch=5)
    assert [c.text for c in corrector.correct(TEN)] == [correction_of(t) for t in TEN]
    assert len(server.bodies) == 12
    assert "2 batches had to be asked sentence by sentence" in corrector.report()


def test_a_text_of_several_lines_is_no_part_of_a_batch(chat: Make, server: Scripted) -> None:
    server.script = lambda _, text: answer_with(
        numbered_answer(text) if "个句子" in text else correction_of(text)
    )
    texts = ["一\n他高心", *TEN[:3]]
    assert [c.text for c in chat(batch=9).correct(texts)] == [correction_of(t) for t in texts]
    assert len(server.bodies) == 2


def test_what_cannot_be_sent_is_flagged(chat: Make, server: Scripted) -> None:
    corrections = chat().correct(["半\ud83d个", TEN[0]])
    assert [c.flags for c in corrections] == [("failed",), ()]
    assert len(server.bodies) == 1


def test_everything_in_a_profile_reaches_the_server(
    chat: Make, server: Scripted, tmp_path: Path
) -> None:
    profile = tmp_path / "some.toml"
    (tmp_path / "mine.txt").write_text("改：{text}", "utf-8")
    profile.write_text(
        f'base_url = "{server.url}/"\nmodel = "other"\nlanguage = "zh"\nprompt = "mine.txt"\n'
        'examples = "shown.toml"\nshots = 1\nmax_tokens = 50\n'
        'max_tokens_name = "max_completion_tokens"\nomit = ["temperature"]\n'
        'cache = "kept"\n[extra]\nreasoning_effort = "low"\n',
        "utf-8",
    )
    (tmp_path / "shown.toml").write_text(
        '[[examples]]\nsource = "我高心"\ntarget = "我高兴"\n'
        '[[examples]]\nsource = "二"\ntarget = "二"\n',
        "utf-8",
    )
    from gecbench.models import load_corrector

    corrector = load_corrector(f"chat:{profile}", {"seed": "7"})
    corrector.correct(["他高心"])
    corrector.close()
    assert server.bodies == [
        {
            "model": "other",
            "messages": [
                {"role": "user", "content": "改：我高心"},
                {"role": "assistant", "content": "我高兴"},
                {"role": "user", "content": "改：他高心"},
            ],
            "seed": 7,
            "max_completion_tokens": 50,
            "reasoning_effort": "low",
        }
    ]
    assert (tmp_path / "kept" / "answers.sqlite").is_file()


def test_a_prompt_without_batch_cannot_ask_for_several(chat: Make, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("改：{text}", "utf-8")
    with expect_error(UsageError, "prompt mine"):
        chat(prompt=str(tmp_path / "mine.txt"), batch=2, language="zh")


def test_a_wrong_key_loses_nothing_that_came_before(chat: Make, server: Scripted) -> None:
    server.script = lambda n, text: fail_with(401) if n > 3 else answer_with(correction_of(text))
    with pytest.raises(GecbenchError, match="401"):
        chat(concurrency=1).correct(TEN)
    server.script = lambda _, text: answer_with(correction_of(text))
    corrector = chat()
    corrector.correct(TEN)
    assert (corrector.totals.cached, corrector.totals.calls) == (3, 7)
