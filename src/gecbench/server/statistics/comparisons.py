"""Texts compared by their edits, sentence by sentence: with the golden set, and among annotators.

What is found is stored in pieces, as arrays of counts. `scoring` makes figures of them: those that
`gecbench analyse human`, `agreement` and `references` give on exports of the project.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from gecbench import __version__
from gecbench.api.schemes import load_scheme
from gecbench.core.case import CaseRewrite
from gecbench.core.scheme import Extraction, Scheme
from gecbench.lang import language_of
from gecbench.lang.zh.char import PLACEHOLDER
from gecbench.metrics import metric_class
from gecbench.scoring.resample import drop_dominated
from gecbench.scoring.spans import Key, SpanF, keys
from gecbench.scoring.texts import characters
from gecbench.server.choices import Decision, SentenceState
from gecbench.server.import_export.corpora import DECIDED, SOURCE, Look, look_of
from gecbench.server.models import Project, Sentence
from gecbench.server.statistics.pieces import among, load_pieces
from gecbench.server.statistics.work import Answer, Rows, SentenceRow, Text, load_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tables = Mapping[str, "NDArray[Any]"]
"""See COLUMNS and CANDIDATES."""

SCHEMES: Mapping[str, str] = {"zh": "zh-char", "en": "en-errant"}
"""How edits are found, by language: as exports of M2 and releases do."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "answers": ("number", "person", "at", "decision"),
    "texts": ("number", "person", "at", "source", "kept"),
    "pairs": ("number", "one", "other", "alike", "exact", "common"),
    "rewrites": ("number", "one", "other"),
    "goldens": ("number", "characters", "references", "distinct", "edits", "edited"),
    "left_out": ("number",),
}
"""Columns of the tables, all of them whole numbers; a sentence is named by its number, a person or
a source by its row, and a decision by its place in `DECISIONS`; `at` is in microseconds.

A row of `answers` is an answer, of `pairs` two answers to a sentence; of `texts` a text that is
scored against the golden set, of `rewrites` one that is scored against another's answer; of
`goldens` a golden set, without references where nobody can annotate the sentence, `edited` those
that change it; of `left_out` an answer that is not scored, for it says that nobody can. The table
`sources` has names, by row of `goldens`."""

COMPARISONS = "comparisons"
"""Kind of the pieces in which tables are stored."""

CANDIDATES = ("text_counts", "rewrite_counts")
"""For each row of `texts` and `rewrites` the true positives, false positives and false negatives
with each reference that may be chosen, shape (rows, references, 3); filled up by the last."""


