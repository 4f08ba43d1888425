"""Models that no runtime of exported models can hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.backends.runtimes import convert_to_ctranslate2
from gecbench.core.errors import GecbenchError


def test_an_architecture_that_ctranslate2_does_not_know_is_refused(tmp_path: Path):
    pytest.importorskip("ctranslate2")
    config = {"model_type": "canine", "architectures": ["CanineModel"]}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with expect_error(GecbenchError, "CTranslate2", "CanineConfig"):
        convert_to_ctranslate2(tmp_path, tmp_path / "out", precision="int8")
    assert not (tmp_path / "out").exists()
