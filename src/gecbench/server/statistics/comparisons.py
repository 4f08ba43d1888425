"""Texts compared by their edits, sentence by sentence: with the golden set, and among annotators.

What is found is stored in pieces, as arrays of counts. `scoring` makes figures of them: those that
`gecbench analyse human`, `agreement` and `references` give on exports of the project.
"""

from __future__ import annotations

import base64
import io
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, permutations, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from gecbench import __version__
from gecbench.api.schemes import load_scheme
from gecbench.core.case import CaseRewrite
from gecbench.core.scheme import Extraction, Scheme
from gecbench.core.sentence import Sentence as ParsedText
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


class _Text(NamedTuple):
    """A text beside its source.

    Args:
        content: Equal for texts that are the same.
        edits: What its edits are compared by.
    """

    content: str
    edits: frozenset[Key]


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
        return _join([_tables({}), *map(_unpack, pieces)])

    def compare(self, sentences: Collection[int]) -> Tables:
        """Compare the texts of some sentences, of which the rows are given."""
        members = pack_keys(sentences)
        answers: dict[int, list[Answer]] = defaultdict(list)
        for answer in load_answers(members):
            answers[answer.sentence].append(answer)
        submitted = self._texts((key, text) for key, _, text in load_texts(members))
        golden = self._texts(_golden_texts(members))
        works = []
        for row in map(_Row._make, _sentences(members)):
            targets = [
                _targets(row.text, answer.decision, submitted[answer.submission])
                for answer in answers[row.pk]
            ]
            works.append((row, targets, _targets(row.text, row.kind, golden[row.golden])))
        read = self._read(
            (row.text, target)
            for row, targets, references in works
            for target in chain(*targets, references)
        )
        sources = self._sources(members)
        table_rows: dict[str, list[Any]] = defaultdict(list)
        for row, targets, references in works:
            texts = [[read[row.text, target] for target in some] for some in targets]
            work = list(zip(answers[row.pk], texts, strict=True))
            _add_pairs(row, self._content(row.text), work, table_rows)
            if row.state in DECIDED and row.golden is not None:
                golds = [read[row.text, target] for target in references]
                _add_golden(row, golds, table_rows)
                table_rows["sources"].append(
                    sources.get(row.pk, "") if row.source is None else self.look.sources[row.source]
                )
                if golds:
                    _add_texts(row, work, golds, table_rows)
        return _tables(table_rows)

    def _texts(self, rows: Iterable[tuple[int, str]]) -> Mapping[int | None, list[str]]:
        texts: dict[int | None, list[str]] = defaultdict(list)
        for key, text in rows:
            texts[key].append(self.look.text(text))
        return texts

    def _content(self, text: str) -> str:
        return self.joiner.join(text.split())

    def _sources(self, members: str) -> Mapping[int, str]:
        """Names of sources of sentences that have one in their metadata only."""
        rows = Sentence.objects.filter(pk__in=among(members), source=None).exclude(meta={})
        return {
            pk: self.look.meta(meta, None).get(SOURCE, "")
            for pk, meta in rows.values_list("pk", "meta")
        }

    def _read(self, pairs: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], _Text]:
        """Find the edits of each different pair of a source and a text."""
        different = list(dict.fromkeys(pairs))
        parse_source = lru_cache(maxsize=1)(self.scheme.parse_source)
        parse_target = self.scheme.parse_target
        edits: Iterable[frozenset[Key]]
        if (find_spans := self.scheme.spans) is not None:
            edits = (
                frozenset()
                if source == target
                else self._span_keys(find_spans, parse_source(source), parse_target(target))
                for source, target in different
            )
        elif self.scheme.batch is not None:
            edits = map(self._keys, self.scheme.batch(different))
        else:
            edits = (
                self._keys(self.scheme.extract(parse_source(source), parse_target(target)))
                for source, target in different
            )
        return {
            pair: _Text(self._content(pair[1]), edit_keys)
            for pair, edit_keys in zip(different, edits, strict=True)
        }

    def _keys(self, extraction: Extraction) -> frozenset[Key]:
        metric = self.metric
        (edits,) = extraction.edit_sets
        if not edits:
            return frozenset()
        return frozenset(keys(CaseRewrite(edits), metric.level, metric.chosen, metric.rule))

    def _span_keys(self, find_spans: Any, source: ParsedText, target: ParsedText) -> frozenset[Key]:
        """What `keys` makes of edits by the metric's level, which is "correction"."""
        join, tokens = self.metric.rule.between.join, target.tokens
        spans = find_spans(source, target)
        return frozenset([(start, end, join(tokens[at:to])) for start, end, at, to in spans])


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


