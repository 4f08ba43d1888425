"""Chat correctors by profile, or by model and address."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from gecbench.backends import need
from gecbench.core.corrector import Corrector, CorrectorInfo
from gecbench.core.errors import UsageError
from gecbench.core.files import check_target
from gecbench.formats.validation import convert, options_of, toml_of
from gecbench.models.chat.answers import Bounds
from gecbench.models.chat.prompts import Prompt, examples_of, prompt_of
from gecbench.models.training.config import Count, Positive

# Profiles: which server, which model, how it is asked, and what may be spent.


Amount = Annotated[float, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Sent = Literal["temperature", "seed"]


class Profile(Bounds, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a profile's TOML file holds, beside the bounds of answers; each key is an option, too.

    Args:
        base_url: Of the server, as "http://127.0.0.1:8000/v1".
        model: As the server calls it.
        name: For tables; "" takes the model's.
        language: zh or en; "" takes the prompt's.
        prompt: Name of a packaged prompt, or path of a file, counted from the profile's folder.
        examples: File of examples to show; "" shows those of the prompt.
        shots: How many of that file; 0 shows all.
        key_env: The environment variable that holds the key; "" sends none.
        key_header: The header it is sent in.
        temperature: 0 takes the likeliest answer.
        seed: Sent with each question; servers may ignore it.
        max_tokens: Of an answer; 0 leaves it to the server.
        max_tokens_name: What the server calls that; newer models of OpenAI know the longer name.
        omit: What is not sent, for servers that refuse it.
        extra: More for each question, as `reasoning_effort`, sent as it is.
        stream: Ask for the answer in pieces, for servers or proxies that need it.
        batch: Sentences in one question; 1 asks for each by itself.
        concurrency: Questions at once.
        requests_per_minute: At most; 0 does not limit.
        tokens_per_minute: In and out, at most, as estimated before and counted after; 0 does not.
        timeout: Seconds for one call.
        retries: How often a call that failed is tried again.
        backoff: Seconds before the first of these, doubled each time, up to a minute.
        deadline: Seconds for one sentence with all its retries and waits for retries.
        failures_in_a_row: After so many sentences without an answer the run ends with an error;
            0 never does.
        price_in: Of a million tokens in questions, in any currency.
        price_out: Of a million tokens in answers.
        cache: Folder of the cache of answers; "" takes the user's, "none" has none.
        replay: Take answers from the cache only; a sentence it does not hold is an error.
        log: File that a line is added to for each call; "" writes costs.jsonl beside the cache.
    """

    base_url: str
    model: str
    name: str = ""
    language: Literal["", "zh", "en"] = ""
    prompt: str = ""
    examples: str = ""
    shots: Count = 0
    key_env: str = ""
    key_header: str = "Authorization"
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.0
    seed: Count = 1
    max_tokens: Count = 0
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    omit: tuple[Sent, ...] = ()
    extra: dict[str, object] = msgspec.field(default_factory=dict)
    stream: bool = False
    batch: Positive = 1
    concurrency: Positive = 8
    requests_per_minute: Count = 0
    tokens_per_minute: Count = 0
    timeout: Seconds = 120.0
    retries: Count = 5
    backoff: Seconds = 0.5
    deadline: Seconds = 600.0
    failures_in_a_row: Count = 20
    price_in: Amount = 0.0
    price_out: Amount = 0.0
    cache: str = ""
    replay: bool = False
    log: str = ""


