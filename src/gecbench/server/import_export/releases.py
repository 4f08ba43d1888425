"""The small files that go with those of a release: its manifest, and the sums of the others."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from itertools import chain
from typing import BinaryIO, cast

from django.conf import settings
from django.db import IntegrityError, transaction

from gecbench import __version__
from gecbench.api.schemes import load_scheme
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.server.choices import Decision, ProjectKind, SentenceState, TaskState
from gecbench.server.import_export import corpora
from gecbench.server.import_export.corpora import GoldenRow, Look, samples
from gecbench.server.import_export.exports import EXPORTS, ExportFile, HashedPieces, default_scheme
from gecbench.server.import_export.golden_files import (
    Frame,
    GoldenFile,
    Pieces,
    check_scheme,
    golden_file,
    sample_writer,
    width,
)
from gecbench.server.models import (
    Golden,
    GoldenReference,
    Person,
    Project,
    Release,
    ReleaseItem,
    Source,
)
from gecbench.server.workflow import audit
from gecbench.server.workflow.transactions import lock_project

SUMS = "SHA256SUMS"
"""What `sha256sum -c` reads."""


def companions(release: Release) -> Mapping[str, str]:
    """Name to text; the SHA-256 of the manifest's text is the release's own."""
    sums = [f"{about['sha256']}  {file}\n" for file, about in release_files(release).items()]
    # Written as it was hashed, so that whoever has the file can compare.
    manifest = text_of(release.manifest)
    return {f"{release.name}.manifest.json": manifest, SUMS: "".join(sums)}


def archive_name(release: Release) -> str:
    """What the archive of all files of a release is called."""
    return f"{release.name}.zip"


def export_archive(release: Release) -> ExportFile:
    """All files of a release, its manifest and its sums in one archive, as it is written.

    Raises:
        GecbenchError: While it is read: as `export_release`. The archive has no end then, and no
            program opens it.
    """
    return ExportFile(archive_name(release), ".zip", "application/zip", _write_archive(release))


class _Pieces(list[bytes]):
    """What has been written and not yet been sent; it has no positions to go back to."""

    def write(self, piece: bytes) -> int:
        self.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Do nothing: pieces are taken when they are wanted."""

    def drain(self) -> bytes:
        whole = b"".join(self)
        self.clear()
        return whole


def _write_archive(release: Release) -> Iterator[bytes]:
    written = _Pieces()
    date = release.at.astimezone(UTC).timetuple()[:6]
    files = ((name, export_release(release, name).content) for name in release_files(release))
    texts = ((name, iter([text.encode()])) for name, text in companions(release).items())
    with zipfile.ZipFile(cast("BinaryIO", written), "w") as archive:
        for name, content in chain(texts, files):
            about = zipfile.ZipInfo(f"{release.name}/{name}", date)
            about.compress_type = zipfile.ZIP_DEFLATED
            about.external_attr = 0o644 << 16
            with archive.open(about, "w", force_zip64=True) as member:
                for piece in content:
                    member.write(piece)
                    yield written.drain()
    yield written.drain()


# Releases: golden versions frozen under a name, whose files are the same for ever (WFL-7, INV-14).
#
# A release keeps which golden version each sentence had, and a manifest that says how files are
# made: all that may change later (the placeholder's alias, names of sources, the project's name)
# is in it. Golden versions, references, sentences and their facts never change: triggers see to
# that. Each file is written once while the release is made, and its SHA-256 is in the manifest.


_SCHEMA = 1
_NAME = re.compile(r"[A-Za-z0-9\u3400-\u9fff][A-Za-z0-9._\u3400-\u9fff-]{0,99}")
Json = dict[str, object]


def make_release(
    project: Project,
    *,
    name: str,
    by: Person | None,
    note: str = "",
    schemes: Sequence[str] | None = None,
) -> Release:
    """Freeze the golden sets of the real sentences that are golden now.

    Sentences under complaint are left out and counted: what they are is being decided.

    Args:
        project: Whose golden sets.
        name: Of the release; it begins the names of its files.
        by: Who makes it.
        note: What people should know of it.
        schemes: How the edits of M2 are found, a file for each; None is the one without
            resources: zh-char, and no M2 for English.

    Raises:
        UsageError: The name means nothing or is taken, or a scheme is for another language.
        GecbenchError: There is nothing to release.
    """
    if project.kind == ProjectKind.PERTURB:
        raise UsageError(
            "project {slug} has no releases; export its cases, which are hashed", slug=project.slug
        )
    if not _NAME.fullmatch(name):
        raise UsageError(
            "the name of a release is letters, digits, dots and hyphens, not {name!r}", name=name
        )
    if Release.objects.filter(project=project, name=name).exists():
        raise UsageError(
            "project {slug} has a release {name!r} already; name another",
            slug=project.slug,
            name=name,
        )
    if schemes is None:
        schemes = ("zh-char",) if default_scheme(project.lang) == "zh-char" else ()
    for scheme in schemes:
        check_scheme(scheme, project.lang)
    pieces = list(corpora.current_golden(project, (SentenceState.GOLDEN,)))
    if not pieces:
        raise GecbenchError(
            "project {slug} has no golden set yet; nothing to release", slug=project.slug
        )
    manifest = _manifest(project, name, pieces, schemes)
    return _store(project, name, note, by, manifest, pieces)


