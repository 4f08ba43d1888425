"""What was written how often, as in YACLC: each distinct text with its number of annotators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from gecbench.server.exchange.bridge import Look, latest_submissions, real, texts_of
from gecbench.server.exchange.paging import by_number
from gecbench.server.exchange.rows import lines_of
from gecbench.server.laws.diff import edits_of
from gecbench.server.laws.names import Decision, Dimension, SentenceState
from gecbench.server.laws.text import key
from gecbench.server.laws.tokens import tokens
from gecbench.server.models import Project, Sentence, Submission

_Texts = Mapping[int, Sequence[tuple[str, str]]]


def counts(project: Project, look: Look) -> Iterator[bytes]:
    """Yield an object a line: the sentence, its distinct texts, and how many wrote each.

    The keys are those of YACLC's files, where a sentence that is free of errors is its own
    correction; "not_annotatable" counts those who say that it cannot be annotated.
    """
    wanted = real(project).exclude(state=SentenceState.WITHDRAWN)

    def rows(piece: Sequence[Sentence]) -> list[dict[str, object]]:
        given: dict[int, list[Submission]] = defaultdict(list)
        submissions = latest_submissions([one.pk for one in piece])
        for one in submissions:
            given[one.sentence_id].append(one)
        texts = texts_of(submissions)
        return [
            _row(sentence, given[sentence.pk], texts, look, project.lang)
            for sentence in piece
            if sentence.pk in given
        ]

    for made in by_number(wanted.only("id", "number", "external_id", "text"), rows):
        yield from lines_of(made)


def _row(
    sentence: Sentence, submissions: Sequence[Submission], texts: _Texts, look: Look, lang: str
) -> dict[str, object]:
    said = [one.decision for one in submissions]
    written: dict[tuple[str, str], str] = {}
    writers: dict[tuple[str, str], set[int]] = defaultdict(set)
    for one in submissions:
        own = texts[one.pk] if one.decision == Decision.CORRECTED else ()
        if one.decision == Decision.ERROR_FREE:
            own = ((sentence.text, Dimension.GRAMMAR),)
        for text, dimension in own:
            which = key(text), dimension
            written.setdefault(which, text)
            writers[which].add(one.person_id)
    return {
        "sentence_id": sentence.external_id,
        "sentence_text": sentence.text,
        "total_annotators": len({one.person_id for one in submissions}),
        "not_annotatable": said.count(Decision.NOT_ANNOTATABLE),
        "sentence_annos": [
            {
                "is_grammatical": int(which[1] == Dimension.GRAMMAR),
                "correction": look.text(text) if text != sentence.text else text,
                "edits_count": _edits(sentence.text, text, lang, look.placeholder),
                "annotator_count": len(writers[which]),
            }
            for which, text in written.items()
        ],
    }


def _edits(source: str, text: str, lang: str, placeholder: str) -> int:
    return len(edits_of(tokens(source, lang, placeholder), tokens(text, lang, placeholder)))