def profile_of(place: str, options: Mapping[str, object]) -> Profile:
    """Load the profile at a place, with options in the stead of its values.

    Args:
        place: The path of a TOML file, or MODEL@URL.
        options: By the names of the fields; strings are converted.

    Raises:
        UsageError: The place is neither, or an option has a wrong value.
        FormatError: The file is no profile; names the key.
    """
    model, _, url = place.rpartition("@http")
    values: dict[str, object]
    if model and url.startswith(("://", "s://")):
        values = {"model": model, "base_url": f"http{url}"}
    elif Path(place).suffix == ".toml" or Path(place).is_file():
        values = toml_of(Path(place))
        checked = msgspec.to_builtins(convert(place, values, Profile))
        values = {name: checked[name] for name in values}
    else:
        raise UsageError(
            f"chat:{place}: is neither a profile (a .toml file) nor MODEL@URL, as "
            "chat:qwen3@http://127.0.0.1:8000/v1"
        )
    profile = options_of("chat", Profile, {**values, **options})
    for name in sorted(profile.extra):
        if name in ("messages", "model", "stream", "n"):
            raise UsageError(f"chat:{place}: extra.{name} is not free; gecbench sets it itself")
        if "key" in name.lower() or name == "authorization":
            raise UsageError(
                f"chat:{place}: extra.{name} looks like a key; put it into an environment "
                "variable and name that in key_env"
            )
    try:
        json.dumps(profile.extra, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise UsageError(f"chat:{place}: extra cannot be sent as JSON: {error}") from error
    return profile


# From a profile to its corrector.

_RULES = "2"
"""Of taking answers: a new number where the same answer may become another correction."""


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the corrector that asks a chat server.

    Args:
        place: The path of a profile, or MODEL@URL.
        options: By the names of the profile's keys.

    Raises:
        UsageError: The place is neither, an option is wrong, or the key's variable is not set.
        FormatError: The profile or the prompt is none.
        MissingExtraError: httpx is not installed.
    """
    need("chat", "httpx", "anyio")
    from gecbench.backends.chat import ChatClient, Server, answers_folder
    from gecbench.models.chat.client import AnswerCache, Totals
    from gecbench.models.chat.corrector import ChatCorrector

    profile = profile_of(place, options)

    def path(name: str, value: str) -> Path:
        """Make a path, which counts from the profile's folder unless an option names it."""
        in_profile = name not in options and place.endswith(".toml")
        return (Path(place).parent if in_profile else Path()) / value

    prompt = _prompt(profile, place, path)
    language = profile.language or prompt.language
    if not language:
        raise UsageError(
            f"chat:{place}: of which language are the sentences? The prompt does not say; "
            "set language to zh or en"
        )
    key, address = _key(profile, place), profile.base_url
    server = Server(address, key, profile.key_header, profile.timeout, profile.concurrency)
    folder = None
    if profile.cache != "none":
        folder = path("cache", profile.cache) if profile.cache else answers_folder()
    elif profile.replay:
        raise UsageError(f"chat:{place}: replay takes answers from a cache, but cache is none")
    log = folder and folder / "costs.jsonl"
    if profile.log:
        log = path("log", profile.log)
        check_target(log)
    return ChatCorrector(
        _describe(profile, prompt, language, server.address),
        profile,
        prompt,
        language,
        ChatClient(server),
        AnswerCache(folder) if folder else None,
        Totals(log, profile.model, profile.price_in, profile.price_out),
    )


def _prompt(profile: Profile, place: str, path: Callable[[str, str], Path]) -> Prompt:
    """Load the prompt of a profile, with its examples."""
    name = profile.prompt or ("zh-minimal" if profile.language == "zh" else "robustgec")
    prompt = prompt_of(name, path("prompt", ""))
    if profile.examples:
        examples = examples_of(path("examples", profile.examples), profile.shots)
        prompt = msgspec.structs.replace(prompt, examples=examples)
    if profile.batch > 1 and not prompt.batch:
        raise UsageError(
            f"chat:{place}: prompt {prompt.name} has nothing to say for several sentences; add "
            "batch to it, or set batch to 1"
        )
    return prompt


def _key(profile: Profile, place: str) -> str:
    """Read the key from the variable that the profile names."""
    name = profile.key_env
    key = os.environ.get(name, "").strip() if name else ""
    if name and not key and not profile.replay:
        # A key that was written instead of a variable's name is not shown.
        shown = name if name.isidentifier() and len(name) < 40 else "that key_env names"
        raise UsageError(
            f"chat:{place}: the environment variable {shown} is not set; put the key of the "
            "server into it"
        )
    return key


def _describe(profile: Profile, prompt: Prompt, language: str, address: str) -> CorrectorInfo:
    """Describe a chat corrector, with all that its answers depend on."""
    sent = {
        name: "not sent" if name in profile.omit else f"{value:g}"
        for name, value in (("temperature", profile.temperature), ("seed", profile.seed))
    }
    return CorrectorInfo(
        name=profile.name or profile.model,
        kind="chat",
        languages=(language,),
        about=(
            f"Asks {profile.model} at {address}; texts leave this machine unless that is here. "
            "Chat models change more than errors: expect recall, not precision."
        ),
        signature={
            "corrector": "chat",
            "url": address,
            "model": profile.model,
            "language": language,
            "prompt": f"{prompt.name}:{prompt.hash()}",
            **sent,
            "max_tokens": str(profile.max_tokens),
            "extra": json.dumps(profile.extra, sort_keys=True, ensure_ascii=False),
            "batch": str(profile.batch),
            "answers": f"{_RULES}:{profile.shortest:g}-{profile.longest:g}, "
            f"{profile.most_changed:g}, {profile.spacing}",
        },
        deterministic=profile.replay,
        window=max(64, 16 * profile.concurrency * profile.batch),
    )
