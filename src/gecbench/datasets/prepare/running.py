"""A recipe, carried out: one pass over the corpora, one over what stays of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

import msgspec

from gecbench import __version__
from gecbench.core.errors import CorpusError, GecbenchError, UsageError
from gecbench.core.files import STDIO, check_target, write_bytes, write_stream
from gecbench.core.sample import Corpus
from gecbench.datasets.prepare.dividing import (
    dev_samples,
    put_aside,
    training_order,
    training_samples,
)
from gecbench.datasets.prepare.evaluation import EvaluationSets
from gecbench.datasets.prepare.gathering import COUNTED, Gathered, Progress, Tally, gather
from gecbench.datasets.prepare.manifest import (
    CorpusCounts,
    EvaluationCounts,
    Manifest,
    NearExample,
    Output,
    Source,
    encoded_manifest,
)
from gecbench.datasets.prepare.recipe import Recipe, check_recipe
from gecbench.datasets.prepare.spool import Spool
from gecbench.datasets.prepare.steps import DROPPED, Changes, Steps
from gecbench.datasets.prepare.writing import Rows
from gecbench.datasets.store import sha256_of


class Places(NamedTuple):
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


def places_of(output: Path, recipe: Recipe, *, dev: Path | None, format: str) -> Places:
    """Return where the result of a recipe goes.

    Args:
        output: For the pairs.
        recipe: Says whether sentences are put aside.
        dev: For these; None takes the name of the output with .dev before its ending.
        format: A name of `OUTPUT_FORMATS`.

    Raises:
        UsageError: Two of the files are the same, or one is read as well, or the terminal.
        GecbenchError: A file surely cannot be written.
    """
    if str(output) == STDIO:
        raise UsageError("prepared data goes to files, not to standard output; name one by -o")
    if dev is not None and not recipe.dev:
        raise UsageError("the recipe puts no sentences aside; say how many, as --dev 5000")
    beside = dev or output.with_name(f"{output.stem}.dev{output.suffix}")
    manifest = output.with_name(f"{output.name}.manifest.json")
    written = [output, manifest, *([beside] if recipe.dev else [])]
    for path in written:
        check_target(path)
    ends = [path.resolve() for path in written]
    if len(set(ends)) < len(ends):
        raise UsageError(f"{beside}: would be written twice; name another file for the sentences")
    for given in _read(recipe):
        if Path(given).resolve() in ends:
            raise UsageError(f"{given}: is read and would be written over; name another output")
    return Places(output, beside if recipe.dev else None, manifest, format)


def prepare(
    recipe: Recipe, places: Places, *, progress: Progress = lambda _name, _count: None
) -> Manifest:
    """Make training data and return what was done; files are written whole or not at all.

    In memory are the evaluation sets, the sentences put aside, 8 bytes for each pair that stays
    and for each line that is written, about 100 for each pair more where sentences are put
    aside, and as many where duplicates are dropped. Meanwhile the pairs lie in a file without a
    name in the folder of the output.

    Raises:
        GecbenchError: The recipe is not complete, a file cannot be read or written, or nothing
            would be left.
    """
    check_recipe(recipe)
    files = {path: _source(path) for path in _read(recipe)}
    change = Changes(recipe.normalise)
    evaluation = EvaluationSets(
        recipe.filter,
        near=recipe.near,
        shingle=recipe.shingle,
        change=change if change.names else None,
    )
    steps = Steps(recipe, evaluation, change)
    with Spool(places.train.parent) as spool:
        gathered = gather(recipe, steps, spool, progress)
        _check_left(spool, gathered.tallies)
        aside = put_aside(gathered.groups, recipe)
        order = training_order(spool, recipe, gathered.groups, aside)
        samples = training_samples(spool, recipe, order)
        train = Rows(_about(recipe, ""), samples, places.format)
        samples = dev_samples(spool, recipe, gathered.groups, aside)
        dev = Rows(_about(recipe, "-dev"), samples, places.format)
        manifest = Manifest(
            gecbench=__version__,
            unicode=unicodedata.unidata_version,
            recipe=_keys(recipe),
            normalise=change.names,
            evaluation=tuple(
                EvaluationCounts(file=files[one.path], sentences=one.sentences)
                for one in evaluation.files
            ),
            evaluation_sentences=evaluation.sentences,
            corpora=_counted(recipe, gathered, spool, aside, files),
            near_examples=_examples(gathered.tallies),
            outputs=(),
        )
        return _write(places, train, dev, manifest)


def _read(recipe: Recipe) -> list[str]:
    corpora = [path for one in recipe.corpus for path in (one.path, *one.references)]
    return [*corpora, *recipe.filter]


def _source(path: str) -> Source:
    """Return a file as a manifest names it."""
    if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
        raise UsageError(f"{path}: is a pipe or a device; files are read twice, so save it first")
    try:
        return Source(path=path, size=Path(path).stat().st_size, sha256=sha256_of(Path(path)))
    except FileNotFoundError:
        raise GecbenchError(f"{path}: no such file; check the path") from None
    except IsADirectoryError:
        raise GecbenchError(f"{path}: is a folder; name a file in it") from None
    except OSError as error:
        raise GecbenchError(f"{path}: cannot be read: {error.strerror}") from error


def _check_left(spool: Spool, tallies: Sequence[Tally]) -> None:
    if len(spool):
        return
    pairs = sum(tally.counts["pairs"] for tally in tallies)
    if not pairs:
        raise CorpusError(
            "no sentence has a reference, so there is no pair; give --reference NAME=FILE"
        )
    dropped: dict[str, int] = {
        DROPPED[reason]: sum(tally.dropped[reason] for tally in tallies) for reason in DROPPED
    }
    why = ", ".join(f"{count} {said}" for said, count in dropped.items() if count)
    raise CorpusError(f"of {pairs} pairs none is left, so nothing was written: {why}")


def _about(recipe: Recipe, ending: str) -> Corpus:
    """Return what the output says of itself."""
    made = {"made by": f"gecbench {__version__} data prepare", "recipe": recipe.name}
    return Corpus(f"{recipe.name}{ending}", (), recipe.language or None, made)


def _keys(recipe: Recipe) -> Mapping[str, object]:
    """Return the keys of a recipe but for its files, which a manifest names with their content."""
    built: dict[str, object] = msgspec.to_builtins(recipe)
    corpora = [
        {"name": one.name, "format": one.format, "columns": one.columns, "limit": one.limit}
        for one in recipe.corpus
    ]
    return {key: value for key, value in built.items() if key != "filter"} | {"corpus": corpora}


def _counted(
    recipe: Recipe,
    gathered: Gathered,
    spool: Spool,
    aside: Set[int],
    files: Mapping[str, Source],
) -> tuple[CorpusCounts, ...]:
    made = []
    start = 0
    for k, (one, tally) in enumerate(zip(recipe.corpus, gathered.tallies, strict=True)):
        end = spool.end_of(k)
        dev = sum(group in aside for group in gathered.groups[start:end])
        start = end
        made.append(
            CorpusCounts(
                name=one.name,
                files=tuple(files[path] for path in (one.path, *one.references)),
                notes=tally.notes,
                weight=one.weight,
                dropped={reason: tally.dropped[reason] for reason in DROPPED},
                dev=dev,
                written=one.weight * (tally.counts["kept"] - dev),
                **{field: tally.counts[field] for field in COUNTED},
            )
        )
    return tuple(made)


def _examples(tallies: Sequence[Tally]) -> tuple[NearExample, ...]:
    found = [
        NearExample(
            corpus=tally.name,
            side=verdict.found.side,
            text=verdict.source if verdict.found.side == "source" else verdict.target,
            evaluation=verdict.found.near.text,
            similarity=verdict.found.near.similarity,
        )
        for tally in tallies
        for verdict in tally.near
        if verdict.found and verdict.found.near
    ]
    return tuple(found)


def _write(places: Places, train: Rows, dev: Rows, manifest: Manifest) -> Manifest:
    """Write all files and return the manifest with them.

    The training data takes its name last, when the other files are there: what makes its last
    piece makes them.
    """
    outputs: list[Output] = []

    def pieces() -> Iterator[bytes]:
        yield from train
        outputs.append(_output(places.train, places.format, train))
        if places.dev is not None:
            write_stream(places.dev, dev)
            outputs.append(_output(places.dev, places.format, dev))
        made = msgspec.structs.replace(manifest, outputs=tuple(outputs))
        write_bytes(places.manifest, encoded_manifest(made))

    write_stream(places.train, pieces())
    return msgspec.structs.replace(manifest, outputs=tuple(outputs))


def _output(path: Path, format: str, rows: Rows) -> Output:
    return Output(
        path=str(path),
        format=format,
        sentences=rows.sentences,
        references=rows.references,
        sha256=rows.sha256,
    )
