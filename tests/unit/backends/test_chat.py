"""What chat servers answer."""

from __future__ import annotations

import pytest

from gecbench.backends.chat import _retry_after


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(None, None), ("3", 3), ("0.5", 0.5), ("-1", 0), ("soon", None), ("", None),
     ("Wed, 21 Oct 2015 07:28:00 GMT", 0)],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert _retry_after(value) == seconds
