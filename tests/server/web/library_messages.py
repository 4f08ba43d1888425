"""Every message that the library's source can raise, its places filled, found by its syntax."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType

SOURCE = Path(__file__).parents[3] / "src" / "gecbench"
NASTY = repr("a'b\"c\\ %(line)s %% {0} <i>&amp;</i> (.*) \u3000; known: 7")
"""A text of a file as messages quote it, with all that patterns and pages could trip on."""

RAISED: Mapping[str, int] = {
    **dict.fromkeys(("FormatError", "CorpusError", "EditError", "UsageError", "GecbenchError"), 0),
    **dict.fromkeys(("ResourceError", "NotYoursError"), 0),
    **dict.fromkeys(("Trouble", "trouble"), 1),
    "Problem": 2,
}
"""What takes a message, and which of its arguments it is."""


# What stands at a place, by its expression, perhaps in one module alone; else it is the number 7.
SAMPLES: Mapping[str, tuple[str, ...]] = {
    "path": ("dev.tsv",),
    "name": ("dev.tsv",),
    "reading.name": ("dev:1: a b.tsv",),
    "one.name": ("dev.tsv",),
    "each.name": ("dev.tsv",),
    "sources.name": ("dev.src",),
    "references[which].name": ("dev.ref1",),
    "told.file": ("dev.tsv",),
    "first.message": ("the line is blank; remove it",),
    "reading.hint": (
        "save the file as UTF-8",
        "save the file as UTF-8, or choose the encoding gb18030 if it is GBK or GB18030",
    ),
    "encoding.upper()": ("UTF-8", "GB18030"),
    "reading.error": (
        "Expecting property name enclosed in double quotes: line 2 column 5 (char 17)",
        "maximum recursion depth exceeded while decoding a JSON array from a unicode string",
    ),
    "said": ("corrected and error free", "error free and not annotatable and corrected"),
    "project.slug": ("mucgec-2",),
    "options.format": ("two words; <b>",),
    "self.format": ("parallel",),
    "key": ("annotators",),
    "plans.name": ("references",),
    "rule": ("CON-4-position", "CON-1"),
    "file": ("cilin.txt",),
    "', '.join(_TEXT_KEYS)": ("text, sentence, source, src, input",),
    "reading.message": ("an object was expected, not '7'", "not JSON: Expecting value"),
}


@dataclass(frozen=True, slots=True)
class Message:
    """A message with its places filled.

    Args:
        module: As "formats.m2.targets".
        line: Of the source, where it is made.
        text: The message.
        values: What stands at its places, where it is no word of the library.
        code: Of a problem of the workflow.
        seen: Whether the syntax shows it.
    """

    module: str
    line: int
    text: str
    values: tuple[str, ...]
    code: str = ""
    seen: bool = True


Filled = tuple[str, tuple[str, ...]]
"""A text, and what stands at its places."""


class UnseenError(Exception):
    """A message that the syntax does not show."""


def raised_in(module: str) -> Iterator[Message]:
    """The messages of a module; an expression where the syntax does not show one."""
    path = SOURCE / f"{module.replace('.', '/')}.py"
    path = path if path.exists() else path.with_suffix("") / "__init__.py"
    tree = ast.parse(path.read_text("utf-8"))
    for function in [tree, *(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))]:
        for name, node in _made(function):
            code = ast.unparse(node.args[0]).strip("'") if name == "Problem" else ""
            try:
                found = _said(name, node, module, function)
            except UnseenError as why:
                yield Message(module, node.lineno, str(why), (), code, seen=False)
                continue
            for text, values in found:
                yield Message(module, node.lineno, text.removeprefix(": "), values, code)


def _made(function: ast.AST) -> Iterator[tuple[str, ast.Call | ast.Return]]:
    """What makes messages in a function itself, not in those inside it, with its name."""
    inner = list(ast.iter_child_nodes(function))
    while inner:
        node = inner.pop()
        if isinstance(node, ast.FunctionDef):
            continue
        inner += ast.iter_child_nodes(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if (name in RAISED and len(node.args) > RAISED[name]) or name in _SPECIAL:
                yield name, node
        if isinstance(node, ast.Return) and getattr(function, "name", "") in _RETURNING:
            yield "return", node


_RETURNING = ("obstacle",)
_SPECIAL = ("UnknownNameError",)


def _said(name: str, node: ast.Call | ast.Return, module: str, function: ast.AST) -> list[Filled]:
    if isinstance(node, ast.Return):
        return [one for one in _filled(node.value, module, function) if one[0]]
    if name == "UnknownNameError":  # it makes its own sentence
        hints = ("known: a, b", "did you mean a-b?", "did you mean a or b?")
        last = "did you mean label-studio or b or c?"
        kinds = _filled(node.args[0], module, function)
        return [(f"unknown {k} {NASTY}; {h}", (NASTY,)) for k, _ in kinds for h in (*hints, last)]
    return _filled(node.args[RAISED[name]], module, function)


def _filled(node: ast.expr, module: str, function: ast.AST) -> list[Filled]:
    """All texts that an expression can be, each with the values in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [(node.value, ())]
    if isinstance(node, ast.IfExp):
        return [*_filled(node.body, module, function), *_filled(node.orelse, module, function)]
    if isinstance(node, ast.JoinedStr):
        return _joined([_part(one, module) for one in node.values])
    if isinstance(node, ast.Name):
        values = [
            one.value
            for one in ast.walk(function)
            if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == node.id
        ]
        if values:
            return [one for value in values for one in _filled(value, module, function)]
    raise UnseenError(ast.unparse(node))


def _joined(parts: Sequence[Sequence[Filled]]) -> list[Filled]:
    return [
        ("".join(text for text, _ in some), tuple(v for _, values in some for v in values))
        for some in product(*parts)
    ]


def _part(node: ast.expr, module: str) -> list[Filled]:
    if isinstance(node, ast.Constant):
        return [(str(node.value), ())]
    assert isinstance(node, ast.FormattedValue)
    said = ast.unparse(node.value)
    own = f"{module.rpartition('.')[2]}.{said}"
    spec = ast.unparse(node.format_spec)[2:-1] if node.format_spec else ""
    constant = _constant(node.value, _module(module))
    if constant is not None:
        quoted = node.conversion == ord("r")
        return [(repr(constant) if quoted else format(constant, spec), ())]
    samples = SAMPLES.get(own) or SAMPLES.get(said)
    if samples and node.conversion != ord("r"):
        return [(one, ()) for one in samples]
    if node.conversion == ord("r") or said.startswith("quote("):
        return [(NASTY, (NASTY,))]
    one = "a, b" if ".join(" in said else format(7_654_321, spec)
    return [(one, (one,))]


@cache
def _module(name: str) -> ModuleType:
    return import_module(f"gecbench.{name}")


def _constant(node: ast.expr, module: ModuleType) -> str | int | None:
    """The value of a constant of the module."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        both = [_constant(one, module) for one in (node.left, node.right)]
        return sum(both) if all(isinstance(one, int) for one in both) else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name) and node.id.strip("_").isupper():
        value = getattr(module, node.id)
        return value if isinstance(value, str | int) else None
    return None


def formatted(sentence: str, samples: Mapping[str, str]) -> str:
    """A sentence of a table with its places filled."""
    names = [name for _, name, _, _ in string.Formatter().parse(sentence) if name]
    return sentence.format(**{name: samples.get(name, "7") for name in names})
