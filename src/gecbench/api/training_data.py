"""Data to train with: prepared, corrupted, perturbed, divided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import cast

import msgspec

from gecbench import __version__
from gecbench.api.files import fingerprint_of, in_language, load
from gecbench.api.options import quiet
from gecbench.api.schemes import extract
from gecbench.api.verb_options import PerturbOptions
from gecbench.backends import SEGMENTERS, TAGGERS
from gecbench.core.errors import (
    CorpusError,
    GecbenchError,
    MissingExtraError,
    UnknownNameError,
    UsageError,
)
from gecbench.core.files import (
    STDIO,
    check_folder,
    encode_text,
    make_folder,
    path_of,
    remove_file,
    write_files,
    write_text,
)
from gecbench.core.language import Language
from gecbench.core.options import Cluster, Workers, check_jobs, jobs_error, jobs_of_step
from gecbench.core.perturbed import SYNTHETIC, PerturbedSet
from gecbench.core.processes import cores
from gecbench.core.registry import resolve
from gecbench.core.sample import NOT_KEPT, Corpus
from gecbench.core.scheme import Scheme, Watch, no_progress
from gecbench.datasets.catalog import read_verified_file
from gecbench.datasets.corrupt.corrupt import (
    Counts,
    LabelFile,
    Labels,
    TextCorruptor,
    To,
    load_corruption,
    texts_of,
)
from gecbench.datasets.corrupt.corrupt import corrupt as run_corruptor
from gecbench.datasets.corrupt.profile import (
    Fit,
    Profile,
    load_profile,
    profile_names,
    toml_of_profile,
    with_settings,
)
from gecbench.datasets.corrupt.profile import fit as run_fit
from gecbench.datasets.perturb.context import (
    Cut,
    SentencePair,
    SentencePairs,
    Word,
    WordSplitter,
    digest,
    kind_of,
    pairs_of_cases,
    pairs_of_corpus,
    segmenter_splitter,
    token_splitter,
)
from gecbench.datasets.perturb.fillers import Filler, count_words, read_vocabulary, vocabulary_of
from gecbench.datasets.perturb.variants import (
    FILL,
    INSERT,
    PARTS,
    RANDOM,
    SUBSTITUTE,
    Division,
    PerturbPlan,
    PerturbReport,
    WordTask,
    words_of,
)
from gecbench.datasets.perturb.variants import divide as divide_run
from gecbench.datasets.perturb.variants import perturb as run_perturbation
from gecbench.datasets.prepare.prepare import output_files
from gecbench.datasets.prepare.prepare import prepare as run_recipe
from gecbench.datasets.prepare.recipe import (
    Manifest,
    Recipe,
    check_recipe,
    load_recipe,
    with_corpora,
)
from gecbench.datasets.prepare.recipe import (
    with_settings as with_keys,
)
from gecbench.formats.perturbed import holds_perturbed, read_perturbed, write_perturbed
from gecbench.formats.table import Columns
from gecbench.lang import CORRUPTIONS, find_language, language_of, language_warning, transforms_for
from gecbench.models.tags.derive import derive_labels
from gecbench.scoring.languages import check_pipeline, corpus_language
from gecbench.text.tokens import TOKEN_KINDS, token_kind, token_texts

# Training data from corpora by a recipe.


def prepare(
    recipe: Recipe | str = "",
    *,
    output: Path | str,
    corpora: Mapping[str, Mapping[str, object]] | None = None,
    filters: Sequence[Path | str] = (),
    settings: Mapping[str, object] | None = None,
    dev_output: Path | str | None = None,
    format: str = "jsonl",
    overwrite: bool = True,
    jobs: Workers = 1,
    say: Callable[[str], None] = quiet,
    progress: Callable[[str, int], None] = lambda _name, _count: None,
) -> Manifest:
    """Write training data and its manifest, and return the manifest.

    Args:
        recipe: Itself, a packaged one's name, or the path of one; "" is one without steps
            but that pairs without an error are dropped.
        output: File for the pairs; its manifest lies beside it.
        corpora: By name: fields of `Ingredient` that the recipe leaves open or that differ.
        filters: Evaluation sets beside those of the recipe.
        settings: Other keys of the recipe that differ; strings are converted.
        dev_output: File for the sentences put aside; None takes the output's name with .dev.
        format: jsonl, mucgec or pairs.
        overwrite: Whether files that are there may be replaced.
        jobs: How many processes work, or a cluster; None means one for each processor where that
            is quicker. A script that asks for several keeps its own work under
            `if __name__ == "__main__":`.
        say: Told what a user should know of the corpora.
        progress: Told a corpus and how many of its sentences were read.

    Raises:
        GecbenchError: The recipe is wrong or not complete, a file cannot be read or written, or
            nothing would be left.
    """
    chosen = load_recipe(recipe) if isinstance(recipe, str) else recipe
    chosen = with_corpora(with_keys(chosen, settings or {}), corpora or {})
    chosen = msgspec.structs.replace(chosen, filter=(*chosen.filter, *map(str, filters)))
    check_recipe(chosen)
    dev = None if dev_output is None else path_of(dev_output)
    files = output_files(path_of(output), chosen, dev=dev, format=format, overwrite=overwrite)
    return run_recipe(chosen, files, jobs=jobs, say=say, progress=progress)


# Synthetic errors in correct texts, by rules or as a real corpus errs.


_LOOKED_AT = 200


def corrupt(
    texts: Path | str,
    output: Path | str,
    profile: Profile | str = "",
    *,
    seed: int = 0,
    settings: Mapping[str, str] | None = None,
    format: str | None = None,
    columns: Columns | None = None,
    lang: str | None = None,
    to: To = "jsonl",
    labels: Path | str | None = None,
    jobs: Workers = 1,
    folder: Path | None = None,
    mirror: Path | None = None,
    say: Callable[[str], None] = quiet,
    progress: Callable[[int], None] = lambda _done: None,
) -> Counts:
    """Make errors in correct texts, write pairs, and return what was made.

    The same texts, profile and seed give the same bytes; a sentence's errors depend on its place
    in the file, not on those around it.

    Args:
        texts: A file in any format: the references of a corpus that has some, else its sources.
        output: File for the pairs.
        profile: Itself, a packaged one's name, or the path of one; "" takes the default one of
            the language of the texts.
        seed: Of all that is random.
        settings: Keys of the profile that differ, `types.NAME` for the weight of one type.
        format: Of the texts; None finds out.
        columns: Of texts in CSV, TSV and JSON, as `load` takes them.
        lang: Code of their language; None takes the file's, and else finds out. It decides the
            default profile alone.
        to: jsonl, with an edit for each error that says its type; or pairs, source TAB target.
        labels: File for the labels of a tagger that lead from source to target.
        jobs: Processes, or a cluster; None takes one for each processor where that is quicker.
        folder: Where data sets lie, for a profile that asks for one.
        mirror: Looked at before it.
        say: Told what a user should know of the texts.
        progress: Told how many sentences were read.

    Raises:
        GecbenchError: The profile is wrong, or a file cannot be read or written.
    """
    label_path = None if labels is None else path_of(labels)
    _check_apart(path_of(texts), path_of(output), label_path)
    corpus, rows = texts_of(path_of(texts), format=format, columns=columns)
    lang = corpus.lang if lang is None else lang
    first = list(islice(rows, _LOOKED_AT))
    first_texts = [text for _, text in first if text]
    if warning := language_warning(lang, first_texts, corpus.name):
        say(f"note: {warning}")
    name = "given" if isinstance(profile, Profile) else profile
    name = name or _default_profile(lang, first_texts, corpus.name)
    chosen = load_profile(name) if isinstance(profile, str) else profile
    chosen = with_settings(chosen, settings or {})
    label_file = None
    if label_path is not None:
        language = language_of(chosen.language)
        tokens = chosen.tokens if language.joiner else language.tokens
        about = {"lang": chosen.language, "tokens": tokens}
        label_file = LabelFile(label_path, labels_for(chosen.language, tokens), about)
    return run_corruptor(
        corpus.name,
        chain(first, rows),
        path_of(output),
        TextCorruptor(chosen, name, partial(_shapes, folder, mirror), seed),
        jobs=jobs,
        to=to,
        label_file=label_file,
        progress=progress,
    )


def _shapes(folder: Path | None, mirror: Path | None) -> bytes:
    """The table of shapes of ChERRANT's data set."""
    return read_verified_file("cherrant", "char_meta.txt", folder=folder, mirror=mirror)


