"""Static files under names with a hash of their content, so that browsers keep them for ever."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage

# Django's own switch for imports also reads modules of other packages, whose comments it takes for
# imports of files that do not exist.
_OUR_MODULES = (
    "gecbench/*.js",
    (
        (r'(?P<matched>from "(?P<url>\./[^"]+)")', 'from "%(url)s"'),
        (r'(?P<matched>import "(?P<url>\./[^"]+)")', 'import "%(url)s"'),
        (
            r'(?P<matched>new URL\("(?P<url>\./[^"]+)", import\.meta\.url\))',
            'new URL("%(url)s", import.meta.url)',
        ),
    ),
)


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Also name the hashed files where our modules import one another and start workers."""

    patterns = (*CompressedManifestStaticFilesStorage.patterns, _OUR_MODULES)
    # A pass resolves one more step of a chain of imports.
    max_post_process_passes = 20
