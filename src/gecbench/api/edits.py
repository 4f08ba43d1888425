"""Schemes by name, and the edits of a corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from gecbench import __version__
from gecbench.core.errors import CorpusError, ResourceError, UsageError
from gecbench.core.files import read_bytes
from gecbench.core.registry import resolve
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.core.scheme import Scheme
from gecbench.core.sentence import Sentence
from gecbench.datasets.catalog import data_set
from gecbench.datasets.store import cache_folder, data_folder, locate
from gecbench.edits.sets import SET_LIMIT
from gecbench.lang import SCHEMES

Watch = Callable[[str, Sequence[Sample]], Iterator[Sample]]
"""Wraps a loop over samples, which the text names, to show progress."""

Say = Callable[[str], None]

_DEFAULT_SCHEMES = {"zh": "zh-cherrant"}


def capped_note(ids: Sequence[str]) -> str:
    """Return the sentence that tells of texts with more edit sets than are listed."""
    names = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
    have = "sentence has" if len(ids) == 1 else "sentences have"
    return (
        f"{len(ids)} {have} more than {SET_LIMIT} different edit sets, of which the first was "
        f"kept, as by strategy first: {names}"
    )


def _quiet(_: str) -> None:
    """Say nothing."""


def unwatched(_: str, items: Sequence[Sample]) -> Iterator[Sample]:
    """Show no progress."""
    return iter(items)


@dataclass(frozen=True, slots=True)
class Places:
    """Where resources lie.

    Args:
        folder: The data folder; None means the user's.
        mirror: A folder with data sets that is looked at first.
        cache: For compiled resources; None means the user's.
    """

    folder: Path | None = None
    mirror: Path | None = None
    cache: Path | None = None


def load_scheme(
    name: str,
    *,
    strategy: Literal["all", "first"] | None = None,
    simplify: bool | None = None,
    places: Places | None = None,
    say: Say = _quiet,
) -> Scheme:
    """Return a scheme of edits by name.

    Args:
        name: As "zh-cherrant" or "zh-char".
        strategy: For zh-cherrant: "all" distinct edit sets (the default) or the "first".
        simplify: For zh-cherrant: convert targets to simplified characters (the default).
        places: Where its resources lie.
        say: Told what happens that takes time.

    Raises:
        UsageError: The name is unknown, or the scheme has no such option.
        ResourceError: A resource is missing; names the command that gets it.
    """
    make = cast("Callable[..., Scheme]", resolve("scheme", name, SCHEMES))
    options = {"strategy": strategy, "simplify": simplify}
    given = {option: value for option, value in options.items() if value is not None}
    if name != "zh-cherrant":
        if given:
            raise UsageError(f"scheme {name} has no option {' or '.join(given)}; leave it out")
        return make()
    places = places or Places()
    folder = places.folder or data_folder()
    wanted, mirror = data_set("cherrant"), places.mirror

    def resource(file: str) -> bytes:
        path = locate(wanted, file, folder=folder, mirror=mirror)
        content = read_bytes(path)
        if hashlib.sha256(content).hexdigest() != wanted.file(file).sha256:
            raise ResourceError(
                f"{path}: its content is not what the catalogue promises (sha256 differs); "
                f"run: gecbench data get {wanted.name}"
            )
        return content

    cache = places.cache or cache_folder()
    return make(**given, resource=resource, cache=cache, say=say)


def default_scheme(corpus: Corpus) -> str:
    """Return the name of the scheme for a corpus's language, which is looked for if unsaid.

    Raises:
        UsageError: There is no scheme for the language.
    """
    from gecbench.text.script import language_of

    language = corpus.lang or language_of(sample.source for sample in corpus.samples)
    if language not in _DEFAULT_SCHEMES:
        said = "is" if corpus.lang else "looks like"
        raise UsageError(
            f"{corpus.name}: the language {said} {language!r}, for which there is no scheme of "
            f"edits yet; there are: {', '.join(SCHEMES)}"
        )
    return _DEFAULT_SCHEMES[language]


def extract(corpus: Corpus, scheme: Scheme, *, watch: Watch = unwatched) -> Corpus:
    """Return the corpus with the edits of every rewrite, given ones replaced.

    Args:
        corpus: Any corpus; samples without references stay without.
        scheme: How edits are found.
        watch: Wraps the loop over samples, to show progress.

    Raises:
        UsageError: The scheme is for another language.
        CorpusError: There is no reference, or one without a text.
    """
    if corpus.lang not in (None, scheme.lang):
        raise UsageError(
            f"{corpus.name}: scheme {scheme.name} is for language {scheme.lang!r}, "
            f"the corpus is {corpus.lang!r}; choose another by --scheme"
        )
    if not any(sample.references for sample in corpus.samples):
        raise CorpusError(
            f"{corpus.name}: no sentence has a reference, so there are no edits; "
            "give references (for text files: --reference FILE)"
        )
    samples = []
    for sample in watch("edits", corpus.samples):
        source = scheme.parse_source(sample.source)
        references = tuple(_extracted(r, sample, source, scheme) for r in sample.references)
        samples.append(replace(sample, tokens=source.tokens, references=references))
    return replace(
        corpus,
        samples=tuple(samples),
        lang=scheme.lang,
        provenance={**corpus.provenance, **scheme.signature, "gecbench": __version__},
    )


def _extracted(rewrite: Rewrite, sample: Sample, source: Sentence, scheme: Scheme) -> Rewrite:
    if rewrite.unannotatable:
        return rewrite
    if rewrite.error_free:
        return replace(rewrite, edit_sets=((),))
    if rewrite.text is None:
        raise CorpusError(
            f"sentence {sample.id!r} has a reference without a text (an error that was "
            "detected, not corrected), so its edits cannot be extracted"
        )
    found = scheme.extract(source, scheme.parse_target(rewrite.text))
    return replace(rewrite, edit_sets=found.edit_sets, capped=found.capped)
