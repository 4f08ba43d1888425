"""What tests ask of an error's message: its facts, not its words."""

from __future__ import annotations


def assert_says(error: BaseException, *facts: str) -> None:
    """Hold a message to be one line that begins with the first fact and has the others.

    Args:
        error: What was raised.
        facts: Where it went wrong (path:line, sample); then the value seen, and what is wrong
            with it.
    """
    message = str(error)
    assert len(message.splitlines()) == 1
    assert message.startswith(facts[0])
    assert [fact for fact in facts if fact not in message] == [], message
