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

import copyreg
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple, Self


class Message(str):
    """An English text that remembers its template and values, so that it can be translated.

    It is an ordinary string for everybody else; what is formatted or joined from it is a plain one.

    >>> message = Message("{what} is empty", what=Message("the source"))
    >>> message, message.template, message.values["what"]
    ('the source is empty', '{what} is empty', 'the source')
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Fill the places of a template; without values, braces stand for themselves.

        Args:
            template: English, with places as `str.format` has them; gettext's msgid.
            values: What stands there; a message or an error among them is translated, too.
        """
        message = super().__new__(cls, template.format(**values) if values else template)
        message.template, message.values = template, values
        return message

    def with_option(self, option: str, of: str = "--from") -> Message:
        """The same message where an option that its advice names is called otherwise."""
        values = {
            name: value.with_option(option, of)
            if isinstance(value, Message | OptionAdvice)
            else value
            for name, value in self.values.items()
        }
        return Message(self.template, **values)


class OptionAdvice(str):
    """Advice that names an option of the command line, as a value of a message.

    Args:
        template: In words of the command line; {option} stands for the option.
        option: Its name; commands may call it otherwise.
        page: What a page says instead, which has no such options; "" is nothing.
    """

    template: str
    option: str
    page: Message | str

    def __new__(cls, template: str, option: str, /, *, page: Message | str = "") -> Self:
        """Put the option in its place."""
        advice = super().__new__(cls, template.format(option=option))
        advice.template, advice.option, advice.page = template, option, page
        return advice

    def __reduce__(self) -> tuple[Callable[[str, str], OptionAdvice], tuple[str, str]]:
        """For errors that come from another process."""
        return partial(OptionAdvice, page=self.page), (self.template, self.option)

    def with_option(self, option: str, of: str = "--from") -> OptionAdvice:
        """The same advice where the option `of` is called otherwise."""
        return OptionAdvice(self.template, option, page=self.page) if self.option == of else self


def printed_path(path: object) -> str:
    """A file as messages name it: an address has both slashes again, and loses its password.

    >>> printed_path("ftp:/me:secret@host/dev.tsv"), printed_path("file:/tmp/x"), printed_path("a")
    ('ftp://host/dev.tsv', 'file:///tmp/x', 'a')
    """
    address = re.match(r"([A-Za-z0-9]{2,}):/+([^/@:]*:[^/]*@)?(?=.)", str(path))
    if address is None:
        return str(path)
    slashes = "///" if address[1] == "file" else "//"
    return f"{address[1]}:{slashes}{str(path)[address.end() :]}"


class Place(NamedTuple):
    """A line of a file."""

    path: object
    line: int

    def __str__(self) -> str:
        """As editors and compilers write it."""
        return f"{printed_path(self.path)}:{self.line}"


class GecbenchError(Exception):
    """A failure whose message says what is wrong, where, and what to do.

    Args:
        message: The template of a `Message`, or one that is ready.
        at: Where it is wrong: a `Place`, a file, a message as "sample '7'"; stands first.
        values: Those of the template.
    """

    exit_code = 1

    def __init__(self, message: str = "", /, *, at: object = None, **values: object) -> None:
        """Keep the message and where it belongs; the text of the error has both."""
        ready = isinstance(message, Message) and not values
        self.message: Message = message if ready else Message(message, **values)  # type: ignore[assignment]
        self.at = at
        super().__init__(self.message if at is None else f"{printed_path(at)}: {self.message}")

    @property
    def values(self) -> Mapping[str, object]:
        """What stands at the places of the message."""
        return self.message.values

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without calling `__init__`, which subclasses have with other arguments."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class FormatError(GecbenchError):
    """A file does not hold what its format promises; the text starts with path:line."""

    def with_option(self, option: str, of: str = "--from") -> Self:
        """The same error where an option that its advice names is called otherwise."""
        return type(self)(self.message.with_option(option, of), at=self.at)


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

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str],
        *,
        written: Mapping[str, str] | None = None,
        more: str = "",
    ) -> None:
        """Build the message with the nearest known names first.

        Args:
            kind: What the name is of.
            name: The one that is not known.
            known: Those that are.
            written: How they are written, where a name alone does not do.
            more: What else can be written, behind the list of all.
        """
        import difflib  # only on the way to an error: its import costs every start otherwise

        written = written or {}
        near_names = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.55)
        names = [written.get(each, each) for each in sorted(known)]
        match [written.get(each, each) for each in near_names]:
            case [near]:
                hint = Message("did you mean {near}?", near=near)
            case [near, other]:
                hint = Message("did you mean {near} or {other}?", near=near, other=other)
            case [near, other, third]:
                hint = Message(
                    "did you mean {near} or {other} or {third}?",
                    near=near,
                    other=other,
                    third=third,
                )
            case _ if names:
                hint = Message("known: {names}", names=", ".join(names) + more)
            case _:
                hint = Message("there is none yet")
        super().__init__("unknown {kind} {name!r}; {hint}", kind=kind, name=name, hint=hint)


class NoEffectError(UsageError):
    """Options have no effect on a corpus; on one of several that may be as it should."""

    def __init__(self, message: str, options: Iterable[str], at: str | None = None) -> None:
        """Keep the options, by the names of their fields; they have no effect `at` a corpus."""
        super().__init__(message, at=at)
        self.options = frozenset(options)


class MissingExtraError(UsageError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        """Name what is missing and the command that brings it."""
        super().__init__(
            "{what} is not installed; run: pip install 'gecbench[{extra}]' "
            "(in a checkout: pip install -e '.[{extra}]')",
            what=what,
            extra=extra,
        )


def install_command(extra: str) -> str:
    """How an extra of gecbench is installed, from an index and in a checkout; "" is none."""
    extras = f"[{extra}]" if extra else ""
    return f"pip install 'gecbench{extras}' (in a checkout: pip install -e '.{extras}')"


_QUOTED = 40


def quote(text: str) -> str:
    """A text as a message quotes it: at most 40 characters, then an ellipsis.

    >>> quote("你好")
    "'你好'"
    """
    return repr(text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…")


def count_noun(count: int, noun: str, one: str = "", many: str = "", *, spec: str = "") -> str:
    """A number with its noun, and what goes on differently behind one and behind several.

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
    r"""In one line why a library failed, the name of its error where it says nothing.

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
