"""What of a file a project has already: texts, ids, and an import of it that was interrupted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from gecbench.server.exchange.plans import ImportOptions, stored_options
from gecbench.server.models import ImportBatch, Project, Sentence

ASKED = 500
"""Values of one query: every database takes as many."""


@dataclass(frozen=True, slots=True)
class Present:
    """What the project has.

    Args:
        project: Row of the project.
        numbers: Digest of a text to the task number of the first sentence with it.
        ids: Those of the file that are taken.
        batch: Row of an import of the same file that was interrupted; None where there is none.
        done: Ids that it has added.
        prefix: What its numbers as ids begin with; None without such an import.
    """

    project: int
    numbers: Mapping[str, int]
    ids: Collection[str]
    batch: int | None = None
    done: Collection[str] = field(default=frozenset())
    prefix: str | None = None

    def free_prefix(self, numbers: Sequence[str]) -> str:
        """Return a prefix with which none of the numbers is the id of a sentence."""
        if not _taken(self.project, numbers):
            return ""
        batches = ImportBatch.objects.filter(project_id=self.project).count()
        return next(
            f"{n}-" for n in count(batches + 1) if not _taken(self.project, numbers, f"{n}-")
        )


def present_in(
    project: Project,
    sha256: str,
    format: str,
    options: ImportOptions,
    *,
    digests: Collection[str],
    ids: Collection[str],
) -> Present:
    """Return what a project has of a file's texts and ids."""
    batch = _interrupted(project, sha256, format, options)
    here = Sentence.objects.filter(project=project)
    done: frozenset[str] = frozenset()
    prefix = None
    if batch is not None:
        done = frozenset(here.filter(batch=batch).values_list("external_id", flat=True))
        prefix = str(batch.counts["prefix"])
        here = here.exclude(batch=batch)
    numbers: dict[str, int] = {}
    for some in _pieces(sorted(digests)):
        for text, number in here.filter(digest__in=some).values_list("digest", "number"):
            numbers[text] = min(number, numbers.get(text, number))
    taken = {
        name
        for some in _pieces(sorted(ids))
        for name in here.filter(external_id__in=some).values_list("external_id", flat=True)
    }
    return Present(project.pk, numbers, taken, None if batch is None else batch.pk, done, prefix)


def missing(batch: ImportBatch) -> int:
    """Return how many sentences an import has yet to add; not 0 only where it was interrupted."""
    return int(batch.counts.get("sentences", 0)) - batch.sentences.count()


def unfinished(project: Project) -> tuple[tuple[ImportBatch, int], ...]:
    """Return the imports of a project that were interrupted, with how many sentences are missing.

    The same file with the same options goes on with one.
    """
    batches = ImportBatch.objects.filter(project=project).order_by("id")
    return tuple((batch, left) for batch in batches if (left := missing(batch)))


def _interrupted(
    project: Project, sha256: str, format: str, options: ImportOptions
) -> ImportBatch | None:
    batches = ImportBatch.objects.filter(project=project, file_sha256=sha256, format=format)
    for batch in batches.order_by("-id"):
        if batch.counts.get("options") == stored_options(options) and missing(batch):
            return batch
    return None


def _taken(project: int, numbers: Sequence[str], prefix: str = "") -> bool:
    here = Sentence.objects.filter(project_id=project)
    if prefix:
        return here.filter(external_id__startswith=prefix).exists()
    return any(here.filter(external_id__in=some).exists() for some in _pieces(numbers))


def _pieces(values: Sequence[str]) -> Iterator[Sequence[str]]:
    return (values[at : at + ASKED] for at in range(0, len(values), ASKED))
