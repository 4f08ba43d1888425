"""Training data by a recipe: one pass over the corpora, one over the pairs that stay."""

from __future__ import annotations

import random
import unicodedata
from array import array
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from heapq import heappush, heappushpop
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from gecbench import __version__
from gecbench.core.errors import (
    CorpusError,
    UnknownNameError,
    UsageError,
    count_noun,
)
from gecbench.core.files import (
    STDIO,
    check_new,
    check_target,
    explain_errors,
    explain_read_errors,
    temporary_file,
    write_bytes,
    write_stream,
)
from gecbench.core.options import Workers, check_jobs, jobs_of_step
from gecbench.core.processes import cores, map_in_processes
from gecbench.core.sample import NOT_KEPT, Corpus, Rewrite, Sample
from gecbench.core.seeding import number
from gecbench.datasets.catalog import sha256_of
from gecbench.datasets.prepare.recipe import (
    PAIRS,
    CorpusCounts,
    EvaluationCounts,
    Manifest,
    NearExample,
    Output,
    Recipe,
    Sentence,
    Source,
    check_recipe,
    encode_manifest,
    open_corpus,
)
from gecbench.datasets.prepare.steps import (
    DROPPED,
    Steps,
    Verdict,
    group_of,
)
from gecbench.formats import load_format
from gecbench.formats.texts import check_cell, error_place, sample_place
from gecbench.lang import language_warning

Progress = Callable[[str, int], None]
"""Called now and then with the name of a corpus and how many of its sentences were read."""

OUTPUT_FORMATS = ("jsonl", "mucgec", PAIRS)
"""What can be written line by line."""

COUNTED = (
    *("sentences", "without_reference", "unannotatable", "inapplicable", "pairs"),
    *("split", "pieces", "cut", "kept"),
)
"""What is counted of a corpus beside the reasons for which pairs are dropped."""

_EXAMPLES = 20
_EVERY = 5000
_BATCH = 1000
_PAYS = 50_000
"""Sentences of a corpus after which several processes are quicker than one, in costly steps."""
_LOOKED_AT = 200


class OutputFiles(NamedTuple):
    """Where the result goes.

    Args:
        train: Pairs for training.
        dev: Sentences that are put aside; None where the recipe puts none aside.
        manifest: What was done.
        format: A name of `OUTPUT_FORMATS`.
    """

    train: Path
    dev: Path | None
    manifest: Path
    format: str


def output_files(
    output: Path, recipe: Recipe, *, dev: Path | None, format: str, overwrite: bool
) -> OutputFiles:
    """Where the result of a recipe goes.

    Args:
        output: For the pairs.
        recipe: Says whether sentences are put aside.
        dev: For these; None takes the name of the output with .dev before its ending.
        format: A name of `OUTPUT_FORMATS`.
        overwrite: Whether files that are there may be replaced.

    Raises:
        UnknownNameError: There is no such format.
        UsageError: Two of the files are the same, or one is read as well, or the terminal.
        GecbenchError: A file surely cannot be written, or is there and may not be replaced.
    """
    if format not in OUTPUT_FORMATS:
        raise UnknownNameError("format of prepared data", format, OUTPUT_FORMATS)
    if str(output) == STDIO:
        raise UsageError("prepared data goes to files, not to standard output; name one by -o")
    if dev is not None and not recipe.dev:
        raise UsageError("the recipe puts no sentences aside; say how many, as --dev 5000")
    beside = dev or output.with_name(f"{output.stem}.dev{output.suffix}")
    manifest = output.with_name(f"{output.name}.manifest.json")
    outputs = [output, manifest, *([beside] if recipe.dev else [])]
    for target in outputs:
        check_target(target)
    ends = [target.resolve() for target in outputs]
    if len(set(ends)) < len(ends):
        raise UsageError(f"{beside}: would be written twice; name another file for the sentences")
    for path in _inputs(recipe):
        if Path(path).resolve() in ends:
            raise UsageError(f"{path}: is read and would be written over; name another output")
    for target in outputs:
        check_new(target, overwrite=overwrite)
    return OutputFiles(output, beside if recipe.dev else None, manifest, format)


