"""Commands made of functions with annotated parameters.

    @command
    def score(corpus: Annotated[Path, Argument()], options: Options, output: Output) -> None:

A parameter is an argument, an option, or an options class whose declared fields are options; see
`gecbench.core.options`. Where a type of Python does not say enough, one of click's may stand beside
the declaration: `Annotated[int, Option("--workers", "Processes."), click.IntRange(1, 64)]`.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from itertools import combinations
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, cast, get_args, get_origin
from typing import get_type_hints as hints_of

import click
from click.core import ParameterSource

from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.core.files import STDIO, check_folder, check_target, name_of, path_of
from gecbench.core.options import Argument, Complete, Option, Without

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class FilePath(click.Path):
    """A path that is not looked at before it is read, so that one place words the failure."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read a path as Python does, too."""
        return super().convert(path_of(value), param, ctx)


_TYPES: Mapping[object, click.ParamType[Any]] = {
    str: click.STRING,
    int: click.INT,
    float: click.FLOAT,
    Path: FilePath(path_type=Path),
}


def command(
    function: Callable[..., None], *, kind: type[click.Command] = click.Command
) -> click.Command:
    """Make a command of a function, whose name and docstring it takes.

    Raises, when it is called:
        UsageError: An option is given without what it needs (`Option.needs`).
        GecbenchError: A file cannot be written (`Option.writes`), as `_check_files` says.
    """
    hints = hints_of(function, include_extras=True)
    fields = {
        name: _read_hint(hints[name], MISSING if p.default is p.empty else p.default)
        for name, p in inspect.signature(function).parameters.items()
    }

    def callback(**values: object) -> None:
        arguments = {name: _value(name, field, values) for name, field in fields.items()}
        context = click.get_current_context()
        options = [p for p in context.command.params if isinstance(p, _DeclaredOption)]
        _check_needs(context, options)
        _check_files(context, options)
        function(**{name: value for name, value in arguments.items() if value is not MISSING})

    return kind(
        function.__name__.rstrip("_").replace("_", "-"),
        params=[p for name, field in fields.items() for p in _parameters(name, field)],
        callback=callback,
        help=function.__doc__,
    )


def getopt_command(function: Callable[..., None]) -> click.Command:
    """Make a command like `argparse_command`, with the exit codes of m2scorer.

    It ends with 255 (`sys.exit(-1)`) without exactly two files, and with 1, by an error that it
    does not catch, on an option that it does not know or cannot read.
    """
    return command(function, kind=_GetoptCommand)


def argparse_command(function: Callable[..., None]) -> click.Command:
    """Make a command whose words are read as Python's argparse reads them.

    Options may be shortened while one alone begins so (`--verb`), "-b=1" is "-b 1", and options
    may be greedy (`Option.greedy`).
    """
    return command(function, kind=_ArgparseCommand)


