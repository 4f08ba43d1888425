"""What a script may send to sign in: whatever it is, the answer is a word, never a failure."""

from __future__ import annotations

import pytest
from django.test import Client


@pytest.mark.parametrize(
    "body",
    ["[" * 100_000, '{"login": ' + "9" * 5000 + "}", r'{"login": "\ud800"}', '{"login": [[]]}'],
    ids=["deep", "digits", "half a character", "lists"],
)
def test_a_body_that_means_nothing_signs_nobody_in(site, body):
    answer = Client().post(
        "/login", body, "application/json", headers={"Accept": "application/json"}
    )
    assert (answer.status_code, answer.json()["error"]) == (422, "wrong")
