"""The corrector that runs others and lets them vote: "ensemble:FILE.toml"."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from gecbench.core.corrector import FLAGS, Correction, Corrector, CorrectorInfo, TextEdit, apply
from gecbench.core.edit import Edit
from gecbench.core.errors import FormatError, GecbenchError, UsageError
from gecbench.core.files import read_bytes
from gecbench.models import CORRECTORS, load_corrector
from gecbench.models.combine.candidates import Opinion, Similar, candidates
from gecbench.models.combine.opinions import of_characters, words_in
from gecbench.models.combine.rule import Rule, exact, relaxed_of, shown
from gecbench.models.combine.voting import decide, kept
from gecbench.models.options import options_of, read_toml
from gecbench.models.rewriting import edits_between


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


class _Ensemble(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the file says; the options of voting are those of `rule.Rule`.

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
    tokens: Literal["", "zh", "en", "space"] = ""
    characters: str = ""


class _Options(msgspec.Struct):
    """What a command can say otherwise than the file."""

    threshold: float | None = None
    relaxed: float | str | None = None
    veto: bool | None = None


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Correctors that vote on one another's edits.

    Each member's text is aligned with the source anew, all by one aligner, so that members of
    different kinds mean the same by the same edit.

    Args:
        info: What it is.
        members: By name.
        rule: Weights and thresholds.
        tokens: What edits consist of.
        similar: Which substitutions are spelling errors; None where that does not matter.
    """

    info: CorrectorInfo
    members: Mapping[str, Corrector]
    rule: Rule
    tokens: str
    similar: Similar | None

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Return each text with the edits that enough members propose.

        The score of an edit is the share of all votes that it has. A correction bears the flags
        of all members: one that failed on a text has voted for leaving it as it is.
        """
        answers = []
        for name, member in self.members.items():
            with _of_member(name):
                answers.append(member.correct(texts))
        return [self._combined(*row) for row in zip(texts, *answers, strict=True)]

    def close(self) -> None:
        """Close all members, also where one of them fails at it."""
        with ExitStack() as stack:
            for member in self.members.values():
                stack.callback(member.close)

    def _combined(self, text: str, *answers: Correction) -> Correction:
        opinions = [opinion(answer, self.tokens) for answer in answers]
        found = candidates(
            text,
            opinions,
            all_moves=True,
            similar=self.similar,
            words=partial(words_in, kind=self.tokens),
        )
        edits = tuple(
            TextEdit(edit.start, edit.end, "".join(edit.replacement or ()), share, edit.label)
            for edit, share in kept(decide(found, self.rule), self.rule.total)
        )
        raised = {flag for answer in answers for flag in answer.flags}
        flags = tuple(flag for flag in FLAGS if flag in raised)
        return Correction(text, apply(edits, text), edits, flags=flags)


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Return the ensemble that a TOML file describes, or a recipe of the package.

    Raises:
        FormatError: The file is not TOML or holds what an ensemble does not have.
        UsageError: An option or number is wrong, or members correct different languages.
        GecbenchError: A member cannot be loaded; names it.
    """
    path = _file(place)
    plan = read_toml(path, _Ensemble)
    said = options_of("ensemble", _Options, options)
    names = _names(path, plan)
    rule = _rule(path, plan, said, names)
    with ExitStack() as stack:
        members: dict[str, Corrector] = {}
        for name, member in zip(names, plan.members, strict=True):
            with _of_member(f"{name} of {path}"):
                members[name] = load_corrector(_place(path, member.corrector), member.options)
            stack.callback(members[name].close)
        languages = _languages(path, members)
        tokens = plan.tokens or ("en" if languages == ("en",) else "zh")
        similar, told = (
            _similar(path, plan) if rule.asks_spelling and tokens == "zh" else (None, {})
        )
        info = _info(path, members, rule, languages, {"tokens": tokens, **told})
        stack.pop_all()
        return Ensemble(info, members, rule, tokens, similar)


def recipes() -> Mapping[str, Path]:
    """Return the ensembles that the package brings: names and files."""
    folder = Path(__file__).parent.parent / "recipes" / "ensembles"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def _file(place: str) -> Path:
    """Return the file that a place names; a recipe of the package where no such file is."""
    return Path(place) if Path(place).exists() else recipes().get(place, Path(place))


def opinion(answer: Correction, tokens: str) -> Opinion:
    """Return what a corrector proposes, by an alignment of its text with the source.

    An edit that overlaps edits of the corrector's own is as sure as the least sure of them, and
    bears the label of the first that has one.
    """
    edits: list[Edit] = []
    scores: list[float | None] = []
    for found in edits_between(answer.source, answer.text, tokens=tokens):
        own = [e for e in answer.edits if _meet(e, found)]
        known = [e.score for e in own if e.score is not None]
        edit = of_characters(found)
        label = next((e.label for e in own if e.label is not None), None)
        edits.append(Edit(edit.start, edit.end, edit.replacement, label))
        scores.append(min(known, default=None))
    return Opinion(tuple(edits), tuple(scores))