class _ArgparseCommand(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Write words as click wants to see them.

        Names of options are whole, and each value of a greedy option follows the option's name.
        """
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        greedy = {
            name
            for option in options
            if isinstance(option, _DeclaredOption) and option.declaration.greedy
            for name in option.opts
        }
        words: list[str] = []
        current: str | None = None
        for word in _whole_names(args, {name for option in options for name in option.opts}):
            if word in greedy and word in words:
                raise UsageError(f"{word} is given twice; give it once, with all its values")
            if word.startswith("-"):
                current = word if word in greedy else None
            elif current is not None and words[-1] != current:
                words.append(current)
            words.append(word)
        return super().parse_args(ctx, words)


class _FilesError(click.UsageError):
    exit_code = 255


class _OptionError(click.UsageError):
    exit_code = 1


class _GetoptCommand(_ArgparseCommand):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read words; an error ends the program with the original's code."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            is_option = isinstance(error, click.NoSuchOption | click.BadOptionUsage)
            is_value = isinstance(error, click.BadParameter) and not isinstance(
                error, click.MissingParameter
            )
            kind = _OptionError if is_option or is_value else _FilesError
            raise kind(error.format_message(), error.ctx) from error


def _whole_names(words: Sequence[str], names: Collection[str]) -> Iterator[str]:
    """Yield words with the names of options in full, and what stands behind "=" by itself."""
    for word in words:
        start, equals, value = word.partition("=")
        matches = [start] if start in names else []
        if not matches and len(start) > 1 and start[:2] not in names:  # -b1 is -b 1, as everywhere
            matches = [name for name in names if name.startswith(start)]
        if len(matches) != 1:
            yield word
            continue
        yield matches[0]
        if equals:
            yield value


class _DeclaredOption(click.Option):
    """An option that knows its declaration."""

    def __init__(self, declaration: Option, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.declaration = declaration


@dataclass(frozen=True, slots=True)
class _Field:
    """A parameter of a function, or a field of an options class.

    Args:
        kind: Its type without None.
        mark: Its declaration: an Option, an Argument, a Without or nothing.
        click_type: Click's type, where one stands beside the declaration.
        default: MISSING if it has none.
        key: Of an option, click's name, by which no two options of a command are the same.
    """

    kind: Any
    mark: object
    click_type: click.ParamType[Any] | None
    default: Any
    key: str


def _read_hint(hint: Any, default: object) -> _Field:
    marks: Sequence[object] = ()
    if get_origin(hint) is Annotated:
        hint, *marks = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not NoneType]
        hint = kinds[0] if len(kinds) == 1 or kinds[0] is Path else str
    mark = next((mark for mark in marks if isinstance(mark, Option | Argument | Without)), None)
    click_type = next((mark for mark in marks if isinstance(mark, click.ParamType)), None)
    name = mark.name if isinstance(mark, Option) else ""
    key = name.partition("/")[0].lstrip("-").replace("-", "_")
    return _Field(hint, mark, click_type, default, key)


def _parameters(name: str, field: _Field) -> Iterator[click.Parameter]:
    """Yield click's parameters for a parameter of a function or a field of an options class."""
    kind, mark, default = field.kind, field.mark, field.default
    if isinstance(mark, Option):
        yield _option(field, mark)
    elif isinstance(mark, Argument):
        many = get_origin(kind) is tuple
        # click takes a default of None for a value, so that nothing would be missing.
        with_default: dict[str, Any] = (
            {} if default in (MISSING, (), None) else {"default": default}
        )
        yield click.Argument(
            [name],
            type=field.click_type or _TYPES[get_args(kind)[0] if many else kind],
            required=default is MISSING,
            nargs=-1 if many else 1,
            metavar=mark.metavar,
            shell_complete=mark.complete and _completion(mark.complete),
            **with_default,
        )
    else:
        for member, member_field in _option_fields(kind, mark).items():
            yield from _parameters(member, member_field)


def _option(field: _Field, option: Option) -> click.Option:
    """Make click's option of a declaration."""
    kind, default = field.kind, field.default
    item = get_args(kind)[0] if get_origin(kind) is tuple else kind
    attributes: dict[str, Any] = {"is_flag": True} if kind is bool else {"type": field.click_type}
    if field.click_type is None and kind is not bool:
        if option.choices or get_origin(item) is Literal:
            attributes["type"] = click.Choice(option.choices or list(map(str, get_args(item))))
        else:
            attributes["type"] = click.STRING if option.read else _TYPES.get(item, click.STRING)
    value: Any = option.default
    if value is None and default not in (MISSING, ()) and (option.commas or not option.read):
        value = ",".join(default) if option.commas else default
    if value is not None or kind is bool:  # for others, click takes a None for a value
        attributes["default"] = value
    is_plain_tuple = get_origin(kind) is tuple and not option.commas and not option.read
    visible = value not in (None, "", Path("-")) and (value is not False or "/" in option.name)
    return _DeclaredOption(
        option,
        param_decls=[field.key, *filter(None, [option.short]), option.name],
        required=default is MISSING,
        multiple=option.repeated or get_origin(kind) is Mapping or is_plain_tuple,
        help=option.help,
        metavar=option.metavar,
        envvar=option.envvar,
        show_envvar=option.envvar is not None,
        show_default=option.show_default or visible,
        shell_complete=option.complete and _completion(option.complete, commas=option.commas),
        **attributes,
    )


def _completion(
    values: Complete, *, commas: bool = False
) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Make what tells shells the values of a parameter, after a comma those not yet there."""

    def complete(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
        before, comma, word = incomplete.rpartition("," if commas else "\0")
        names = values() if callable(values) else values
        unused = [value for value in names if value not in split(before)]
        return [f"{before}{comma}{value}" for value in unused if value.startswith(word)]

    return complete


def _value(name: str, field: _Field, values: Mapping[str, Any]) -> object:
    """What a parameter or field becomes; MISSING means its own default."""
    kind, mark = field.kind, field.mark
    if isinstance(mark, Argument):
        return values[name]
    if not isinstance(mark, Option):
        members = {
            member: _value(member, member_field, values)
            for member, member_field in _option_fields(kind, mark).items()
        }
        return kind(**{member: value for member, value in members.items() if value is not MISSING})
    value = values[field.key]
    if mark.commas and value is not None:
        value = split(value)
    if mark.read is not None:
        return MISSING if value in (None, ()) else mark.read(value)
    if (mark.commas and value is None) or (get_origin(kind) is Mapping and not value):
        return MISSING
    if get_origin(kind) is Literal:
        return next((choice for choice in get_args(kind) if str(choice) == value), None)
    return value


def split(text: str) -> tuple[str, ...]:
    """Divide a text at its commas."""
    return tuple(map(str.strip, text.split(",")))


@cache
def _option_fields(kind: Any, mark: object = None) -> Mapping[str, _Field]:
    """The fields of an options class that a command offers."""
    left_out = mark.fields if isinstance(mark, Without) else ()
    declared: dict[str, _Field] = {}
    hints = hints_of(kind, include_extras=True)
    for member in fields(kind):
        make = member.default_factory
        field = _read_hint(hints[member.name], member.default if make is MISSING else make())
        is_declared = isinstance(field.mark, Option) or (
            is_dataclass(field.kind) and _option_fields(cast("Any", field.kind))
        )
        if is_declared and member.name not in left_out:
            declared[member.name] = field
    return declared


def explicit_options() -> frozenset[str]:
    """Names of the options and arguments that stand on the command line, as "--beta"."""
    context = click.get_current_context()
    return frozenset(
        name
        for parameter in context.command.params
        for name in parameter.opts
        if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        and context.params[parameter.name or ""] not in (None, ())
    )


def _name_as_typed(parameter: click.Parameter, context: click.Context) -> str:
    """The name of a parameter as the user has typed it."""
    if not isinstance(parameter, click.Option):
        return parameter.human_readable_name
    if parameter.secondary_opts and context.params[parameter.name or ""] is False:
        return parameter.secondary_opts[-1]
    return parameter.opts[-1]


def _check_needs(context: click.Context, options: Sequence[_DeclaredOption]) -> None:
    """Refuse options that are given without those that they need."""
    by_name = {name: option for option in options for name in option.opts}
    explicit = explicit_options()
    for option in options:
        needs = [by_name[name] for name in option.declaration.needs if name in by_name]
        values = [context.params[need.name or ""] for need in needs]
        if not needs or any(values) or explicit.isdisjoint(option.opts):
            continue
        name = _name_as_typed(option, context)
        for need, value in zip(needs, values, strict=True):
            if not need.is_flag and value == 0:
                raise UsageError(
                    f"{need.opts[0]} is 0, so {name} has no effect; name another number, or leave "
                    f"{name} out"
                )
        missing = " or ".join(need.opts[0] for need in needs)
        it = f"{missing} ray" if missing == "--engine" else "it"
        raise UsageError(f"{name} has no effect without {missing}; add {it}, or leave {name} out")


def refuse(
    why: str, *unused: str | type, all_but: Sequence[str | type] = (), instead: str = ""
) -> None:
    """Refuse what is given on the command line though it has no effect.

    Args:
        why: Why it has none.
        unused: Options as "--beta", arguments by name, or options classes.
        all_but: Instead of `unused`, all that has an effect.
        instead: What else than leaving them out would help, as "put the text into a file".
    """
    context = click.get_current_context()
    keys: set[str] = set()
    for name in all_but or unused:
        if isinstance(name, str):
            keys.add(name.lstrip("-").replace("-", "_"))
        else:
            keys |= {field.key for field in _option_fields(name).values()}
    explicit = explicit_options()
    refused = [
        _name_as_typed(parameter, context)
        for parameter in context.command.params
        if (parameter.name in keys) != bool(all_but) and not explicit.isdisjoint(parameter.opts)
    ]
    if refused:
        other = f", or {instead}" if instead else ""
        raise UsageError(f"{why}; leave {' and '.join(refused)} out{other}")


def _check_files(context: click.Context, options: Sequence[_DeclaredOption]) -> None:
    """Refuse what a command could not write, before any work is done for it.

    Raises:
        UsageError: Two results for one file, a file that is read and written, or standard input
            twice.
        GecbenchError: A file or folder surely cannot be written.
    """
    files: list[tuple[str, Path]] = []
    folders: list[tuple[str, Path]] = []
    # What results go to is named first in a message.
    for option in sorted(options, key=lambda option: option.declaration.name != "--output"):
        name, path = option.declaration.name, context.params[option.name or ""]
        if path is not None:
            files += [(name, Path(f"{path}{ending}")) for ending in option.declaration.writes]
            folders += [(name, Path(path))] if option.declaration.makes else []
    if not files and not folders:
        return
    writing = [
        option for option in options if option.declaration.writes or option.declaration.makes
    ]
    read: list[Path] = []
    for parameter in context.command.params:
        if isinstance(parameter.type, click.Path) and parameter not in writing:
            value: Path | tuple[Path, ...] | None = context.params.get(parameter.name or "")
            paths = (value,) if isinstance(value, Path) else value or ()
            read += [split_name(path)[1] for path in paths]
    if read.count(Path(STDIO)) > 1:
        raise UsageError("standard input can be read once only; '-' stands twice")
    if not folders and [path for _, path in files] == [Path(STDIO)]:
        return
    check_distinct([*files, *folders], read)
    for _, path in files:
        check_target(path)
    for _, folder in folders:
        check_folder(folder)


def check_distinct(targets: Sequence[tuple[str, Path]], read: Sequence[Path]) -> None:
    """Refuse two results for one file, and a result that would take the place of its data."""
    for (option, path), (other, second) in combinations(targets, 2):
        if str(path) == str(second) == STDIO:
            raise UsageError(
                f"{option} and {other} both go to standard output; name a file for one"
            )
        if _same(path, second):
            raise UsageError(f"{option} and {other} both write {path}; name two files")
    for option, path in targets:
        if any(_same(path, file) for file in read):
            raise UsageError(f"{option} would write over {path}, which is read; name another file")


def _same(path: Path, other: Path) -> bool:
    """Say whether two paths are one file; devices and pipes can be had twice."""
    if STDIO in (str(path), str(other)) or (path.exists() and not path.is_file()):
        return False
    try:
        return path.samefile(other)
    except OSError:  # one of them is not there yet
        return os.path.realpath(path) == os.path.realpath(other)


def split_name(path: Path) -> tuple[str | None, Path]:
    """Divide NAME=FILE, unless there is a file of that very name, or = is in an address."""
    name, equals, file = str(path).partition("=")
    if equals and name and ":/" not in name and not path.exists():
        if not file:
            raise UsageError(f"no file after {str(path)!r}; name one: {name}=FILE")
        return name, Path(file)
    return None, path


def named_files(paths: Sequence[Path]) -> list[tuple[str | None, Path]]:
    """The files of systems, each with a name where its own does not do: NAME=FILE.

    Files whose names differ in their endings alone keep these in the names of the systems.
    """
    files = list(map(split_name, paths))
    stems = [name or name_of(file) for name, file in files]
    full = [f"{stem}{file.suffix}" for stem, (_, file) in zip(stems, files, strict=True)]
    return [
        (whole if name is None and stems.count(stem) > full.count(whole) else name, file)
        for stem, whole, (name, file) in zip(stems, full, files, strict=True)
    ]


class CommandGroup(click.Group):
    """A group that names its commands where it has none of the name that is asked for."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Look up a command."""
        command = super().get_command(ctx, cmd_name)
        if command is None and not ctx.resilient_parsing:
            ctx.fail(str(UnknownNameError("command", cmd_name, self.commands)))
        return command


class LazyGroup(click.Group):
    """A group that imports a command when it is called, and for neither help nor completion."""

    def __init__(
        self,
        *args: Any,
        package: str,
        table: Mapping[str, tuple[str, str]],
        noun: str = "command",
        last: tuple[str, Mapping[str, tuple[str, str]]] | None = None,
        **attributes: Any,
    ) -> None:
        """Make the group.

        Args:
            args: As for `click.Group`.
            package: Where the modules of the commands are.
            table: For each name the place, as "score:score", and the help.
            noun: What a message calls one of them.
            last: The heading of a section at the end of the help, and its table.
            attributes: As for `click.Group`.
        """
        super().__init__(*args, **attributes)
        self.sections = {"Commands": table, **dict([last] if last else [])}
        self.table = {name: row for rows in self.sections.values() for name, row in rows.items()}
        self.package, self.noun = package, noun

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in self.table:
            if ctx.resilient_parsing:  # a shell asks for completions
                return None
            groups = [(name, self.get_command(ctx, name)) for name in self.table]
            commands = [
                f"{ctx.command_path} {name} {cmd_name}"
                for name, group in groups
                if isinstance(group, click.Group) and cmd_name in group.list_commands(ctx)
            ]
            if commands:
                hint = f"did you mean {' or '.join(commands)}?"
                ctx.fail(f"unknown {self.noun} {cmd_name!r}; {hint}")
            ctx.fail(str(UnknownNameError(self.noun, cmd_name, self.table)))
        module, _, name = self.table[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(f"{self.package}.{module}"), name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands, section by section."""
        for heading, table in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name, about) for name, (_, about) in table.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names and options."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.table if name.startswith(incomplete)]
        items = [CompletionItem(name, help=self.table[name][1]) for name in names]
        return items + click.Command.shell_complete(self, ctx, incomplete)
