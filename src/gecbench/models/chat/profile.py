"""Profiles: which server, which model, how it is asked, and what may be spent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from gecbench.core.errors import UsageError
from gecbench.models.chat.answers import Bounds
from gecbench.models.chat.spacing import Spacing
from gecbench.models.options import configured, options_of, toml_of

Positive = Annotated[int, msgspec.Meta(gt=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Sent = Literal["temperature", "seed"]


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a profile's TOML file holds; each key is an option, too.

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
        cache: Folder of kept answers; "" takes the user's, "none" keeps none.
        replay: Take answers from the cache only; a sentence it does not hold is an error.
        log: File that a line is added to for each call; "" writes costs.jsonl beside the cache.
        shortest: Least length of an answer, as a share of its source's.
        longest: Greatest.
        most_changed: Share of the tokens that may be changed.
        spacing: auto, source or answer: whose white space counts.
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
    extra: dict[str, object] = {}
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
    shortest: Share = 0.5
    longest: Annotated[float, msgspec.Meta(ge=1)] = 2.0
    most_changed: Share = 0.8
    spacing: Spacing = "auto"

    def bounds(self) -> Bounds:
        """Return what an answer may be."""
        return Bounds(self.shortest, self.longest, self.most_changed, self.spacing)


def profile_of(place: str, options: Mapping[str, object]) -> Profile:
    """Return the profile at a place, with options in the stead of its values.

    Args:
        place: The path of a TOML file, or MODEL@URL.
        options: By the names of the fields; strings are converted.

    Raises:
        UsageError: The place is neither, or an option has a wrong value.
        FormatError: The file is no profile; names the key.
    """
    tables = _tables(place)
    whole = options_of("chat", Profile, {**tables, **options})
    if taken := sorted({"messages", "model", "stream", "n"} & set(whole.extra)):
        raise UsageError(f"chat:{place}: extra.{taken[0]} is not free; gecbench sets it itself")
    if secret := [name for name in whole.extra if "key" in name.lower() or name == "authorization"]:
        raise UsageError(
            f"chat:{place}: extra.{secret[0]} looks like a key; put it into an environment "
            "variable and name that in key_env"
        )
    try:
        json.dumps(whole.extra, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise UsageError(f"chat:{place}: extra cannot be sent as JSON: {error}") from error
    return whole


def _tables(place: str) -> dict[str, object]:
    """Return the values that a place gives."""
    model, _, url = place.rpartition("@http")
    if model and url.startswith(("://", "s://")):
        return {"model": model, "base_url": f"http{url}"}
    path = Path(place)
    if path.suffix != ".toml" and not path.is_file():
        raise UsageError(
            f"chat:{place}: is neither a profile (a .toml file) nor MODEL@URL, as "
            "chat:qwen3@http://127.0.0.1:8000/v1"
        )
    tables = toml_of(path)
    profile = configured(place, tables, Profile)
    built = msgspec.to_builtins(profile)
    return {name: built[name] for name in tables}


def based(place: str) -> Path:
    """Return the folder that paths in a profile count from."""
    path = Path(place)
    return path.parent if path.suffix == ".toml" else Path()
