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
from dataclasses import MISSING, fields, is_dataclass
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
from gecbench.core.files import STDIO, check_folder, check_target, name_of
from gecbench.core.options import Argument, Complete, Option, Without

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_TYPES: Mapping[object, click.ParamType[Any]] = {
    str: click.STRING,
    int: click.INT,
    float: click.FLOAT,
    # Not looked at before it is read, so that one place words the failure.
    Path: click.Path(path_type=Path),
}


def command(
    function: Callable[..., None], *, kind: type[click.Command] = click.Command
) -> click.Command:
    """Make a command of a function, whose name and docstring it takes.

    Raises, when it is called:
        UsageError: An option is given without what it needs (`Option.needs`).
        GecbenchError: A file cannot be written (`Option.writes`), as `check_files` says.
    """
    hints = hints_of(function, include_extras=True)
    del hints["return"]
    defaults = {
        name: MISSING if parameter.default is parameter.empty else parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
    }

    def callback(**values: object) -> None:
        arguments = {name: _value(name, hint, values) for name, hint in hints.items()}
        context = click.get_current_context()
        _check_needs(context)
        options = [p for p in context.command.params if isinstance(p, _DeclaredOption)]
        check_files(context, {option.name or "": option.declaration for option in options})
        function(**{name: value for name, value in arguments.items() if value is not MISSING})

    return kind(
        function.__name__.rstrip("_").replace("_", "-"),
        params=[
            parameter
            for name, default in defaults.items()
            for parameter in _parameters(name, hints[name], default)
        ],
        callback=callback,
        help=function.__doc__,
    )


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


def _parameters(name: str, hint: object, default: object) -> Iterator[click.Parameter]:
    """Yield click's parameters for a parameter of a function or a field of an options class."""
    kind, mark = _kind_and_mark(hint)
    click_type = next((m for m in get_args(hint) if isinstance(m, click.ParamType)), None)
    if isinstance(mark, Option):
        yield _option(kind, default, mark, click_type)
    elif isinstance(mark, Argument):
        many = get_origin(kind) is tuple
        # click takes a default of None for a value, so that nothing would be missing.
        with_default: dict[str, Any] = (
            {} if default in (MISSING, (), None) else {"default": default}
        )
        yield click.Argument(
            [name],
            type=click_type or _TYPES[get_args(kind)[0] if many else kind],
            required=default is MISSING,
            nargs=-1 if many else 1,
            metavar=mark.metavar,
            shell_complete=mark.complete and _completion(mark.complete),
            **with_default,
        )
    else:
        for field, (field_hint, field_default) in _option_fields(kind, mark).items():
            yield from _parameters(field, field_hint, field_default)


def _option(
    kind: Any, default: Any, option: Option, click_type: click.ParamType[Any] | None
) -> click.Option:
    """Make click's option of a declaration."""
    item = get_args(kind)[0] if get_origin(kind) is tuple else kind
    attributes: dict[str, Any] = {"is_flag": True} if kind is bool else {"type": click_type}
    if click_type is None and kind is not bool:
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
        param_decls=[_key(option), *filter(None, [option.short]), option.name],
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


def _value(name: str, hint: object, values: Mapping[str, Any]) -> object:
    """What a parameter or field becomes; MISSING means its own default."""
    kind, mark = _kind_and_mark(hint)
    if isinstance(mark, Argument):
        return values[name]
    if not isinstance(mark, Option):
        members = {
            field: _value(field, field_hint, values)
            for field, (field_hint, _) in _option_fields(kind, mark).items()
        }
        return kind(**{field: value for field, value in members.items() if value is not MISSING})
    value = values[_key(mark)]
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


def _key(option: Option) -> str:
    """Click's name of an option, by which no two options of a command are the same."""
    return option.name.partition("/")[0].lstrip("-").replace("-", "_")


def _kind_and_mark(hint: Any) -> tuple[Any, object]:
    """The type of an annotation without None, and its declaration."""
    marks: Sequence[object] = ()
    if get_origin(hint) is Annotated:
        hint, *marks = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not NoneType]
        hint = kinds[0] if len(kinds) == 1 or kinds[0] is Path else str
    declared = (mark for mark in marks if isinstance(mark, Option | Argument | Without))
    return hint, next(declared, None)


@cache
def _option_fields(kind: Any, mark: object = None) -> Mapping[str, tuple[object, object]]:
    """Annotation and default of the fields of an options class that a command offers."""
    left_out = mark.fields if isinstance(mark, Without) else ()
    declared: dict[str, tuple[object, object]] = {}
    hints = hints_of(kind, include_extras=True)
    for field in fields(kind):
        hint = hints[field.name]
        inner, own_mark = _kind_and_mark(hint)
        is_declared = isinstance(own_mark, Option) or (
            is_dataclass(inner) and _option_fields(cast("Any", inner))
        )
        if is_declared and field.name not in left_out:
            make = field.default_factory
            declared[field.name] = hint, field.default if make is MISSING else make()
    return declared


def is_given(option: str) -> bool:
    """Say whether an option, as "--beta", stands on the command line."""
    context = click.get_current_context()
    options = [p for p in context.command.params if option in p.opts]
    return any(_is_given(parameter, context) for parameter in options)


def _is_given(parameter: click.Parameter, context: click.Context) -> bool:
    name = parameter.name or ""
    is_typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    return is_typed and context.params[name] not in (None, ())


