"""The API under its address, with the site's own middleware."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test.utils import override_settings


@pytest.fixture(autouse=True)
def addresses() -> Iterator[None]:
    with override_settings(ROOT_URLCONF="server.rest.addresses"):
        yield
