"""What the API does not know is refused in its own shape, in English, whoever asks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.test.utils import override_settings
from server.rest.calls import ROOT, Caller, answer_of
from server.workflow.stories import somebody

CHINESE = {"accept-language": "zh-CN"}


@pytest.fixture(autouse=True)
def all_addresses(addresses) -> Iterator[None]:
    with override_settings(ROOT_URLCONF="gecbench.server.urls"):
        yield


@pytest.fixture
def caller(site) -> Caller:
    return Caller(somebody("li"))


@pytest.mark.parametrize("path", ["nothing", "projects/x/nothing", "tokens/x"])
def test_an_address_that_the_api_does_not_have_is_a_failure_like_any_other(caller, path):
    headers = {**caller.headers, **CHINESE}
    status, body = answer_of(caller.client.get(ROOT + path, headers=headers))
    assert status == 404
    assert body["error"] == "there is no such address in this API; see /api/v1/openapi.json"
    assert len(body["request_id"]) == 12


def test_another_kind_of_request_is_a_failure_like_any_other(caller):
    answer = caller.client.put(ROOT + "me", headers={**caller.headers, **CHINESE})
    status, body = answer_of(answer)
    assert status == 405
    assert body["error"] == "this address does not take PUT"
    assert len(body["request_id"]) == 12
    assert "GET" in answer["Allow"]


def test_pages_of_the_site_stay_pages(site):
    answer = Client().get("/nothing", headers=CHINESE)
    assert answer.status_code == 404
    assert "<html" in answer.content.decode()