def prepare(
    recipe: Recipe,
    files: OutputFiles,
    *,
    jobs: Workers = 1,
    say: Callable[[str], None] = lambda _message: None,
    progress: Progress = lambda _name, _count: None,
) -> Manifest:
    """Make training data and return what was done; files are written whole or not at all.

    In memory are the evaluation sets, the sentences put aside, 8 bytes for each pair that stays
    and for each line that is written, about 100 for each pair more where sentences are put
    aside, and as many where duplicates are dropped. Meanwhile the pairs lie in a file without a
    name in the folder of the output.

    Args:
        recipe: What is asked for.
        files: What is written.
        jobs: Processes that take the steps, or a cluster; None takes one for each processor where
            the steps cost more than reading, from the 50,000th sentence of a corpus on.
        say: Told what a user should know of the corpora.
        progress: Told a corpus and how many of its sentences were read.

    Raises:
        GecbenchError: The recipe is not complete, a file cannot be read or written, or nothing
            would be left.
    """
    check_jobs(jobs)
    check_recipe(recipe)
    if jobs is None and not _is_costly(recipe):
        jobs = 1
    sources = {path: _describe_file(path) for path in _inputs(recipe)}
    task = StepTask(recipe)
    evaluation, changes = task.steps.evaluation, task.steps.changes
    inputs = {
        **{path: source.sha256 for path, source in sources.items()},
        "unicode": unicodedata.unidata_version,
        "normalise": ", ".join(change.name for change in changes),
    }
    folder = files.train.parent
    with temporary_file(folder) as file:
        pairs = PairFile(file, folder)
        tallies = [
            _read_pairs(task, k, jobs_of_step(jobs, str(k), inputs), pairs, say, progress)
            for k in range(len(recipe.corpus))
        ]
        pairs.flush()
        _check_pairs_left(tallies)
        dev_groups = choose_dev(pairs.groups, recipe)
        dev_counts = [len(_dev_places(pairs, tally, dev_groups)) for tally in tallies]
        train = _train_samples(recipe, pairs, tallies, dev_groups)
        dev = _dev_samples(recipe, pairs, tallies, dev_groups)
        manifest = Manifest(
            gecbench=__version__,
            unicode=unicodedata.unidata_version,
            recipe=_recipe_keys(recipe),
            normalise=tuple(change.name for change in changes),
            evaluation=tuple(
                EvaluationCounts(file=sources[path], sentences=sentences)
                for path, sentences in evaluation.files
            ),
            evaluation_sentences=evaluation.sentences,
            corpora=tuple(
                CorpusCounts(
                    name=corpus.name,
                    files=tuple(sources[path] for path in (corpus.path, *corpus.references)),
                    notes=tally.notes,
                    weight=corpus.weight,
                    dropped={reason: tally.dropped[reason] for reason in DROPPED},
                    dev=dev_counts[k],
                    written=corpus.weight * (tally.counts["kept"] - dev_counts[k]),
                    **{name: tally.counts[name] for name in COUNTED},
                )
                for k, (corpus, tally) in enumerate(zip(recipe.corpus, tallies, strict=True))
            ),
            near_examples=tuple(example for tally in tallies for example in tally.near),
            outputs=(),
        )
        return _write(
            files,
            Lines(_describe_output(recipe, ""), train, files.format),
            Lines(_describe_output(recipe, "-dev"), dev, files.format),
            manifest,
        )


def _inputs(recipe: Recipe) -> list[str]:
    corpora = [path for corpus in recipe.corpus for path in (corpus.path, *corpus.references)]
    return [*corpora, *recipe.filter]


def _describe_file(path: str) -> Source:
    """A file as a manifest names it."""
    if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
        raise UsageError(f"{path}: is a pipe or a device; files are read twice, so save it first")
    with explain_read_errors(Path(path)):
        return Source(path=path, size=Path(path).stat().st_size, sha256=sha256_of(Path(path)))


# The first pass: every corpus is read, every pair taken through the steps and counted.


class PairFile:
    """Pairs on disk between the two passes.

    Args:
        file: Without a name; needs as much room as the result takes without its weights.
        folder: Where it is, for errors.

    Attributes:
        groups: For each pair 64 bits that are equal where sources compare equal; empty where no
            sentences are put aside.
    """

    def __init__(self, file: BinaryIO, folder: Path) -> None:
        self.groups = array("Q")
        self._file, self._folder = file, folder
        self._starts = array("Q", [0])
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(tuple[str, str]).decode

    def __len__(self) -> int:
        return len(self._starts) - 1

    def add(self, source: str, target: str) -> None:
        """Add a pair.

        Raises:
            GecbenchError: The disk is full.
        """
        row = self._encode((source, target))
        with explain_errors(self._folder):
            self._file.write(row)
        self._starts.append(self._starts[-1] + len(row))

    def flush(self) -> None:
        """Write what is buffered; the pairs can be read now.

        Raises:
            GecbenchError: The disk is full.
        """
        with explain_errors(self._folder):
            self._file.flush()

    def __getitem__(self, k: int) -> tuple[str, str]:
        self._file.seek(self._starts[k])  # not mapped: what was read would count as memory
        return self._decode(self._file.read(self._starts[k + 1] - self._starts[k]))


