"""What formats share: the text of a rewrite."""

from __future__ import annotations

from messages import expect_error

from gecbench.core.errors import CorpusError
from gecbench.core.sample import Rewrite, Sample
from gecbench.formats.texts import text_of


def test_what_is_unannotatable_has_no_text() -> None:
    with expect_error(CorpusError, "sample 'k7'", "unannotatable"):
        text_of(Sample("k7", "a b"), Rewrite(unannotatable=True), "en")
