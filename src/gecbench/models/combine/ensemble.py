"""The corrector that runs others and lets them vote: "ensemble:FILE.toml"."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from gecbench.core.corrector import FLAGS, Correction, Corrector, CorrectorInfo, TextEdit, apply
from gecbench.core.edit import Edit
from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.core.files import read_bytes, read_lines
from gecbench.core.language import Tokens
from gecbench.core.registry import is_known
from gecbench.formats.validation import list_packaged, options_of, read_toml
from gecbench.lang import language_of
from gecbench.models import CORRECTORS, CorrectorKind, load_corrector
from gecbench.models.combine.candidates import Proposal, Similar, character_edit, collect_candidates
from gecbench.models.combine.voting import (
    VotingRule,
    by_shape_and_sound,
    by_sound,
    decide,
    format_votes,
    parse_relaxed,
    parse_votes,
    select_edits,
)
from gecbench.models.text import edits_between
from gecbench.text.tokens import token_kind

_RECIPES = Path(__file__).parent.parent / "recipes" / "ensembles"


class _Member(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A corrector that takes part.

    Args:
        corrector: As on the command line: a kind, KIND:PLACE, or the folder of a model. Places
            count from the folder of the file, where something is there, else from the current one.
        name: What failures and signatures call it; "" takes `corrector`.
        weight: Its votes.
        options: Of the corrector, by name.
    """

    corrector: str
    name: str = ""
    weight: float = 1
    options: dict[str, object] = {}


