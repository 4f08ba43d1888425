"""What goes wrong between us and a chat server, one test for each fault."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest
from chat_server import Act, Scripted, answer_with, correction_of, fail_with, stream
from messages import expect_error

from gecbench.backends.chat import ServerError
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.models import load_corrector

Make = Callable[..., Any]
TEXT = "他很高心。"
GOOD = "他很高兴。"

PASSING = {
    "429": fail_with(429, "slow down"),
    "429 with Retry-After": fail_with(429, "slow down", Retry_After="0.02"),
    "429 with a date": fail_with(429, "slow", Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
    "429 with nonsense": fail_with(429, "slow down", Retry_After="soon"),
    "500": fail_with(500, "oops"),
    "502 of a proxy": Act(b"<html>Bad Gateway</html>", 502, {"Content-Type": "text/html"}),
    "503": fail_with(503, "loading"),
    "408": fail_with(408, "late"),
    "garbage": Act(b"\xff\xfe{{{"),
    "JSON that is no answer": Act(b'{"object": "list"}'),
    "JSON that is no object": Act(b"[1, 2]"),
    "no choices": Act(b'{"choices": []}'),
    "an endless number": Act(b'{"choices": ' + b"1" * 5000 + b"}"),
    "429 that speaks of billing": fail_with(429, "3 a minute; see example.com/account/billing"),
    "an error as 200": Act(b'{"error": {"message": "upstream", "code": 502}}'),
    "hangs up": Act(hangs_up=True),
    "half an answer": Act(answer_with(GOOD).body[:40], promised=200),
    "half a stream": stream("他很", done=False, finish=None),
    "a cut stream": Act(stream("他很").body[:-60], headers={"Content-Type": "text/event-stream"}),
    "an error in a stream": Act(
        b'data: {"error": "broken"}\n\n', headers={"Content-Type": "text/event-stream"}
    ),
    "too slow": answer_with(GOOD, delay=0.8),
}


def patience(fault: str) -> float:
    """Seconds for a call: few only where the server is to be slower."""
    return 0.5 if fault == "too slow" else 30.0


@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_is_tried_again(chat: Make, server: Scripted, fault: str) -> None:
    server.script = lambda n, text: PASSING[fault] if n < 3 else answer_with(correction_of(text))
    corrector = chat(timeout=patience(fault))
    (result,) = corrector.correct([TEXT])
    assert (result.text, result.flags) == (GOOD, ())
    assert len(server.bodies) == 3
    assert corrector.totals.retries == 2


@pytest.mark.parametrize("fault", PASSING)
def test_what_does_not_pass_is_flagged_and_the_source_kept(
    chat: Make, server: Scripted, fault: str
) -> None:
    server.script = lambda _, text: (
        PASSING[fault] if TEXT in text else answer_with(correction_of(text))
    )
    corrector = chat(timeout=patience(fault), retries=1)
    corrections = corrector.correct(["我高心", TEXT, "你高心"])
    assert [c.text for c in corrections] == ["我高兴", TEXT, "你高兴"]
    assert [c.flags for c in corrections] == [(), ("failed",), ()]
    assert sum(TEXT in text for text in server.asked) == 2
    assert corrector.totals.last_trouble.count("\n") == 0
    assert "flagged: 1 failed" in corrector.report()
    server.script = lambda _, text: answer_with(correction_of(text))
    assert chat().correct([TEXT])[0].text == GOOD


@pytest.mark.parametrize(
    "answer",
    [
        stream("他很", "高兴", "。"),
        stream("他很高兴。", done=False),
        stream("他很高兴。", finish=None),
    ],
)
def test_a_whole_stream_is_an_answer(chat: Make, server: Scripted, answer: Act) -> None:
    server.script = lambda *_: answer
    assert chat(stream=True).correct([TEXT])[0].text == GOOD
    assert server.bodies[0]["stream"] is True


@pytest.mark.parametrize("mark", ["\u2028", "\x85"])
def test_a_stream_is_parted_at_line_ends_only(chat: Make, server: Scripted, mark: str) -> None:
    event = json.dumps(
        {"choices": [{"delta": {"content": f"他很{mark}高兴。"}}]}, ensure_ascii=False
    )
    body = f"data: {event}\r\n\r\ndata: [DONE]\r\n\r\n".encode()
    server.script = lambda *_: Act(body, headers={"Content-Type": "text/event-stream"})
    assert chat().correct([f"他很{mark}高心。"])[0].text == f"他很{mark}高兴。"


def test_halves_of_characters_are_joined_and_never_taken(chat: Make, server: Scripted) -> None:
    halves = stream("他\ud83d", "\ude00很高兴。")
    server.script = lambda _, text: halves if "😀" in text else answer_with("他很高\ud83d。")
    corrections = chat().correct(["他😀很高心。", TEXT])
    assert [c.text for c in corrections] == ["他😀很高兴。", TEXT]
    assert corrections[1].flags == ("too different",)


@pytest.mark.parametrize("key", ["secret-9\nab", "secret-9\x01", "秘密secret-9"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(
    chat: Make, server: Scripted, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("A_KEY", key)
    with expect_error(UsageError, "the key", "header") as caught:
        chat(key_env="A_KEY")
    assert "secret-9" not in str(caught.value)
    assert server.bodies == []


@pytest.mark.parametrize(
    ("name", "proxy"),
    [("ALL_PROXY", "socks5://u:secret-9@127.0.0.1:9"), ("HTTP_PROXY", "ftp://secret-9")],
)
def test_a_proxy_that_cannot_be_used_is_one_line(
    chat: Make, monkeypatch: pytest.MonkeyPatch, name: str, proxy: str
) -> None:
    monkeypatch.setenv(name, proxy)
    with expect_error(GecbenchError, "proxy") as caught:
        chat()
    assert "secret-9" not in str(caught.value)


def test_a_message_in_parts_is_an_answer(chat: Make, server: Scripted) -> None:
    parts = [{"type": "text", "text": "他很"}, {"type": "text", "text": "高兴。"}]
    server.script = lambda *_: Act(
        json.dumps({"choices": [{"message": {"content": parts}}]}).encode()
    )
    assert chat().correct([TEXT])[0].text == GOOD


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (fail_with(400, "unknown field seed"), r"the server said 400: unknown field seed$"),
        (
            fail_with(401, "bad key secret-9"),
            r"said 401: bad key \[key\]; check the key in the var",
        ),
        (fail_with(403, "not yours"), "said 403: not yours; the key may not use this model"),
        (fail_with(404, "no model tiny"), "said 404: no model tiny; check base_url and model"),
        (fail_with(402, "pay"), "said 402: pay; the account has no credit"),
        (fail_with(429, "You exceeded your current quota"), "quota; the account has no credit"),
        (Act(b'{"detail": "no\\n such"}', 404), "said 404: no such;"),
        (Act(b"", 301, {"Location": "https://else.example/v1"}), "301: look at https://else"),
    ],
)
def test_what_will_not_pass_ends_the_run_in_one_line(
    chat: Make, server: Scripted, monkeypatch: pytest.MonkeyPatch, act: Act, message: str
) -> None:
    monkeypatch.setenv("A_KEY", "secret-9")
    server.script = lambda *_: act
    with pytest.raises(ServerError, match=message) as caught:
        chat(key_env="A_KEY", concurrency=1).correct([TEXT])
    assert len(server.bodies) == 1
    assert "\n" not in str(caught.value)
    assert "secret-9" not in str(caught.value)


@pytest.mark.parametrize(
    ("act", "flag"),
    [
        (fail_with(400, "This model's maximum context length is 4096 tokens"), "too long"),
        (fail_with(413, "payload"), "too long"),
        (fail_with(400, "blocked by content_filter"), "refused"),
        (answer_with("", "content_filter"), "refused"),
    ],
)
def test_what_one_text_causes_is_flagged(chat: Make, server: Scripted, act: Act, flag: str) -> None:
    server.script = lambda _, text: act if TEXT in text else answer_with(correction_of(text))
    corrections = chat().correct([TEXT, "我高心"])
    assert [(c.text, c.flags) for c in corrections] == [(TEXT, (flag,)), ("我高兴", ())]
    assert len(server.bodies) == 2


def test_a_wait_that_passes_the_deadline_is_not_begun(chat: Make, server: Scripted) -> None:
    server.script = lambda *_: fail_with(429, "slow down", Retry_After="3600")
    corrector = chat(deadline=30)
    # Nor do others have to wait for it.
    assert [c.flags for c in corrector.correct([TEXT, "我高心"])] == [("failed",)] * 2
    assert "trying again in 3600 seconds would pass the deadline" in corrector.report()[-1]


def test_the_deadline_ends_a_call(chat: Make, server: Scripted) -> None:
    server.script = lambda _, text: answer_with(text, delay=0.5)
    corrector = chat(deadline=0.1)
    assert corrector.correct([TEXT])[0].flags == ("failed",)
    assert "no answer within 0.1 seconds in all" in corrector.report()[-1]


def test_a_server_that_is_not_there_is_one_line() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        corrector = load_corrector(
            f"chat:tiny@http://127.0.0.1:{port}/v1", {"cache": "none", "retries": 0}
        )
        with pytest.raises(GecbenchError, match=r"no connection: .*; is the server running, and"):
            corrector.correct(["He go home."])
        corrector.close()


def test_a_server_that_dies_ends_the_run_and_loses_nothing(chat: Make, server: Scripted) -> None:
    server.script = lambda n, text: (
        answer_with(correction_of(text)) if n <= 4 else fail_with(500, "dead")
    )
    texts = [f"第{n}天他很高心。" for n in range(20)]
    corrector = chat(concurrency=1, retries=0, failures_in_a_row=3)
    with pytest.raises(GecbenchError, match=r"3 questions in a row got no .* last: .*dead"):
        corrector.correct(texts)
    assert len(server.bodies) == 7
    server.script = lambda _, text: answer_with(correction_of(text))
    again = chat()
    assert [c.text for c in again.correct(texts)] == [correction_of(text) for text in texts]
    assert again.totals.cached == 4


def test_failures_between_answers_do_not_end_the_run(chat: Make, server: Scripted) -> None:
    server.script = lambda n, text: fail_with(500) if n % 2 else answer_with(correction_of(text))
    corrector = chat(concurrency=1, retries=0, failures_in_a_row=2)
    corrections = corrector.correct([f"第{n}天他很高心。" for n in range(8)])
    assert [c.flags for c in corrections] == [("failed",), ()] * 4


def test_an_endless_answer_is_not_read_to_its_end(
    chat: Make, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gecbench.backends.chat._LARGEST", 2**20)
    server.script = lambda *_: Act(b" " * 2 * 2**20)
    corrector = chat(retries=0)
    assert corrector.correct([TEXT])[0].flags == ("failed",)
    assert "the answer is longer than 1 MiB" in corrector.report()[-1]
