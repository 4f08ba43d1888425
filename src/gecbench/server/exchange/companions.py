"""The small files that go with those of a release: its manifest, and the sums of the others."""

from __future__ import annotations

from collections.abc import Mapping

from gecbench.server.exchange.releases import release_files, text_of
from gecbench.server.models import Release

SUMS = "SHA256SUMS"
"""What `sha256sum -c` reads."""


def companions(release: Release) -> Mapping[str, str]:
    """Return name to text; the SHA-256 of the manifest's text is the release's own."""
    sums = [f"{about['sha256']}  {file}\n" for file, about in release_files(release).items()]
    # Written as it was hashed, so that whoever has the file can compare.
    manifest = text_of(release.manifest)
    return {f"{release.name}.manifest.json": manifest, SUMS: "".join(sums)}