SentenceTexts = tuple[str, tuple[str, ...]]
"""A source and the different texts that answers and golden references make of it."""


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares the texts of a project.

    Args:
        project: Whose texts.
        scheme: Finds edits.
        metric: Compares them.
        look: Texts as the scheme reads them.
        joiner: Between the units of a text: with it in the place of all white space, texts are
            equal that are the same.
    """

    project: Project
    scheme: Scheme
    metric: SpanF
    look: Look
    joiner: str

    @classmethod
    def of(cls, project: Project) -> Comparer:
        """Load what compares the texts of a project.

        Raises:
            MissingExtraError: English, and the extra `en` is not installed.
        """
        scheme = load_scheme(SCHEMES[project.lang], types=False)
        language = language_of(project.lang)
        metric: Any = metric_class(language.metric)
        # The scorer's own placeholder for the project's.
        another = project.lang == "zh" and project.rules.placeholder != PLACEHOLDER
        look = look_of(project, alias=PLACEHOLDER if another else "")
        context = {**scheme.signature, "references": "all", "gecbench": __version__}
        return cls(project, scheme, metric(context=context), look, language.joiner)

    def load_tables(self, processes: int = 1) -> Tables:
        """Compare all texts of the project; sentences are in the order of their numbers."""
        import numpy as np

        pieces = load_pieces(
            self.project, COMPARISONS, lambda keys: self.pack(load_rows(keys)), processes
        )
        empty = _Work(self.joiner).tables(np.empty(0, np.int32))  # a project may have no sentence
        return _join([empty, *map(_unpack, pieces)])

    def compare(self, sentences: Collection[int]) -> Tables:
        """Compare the texts of some sentences, of which the rows are given."""
        return self.compare_rows(load_rows(sentences))

    def pack(self, rows: Rows) -> str:
        """Compare the texts of some sentences; the tables as they are stored."""
        return _pack(self.compare_rows(rows))

    def compare_rows(self, rows: Rows) -> Tables:
        """Compare the texts of some sentences."""
        answers: dict[int, list[Answer]] = defaultdict(list)
        for answer in rows.answers:
            answers[answer.sentence].append(answer)
        unnamed = any(row.source is None for row in rows.sentences.values())
        sources = self._sources(rows.keys) if unnamed else {}
        work = _Work(self.joiner)
        for row in rows.sentences.values():
            if row.state == SentenceState.WITHDRAWN:
                continue
            of_sentence = answers[row.pk]
            texts = [
                self._targets(row, answer.decision, rows.texts.get(answer.submission, ()))
                for answer in of_sentence
            ]
            golden = None
            if row.state in DECIDED and row.golden is not None:
                golden = self._targets(row, row.kind, rows.goldens.get(row.pk, ()))
                name = sources.get(row.pk, "")
                work.names.append(name if row.source is None else self.look.sources[row.source])
            work.add(row, of_sentence, texts, golden)
        return work.tables(self._count_shared_edits(work.sentences))

    def _targets(
        self, row: SentenceRow, decision: str | None, texts: Sequence[Text]
    ) -> Sequence[str]:
        """The texts that an answer or a golden set stands for: error free is the source."""
        if decision == Decision.CORRECTED:
            rewrite = self.look.text if self.look.alias else str
            return [rewrite(text) for _, text in texts]
        return [row.text] if decision == Decision.ERROR_FREE else []

    def _sources(self, members: str) -> Mapping[int, str]:
        """Names of sources of sentences that have one in their metadata only."""
        rows = Sentence.objects.filter(pk__in=among(members), source=None).exclude(meta={})
        return {
            pk: self.look.meta(meta, None).get(SOURCE, "")
            for pk, meta in rows.values_list("pk", "meta")
        }

    def _count_shared_edits(self, sentences: list[SentenceTexts]) -> NDArray[Any]:
        """Count the edits that each two texts of a sentence share, a square for each sentence."""
        import numpy as np

        if self.scheme.count_shared_edits is not None:
            return np.frombuffer(self.scheme.count_shared_edits(sentences), dtype=np.int32)
        edits = self._edits([(source, text) for source, texts in sentences for text in texts])
        numbers = []
        for _, texts in sentences:
            of_texts = list(islice(edits, len(texts)))
            # No edit stands twice in what the schemes of the platform find.
            numbers += [len(left & right) for left in of_texts for right in of_texts]
        return np.array(numbers, dtype=np.int32)

    def _edits(self, pairs: Sequence[tuple[str, str]]) -> Iterator[frozenset[Key]]:
        """Yield what the edits of pairs of a source and a text are compared by."""
        if self.scheme.batch is not None:
            yield from map(self._keys, self.scheme.batch(pairs))
            return
        parse_source = lru_cache(maxsize=1)(self.scheme.parse_source)
        for source, text in pairs:
            extraction = self.scheme.extract(parse_source(source), self.scheme.parse_target(text))
            yield self._keys(extraction)

    def _keys(self, extraction: Extraction) -> frozenset[Key]:
        metric = self.metric
        (edits,) = extraction.edit_sets
        if not edits:
            return frozenset()
        return frozenset(keys(CaseRewrite(edits), metric.level, metric.chosen, metric.rule))


class _Work:
    """Answers to sentences and golden sets, and their tables.

    Texts, answers and sentences are named by numbers from 0 on; the different texts of a sentence
    follow one another.

    Args:
        joiner: See `Comparer`.
    """

    def __init__(self, joiner: str) -> None:
        self.sentences: list[SentenceTexts] = []
        self.names: list[str] = []  # of where sentences with a golden set come from
        self._joiner = joiner
        self._rows: dict[str, list[tuple[int, ...]]] = defaultdict(list)
        self._contents: list[int] = []  # by text: the first one that is the same
        self._unchanged: list[int] = []  # by sentence: the first text that is the same, or -1
        self._answers: list[list[int]] = []  # the texts of each
        self._goldens: list[list[int]] = []  # the golden texts of each sentence
        self._answered: list[int] = []  # by sentence: how many answers
        self._sources: list[int] = []  # by sentence: the row, 0 for none

    def add(
        self,
        row: SentenceRow,
        answers: Sequence[Answer],
        texts: Sequence[Sequence[str]],
        golden: Sequence[str] | None,
    ) -> None:
        """Add a sentence.

        Args:
            row: The sentence.
            answers: To it.
            texts: Of each answer.
            golden: Of the golden set; None where there is none that holds.
        """
        first, join = len(self._contents), self._joiner.join
        numbers: dict[str, int] = {}
        self._answers += [
            [numbers.setdefault(text, first + len(numbers)) for text in of_answer]
            for of_answer in texts
        ]
        of_golden = [numbers.setdefault(text, first + len(numbers)) for text in golden or ()]
        by_content: dict[str, int] = {}
        self._contents += [
            by_content.setdefault(join(text.split()), number) for text, number in numbers.items()
        ]
        self._unchanged.append(by_content.get(join(row.text.split()), -1))
        self._rows["answers"] += [(row.number, answer.person, answer.at) for answer in answers]
        if golden is not None:
            size, distinct = len(characters(row.text)), {characters(text) for text in golden}
            self._rows["goldens"].append(
                (row.number, size, len(golden), len(distinct), len(self._goldens))
            )
        self._goldens.append(of_golden)
        self._answered.append(len(answers))
        self._sources.append(row.source or 0)
        self.sentences.append((row.text, tuple(numbers)))

    def tables(self, shared: NDArray[Any]) -> Tables:
        """Make the tables.

        Args:
            shared: What `Comparer` counts of `sentences`.
        """
        import numpy as np

        edits = _Edits(shared, np.array([len(texts) for _, texts in self.sentences], np.int64))
        answers, goldens = _Groups(self._answers), _Groups(self._goldens)
        rows = {name: _rows(self._rows[name], width) for name, width in _WIDTHS.items()}
        answered = np.array(self._answered, np.int64)
        sentence = np.repeat(np.arange(len(answered)), answered)
        number, person, at = rows["answers"].T
        contents = np.array(self._contents, np.int64)

        text, place = answers.members(np.arange(len(number)))
        changed = contents[text] != np.array(self._unchanged, np.int64)[sentence[place]]
        unlike = np.bincount(place, changed, len(number)) > 0
        decision = np.where(answers.sizes == 0, 2, np.where(unlike, 0, 1))
        writer, author = _pairs_within(answered)
        one, other = writer[writer < author], author[writer < author]
        agreed = _compare_answers(answers, contents, decision, one, other)
        several = (writer != author) & (answers.sizes[author] > 0)
        writer, author = writer[several], author[several]
        rewrite, place = answers.members(writer)
        rewrite_counts = edits.compare(rewrite, answers.filled(author)[place])
        rewrites = np.stack([number[writer], person[writer], person[author]], axis=1)[place]

        scored = np.flatnonzero(goldens.sizes[sentence] > 0)
        text, place = answers.members(scored)
        references = goldens.filled(sentence[scored])[place]
        unchanged = (contents[references] == contents[text][:, None]).any(axis=1)
        source = np.array(self._sources, np.int64)[sentence]
        about = np.stack([number, person, at, source], axis=1)[scored][place]

        *facts, of_sentence = rows["goldens"].T
        golden, place = goldens.members(of_sentence)
        edit_counts, count = edits.count_edits(golden), len(of_sentence)
        sums = np.bincount(place, edit_counts, count), np.bincount(place, edit_counts > 0, count)
        return {
            "answers": np.concatenate([rows["answers"], decision[:, None]], axis=1),
            "pairs": np.stack([number[one], person[one], person[other], *agreed], axis=1),
            "rewrites": rewrites,
            "rewrite_counts": _drop(rewrite_counts),
            "texts": np.concatenate([about, unchanged[:, None]], axis=1),
            "text_counts": _drop(edits.compare(text, references)),
            "goldens": np.stack([*facts, *sums], axis=1).astype(np.int64),
            "left_out": number[scored][answers.sizes[scored] == 0][:, None],
            "sources": np.array(self.names, dtype=str),
        }


_WIDTHS: Mapping[str, int] = {"answers": 3, "goldens": 5}
"""Columns of the rows that `_Work` collects."""


class _Groups:
    """Lists of numbers one after the other, as arrays."""

    def __init__(self, lists: Sequence[Sequence[int]]) -> None:
        import numpy as np

        self.sizes = np.fromiter(map(len, lists), np.int64, len(lists))
        self._starts = _starts(self.sizes)
        self._numbers = np.fromiter(chain.from_iterable(lists), np.int64)

    def members(self, groups: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The numbers in some groups, and for each the place of its group among these."""
        import numpy as np

        sizes = self.sizes[groups]
        place = np.repeat(np.arange(len(groups)), sizes)
        within = np.arange(len(place)) - _starts(sizes)[place]
        return self._numbers[self._starts[groups][place] + within], place

    def filled(self, groups: NDArray[Any]) -> NDArray[Any]:
        """The numbers in some groups that are not empty, a row each, filled up by the last."""
        import numpy as np

        last = self.sizes[groups] - 1
        within = np.minimum(np.arange(last.max(initial=0) + 1), last[:, None])
        rows: NDArray[Any] = self._numbers[self._starts[groups][:, None] + within]
        return rows