def _check_apart(texts: Path, output: Path, labels: Path | None) -> None:
    """Refuse files of which one would take the place of another."""
    files = [("the texts", texts), ("the output", output)]
    files += [("the labels", labels)] if labels is not None else []
    for k, (what, path) in enumerate(files):
        for other_name, other in files[:k]:
            if STDIO in (str(path), str(other)):
                clash = str(path) == str(other) and other_name != "the texts"
            else:
                clash = path.resolve() == other.resolve()
            if clash:
                raise UsageError(f"{path}: is {other_name} and {what}; name another file")


def _default_profile(lang: str | None, texts: Sequence[str], corpus: str) -> str:
    """The name of the default profile of the texts' language."""
    language = find_language(lang, texts, corpus)
    name = f"{language.code}-default"
    if name not in profile_names():
        raise UsageError(
            f"{corpus}: there is no default profile for language {language.code!r}, only "
            f"{' and '.join(profile_names())}; name a profile of your own by --profile"
        )
    return name


def labels_for(language: str, tokens: str) -> Labels:
    """Make what labels a pair as a tagger's training derives the labels from it.

    All labels of a token stand in one list, as `models.tags.derive.derive_labels` gives them; what
    training learns in its first round is the first that is not $KEEP (`choose_labels`).

    >>> labels_for("zh", "zh")("我今天高心。", "我今天很高兴。")[1][3:6]
    (('$KEEP', '$APPEND_很'), ('$KEEP',), ('$REPLACE_兴',))
    """
    transforms = transforms_for(language)

    def label(source: str, target: str) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
        before, after = token_texts(source, tokens), token_texts(target, tokens)
        return before, derive_labels(before, after, transforms)

    return label


