"""Texts compared by their edits, sentence by sentence: with the golden set, and among annotators.

What is found is stored in pieces, as arrays of counts. `scoring` makes figures of them: those that
`gecbench analyse human`, `agreement` and `references` give on exports of the project.
"""

from __future__ import annotations

import base64
import io
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING, Any, NamedTuple

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
from gecbench.server.choices import Decision
from gecbench.server.import_export.corpora import DECIDED, SOURCE, Look, look_of
from gecbench.server.models import GoldenReference, Project, Sentence
from gecbench.server.models.statements import compiled
from gecbench.server.statistics.pieces import among, load_pieces, pack_keys
from gecbench.server.statistics.work import Answer, counts, load_answers, load_texts

if TYPE_CHECKING:
    from django.db.models import QuerySet
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
        look = look_of(project, alias=PLACEHOLDER if project.lang == "zh" else "")
        context = {**scheme.signature, "references": "all", "gecbench": __version__}
        return cls(project, scheme, metric(context=context), look, language.joiner)

    def load_tables(self, processes: int = 1) -> Tables:
        """Compare all texts of the project; sentences are in the order of their numbers."""
        pieces = load_pieces(
            self.project, "comparisons", lambda rows: _pack(self.compare(rows)), processes
        )
        return _join([self.compare([]), *map(_unpack, pieces)])

    def compare(self, sentences: Collection[int]) -> Tables:
        """Compare the texts of some sentences, of which the rows are given."""
        members = pack_keys(sentences)
        answers: dict[int, list[Answer]] = defaultdict(list)
        for answer in load_answers(members):
            answers[answer.sentence].append(answer)
        submitted = self._texts((key, text) for key, _, text in load_texts(members))
        golden = self._texts(_golden_texts(members))
        sources = self._sources(members)
        work = _Work(self.joiner)
        for row in map(_Row._make, _sentences(members)):
            work.begin(row)
            for answer in answers[row.pk]:
                texts = _targets(row.text, answer.decision, submitted[answer.submission])
                work.add_answer(answer, texts)
            if row.state in DECIDED and row.golden is not None:
                name = sources.get(row.pk, "")
                if row.source is not None:
                    name = self.look.sources[row.source]
                work.add_golden(_targets(row.text, row.kind, golden[row.golden]), name)
            work.end()
        return work.tables(self._count_shared_edits(work.sentences))

    def _texts(self, rows: Iterable[tuple[int, str]]) -> Mapping[int | None, list[str]]:
        texts: dict[int | None, list[str]] = defaultdict(list)
        for key, text in rows:
            texts[key].append(self.look.text(text))
        return texts

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
            numbers += [len(one & other) for one in of_texts for other in of_texts]
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


class _Row(NamedTuple):
    """A sentence, as far as it is compared."""

    pk: int
    number: int
    text: str
    source: int | None
    state: str
    golden: int | None
    kind: str | None


@compiled
def _sentences(members: str) -> QuerySet[Any, Any]:
    rows = Sentence.objects.filter(counts(""), pk__in=among(members)).order_by("number")
    columns = ("pk", "number", "text", "source_id", "state", "golden_id", "golden__kind")
    return rows.values_list(*columns)


@compiled
def _golden_texts(members: str) -> QuerySet[Any, Any]:
    rows = Sentence.objects.filter(counts(""), pk__in=among(members))
    entries = GoldenReference.objects.filter(golden__in=rows.values("golden"))
    return entries.order_by("golden_id", "position").values_list("golden_id", "reference__text")


def _targets(source: str, decision: str | None, texts: Sequence[str]) -> Sequence[str]:
    """The texts that an answer or a golden set stands for: error free is the source."""
    if decision == Decision.CORRECTED:
        return texts
    return [source] if decision == Decision.ERROR_FREE else []


_NOTHING: frozenset[int] = frozenset()


