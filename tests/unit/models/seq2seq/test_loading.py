"""Folders of encoder-decoders that cannot be loaded."""

from __future__ import annotations

import json
from pathlib import Path

from messages import expect_error

from gecbench.core.errors import GecbenchError
from gecbench.models import CARD, load_corrector


def test_a_card_with_a_runtime_of_another_kind_is_refused(tmp_path: Path):
    (tmp_path / CARD).write_text(json.dumps({"schema": 1, "kind": "seq2seq", "runtime": "onnx"}))
    with expect_error(GecbenchError, CARD, "'onnx'", "seq2seq"):
        load_corrector(f"seq2seq:{tmp_path}")
