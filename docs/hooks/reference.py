"""A page for each metric, format and command, and the Python API, made of declarations.

In the Chinese site the words of the pages are Chinese, and each begins with what the Chinese page
of all metrics, formats or commands says of it; docstrings and the help of options are in English.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
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
Say = Callable[[str], str]
"""Give words of a page in its language."""
NEEDS = {"texts": "texts", "edits": "edits", "gold_edits": "the edits of references"}


CHINESE = {
    ": ": "：",
    "Reads": "需要",
    "texts": "文本",
    "edits": "编辑",
    "the edits of references": "参考答案的编辑",
    "Languages": "语言",
    "any": "任意",
    "Better": "方向",
    "higher": "越高越好",
    "lower": "越低越好",
    "Of outputs that are references": "输出与参考答案相同时的值",
    "Options": "选项",
    "with their defaults": "选项及默认值",
    "option": "选项",
    "What it rewards and misses, and how it was checked": "它奖励什么、看不到什么、怎样核对",
    "the page of the metric": "这个指标的页面",
    "Written": "能否写出",
    "yes": "能",
    "no, only read": "不能，只能读取",
    "Ids": "编号",
    "of the file": "文件里的编号",
    "1, 2, ...": "1、2……",
    "Language": "语言",
    "in the file": "写在文件里",
    "by `--lang`, or detected": "用 `--lang` 指定，或自动识别",
    "Convert": "转换",
    "Two sentences of the bundled samples": "自带样例的两句",
    ", file": "，文件",
    "What is read, kept and refused": "读取、保留和拒绝哪些内容",
    "formats": "文件格式",
}
IN_ENGLISH = "*程序里的说明只有英文。*"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    language = config.theme["language"]
    for name, text in pages(language).items():
        if language == "zh" and name.startswith("python/"):
            title, *_ = text.splitlines()
            text = f"{title}\n\n[English]({name.rpartition('/')[2]}.md)"  # half of the time else
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


@cache
def pages(language: str) -> dict[str, str]:
    """Markdown by place in the folder `reference`."""
    say = (lambda text: CHINESE[text]) if language == "zh" else str
    made = {f"metrics/{name}": metric(name, say) for name in METRICS}
    made |= {f"formats/{name}": format_page(name, say) for name in FORMATS}
    context = click.Context(gecbench, info_name="gecbench")
    for name in gecbench.list_commands(context):
        made[f"commands/{name}"] = "\n\n".join(command(name, context, 1, say))
    if language == "zh":
        for name, text in made.items():
            title, rest = text.split("\n\n", 1)
            made[name] = "\n\n".join(filter(None, [title, summary(name), IN_ENGLISH, rest]))
    return made | dict(api())


def read(page: str) -> str:
    return (DOCS / page).read_text("utf-8")


def summary(name: str) -> str:
    """What a Chinese page says in one line of a metric, format or command, without links."""
    kind, _, name = name.partition("/")
    if kind == "metrics":
        page, place = "metrics/README.zh.md", rf"^\| [^|]*`{name}`[^|]* \| (.*?) \|"
    elif kind == "formats":
        page, place = (
            "formats.zh.md",
            rf"^(?:## [^：\n]*`{name}`[^：\n]*：|\| [^|]*`{name}`[^|]* \| )([^|\n]*)",
        )
    else:
        page, place = "commands.zh.md", rf"^## .*`(?:gecbench )?{name}\b.*\n\n(.*?)[。：]"
    found = re.search(place, read(page), re.M)
    line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[1]) if found else ""
    return f"{line.strip()}。" if line else ""


def facts(about: Mapping[str, str], colon: str) -> str:
    return "\n".join(f"- **{name}**{colon}{value}" for name, value in about.items())


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


def metric(name: str, say: Say) -> str:
    kind = metric_class(name)
    article = re.search(rf"\[`{name}`\]\(([\w-]+\.md)\)", read("metrics/README.md"))
    about = {
        say("Reads"): say(NEEDS[kind.needs]),
        say("Languages"): ", ".join(f"`{code}`" for code in kind.languages) or say("any"),
        say("Better"): say("higher" if kind.higher_is_better else "lower"),
    }
    if kind.perfect is not None:
        about[say("Of outputs that are references")] = f"{100 * kind.perfect:g}"
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
    parts = [f"# `{name}`", prose(kind.__doc__ or ""), facts(about, say(": "))]
    if options:
        parts += [f"## {say('Options')}", table((say("with their defaults"), ""), options)]
    parts.append(
        f"{say('What it rewards and misses, and how it was checked')}{say(': ')}"
        f"[{say('the page of the metric')}]"
        f"(../../metrics/{article[1] if article else 'README.md'})"
    )
    return "\n\n".join(parts)


def format_page(name: str, say: Say) -> str:
    form = load_format(name)
    module = importlib.import_module(FORMATS[name].partition(":")[0])
    about = {
        say("Written"): say("yes" if form.is_written else "no, only read"),
        say("Ids"): say("of the file" if form.has_ids else "1, 2, ..."),
        say("Language"): say("in the file" if form.has_lang else "by `--lang`, or detected"),
    }
    parts = [f"# `{name}`", f"{form.about[0].upper()}{form.about[1:]}.", facts(about, say(": "))]
    parts.append(prose(module.__doc__ or ""))
    command = f"gecbench convert FILE --from {name} --to jsonl"
    parts += [f"## {say('Convert')}", f"```bash\n{command}\n```"]
    if form.is_written:
        corpus = load(sample("en", "corpus.jsonl"))
        corpus = extract(dataclasses.replace(corpus, samples=corpus.samples[:2]), scheme="xx-word")
        for ending, text in form.write(corpus).items():
            of_file = f"{say(', file')} `{ending}`" if ending else ""
            parts += [
                f"{say('Two sentences of the bundled samples')}{of_file}{say(': ').strip()}",
                block(text),
            ]
    parts.append(
        f"{say('What is read, kept and refused')}{say(': ')}[{say('formats')}](../../formats.md)"
    )
    return "\n\n".join(parts)


def command(name: str, parent: click.Context, level: int, say: Say) -> Iterator[str]:
    found = parent.command.get_command(parent, name)
    context = click.Context(found, info_name=name, parent=parent)
    yield f"{'#' * level} `{context.command_path}`"
    yield block(context.get_usage().removeprefix("Usage: "))
    for paragraph in inspect.cleandoc(found.help or "").split("\n\n"):
        is_example = paragraph.startswith("\b")
        yield block(paragraph[1:], "bash") if is_example else escape(paragraph)
    options = [option.get_help_record(context) for option in found.get_params(context)]
    yield table(
        (say("option"), ""),
        [(f"`{names}`", escape(text)) for names, text in filter(None, options) if text],
    )
    if isinstance(found, click.Group):
        for part in found.list_commands(context):
            yield from command(part, context, min(level + 1, 6), say)


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