def _name_as_typed(parameter: click.Parameter, context: click.Context) -> str:
    """The name of a parameter as the user has typed it."""
    if not isinstance(parameter, click.Option):
        return parameter.human_readable_name
    if parameter.secondary_opts and context.params[parameter.name or ""] is False:
        return parameter.secondary_opts[-1]
    return parameter.opts[-1]


def _check_needs(context: click.Context) -> None:
    """Refuse options that are given without those that they need."""
    options = [p for p in context.command.params if isinstance(p, _DeclaredOption)]
    by_name = {name: option for option in options for name in option.opts}
    for option in options:
        needs = [by_name[name] for name in option.declaration.needs if name in by_name]
        values = [context.params[need.name or ""] for need in needs]
        if not needs or any(values) or not _is_given(option, context):
            continue
        name = _name_as_typed(option, context)
        for need, value in zip(needs, values, strict=True):
            if not need.is_flag and value == 0:
                raise UsageError(
                    f"{need.opts[0]} is 0, so {name} has no effect; name another number, or leave "
                    f"{name} out"
                )
        missing = " or ".join(need.opts[0] for need in needs)
        raise UsageError(f"{name} has no effect without {missing}; add it, or leave {name} out")


def refuse(why: str, *unused: str | type, all_but: Sequence[str | type] = ()) -> None:
    """Refuse what is given on the command line though it has no effect.

    Args:
        why: Why it has none.
        unused: Options as "--beta", arguments by name, or options classes.
        all_but: Instead of `unused`, all that has an effect.
    """
    context = click.get_current_context()
    names = set(_keys(all_but or unused))
    refused = [
        _name_as_typed(parameter, context)
        for parameter in context.command.params
        if (parameter.name in names) != bool(all_but) and _is_given(parameter, context)
    ]
    if refused:
        raise UsageError(f"{why}; leave {' and '.join(refused)} out")


def _keys(names: Sequence[str | type]) -> Iterator[str]:
    for name in names:
        if isinstance(name, str):
            yield name.lstrip("-").replace("-", "_")
            continue
        for hint, _ in _option_fields(name).values():
            _, mark = _kind_and_mark(hint)
            if isinstance(mark, Option):
                yield _key(mark)


def check_files(context: click.Context, declarations: Mapping[str, Option]) -> None:
    """Refuse what a command could not write, before any work is done for it.

    Args:
        context: The command line.
        declarations: By the name of the option's value.

    Raises:
        UsageError: Two results for one file, a file that is read and written, or standard input
            twice.
        GecbenchError: A file or folder surely cannot be written.
    """
    # What results go to is named first in a message.
    options = sorted(declarations.items(), key=lambda item: item[1].name != "--output")
    files = [
        (option.name, Path(f"{context.params[name]}{ending}"))
        for name, option in options
        for ending in (option.writes if context.params[name] is not None else ())
    ]
    folders = [
        (option.name, Path(context.params[name]))
        for name, option in options
        if option.makes and context.params[name] is not None
    ]
    if not files and not folders:
        return
    writing = {name for name, option in declarations.items() if option.writes or option.makes}
    read = list(_paths_read(context, writing))
    check_standard_input(read)
    check_distinct([*files, *folders], read)
    for _, path in files:
        check_target(path)
    for _, folder in folders:
        check_folder(folder)


def _paths_read(context: click.Context, writing: set[str]) -> Iterator[Path]:
    """Yield the files that the command line names for reading: all but those of some options."""
    for parameter in context.command.params:
        if not isinstance(parameter.type, click.Path) or parameter.name in writing:
            continue
        value: Path | tuple[Path, ...] | None = context.params.get(parameter.name or "")
        for path in (value,) if isinstance(value, Path) else value or ():
            yield split_name(path)[1]


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


def check_standard_input(paths: Sequence[Path]) -> None:
    """Refuse files of which two are standard input."""
    if [str(split_name(path)[1]) for path in paths].count("-") > 1:
        raise UsageError("standard input can be read once only; '-' stands twice")


def split_name(path: Path) -> tuple[str | None, Path]:
    """Divide NAME=FILE, unless there is a file of that very name."""
    name, equals, file = str(path).partition("=")
    if equals and name and not path.exists():
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


class LazyGroup(click.Group):
    """A group that imports a command when it is called, and for neither help nor completion."""

    def __init__(
        self,
        *args: Any,
        package: str,
        table: Mapping[str, tuple[str, str]],
        noun: str = "command",
        former: Mapping[str, str] | None = None,
        last: tuple[str, Mapping[str, tuple[str, str]]] | None = None,
        **attributes: Any,
    ) -> None:
        """Make the group.

        Args:
            args: As for `click.Group`.
            package: Where the modules of the commands are.
            table: For each name the place, as "score:score", and the help.
            noun: What a message calls one of them.
            former: Names of former commands, each with what to say of it.
            last: The heading of a section at the end of the help, and its table.
            attributes: As for `click.Group`.
        """
        super().__init__(*args, **attributes)
        self.sections = {"Commands": table, **dict([last] if last else [])}
        self.table = {name: row for rows in self.sections.values() for name, row in rows.items()}
        self.package, self.noun = package, noun
        self.former = former or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in self.table:
            if ctx.resilient_parsing:  # a shell asks for completions
                return None
            if cmd_name in self.former:
                raise UsageError(self.former[cmd_name])
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
