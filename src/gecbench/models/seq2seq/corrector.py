"""The corrector of encoder-decoders: what a runtime is asked, what becomes of its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import msgspec

from gecbench.core.corrector import Correction, CorrectorInfo
from gecbench.models.batches import batches
from gecbench.models.rewriting import rewritten
from gecbench.models.seq2seq.encoding import Reading, Source
from gecbench.models.seq2seq.options import Decoding
from gecbench.models.seq2seq.restoring import restored
from gecbench.models.seq2seq.searching import Answer, Search
from gecbench.models.training.config import RunConfig

Chosen = TypeVar("Chosen", bound=Decoding)

_STEP = 16
_GROWTH = 1.3
_MORE = 10


class _Work(NamedTuple):
    """A text that the model is to read.

    Args:
        place: Among the given texts.
        text: Without the white space around it.
        source: As the encoder reads it.
        most: New tokens that it may be answered with.
    """

    place: int
    text: str
    source: Source
    most: int


@dataclass(frozen=True, slots=True)
class Seq2Seq:
    """Corrects by writing anew.

    Args:
        info: What it is.
        encoding: Between texts and ids.
        search: The runtime.
        options: Of inference; `max_length` is not 0.
        tokens: What edits consist of, a name of `text.tokens`; "" decides by each text.
        positions: Most tokens that the decoder can be at; 0 where there is no bound.
    """

    info: CorrectorInfo
    encoding: Reading
    search: Search
    options: Decoding
    tokens: str
    positions: int

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Return a correction for each text."""
        found: dict[int, Correction] = {}
        work: dict[int, list[_Work]] = {}
        for place, text in enumerate(texts):
            source = self.encoding.source(text.strip())
            if not source.units:
                found[place] = Correction(text, text)
            elif len(source.ids) > self.options.max_length:
                found[place] = Correction(text, text, flags=("too long",))
            else:
                most = self._most(len(source.ids))
                work.setdefault(most, []).append(_Work(place, text.strip(), source, most))
        # The bound of new tokens is one for a batch, and must not depend on who else is in it.
        for most in sorted(work, reverse=True):
            for each, answers in self._answered(work[most], most):
                found[each.place] = self._made(texts[each.place], each, answers)
        return [found[place] for place in range(len(texts))]

    def close(self) -> None:
        """Let go of the model."""
        self.search.close()

    def _most(self, length: int) -> int:
        """Return how many new tokens a source of some tokens may be answered with."""
        bound = int(_GROWTH * -(-length // _STEP) * _STEP) + _MORE
        return min(bound, self.positions - 1) if self.positions else bound

    def _answered(self, work: Sequence[_Work], most: int) -> list[tuple[_Work, list[Answer]]]:
        """Return what the runtime says, in batches of about equal lengths."""
        lengths = [len(each.source.ids) for each in work]
        found = []
        for batch in batches(lengths, self.options.batch_size, self.options.batch_tokens):
            answers = self.search.answers([work[k].source.ids for k in batch], most)
            found += [(work[k], each) for k, each in zip(batch, answers, strict=True)]
        return found

    def _made(self, text: str, work: _Work, answers: Sequence[Answer]) -> Correction:
        """Return the correction that answers are, or why they are none."""
        best = answers[0]
        others = self._alternatives(text, work, answers[1:])
        flag, written, flags = self._written(work, best)
        if flag:
            return Correction(text, text, (), best.score, (flag,), _without(others, text))
        whole = _around(text, written)
        return rewritten(
            text,
            whole,
            tokens=self._tokens(text),
            score=best.score,
            flags=flags,
            alternatives=_without(others, whole),
        )

    def _written(self, work: _Work, answer: Answer) -> tuple[str, str, tuple[str, ...]]:
        """Return why an answer is no correction ("" where it is one), its text, its flags."""
        if not answer.ended:
            return "cut", "", ()
        made = restored(work.text, work.source.units, self.encoding.answer(answer.ids))
        if not made.text:
            return "empty", "", ()
        if self._too_different(work.text, made.text):
            return "too different", "", ()
        return "", made.text, ("restored",) if made.unknown else ()

    def _too_different(self, source: str, text: str) -> bool:
        """Say whether a text is much longer or much shorter than its source, blanks aside."""
        before, after = len("".join(source.split())), len("".join(text.split()))
        ratio = self.options.ratio
        return after > ratio * before + _MORE or before > ratio * after + _MORE

    def _alternatives(self, text: str, work: _Work, answers: Sequence[Answer]) -> list[str]:
        """Return what other beams say, without those that are no corrections."""
        found = []
        for answer in answers:
            flag, written, _ = self._written(work, answer)
            if not flag:
                found.append(_around(text, written))
        return found

    def _tokens(self, text: str) -> str:
        if self.tokens:
            return self.tokens
        return "zh" if any("\u3400" <= character <= "\u9fff" for character in text) else "en"


def about(languages: Sequence[str]) -> str:
    """Return what is said of a model that says nothing of itself."""
    of = f" ({', '.join(languages)})" if languages else ""
    return (
        f"Writes the corrected sentence anew with an encoder-decoder{of}; may also change what "
        "was right, and is only as good as what it was trained on."
    )


def chosen(options: Decoding) -> Mapping[str, str]:
    """Return the options that answers depend on, as a signature has them."""
    names = ("beams", "length_penalty", "alternatives", "max_length", "ratio", "precision")
    found = {name: str(getattr(options, name)) for name in names}
    for name in ("tokens", "prefix", "language_code"):
        if (value := getattr(options, name, "")) not in ("", "auto"):
            found[name] = value
    return found


def _around(text: str, written: str) -> str:
    """Return a text with the white space that is around the source."""
    inner = text.strip()
    start = text.index(inner)
    return f"{text[:start]}{written}{text[start + len(inner) :]}"


def _without(texts: Sequence[str], known: str) -> tuple[str, ...]:
    """Return texts once each, without the one that is known."""
    return tuple(dict.fromkeys(text for text in texts if text != known))


def while_learning(
    config: RunConfig,
    encoding: Reading,
    search: Callable[[Chosen], Search],
    options: Chosen,
    *,
    max_length: int,
    positions: int,
) -> Seq2Seq:
    """Return what corrects with a network that is learning.

    Args:
        config: Of the run.
        encoding: Between texts and ids.
        search: From options to the runtime.
        options: As the configuration has them.
        max_length: What the network learns with; it counts where the options name no length.
        positions: Most tokens that the decoder can be at; 0 where there is no bound.
    """
    options = msgspec.structs.replace(options, max_length=options.max_length or max_length)
    languages = (config.language,)
    info = CorrectorInfo(
        name=config.name,
        kind=config.kind,
        languages=languages,
        about=config.about or about(languages),
        signature={"corrector": config.kind, "model": "in training"},
    )
    tokens = config.language if options.tokens == "auto" else options.tokens
    return Seq2Seq(info, encoding, search(options), options, tokens, positions)