class _Edits:
    """How many edits texts have, and share with others of their sentence.

    Args:
        squares: By sentence how many each two texts share, row by row.
        sizes: How many texts each sentence has.
    """

    def __init__(self, squares: NDArray[Any], sizes: NDArray[Any]) -> None:
        import numpy as np

        self._squares = squares
        place = np.repeat(np.arange(len(sizes)), sizes)
        self._column = np.arange(len(place)) - _starts(sizes)[place]
        self._row = _starts(sizes**2)[place] + self._column * sizes[place]

    def count_edits(self, texts: NDArray[Any]) -> NDArray[Any]:
        """Count the edits of texts."""
        counts: NDArray[Any] = self._squares[self._row[texts] + self._column[texts]]
        return counts

    def compare(self, texts: NDArray[Any], references: NDArray[Any]) -> NDArray[Any]:
        """Count true positives, false positives and false negatives as `scoring.spans.pair` does.

        Args:
            texts: Shape (rows,).
            references: Shape (rows, references).

        Returns:
            Shape (rows, references, 3).
        """
        import numpy as np

        hits = self._squares[self._row[texts][:, None] + self._column[references]]
        wrong, missing = (
            self.count_edits(texts)[:, None] - hits,
            self.count_edits(references) - hits,
        )
        return np.stack([hits, wrong, missing], axis=-1)


