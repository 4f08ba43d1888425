"""spaCy pipelines: tags, lemmas and parses of sentences that are already divided into tokens."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gecbench.core.errors import MissingExtraError, ResourceError, UsageError
from gecbench.core.sentence import Words

Tokens = tuple[str, ...]

_UNUSED = frozenset(
    (
        *("ner", "beam_ner", "entity_linker", "entity_ruler", "future_entity_ruler"),
        *("span_ruler", "span_finder", "spancat", "spancat_singlelabel"),
        *("textcat", "textcat_multilabel", "senter", "sentencizer"),
    )
)
"""Factories of components that no part of `Words` comes from."""

_PARSERS = frozenset({"parser", "beam_parser"})
_BATCH = 128
_WRAP = 1 << 64


@dataclass(frozen=True)
class Description:
    """What a pipeline says of itself in meta.json, and where it lies.

    Args:
        folder: Holds config.cfg and meta.json.
        name: With the language, as "en_core_web_sm".
        version: As the pipeline's makers number it.
    """

    folder: Path
    name: str
    version: str

    def __str__(self) -> str:
        """Return name and version."""
        return f"{self.name} {self.version}"

    @cached_property
    def digest(self) -> str:
        """Return a hash of everything in the folder, by which its results can be kept."""
        made = hashlib.sha256()
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                made.update(f"{path.relative_to(self.folder)}\0".encode())
                made.update(hashlib.sha256(path.read_bytes()).digest())
        return made.hexdigest()


def describe(name: str | Path) -> Description:
    """Return what a pipeline is, without importing spaCy.

    Args:
        name: A folder, or the name of an installed package.

    Raises:
        UsageError: There is no such pipeline.
        ResourceError: The folder is not a pipeline.
    """
    folder = Path(name)
    if not folder.is_dir():
        folder = _packaged(str(name))
    meta = folder / "meta.json"
    if not meta.is_file() or not (folder / "config.cfg").is_file():
        raise ResourceError(
            f"{folder}: no spaCy pipeline: a pipeline's folder has meta.json and config.cfg"
        )
    try:
        said = json.loads(meta.read_text("utf-8"))
        return Description(folder, f"{said['lang']}_{said['name']}", str(said["version"]))
    except (ValueError, KeyError, TypeError) as error:
        raise ResourceError(f"{meta}: does not name the pipeline: {error}") from error


def _packaged(name: str) -> Path:
    found = find_spec(name) if name.isidentifier() else None
    if found is None or not found.submodule_search_locations:
        raise UsageError(
            f"there is no folder and no installed spaCy pipeline {name!r}; "
            f"for one of spaCy's own: python -m spacy download {name}"
        )
    package = Path(next(iter(found.submodule_search_locations)))
    inside = sorted(path.parent for path in package.glob("*/config.cfg"))
    return inside[0] if inside else package


@dataclass
class Pipeline:
    """A pipeline at work; it is loaded when the first sentence comes.

    Args:
        about: What it is.
    """

    about: Description
    _docs: dict[Tokens, tuple[Any, Words]] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """Name and version, with that of spaCy, for signatures."""
        return f"{self.about} (spacy {_spacy_version()})"

    def words(
        self, sentences: Sequence[Tokens], *, parsed: bool, again: bool = False
    ) -> Iterator[Words]:
        """Yield what the pipeline says of each sentence.

        Args:
            sentences: Tokens, none empty.
            parsed: Also dependencies.
            again: Some of them will be asked for again with dependencies: documents are kept
                until `forget`, and then only the parser runs.

        Raises:
            MissingExtraError: spaCy is not installed.
            ResourceError: The pipeline cannot be loaded, or gives no part of speech or lemma.
        """
        parsers = self._parsers
        known = self._known(sentences) if parsed and parsers else None
        if known is not None:
            docs: Iterable[Any] = [doc for doc, _ in known]
            for _, parser in parsers:
                docs = list(parser.pipe(docs, batch_size=_BATCH))
            for doc, (_, words) in zip(docs, known, strict=True):
                yield self._reader.with_parse(words, doc)
            return
        skipped = [] if parsed or self._tagging_needs_parse else [name for name, _ in parsers]
        made = (self._make(tokens) for tokens in sentences)
        for tokens, doc in zip(
            sentences, self._nlp.pipe(made, batch_size=_BATCH, disable=skipped), strict=True
        ):
            words = self._reader.words(doc, parsed=parsed or not skipped)
            if skipped and again:
                self._docs[tokens] = doc, words
            yield words

    def forget(self) -> None:
        """Let go of documents that were kept for parsing."""
        self._docs.clear()

    def _known(self, sentences: Sequence[Tokens]) -> list[tuple[Any, Words]] | None:
        """Return the kept documents of these sentences, None if one is missing."""
        if not all(tokens in self._docs for tokens in sentences):
            return None
        return [self._docs[tokens] for tokens in sentences]

    def _make(self, tokens: Tokens) -> Any:
        return self._doc(self._nlp.vocab, words=tokens)

    @cached_property
    def _doc(self) -> Any:
        from spacy.tokens import Doc

        return Doc

    @cached_property
    def _nlp(self) -> Any:
        _spacy_version()
        try:
            nlp = _loaded(self.about.folder)
            unused = [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory in _UNUSED]
        except (OSError, ValueError, ImportError, KeyError) as error:
            raise ResourceError(
                f"{self.about.folder}: the pipeline cannot be loaded by spaCy "
                f"{_spacy_version()}: {str(error).splitlines()[0]}"
            ) from error
        for name in unused:
            nlp.remove_pipe(name)
        for _, pipe in nlp.pipeline:
            _hasten(pipe)
        return nlp

    @cached_property
    def _reader(self) -> _Reader:
        return _Reader(_Texts(self._nlp.vocab.strings))

    @cached_property
    def _parsers(self) -> list[tuple[str, Any]]:
        nlp = self._nlp
        return [
            (name, pipe)
            for name, pipe in nlp.pipeline
            if nlp.get_pipe_meta(name).factory in _PARSERS
        ]

    @cached_property
    def _tagging_needs_parse(self) -> bool:
        """Whether a rule that sets tags, parts of speech or lemmas looks at dependencies."""
        for _, pipe in self._nlp.pipeline:
            for rule in getattr(pipe, "patterns", None) or ():
                if isinstance(rule, dict) and '"DEP"' in json.dumps(rule, default=str):
                    return True
        return False


def _loaded(folder: Path) -> Any:
    """Return the pipeline, without the tokenizer that is never asked, a fifth of loading."""
    import spacy
    from spacy.tokenizer import Tokenizer
    from spacy.util import load_config, registry

    usual = {"@tokenizers": "spacy.Tokenizer.v1"}
    if load_config(folder / "config.cfg").get("nlp", {}).get("tokenizer") != usual:
        return spacy.load(folder)
    name = "gecbench.NoTokenizer.v1"
    if not registry.has("tokenizers", name):
        registry.tokenizers(name, func=lambda: lambda nlp: Tokenizer(nlp.vocab))
    return spacy.load(folder, exclude=["tokenizer"], config={"nlp.tokenizer.@tokenizers": name})


def _hasten(pipe: Any) -> None:
    """Let the rule lemmatizer look words up in sets; its tables are lists, searched in full."""
    lookups = getattr(pipe, "lookups", None)
    if lookups is not None and lookups.has_table("lemma_index"):
        index = lookups.get_table("lemma_index")
        for pos, words in index.items():
            if isinstance(words, list):
                index[pos] = frozenset(words)


def _spacy_version() -> str:
    if find_spec("spacy") is None:
        raise MissingExtraError("spaCy, which the English scheme reads sentences by,", "en")
    return version("spacy")


class _Texts(dict[int, str]):
    """The strings of a vocabulary by their codes, each looked up once for all documents."""

    def __init__(self, strings: Any) -> None:
        super().__init__({0: ""})
        self._strings = strings

    def __missing__(self, code: int) -> str:
        text = self[code] = str(self._strings[code])
        return text


@dataclass
class _Reader:
    """Reads what a document says of its tokens."""

    texts: _Texts

    def words(self, doc: Any, *, parsed: bool) -> Words:
        """Return the annotations of a document."""
        from spacy.attrs import LEMMA, POS, TAG

        lemmas, pos, tags = self._columns(doc, [LEMMA, POS, TAG])
        made = Words(lemmas, pos, tags)
        return self.with_parse(made, doc) if parsed else made

    def with_parse(self, words: Words, doc: Any) -> Words:
        """Return the annotations with the dependencies of the document."""
        from spacy.attrs import DEP, HEAD

        (deps,) = self._columns(doc, [DEP])
        # Heads are differences of places, negative ones wrapped as unsigned numbers are.
        steps = doc.to_array([HEAD]).tolist()
        heads = tuple([(place + step) % _WRAP for place, step in enumerate(steps)])
        return Words(words.lemmas, words.pos, words.tags, deps, heads)

    def _columns(self, doc: Any, names: list[int]) -> Iterator[tuple[str, ...]]:
        columns = doc.to_array(names).reshape(len(doc), -1).T.tolist()
        return (tuple(map(self.texts.__getitem__, column)) for column in columns)
