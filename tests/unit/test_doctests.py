"""Examples in docstrings give what they show."""

from __future__ import annotations

import doctest
import os
import re
from importlib import import_module
from pathlib import Path

import django
import pytest

import gecbench

SOURCE = Path(gecbench.__file__).parents[1]
EXAMPLE = re.compile(r"^ *>>> ", re.M)


def modules() -> list[str]:
    """The modules that have examples."""
    paths = sorted(SOURCE.rglob("*.py"))
    some = [path for path in paths if EXAMPLE.search(path.read_text("utf-8"))]
    return [".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in some]


@pytest.fixture(scope="module")
def models_of_the_server() -> None:
    """What modules of the server need before they can be imported."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gecbench.server.settings")
    django.setup()


def test_docstrings_have_examples():
    assert len(modules()) > 50


@pytest.mark.usefixtures("models_of_the_server")
@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_work(name: str):
    module = import_module(name.removesuffix(".__init__"))
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)  # it prints what differs
    assert result.attempted > 0
    assert result.failed == 0
