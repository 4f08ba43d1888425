"""Correcting texts and files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from gecbench import __version__
from gecbench.api.edits import extract
from gecbench.api.files import save
from gecbench.core.corrector import Correction, Corrector
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.files import STDIO, check_target, encoded, write_stream
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.formats.sources import Sources, sources
from gecbench.models import load_corrector
from gecbench.models.journal import Journal, asked, journalled, open_journal, windows
from gecbench.models.splitting import Splitting

DETAILS = "gecbench-corrections"
_NAMED = 5
_ENDING = ".part"


@dataclass(frozen=True, slots=True)
class Corrected:
    """What a run over a file came to.

    Args:
        sentences: How many there were.
        changed: How many the corrector changed.
        edits: How many changes it made.
        flags: Sentences by flag, with the ids of the first of them.
        resumed: How many an earlier, interrupted run had done.
        losses: What the format written could not hold, one sentence each.
        signature: Of the corrector.
    """

    sentences: int
    changed: int
    edits: int
    flags: Mapping[str, tuple[int, tuple[str, ...]]]
    resumed: int
    losses: tuple[str, ...]
    signature: Mapping[str, str]


def open_corrector(
    spec: str,
    options: Mapping[str, object] | None = None,
    *,
    split: bool = False,
    longest: int | None = None,
) -> Corrector:
    """Return a corrector by its specification; see `gecbench.models.load_corrector`.

    Args:
        spec: As "zh-homophone", "tagger:runs/one/model", or the folder of a model.
        options: Of its kind, by name.
        split: Correct sentence by sentence, and join what comes back exactly.
        longest: With `split`: cut sentences that are longer than so many characters.
    """
    if longest is not None and not split:
        raise UsageError("a longest sentence is for splitting; ask for splitting, too")
    if longest is not None and longest < 1:
        raise UsageError(f"the longest sentence is {longest} characters; it must be at least 1")
    corrector = load_corrector(spec, options)
    return Splitting(corrector, longest) if split else corrector


def correct(
    corrector: Corrector | str, corpus: Corpus | Sequence[str], *, name: str | None = None
) -> SystemOutput:
    """Return what a corrector makes of a corpus, as systems are scored.

    Args:
        corrector: Or its specification; then it is closed again.
        corpus: Or texts; their ids are 1, 2, ....
        name: Of the system; None takes the corrector's.

    >>> output = correct("copying", ["我今天很高兴。"])
    >>> output.system, output.hypotheses["1"][0].text
    ('copying', '我今天很高兴。')
    """
    if isinstance(corpus, str):
        raise UsageError("a single text was given where texts belong; write [text]")
    if isinstance(corrector, str):
        opened = open_corrector(corrector)
        try:
            return correct(opened, corpus, name=name)
        finally:
            opened.close()
    samples = (
        corpus.samples
        if isinstance(corpus, Corpus)
        else [Sample(str(n), text) for n, text in enumerate(corpus, 1)]
    )
    info = corrector.info
    corrections = (
        answer
        for texts in windows((s.source for s in samples), info.window)
        for answer in asked(corrector, texts)
    )
    return SystemOutput(
        name or info.name,
        {s.id: (Rewrite(text=c.text),) for s, c in zip(samples, corrections, strict=True)},
    )


@dataclass(frozen=True, slots=True)
class Target:
    """Where and how corrections are written.

    Args:
        path: The file; "-" is standard output.
        format: Of the file: lines (corrected sentences alone), or any format of corpora, in
            which the correction stands as the reference.
        scheme: Finds the edits that m2 shows; None where the format needs none.
        details: A file for all that the corrector said, JSON lines; None writes none.
    """

    path: Path
    format: str
    scheme: Callable[[Corpus], Scheme] | None = None
    details: Path | None = None


def correct_file(
    corrector: Corrector,
    path: Path,
    target: Callable[[str], Target],
    *,
    format: str | None = None,
    restart: bool = False,
    progress: Callable[[int], None] = lambda _done: None,
    show: Callable[[str, Correction], None] | None = None,
) -> Corrected:
    """Correct a file.

    What is done is kept beside the output until the output is whole, so that a run which was
    interrupted, even by kill -9, goes on where it was; nothing is repeated but the sentences that
    were being corrected together.

    Args:
        corrector: What corrects.
        path: The file, in any format; "-" is standard input.
        target: Takes the name of the input's format, and says what is written.
        format: Of the input; None finds out.
        restart: Begin anew where an earlier run was interrupted.
        progress: Told how many sentences are done.
        show: Told the id of each sentence and its correction, in order.

    Raises:
        GecbenchError: A file cannot be read or written, or an earlier run had other options.
    """
    given = sources(path, format=format)
    wanted = target(given.format)
    _check_targets(path, wanted)
    ids = [s.id for s in given.corpus.samples] if given.corpus else None
    tally = _Tally(ids, show)
    if str(wanted.path) == STDIO or (wanted.path.exists() and not wanted.path.is_file()):
        made = _unkept(corrector, given, wanted, tally)
        return replace(made, signature=corrector.info.signature)
    with ExitStack() as stack:
        part = wanted.path.with_name(wanted.path.name + _ENDING)
        journal = open_journal(part, _run_signature(corrector), restart=restart)
        stack.callback(journal.close)
        resumed = journal.done
        _work_off(corrector, given.texts, journal, progress)
        losses = _written(journal, given, wanted, corrector)
        for correction in journal.corrections():
            tally.add(correction)
        journal.remove()
    return tally.result(resumed, losses, corrector.info.signature)


def _work_off(
    corrector: Corrector, texts: Iterable[str], journal: Journal, progress: Callable[[int], None]
) -> None:
    """Correct what a journal does not hold yet."""
    try:
        for done in journalled(corrector, texts, journal):
            progress(done)
    except BaseException:
        if journal.is_empty():  # nothing to go on with
            journal.remove()
        raise


def _check_targets(path: Path, wanted: Target) -> None:
    """Refuse files that cannot be written, or of which one would take the place of another."""
    check_target(wanted.path)
    # The journal is held against the input: were it replaced, a killed run could not go on.
    if path.is_file() and wanted.path.exists() and wanted.path.samefile(path):
        raise UsageError(f"{wanted.path}: is read and would be written over; name another output")
    if wanted.details is None:
        return
    check_target(wanted.details)
    for what, other in (("the output", wanted.path), ("the input", path)):
        if wanted.details == other or wanted.details.resolve() == other.resolve():
            raise UsageError(f"{wanted.details}: is {what}, too; name another file for details")


def _run_signature(corrector: Corrector) -> dict[str, str]:
    return {**corrector.info.signature, "gecbench": __version__}


def _unkept(corrector: Corrector, given: Sources, wanted: Target, tally: _Tally) -> Corrected:
    """Correct towards standard output: lines as they come, else all at the end."""
    kept: list[Correction] = []

    def each() -> Iterator[Correction]:
        for texts in windows(given.texts, corrector.info.window):
            for answer in asked(corrector, texts):
                tally.add(answer)
                if wanted.details or wanted.format != "lines":
                    kept.append(answer)
                yield answer

    if wanted.format == "lines" and tally.show is None:
        write_stream(wanted.path, _lines(wanted.path, each()))
    else:
        for _ in each():
            pass
    losses = _as_corpus(kept, given, wanted, corrector) if tally.show is None else ()
    if wanted.details:
        _write_details(wanted.details, kept, given, corrector)
    return tally.result(0, losses, corrector.info.signature)


def _written(
    journal: Journal, given: Sources, wanted: Target, corrector: Corrector
) -> tuple[str, ...]:
    """Write what the journal holds, and return what the format could not hold."""
    losses: tuple[str, ...] = ()
    if wanted.format == "lines":
        write_stream(wanted.path, _lines(wanted.path, journal.corrections()))
    else:
        losses = _as_corpus(list(journal.corrections()), given, wanted, corrector)
    if wanted.details:
        _write_details(wanted.details, journal.corrections(), given, corrector)
    return losses


def _lines(path: Path, answers: Iterable[Correction]) -> Iterator[bytes]:
    for n, answer in enumerate(answers, 1):
        if "\n" in answer.text or "\r" in answer.text:
            raise CorpusError(
                f"{path}: the correction of sentence {n} has a line end in it, which a file of "
                "lines cannot hold; write --to jsonl"
            )
        yield encoded(path, f"{answer.text}\n")


def _as_corpus(
    answers: Sequence[Correction], given: Sources, wanted: Target, corrector: Corrector
) -> tuple[str, ...]:
    """Write corrections as the references of a corpus."""
    if wanted.format == "lines":
        return ()
    base = given.corpus or Corpus(corrector.info.name, ())
    samples = base.samples or [Sample(str(n), c.source) for n, c in enumerate(answers, 1)]
    ours = wanted.format == "jsonl"  # the others hold neither, and would be said to lose them
    annotator = corrector.info.name if ours else None
    corpus = Corpus(
        base.name,
        tuple(
            replace(s, references=(Rewrite(text=c.text, annotator=annotator),), tokens=())
            for s, c in zip(samples, answers, strict=True)
        ),
        base.lang,
        {"system": corrector.info.name, **_run_signature(corrector)} if ours else {},
    )
    if wanted.scheme is not None:
        corpus = replace(extract(corpus, wanted.scheme(corpus)), provenance={})
    return tuple(save(corpus, wanted.path, format=wanted.format))


def _write_details(
    path: Path, answers: Iterable[Correction], given: Sources, corrector: Corrector
) -> None:
    """Write all that a corrector said: a header, then a line for each sentence."""
    import json

    encode = json.JSONEncoder(ensure_ascii=False).encode
    ids = iter(s.id for s in given.corpus.samples) if given.corpus else map(str, _numbers())

    def rows() -> Iterator[bytes]:
        info = corrector.info
        header = {"format": DETAILS, "schema": 1, "system": info.name, "kind": info.kind}
        yield encoded(path, encode({**header, "signature": _run_signature(corrector)}) + "\n")
        for id_, answer in zip(ids, answers, strict=False):  # numbers never end
            yield encoded(path, encode({"id": id_, **_details_of(answer)}) + "\n")

    write_stream(path, rows())


def _numbers() -> Iterator[int]:
    n = 0
    while True:
        n += 1
        yield n


def _details_of(answer: Correction) -> dict[str, object]:
    row: dict[str, object] = {"source": answer.source, "text": answer.text}
    row["edits"] = [
        {
            "start": e.start,
            "end": e.end,
            "replacement": e.replacement,
            **({} if e.score is None else {"score": e.score}),
            **({} if e.label is None else {"label": e.label}),
        }
        for e in answer.edits
    ]
    if answer.score is not None:
        row["score"] = answer.score
    if answer.flags:
        row["flags"] = list(answer.flags)
    if answer.alternatives:
        row["alternatives"] = list(answer.alternatives)
    return row


class _Tally:
    """Counts what corrections come to, one after another."""

    def __init__(
        self, ids: Sequence[str] | None, show: Callable[[str, Correction], None] | None
    ) -> None:
        self.show = show
        self._ids = ids
        self._sentences = 0
        self._changed = 0
        self._edits = 0
        self._flags: Counter[str] = Counter()
        self._named: dict[str, list[str]] = {}

    def add(self, correction: Correction) -> None:
        """Count the correction of the next sentence."""
        id_ = self._ids[self._sentences] if self._ids else str(self._sentences + 1)
        self._sentences += 1
        self._changed += correction.text != correction.source
        self._edits += len(correction.edits)
        for flag in correction.flags:
            self._flags[flag] += 1
            named = self._named.setdefault(flag, [])
            if len(named) < _NAMED:
                named.append(id_)
        if self.show:
            self.show(id_, correction)

    def result(
        self, resumed: int, losses: Sequence[str], signature: Mapping[str, str]
    ) -> Corrected:
        """Return what all of them came to."""
        flags = {flag: (n, tuple(self._named[flag])) for flag, n in self._flags.most_common()}
        return Corrected(
            sentences=self._sentences,
            changed=self._changed,
            edits=self._edits,
            flags=flags,
            resumed=resumed,
            losses=tuple(losses),
            signature=signature,
        )
