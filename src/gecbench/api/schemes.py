"""Schemes of edits, by name."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from gecbench.core.errors import ResourceError, UsageError
from gecbench.core.files import read_bytes
from gecbench.core.registry import resolve
from gecbench.core.sample import Corpus
from gecbench.core.scheme import Scheme
from gecbench.datasets.catalog import data_set
from gecbench.datasets.store import cache_folder, data_folder, locate
from gecbench.lang import SCHEMES

Say = Callable[[str], None]
Progress = Callable[[str, Sequence[tuple[str, ...]]], Iterator[tuple[str, ...]]]

_DEFAULT_SCHEMES = {"zh": "zh-cherrant", "en": "en-errant"}

_OPTIONS = {
    "zh-cherrant": {"strategy", "simplify"},
    "en-errant": {"spacy_model", "merging", "levenshtein", "parse_cache"},
}

OWN_PIPELINE = (
    "edits were found with gecbench's own small spaCy pipeline; published ERRANT figures were made "
    "with en_core_web_sm (python -m spacy download en_core_web_sm, then "
    "--spacy-model en_core_web_sm)"
)


def own_pipeline() -> Path:
    """Return the folder of the small English pipeline that gecbench brings."""
    return Path(__file__).parent.parent / "lang" / "en" / "pipeline"


def _quiet(_: str) -> None:
    """Say nothing."""


def _unwatched(_: str, sentences: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Show no progress."""
    return iter(sentences)


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
    spacy_model: str | Path | None = None,
    merging: Literal["rules", "all-split", "all-merge", "all-equal"] | None = None,
    levenshtein: bool | None = None,
    parse_cache: Path | None = None,
    types: bool = True,
    places: Places | None = None,
    say: Say = _quiet,
    progress: Progress = _unwatched,
) -> Scheme:
    """Return a scheme of edits by name.

    Args:
        name: As "zh-cherrant", "zh-char" or "en-errant".
        strategy: For zh-cherrant: "all" distinct edit sets (the default) or the "first".
        simplify: For zh-cherrant: convert targets to simplified characters (the default).
        spacy_model: For en-errant: an installed spaCy pipeline or a folder with one; None means
            the small one that gecbench brings.
        merging: For en-errant: how steps of the alignment become edits, "rules" by default.
        levenshtein: For en-errant: align by plain edit distance.
        parse_cache: For en-errant: a folder to keep in what the pipeline said of sentences.
        types: For en-errant: classify the edits; spans and corrections are found faster without.
        places: Where its resources lie.
        say: Told what happens that takes time.
        progress: Wraps long loops, to show progress.

    Raises:
        UsageError: The name is unknown, or the scheme has no such option.
        ResourceError: A resource is missing; names the command that gets it.
    """
    options = {
        "strategy": strategy,
        "simplify": simplify,
        "spacy_model": spacy_model,
        "merging": merging,
        "levenshtein": levenshtein,
        "parse_cache": parse_cache,
    }
    make, given = _wanted(name, options)
    if name == "zh-cherrant":
        return _cherrant(make, given, places or Places(), say)
    if name == "en-errant":
        return _errant(make, given, types=types, progress=progress)
    return make()


def _wanted(
    name: str, options: Mapping[str, object]
) -> tuple[Callable[..., Scheme], dict[str, object]]:
    """Return what makes a scheme, and those of its options that are given."""
    make = cast("Callable[..., Scheme]", resolve("scheme", name, SCHEMES))
    given = {option: value for option, value in options.items() if value is not None}
    foreign = [option for option in given if option not in _OPTIONS.get(name, ())]
    if foreign:
        raise UsageError(
            f"scheme {name} has no option {' or '.join(foreign).replace('_', '-')}; leave it out"
        )
    return make, given


def _cherrant(
    make: Callable[..., Scheme], given: dict[str, object], places: Places, say: Say
) -> Scheme:
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


def _errant(
    make: Callable[..., Scheme],
    given: dict[str, object],
    *,
    types: bool,
    progress: Progress,
) -> Scheme:
    from gecbench.backends.parses import KeptPipeline
    from gecbench.backends.spacy import Pipeline, describe
    from gecbench.lang.en.resources import digest, load

    model = given.pop("spacy_model", None)
    kept = cast("Path | None", given.pop("parse_cache", None))
    about = describe(cast("str | Path", model) if model else own_pipeline())
    pipeline = Pipeline(about)
    return make(
        **given,
        reader=KeptPipeline(pipeline, kept) if kept else pipeline,
        dictionary=digest(),
        resources=load() if types else None,
        progress=progress,
        notes=() if model else (OWN_PIPELINE,),
    )


def language(corpus: Corpus) -> str:
    """Return the code of a corpus's language, which is looked for if unsaid."""
    from gecbench.text.script import language_of

    return corpus.lang or language_of(sample.source for sample in corpus.samples)


def check_language(corpus: Corpus, scheme: Scheme) -> None:
    """Refuse a scheme of another language than the corpus is in.

    Raises:
        UsageError: Names both.
    """
    lang = language(corpus)
    letters = (character.isalpha() for s in corpus.samples for character in s.source)
    if lang != scheme.lang and (corpus.lang or any(letters)):
        said = "is" if corpus.lang else "looks like"
        raise UsageError(
            f"{corpus.name}: scheme {scheme.name} is for language {scheme.lang!r}, "
            f"the corpus {said} {lang!r}; choose another by --scheme"
        )


def default_scheme(corpus: Corpus) -> str:
    """Return the name of the scheme for a corpus's language.

    Raises:
        UsageError: There is no scheme for the language.
    """
    lang = language(corpus)
    if lang not in _DEFAULT_SCHEMES:
        raise UsageError(
            f"{corpus.name}: there is no scheme of edits for language {lang!r}; "
            f"there are: {', '.join(SCHEMES)}"
        )
    return _DEFAULT_SCHEMES[lang]
