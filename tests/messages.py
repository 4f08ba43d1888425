"""What tests ask of an error's message: its facts, not its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


def missing_facts(message: str, facts: tuple[str, ...]) -> list[str]:
    """List the facts that a message does not have as whole words; `3` is not in `30` or `3.5`."""
    return [
        fact
        for fact in facts
        if not re.search(rf"(?<!\w)(?<!\w-){re.escape(fact)}(?![\w-]|\.\d)", message)
    ]


def assert_says(error: BaseException, *facts: str) -> None:
    """Hold a message to be one line that begins with the first fact and has the others as words.

    Args:
        error: What was raised.
        facts: Where it went wrong (path:line, sample); then the value seen, and what is wrong
            with it.
    """
    message = str(error)
    assert len(message.splitlines()) == 1
    assert message.startswith(facts[0])
    assert missing_facts(message, facts) == [], message


def assert_is_line(output: str, *facts: str) -> None:
    """Hold what a command prints on standard error to be one line of gecbench with these facts."""
    assert output.startswith("gecbench: ")
    assert output.count("\n") == 1
    assert output.endswith("\n")
    assert missing_facts(output, facts) == [], output


@contextmanager
def expect_error(
    kind: type[BaseException], *facts: str
) -> Iterator[pytest.ExceptionInfo[BaseException]]:
    """Expect an error of a class, whose message is one line and has each fact as whole words.

    Args:
        kind: The class of the error.
        facts: The values that the message must name: file and line, sample, option, number.
    """
    with pytest.raises(kind) as caught:
        yield caught
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert missing_facts(message, facts) == [], message
