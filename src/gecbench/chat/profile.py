"""Profiles of chat servers: which server, which model, how it is asked, and what may be spent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

import msgspec

from gecbench.core.errors import UsageError
from gecbench.formats.validation import Count, Positive, Share, convert, options_of, toml_of

SpacingRule = Literal["auto", "source", "answer"]
"""Whose white space a correction has."""


class ChatMessage(NamedTuple):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Bounds(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an answer may be to count as a correction of its source.

    Args:
        shortest: Least length of the answer, as a share of its source's, in characters.
        longest: Greatest.
        most_changed: Share of the tokens that may be changed, in [0, 1], where the source has at
            least five; one word of two is no great change.
        spacing: Whose white space counts; see `models.chat.answers.restore_spacing`.
    """

    shortest: Share = 0.5
    longest: Annotated[float, msgspec.Meta(ge=1)] = 2.0
    most_changed: Share = 0.8
    spacing: SpacingRule = "auto"


Amount = Annotated[float, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Sampling = Literal["temperature", "seed"]
SAMPLING: tuple[Sampling, ...] = get_args(Sampling)
"""Keys that are sent as they are, unless they are omitted."""


class ChatProfile(Bounds, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a profile's TOML file holds, beside the bounds of answers; each key is an option, too.

    Args:
        base_url: Of the server, as "http://127.0.0.1:8000/v1".
        model: As the server calls it.
        name: For tables; "" takes the model's.
        language: Code; "" takes the prompt's.
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
        budget: What a run may cost by these prices; 0 does not limit. When it is spent the run
            ends with an error; questions that are under way are still answered.
        cache: Folder of the cache of answers; "" takes the user's, "none" has none.
        replay: Take answers from the cache only; a sentence it does not hold is an error.
        log: File that a line is added to for each call; "" writes costs.jsonl beside the cache.
    """

    base_url: str
    model: str
    name: str = ""
    language: str = ""
    prompt: str = ""
    examples: str = ""
    shots: Count = 0
    key_env: str = ""
    key_header: str = "Authorization"
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.0
    seed: Count = 1
    max_tokens: Count = 0
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    omit: tuple[Sampling, ...] = ()
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
    budget: Amount = 0.0
    cache: str = ""
    replay: bool = False
    log: str = ""


def load_chat_profile(place: str, options: Mapping[str, object]) -> ChatProfile:
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
        complete = msgspec.to_builtins(convert(place, values, ChatProfile))
        values = {name: complete[name] for name in values}
    else:
        raise UsageError(
            f"chat:{place}: is neither a profile (a .toml file) nor MODEL@URL, as "
            "chat:qwen3@http://127.0.0.1:8000/v1"
        )
    profile = options_of("chat", ChatProfile, {**values, **options})
    for name in sorted(profile.extra):
        if name in ("messages", "model", "stream", "n"):
            raise UsageError(f"chat:{place}: extra.{name} is not free; gecbench sets it itself")
        if "key" in name.lower() or name == "authorization":
            raise UsageError(
                f"chat:{place}: extra.{name} looks like a key; put it into an environment "
                "variable and name that in key_env"
            )
    if profile.budget and not (profile.price_in or profile.price_out):
        raise UsageError(
            f"chat:{place}: budget {profile.budget:g} says what a run may cost, but no price is "
            "given; set price_in and price_out"
        )
    try:
        json.dumps(profile.extra, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise UsageError(f"chat:{place}: extra cannot be sent as JSON: {error}") from error
    return profile