def _meet(one: TextEdit, two: TextEdit) -> bool:
    """Return whether two edits are about one place; insertions are also about what they touch."""
    if one.start == one.end or two.start == two.end:
        return one.start <= two.end and two.start <= one.end
    return one.start < two.end and two.start < one.end


@contextmanager
def _of_member(name: str) -> Iterator[None]:
    """Say of a failure whose it is."""
    try:
        yield
    except GecbenchError as error:
        raise GecbenchError(f"member {name}: {error}") from error


def _names(path: Path, plan: _Ensemble) -> list[str]:
    """Return the names of the members, which are all different."""
    if plan.rule != "votes":
        raise FormatError(
            f"{path}: rule: {plan.rule!r} is not for correctors that run, only 'votes'; for "
            "mucgec-official write each one's output, then: gecbench combine"
        )
    if not plan.members:
        raise FormatError(f"{path}: members: there is none; add [[members]] with a corrector")
    names = [member.name or member.corrector for member in plan.members]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise FormatError(f"{path}: two members are called {name!r}; give each a name")
        if plan.members[at].corrector.startswith("ensemble:"):
            raise FormatError(
                f"{path}: member {name!r} is an ensemble itself; list its members here instead"
            )
    return names


def _rule(path: Path, plan: _Ensemble, said: _Options, names: Sequence[str]) -> Rule:
    """Return the rule, with what the command says in place of what the file says."""
    threshold = plan.threshold if said.threshold is None else said.threshold
    relaxed = plan.relaxed if said.relaxed is None else said.relaxed
    weights = [
        exact(member.weight, f"{path}: the weight of {name}")
        for name, member in zip(names, plan.members, strict=True)
    ]
    return Rule(
        tuple(weights),
        None if threshold is None else exact(threshold, f"{path}: the threshold"),
        relaxed_of(relaxed, f"{path}: relaxed"),
        {k: exact(v, f"{path}: the threshold of {k}") for k, v in plan.thresholds.items()},
        plan.veto if said.veto is None else said.veto,
    )


def _similar(path: Path, plan: _Ensemble) -> tuple[Similar, dict[str, str]]:
    """Return how Chinese spelling errors are told, and what the signature says of it."""
    from gecbench.models.combine.similarity import by_shape_and_sound, by_sound

    if not plan.characters:
        return by_sound(), {"spelling": "sound"}
    table = Path(_beside(path, plan.characters))
    content = read_bytes(table)
    digest = hashlib.sha256(content).hexdigest()[:8]
    told = {"spelling": f"shape and sound, {table.name} {digest}"}
    return by_shape_and_sound(lambda: content, str(table)), told


def _place(path: Path, spec: str) -> str:
    """Return a corrector's specification with a place that counts from the file's folder."""
    kind, colon, place = spec.partition(":")
    if colon and kind in CORRECTORS:
        return f"{kind}:{_beside(path, place)}"
    return spec if spec in CORRECTORS else _beside(path, spec)


def _beside(path: Path, place: str) -> str:
    """Return a path from the folder of the file, where something is there; else as it is."""
    near = path.parent / place
    return str(near) if place and near.exists() else place


def _languages(path: Path, members: Mapping[str, Corrector]) -> tuple[str, ...]:
    """Return the languages that all members correct which name any."""
    named = [set(member.info.languages) for member in members.values() if member.info.languages]
    shared = set.intersection(*named) if named else set()
    if named and not shared:
        each = "; ".join(f"{n}: {', '.join(m.info.languages)}" for n, m in members.items())
        raise UsageError(f"{path}: members correct different languages ({each}); part them")
    return tuple(sorted(shared))


def _info(
    path: Path,
    members: Mapping[str, Corrector],
    rule: Rule,
    languages: tuple[str, ...],
    more: Mapping[str, str],
) -> CorrectorInfo:
    """Return what the ensemble is; its signature holds those of its members."""
    signature = {"corrector": "ensemble", "rule": f"votes: {rule.described()}", **more}
    weights: Mapping[str, Fraction] = dict(zip(members, rule.weights, strict=True))
    for name, member in members.items():
        signature[f"{name} weight"] = shown(weights[name])
        signature |= {f"{name} {key}": value for key, value in member.info.signature.items()}
    return CorrectorInfo(
        name=path.stem,
        kind="ensemble",
        languages=languages,
        about=f"{len(members)} correctors that vote on one another's edits: {', '.join(members)}.",
        signature=signature,
        deterministic=all(member.info.deterministic for member in members.values()),
        window=min(member.info.window for member in members.values()),
    )