def fit(
    corpus: Corpus,
    output: Path | str | None = None,
    *,
    scheme: Scheme | None = None,
    least: int = 2,
    say: Callable[[str], None] = quiet,
) -> Fit:
    """Fit a profile to the errors of a corpus by number, type, length and words, and write it.

    Args:
        corpus: With references. Edits that they bring are taken as they are, the types with them.
        output: File for the profile, TOML; None writes none.
        scheme: Finds the edits, again where there are some; None needs those of the corpus.
        least: Occurrences from which a confusion is kept.
        say: Told what a user should know of the texts.

    Raises:
        UsageError: `least` is below 1, or a reference has no edits and there is no scheme.
        CorpusError: There is nothing to fit to.
    """
    if least < 1:
        raise UsageError(f"the least count is {least}; a confusion is seen at least once")
    language = language_of(scheme.lang) if scheme else corpus_language(corpus)
    if language.code not in CORRUPTIONS:
        raise UsageError(
            f"language {language.code!r} cannot be fitted, only {' and '.join(CORRUPTIONS)}"
        )
    if scheme and (warning := scheme.warn([sample.source for sample in corpus.samples])):
        say(f"note: {corpus.name}: {warning}")
    edited = corpus if scheme is None else extract(corpus, scheme)
    empty = Profile(language=language.code, types={})
    corruption = load_corruption(empty, partial(_shapes, None, None))
    fitted = run_fit(edited, language, corruption, least=least)
    by = {"scheme": scheme.name, **scheme.signature} if scheme else {"scheme": "given edits"}
    source = {
        "corpus": corpus.name,
        "pairs": str(fitted.pairs),
        "edits": str(fitted.edits),
        "least": str(least),
        **by,
        "gecbench": __version__,
    }
    fitted = fitted._replace(profile=msgspec.structs.replace(fitted.profile, source=source))
    if output is not None:
        write_text(path_of(output), toml_of_profile(fitted.profile, _NOTES))
    return fitted


_NOTES = (
    "A profile of gecbench corrupt, fitted to a corpus. It holds words of that corpus: whoever may",
    "not pass on the corpus should ask whether he may pass on this file.",
    "confusions: right, wrong, how often, how often the right one stands in the corrections.",
)


# Other contexts around the same errors; to train with, never to evaluate on.


FREQUENCY, MASK = "frequency", "mask"

_TOP = 20
_BATCH = 64
_PAYS = 5000
"""Sentences from which several processes are quicker than one, which need not be started."""


@dataclass(frozen=True, slots=True)
class Perturbation:
    """Perturbed cases, and how they came to be.

    Args:
        cases: With provenance that says they are synthetic.
        report: What was made, rejected and left out.
    """

    cases: PerturbedSet
    report: PerturbReport


