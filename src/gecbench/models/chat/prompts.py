"""Prompts: packaged ones by name, anybody's own by path, with examples or without."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from gecbench.core.errors import FormatError, UnknownNameError, UsageError
from gecbench.core.files import read_lines
from gecbench.formats.reading import read
from gecbench.models.chat.batches import numbered
from gecbench.models.options import read_toml

TEXT = "{text}"
COUNT = "{count}"

_FOLDER = files("gecbench.models") / "prompts"


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence and its correction, shown to the model before the one it is to correct."""

    source: str
    target: str


class PromptFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a prompt's TOML file holds.

    Args:
        user: What is said for one sentence; `{text}` stands for it.
        system: What is said before; "" says nothing.
        batch: As `user`, for several numbered sentences; `{count}` stands for how many. "" cannot
            be used for several.
        about: One line for people.
        source: Who wrote it, and where.
        language: Of the sentences it is for, as a code; "" for any.
        examples: Shown in the order given, as earlier turns of the conversation.
    """

    user: str
    system: str = ""
    batch: str = ""
    about: str = ""
    source: str = ""
    language: Literal["", "zh", "en"] = ""
    examples: tuple[Example, ...] = ()


class Message(NamedTuple):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """How a model is asked.

    Args:
        name: Of the packaged prompt, or of the file.
        language: Of the sentences; "" for any.
        system: See `PromptFile`, also for the others.
        user: With `{text}` once or more.
        batch: With `{text}`; "" where there is none.
        examples: Shown before.
    """

    name: str
    language: str
    system: str
    user: str
    batch: str
    examples: tuple[Example, ...] = ()

    def single(self, text: str) -> tuple[Message, ...]:
        """Return the conversation that asks for one sentence."""
        turns = [
            turn
            for example in self.examples
            for turn in (
                Message("user", _filled(self.user, example.source)),
                Message("assistant", example.target),
            )
        ]
        return (*self._opening(), *turns, Message("user", _filled(self.user, text)))

    def several(self, texts: Sequence[str]) -> tuple[Message, ...]:
        """Return the conversation that asks for numbered sentences; examples come as a batch."""
        turns: tuple[Message, ...] = ()
        if self.examples:
            sources = [example.source for example in self.examples]
            targets = [example.target for example in self.examples]
            asked = Message("user", _filled(self.batch, numbered(sources), len(sources)))
            turns = (asked, Message("assistant", numbered(targets)))
        asked = Message("user", _filled(self.batch, numbered(texts), len(texts)))
        return (*self._opening(), *turns, asked)

    def hash(self) -> str:
        """Return 16 hexadecimal digits that change with anything that a model would see."""
        shown = [self.system, self.user, self.batch]
        shown += [text for each in self.examples for text in (each.source, each.target)]
        return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]

    def _opening(self) -> tuple[Message, ...]:
        return (Message("system", self.system),) if self.system else ()


def prompt_names() -> tuple[str, ...]:
    """Return the names of the packaged prompts."""
    return tuple(
        sorted(p.name.removesuffix(".toml") for p in _FOLDER.iterdir() if ".toml" in p.name)
    )


def prompt_of(name: str, base: Path = Path()) -> Prompt:
    """Return a prompt by the name of a packaged one, or by the path of a file.

    Args:
        name: "robustgec" and the like; or the path of a TOML file with the keys of `PromptFile`,
            or of a text file that is what the user says, with `{text}`.
        base: The folder that a relative path counts from.

    Raises:
        UnknownNameError: Neither a packaged prompt nor a path.
        FormatError: The file does not hold a prompt.
    """
    if name in prompt_names():
        path = Path(str(_FOLDER / f"{name}.toml"))
        return _made(name, str(path), read_toml(path, PromptFile))
    path = base / name
    if path.suffix == ".toml":
        return _made(path.stem, str(path), read_toml(path, PromptFile))
    if path.suffix or path.exists() or "/" in name:
        return _made(path.stem, str(path), PromptFile(user="\n".join(read_lines(path))))
    raise UnknownNameError("prompt", name, prompt_names())


def with_examples(prompt: Prompt, examples: Sequence[Example]) -> Prompt:
    """Return a prompt that shows these examples instead of its own."""
    return replace(prompt, examples=tuple(examples))


def examples_of(path: Path, shots: int) -> tuple[Example, ...]:
    """Return examples from a file.

    Args:
        path: A TOML file with `[[examples]]` of source and target, or a corpus in any format:
            its sentences that have a reference, with the first one.
        shots: The first so many of them; 0 takes all.

    Raises:
        UsageError: The file has fewer.
        FormatError: It is neither.
    """
    if path.suffix == ".toml":
        found = list(read_toml(path, _Examples).examples)
    else:
        found = []
        for sample in read(path).samples:
            for reference in sample.references[:1]:
                target = sample.source if reference.error_free else reference.text
                if target is not None:
                    found.append(Example(sample.source, target))
    if len(found) < max(shots, 1):
        raise UsageError(
            f"{path}: has {len(found)} examples, but {max(shots, 1)} are to be shown; lower shots, "
            "or name a file with more"
        )
    return tuple(found[:shots] if shots else found)


class _Examples(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A TOML file of examples."""

    examples: tuple[Example, ...]


def _made(name: str, where: str, file: PromptFile) -> Prompt:
    """Return the prompt that a file holds."""
    for key in ("user", "batch"):
        text = getattr(file, key)
        if TEXT not in text and (text or key == "user"):
            raise FormatError(
                f"{where}: {key} does not say where the sentence goes; write {TEXT} there"
            )
    stripped = (file.system.strip(), file.user.strip(), file.batch.strip())
    return Prompt(name, file.language, *stripped, file.examples)


def _filled(template: str, text: str, count: int = 1) -> str:
    """Return a template with its places filled; what the text holds is never a place."""
    return template.replace(COUNT, str(count)).replace(TEXT, text)