def _compare_answers(
    answers: _Groups,
    contents: NDArray[Any],
    decision: NDArray[Any],
    one: NDArray[Any],
    other: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Compare pairs of answers as `analysis.agreement` does.

    Args:
        answers: The texts of each.
        contents: By text: the first one that is the same.
        decision: Of each answer.
        one: An answer of each pair.
        other: The other one.

    Returns:
        Whether the decisions are the same, the answers too, and whether they have a text in common.
    """
    import numpy as np

    alike = decision[one] == decision[other]
    exact, common = alike.copy(), alike.copy()  # as all answers without corrections are
    texts = np.flatnonzero(alike & (decision[one] == 0))
    left, right = (contents[answers.filled(side[texts])] for side in (one, other))
    same = left[:, :, None] == right[:, None, :]
    exact[texts] = same.any(axis=2).all(axis=1) & same.any(axis=1).all(axis=1)
    common[texts] = same.any(axis=(1, 2))
    return alike, exact, common


def _starts(sizes: NDArray[Any]) -> NDArray[Any]:
    """Where groups of these sizes begin that lie one after the other."""
    starts: NDArray[Any] = sizes.cumsum() - sizes
    return starts


def _pairs_within(sizes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """All pairs of members of one group, of groups of these sizes that follow one another."""
    import numpy as np

    others = np.repeat(sizes, sizes)  # by member
    first = np.repeat(np.arange(len(others)), others)
    start = np.repeat(_starts(sizes), sizes)
    return first, np.arange(len(first)) - (_starts(others) - start)[first]


def _rows(rows: Sequence[tuple[int, ...]], width: int) -> NDArray[Any]:
    """A table of rows; NumPy takes six times as long to look through rows of rows."""
    import numpy as np

    return np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, width)


def _drop(candidates: NDArray[Any]) -> NDArray[Any]:
    """Candidates without those that can never be chosen, in as few columns as there is room for."""
    import numpy as np

    candidates = drop_dominated(candidates)
    differs = (candidates[:, 1:] != candidates[:, :-1]).any(axis=(0, 2))
    return candidates[:, : differs.nonzero()[0].max(initial=-1) + 2].astype(np.int32)


# Tables: made, stored, put together.


def _join(pieces: Sequence[Tables]) -> Tables:
    """Put tables together, sentences in the order of their numbers."""
    import numpy as np

    tables: dict[str, Any] = {}
    for name in (*COLUMNS, *CANDIDATES, "sources"):
        parts = [piece[name] for piece in pieces]
        if name in CANDIDATES:
            width = max(part.shape[1] for part in parts)
            parts = [
                np.pad(part, ((0, 0), (0, width - part.shape[1]), (0, 0)), "edge") for part in parts
            ]
        tables[name] = np.concatenate(parts)
    orders = {name: np.argsort(tables[name][:, 0], kind="stable") for name in COLUMNS}
    ordered_by = {"text_counts": "texts", "rewrite_counts": "rewrites", "sources": "goldens"}
    return {name: table[orders[ordered_by.get(name, name)]] for name, table in tables.items()}


def _pack(tables: Tables) -> str:
    """Tables one after the other behind a line that describes them: `numpy.savez` takes longer."""
    arrays = {name: _narrow(table) for name, table in tables.items()}
    head = {name: (array.dtype.str, array.shape) for name, array in arrays.items()}
    content = b"".join(array.tobytes() for array in arrays.values())
    packed = json.dumps(head).encode() + b"\n" + content
    return base64.b64encode(zlib.compress(packed, 1)).decode()


def _narrow(table: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in four bytes each where they have room: that is less to compress."""
    import numpy as np

    fits = table.dtype == np.int64 and table.max(initial=0) <= np.iinfo(np.int32).max
    return table.astype(np.int32) if fits else table


def _unpack(data: str) -> Tables:
    import numpy as np

    head, _, content = zlib.decompress(base64.b64decode(data)).partition(b"\n")
    tables, at = {}, 0
    for name, (kind, shape) in json.loads(head).items():
        table = np.frombuffer(content, kind, math.prod(shape), at).reshape(shape)
        at += table.nbytes
        tables[name] = table.astype(np.int64) if name in COLUMNS else table
    return tables