def perturb(
    corpus: Corpus | PerturbedSet | Path | str,
    *,
    options: PerturbOptions | None = None,
    source: str | None = None,
    lang: str | None = None,
    jobs: Workers = 1,
    watch: Watch = no_progress,
) -> Perturbation:
    """Make variants of sentences whose context is changed and whose errors are not.

    Args:
        corpus: With references; or perturbed cases, whose originals are perturbed again; or the
            path of one or the other.
        options: How.
        source: Says in the provenance where the corpus comes from; None is the file's name and
            hash, or a hash of the sentences.
        lang: Code of the language of the texts; None takes that of the corpus.
        jobs: How many processes work, or a cluster; None means one for each processor where that
            is quicker. A script that asks for several keeps its own work under
            `if __name__ == "__main__":`.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: An option is wrong, something is missing, or no sentence can be perturbed.
    """
    options = options or PerturbOptions()
    plan = _plan(options)
    check_jobs(jobs)
    if options.model and jobs not in (None, 1):
        raise jobs_error(
            jobs, "a masked language model uses several processors itself", "leave jobs out"
        )
    if isinstance(corpus, (Path, str)):
        path = path_of(corpus)
        source = source or fingerprint_of(path)
        corpus = read_perturbed(path) if holds_perturbed(path) else load(path)
    corpus = in_language(corpus, lang)
    language, pairs = _pairs_to_perturb(corpus, each_reference=options.each_reference)
    texts = [pair.target for pair in pairs.pairs]
    kind = options.tokens or kind_of(language, texts)
    if jobs is None:
        jobs = cores() if len(pairs.pairs) >= _PAYS and not options.model else 1
    filler, words, how = _filler(corpus, pairs.pairs, kind, language, options, jobs, watch)
    subsets, report = run_perturbation(
        pairs.pairs,
        words,
        kind=kind,
        filler=filler,
        plan=plan,
        watch=watch,
        jobs=jobs_of_step(jobs, "variants"),
    )
    report = replace(
        report,
        sentences=report.sentences + sum(map(len, pairs.left_out.values())),
        left_out={**pairs.left_out, **report.left_out},
    )
    provenance = {
        **{name: text for name, text in corpus.provenance.items() if name != NOT_KEPT},
        **_provenance(plan, filler.name, kind, how, source or f"sha256 {digest(pairs.pairs)}"),
        "references": "each" if options.each_reference else "first",
    }
    cases = PerturbedSet(f"{corpus.name}-{SYNTHETIC}", subsets, language.code, provenance)
    return Perturbation(cases, report)


def _plan(options: PerturbOptions) -> PerturbPlan:
    """Check the options, and make the plan of them.

    Raises:
        UsageError: An option is wrong, or would be ignored.
    """
    plan = PerturbPlan(
        variants=options.variants,
        operations=tuple(filter(None, options.operations)),
        insertion=options.insertion or RANDOM,
        seed=options.seed,
    )
    _check(options)
    if plan.insertion == FILL and not options.model:
        raise UsageError("insertion by filling needs a masked language model: filler mask:NAME")
    if options.insertion and INSERT not in plan.operations:
        raise UsageError(
            f"insertion is {options.insertion}, but insert is none of the operations; leave it "
            "out, or allow insert"
        )
    if options.model and plan.insertion == RANDOM and SUBSTITUTE not in plan.operations:
        raise UsageError(
            "a masked language model is asked for, but nothing is filled: allow substitute, or "
            "insertion by filling"
        )
    return plan


def _check(options: PerturbOptions) -> None:
    """Refuse fillers that are unknown, and options of another filler."""
    kind, colon, name = options.filler.partition(":")
    if kind not in (FREQUENCY, MASK) or (kind == FREQUENCY and colon):
        raise UnknownNameError("filler", options.filler, (FREQUENCY, f"{MASK}:NAME"))
    if kind == MASK and not name:
        raise UsageError("filler mask needs a masked language model by name or folder: mask:NAME")
    others: Mapping[str, Mapping[str, object]] = {
        MASK: {"words": options.words, "pos": options.pos, "spacy-model": options.spacy_model},
        FREQUENCY: {"top": options.top, "device": options.device or None, "batch": options.batch},
    }
    for option, value in others[kind].items():
        if value is not None:
            raise UsageError(f"filler {kind} has no use for {option}; leave it out")
    if options.pos is False and options.spacy_model is not None:
        raise UsageError("spacy-model knows parts of speech, which --no-pos does without; say one")
    for option, number in (("top", options.top), ("batch", options.batch)):
        if number is not None and number < 1:
            raise UsageError(f"{option} is {number}; give 1 or more")
    if options.tokens is not None and options.tokens not in TOKEN_KINDS:
        raise UnknownNameError("kind of token", options.tokens, TOKEN_KINDS)


