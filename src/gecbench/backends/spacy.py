"""spaCy pipelines: tags, lemmas and parses of sentences that are already divided into tokens."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gecbench.backends import hash_files
from gecbench.core.edit import TokenAttributes
from gecbench.core.errors import Message, MissingExtraError, ResourceError, UsageError, reason

if TYPE_CHECKING:
    import sqlite3


Tokens = tuple[str, ...]

_UNUSED = frozenset(
    (
        *("ner", "beam_ner", "entity_linker", "entity_ruler", "future_entity_ruler"),
        *("span_ruler", "span_finder", "spancat", "spancat_singlelabel"),
        *("textcat", "textcat_multilabel", "senter", "sentencizer"),
    )
)
"""Factories of components that no part of `TokenAttributes` comes from."""

_SEVERAL = frozenset({"xx", "mul"})
"""Codes of spaCy for pipelines of several languages."""

_WITH_PIPELINE = (
    *("ca", "da", "de", "el", "en", "es", "fi", "fr", "hr", "it", "ja", "ko"),
    *("lt", "mk", "nb", "nl", "pl", "pt", "ro", "ru", "sl", "sv", "uk", "zh"),
)
"""Codes of the languages that spaCy offers pipelines for."""
_WEB = ("en", "zh")
"""Those whose pipelines learnt from the web, by their name."""

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
        lang: Code of its language; "xx" where it is for several.
    """

    folder: Path
    name: str
    version: str
    lang: str = "xx"

    def __str__(self) -> str:
        """Join name and version."""
        return f"{self.name} {self.version}"

    @cached_property
    def digest(self) -> str:
        """A hash of everything in the folder, by which its results can be kept."""
        paths = (path for path in self.folder.rglob("*") if "__pycache__" not in path.parts)
        return hash_files(self.folder, paths)


