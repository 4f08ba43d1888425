"""From a text and its rewriting to the edits between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, TextEdit
from gecbench.core.language import Splitter
from gecbench.edits.alignment import changes
from gecbench.lang import language_of
from gecbench.text.tokens import DEFAULT, split, split_tokens


def correction_between(
    source: str,
    text: str,
    *,
    tokens: str,
    score: float | None = None,
    flags: tuple[str, ...] = (),
    alternatives: tuple[str, ...] = (),
) -> Correction:
    """Build the correction of a source to a text that a model wrote whole.

    Args:
        source: The text that was to be corrected.
        text: The text that the model wrote.
        tokens: The kind of tokens that edits consist of, a name of `text.tokens`.
        score: Of the whole.
        flags: As `Correction`.
        alternatives: As `Correction`.
    """
    edits = edits_between(source, text, tokens=tokens)
    return Correction(source, text, edits, score, flags, alternatives)


def edits_between(source: str, text: str, *, tokens: str) -> tuple[TextEdit, ...]:
    """Extract the edits of a least alignment of two texts, blanks included; applying is exact.

    >>> edits_between("我今天很高心。", "我今天很高兴。", tokens="zh")
    (TextEdit(start=5, end=6, replacement='兴', score=None, label=None),)
    """
    if source == text:
        return ()
    left, right = _pieces(source, tokens), _pieces(text, tokens)
    starts = [0, *accumulate(map(len, left))]
    return tuple(
        TextEdit(starts[edit.start], starts[edit.end], "".join(edit.replacement or ()))
        for edit in changes(left, right)
    )


def _pieces(text: str, kind: str) -> list[str]:
    """Split a text into tokens and the runs of white space between them."""
    return [piece for piece in split_tokens(text, kind) if piece]


def in_spaced_word(character: str) -> bool:
    """Say whether words of a character have blanks between them; "" is in no word.

    >>> [in_spaced_word(character) for character in "a9é我。"]
    [True, True, True, False, False]
    """
    return character.isalnum() and character < _EAST


_EAST = "\u2e80"
"""First of the characters of East Asia, which are written without blanks."""


# Correcting sentence by sentence what comes as one text: the papers' useful trick.


@dataclass(frozen=True, slots=True)
class Splitting(Corrector):
    """Gives a corrector the sentences of each text, and joins what comes back exactly.

    A text of several sentences has no score and no alternatives: these are of its sentences.
    The corrector does not see white space around a sentence, which stays as it was. MuCGEC's
    models were scored this way (its seq2seq scripts always split, see `split` of `text.tokens`).

    Args:
        corrector: What corrects the sentences; closed with this.
        longest: Characters; longer sentences are cut behind a pause. None never cuts.
        lang: Code of the language that sentences end as in; None takes the corrector's, where
            it is for one only.
    """

    corrector: Corrector
    longest: int | None = None
    lang: str | None = None
    info: CorrectorInfo = field(init=False)
    _splitter: Splitter = field(init=False)

    def __post_init__(self) -> None:
        info = self.corrector.info
        code, *others = (self.lang,) if self.lang else info.languages or ("xx",)
        language = language_of("xx" if others else code)
        splitter = language.splitter
        how = "sentences" if splitter == DEFAULT else f"sentences ({language.code})"
        if self.longest is not None:
            how += f" of at most {self.longest}"
        object.__setattr__(self, "_splitter", splitter)
        signature = {**info.signature, "split": how}
        object.__setattr__(self, "info", replace(info, signature=signature))

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text."""
        pieces = [split(text, self._splitter, longest=self.longest) for text in texts]
        sentences = [stripped for row in pieces for piece in row if (stripped := piece.strip())]
        answers = iter(self.corrector.correct(sentences))
        return [_join(text, row, answers) for text, row in zip(texts, pieces, strict=True)]

    def report(self) -> tuple[str, ...]:
        """Repeat what the corrector reports."""
        return self.corrector.report()

    def close(self) -> None:
        """Close the corrector."""
        self.corrector.close()


def _join(text: str, pieces: Sequence[str], answers: Iterator[Correction]) -> Correction:
    """Join the correction of a text from those of its sentences, the next of `answers`."""
    edits: list[TextEdit] = []
    flags: dict[str, None] = {}
    texts: list[str] = []
    corrections: list[Correction] = []
    position = 0
    for piece in pieces:
        if sentence := piece.strip():
            answer = next(answers)
            corrections.append(answer)
            at = position + piece.index(sentence)
            edits += (replace(e, start=e.start + at, end=e.end + at) for e in answer.edits)
            flags |= dict.fromkeys(answer.flags)
            texts.append(piece.replace(sentence, answer.text, 1))
        else:
            texts.append(piece)
        position += len(piece)
    correction = Correction(text, "".join(texts), tuple(edits), flags=tuple(flags))
    if len(corrections) != 1:
        return correction
    (only,) = corrections
    others = tuple(text.replace(only.source, other, 1) for other in only.alternatives)
    return replace(correction, score=only.score, alternatives=others)


# How far an exported model gives the same as its original.


@dataclass(frozen=True, slots=True)
class Agreement:
    """What two runtimes made of the same texts.

    Args:
        texts: How many both read.
        equal: For how many of them both gave the same.
        what: What was compared, in words: "corrected texts" or "labels".
        largest_difference: Between the scores that they gave with equal results; None where
            there is none to compare.
    """

    texts: int
    equal: int
    what: str
    largest_difference: float | None

    def __str__(self) -> str:
        """Write a line for people.

        >>> str(Agreement(4, 3, "corrected texts", 0.25))
        '3 of 4 corrected texts are the same (75.0%); scores differ by at most 0.25'
        """
        share = 100 * self.equal / self.texts if self.texts else 0.0
        line = f"{self.equal} of {self.texts} {self.what} are the same ({share:.1f}%)"
        if self.largest_difference is None:
            return line
        return f"{line}; scores differ by at most {self.largest_difference:.2g}"
