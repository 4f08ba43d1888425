"""Correcting texts and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import msgspec

from gecbench import __version__
from gecbench.api.files import in_language, save
from gecbench.api.options import SchemeSpec, quiet
from gecbench.api.schemes import extract, scheme_for
from gecbench.core.corrector import Correction, Corrector
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.files import check_target, encode_text, is_stream, write_stream
from gecbench.core.options import Cluster, Workers
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.formats.reading import Sources, sources
from gecbench.formats.stored import store_samples
from gecbench.lang import check_language, language_of, language_warning, mixture_warning
from gecbench.models import load_corrector
from gecbench.models.journal import (
    Load,
    correct_batches,
    correct_with_journal,
    count_processes,
    open_journal,
)
from gecbench.models.text import Splitting

DETAILS = "gecbench-corrections"
_FIRST = 5
_LOOKED_AT = 200
"""Texts that show their language."""
_ENDING = ".part"


@dataclass(slots=True)
class CorrectionReport:
    """What a run over a file came to.

    Args:
        sentences: How many there were.
        changed: How many the corrector changed.
        edits: How many changes it made.
        flags: Sentences by flag, with the ids of the first of them; the most frequent flag first.
        resumed: How many an earlier, interrupted run had done.
        losses: What the format written could not hold, one sentence each.
        signature: Of the corrector.
    """

    sentences: int = 0
    changed: int = 0
    edits: int = 0
    flags: Mapping[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    resumed: int = 0
    losses: tuple[str, ...] = ()
    signature: Mapping[str, str] = field(default_factory=dict)

    def _count(
        self, ids: Iterable[str], answers: Iterable[Correction], show: Show | None
    ) -> Iterator[Correction]:
        """Count corrections and show them, one after another, while they are passed on."""
        flags: dict[str, tuple[int, tuple[str, ...]]] = {}
        for id_, answer in zip(ids, answers, strict=False):  # numbers never end
            self.sentences += 1
            self.changed += answer.text != answer.source
            self.edits += len(answer.edits)
            for flag in answer.flags:
                number, first = flags.get(flag, (0, ()))
                flags[flag] = (number + 1, (*first, id_)[:_FIRST])
            if show:
                show(id_, answer)
            yield answer
        self.flags = dict(sorted(flags.items(), key=lambda item: -item[1][0]))


Show = Callable[[str, Correction], None]
"""Takes the id of a sentence and its correction."""


def open_corrector(
    spec: str,
    options: Mapping[str, object] | None = None,
    *,
    split: bool = False,
    longest: int | None = None,
    lang: str | None = None,
) -> Corrector:
    """Load a corrector by its specification; see `gecbench.models.load_corrector`.

    Args:
        spec: As "zh-homophone", "en-lm", "tagger:runs/one/model", or the folder of a model.
        options: Of its kind, by name.
        split: Correct sentence by sentence, and join what comes back exactly.
        longest: With `split`: cut sentences that are longer than so many characters.
        lang: With `split`: code of the language that sentences end as in; None takes that of the
            corrector.
    """
    if longest is not None and not split:
        raise UsageError("a longest sentence is for splitting; ask for splitting, too")
    if longest is not None and longest < 1:
        raise UsageError(f"the longest sentence is {longest} characters; it must be at least 1")
    corrector = load_corrector(spec, options)
    return Splitting(corrector, longest, lang) if split else corrector


def check_texts(
    corrector: Corrector,
    texts: Sequence[str],
    lang: str | None,
    name: str,
    say: Callable[[str], None],
    *,
    implied: str | None = None,
    ids: Iterable[str] | None = None,
) -> None:
    """Refuse texts for their language, or say what to know before they are corrected.

    Args:
        corrector: One without languages takes any.
        texts: The first of them.
        lang: What the caller or the file declares.
        name: Of the texts.
        say: Told the notes.
        implied: The language that their format is for, where nobody declares one.
        ids: Of the texts; None is their numbers from 1.

    Raises:
        UsageError: They are declared to be in a language that the corrector is not for, or
            plainly show it.
    """
    info = corrector.info
    note = check_language(f"corrector {info.name}", info.languages, lang, texts)
    if info.notice:
        say(f"note: {info.name}: {info.notice}")
    if note is None:
        note = language_warning(lang or implied, texts, name)
    if note is None and info.languages and not lang and not implied:
        note = mixture_warning(ids or map(str, count(1)), texts, name)
    if note is not None:
        say(f"note: {note}")


def correct(
    corrector: Corrector | str,
    corpus: Corpus | Sequence[str],
    *,
    name: str | None = None,
    lang: str | None = None,
    jobs: Workers = 1,
) -> SystemOutput:
    """Correct a corpus; the result is a system's output, as `score` takes it.

    Args:
        corrector: Or its specification; then it is closed again.
        corpus: Or texts; their ids are 1, 2, ....
        name: Of the system; None takes the corrector's.
        lang: Code of the language of the texts; None takes that of the corpus.
        jobs: How many processes correct, or a cluster, of a corrector that is given by its
            specification; None takes one for each processor for spelling hints where that is
            quicker, else one. A script that asks for several keeps its own work under
            `if __name__ == "__main__":`.

    Raises:
        UsageError: The texts are declared to be in a language that the corrector is not for, or
            plainly show it; or the corrector cannot be in several processes.

    Examples:
        >>> output = correct("copying", ["我今天很高兴。"])
        >>> output.system, output.hypotheses["1"][0].text
        ('copying', '我今天很高兴。')
    """
    if isinstance(corpus, str):
        raise UsageError("a single text was given where texts belong; write [text]")
    if isinstance(corrector, str):
        load = partial(open_corrector, corrector)
        with closing(load()) as opened:
            return _correct(opened, corpus, name, lang, jobs, load)
    return _correct(corrector, corpus, name, lang, jobs, None)


def _correct(
    corrector: Corrector,
    corpus: Corpus | Sequence[str],
    name: str | None,
    lang: str | None,
    jobs: Workers,
    load: Load | None,
) -> SystemOutput:
    if not isinstance(corpus, Corpus):
        samples = tuple(Sample(str(n), text) for n, text in enumerate(corpus, 1))
        corpus = Corpus("texts", samples)
    corpus = in_language(corpus, lang)
    info, texts = corrector.info, [sample.source for sample in corpus.samples]
    check_language(f"corrector {info.name}", info.languages, corpus.lang, texts)
    with closing(correct_batches(corrector, texts, jobs=jobs, load=load)) as batches:
        answers = chain.from_iterable(batches)
        return SystemOutput(
            name or corrector.info.name,
            {s.id: (Rewrite(text=c.text),) for s, c in zip(corpus.samples, answers, strict=True)},
        )


@dataclass(frozen=True, slots=True)
class Target:
    """Where and how corrections are written.

    Args:
        path: The file; "-" is standard output.
        format: Of the file: lines (corrected sentences alone), or any format of corpora, in
            which the correction stands as the reference.
        scheme: Finds the edits that m2 shows; None where the format needs none.
        details: A file for every edit, score and flag, JSON lines; None writes none.
        lang: Code of the texts' language; None takes the input's.
    """

    path: Path
    format: str
    scheme: Scheme | SchemeSpec | None = None
    details: Path | None = None
    lang: str | None = None


def correct_file(
    corrector: Corrector,
    path: Path | Sources,
    target: Callable[[str], Target],
    *,
    format: str | None = None,
    restart: bool = False,
    jobs: Workers = 1,
    load: Load | None = None,
    progress: Callable[[int], None] = lambda _done: None,
    show: Show | None = None,
    say: Callable[[str], None] = quiet,
) -> CorrectionReport:
    """Correct a file.

    A journal beside the output holds what is done until the output is whole, so that a run which
    was interrupted, even by kill -9, goes on where it was; nothing is repeated but the sentences
    that were being corrected together. Standard output and devices have no journal.

    Args:
        corrector: What corrects.
        path: The file, in any format; "-" is standard input. Or what was read of it.
        target: Takes the name of the input's format, and says what is written.
        format: Of the input; None finds out.
        restart: Begin again where an earlier run was interrupted.
        jobs: How many processes correct, or a cluster; None takes one for each processor for
            spelling hints where that is quicker, else one.
        load: Loads the same corrector in another process, as
            `functools.partial(open_corrector, "zh-homophone")`; without it there is one process.
        progress: Called with the number of sentences that are done.
        show: Called with the id of each sentence and its correction, in order.
        say: Told what a user should know of the corrector and the texts.

    Raises:
        UsageError: The texts are declared to be in a language that the corrector is not for, or
            plainly show it; or the corrector cannot be in several processes.
        GecbenchError: A file cannot be read or written, or an earlier run had other options.
    """
    count_processes(corrector, jobs, load)
    source = path if isinstance(path, Sources) else sources(path, format=format)
    output = target(source.format)
    if isinstance(jobs, Cluster) and jobs.resume is not None and not is_stream(output.path):
        raise UsageError(
            f"resume {jobs.resume}: what is corrected is kept beside {output.path}, and a run goes "
            "on from there; leave resume out"
        )
    _check_targets(source.path, output)
    implied = source.corpus.lang if source.corpus else None
    texts = iter(source.texts)
    first = list(islice(texts, _LOOKED_AT))
    name = str(source.path)
    lang = output.lang or source.lang
    check_texts(corrector, first, lang, name, say, implied=implied, ids=_ids(source))
    if output.scheme is not None:  # what it lacks is said before anything is corrected
        samples = tuple(Sample(str(n), text) for n, text in enumerate(first, 1))
        corpus = source.corpus or Corpus(source.path.name, samples, source.lang)
        corpus = in_language(corpus, output.lang)
        spec = SchemeSpec.of(output.scheme)
        output = replace(output, scheme=replace(spec, loaded=scheme_for(corpus, spec)))
    source = replace(source, texts=chain(first, texts))
    result = CorrectionReport(signature=corrector.info.signature)
    if is_stream(output.path):
        with closing(correct_batches(corrector, source.texts, jobs=jobs, load=load)) as batches:
            counted = result._count(_ids(source), chain.from_iterable(batches), show)
            result.losses = _write_to_stream(corrector, source, output, counted, show)
        return result
    part = output.path.with_name(output.path.name + _ENDING)
    with closing(open_journal(part, _run_signature(corrector), restart=restart)) as journal:
        result.resumed = journal.done
        rest = correct_with_journal(corrector, source.texts, journal, jobs=jobs, load=load)
        try:
            with closing(rest) as entries:
                for entry in entries:
                    progress(entry)
        except BaseException:
            if journal.is_empty():  # nothing to go on with
                journal.remove()
            raise
        if output.format == "lines":
            write_stream(output.path, _lines(output.path, journal.corrections()))
        else:
            result.losses = _write_corpus(journal.corrections(), source, output, corrector)
        if output.details:
            _write_details(output.details, journal.corrections(), source, corrector)
        for _ in result._count(_ids(source), journal.corrections(), show):
            pass
        journal.remove()
    return result


def _write_to_stream(
    corrector: Corrector,
    source: Sources,
    output: Target,
    all_answers: Iterable[Correction],
    show: Show | None,
) -> tuple[str, ...]:
    """Write to standard output: lines as they come, else all at the end."""
    answers: list[Correction] = []
    needs_all = output.details is not None or output.format != "lines"

    def corrections() -> Iterator[Correction]:
        for answer in all_answers:
            if needs_all:
                answers.append(answer)
            yield answer

    losses: tuple[str, ...] = ()
    if show is None and output.format == "lines":
        write_stream(output.path, _lines(output.path, corrections()))
    else:
        for _ in corrections():
            pass
        if show is None:
            losses = _write_corpus(answers, source, output, corrector)
    if output.details:
        _write_details(output.details, answers, source, corrector)
    return losses


def _ids(source: Sources) -> Iterable[str]:
    return (s.id for s in source.corpus.samples) if source.corpus else map(str, count(1))


def _check_targets(path: Path, output: Target) -> None:
    """Refuse files that cannot be written, or that would replace one another."""
    check_target(output.path)
    # The journal is held against the input: were it replaced, a killed run could not go on.
    if path.is_file() and output.path.exists() and output.path.samefile(path):
        raise UsageError(f"{output.path}: is read and would be written over; name another output")
    if output.details is None:
        return
    check_target(output.details)
    for what, other in (("the output", output.path), ("the input", path)):
        if output.details == other or output.details.resolve() == other.resolve():
            raise UsageError(f"{output.details}: is {what}, too; name another file for details")


def _run_signature(corrector: Corrector) -> dict[str, str]:
    return {**corrector.info.signature, "gecbench": __version__}


def _lines(path: Path, answers: Iterable[Correction]) -> Iterator[bytes]:
    for n, answer in enumerate(answers, 1):
        if "\n" in answer.text or "\r" in answer.text:
            raise CorpusError(
                f"{path}: the correction of sentence {n} has a line end in it, which a file of "
                "lines cannot hold; write --to jsonl"
            )
        yield encode_text(path, f"{answer.text}\n")


def _write_corpus(
    answers: Iterable[Correction], source: Sources, output: Target, corrector: Corrector
) -> tuple[str, ...]:
    """Write corrections as the references of a corpus; return what its format cannot hold."""
    base = source.corpus or Corpus(corrector.info.name, (), source.lang)
    numbered = ((Sample(str(n), c.source), c) for n, c in enumerate(answers, 1))
    pairs = zip(base.samples, answers, strict=True) if source.corpus else numbered
    names = output.format == "jsonl"  # other formats hold neither, and would lose them
    annotator = corrector.info.name if names else None
    corpus = Corpus(
        base.name,
        store_samples(
            replace(s, references=(Rewrite(text=c.text, annotator=annotator),), tokens=())
            for s, c in pairs
        ),
        base.lang if output.lang is None else language_of(output.lang).code,
        {"system": corrector.info.name, **_run_signature(corrector)} if names else {},
    )
    if output.scheme is not None:
        corpus = replace(extract(corpus, output.scheme), provenance={})
    return tuple(save(corpus, output.path, format=output.format))


def _write_details(
    path: Path, answers: Iterable[Correction], source: Sources, corrector: Corrector
) -> None:
    """Write all that a corrector found: a header, then a line for each sentence."""
    import json

    encode = json.JSONEncoder(ensure_ascii=False).encode

    def rows() -> Iterator[bytes]:
        info = corrector.info
        header = {"format": DETAILS, "schema": 1, "system": info.name, "kind": info.kind}
        yield encode_text(path, encode({**header, "signature": _run_signature(corrector)}) + "\n")
        for id_, answer in zip(_ids(source), answers, strict=False):  # numbers never end
            yield encode_text(path, encode({"id": id_, **_details(answer)}) + "\n")

    write_stream(path, rows())


def _details(answer: Correction) -> dict[str, object]:
    """The fields of a correction that say something, and its edits likewise."""
    row: dict[str, Any] = msgspec.to_builtins(answer)
    row["edits"] = [
        {name: value for name, value in edit.items() if value is not None} for edit in row["edits"]
    ]
    optional = ("score", "flags", "alternatives")
    return {k: v for k, v in row.items() if k not in optional or v not in (None, (), [])}