def release_files(release: Release) -> Mapping[str, Mapping[str, object]]:
    """The files of a release by name: format, scheme, sha256, bytes, lines."""
    return cast("Mapping[str, Mapping[str, object]]", release.manifest["files"])


def export_release(release: Release, file: str) -> ExportFile:
    """A file of a release, the same bytes for ever.

    Its last piece is held back until the hash of the whole is known to be the manifest's.

    Raises:
        UsageError: The release has no such file.
        GecbenchError: While it is read: it would not be the same any more; says why.
    """
    files = release_files(release)
    if file not in files:
        raise UsageError(
            "release {release!r} has no file {name!r}; it has {names}",
            release=release.name,
            name=file,
            names=", ".join(files),
        )
    about = files[file]
    ending = str(about["part"]) or file.removeprefix(release.name)
    media = EXPORTS[str(about["format"])].media
    return ExportFile(file, ending, media, _check_hash(release, file, _content(release, about)))


def verify_releases(project: Project | None = None) -> tuple[str, ...]:
    """Find what is wrong with releases: a line for each file that would differ from its hash."""
    problems: list[str] = []
    releases = Release.objects.select_related("project").order_by("id")
    for release in releases if project is None else releases.filter(project=project):
        where = f"release {release.project.slug}/{release.name}"
        if hash_of(release.manifest) != release.manifest_sha256:
            problems.append(f"{where}: the manifest is not the one that was written")
            continue
        items = ReleaseItem.objects.filter(release=release).count()
        counts = cast("Mapping[str, int]", release.manifest["counts"])
        if items != counts["sentences"]:
            problems.append(f"{where}: has {items} sentences, the manifest {counts['sentences']}")
            continue
        for file in release_files(release):
            try:
                HashedPieces(export_release(release, file).content).through()
            except GecbenchError as error:
                problems.append(f"{where}: {error}")
    return tuple(problems)


def hash_of(manifest: Mapping[str, object]) -> str:
    """The SHA-256 of a manifest, whatever the order of its keys."""
    return hashlib.sha256(text_of(manifest).encode()).hexdigest()


