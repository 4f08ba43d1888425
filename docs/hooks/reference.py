"""A page for each metric, format and command, and the Python API, made of declarations."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from operator import itemgetter
from pathlib import Path

import click
from griffe import Docstring, DocstringSectionKind
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from gecbench.api.files import load, sample
from gecbench.api.schemes import extract
from gecbench.cli import gecbench
from gecbench.formats import FORMATS, load_format
from gecbench.metrics import METRICS, metric_class

DOCS = Path(__file__).parents[1]
SHARED = {
    "level": "--level",
    "beta": "--beta",
    "choice": "--choice",
    "chosen": "--edits, --exclude",
}
"""Options of the command line that fill fields of several metrics."""
NEEDS = {"texts": "texts", "edits": "edits", "gold_edits": "the edits of references"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    for name, text in pages().items():
        if config.theme["language"] == "zh" and name.startswith("python/"):
            title, *_ = text.splitlines()
            text = f"{title}\n\n[English]({name.rpartition('/')[2]}.md)"  # half of the time else
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


@cache
def pages() -> dict[str, str]:
    """Markdown by place in the folder `reference`."""
    made = {f"metrics/{name}": metric(name) for name in METRICS}
    made |= {f"formats/{name}": format_page(name) for name in FORMATS}
    context = click.Context(gecbench, info_name="gecbench")
    for name in gecbench.list_commands(context):
        made[f"commands/{name}"] = "\n\n".join(command(name, context, 1))
    return made | dict(api())


def read(page: str) -> str:
    return (DOCS / page).read_text("utf-8")


def facts(about: Mapping[str, str]) -> str:
    return "\n".join(f"- **{name}:** {value}" for name, value in about.items())


def show(default: object) -> str:
    return {True: "yes", False: "no"}[default] if isinstance(default, bool) else f"{default}"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ("---",) * len(head), *rows])


def block(text: str, language: str = "text") -> str:
    return f"```{language}\n{text.strip(chr(10))}\n```"


def escape(text: str) -> str:
    """Plain text as Markdown, also in a table; what stands in backticks is code."""
    return re.sub(r"`[^`]+`|[<*[|]", lambda m: m[0] if m[0][1:] else f"&#{ord(m[0])};", text)


def sections(docstring: str) -> list:
    return Docstring(inspect.cleandoc(docstring)).parse("google", warnings=False)


def prose(docstring: str) -> str:
    return "\n\n".join(
        escape(part.value) for part in sections(docstring) if part.kind is DocstringSectionKind.text
    )


def arguments(docstring: str) -> dict[str, str]:
    """What a docstring says of each argument."""
    found = (s.value for s in sections(docstring) if s.kind is DocstringSectionKind.parameters)
    return {item.name: " ".join(item.description.split()) for items in found for item in items}


def metric(name: str) -> str:
    kind = metric_class(name)
    article = re.search(rf"\[`{name}`\]\(([\w-]+\.md)\)", read("metrics/README.md"))
    about = {
        "Reads": NEEDS[kind.needs],
        "Languages": ", ".join(f"`{code}`" for code in kind.languages) or "any",
        "Better": "higher" if kind.higher_is_better else "lower",
    }
    if kind.perfect is not None:
        about["Of outputs that are references"] = f"{100 * kind.perfect:g}"
    explained = {}
    for base in reversed(kind.__mro__):
        explained |= arguments(base.__doc__ or "")
    options = []
    for field in dataclasses.fields(kind):
        option = SHARED.get(field.name)
        if option is None:
            option = f"--set {name}.{field.name.replace('_', '-')}={show(field.default)}"
        if field.name != "context":
            options.append((f"`{option}`", escape(explained.get(field.name, ""))))
    parts = [f"# `{name}`", prose(kind.__doc__ or ""), facts(about)]
    if options:
        parts += ["## Options", table(("with their defaults", ""), options)]
    parts.append(
        "What it rewards and misses, and how it was checked: "
        f"[the page of the metric](../../metrics/{article[1] if article else 'README.md'})."
    )
    return "\n\n".join(parts)


def format_page(name: str) -> str:
    form = load_format(name)
    module = importlib.import_module(FORMATS[name].partition(":")[0])
    about = {
        "Written": "yes" if form.is_written else "no, only read",
        "Ids": "of the file" if form.has_ids else "1, 2, ...",
        "Language": "in the file" if form.has_lang else "by `--lang`, or detected",
    }
    parts = [f"# `{name}`", f"{form.about[0].upper()}{form.about[1:]}.", facts(about)]
    parts.append(prose(module.__doc__ or ""))
    command = f"gecbench convert FILE --from {name} --to jsonl"
    parts += ["## Convert", f"```bash\n{command}\n```"]
    if form.is_written:
        corpus = load(sample("en", "corpus.jsonl"))
        corpus = extract(dataclasses.replace(corpus, samples=corpus.samples[:2]), scheme="xx-word")
        for ending, text in form.write(corpus).items():
            parts += [
                f"Two sentences of the bundled samples{ending and f', file `{ending}`'}:",
                block(text),
            ]
    parts.append("What is read, kept and refused: [formats](../../formats.md).")
    return "\n\n".join(parts)


def command(name: str, parent: click.Context, level: int) -> Iterator[str]:
    found = parent.command.get_command(parent, name)
    context = click.Context(found, info_name=name, parent=parent)
    yield f"{'#' * level} `{context.command_path}`"
    yield block(context.get_usage().removeprefix("Usage: "))
    for paragraph in inspect.cleandoc(found.help or "").split("\n\n"):
        is_example = paragraph.startswith("\b")
        yield block(paragraph[1:], "bash") if is_example else escape(paragraph)
    options = [option.get_help_record(context) for option in found.get_params(context)]
    yield table(
        ("option", ""),
        [(f"`{names}`", escape(text)) for names, text in filter(None, options) if text],
    )
    if isinstance(found, click.Group):
        for part in found.list_commands(context):
            yield from command(part, context, min(level + 1, 6))


def api() -> Iterator[tuple[str, str]]:
    """The public names, as `__init__.pyi` lists them, for mkdocstrings."""
    stub = (DOCS.parent / "src/gecbench/__init__.pyi").read_text("utf-8")
    names = sorted(re.findall(r"^from \.(\S+) import (\w+) as", stub, re.M), key=itemgetter(1))
    groups = {"Functions": [], "Options": [], "Values": []}
    for module, name in names:
        title = "Options" if module.endswith("options") else "Values"
        groups["Functions" if name.islower() else title].append(f"::: gecbench.{name}")
    for title, entries in groups.items():
        yield f"python/{title.lower()}", "\n\n".join([f"# {title}", *entries])