class _Work:
    """Answers to sentences and golden sets, one sentence after the other, and their tables.

    Texts, answers and sentences are named by numbers from 0 on; the different texts of a sentence
    follow one another.

    Args:
        joiner: See `Comparer`.
    """

    def __init__(self, joiner: str) -> None:
        self.sentences: list[SentenceTexts] = []
        self._joiner = joiner
        self._rows: dict[str, list[tuple[int, ...]]] = defaultdict(list)
        self._names: list[str] = []  # of where sentences with a golden set come from
        self._contents: list[int] = []  # by text: the first one that is the same
        self._answers: list[list[int]] = []  # the texts of each
        self._goldens: list[list[int]] = []  # the golden texts of each sentence
        self._answered: list[int] = []  # by sentence: how many answers
        self._sources: list[int] = []  # by sentence: the row, 0 for none

    def begin(self, row: _Row) -> None:
        """Begin with a sentence; what is added next is about it."""
        self._row = row
        self._numbers: dict[str, int] = {}
        self._by_content: dict[str, int] = {}
        self._decided: list[tuple[int, int, frozenset[int]]] = []
        self._golden: list[int] = []

    def _number(self, text: str) -> int:
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._contents)
            content = self._joiner.join(text.split())
            self._contents.append(self._by_content.setdefault(content, number))
        return number

    def add_answer(self, answer: Answer, texts: Sequence[str]) -> None:
        """Add an answer to the sentence."""
        numbers = [self._number(text) for text in texts]
        contents = frozenset([self._contents[number] for number in numbers])
        source = self._by_content.get(self._joiner.join(self._row.text.split()))
        decision = 2 if not numbers else 1 if contents == {source} else 0
        self._answers.append(numbers)
        self._decided.append((answer.person, decision, _NOTHING if decision else contents))
        self._rows["answers"].append((self._row.number, answer.person, answer.at, decision))

    def add_golden(self, texts: Sequence[str], source: str) -> None:
        """Add the golden set of the sentence, and the name of where the sentence comes from."""
        row, distinct = self._row, {characters(text) for text in texts}
        self._golden = [self._number(text) for text in texts]
        self._names.append(source)
        self._rows["goldens"].append(
            (row.number, len(characters(row.text)), len(texts), len(distinct), len(self._goldens))
        )

    def end(self) -> None:
        """End the sentence: answers are compared with one another, as in `analysis.agreement`."""
        add, number = self._rows["pairs"].append, self._row.number
        for one, other in combinations(self._decided, 2):
            alike = one[1] == other[1]
            exact = alike and one[2] == other[2]
            common = exact or not one[2].isdisjoint(other[2])
            add((number, one[0], other[0], alike, exact, common))
        self._goldens.append(self._golden)
        self._answered.append(len(self._decided))
        self._sources.append(self._row.source or 0)
        self.sentences.append((self._row.text, tuple(self._numbers)))

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
        number, person, at, _ = rows["answers"].T

        writer, author = _pairs_within(answered)
        several = (writer != author) & (answers.sizes[author] > 0)
        writer, author = writer[several], author[several]
        rewrite, place = answers.members(writer)
        rewrite_counts = edits.compare(rewrite, answers.filled(author)[place])
        rewrites = np.stack([number[writer], person[writer], person[author]], axis=1)[place]

        scored = np.flatnonzero(goldens.sizes[sentence] > 0)
        text, place = answers.members(scored)
        references = goldens.filled(sentence[scored])[place]
        contents = np.array(self._contents, np.int64)
        kept = (contents[references] == contents[text][:, None]).any(axis=1)
        source = np.array(self._sources, np.int64)[sentence]
        about = np.stack([number, person, at, source], axis=1)[scored][place]

        *facts, of_sentence = rows["goldens"].T
        golden, place = goldens.members(of_sentence)
        own, count = edits.own(golden), len(of_sentence)
        sums = np.bincount(place, own, count), np.bincount(place, own > 0, count)
        return {
            "answers": rows["answers"],
            "pairs": rows["pairs"],
            "rewrites": rewrites,
            "rewrite_counts": _drop(rewrite_counts),
            "texts": np.concatenate([about, kept[:, None]], axis=1),
            "text_counts": _drop(edits.compare(text, references)),
            "goldens": np.stack([*facts, *sums], axis=1).astype(np.int64),
            "left_out": number[scored][answers.sizes[scored] == 0][:, None],
            "sources": np.array(self._names, dtype=str),
        }


_WIDTHS: Mapping[str, int] = {"answers": 4, "pairs": 6, "goldens": 5}
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

    def own(self, texts: NDArray[Any]) -> NDArray[Any]:
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
        wrong, missing = self.own(texts)[:, None] - hits, self.own(references) - hits
        return np.stack([hits, wrong, missing], axis=-1)


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
    import numpy as np

    buffer = io.BytesIO()
    arrays: Any = {name: _narrow(table) for name, table in tables.items()}
    np.savez(buffer, **arrays)
    return base64.b64encode(zlib.compress(buffer.getbuffer(), 1)).decode()


def _narrow(table: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in four bytes each where they have room: that is less to compress."""
    import numpy as np

    fits = table.dtype == np.int64 and table.max(initial=0) <= np.iinfo(np.int32).max
    return table.astype(np.int32) if fits else table


def _unpack(data: str) -> Tables:
    import numpy as np

    packed = zlib.decompress(base64.b64decode(data))
    with np.load(io.BytesIO(packed), allow_pickle=False) as tables:
        return {
            name: tables[name].astype(np.int64) if name in COLUMNS else tables[name]
            for name in tables
        }
