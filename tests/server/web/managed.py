"""A project of three sentences and its manager, for the pages on which managers work."""

from __future__ import annotations

import pytest
from server.web.asking import Asking
from server.workflow.stories import a_project, somebody

from gecbench.server.models import Project

HERE = "/p/story/manage"


@pytest.fixture
def project(site) -> Project:
    return a_project(3, annotators=2)


@pytest.fixture
def boss(project) -> Asking:
    return Asking(somebody("boss"))
