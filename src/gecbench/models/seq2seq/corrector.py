"""The corrector of encoder-decoders: its options, what a runtime is asked, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal, NamedTuple, Protocol, TypeVar

import msgspec

from gecbench.core.corrector import Correction, Corrector, CorrectorInfo
from gecbench.core.language import Tokens
from gecbench.edits.alignment import changes
from gecbench.models.batches import make_batches
from gecbench.models.folder import Card
from gecbench.models.seq2seq.encoding import UNKNOWN, EncoderInput, Encoding, Unit
from gecbench.models.text import correction_between, in_spaced_word
from gecbench.models.training.config import Count, Positive
from gecbench.text.tokens import guess_kind


class Decoding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How answers are searched for, the same for all runtimes.

    Args:
        beams: Of the search; 1 is greedy. Papers: 5 (MuCGEC), 10 (SynGEC), 12 (RobustGEC).
        length_penalty: Power of the length by which the log-probabilities of the beams that have
            ended are divided before the best is chosen; from -10 to 10.
        alternatives: How many other beams are kept, below `beams`.
        max_length: Longest source in tokens, specials included; 0 takes what it was trained for.
        ratio: An answer with more than `ratio` times the characters of its source and ten more,
            or correspondingly few, is no correction.
        batch_size: Sentences a batch.
        batch_tokens: Bounds a batch by its positions, padding included, too; 0 does not.
        device: auto, cpu, cuda, or another of torch's.
        precision: auto takes that of the weights; int8 is for exported models.
        threads: Of the CPU; 0 leaves it to the runtime.
        tokens: What edits consist of, a name of `text.tokens`; auto takes what the model's card
            says, else zh for texts with Chinese characters and en for others.
    """

    beams: Positive = 5
    length_penalty: Annotated[float, msgspec.Meta(ge=-10, le=10)] = 1.0
    alternatives: Count = 0
    max_length: Count = 0
    ratio: Annotated[float, msgspec.Meta(ge=1)] = 2.0
    batch_size: Positive = 32
    batch_tokens: Count = 0
    device: str = "auto"
    precision: Literal["auto", "float32", "bfloat16", "float16", "int8"] = "auto"
    threads: Count = 0
    tokens: Tokens | Literal["auto"] = "auto"

    def __post_init__(self) -> None:
        """Refuse more alternatives than there are beams."""
        if self.alternatives >= self.beams:
            raise ValueError(
                f"alternatives {self.alternatives} needs more beams than {self.beams}; "
                "the best beam is the correction itself"
            )


