"""Beam search by CTranslate2, without torch and transformers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gecbench.backends.ct2 import translated, translator
from gecbench.core.errors import GecbenchError
from gecbench.models.seq2seq.encoding import Encoding
from gecbench.models.seq2seq.options import Options
from gecbench.models.seq2seq.searching import Answer, normalised, ranked


class Ct2Search:
    """Searches with an exported model."""

    def __init__(self, folder: Path, encoding: Encoding, options: Options) -> None:
        """Load the model of a folder."""
        self._tokenizer = encoding.tokenizer
        self._specials = encoding.specials
        self._options = options
        precision = "default" if options.precision == "auto" else options.precision
        self._model = translator(
            folder, device=options.device, precision=precision, threads=options.threads
        )

    def answers(self, sources: Sequence[Sequence[int]], most: int) -> list[list[Answer]]:
        """Return for each source the best answers, best first."""
        if self._model is None:
            raise RuntimeError("the corrector is closed")
        results = translated(
            self._model,
            [self._tokens(source) for source in sources],
            forced=self._tokens(self._specials.forced),
            most=most,
            beams=self._options.beams,
        )
        wanted = self._options.alternatives + 1
        return [
            ranked(map(self._answer, found.hypotheses, found.scores), wanted) for found in results
        ]

    def close(self) -> None:
        """Let go of the model."""
        self._model = None

    def _tokens(self, ids: Sequence[int]) -> list[str]:
        return [self._token(each) for each in ids]

    def _token(self, number: int) -> str:
        token = self._tokenizer.id_to_token(number)
        if token is None:
            raise GecbenchError(f"token {number} is not in the vocabulary; export the model again")
        return token

    def _answer(self, tokens: Sequence[str], total: float) -> Answer:
        score = normalised(total, len(tokens), self._options.length_penalty)
        said = [self._tokenizer.token_to_id(token) for token in tokens]
        ended = bool(said) and said[-1] == self._specials.end
        ids = [each for each in said[: -1 if ended else None] if each is not None]
        return Answer(tuple(ids), score, ended)
