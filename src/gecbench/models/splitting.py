"""Correcting sentence by sentence what was given as one text: the papers' useful trick."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, Reporting, TextEdit
from gecbench.text.splitting import split


@dataclass(frozen=True, slots=True)
class Splitting:
    """Gives a corrector the sentences of each text, and joins what comes back exactly.

    A text of several sentences has no score and no alternatives: these are of its sentences.
    White space around a sentence is kept aside and put back as it was. MuCGEC's models were
    scored this way (its seq2seq scripts always split, see `text.splitting`).

    Args:
        corrector: What corrects the sentences; closed with this.
        longest: Characters; longer sentences are cut behind a pause. None never cuts.
    """

    corrector: Corrector
    longest: int | None = None

    @property
    def info(self) -> CorrectorInfo:
        """Those of the corrector; the signature says that texts were split."""
        info = self.corrector.info
        how = "sentences" if self.longest is None else f"sentences of at most {self.longest}"
        return replace(info, signature={**info.signature, "split": how})

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Return a correction for each text."""
        parts = [split(text, longest=self.longest) for text in texts]
        given = [piece.strip() for pieces in parts for piece in pieces if piece.strip()]
        answers = iter(self.corrector.correct(given))
        return [_joined(text, pieces, answers) for text, pieces in zip(texts, parts, strict=True)]

    def report(self) -> tuple[str, ...]:
        """Return what the corrector has to say, if it has."""
        return self.corrector.report() if isinstance(self.corrector, Reporting) else ()

    def close(self) -> None:
        """Close the corrector."""
        self.corrector.close()


def _joined(text: str, pieces: Sequence[str], answers: Iterator[Correction]) -> Correction:
    """Return the correction of a text of those of its sentences, the next ones of `answers`."""
    edits: list[TextEdit] = []
    flags: dict[str, None] = {}
    texts: list[str] = []
    taken: list[Correction] = []
    done = 0
    for piece in pieces:
        bare = piece.strip()
        at = done + len(piece) - len(piece.lstrip())
        done += len(piece)
        if not bare:
            texts.append(piece)
            continue
        answer = next(answers)
        taken.append(answer)
        edits += (replace(e, start=e.start + at, end=e.end + at) for e in answer.edits)
        flags |= dict.fromkeys(answer.flags)
        texts.append(piece.replace(bare, answer.text, 1))
    whole = Correction(text, "".join(texts), tuple(edits), flags=tuple(flags))
    if len(taken) != 1:
        return whole
    (only,) = taken
    others = tuple(text.replace(only.source, other, 1) for other in only.alternatives)
    return replace(whole, score=only.score, alternatives=others)
