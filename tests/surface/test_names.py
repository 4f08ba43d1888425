"""The options of every command, and the public Python names."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator

import click
import pytest

import gecbench
from gecbench.cli import gecbench as root


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Return every command below a group, by its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        words = (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, words)
        else:
            yield " ".join(words), command


def parameter(value: click.Parameter) -> str:
    """Return a line on what may be written for an option or an argument."""
    facts = [" / ".join([*value.opts, *value.secondary_opts])]
    if isinstance(value, click.Option) and not value.is_flag:
        facts.append(value.type.name)
    if isinstance(value.type, click.Choice):
        facts.append("|".join(map(str, value.type.choices)))
    default = value.to_info_dict()["default"]
    if not isinstance(value, click.Argument) and default not in (None, (), []):
        facts.append(f"default={default}")
    if value.envvar:
        facts.append(f"envvar={value.envvar}")
    facts += [name for name in ("required", "multiple") if getattr(value, name, False)]
    if value.nargs != 1:
        facts.append(f"nargs={value.nargs}")
    return "  ".join(facts)


COMMANDS = dict(commands(root))


@pytest.mark.parametrize("words", COMMANDS)
def test_options_are_what_they_were(expect, words: str):
    values = COMMANDS[words].params
    arguments = [parameter(value) for value in values if isinstance(value, click.Argument)]
    options = sorted(parameter(value) for value in values if isinstance(value, click.Option))
    expect(f"options/{words.replace(' ', '-')}", "".join(f"{x}\n" for x in arguments + options))


def signature(function: object) -> str:
    """Return parameters, their kinds and defaults, without annotations."""
    try:
        signature = inspect.signature(function)  # type: ignore[arg-type]
    except ValueError:  # an exception that takes what Exception takes
        return "(...)"
    plain = [value.replace(annotation=value.empty) for value in signature.parameters.values()]
    text = str(signature.replace(parameters=plain, return_annotation=signature.empty))
    return re.sub(r"<function .*? at 0x\w+>", "<function>", text)


def members(cls: type) -> list[str]:
    """Return a line for each public field, method, property and class attribute."""
    fields = [*getattr(cls, "__match_args__", ()), *getattr(cls, "__struct_fields__", ())]
    lines = [f"  {field}" for field in dict.fromkeys(fields)]
    for name in sorted(set(dir(cls)) - set(fields)):
        value = inspect.getattr_static(cls, name)
        if not name.startswith("_") and not hasattr(Exception, name):
            lines.append(f"  .{name}{signature(value) if inspect.isfunction(value) else ''}")
    return lines


def described(name: str) -> list[str]:
    """Return the lines on a public name; a function's result is a type that users meet, too."""
    value = getattr(gecbench, name)
    if not callable(value):
        return [name]
    lines = [f"{name}{signature(value)}"]
    if isinstance(value, type):
        return lines + members(value)
    result = value.__annotations__["return"]
    cls = sys.modules[value.__module__].__dict__.get(result)
    ours = isinstance(cls, type) and cls.__module__.startswith("gecbench")
    shown = ours and cls.__name__ not in gecbench.__all__
    return [*lines, f"  -> {result}", *(members(cls) if shown else ())]


def test_python_names_are_what_they_were(expect):
    lines = [line for name in sorted(gecbench.__all__) for line in described(name)]
    expect("python", "".join(f"{line}\n" for line in lines))
