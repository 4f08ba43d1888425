"""Chat correctors by profile, or by model and address."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gecbench.core.corrector import Corrector, CorrectorInfo
from gecbench.core.errors import UsageError

if TYPE_CHECKING:
    from gecbench.models.chat.profile import Profile
    from gecbench.models.chat.prompts import Prompt

_RULES = "2"
"""Of taking answers: a new number where the same answer may become another correction."""


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Return the corrector that asks a chat server.

    Args:
        place: The path of a profile, or MODEL@URL.
        options: By the names of the profile's keys.

    Raises:
        UsageError: The place is neither, an option is wrong, or the key's variable is not set.
        FormatError: The profile or the prompt is none.
        MissingExtraError: httpx is not installed.
    """
    from gecbench.backends.chat import need_httpx

    need_httpx()
    from gecbench.models.chat.profile import profile_of

    profile = profile_of(place, options)
    given = {name for name in ("prompt", "examples", "cache", "log") if name in options}
    prompt = _prompt(profile, place, given)
    language = profile.language or prompt.language
    if not language:
        raise UsageError(
            f"chat:{place}: of which language are the sentences? The prompt does not say; "
            "set language to zh or en"
        )
    return _made(profile, prompt, language, place, given)


def _prompt(profile: Profile, place: str, given: set[str]) -> Prompt:
    """Return the prompt of a profile, with its examples."""
    from gecbench.models.chat.prompts import examples_of, prompt_of

    name = profile.prompt or ("zh-minimal" if profile.language == "zh" else "robustgec")
    prompt = prompt_of(name, _base(place, "prompt", given))
    if profile.examples:
        path = _base(place, "examples", given) / profile.examples
        prompt = replace(prompt, examples=examples_of(path, profile.shots))
    if profile.batch > 1 and not prompt.batch:
        raise UsageError(
            f"chat:{place}: prompt {prompt.name} has nothing to say for several sentences; add "
            "batch to it, or set batch to 1"
        )
    return prompt


def _made(
    profile: Profile, prompt: Prompt, language: str, place: str, given: set[str]
) -> Corrector:
    """Return the corrector of a profile."""
    import asyncio

    from gecbench.backends.chat import ChatClient, Server
    from gecbench.models.chat.cache import AnswerCache
    from gecbench.models.chat.corrector import ChatCorrector
    from gecbench.models.chat.costs import CostLog, Totals
    from gecbench.models.chat.loop import LoopThread
    from gecbench.models.chat.rates import Rates
    from gecbench.models.chat.sending import Sender

    server = Server(
        profile.base_url,
        _key(profile, place),
        profile.key_header,
        profile.timeout,
        profile.concurrency,
    )
    client = ChatClient(server)
    folder = _cache_folder(profile, place, given)
    totals = Totals()
    sender = Sender(
        client=client,
        rates=Rates(profile.requests_per_minute, profile.tokens_per_minute),
        costs=CostLog(
            _log(profile, folder, place, given),
            profile.model,
            profile.price_in,
            profile.price_out,
            totals,
        ),
        retries=profile.retries,
        backoff=profile.backoff,
        deadline=profile.deadline,
        questions=asyncio.Semaphore(profile.concurrency),
    )
    info = _info(profile, prompt, language, server.address)
    cache = None if folder is None else AnswerCache(folder)
    return ChatCorrector(
        info, profile, prompt, language, sender, client, cache, LoopThread(), totals
    )


def _info(profile: Profile, prompt: Prompt, language: str, address: str) -> CorrectorInfo:
    bounds = profile.bounds()
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
            "temperature": _number(profile, "temperature"),
            "seed": _number(profile, "seed"),
            "max_tokens": str(profile.max_tokens),
            "extra": json.dumps(profile.extra, sort_keys=True, ensure_ascii=False),
            "batch": str(profile.batch),
            "answers": f"{_RULES}:{bounds.shortest:g}-{bounds.longest:g}, "
            f"{bounds.most_changed:g}, {bounds.spacing}",
        },
        deterministic=profile.replay,
        window=max(64, 16 * profile.concurrency * profile.batch),
    )


def _number(profile: Profile, name: str) -> str:
    return "not sent" if name in profile.omit else f"{getattr(profile, name):g}"


def _key(profile: Profile, place: str) -> str:
    """Return the key from the variable that the profile names."""
    if not profile.key_env:
        return ""
    key = os.environ.get(profile.key_env, "").strip()
    if not key and not profile.replay:
        raise UsageError(
            f"chat:{place}: the environment variable {_shown(profile.key_env)} is not set; put "
            "the key of the server into it"
        )
    return key


def _shown(name: str) -> str:
    """Return the name of a variable, but not a key that was written in its stead."""
    return name if name.isidentifier() and len(name) < 40 else "that key_env names"


def _cache_folder(profile: Profile, place: str, given: set[str]) -> Path | None:
    if profile.cache == "none":
        if profile.replay:
            raise UsageError(f"chat:{place}: replay takes answers from a cache, but cache is none")
        return None
    if not profile.cache:
        from gecbench.backends.chat import answers_folder

        return answers_folder()
    return _base(place, "cache", given) / profile.cache


def _log(profile: Profile, folder: Path | None, place: str, given: set[str]) -> Path | None:
    from gecbench.core.files import check_target

    if profile.log:
        path = _base(place, "log", given) / profile.log
        check_target(path)
        return path
    return folder and folder / "costs.jsonl"


def _base(place: str, name: str, given: set[str]) -> Path:
    """Return the folder that a path counts from: the profile's, or ours for a given option."""
    from gecbench.models.chat.profile import based

    return Path() if name in given else based(place)
