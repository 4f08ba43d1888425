"""Chat correctors by profile, or by model and address."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from gecbench.backends import need
from gecbench.core.corrector import Corrector, CorrectorInfo
from gecbench.core.errors import UsageError
from gecbench.core.files import check_target
from gecbench.lang import language_of
from gecbench.models import CorrectorKind
from gecbench.models.chat.prompts import Profile, Prompt, examples_of, profile_of, prompt_of

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
            "set language, as zh or en"
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
        language_of(language).tokens,
        ChatClient(server),
        AnswerCache(folder) if folder else None,
        Totals(log, profile),
    )


KIND = CorrectorKind(load)


def _prompt(profile: Profile, place: str, path: Callable[[str, str], Path]) -> Prompt:
    """Load the prompt of a profile, with its examples."""
    name = profile.prompt or language_of(profile.language or "en").chat_prompt
    if not name:
        raise UsageError(
            f"chat:{place}: there is no prompt for language {profile.language!r}; set prompt"
        )
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