@dataclass
class CorpusTally:
    """What the first pass found in one corpus.

    Attributes:
        notes: What its reader could not keep.
        counts: By field of `CorpusCounts`.
        dropped: By reason, a key of `DROPPED`.
        near: The first pairs that were dropped because they are like an evaluation sentence.
        places: Of its pairs in the file of pairs.
    """

    notes: tuple[str, ...] = ()
    places: range = range(0)
    counts: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    near: list[NearExample] = field(default_factory=list)


def _is_costly(recipe: Recipe) -> bool:
    """Whether the steps cost more than reading: texts are compared with others or aligned."""
    return bool(
        (recipe.near and recipe.filter)
        or recipe.most_changed < 1
        or (recipe.longest and recipe.too_long in ("split", "cut"))
    )


Rows = tuple[str, int, Sequence[Sentence]]
"""A corpus, the place of the first sentence in it from 1, and sentences."""


@dataclass(frozen=True)
class StepTask:
    """Takes the steps of a recipe with sentences, in any process."""

    recipe: Recipe

    @cached_property
    def steps(self) -> Steps:
        """The steps, with the evaluation sets that are read once in each process."""
        return Steps(self.recipe)

    def __call__(self, rows: Rows) -> list[list[Verdict]]:
        """What becomes of the pairs of each sentence."""
        _, _, sentences = rows
        verdicts = self.steps.verdicts
        return [
            [v for target in sentence.targets for v in verdicts(sentence.source, target)]
            for sentence in sentences
        ]


def _describe_rows(rows: Rows) -> str:
    name, first, sentences = rows
    return f"sentences {first:,} to {first + len(sentences) - 1:,} of {name}"


