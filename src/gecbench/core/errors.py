"""The errors that gecbench raises on purpose; each message is one line a user can act on.

Tree::

    GecbenchError             exit code 1: a run that failed
      FormatError             a file does not hold what its format promises
      CorpusError             files are well formed but do not fit together
      EditError               a span outside its sentence, or edits that overlap
      ResourceError           a resource or data set is missing or has the wrong content
      UsageError              exit code 2: a wrong option, or options that exclude each other
        UnknownNameError      a name that no table knows, answered with the nearest ones
        MissingExtraError     an optional dependency is absent; names the pip command
"""

from __future__ import annotations

from collections.abc import Iterable


class GecbenchError(Exception):
    """A failure whose message says what is wrong, where, and what to do."""

    exit_code = 1


class FormatError(GecbenchError):
    """A file does not hold what its format promises; the message starts with path:line."""


class CorpusError(GecbenchError):
    """Files that are well formed do not fit together, as a system with missing sentences."""


class EditError(GecbenchError):
    """An edit lies outside its sentence, is reversed, or overlaps another."""


class ResourceError(GecbenchError):
    """A resource or data set is missing, or its content is not what the catalogue promises."""


class UsageError(GecbenchError):
    """A wrong value of an option, or options that exclude each other."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that the table of its kind does not hold."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        """Build the message with the nearest known names first."""
        import difflib  # only on the way to an error: its import costs every start otherwise

        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
        super().__init__(f"unknown {kind} {name!r}; {hint}")


class MissingExtraError(UsageError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        """Name what is missing and the command that brings it."""
        super().__init__(
            f"{what} is not installed; run: pip install 'gecbench[{extra}]' "
            f"(in a checkout: pip install -e '.[{extra}]')"
        )
