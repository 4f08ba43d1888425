"""Recipes of training data, typed TOML by name or path, and manifests of what they made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec

from gecbench.core.errors import (
    CorpusError,
    FormatError,
    UnknownNameError,
    UsageError,
    count_noun,
    quote,
)
from gecbench.core.files import path_of, stream_lines
from gecbench.core.sample import Corpus, Sample
from gecbench.formats import COLUMNS_OPTION, CORPUS_FORM
from gecbench.formats.reading import stream_corpus, stream_parallel
from gecbench.formats.table import names_of
from gecbench.formats.texts import advise_conversion, text_of
from gecbench.formats.tsv import SentencesAsIdsError
from gecbench.formats.validation import Count, Positive, Share, load_packaged, with_values
from gecbench.lang import language_of

Ratio = Annotated[float, msgspec.Meta(ge=0)]

RECIPES = Path(__file__).parent.parent / "recipes"


class Ingredient(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A corpus that training data is made of.

    Args:
        name: What counts and the manifest call it.
        path: Its file; "" leaves it to whoever uses the recipe.
        references: Files of lines, where `path` is one of sources.
        format: A format of gecbench, or "pairs": source TAB target. "" means find out.
        columns: Of pairs: where the source stands and where the first target does, from 1; each
            filled column from there on is a target. Of CSV, TSV and JSON: the names of the columns
            of `id`, `source` and `references`.
        weight: How often each of its pairs stands in the result.
        limit: Read so many of its sentences; 0 means all.
    """

    name: str
    path: str = ""
    references: tuple[str, ...] = ()
    format: str = ""
    columns: tuple[Positive, Positive] | dict[str, str | tuple[str, ...]] = (1, 2)
    weight: Positive = 1
    limit: Count = 0


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How training data is made. Its steps are taken in the order of these fields.

    Args:
        name: Of the result.
        about: One line for people.
        language: Code of that of the corpora; "" says nothing.
        seed: Of everything random.
        corpus: What it is made of.
        normalise: Names of `text.NORMALISATIONS`: changes of both sides, made before all else.
        control: What happens to a pair with a control character: drop it, remove the character,
            or keep it.
        filter: Files of evaluation sets, lists of sentences or corpora in any format; no pair
            may have one of these sentences, or one of their references, on either side.
        near: Jaccard similarity of character n-grams from which a sentence is as good as one of
            an evaluation set; 0 compares exactly only.
        shingle: Length of these n-grams.
        longest: Characters of a source or target; 0 is without bound.
        too_long: What happens to a longer pair: drop it; split it into its sentences where both
            sides have as many and they belong together; cut it behind the last such sentence
            that fits; or keep it.
        keep_correct: Share of pairs without an error that stays, chosen by the seed.
        least_ratio: Characters of the target for each of the source, at least.
        most_ratio: The same at most; 0 is without bound.
        most_changed: Edit distance in characters, for each of the longer side, at most.
        duplicates: Drop a pair that stands before ("pair"), or one whose source does
            ("source"), or keep all.
        dev: So many sentences are put aside, chosen by the seed, with all their references.
        shuffle: Whether pairs are put in another order, by the seed.
    """

    name: str = "prepared"
    about: str = ""
    language: str = ""
    seed: Count = 1
    corpus: tuple[Ingredient, ...] = ()
    normalise: tuple[str, ...] = ()
    control: Literal["drop", "remove", "keep"] = "drop"
    filter: tuple[str, ...] = ()
    near: Share = 0.8
    shingle: Positive = 2
    longest: Count = 0
    too_long: Literal["drop", "split", "cut", "keep"] = "drop"
    keep_correct: Share = 0.0
    least_ratio: Ratio = 0.0
    most_ratio: Ratio = 0.0
    most_changed: Share = 1.0
    duplicates: Literal["keep", "pair", "source"] = "keep"
    dev: Count = 0
    shuffle: bool = True


SETTABLE = tuple(
    field.encode_name
    for field in msgspec.structs.fields(Recipe)
    if field.encode_name not in ("corpus", "filter", "normalise")
)
"""Keys that a terminal can set to one value."""


def load_recipe(which: str) -> Recipe:
    """Load a packaged recipe by its name, or the recipe in a file; "" has no steps.

    Paths in a file count from its own folder.

    Raises:
        UnknownNameError: There is no such packaged recipe, and no such file.
        FormatError: The file is not TOML, or holds an unknown key or a wrong value.
    """
    if not which:
        return Recipe()
    recipe = load_packaged("recipe", which, RECIPES, Recipe)
    folder = Path(which).parent

    def beside(file: str) -> str:
        return str(folder / file) if file else ""

    corpora = tuple(
        msgspec.structs.replace(
            corpus, path=beside(corpus.path), references=tuple(map(beside, corpus.references))
        )
        for corpus in recipe.corpus
    )
    return msgspec.structs.replace(recipe, corpus=corpora, filter=tuple(map(beside, recipe.filter)))


def with_settings(recipe: Recipe, settings: Mapping[str, object]) -> Recipe:
    """A recipe with other values of its keys; strings are converted.

    Raises:
        UnknownNameError: There is no such key that takes one value.
        UsageError: A value has the wrong type or lies outside its bounds.
    """
    for key in settings:
        if key not in SETTABLE:
            raise UnknownNameError("key of recipes", key, SETTABLE)
    return with_values("recipes", recipe, settings)


def with_corpora(recipe: Recipe, corpora: Mapping[str, Mapping[str, object]]) -> Recipe:
    """A recipe with other values of its corpora, and with more corpora.

    Args:
        recipe: Whose corpora of other names stay as they are.
        corpora: By the name of a corpus: values of `Ingredient` by name.

    Raises:
        UsageError: A value has the wrong type or lies outside its bounds.
    """
    _check_names(recipe)
    known = {corpus.name: corpus for corpus in recipe.corpus}
    for name, values in corpora.items():
        if name not in known and "path" not in values:
            raise UnknownNameError("corpus", name, known)
        known[name] = with_values("a corpus", known.get(name, Ingredient(name=name)), values)
    return msgspec.structs.replace(recipe, corpus=tuple(known.values()))


def check_recipe(recipe: Recipe) -> None:
    """Refuse what no key alone shows to be wrong.

    Raises:
        UsageError: Says which keys do not go together, which corpus is missing, or that the
            language is none.
    """
    if not recipe.corpus:
        raise UsageError("there is no corpus; name one, as --corpus hsk=hsk.tsv")
    if recipe.language:
        language_of(recipe.language)
    _check_names(recipe)
    for corpus in recipe.corpus:
        if not corpus.name.strip() or not corpus.name.isprintable():
            raise UsageError(f"a corpus is called {corpus.name!r}; give it a name")
        if not corpus.path:
            raise UsageError(
                f"the recipe does not say where corpus {corpus.name!r} lies; "
                f"add --corpus {corpus.name}=FILE"
            )
        _check_reading(corpus)
    if recipe.most_ratio and recipe.most_ratio < recipe.least_ratio:
        raise UsageError(
            f"most_ratio {recipe.most_ratio} is below least_ratio {recipe.least_ratio}, so nothing "
            "would stay"
        )
    _check_files([path for corpus in recipe.corpus for path in (corpus.path, *corpus.references)])
    _check_files(recipe.filter)


def _check_reading(corpus: Ingredient) -> None:
    if corpus.references and corpus.format not in ("", "lines"):
        raise UsageError(
            f"corpus {corpus.name!r}: reference files go with format lines, not {corpus.format}"
        )
    if isinstance(corpus.columns, dict):
        names_of(corpus.columns)
        if corpus.references or corpus.format not in ("", "table"):
            raise UsageError(
                f"corpus {corpus.name!r}: columns have names in CSV, TSV and JSON alone; leave its "
                "format and its reference files out"
            )
    elif corpus.columns[0] >= corpus.columns[1]:
        raise UsageError(
            f"corpus {corpus.name!r}: the source stands in column {corpus.columns[0]}, the "
            f"first target in column {corpus.columns[1]}; the source comes first"
        )


def _check_names(recipe: Recipe) -> None:
    names = [corpus.name for corpus in recipe.corpus]
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise UsageError(f"corpus {twice[0]!r} stands twice in the recipe; names are unique")


def _check_files(paths: Sequence[str]) -> None:
    for path in map(str, map(path_of, paths)):
        if path == "-":
            raise UsageError("standard input cannot be prepared: files are read twice; name a file")


# The sentences of a recipe's corpora and evaluation sets, one after another.


PAIRS = "pairs"
"""The format of pairs: source TAB target, as CLang8 is published."""


class Sentence(NamedTuple):
    """A sentence as a corpus gives it.

    Args:
        source: As written.
        targets: One for each reference; the source where one says that it is free of error.
        unannotatable: How many references say so.
        inapplicable: How many references are edits that cannot be applied to the source.
    """

    source: str
    targets: tuple[str, ...]
    unannotatable: int = 0
    inapplicable: int = 0


def open_corpus(corpus: Ingredient) -> tuple[Corpus, Iterator[Sentence]]:
    """What a corpus says of itself, and its sentences up to its limit.

    Raises:
        GecbenchError: A file cannot be read, is empty, or is not what its format promises; also
            while the sentences are asked for.
    """
    about, path = Corpus(corpus.name, ()), Path(corpus.path)
    columns = corpus.columns if isinstance(corpus.columns, dict) else None
    if corpus.format == PAIRS and not isinstance(corpus.columns, dict):
        sentences = _pairs(path, *corpus.columns)
    elif corpus.references:
        samples = stream_parallel(path, [Path(file) for file in corpus.references])
        sentences = (_sentence(sample, None) for sample in samples)
    else:
        try:
            about, samples = stream_corpus(path, format=corpus.format or None, columns=columns)
        except SentencesAsIdsError as error:
            if corpus.format:
                raise
            raise FormatError(f"{error}; here it is --from {corpus.name}={PAIRS}") from error
        except FormatError as error:
            named = f"--columns {corpus.name}={CORPUS_FORM}"
            raise error.with_option(named, COLUMNS_OPTION) from error
        sentences = (_sentence(sample, about.lang) for sample in samples)
    return about, islice(sentences, corpus.limit or None)


def evaluation_texts(path: Path) -> Iterator[str]:
    """Yield the sentences of an evaluation set: sources, then the references of each.

    Raises:
        GecbenchError: The file cannot be read or is not what its format promises.
    """
    try:
        about, samples = stream_corpus(path)
    except FormatError as error:
        raise advise_conversion(error) from error
    for sample in samples:
        sentence = _sentence(sample, about.lang)
        yield sentence.source
        yield from sentence.targets


def _sentence(sample: Sample, lang: str | None) -> Sentence:
    targets = []
    unannotatable = inapplicable = 0
    for rewrite in sample.references:
        if rewrite.unannotatable:
            unannotatable += 1
            continue
        try:
            targets.append(text_of(sample, rewrite, lang))
        except CorpusError:  # edits that overlap, as MaxMatch allows
            inapplicable += 1
    return Sentence(sample.source, tuple(targets), unannotatable, inapplicable)


def _pairs(path: Path, source: int, target: int) -> Iterator[Sentence]:
    n = 0
    for n, line in enumerate(stream_lines(path), 1):
        cells = line.split("\t")
        if len(cells) < target:
            width = count_noun(len(cells), "column")
            raise FormatError(
                f"{path}:{n}: there {'is' if len(cells) == 1 else 'are'} {width}, but the target "
                f"stands in column {target}: "
                f"{quote(line)}; rows are source TAB target, or name other columns"
            )
        targets = cells[target - 1 : target] + [cell for cell in cells[target:] if cell.strip()]
        yield Sentence(cells[source - 1], tuple(targets))
    if not n:
        raise FormatError(f"{path}:1: the file is empty; a corpus has at least one sentence")


# The manifest: what a preparation took in, dropped for which reason, and put out.


SCHEMA = 1


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was read.

    Args:
        path: As it was given.
        size: In bytes.
        sha256: Of its content.
    """

    path: str
    size: int
    sha256: str


class CorpusCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a corpus.

    `pairs` + `pieces` = the sum of `dropped` + `kept`, where a pair that was split counts as its
    first piece and `pieces` are the others.

    Args:
        name: In the recipe.
        files: Its own, then those of its references.
        notes: What its reader could not keep.
        weight: How often each of its pairs is written.
        sentences: Read.
        without_reference: Sentences that have no pair, because nobody corrected them.
        unannotatable: References that say so, which make no pair.
        inapplicable: References that are edits that overlap, which make no pair.
        pairs: One for each other reference.
        split: Pairs that were divided into their sentences.
        pieces: That came of it, beyond the first of each.
        cut: Pairs of which only the first sentences stay.
        dropped: Pairs by reason, in the order of the steps.
        kept: Pairs that passed all steps.
        dev: Of these, how many were put aside.
        written: Lines for training: the others, each as often as the weight says.
    """

    name: str
    files: tuple[Source, ...]
    notes: tuple[str, ...]
    weight: int
    sentences: int
    without_reference: int
    unannotatable: int
    inapplicable: int
    pairs: int
    split: int
    pieces: int
    cut: int
    dropped: Mapping[str, int]
    kept: int
    dev: int
    written: int


class EvaluationCounts(msgspec.Struct, frozen=True, kw_only=True):
    """An evaluation set that was filtered by.

    Args:
        file: That was read.
        sentences: Distinct ones in it, references included.
    """

    file: Source
    sentences: int


class NearExample(msgspec.Struct, frozen=True, kw_only=True):
    """A pair that was dropped because it is like an evaluation sentence.

    Args:
        corpus: It is of.
        side: source or target.
        text: Of this side.
        evaluation: The sentence it is like, without white space, in NFKC.
        similarity: Jaccard's of their character n-grams, not rounded.
    """

    corpus: str
    side: str
    text: str
    evaluation: str
    similarity: float


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was written.

    Args:
        path: As it was given.
        format: jsonl, mucgec or pairs.
        sentences: Lines, a header aside.
        references: In all of them.
        sha256: Of its content.
    """

    path: str
    format: str
    sentences: int
    references: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A preparation. The same inputs, recipe and version give the same files.

    Args:
        schema: Of the file that this is written to.
        gecbench: Version.
        unicode: Version of the tables that texts were compared by.
        recipe: All its keys, defaults included, but for the corpora.
        normalise: The changes with the versions of what makes them.
        evaluation: Sets that were filtered by.
        evaluation_sentences: Distinct ones in all of them.
        corpora: In the order of the recipe.
        near_examples: The first pairs that were dropped for being like an evaluation sentence.
        outputs: Training data, then the sentences put aside, if any.
    """

    schema: int = SCHEMA
    gecbench: str
    unicode: str
    recipe: Mapping[str, object]
    normalise: tuple[str, ...]
    evaluation: tuple[EvaluationCounts, ...]
    evaluation_sentences: int
    corpora: tuple[CorpusCounts, ...]
    near_examples: tuple[NearExample, ...]
    outputs: tuple[Output, ...]


def encode_manifest(manifest: Manifest) -> bytes:
    """Encode the manifest as JSON."""
    import json

    text = json.dumps(msgspec.to_builtins(manifest), ensure_ascii=False, indent=2)
    return f"{text}\n".encode()
