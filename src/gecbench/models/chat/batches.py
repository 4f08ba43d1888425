"""Several sentences in one question, numbered, and their answers told apart again."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBERED = re.compile(r"^\s*([0-9]+)\s*[.．、:：)）]\s*(.*)$")


def numbered(texts: Sequence[str]) -> str:
    r"""Return texts as numbered lines; none may hold a line end.

    >>> numbered(["他来了", "我走了"])
    '1. 他来了\n2. 我走了'
    """
    return "\n".join(f"{n}. {text}" for n, text in enumerate(texts, 1))


def told_apart(answer: str, count: int) -> list[str] | None:
    r"""Return the lines of an answer without their numbers; None where it is not what was asked.

    Exactly the numbers 1 to `count` in their order, one a line, and nothing else: a model that
    has lost or split a sentence would give every later one a wrong answer.

    >>> told_apart("1. He came.\n2. I left.", 2)
    ['He came.', 'I left.']
    >>> told_apart("Here you are:\n1. He came.\n2. I left.", 2) is None
    True
    """
    lines = [line for line in answer.split("\n") if line.strip()]
    found = [_NUMBERED.match(line) for line in lines]
    texts = [m.group(2).strip() for n, m in enumerate(found, 1) if m and int(m.group(1)) == n]
    return texts if len(texts) == len(lines) == count else None