class _EnsembleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the file says; the options of voting are those of `voting.VotingRule`.

    Args:
        members: One or more.
        rule: "votes" is the only one.
        tokens: What edits consist of, a name of `text.tokens`; "" takes en where all members
            that name a language name English alone, else zh.
        characters: ChERRANT's table char_meta.txt, by which Chinese spelling errors are told;
            "" tells them by their sound alone.
    """

    members: list[_Member]
    rule: str = "votes"
    threshold: float | None = None
    relaxed: float | str = "none"
    thresholds: dict[str, float] = {}
    veto: bool = False
    tokens: Tokens | Literal[""] = ""
    characters: str = ""


class _VotingOptions(msgspec.Struct, omit_defaults=True):
    """What a command can say otherwise than the file."""

    threshold: float | None = None
    relaxed: float | str | None = None
    veto: bool | None = None


@dataclass(frozen=True, slots=True)
class Ensemble(Corrector):
    """Correctors that vote on one another's edits.

    Each member's text is aligned with the source by one aligner, so that members of different
    kinds mean the same by the same edit.

    Args:
        info: What it is.
        members: By name.
        rule: Weights and thresholds.
        tokens: What edits consist of.
        similar: Which substitutions are spelling errors; None where that does not matter.
    """

    info: CorrectorInfo
    members: Mapping[str, Corrector]
    rule: VotingRule
    tokens: str
    similar: Similar | None

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text by the edits that enough members propose.

        The score of an edit is the share of all votes that it has. A correction has the flags
        of all members: one that failed on a text has voted for leaving it as it is.
        """
        answers = []
        for name, member in self.members.items():
            with _prefix_errors(name):
                answers.append(member.correct(texts))
        return [self._combine(*row) for row in zip(texts, *answers, strict=True)]

    def close(self) -> None:
        """Close all members, also where one of them fails at it."""
        with ExitStack() as stack:
            for member in self.members.values():
                stack.callback(member.close)

    def _combine(self, text: str, *answers: Correction) -> Correction:
        changes = collect_candidates(
            text,
            [align_answer(answer, self.tokens) for answer in answers],
            all_moves=True,
            similar=self.similar,
            tokens=self.tokens,
        )
        edits = tuple(
            TextEdit(edit.start, edit.end, "".join(edit.replacement or ()), share, edit.label)
            for edit, share in select_edits(decide(changes, self.rule), self.rule.total)
        )
        flags = tuple(flag for flag in FLAGS if any(flag in answer.flags for answer in answers))
        return Correction(text, apply(edits, text), edits, flags=flags)


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the ensemble that a TOML file describes, or a recipe of the package.

    Raises:
        FormatError: The file is not TOML or holds what an ensemble does not have.
        UsageError: An option or number is wrong, or members correct different languages.
        GecbenchError: A member cannot be loaded; names it.
    """
    path = Path(place)
    if not path.exists() and place in list_packaged(_RECIPES):
        path = _RECIPES / f"{place}.toml"
    file = read_toml(path, _EnsembleFile)
    # What the command says takes the place of what the file says.
    changes = msgspec.to_builtins(options_of("ensemble", _VotingOptions, options))
    file = msgspec.structs.replace(file, **changes)
    members = _members(path, file)
    rule = VotingRule(
        tuple(
            parse_votes(member.weight, f"{path}: the weight of {name}")
            for name, member in members.items()
        ),
        None if file.threshold is None else parse_votes(file.threshold, f"{path}: the threshold"),
        parse_relaxed(file.relaxed, f"{path}: relaxed"),
        {k: parse_votes(v, f"{path}: the threshold of {k}") for k, v in file.thresholds.items()},
        file.veto,
    )
    with ExitStack() as stack:
        correctors: dict[str, Corrector] = {}
        for name, member in members.items():
            with _prefix_errors(f"{name} of {path}"):
                correctors[name] = load_corrector(_specification(path, member), member.options)
            stack.callback(correctors[name].close)
        languages = _languages(path, correctors)
        tokens = file.tokens or _tokens_of(path, languages)
        signature = {
            "corrector": "ensemble",
            "rule": f"votes: {rule.describe()}",
            "tokens": tokens,
        }
        similar = None
        if rule.uses_spelling and not token_kind(tokens).joiner:
            similar, signature["spelling"] = _similar(path, file)
        for (name, corrector), weight in zip(correctors.items(), rule.weights, strict=True):
            signature[f"{name} weight"] = format_votes(weight)
            signature |= {f"{name} {key}": v for key, v in corrector.info.signature.items()}
        info = CorrectorInfo(
            name=path.stem,
            kind="ensemble",
            languages=languages,
            about=f"{len(members)} correctors that vote on one another's edits: "
            f"{', '.join(members)}.",
            signature=signature,
            deterministic=all(corrector.info.deterministic for corrector in correctors.values()),
            window=min(corrector.info.window for corrector in correctors.values()),
            processes="one"
            if any(c.info.processes == "one" for c in correctors.values())
            else "asked",
        )
        stack.pop_all()
        return Ensemble(info, correctors, rule, tokens, similar)


KIND = CorrectorKind(load)


def align_answer(answer: Correction, tokens: str) -> Proposal:
    """Find what a corrector proposes, by an alignment of its text with the source.

    An edit that overlaps edits of the corrector itself is as sure as the least sure of them, and
    has the label of the first that has one.
    """
    edits: list[Edit] = []
    scores: list[float | None] = []
    for edit in map(character_edit, edits_between(answer.source, answer.text, tokens=tokens)):
        origins = [origin for origin in answer.edits if _touch(origin, edit)]
        label = next((e.label for e in origins if e.label is not None), None)
        edits.append(Edit(edit.start, edit.end, edit.replacement, label))
        scores.append(min((e.score for e in origins if e.score is not None), default=None))
    return Proposal(tuple(edits), tuple(scores))


def _touch(first: TextEdit, second: Edit) -> bool:
    """Say whether two edits are about one place; insertions are also about what they touch."""
    if first.start == first.end or second.start == second.end:
        return first.start <= second.end and second.start <= first.end
    return first.start < second.end and second.start < first.end


@contextmanager
def _prefix_errors(name: str) -> Iterator[None]:
    """Name the member in what goes wrong with it."""
    try:
        yield
    except GecbenchError as error:
        raise GecbenchError(f"member {name}: {error}") from error


def _members(path: Path, file: _EnsembleFile) -> dict[str, _Member]:
    """Name the members, which are all different."""
    if file.rule != "votes":
        raise FormatError(
            f"{path}: rule: {file.rule!r} is not for correctors that run, only 'votes'; for "
            "mucgec-official write each one's output, then: gecbench combine"
        )
    if not file.members:
        raise FormatError(f"{path}: members: there is none; add [[members]] with a corrector")
    members: dict[str, _Member] = {}
    for member in file.members:
        name = member.name or member.corrector
        if name in members:
            raise FormatError(f"{path}: two members are called {name!r}; give each a name")
        if member.corrector.startswith("ensemble:"):
            raise FormatError(
                f"{path}: member {name!r} is an ensemble itself; list its members here instead"
            )
        members[name] = member
    return members


def _similar(path: Path, file: _EnsembleFile) -> tuple[Similar, str]:
    """Choose the test of Chinese spelling errors, and its name for the signature."""
    if not file.characters:
        return by_sound(), "sound"
    table = Path(_beside(path, file.characters))
    digest = hashlib.sha256(read_bytes(table)).hexdigest()[:8]
    similar = by_shape_and_sound(table, read_lines(table))
    return similar, f"shape and sound, {table.name} {digest}"


def _specification(path: Path, member: _Member) -> str:
    """Build a corrector's specification with a place that counts from the file's folder."""
    kind, colon, place = member.corrector.partition(":")
    if not is_known("corrector", kind, CORRECTORS):
        return _beside(path, member.corrector)
    return f"{kind}:{_beside(path, place)}" if colon else kind


def _beside(path: Path, place: str) -> str:
    """Resolve a path from the folder of the file, where something is there; else as it is."""
    beside = path.parent / place
    return str(beside) if place and beside.exists() else place


def _tokens_of(path: Path, languages: Sequence[str]) -> str:
    """The kind of tokens of all languages that the members correct."""
    kinds = {language_of(code).tokens for code in languages}
    if len(kinds) != 1:
        what = f"{', '.join(languages)}, whose tokens differ" if kinds else "any language"
        raise UsageError(
            f"{path}: its members are for {what}; say what edits are made of: "
            'tokens = "zh" (characters), "en" (words) or "space"'
        )
    return kinds.pop()


def _languages(path: Path, correctors: Mapping[str, Corrector]) -> tuple[str, ...]:
    """Find the languages that all correctors with languages have in common."""
    languages = {name: c.info.languages for name, c in correctors.items() if c.info.languages}
    common = set.intersection(*map(set, languages.values())) if languages else set()
    if languages and not common:
        names = "; ".join(f"{n}: {', '.join(c.info.languages)}" for n, c in correctors.items())
        raise UsageError(f"{path}: members correct different languages ({names}); part them")
    return tuple(sorted(common))