def text_of(manifest: Mapping[str, object]) -> str:
    """A manifest in the one spelling that is hashed."""
    return json.dumps(manifest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _manifest(
    project: Project, name: str, pieces: Sequence[list[GoldenRow]], schemes: Sequence[str]
) -> Json:
    look = corpora.look_of(project)
    guideline = project.guideline
    manifest: Json = {
        "schema": _SCHEMA,
        "release": name,
        "project": project.slug,
        "title": project.name,
        "lang": project.lang,
        "gecbench": __version__,
        "guideline": {"version": guideline.version, "sha256": guideline.sha256}
        if guideline
        else None,
        "placeholder": look.placeholder,
        "placeholder_export": look.alias,
        "sources": {
            str(key): text
            for key, text in Source.objects.filter(project=project).values_list("id", "name")
        },
        "schemes": {
            scheme: dict(load_scheme(scheme, places=settings.PLACES).signature)
            for scheme in schemes
        },
        "counts": _counts(project, pieces),
        "files": {},
    }
    manifest["files"] = _files(manifest, pieces, schemes)
    return manifest


def _counts(project: Project, pieces: Sequence[list[GoldenRow]]) -> dict[str, int]:
    kinds: Counter[str] = Counter()
    references = 0
    for piece in pieces:
        goldens = [row.golden for row in piece]
        kinds.update(Golden._base_manager.filter(id__in=goldens).values_list("kind", flat=True))
        references += GoldenReference.objects.filter(golden_id__in=goldens).count()
    disputed = corpora.real_sentences(project).filter(state=SentenceState.DISPUTED).count()
    return {
        "sentences": sum(kinds.values()),
        **{str(kind): kinds[kind] for kind in Decision},
        "references": references,
        "left_out_disputed": disputed,
        "left_out_undecided": corpora.real_sentences(project).count()
        - sum(kinds.values())
        - disputed,
    }


def _files(
    manifest: Mapping[str, object], pieces: Sequence[list[GoldenRow]], schemes: Sequence[str]
) -> Json:
    """Write every file once, to know its hash."""
    name = str(manifest["release"])
    files = {f"{name}{EXPORTS[kind].ending}": GoldenFile(kind) for kind in ("mucgec", "jsonl")}
    files |= {f"{name}.{scheme}.m2": GoldenFile("m2", scheme=scheme) for scheme in schemes}
    wide = width(lambda: _annotatable(pieces))
    for part in (".src", *(f".ref{n}" for n in range(wide))):
        files[f"{name}{part}"] = GoldenFile("parallel", part, wide=wide)
    return {
        file: {
            "format": files[file].format,
            "part": files[file].part,
            "scheme": files[file].scheme,
            "sha256": hashed.sha256,
            "bytes": hashed.size,
            "lines": hashed.lines,
        }
        for file, hashed in _hash_files(files, pieces, _frame(manifest)).items()
    }


def _hash_files(
    files: Mapping[str, GoldenFile], pieces: Sequence[list[GoldenRow]], frame: Frame
) -> dict[str, HashedPieces]:
    """Write all files at once, a piece after another: rows are read once."""
    counts = {file: HashedPieces() for file in files}
    writers = {file: sample_writer(golden, frame) for file, golden in files.items()}
    for piece in pieces:
        piece_samples = samples(piece, frame.look)
        fit = [sample for sample in piece_samples if not sample.references[0].unannotatable]
        for file, golden in files.items():
            rows = fit if golden.format == "parallel" else piece_samples
            if rows:
                counts[file].take(writers[file](rows))
    return counts


def _store(
    project: Project,
    name: str,
    note: str,
    by: Person | None,
    manifest: Json,
    pieces: Sequence[list[GoldenRow]],
) -> Release:
    try:
        with transaction.atomic():
            lock_project(project.pk)
            release = Release.objects.create(
                project=project,
                name=name,
                note=note,
                manifest=manifest,
                manifest_sha256=hash_of(manifest),
                by=by,
            )
            rows = [row for piece in pieces for row in piece]
            ReleaseItem.objects.bulk_create(
                (
                    ReleaseItem(
                        release=release,
                        sentence_id=row.sentence,
                        golden_id=row.golden,
                        position=position,
                    )
                    for position, row in enumerate(rows)
                ),
                batch_size=2000,
            )
            if release.items.filter(golden__review__task__state=TaskState.RETURNED).exists():
                raise GecbenchError("a reviewer took a decision back meanwhile; release again")
            audit.record(
                "release.made",
                who=by,
                project=project,
                about=("release", release.pk),
                data={"name": name, "manifest_sha256": release.manifest_sha256},
            )
    except IntegrityError as error:
        raise UsageError(
            "project {slug} has a release {name!r} already; name another",
            slug=project.slug,
            name=name,
        ) from error
    return release


def _frame(manifest: Mapping[str, object]) -> Frame:
    sources = cast("Mapping[str, str]", manifest["sources"])
    look = Look(
        str(manifest["placeholder"]),
        str(manifest["placeholder_export"]),
        {int(key): text for key, text in sources.items()},
    )
    name = str(manifest["release"])
    provenance = {"project": str(manifest["project"]), "release": name}
    return Frame(name, str(manifest["lang"]), look, provenance)


def _content(release: Release, about: Mapping[str, object]) -> Iterator[bytes]:
    scheme = str(about["scheme"])
    if scheme:
        _check_signature(release, scheme)
    columns = [file for file in release_files(release).values() if str(file["part"])[:4] == ".ref"]
    golden = GoldenFile(str(about["format"]), str(about["part"]), scheme, len(columns))
    pieces = _pieces(golden, lambda: corpora.released_golden(release))
    yield from golden_file(golden, pieces, _frame(release.manifest))


def _check_signature(release: Release, scheme: str) -> None:
    schemes = cast("Mapping[str, Mapping[str, str]]", release.manifest["schemes"])
    now = dict(load_scheme(scheme, places=settings.PLACES).signature)
    if now != dict(schemes[scheme]):
        raise GecbenchError(
            "the edits of release {release!r} were found by {scheme} with {then}, and here it has "
            "{now}; use the gecbench {version} that made them",
            release=release.name,
            scheme=scheme,
            then=_join_items(schemes[scheme]),
            now=_join_items(now),
            version=release.manifest["gecbench"],
        )


def _join_items(signature: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in sorted(signature.items()))


def _check_hash(release: Release, file: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield pieces, the last one only when the whole is what the manifest says."""
    hashed = HashedPieces(pieces)
    last: bytes | None = None
    for piece in hashed:
        if last is not None:
            yield last
        last = piece
    if hashed.sha256 != release_files(release)[file]["sha256"]:
        raise GecbenchError(
            "{file} is not what was released: its sha256 is {found}, the manifest says {released}; "
            "run: gecbench annotate check",
            file=file,
            found=hashed.sha256,
            released=release_files(release)[file]["sha256"],
        )
    if last is not None:
        yield last


def _pieces(golden: GoldenFile, pieces: Pieces) -> Pieces:
    """What a file is made of: parallel text cannot say "not annotatable"."""
    return (lambda: _annotatable(pieces())) if golden.format == "parallel" else pieces


def _annotatable(
    pieces: Iterable[list[GoldenRow]],
) -> Iterator[list[GoldenRow]]:
    for piece in pieces:
        out = set(
            Golden._base_manager.filter(
                id__in=[row.golden for row in piece], kind=Decision.NOT_ANNOTATABLE
            ).values_list("id", flat=True)
        )
        rows = [row for row in piece if row.golden not in out]
        if rows:
            yield rows