def _pairs_to_perturb(
    corpus: Corpus | PerturbedSet, *, each_reference: bool
) -> tuple[Language, SentencePairs]:
    """The language of a corpus, and its pairs.

    Raises:
        CorpusError: There is no pair.
    """
    if isinstance(corpus, PerturbedSet):
        return corpus_language(corpus.corpus()), pairs_of_cases(corpus)
    language = corpus_language(corpus)
    pairs = pairs_of_corpus(corpus, language.code, each_reference=each_reference)
    if not pairs.pairs:
        why = ", ".join(f"{len(ids):,} {reason}" for reason, ids in pairs.left_out.items())
        raise CorpusError(
            f"{corpus.name}: no sentence has a reference to perturb it with "
            f"({why or 'none at all'}); give references (for text files: --reference FILE)"
        )
    return language, pairs


def _filler(
    corpus: Corpus | PerturbedSet,
    pairs: Sequence[SentencePair],
    kind: str,
    language: Language,
    options: PerturbOptions,
    jobs: int | Cluster,
    watch: Watch,
) -> tuple[Filler, list[tuple[Word, ...]], str]:
    """Make what fills places; find the words of all pairs, and the name of what divides them."""
    # A model is loaded before the words are found, for it may be missing.
    filler = _masked_filler(options, kind) if options.model else None
    pos = filler is None and options.pos is not False
    divide, how = _divide(corpus, kind, language, options, pos=pos)
    if options.words is not None:
        filler = read_vocabulary(path_of(options.words), divide, tagged=pos)
    load = (lambda: divide) if jobs == 1 else partial(_load_divide, kind, language, options, pos)
    inputs = {"words": how}
    if isinstance(jobs, Cluster) and options.spacy_model:
        from gecbench.backends.spacy import describe

        inputs["pipeline"] = describe(options.spacy_model).digest
    words = words_of(pairs, WordTask(load), watch, jobs=jobs_of_step(jobs, "words", inputs))
    return filler or vocabulary_of(count_words(words), corpus.name), words, how


def _load_divide(kind: str, language: Language, options: PerturbOptions, pos: bool) -> WordSplitter:
    """Load in another process what divides texts into words."""
    return _divide(None, kind, language, options, pos=pos)[0]


def _masked_filler(options: PerturbOptions, kind: str) -> Filler:
    from gecbench.backends.transformers import MaskedModel
    from gecbench.datasets.perturb.fillers import MaskedFiller

    by_character = not token_kind(kind).joiner
    model = MaskedModel(
        options.model, chinese=by_character, device=options.device, batch=options.batch or _BATCH
    )
    name = Path(options.model).resolve().name if Path(options.model).is_dir() else options.model
    return MaskedFiller(model, name, options.top or _TOP, by_character)


