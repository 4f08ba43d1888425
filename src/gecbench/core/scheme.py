"""A scheme: one named way to find the edits between a source and a rewriting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from gecbench.core.edit import Sentence, TokenAttributes
from gecbench.core.sample import EditSet

Item = TypeVar("Item")


class Watch(Protocol):
    """Wraps a long loop, which the text names, to show progress."""

    def __call__(self, what: str, items: Sequence[Item], /) -> Iterator[Item]:
        """Yield the items."""
        ...


def no_progress(_: str, items: Sequence[Item], /) -> Iterator[Item]:
    """Show no progress."""
    return iter(items)


@dataclass(frozen=True, slots=True)
class Extraction:
    """The edits between a source and a target.

    Args:
        edit_sets: At least one; the first is what strategy "first" keeps. An empty set means
            that source and target are the same.
        capped: True where more different sets exist than a scheme lists; then only the first
            is here.
    """

    edit_sets: tuple[EditSet, ...]
    capped: bool = False


TextSentence = tuple[str, tuple[str | None, ...], tuple[str | None, ...]]
"""A source, its hypotheses and its references: texts, None for what is unannotatable."""

LabelCounts = tuple[tuple[str, int, int, int], ...]
"""True positives, false positives and false negatives by label, of a hypothesis and a reference."""


class CountMatches(Protocol):
    """See `Scheme.count_matches`."""

    def __call__(
        self, sentences: list[TextSentence], /
    ) -> tuple[Sequence[Sequence[LabelCounts]], Sequence[str]]:
        """Of each sentence the counts of each pair, hypothesis by hypothesis; and all labels."""
        ...


class CountSharedEdits(Protocol):
    """See `Scheme.count_shared_edits`."""

    def __call__(self, sentences: list[tuple[str, tuple[str, ...]]], /) -> bytes:
        """Of each source and its texts a square of 32-bit numbers, row by row."""
        ...


class KeepSpans(Protocol):
    """See `Scheme.keep_spans`."""

    def __call__(
        self,
        annotations: Sequence[tuple[EditSet, tuple[str, ...]]],
        *,
        minimise: bool,
        relabel: bool,
    ) -> Sequence[EditSet]:
        """The edits of each set."""
        ...


@dataclass(frozen=True, slots=True)
class Scheme:
    """A language's way from two texts to edits: a value, not a base class.

    Args:
        name: As "zh-cherrant".
        lang: Language code.
        parse_source: Tokens of a source text.
        parse_target: Tokens of a reference or hypothesis, after the scheme's normalising.
        extract: Edits from source to target.
        join: Text of a token sequence.
        signature: Options and resource versions, for the signature of every score.
        defaults: What the signature says of those options that change the edits, each at its
            default; "" where it says nothing then. The choice of a pipeline is none of them.
        batch: Edits of many pairs of source and target text, in their order, for schemes to
            which that is much cheaper than one pair after another; None for all others.
        count_matches: What `scoring.spans.pair` counts at level "correction" in edits of `extract`,
            for schemes that can do it without making the edits; None for all others.
        count_shared_edits: How many edits each two texts of a source share at level "correction",
            and so how many each has, for schemes that can do it likewise; None for all others.
        has_type: Whether a type is one of those that the scheme gives to edits. It tells the
            scheme's edits in a file from those of people and of other programs.
        keep_spans: Annotators' edits with their source tokens -> edits of the same spans with
            the scheme's types. `minimise` drops tokens that both sides share at the ends;
            without `relabel` the types stay. None where the scheme cannot do that.
        notes: What the reader of a score by this scheme should know, a sentence each.
        warn: What the reader should know of it first where its sources are these texts, if
            anything.
        data_sets: Those of the catalogue that its context gave it resources of.
        pipeline: Name of the spaCy pipeline that reads its texts, if one does.
        pipeline_lang: Code of the language that this pipeline is for; "xx" for any.
    """

    name: str
    lang: str
    parse_source: Callable[[str], Sentence]
    parse_target: Callable[[str], Sentence]
    extract: Callable[[Sentence, Sentence], Extraction]
    join: Callable[[tuple[str, ...]], str]
    signature: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    batch: Callable[[Sequence[tuple[str, str]]], Sequence[Extraction]] | None = None
    count_matches: CountMatches | None = None
    count_shared_edits: CountSharedEdits | None = None
    has_type: Callable[[str], bool] = lambda _: False
    keep_spans: KeepSpans | None = None
    notes: tuple[str, ...] = ()
    warn: Callable[[Sequence[str]], str | None] = lambda _: None
    data_sets: tuple[str, ...] = ()
    pipeline: str = ""
    pipeline_lang: str = "xx"

    @property
    def joiner(self) -> str:
        """What stands between the tokens of a text: "" or a blank."""
        return self.join(("", ""))


# How schemes are made: a factory takes a context, and its keyword-only arguments are the options.


class Reader(Protocol):
    """What reads sentences: a pipeline, or one whose results are kept on disk."""

    @property
    def version(self) -> str:
        """Name and version, for signatures."""
        ...

    @property
    def name(self) -> str:
        """Name alone."""
        ...

    @property
    def lang(self) -> str:
        """Code of the language that it is for; "xx" for any."""
        ...

    def words(
        self, sentences: Sequence[tuple[str, ...]], *, parsed: bool, again: bool = False
    ) -> Iterable[TokenAttributes]:
        """What it says of each sentence, which it may be asked for again with a parse."""
        ...

    def forget(self) -> None:
        """Let go of what it keeps between tagging and parsing."""
        ...


class SchemeContext(Protocol):
    """What a scheme is made with beside its options; nothing is loaded before it is asked for."""

    @property
    def types(self) -> bool:
        """Whether edits need their types; spans and corrections may be found faster without."""
        ...

    def resource(self, data_set: str, file: str) -> bytes:
        """Verified content of a file of the catalogue.

        Raises:
            ResourceError: It is not here; names the command that gets it.
        """
        ...

    def cache_folder(self) -> Path:
        """Folder for what can be computed again, as compiled resources."""
        ...

    def reader(self, pipeline: str | Path, parse_cache: Path | None) -> Reader:
        """A spaCy pipeline by name or folder, whose parses are kept in a folder if one is named."""
        ...

    def say(self, message: str, /) -> None:
        """Show a message, as on work that takes time."""
        ...

    def watch(self, what: str, items: Sequence[Item], /) -> Iterator[Item]:
        """Wrap a long loop, as `Watch`."""
        ...