def describe(name: str | Path) -> Description:
    """Describe a pipeline without importing spaCy.

    Args:
        name: A folder, or the name of an installed package.

    Raises:
        UsageError: There is no such pipeline.
        ResourceError: The folder is not a pipeline.
    """
    folder = Path(name)
    if not folder.is_dir():
        folder = _find_package(str(name))
    meta = folder / "meta.json"
    if not meta.is_file() or not (folder / "config.cfg").is_file():
        raise ResourceError(
            f"{folder}: no spaCy pipeline: a pipeline's folder has meta.json and config.cfg"
        )
    try:
        fields = json.loads(meta.read_text("utf-8"))
        lang = str(fields["lang"])
        return Description(
            folder,
            f"{lang}_{fields['name']}",
            str(fields["version"]),
            "xx" if lang in _SEVERAL else lang,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ResourceError(f"{meta}: does not name the pipeline: {error}") from error


def _find_package(name: str) -> Path:
    spec = find_spec(name) if name.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        full = name if name.partition("_")[0] in _WITH_PIPELINE else "NAME"
        if name in _WITH_PIPELINE:
            full = f"{name}_core_{'web' if name in _WEB else 'news'}_sm"
        raise UsageError(
            f"there is no folder and no installed spaCy pipeline {name!r}; for one of spaCy's own "
            f"(https://spacy.io/models), by its whole name: python -m spacy download {full}"
        )
    package = Path(next(iter(spec.submodule_search_locations)))
    inside = sorted(path.parent for path in package.glob("*/config.cfg"))
    return inside[0] if inside else package


@dataclass
class Pipeline:
    """A pipeline at work; it is loaded when the first sentence comes.

    Args:
        about: What it is.
    """

    about: Description
    _docs: dict[Tokens, tuple[Any, TokenAttributes]] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """Name and version, with that of spaCy, for signatures."""
        return f"{self.about} (spacy {_spacy_version()})"

    @property
    def name(self) -> str:
        """Name alone, with the language."""
        return self.about.name

    @property
    def lang(self) -> str:
        """Code of its language; "xx" where it is for several."""
        return self.about.lang

    def words(
        self, sentences: Sequence[Tokens], *, parsed: bool, again: bool = False
    ) -> Iterator[TokenAttributes]:
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
        from spacy.tokens import Doc

        if parsed and parsers and all(tokens in self._docs for tokens in sentences):
            known = [self._docs[tokens] for tokens in sentences]
            parsed_docs: Iterable[Any] = [doc for doc, _ in known]
            for _, parser in parsers:
                parsed_docs = list(parser.pipe(parsed_docs, batch_size=_BATCH))
            for doc, (_, words) in zip(parsed_docs, known, strict=True):
                yield self._with_parse(words, doc)
            return
        skipped = [] if parsed or self._tagging_needs_parse else [name for name, _ in parsers]
        docs = (Doc(self._nlp.vocab, words=list(tokens)) for tokens in sentences)
        for tokens, doc in zip(
            sentences, self._nlp.pipe(docs, batch_size=_BATCH, disable=skipped), strict=True
        ):
            words = self._read(doc, parsed=parsed or not skipped)
            if skipped and again:
                self._docs[tokens] = doc, words
            yield words

    def forget(self) -> None:
        """Let go of documents that were kept for parsing."""
        self._docs.clear()

    @cached_property
    def _nlp(self) -> Any:
        _spacy_version()
        try:
            nlp = _load(self.about.folder)
            unused = [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory in _UNUSED]
        except Exception as error:  # components, also of other packages, raise what they like
            raise ResourceError(
                f"{self.about.folder}: the pipeline cannot be loaded by spaCy "
                f"{_spacy_version()}: {reason(error, whole=True)}"
            ) from error
        _check_components(self.about.folder, nlp)
        for name in unused:
            nlp.remove_pipe(name)
        for _, pipe in nlp.pipeline:
            _index_lemmas(pipe)
        return nlp

    def _read(self, doc: Any, *, parsed: bool) -> TokenAttributes:
        """Read the annotations of a document."""
        from spacy.attrs import LEMMA, POS, TAG

        lemmas, pos, tags = self._columns(doc, [LEMMA, POS, TAG])
        words = TokenAttributes(lemmas, pos, tags)
        return self._with_parse(words, doc) if parsed else words

    def _with_parse(self, words: TokenAttributes, doc: Any) -> TokenAttributes:
        """Add to annotations the dependencies of the document."""
        from spacy.attrs import DEP, HEAD

        (deps,) = self._columns(doc, [DEP])
        # Heads are differences of places, negative ones wrapped as unsigned numbers are.
        steps = doc.to_array([HEAD]).tolist()
        heads = tuple([(position + step) % _WRAP for position, step in enumerate(steps)])
        return TokenAttributes(words.lemmas, words.pos, words.tags, deps, heads)

    def _columns(self, doc: Any, names: list[int]) -> Iterator[tuple[str, ...]]:
        columns = doc.to_array(names).reshape(len(doc), -1).T.tolist()
        return (tuple(map(self._texts.__getitem__, column)) for column in columns)

    @cached_property
    def _texts(self) -> _StringTable:
        return _StringTable(self._nlp.vocab.strings)

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


def _load(folder: Path) -> Any:
    """Load the pipeline, without the tokenizer that is never asked, a third of loading."""
    import spacy
    from spacy.tokenizer import Tokenizer
    from spacy.util import registry

    name = "gecbench.NoTokenizer.v1"
    if not registry.has("tokenizers", name):
        registry.tokenizers(name, func=lambda: lambda nlp: Tokenizer(nlp.vocab))
    # The whole value: a key within it ("nlp.tokenizer.@tokenizers") can be replaced only where
    # config.cfg has a section of its own for the tokenizer.
    instead = {"nlp": {"tokenizer": {"@tokenizers": name}}}
    return spacy.load(folder, exclude=["tokenizer"], config=instead)


def _check_components(folder: Path, nlp: Any) -> None:
    """Refuse a pipeline that cannot give parts of speech and lemmas; name what it lacks."""
    metas = [nlp.get_pipe_meta(name) for name in nlp.pipe_names]
    attributes = {assigns for meta in metas for assigns in meta.assigns}
    rulers = [pipe for _, pipe in nlp.pipeline if hasattr(pipe, "patterns")]
    by_rule = {
        attribute
        for ruler in rulers
        for rule in ruler.patterns
        if isinstance(rule, dict)
        for attribute in map(str, rule.get("attrs", ()))
    }
    missing = []
    if not ("POS" in by_rule or "token.pos" in attributes):
        missing.append("tagger of parts of speech (a morphologizer, or an attribute_ruler)")
    if not ("LEMMA" in by_rule or "token.lemma" in attributes):
        missing.append("lemmatizer")
    if missing:
        raise ResourceError(
            f"{folder}: the pipeline has no {' and no '.join(missing)}; it has: "
            f"{', '.join(nlp.pipe_names) or 'no component'}; ERRANT's rules need both"
        )


def _index_lemmas(pipe: Any) -> None:
    """Let the rule lemmatizer look words up in sets; its tables are lists, searched in full."""
    lookups = getattr(pipe, "lookups", None)
    if lookups is not None and lookups.has_table("lemma_index"):
        index = lookups.get_table("lemma_index")
        for pos, words in index.items():
            if isinstance(words, list):
                index[pos] = frozenset(words)


def _spacy_version() -> str:
    if find_spec("spacy") is None:
        raise MissingExtraError(Message("spaCy, which reads the sentences for this scheme,"), "en")
    return version("spacy")


class _StringTable(dict[int, str]):
    """The strings of a vocabulary by their codes, each looked up once for all documents."""

    def __init__(self, strings: Any) -> None:
        super().__init__({0: ""})
        self._strings = strings

    def __missing__(self, code: int) -> str:
        text = self[code] = str(self._strings[code])
        return text


# Results of pipelines, cached on disk by the content of sentences.


_AT_ONCE = 500


@dataclass
class CachedPipeline:
    """A pipeline whose results are cached: spaCy is not even imported where all are known.

    The file's name holds a hash of the pipeline's content and the version of spaCy, and a
    sentence's key is a hash of its tokens, so a stale result is never found.

    Args:
        pipeline: Asked for what is not there yet.
        folder: Made if need be.

    Raises:
        ResourceError: The folder or file cannot be used; names it.
    """

    pipeline: Pipeline
    folder: Path

    @property
    def version(self) -> str:
        """Name and version of the pipeline."""
        return self.pipeline.version

    @property
    def name(self) -> str:
        """Name of the pipeline."""
        return self.pipeline.name

    @property
    def lang(self) -> str:
        """Code of the pipeline's language; "xx" where it is for several."""
        return self.pipeline.lang

    def forget(self) -> None:
        """Let go of documents that were kept for parsing."""
        self.pipeline.forget()

    def words(
        self, sentences: Sequence[Tokens], *, parsed: bool, again: bool = False
    ) -> Iterator[TokenAttributes]:
        """Yield what the pipeline says of each sentence; see `Pipeline.words`."""
        import sqlite3

        try:
            known = dict(self._read(sentences, parsed=parsed))
            missing = [tokens for tokens in dict.fromkeys(sentences) if tokens not in known]
            results = zip(
                missing, self.pipeline.words(missing, parsed=parsed, again=again), strict=True
            )
            unread: list[tuple[Tokens, TokenAttributes]] = []
            for tokens in sentences:
                if tokens not in known:
                    new, words = next(results)
                    known[new] = words
                    unread.append((new, words))
                yield known[tokens]
            self._write(unread)
        except sqlite3.Error as error:
            raise ResourceError(
                f"{self.path}: the cache of parses cannot be used: {error}; remove the file"
            ) from error

    @property
    def path(self) -> Path:
        """The file that holds the results."""
        about = self.pipeline.about
        digest = hashlib.sha256(f"{about.digest} {self.version}".encode()).hexdigest()
        return self.folder / f"{about.name}-{digest[:16]}.sqlite"

    @property
    def _writable(self) -> bool:
        """Whether results can be added; a complete file on a read-only disk can still be used."""
        return not self.path.is_file() or os.access(self.folder, os.W_OK)

    @cached_property
    def _base(self) -> sqlite3.Connection:
        import sqlite3

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ResourceError(
                f"{self.folder}: cannot be made to keep parses in: {error.strerror}"
            ) from error
        if not self._writable:
            return sqlite3.connect(f"{self.path.as_uri()}?mode=ro&immutable=1", uri=True)
        base = sqlite3.connect(self.path, timeout=60)
        base.execute(
            "CREATE TABLE IF NOT EXISTS parses (tokens BLOB, parsed INTEGER, words TEXT, "
            "PRIMARY KEY (tokens, parsed)) WITHOUT ROWID"
        )
        return base

    def _read(
        self, sentences: Iterable[Tokens], *, parsed: bool
    ) -> Iterator[tuple[Tokens, TokenAttributes]]:
        by_key = {_key(tokens): tokens for tokens in sentences}
        keys = list(by_key)
        for first in range(0, len(keys), _AT_ONCE):
            part = keys[first : first + _AT_ONCE]
            placeholders = ",".join("?" * len(part))
            rows = self._base.execute(
                f"SELECT tokens, words FROM parses WHERE tokens IN ({placeholders}) "  # noqa: S608
                "AND parsed >= ? ORDER BY parsed",
                (*part, int(parsed)),
            )
            for key, text in rows:
                words = _words(text, by_key[key], parsed=parsed)
                if words is not None:
                    yield by_key[key], words

    def _write(self, sentences: Sequence[tuple[Tokens, TokenAttributes]]) -> None:
        if not self._writable:
            return
        with self._base as base:
            base.executemany(
                "INSERT OR REPLACE INTO parses VALUES (?, ?, ?)",
                [
                    (
                        _key(tokens),
                        int(bool(words.heads)),
                        json.dumps([words.lemmas, words.pos, words.tags, words.deps, words.heads]),
                    )
                    for tokens, words in sentences
                ],
            )


def _key(tokens: Tokens) -> bytes:
    return hashlib.sha256(" ".join(tokens).encode("utf-8", "surrogatepass")).digest()


def _words(text: str, tokens: Tokens, *, parsed: bool) -> TokenAttributes | None:
    """Read what is in the cache, None where it is damaged: then the pipeline is asked again."""
    try:
        lemmas, pos, tags, deps, heads = map(tuple, json.loads(text))
    except (ValueError, TypeError):
        return None
    columns = (lemmas, pos, tags, deps, heads) if parsed else (lemmas, pos, tags)
    if any(len(column) != len(tokens) for column in columns):
        return None
    return (
        TokenAttributes(lemmas, pos, tags, deps, heads)
        if parsed
        else TokenAttributes(lemmas, pos, tags)
    )
