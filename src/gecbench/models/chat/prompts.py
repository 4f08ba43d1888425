"""How a model is asked: prompts, packaged ones by name."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import msgspec

from gecbench.chat.profile import ChatMessage
from gecbench.core.errors import FormatError, UnknownNameError, UsageError
from gecbench.core.files import read_lines
from gecbench.formats.reading import read
from gecbench.formats.validation import list_packaged, read_toml

# Several sentences in one question: numbered lines, there and back.

_NUMBERED = re.compile(r"^\s*([0-9]+)\s*[.．、:：)）]\s*(.*)$")


def number_lines(texts: Sequence[str]) -> str:
    r"""Write texts as numbered lines; none may hold a line end.

    >>> number_lines(["他来了", "我走了"])
    '1. 他来了\n2. 我走了'
    """
    return "\n".join(f"{n}. {text}" for n, text in enumerate(texts, 1))


def split_numbered(answer: str, count: int) -> list[str] | None:
    r"""Split an answer into its lines without their numbers; None where it is not what was asked.

    Exactly the numbers 1 to `count` in their order, one a line, and nothing else: a model that
    has lost or split a sentence would give every later one a wrong answer.

    >>> split_numbered("1. He came.\n2. I left.", 2)
    ['He came.', 'I left.']
    >>> split_numbered("Here you are:\n1. He came.\n2. I left.", 2) is None
    True
    """
    matches = [_NUMBERED.match(line) for line in answer.split("\n") if line.strip()]
    texts = [m.group(2).strip() for n, m in enumerate(matches, 1) if m and int(m.group(1)) == n]
    return texts if len(texts) == len(matches) == count else None


TEXT = "{text}"
COUNT = "{count}"

_FOLDER = Path(__file__).parent.parent / "prompts"


class PromptExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence and its correction, shown to the model before the one it is to correct."""

    source: str
    target: str


class PromptFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a prompt's TOML file holds.

    Args:
        user: The message for one sentence; `{text}` stands for it.
        system: The message before it; "" says nothing.
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
    language: str = ""
    examples: tuple[PromptExample, ...] = ()


class Prompt(PromptFile, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a model is asked.

    Args:
        name: Of the packaged prompt, or of the file.
    """

    name: str

    def single(self, text: str) -> tuple[ChatMessage, ...]:
        """Build the conversation that asks for one sentence."""
        questions = [_fill(self.user, source) for source in (*self._sources(), text)]
        return self._conversation(questions, [example.target for example in self.examples])

    def several(self, texts: Sequence[str]) -> tuple[ChatMessage, ...]:
        """Build the conversation that asks for numbered sentences; examples come as a batch."""
        batches = [batch for batch in (self._sources(), texts) if batch]
        questions = [_fill(self.batch, number_lines(batch), len(batch)) for batch in batches]
        answers = [number_lines([example.target for example in self.examples])]
        return self._conversation(questions, answers[: len(questions) - 1])

    def _sources(self) -> list[str]:
        return [example.source for example in self.examples]

    def _conversation(
        self, questions: Sequence[str], answers: Sequence[str]
    ) -> tuple[ChatMessage, ...]:
        """Join questions with answers to all but the last."""
        turns = [ChatMessage("system", self.system)] if self.system else []
        for question, answer in zip_longest(questions, answers):
            turns.append(ChatMessage("user", question))
            turns += [ChatMessage("assistant", answer)] if answer is not None else []
        return tuple(turns)

    def hash(self) -> str:
        """Hash all that a model would see, in 16 hexadecimal digits."""
        parts = [self.system, self.user, self.batch]
        parts += [text for example in self.examples for text in (example.source, example.target)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def load_prompt(name: str, base: Path = Path()) -> Prompt:
    """Load a prompt by the name of a packaged one, or by the path of a file.

    Args:
        name: "robustgec" and the like; or the path of a TOML file with the keys of `PromptFile`,
            or of a text file that is what the user says, with `{text}`.
        base: The folder that a relative path counts from.

    Raises:
        UnknownNameError: Neither a packaged prompt nor a path.
        FormatError: The file does not hold a prompt.
    """
    names = list_packaged(_FOLDER)
    path = _FOLDER / f"{name}.toml" if name in names else base / name
    if path.suffix == ".toml":
        return _to_prompt(path, read_toml(path, PromptFile))
    if path.suffix or path.exists() or "/" in name:
        return _to_prompt(path, PromptFile(user="\n".join(read_lines(path))))
    raise UnknownNameError("prompt", name, names)


def read_examples(path: Path, shots: int) -> tuple[PromptExample, ...]:
    """Read examples from a file.

    Args:
        path: A TOML file with `[[examples]]` of source and target, or a corpus in any format:
            its sentences that have a reference, with the first one.
        shots: The first so many of them; 0 takes all.

    Raises:
        UsageError: The file has fewer.
        FormatError: It is neither.
    """
    if path.suffix == ".toml":
        examples = read_toml(path, _Examples).examples
    else:
        pairs = (
            (sample.source, sample.source if reference.error_free else reference.text)
            for sample in read(path).samples
            for reference in sample.references[:1]
        )
        examples = tuple(PromptExample(source, text) for source, text in pairs if text is not None)
    if len(examples) < max(shots, 1):
        raise UsageError(
            f"{path}: has {len(examples)} examples, but {max(shots, 1)} are to be shown; lower "
            "shots, or name a file with more"
        )
    return examples[: shots or None]


class _Examples(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A TOML file of examples."""

    examples: tuple[PromptExample, ...]


def _to_prompt(path: Path, file: PromptFile) -> Prompt:
    """Check and strip the prompt that a file holds."""
    for key in ("user", "batch"):
        text = getattr(file, key)
        if TEXT not in text and (text or key == "user"):
            raise FormatError(
                f"{path}: {key} does not say where the sentence goes; write {TEXT} there"
            )
    fields = msgspec.structs.asdict(file)
    fields |= {key: fields[key].strip() for key in ("system", "user", "batch")}
    return Prompt(name=path.stem, **fields)


def _fill(template: str, text: str, count: int = 1) -> str:
    """Fill the places of a template; what the text holds is never a place."""
    return template.replace(COUNT, str(count)).replace(TEXT, text)
