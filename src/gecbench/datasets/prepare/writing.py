"""Prepared pairs as files, made line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice

from gecbench.core.errors import UnknownNameError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.datasets.prepare.reading import PAIRS
from gecbench.formats import load_format
from gecbench.formats.texts import check_cell

OUTPUT_FORMATS = ("jsonl", "mucgec", PAIRS)
"""What can be written line by line."""

_AT_ONCE = 1000


def sample_of(number: int, source: str, targets: Iterable[str], corpus: str) -> Sample:
    """Return a sentence with its corrections; one that equals it says that it is free of error."""
    references = tuple(
        Rewrite(error_free=True) if target == source else Rewrite(text=target) for target in targets
    )
    return Sample(str(number), source, references, {"corpus": corpus})


class Rows:
    """The lines of a corpus as bytes, to be gone through once, and what they came to.

    Args:
        about: What the corpus says of itself; its samples are not looked at.
        samples: Those to write.
        format: A name of `OUTPUT_FORMATS`.

    Attributes:
        sentences: That were written so far.
        references: That were written so far.

    Raises:
        UnknownNameError: There is no such format.
    """

    def __init__(self, about: Corpus, samples: Iterable[Sample], format: str) -> None:
        if format not in OUTPUT_FORMATS:
            raise UnknownNameError("format of prepared data", format, OUTPUT_FORMATS)
        self._about = about
        self._samples = iter(samples)
        self._text: Callable[[Corpus], str] = _WRITERS[format]
        self._header = format == "jsonl"
        self._hash = sha256()
        self.sentences = 0
        self.references = 0

    @property
    def sha256(self) -> str:
        """Hash of all that was written so far."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the file, some lines at a time.

        Raises:
            CorpusError: The format cannot hold a text; names the sample.
        """
        if self._header:
            header = Corpus(self._about.name, (), self._about.lang, self._about.provenance)
            yield self._hashed(self._text(header))
        while samples := tuple(islice(self._samples, _AT_ONCE)):
            text = self._text(Corpus(self._about.name, samples, self._about.lang))
            self.sentences += len(samples)
            self.references += sum(len(sample.references) for sample in samples)
            yield self._hashed(text.partition("\n")[2] if self._header else text)

    def _hashed(self, text: str) -> bytes:
        content = text.encode()
        self._hash.update(content)
        return content


def _pairs(corpus: Corpus) -> str:
    return "".join(map(_pair, corpus.samples))


def _pair(sample: Sample) -> str:
    texts = [sample.source]
    texts += [sample.source if r.text is None else r.text for r in sample.references]
    for k, text in enumerate(texts):
        what = f"reference {k - 1}" if k else "the source"
        check_cell(text, sample, what, PAIRS, tab_divides=True)
    return "\t".join(texts) + "\n"


_WRITERS: Mapping[str, Callable[[Corpus], str]] = {
    "jsonl": lambda corpus: load_format("jsonl").write(corpus)[""],
    "mucgec": lambda corpus: load_format("mucgec").write(corpus)[""],
    PAIRS: _pairs,
}