class Seq2SeqOptions(Decoding, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The same for models of transformers and their exports.

    Args:
        prefix: Text before every source, as "gec: " (T5); for models that gecbench did not make.
        language_code: What a multilingual model calls the language, as zh_CN (mBART); the same.
    """

    prefix: str = ""
    language_code: str = ""


_SIGNED = (
    *("beams", "length_penalty", "alternatives", "max_length", "ratio", "precision"),
    *("tokens", "prefix", "language_code"),
)
"""Options that answers depend on."""


class Answer(NamedTuple):
    """An answer of a runtime.

    Args:
        ids: What the decoder wrote, or was forced to, without its start and the end.
        score: Sum of the log-probabilities of the ids and the end, what was forced being free,
            divided by their number to the power of the length penalty: at most 0, for penalty 1
            the mean of a token.
        complete: Whether it came to its end; else it is cut.
    """

    ids: tuple[int, ...]
    score: float
    complete: bool


class Search(Protocol):
    """A runtime with a model, ready to search for answers."""

    def answers(self, sources: Sequence[EncoderInput], limit: int) -> list[list[Answer]]:
        """Find for each source the best answers, best first.

        Args:
            sources: One batch.
            limit: New tokens, the end included; a search that comes so far is cut.
        """
        ...


def normalise_score(total: float, length: int, penalty: float) -> float:
    """Divide the log-probability of an answer by a power of its length.

    Args:
        total: Its log-probability.
        length: Its tokens, the end and what was forced included.
        penalty: Power of the length.
    """
    divisor: float = length**penalty
    return total / divisor


def rank(answers: Iterable[Answer], number: int) -> list[Answer]:
    """Select the best of the answers that a search has found, best score first.

    The search itself goes by probability and ends when nothing more probable can come. With the
    length penalty inside, as transformers and fairseq have it, it may end as soon as enough
    answers have ended: those of a model that is sure of itself are fragments by then, while the
    right one is still being written.
    """
    return sorted(answers, key=lambda answer: -answer.score)[:number]


_STEP = 16
_GROWTH = 1.3
_MORE = 10


class _Work(NamedTuple):
    """A text to read: its number among all, itself without blanks around it, its ids."""

    number: int
    text: str
    source: EncoderInput


@dataclass
class Seq2Seq(Corrector):
    """Corrects by writing the whole sentence.

    Args:
        info: What it is.
        encoding: Between texts and ids.
        search: The runtime; None when it is closed.
        options: Of inference; `max_length` is not 0.
        tokens: What edits consist of, a name of `text.tokens`; "" decides by each text.
        positions: Most tokens that the decoder can be at; 0 where there is no bound.
    """

    info: CorrectorInfo
    encoding: Encoding
    search: Search | None
    options: Decoding
    tokens: str
    positions: int

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text."""
        if (search := self.search) is None:
            raise RuntimeError("the corrector is closed")
        corrections: dict[int, Correction] = {}
        work: dict[int, list[_Work]] = {}
        for index, text in enumerate(texts):
            source = self.encoding.source(text.strip())
            length = len(source.ids)
            if not source.units:
                corrections[index] = Correction(text, text)
            elif length > self.options.max_length:
                corrections[index] = Correction(text, text, flags=("too long",))
            else:
                limit = int(_GROWTH * -(-length // _STEP) * _STEP) + _MORE
                limit = min(limit, self.positions - 1) if self.positions else limit
                work.setdefault(limit, []).append(_Work(index, text.strip(), source))
        # The limit of new tokens is one for a batch, and must not depend on who else is in it.
        size, tokens = self.options.batch_size, self.options.batch_tokens
        for limit in sorted(work, reverse=True):
            same = work[limit]
            for batch in make_batches([len(item.source.ids) for item in same], size, tokens):
                answers = search.answers([same[k].source for k in batch], limit)
                for k, best in zip(batch, answers, strict=True):
                    index = same[k].number
                    corrections[index] = self._correction(texts[index], same[k], best)
        return [corrections[index] for index in range(len(texts))]

    def close(self) -> None:
        """Let go of the model."""
        self.search = None

    def _correction(self, text: str, work: _Work, answers: Sequence[Answer]) -> Correction:
        """Turn answers into a correction; where the best is none, the source stays."""
        start = text.index(work.text)
        before, after = text[:start], text[start + len(work.text) :]
        versions = [self._restore(work, answer) for answer in answers]
        (refusal, best, flags), others = versions[0], versions[1:]
        corrected = text if refusal else f"{before}{best}{after}"
        whole = (f"{before}{other}{after}" for why, other, _ in others if not why)
        alternatives = tuple(dict.fromkeys(other for other in whole if other != corrected))
        score = answers[0].score
        if refusal:
            return Correction(text, text, (), score, (refusal,), alternatives)
        return correction_between(
            text,
            corrected,
            tokens=self.tokens or guess_kind(text),
            score=score,
            flags=flags,
            alternatives=alternatives,
        )

    def _restore(self, work: _Work, answer: Answer) -> tuple[str, str, tuple[str, ...]]:
        """Check an answer: why it is no correction ("" where it is one), its text, its flags."""
        if not answer.complete:
            return "cut", "", ()
        text, unknown = restore_source(
            work.text, work.source.units, self.encoding.answer(answer.ids)
        )
        if not text:
            return "empty", "", ()
        before, after = len("".join(work.text.split())), len("".join(text.split()))
        ratio = self.options.ratio
        if after > ratio * before + _MORE or before > ratio * after + _MORE:
            return "too different", "", ()
        return "", text, ("restored",) if unknown else ()


OptionsT = TypeVar("OptionsT", bound=Decoding)


def build_corrector(
    search: Callable[[OptionsT], Search],
    options: OptionsT,
    encoding: Encoding,
    card: Card,
    *,
    name: str,
    signature: Mapping[str, str],
    max_length: int,
    positions: int,
) -> Seq2Seq:
    """Build the corrector of an encoder-decoder.

    Args:
        search: From options to the runtime.
        options: Of inference.
        encoding: Between texts and ids.
        card: Kind, languages, and tokens of edits where the options leave them open.
        name: Of the model.
        signature: What answers depend on beside the options.
        max_length: What the network learnt with; it counts where the options name no length.
        positions: As `Seq2Seq`.
    """
    options = msgspec.structs.replace(options, max_length=options.max_length or max_length)
    values = msgspec.structs.asdict(options)
    relevant = {option: str(values[option]) for option in _SIGNED if option in values}
    for option in ("tokens", "prefix", "language_code"):
        if relevant.get(option) in ("", "auto"):
            del relevant[option]
    which = f" ({', '.join(card.languages)})" if card.languages else ""
    usual = (
        f"Writes the whole corrected sentence with an encoder-decoder{which}; may also change what "
        "was right, and is only as good as what it was trained on."
    )
    info = CorrectorInfo(
        name=name,
        kind=card.kind,
        languages=card.languages,
        about=card.about or usual,
        signature={"corrector": card.kind, **relevant, **signature},
    )
    tokens = card.tokens if options.tokens == "auto" else options.tokens
    return Seq2Seq(info, encoding, search(options), options, tokens, positions)


# From a model's answer to a text in which all that it left alone is the source's own.


class _Part(NamedTuple):
    """One character of the text that is written.

    Args:
        text: What is written.
        before: How the model joins it to the one before.
        first: The source's unit that it is; -1 where the model wrote it.
        last: The same; another one where it stands for several.
        inserted: Whether the model wrote it in the place of nothing.
    """

    text: str
    before: str
    first: int = -1
    last: int = -1
    inserted: bool = False


class Restoration(NamedTuple):
    """A text for users.

    Args:
        text: With the source's own characters wherever the model changed nothing.
        unknown: Whether characters unknown to the model had to be put back.
    """

    text: str
    unknown: bool


def restore_source(source: str, read: Sequence[Unit], answer: Sequence[Unit]) -> Restoration:
    """Give an answer the case, blanks and unknown characters of its source.

    The two are aligned as the model sees them, so that a lowercased letter, a full-width digit
    or an unknown character that it copied is no change; of those the source's text is taken,
    with all that stands between them. White space counts as there or not: which, the source says.

    Args:
        source: The text that was read.
        read: What the model saw of it; at least one unit.
        answer: What it wrote.
    """
    parts, unknown = _parts(source, read, answer)
    if not parts:
        return Restoration("", unknown)
    gaps = [
        source[left.end : right.start] if right.start > left.end else ""
        for left, right in pairwise(read)
    ]
    gaps = [source[: read[0].start], *gaps, source[read[-1].end :]]
    pieces = [gaps[0], parts[0].text]
    for left, right in pairwise(parts):
        pieces += (_between(left, right, read, gaps), right.text)
    return Restoration("".join((*pieces, gaps[-1])), unknown)


def _parts(source: str, read: Sequence[Unit], answer: Sequence[Unit]) -> tuple[list[_Part], bool]:
    """Put together what the text consists of; say whether anything unknown was put back."""
    origins = _drop_broken_blocks(read, _origins(read, answer))
    parts: list[_Part] = []
    unknown = False
    done = index = 0
    while index < len(answer):
        origin = origins[index]
        if origin is not None:
            unit = read[origin]
            unknown |= unit.text == UNKNOWN
            text = source[unit.start : unit.end]
            parts.append(_Part(text, answer[index].before, origin, origin))
            done, index = origin + 1, index + 1
            continue
        end = next((k for k in range(index, len(answer)) if origins[k] is not None), len(answer))
        following = origins[end] if end < len(answer) else None
        until = len(read) if following is None else following
        inserted = done == until
        if any(unit.text == UNKNOWN for unit in answer[index:end]):
            unknown = True
            if not inserted:  # the source's text, instead of something unknown
                text = source[read[done].start : read[until - 1].end]
                parts.append(_Part(text, read[done].before, done, until - 1))
                done, index = until, end
                continue
        # An unknown character that stands for nothing in the source cannot be known.
        parts += (
            _Part(unit.text, unit.before, inserted=inserted)
            for unit in answer[index:end]
            if unit.text != UNKNOWN
        )
        done, index = until, end
    return parts, unknown


def _origins(read: Sequence[Unit], answer: Sequence[Unit]) -> list[int | None]:
    """Find for each unit of the answer which of the source it is; None where it is new.

    Words are aligned first: letter by letter "go" may find its "e" in the word before.
    """
    words, new_words = _words(read), _words(answer)
    origins: list[int | None] = []
    position = 0
    for start, end, first, last in _differing_spans(
        ["".join(unit.text for unit in read[a:b]) for a, b in pairwise(words)],
        ["".join(unit.text for unit in answer[a:b]) for a, b in pairwise(new_words)],
    ):
        origins += range(position, words[start])
        position = words[start]
        letters = [unit.text for unit in read[position : words[end]]]
        new_letters = [unit.text for unit in answer[new_words[first] : new_words[last]]]
        offset = position
        for low, high, new_low, new_high in _differing_spans(letters, new_letters):
            origins += range(position, offset + low)
            origins += [None] * (new_high - new_low)
            position = offset + high
        origins += range(position, words[end])
        position = words[end]
    return [*origins, *range(position, len(read))]


def _differing_spans(left: list[str], right: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the spans on both sides that differ, in a least alignment."""
    shift = 0
    for edit in changes(left, right):
        size = len(edit.replacement or ())
        yield edit.start, edit.end, edit.start + shift, edit.start + shift + size
        shift += size - (edit.end - edit.start)


def _words(units: Sequence[Unit]) -> list[int]:
    """Find where the words of units start, which are joined directly, and their end."""
    return [*(k for k, unit in enumerate(units) if not k or unit.before), len(units)]


def _drop_broken_blocks(
    read: Sequence[Unit], origins: Sequence[int | None]
) -> Sequence[int | None]:
    """Drop the origins in blocks that are not wholly there: their parts are no text."""
    members: dict[int, list[int]] = {}
    for k, unit in enumerate(read):
        if unit.block >= 0:
            members.setdefault(unit.block, []).append(k)
    indices = {origin: k for k, origin in enumerate(origins) if origin is not None}
    broken = set[int]()
    for block in members.values():
        unbroken = all(k in indices for k in block)
        if not unbroken or indices[block[-1]] - indices[block[0]] != len(block) - 1:
            broken.update(block)
    return [None if origin in broken else origin for origin in origins]


def _between(left: _Part, right: _Part, read: Sequence[Unit], gaps: Sequence[str]) -> str:
    """Find what stands between two characters of the text."""
    neighbours = left.first >= 0 and left.last + 1 == right.first
    gap = _gap(left, right, gaps)
    if neighbours and read[right.first].before == right.before:
        return gap
    if right.before == "":
        return "".join(character for character in gap if not character.isspace())
    if gap or (
        right.before == "?"
        and not (in_spaced_word(left.text[-1:]) and in_spaced_word(right.text[:1]))
    ):
        return gap
    return " "


def _gap(left: _Part, right: _Part, gaps: Sequence[str]) -> str:
    """Find what the source has between two characters; `gaps[k]` is before its unit k."""
    if left.first < 0 and right.first < 0:
        return ""
    if left.first >= 0 and right.first >= 0:
        # Where something was deleted, of the blanks on its sides one stays, none beside
        # punctuation.
        return min(gaps[left.last + 1], gaps[right.first], key=len)
    if right.first >= 0:
        return "" if left.inserted and left.text in _OPENING else gaps[right.first]
    # An inserted word has the blank on both sides; punctuation has it behind, or in front.
    behind = not in_spaced_word(right.text[:1]) and right.text not in _OPENING
    return "" if right.inserted and right.before == "?" and behind else gaps[left.last + 1]


_OPENING = frozenset("([{“‘$£€")
"""Punctuation that stands directly before a word."""
