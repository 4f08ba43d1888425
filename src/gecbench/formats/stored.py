"""Corpora that are too large for memory: their sentences lie in a temporary file.

They are read block by block, from the first sentence to the last; any other order is slow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import IO, Any, TypeVar, overload
from weakref import finalize

from gecbench.core.errors import GecbenchError, count_noun
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput

Item = TypeVar("Item")

MANY = 20_000
"""Sentences that are few enough for memory."""

BLOCK = 1000
"""Sentences of a block, and of a part of a corpus (`scoring.parts`); no number depends on it."""

_SINGLES = 1000
"""Items asked for one by one that stay in memory, as the texts that show a language."""


def store(items: Iterable[Item], kind: Any, *, many: int | None = None) -> Sequence[Item]:
    """A tuple of items; if they are many, a sequence that keeps them in a temporary file.

    Args:
        items: Consumed one by one.
        kind: Their type, as msgspec wants it.
        many: How many fit into memory; None means `MANY`.
    """
    waiting = iter(items)
    first = tuple(islice(waiting, (MANY if many is None else many) + 1))
    if len(first) <= (MANY if many is None else many):
        return first
    return StoredItems(_blocks(chain(first, waiting), kind))


def _blocks(items: Iterator[Item], kind: Any) -> Iterator[Block[Item]]:
    while block := list(islice(items, BLOCK)):
        yield Block.of(block, kind)


def store_samples(samples: Iterable[Sample]) -> Sequence[Sample]:
    """The samples of a corpus, which have different ids, as `store` keeps items."""
    waiting = iter(samples)
    first = tuple(islice(waiting, MANY + 1))
    if len(first) <= MANY:
        return first
    ids: list[str] = []
    plain = True

    def look() -> Iterator[Sample]:
        nonlocal plain
        for sample in chain(first, waiting):
            ids.append(sample.id)
            has_edits = any(rewrite.edit_sets for rewrite in sample.references)
            plain = plain and bool(sample.references) and not has_edits
            yield sample

    stored = StoredItems(_blocks(look(), Sample), ids)
    stored.plain = plain
    return stored


def stored_alike(samples: Sequence[Sample], parts: Iterable[Sequence[Sample]]) -> Sequence[Sample]:
    """Samples that take the place of others, in a temporary file where those are in one.

    Args:
        samples: Those of a corpus.
        parts: What takes the place of each `BLOCK` of them; with the same ids.
    """
    if not isinstance(samples, StoredItems):
        return tuple(chain.from_iterable(parts))
    blocks = (p if isinstance(p, Block) else Block.of(p, Sample) for p in parts)
    return StoredItems(blocks, samples.ids)


class Block(Sequence[Item]):
    """Items that are decoded when they are asked for; pickled as they are, encoded.

    Args:
        content: The items, encoded.
        kind: Their type, as msgspec wants it.
        size: How many there are.
    """

    def __init__(self, content: bytes, kind: Any, size: int) -> None:
        self.content, self.kind, self._size = content, kind, size
        self._items: list[Item] | None = None

    def __reduce__(self) -> tuple[type[Block[Item]], tuple[bytes, Any, int]]:
        """Pickle the encoded items."""
        return Block, (self.content, self.kind, self._size)

    def __repr__(self) -> str:
        """Show how many items there are."""
        return f"<Block of {count_noun(self._size, 'item')}>"

    def __len__(self) -> int:
        """The number of items."""
        return self._size

    @staticmethod
    def of(items: Sequence[Item], kind: Any) -> Block[Item]:
        """Encode items of a type that msgspec knows."""
        import msgspec  # only large corpora need it

        return Block(msgspec.msgpack.encode(items), kind, len(items))

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        """An item, or several."""
        if self._items is None:
            self._items = list(self)
        return self._items[place]

    def __iter__(self) -> Iterator[Item]:
        """Yield the items."""
        import msgspec

        kind: Any = list[self.kind]  # type: ignore[name-defined]
        return iter(self._items or msgspec.msgpack.decode(self.content, type=kind))


@contextmanager
def _explain_temporary() -> Iterator[None]:
    """Name the folder of temporary files where one cannot be written, and what to do."""
    try:
        yield
    except OSError as error:
        import tempfile

        raise GecbenchError(
            f"{tempfile.tempdir or 'TMPDIR'}: temporary files cannot be written: {error.strerror}; "
            "set TMPDIR to a folder with more room"
        ) from error


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # a full disk was told of when it was found
        file.close()


class StoredItems(Sequence[Item]):
    """Items in a temporary file.

    Args:
        blocks: Each has `BLOCK` items, the last may have fewer; consumed one by one.
        ids: Of samples.
    """

    plain = False
    """Of samples: each is known to have references, and all of them to be without edits."""

    def __init__(self, blocks: Iterable[Block[Item]], ids: Sequence[str] = ()) -> None:
        from tempfile import TemporaryFile  # only large corpora need it

        self.ids = ids
        with _explain_temporary():
            self._file = TemporaryFile()  # noqa: SIM115 - closed when nobody has the items any more
        finalize(self, _close, self._file)
        self._kind: Any = None
        self._ends = [0]
        self._length = 0
        self._singles: dict[int, Item] = {}
        self._last: tuple[int, Sequence[Item]] = -1, ()
        for block in blocks:
            self._kind = block.kind
            self._length += len(block)
            with _explain_temporary():
                self._ends.append(self._ends[-1] + self._file.write(block.content))
        with _explain_temporary():
            self._file.flush()

    def __reduce__(self) -> tuple[type[tuple[Item, ...]], tuple[list[Item]]]:
        """Pickle the items."""
        return tuple, (list(self),)

    def __repr__(self) -> str:
        """Show how many items there are."""
        return f"<StoredItems: {count_noun(self._length, 'item')} in a temporary file>"

    def __len__(self) -> int:
        """The number of items."""
        return self._length

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        """An item, or several: a block as it lies in the file, or a tuple."""
        if isinstance(place, slice):
            start, stop, step = place.indices(self._length)
            end_of_block = min(start + BLOCK, self._length)
            if step == 1 and start < stop == end_of_block and not start % BLOCK:
                return self._block(start // BLOCK)
            return tuple(islice(self._from(start), 0, max(0, stop - start), step))
        at = range(self._length)[place]
        if at not in self._singles:
            if self._last[0] != at // BLOCK:
                self._last = at // BLOCK, self._block(at // BLOCK)
            item = self._last[1][at % BLOCK]
            if len(self._singles) >= _SINGLES:
                return item
            self._singles[at] = item
        return self._singles[at]

    def __iter__(self) -> Iterator[Item]:
        """Yield the items."""
        return self._from(0)

    def _from(self, start: int) -> Iterator[Item]:
        first = start // BLOCK
        blocks = (self._block(number) for number in range(first, len(self._ends) - 1))
        return islice(chain.from_iterable(blocks), start - first * BLOCK, None)

    def _block(self, number: int) -> Block[Item]:
        start, end = self._ends[number : number + 2]
        self._file.seek(start)
        size = min(BLOCK, self._length - number * BLOCK)
        return Block(self._file.read(end - start), self._kind, size)


Rewrites = tuple[Rewrite, ...]


class StoredOutputs(Mapping[str, Rewrites]):
    """Hypotheses by the ids of a corpus, in its order, block by block in memory.

    Args:
        ids: Of the corpus.
        rewrites: What a system made of each of its sentences: at least one.
        plain: Whether all are known to be without edits.
    """

    def __init__(
        self, ids: Sequence[str], rewrites: Sequence[Rewrites], *, plain: bool = False
    ) -> None:
        self.ids, self.plain, self._rewrites = ids, plain, rewrites
        self._number = -1
        self._block: dict[str, Rewrites] = {}
        self._places: dict[str, int] = {}

    def __reduce__(self) -> tuple[type[StoredOutputs], tuple[Sequence[str], Sequence[Rewrites]]]:
        """Pickle what it is made of."""
        return StoredOutputs, (self.ids, self._rewrites)

    def __repr__(self) -> str:
        """Show how many sentences there are."""
        return f"<StoredOutputs for {count_noun(len(self.ids), 'sentence')}>"

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        """Yield the ids."""
        return iter(self.ids)

    def __contains__(self, name: object) -> bool:
        """Whether the corpus has a sentence of this id."""
        return name in self._block or name in self._index()

    def __getitem__(self, name: str) -> Rewrites:
        """The hypotheses for a sentence."""
        if name not in self._block:
            following = (self._number + 1) % max(1, -(-len(self.ids) // BLOCK))
            self._load(following)  # usually one goes through a corpus in order
            if name not in self._block:
                self._load(self._index()[name] // BLOCK)
        return self._block[name]

    def part(self, start: int, stop: int) -> StoredOutputs:
        """Those for some sentences of the corpus."""
        return StoredOutputs(self.ids[start:stop], self._rewrites[start:stop])

    def _load(self, number: int) -> None:
        places = slice(number * BLOCK, (number + 1) * BLOCK)
        self._number = number
        self._block = dict(zip(self.ids[places], self._rewrites[places], strict=True))

    def _index(self) -> Mapping[str, int]:
        if not self._places:
            self._places = {name: at for at, name in enumerate(self.ids)}
        return self._places


def is_plain(corpus: Corpus, systems: Sequence[SystemOutput] = ()) -> bool:
    """Whether all is known to be without edits, and all samples to have references.

    What was stored is known without reading it; else the answer is no.
    """
    return (
        isinstance(corpus.samples, StoredItems)
        and corpus.samples.plain
        and all(isinstance(s.hypotheses, StoredOutputs) and s.hypotheses.plain for s in systems)
    )
