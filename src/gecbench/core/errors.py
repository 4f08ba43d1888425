"""The errors that gecbench raises on purpose; each message is one line a user can act on.

Tree::

    GecbenchError             exit code 1: a run that failed
      FormatError             a file does not hold what its format promises
      CorpusError             files are well formed but do not fit together
      EditError               a span outside its sentence, or edits that overlap
      ResourceError           a resource or data set is missing or has the wrong content
      UsageError              exit code 2: a wrong option, or options that exclude each other
        UnknownNameError      a name that no table knows, answered with the nearest ones
        NoEffectError         options that a corpus has no use for; names them
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


class NoEffectError(UsageError):
    """Options have no effect on a corpus; on one of several that may be as it should."""

    def __init__(self, message: str, options: Iterable[str]) -> None:
        """Keep the options, by the names of their fields."""
        super().__init__(message)
        self.options = frozenset(options)


class MissingExtraError(UsageError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        """Name what is missing and the command that brings it."""
        super().__init__(
            f"{what} is not installed; run: pip install 'gecbench[{extra}]' "
            f"(in a checkout: pip install -e '.[{extra}]')"
        )


_QUOTED = 40


def quote(text: str) -> str:
    """Return a text as a message quotes it: at most 40 characters, then an ellipsis.

    >>> quote("你好")
    "'你好'"
    """
    return repr(text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…")


def count_noun(count: int, noun: str, one: str = "", many: str = "", *, spec: str = "") -> str:
    """Return a number with its noun, and what goes on differently behind one and behind several.

    >>> count_noun(1, "row")
    '1 row'
    >>> count_noun(1200, "row", " is", " are", spec=",")
    '1,200 rows are'

    Args:
        count: The number.
        noun: In the singular.
        one: What stands behind a single one.
        many: What stands behind any other number.
        spec: How the number is written, as for `format`.
    """
    return f"{count:{spec}} {noun}{one}" if count == 1 else f"{count:{spec}} {noun}s{many}"


def reason(error: BaseException, *, whole: bool = False) -> str:
    r"""Return in one line why a library failed, the name of its error where it says nothing.

    >>> reason(ValueError("\n\nCannot read:\n  no header\n  at line 3"))
    'Cannot read: no header'

    Args:
        error: What a library raised.
        whole: All lines of its message, for libraries whose first line is only a heading.
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    if whole:
        return "; ".join(lines)
    start = " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
    return start.rstrip(".")