def _take_steps(
    task: StepTask, name: str, sentences: Iterator[Sentence], jobs: Workers
) -> Generator[tuple[Sentence, list[Verdict]], None, None]:
    """Yield the sentences of a corpus, each with what becomes of its pairs."""
    waiting: deque[Sequence[Sentence]] = deque()

    def batches() -> Iterator[Rows]:
        first = 1
        while batch := list(islice(sentences, _BATCH)):
            waiting.append(batch)
            yield name, first, batch
            first += len(batch)

    rows = batches()
    here: Iterable[list[list[Verdict]]] = ()
    if jobs is None:  # nobody knows how many there are before they are read
        here, jobs = map(task, islice(rows, _PAYS // _BATCH)), cores()
    remote = replace(task) if jobs != 1 else task  # the steps are not sent, but loaded there
    with closing(map_in_processes(remote, rows, jobs, _describe_rows)) as others:
        for result in chain(here, others):
            yield from zip(waiting.popleft(), result, strict=True)


def _read_pairs(
    task: StepTask,
    k: int,
    jobs: Workers,
    pairs: PairFile,
    say: Callable[[str], None],
    progress: Progress,
) -> CorpusTally:
    """Add the pairs of a corpus that stay to a file, and count all.

    Raises:
        GecbenchError: The corpus cannot be read, or the disk is full.
    """
    recipe, steps = task.recipe, task.steps
    name = recipe.corpus[k].name
    about, sentences = open_corpus(recipe.corpus[k])
    first_sentences = list(islice(sentences, _LOOKED_AT))
    lang = recipe.language or about.lang
    texts = (sentence.source for sentence in first_sentences)
    if warning := language_warning(lang, texts, name):
        say(f"note: {warning}")
    tally = CorpusTally()
    counts, first = tally.counts, len(pairs)
    rows = _take_steps(task, name, chain(first_sentences, sentences), jobs)
    with closing(rows):
        for sentence, verdicts in rows:
            _count_sentence(counts, sentence)
            if counts["sentences"] % _EVERY == 0:
                progress(name, counts["sentences"])
            for verdict in map(steps.check_duplicate, verdicts):
                counts[verdict.event] += 1
                if verdict.dropped:
                    tally.dropped[verdict.dropped] += 1
                    if len(tally.near) < _EXAMPLES:
                        tally.near += _near_example(name, verdict)
                    continue
                counts["kept"] += 1
                pairs.add(verdict.source, verdict.target)
                if recipe.dev:
                    pairs.groups.append(group_of(recipe.seed, verdict.source))
    progress(name, counts["sentences"])
    tally.places = range(first, len(pairs))
    if NOT_KEPT in about.provenance:  # may be counted while sentences are read
        tally.notes = (about.provenance[NOT_KEPT],)
    return tally


def _near_example(corpus: str, verdict: Verdict) -> list[NearExample]:
    """The example of a pair that is like an evaluation sentence; none of others."""
    match = verdict.match
    if match is None or match.near is None:
        return []
    text = verdict.source if match.side == "source" else verdict.target
    near = match.near
    return [
        NearExample(
            corpus=corpus,
            side=match.side,
            text=text,
            evaluation=near.text,
            similarity=near.similarity,
        )
    ]


def _count_sentence(counts: Counter[str], sentence: Sentence) -> None:
    counts["sentences"] += 1
    counts["without_reference"] += not sentence.targets
    counts["unannotatable"] += sentence.unannotatable
    counts["inapplicable"] += sentence.inapplicable
    counts["pairs"] += len(sentence.targets)


def _check_pairs_left(tallies: Sequence[CorpusTally]) -> None:
    """Refuse to write nothing."""
    if any(tally.places for tally in tallies):
        return
    pairs = sum(tally.counts["pairs"] for tally in tallies)
    if not pairs:
        raise CorpusError(
            "no sentence has a reference, so there is no pair; give --reference NAME=FILE"
        )
    dropped = {
        what: sum(tally.dropped[reason] for tally in tallies) for reason, what in DROPPED.items()
    }
    why = ", ".join(f"{count} {what}" for what, count in dropped.items() if count)
    raise CorpusError(f"of {count_noun(pairs, 'pair')} none is left, so nothing was written: {why}")


# The second pass: which sentences are put aside, and in which order the others are written.


def choose_dev(groups: Sequence[int], recipe: Recipe) -> Set[int]:
    """Choose the groups of sources that are put aside: those with the smallest numbers.

    The numbers hash the seed and the source, so the choice does not depend on the order.

    Raises:
        UsageError: There are not more sources than should be put aside.
    """
    chosen: set[int] = set()
    if not recipe.dev:
        return chosen
    greatest: list[int] = []  # a heap of negative numbers, so that the greatest comes first
    for group in groups:
        if group in chosen:
            continue
        if len(chosen) < recipe.dev:
            heappush(greatest, -group)
        elif group < -greatest[0]:
            chosen.remove(-heappushpop(greatest, -group))
        else:
            continue
        chosen.add(group)
    if len(chosen) < recipe.dev or all(group in chosen for group in groups):
        raise UsageError(
            f"dev = {recipe.dev} leaves no sentence to train on, for only "
            f"{count_noun(len(chosen), 'different source')} passed the steps; ask for fewer"
        )
    return chosen


def _train_samples(
    recipe: Recipe, pairs: PairFile, tallies: Sequence[CorpusTally], dev_groups: Set[int]
) -> Iterator[Sample]:
    """Yield a sample for each pair as often as its corpus weighs; ids count from 1.

    Without shuffling a corpus of weight 2 stands twice as a whole, before the next.
    """
    groups, order = pairs.groups, array("Q")
    for corpus, tally in zip(recipe.corpus, tallies, strict=True):
        places = (i for i in tally.places if not dev_groups or groups[i] not in dev_groups)
        numbers = array("Q", places)
        for _ in range(corpus.weight):
            order.extend(numbers)
    if recipe.shuffle:
        random.Random(number(recipe.seed, "prepare-shuffle")).shuffle(order)
    ends = [tally.places.stop for tally in tallies]
    for n, i in enumerate(order, 1):
        source, target = pairs[i]
        yield _sample(n, source, (target,), recipe.corpus[bisect_right(ends, i)].name)


def _dev_samples(
    recipe: Recipe, pairs: PairFile, tallies: Sequence[CorpusTally], dev_groups: Set[int]
) -> Iterator[Sample]:
    """Yield the sentences that are put aside with all their references, in the order they came.

    Sources that compare equal and are not, as by white space, are sentences of their own.
    """
    sentences: dict[str, tuple[str, dict[str, None]]] = {}
    for corpus, tally in zip(recipe.corpus, tallies, strict=True):
        for i in _dev_places(pairs, tally, dev_groups):
            source, target = pairs[i]
            sentences.setdefault(source, (corpus.name, {}))[1][target] = None
    for n, (source, (name, targets)) in enumerate(sentences.items(), 1):
        yield _sample(n, source, targets, name)


def _dev_places(pairs: PairFile, tally: CorpusTally, dev_groups: Set[int]) -> list[int]:
    return [i for i in tally.places if pairs.groups[i] in dev_groups] if dev_groups else []


def _sample(number: int, source: str, targets: Iterable[str], corpus: str) -> Sample:
    """A sentence with its corrections; one that equals it says that it is free of error."""
    references = tuple(
        Rewrite(error_free=True) if target == source else Rewrite(text=target) for target in targets
    )
    return Sample(str(number), source, references, {"corpus": corpus})


# Files and the manifest beside them.


class Lines:
    """A corpus as the lines of a file in bytes, to be gone through once; counts them.

    Args:
        about: What the corpus says of itself.
        samples: Those to write.
        format: A name of `OUTPUT_FORMATS`.
    """

    def __init__(self, about: Corpus, samples: Iterable[Sample], format: str) -> None:
        self._describe_output = about
        self._samples = iter(samples)
        self._format = format
        self._hash = sha256()
        self._sentences = self._references = 0

    def __iter__(self) -> Iterator[bytes]:
        """Yield the file, some lines at a time.

        Raises:
            CorpusError: The format cannot hold a text; names the sample.
        """
        has_header = self._format == "jsonl"
        if has_header:
            yield self._encode(())
        while samples := tuple(islice(self._samples, _BATCH)):
            self._sentences += len(samples)
            self._references += sum(len(sample.references) for sample in samples)
            yield self._encode(samples, skip=has_header)

    def _encode(self, samples: tuple[Sample, ...], *, skip: bool = False) -> bytes:
        corpus = replace(self._describe_output, samples=samples)
        if self._format == PAIRS:
            text = "".join(map(_pair, samples))
        else:
            text = load_format(self._format).write(corpus)[""]
        content = (text.partition("\n")[2] if skip else text).encode()
        self._hash.update(content)
        return content

    def output(self, path: Path) -> Output:
        """What was written to a file."""
        return Output(
            path=str(path),
            format=self._format,
            sentences=self._sentences,
            references=self._references,
            sha256=self._hash.hexdigest(),
        )


def _pair(sample: Sample) -> str:
    texts = [sample.source]
    texts += [sample.source if r.text is None else r.text for r in sample.references]
    with error_place(sample_place(sample), CorpusError):
        for k, text in enumerate(texts):
            what = f"reference {k - 1}" if k else "the source"
            check_cell(text, what, PAIRS, tab_divides=True)
    return "\t".join(texts) + "\n"


def _describe_output(recipe: Recipe, ending: str) -> Corpus:
    """What the output says of itself."""
    provenance = {"made by": f"gecbench {__version__} data prepare", "recipe": recipe.name}
    return Corpus(f"{recipe.name}{ending}", (), recipe.language or None, provenance)


def _recipe_keys(recipe: Recipe) -> Mapping[str, object]:
    """The keys of a recipe but for its files, which a manifest names with their content."""
    keys: dict[str, object] = msgspec.to_builtins(recipe)
    del keys["filter"]
    corpora = [
        {name: getattr(corpus, name) for name in ("name", "format", "columns", "limit")}
        for corpus in recipe.corpus
    ]
    return keys | {"corpus": corpora}


def _write(files: OutputFiles, train: Lines, dev: Lines, manifest: Manifest) -> Manifest:
    """Write all files and return the manifest with them.

    The training data takes its name last, when the other files are there: what makes its last
    piece makes them.
    """
    outputs: list[Output] = []

    def pieces() -> Iterator[bytes]:
        yield from train
        outputs.append(train.output(files.train))
        if files.dev is not None:
            write_stream(files.dev, dev)
            outputs.append(dev.output(files.dev))
        whole = msgspec.structs.replace(manifest, outputs=tuple(outputs))
        write_bytes(files.manifest, encode_manifest(whole))

    write_stream(files.train, pieces())
    return msgspec.structs.replace(manifest, outputs=tuple(outputs))