Work = Sequence[tuple[Any, Sequence[_Text]]]
"""The answers to a sentence, each with its texts."""


def _add_pairs(row: _Row, source: object, work: Work, columns: dict[str, list[Any]]) -> None:
    """Compare the answers to a sentence with one another, as `analysis.agreement` does.

    Args:
        row: The sentence.
        source: Its content.
        work: The answers.
        columns: Of tables, to which those of this sentence are added.
    """
    decisions, contents = [], []
    add_answer, add_pair = columns["answers"].append, columns["pairs"].append
    add_rewrite, add_counts = columns["rewrites"].append, columns["rewrite_counts"].append
    number = row.number
    for answer, texts in work:
        content = frozenset([text.content for text in texts])
        decision = 2 if not texts else 1 if content == {source} else 0
        decisions.append(decision)
        contents.append(content if decision == 0 else _NOTHING)
        add_answer((number, answer.person, answer.at, decision))
    for (n, (answer, _)), (m, (other_answer, _)) in combinations(enumerate(work), 2):
        alike = decisions[n] == decisions[m]
        exact = alike and contents[n] == contents[m]
        common = exact or not contents[n].isdisjoint(contents[m])
        add_pair((number, answer.person, other_answer.person, alike, exact, common))
    for (answer, texts), (other_answer, references) in permutations(work, 2):
        for text in texts if references else ():
            add_rewrite((number, answer.person, other_answer.person))
            add_counts([_compare(text, reference) for reference in references])


_NOTHING: frozenset[str] = frozenset()


def _add_golden(row: _Row, references: Sequence[_Text], columns: dict[str, list[Any]]) -> None:
    """Describe a golden set, as `analysis.references` does."""
    sizes = [len(text.edits) for text in references if text.edits]
    columns["goldens"].append(
        (
            *(row.number, len(characters(row.text)), len(references)),
            *(len({text.content.replace(" ", "") for text in references}), sum(sizes), len(sizes)),
        )
    )


def _add_texts(
    row: _Row, work: Work, references: Sequence[_Text], columns: dict[str, list[Any]]
) -> None:
    """Compare the answers to a sentence with its golden references, as `analysis.human` does."""
    contents = {reference.content for reference in references}
    for answer, texts in work:
        if not texts:
            columns["left_out"].append((row.number,))
        for text in texts:
            matches = text.content in contents
            columns["texts"].append(
                (row.number, answer.person, answer.at, row.source or 0, matches)
            )
            columns["text_counts"].append([_compare(text, reference) for reference in references])


def _compare(text: _Text, reference: _Text) -> tuple[int, int, int]:
    """Count true positives, false positives and false negatives, as `scoring.spans.pair` does.

    No edit stands twice in what the schemes of the platform find.
    """
    if text is reference:
        return len(text.edits), 0, 0
    hits = len(text.edits & reference.edits)
    return hits, len(text.edits) - hits, len(reference.edits) - hits


# Tables: made, stored, put together.


def _tables(table_rows: Mapping[str, Sequence[Any]]) -> Tables:
    import numpy as np

    tables: dict[str, Any] = {
        name: _whole_numbers(chain.from_iterable(table_rows.get(name, ()))).reshape(
            -1, len(columns)
        )
        for name, columns in COLUMNS.items()
    }
    for name in CANDIDATES:
        rows = table_rows.get(name, ())
        width = max(map(len, rows), default=1)
        filled = (chain(row, repeat(row[-1], width - len(row))) for row in rows)
        flat = chain.from_iterable(chain.from_iterable(filled))
        candidates: Any = _whole_numbers(flat).reshape(-1, width, 3)
        candidates = drop_dominated(candidates)
        differs = (candidates[:, 1:] != candidates[:, :-1]).any(axis=(0, 2))
        tables[name] = candidates[:, : differs.nonzero()[0].max(initial=-1) + 2].astype(np.int32)
    return tables | {"sources": np.array(table_rows.get("sources", ()), dtype=str)}


def _whole_numbers(values: Iterable[int]) -> NDArray[Any]:
    """One after the other: NumPy takes six times as long to look through rows of rows."""
    import numpy as np

    return np.fromiter(values, dtype=np.int64)


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