def _divide(
    corpus: Corpus | PerturbedSet | None,
    kind: str,
    language: Language,
    options: PerturbOptions,
    *,
    pos: bool,
) -> tuple[WordSplitter, str]:
    """Choose what divides texts into words, and name it.

    Args:
        corpus: A pipeline for another language is refused; None where another process has done so.
        kind: Of tokens.
        language: Of the texts.
        options: Name a pipeline.
        pos: Whether parts of speech are wanted.
    """
    if not token_kind(kind).joiner and (language.segmenter or options.tokens):
        return _cutting(kind, language, options, pos=pos)
    if not pos:
        return token_splitter(kind, None), "tokens"
    model = options.spacy_model or language.pipeline
    if model is None:
        raise UsageError(
            f"gecbench has no pipeline that knows parts of speech in language {language.code!r}; "
            "name one by --spacy-model, or say --no-pos"
        )
    if find_spec("spacy") is None:
        raise MissingExtraError("spaCy, which knows parts of speech (--no-pos does without),", "en")
    from gecbench.backends.spacy import Pipeline, describe

    about = describe(model)
    if corpus is not None:
        check_pipeline(corpus, about.name, about.lang)
    pipeline = Pipeline(about)

    def tag(sentences: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
        return (words.tags for words in pipeline.words(sentences, parsed=False))

    return token_splitter(kind, tag), f"tokens, parts of speech by {pipeline.version}"


def _cutting(
    kind: str, language: Language, options: PerturbOptions, *, pos: bool
) -> tuple[WordSplitter, str]:
    # Tokens of Chinese can be asked for in any language; then Chinese is who divides them.
    name = language.segmenter or language_of(kind).segmenter
    if options.spacy_model is not None:
        raise UsageError(
            f"spacy-model is for words between blanks; {language_of(kind).name} texts take {name}'s"
        )
    if not pos:
        how, divide = cast("_Segmenter", resolve("segmenter", name, SEGMENTERS))("")
        return segmenter_splitter(kind, lambda text: [(word, "") for word in divide(text)]), how
    if name not in TAGGERS:
        raise UsageError(f"{name} divides texts and knows no parts of speech; say --no-pos")
    how, cut = cast("_Tagger", resolve("tagger", name, TAGGERS))()
    return segmenter_splitter(kind, cut), how


_Segmenter = Callable[[str], tuple[str, Callable[[str], tuple[str, ...]]]]
_Tagger = Callable[[], tuple[str, Cut]]


def _provenance(
    plan: PerturbPlan, filler: str, kind: str, how: str, source: str
) -> Mapping[str, str]:
    return {
        SYNTHETIC: "perturbed by gecbench: for training alone, never for evaluation",
        "input": source,
        "seed": str(plan.seed),
        "variants": str(plan.variants),
        "operations": ",".join(plan.operations),
        "insertion": plan.insertion,
        "filler": filler,
        "tokens": kind,
        "words": how,
        "gecbench": __version__,
    }


# Perturbed cases divided into files for training, dev and test.


TEST, DEV, SEED = 2500, 500, 1


def divide(
    cases: PerturbedSet | Path | str,
    folder: Path | str,
    *,
    test: int = TEST,
    dev: int = DEV,
    seed: int = SEED,
    overwrite: bool = False,
    lang: str | None = None,
    say: Callable[[str], None] = quiet,
) -> Division:
    """Write train.jsonl, dev.jsonl and test.jsonl, and return the parts.

    None is written unless all can be. Then parts of an earlier division that this one does not
    have are removed; if that fails, they stay beside the new ones, and the error names the first.

    Args:
        cases: Perturbed cases, or where they lie.
        folder: Made if need be; a part without cases has no file.
        test: How many cases are for the test.
        dev: How many to stop training by; all others are to train on.
        seed: Chooses them.
        overwrite: Whether this division may take the place of an earlier one, all its parts.
        lang: Code of the language of the cases, which the parts declare; None takes theirs.
        say: Told where the texts contradict it.

    Raises:
        UsageError: A part would take the place of what is divided, or lie in it.
        GecbenchError: There are too few cases, something cannot be read or written, or the
            folder holds an earlier division, or files of these names that no division wrote,
            links among them.
    """
    folder = path_of(folder)
    check_folder(folder)
    files = {name: folder / f"{name}.jsonl" for name in PARTS}
    if isinstance(cases, PerturbedSet):
        source = cases.name
    else:
        path = path_of(cases)
        read = {path.resolve(), *(entry.resolve() for entry in path.rglob("*"))}
        if folder.resolve().is_relative_to(path.resolve()) or not read.isdisjoint(
            part.resolve() for part in files.values()
        ):
            raise UsageError(
                f"{path}: a part would take its place, or lie in it; name another folder"
            )
        source, cases = fingerprint_of(path), read_perturbed(path)
    earlier = [path for path in files.values() if path.exists() or path.is_symlink()]
    if earlier and not overwrite:
        raise GecbenchError(
            f"{earlier[0]}: already exists; name another folder, or add --overwrite"
        )
    for path in earlier:
        if not _is_of_division(path):
            raise GecbenchError(
                f"{path}: no division wrote it, and --overwrite replaces nothing else; move it, "
                "or name another folder"
            )
    cases = in_language(cases, lang)
    texts = (sample.source for sample in cases.corpus().samples)
    if warning := language_warning(cases.lang, texts, cases.name):
        say(f"note: {warning}")
    provenance = {"division input": source, "division gecbench": __version__}
    division = divide_run(cases, test=test, dev=dev, seed=seed, provenance=provenance)
    contents = {files[name]: write_perturbed(part) for name, part in division.parts.items()}
    content = {path: encode_text(path, text) for path, text in contents.items()}
    make_folder(folder)
    write_files(content)
    for path in earlier:
        if path not in content:
            remove_file(path)  # or it would stand beside parts that it does not belong to
    return division


def _is_of_division(path: Path) -> bool:
    """Say whether a division wrote a file, as its provenance tells; it writes no links."""
    if path.is_symlink():
        return False
    try:
        provenance = read_perturbed(path).provenance
    except GecbenchError:
        return False
    return provenance.get("part") == path.stem and "division seed" in provenance
