"""Combining what systems wrote, by voting on their edits; it needs no model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from gecbench import __version__
from gecbench.api.edits import Watch, unwatched
from gecbench.api.oddities import check_outputs
from gecbench.api.schemes import Places, check_language, default_scheme, language, load_scheme
from gecbench.core.corrector import TextEdit
from gecbench.core.corrector import apply as apply_text
from gecbench.core.edit import Edit
from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.core.files import read_bytes
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.datasets.catalog import data_set
from gecbench.datasets.store import check_content, data_folder, locate
from gecbench.formats import load_format
from gecbench.models.combine import official
from gecbench.models.combine.candidates import Similar, candidates
from gecbench.models.combine.opinions import Collector, Proposed, words_in
from gecbench.models.combine.placing import placed
from gecbench.models.combine.rule import Rule, exact, relaxed_of, shown, weights_of
from gecbench.models.combine.voting import Tally, decide, kept

RULES = ("votes", "mucgec-official")

PLAIN = "none"
"""The name for no scheme: edits are those of a plain alignment of the texts, white space too."""

Spelling = Literal["similar", "sound"]
"""How spelling errors are told in Chinese: by ChERRANT's table of characters, or by sound alone."""


@dataclass(frozen=True, slots=True)
class Voting:
    """How systems vote.

    Args:
        rule: "votes", or "mucgec-official", which has no option but the threshold.
        threshold: Votes that an edit needs; None is more than half of all.
        weights: Votes of systems by name; all others have 1.
        relaxed: Of word order and spelling: "none", "code", "paper" or a number of votes.
        thresholds: Votes that edits of a type need, by type; also of `order` and `spelling`.
        veto: Keep sentences that too many systems leave as they are.
        spelling: How Chinese spelling errors are told, where it matters.
    """

    rule: str = "votes"
    threshold: float | str | None = None
    weights: Mapping[str, float | str] = field(default_factory=dict)
    relaxed: float | str = "none"
    thresholds: Mapping[str, float | str] = field(default_factory=dict)
    veto: bool = False
    spelling: Spelling = "similar"


@dataclass(frozen=True, slots=True)
class Combination:
    """What systems make together.

    Args:
        corpus: The sources, each with one reference: the combined text and its edits. Without a
            scheme, and by mucgec-official, the text alone.
        tally: What became of the edits.
        about: The rule in words.
        notes: What a user must know, a sentence each.
        blocks: By mucgec-official, what its program writes as M2; () by votes.
    """

    corpus: Corpus
    tally: Tally
    about: str
    notes: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The combined texts, in the order of the corpus."""
        return tuple(sample.references[0].text or "" for sample in self.corpus.samples)

    def lines(self) -> Corpus:
        """Return the combined texts as a corpus of their own, to be written as lines."""
        rows = (Sample(str(n), text) for n, text in enumerate(self.texts, 1))
        return Corpus(self.corpus.name, tuple(rows))

    def m2(self) -> str:
        """Return the edits as M2: as the official program writes them, or in the house's dialect.

        Raises:
            UsageError: There is no scheme, so no edits of tokens.
            CorpusError: A token or label cannot be written.
        """
        if self.blocks:
            return "".join(self.blocks)
        if not any(sample.tokens for sample in self.corpus.samples):
            raise UsageError(
                f"--scheme {PLAIN} has no edits of tokens, which M2 holds; name a scheme"
            )
        return load_format("m2").write(self.corpus)[""]


def combine(
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    *,
    voting: Voting | None = None,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    places: Places | None = None,
    watch: Watch = unwatched,
) -> Combination:
    """Return what systems make together: the edits that enough of them propose.

    Args:
        corpus: What the systems were run on.
        systems: Their outputs, joined to this corpus; one or more.
        voting: How they vote; None is a strict majority.
        scheme: A scheme, or the name of one, that finds all edits, anew where texts are known
            with edits; or a function that gives a scheme, asked only where edits are not given;
            None means the default of the corpus's language, likewise. "none" is no scheme.
        places: Where resources lie.
        watch: Wraps long loops, to show progress.

    Raises:
        UsageError: Options do not fit together, or name a system that is not there.
        GecbenchError: Outputs do not fit the corpus or one another.
    """
    voting, places = voting or Voting(), places or Places()
    if voting.rule not in RULES:
        raise UnknownNameError("rule", voting.rule, RULES)
    names = [system.system for system in systems]
    if len(set(names)) < len(names):
        raise UsageError(
            f"two systems have one name among {', '.join(names)}; name them apart: NAME=FILE"
        )
    check_outputs(corpus, systems)
    maker = None if scheme == PLAIN else _Maker(corpus, scheme, places)
    run = _Run(corpus, names, voting, maker, places, language(corpus))
    anew = maker is not None and maker.anew
    collector = Collector(corpus, systems, maker, run.kind, anew)
    rows = collector.rows(partial(watch, "edits"))
    made = run.official(rows) if voting.rule == "mucgec-official" else run.voted(rows)
    about = {"rule": made.about, "systems": ", ".join(names), "gecbench": __version__}
    used = maker.made if maker else None
    return replace(
        made,
        corpus=replace(made.corpus, provenance={**about, **(used.signature if used else {})}),
        notes=(*collector.notes(), *(used.notes if used else ()), *made.notes),
    )


@dataclass(slots=True)
class _Maker:
    """Gives the scheme when it is first asked for."""

    corpus: Corpus
    wanted: Scheme | str | Callable[[], Scheme] | None
    places: Places
    made: Scheme | None = None

    @property
    def anew(self) -> bool:
        """Whether edits are found also where they are given."""
        return isinstance(self.wanted, (Scheme, str))

    def __call__(self) -> Scheme:
        if self.made is None:
            if self.wanted is None or isinstance(self.wanted, str):
                name = self.wanted or default_scheme(self.corpus)
                self.made = load_scheme(name, places=self.places)
            else:
                self.made = self.wanted if isinstance(self.wanted, Scheme) else self.wanted()
            check_language(self.corpus, self.made)
        return self.made


@dataclass(frozen=True, slots=True)
class _Run:
    """Systems that vote, and how.

    Args:
        corpus: The sentences.
        names: Of the systems.
        voting: How they vote.
        maker: Gives the scheme; None where there is none.
        places: Where resources lie.
        lang: Code of the corpus's language.
    """

    corpus: Corpus
    names: Sequence[str]
    voting: Voting
    maker: _Maker | None
    places: Places
    lang: str

    @property
    def kind(self) -> str:
        """The kind of tokens of a plain alignment."""
        return "zh" if self.lang == "zh" else "en"

    def voted(self, rows: Iterator[Proposed]) -> Combination:
        """Return what is kept by the rule votes."""
        rule, plain = self._rule(), self.maker is None
        similar = self._similar() if rule.asks_spelling and self.lang == "zh" else None
        words = partial(words_in, kind=self.kind) if plain else None
        tally = Tally()
        samples = []
        idle = set(rule.by_type)
        for row in rows:
            found = candidates(
                row.tokens, row.opinions, all_moves=plain, similar=similar, words=words
            )
            idle.difference_update(map(rule.type_of, found) if idle else ())
            verdicts = decide(found, rule)
            tally.add((len(each.candidate.backers), each.fate) for each in verdicts)
            edits = tuple(each.edit for each in kept(verdicts, rule.total))
            samples.append(self._sample(row, edits))
        notes: tuple[str, ...] = ()
        if rule.asks_spelling and self.lang != "zh" and plain:
            notes = (f"scheme {PLAIN} has no types: spelling errors are not told from others",)
        if idle:
            whose = "these thresholds" if len(idle) > 1 else "its threshold"
            notes += (f"no edit is of type {', '.join(sorted(idle))}; {whose} decided nothing",)
        about = f"votes: {rule.described()}"
        return Combination(Corpus("combined", tuple(samples), self.lang), tally, about, notes)

    def official(self, rows: Iterator[Proposed]) -> Combination:
        """Return what is kept by the rule mucgec-official, and the text its program makes."""
        threshold = _official_threshold(self.voting)
        self._check_official()
        similar = self._similar()
        tally = Tally()
        samples, blocks = [], []
        for row in rows:
            given = [official.lines_of(rewrite, row.tokens) for rewrite in row.rewrites]
            outcome = official.combine(row.tokens, given, threshold, similar)
            tally.add(outcome.fates)
            text = official.converted(row.tokens, outcome.lines)
            blocks.append(official.block(row.tokens, outcome.lines))
            samples.append(Sample(row.sample.id, row.sample.source, (Rewrite(text=text),)))
        about = f"mucgec-official: threshold {threshold} of {len(self.names)} systems"
        corpus = Corpus("combined", tuple(samples), self.lang)
        return Combination(corpus, tally, about, (), tuple(blocks))

    def _rule(self) -> Rule:
        """Return the rule with exact numbers."""
        voting = self.voting
        return Rule(
            weights_of(self.names, voting.weights),
            None if voting.threshold is None else exact(voting.threshold, "the threshold"),
            relaxed_of(voting.relaxed, "the relaxed threshold"),
            {k: exact(v, f"the threshold of {k}") for k, v in voting.thresholds.items()},
            voting.veto,
        )

    def _sample(self, row: Proposed, edits: tuple[Edit, ...]) -> Sample:
        """Return a sentence with its combined text as the only reference."""
        source = row.sample.source
        if self.maker is None:
            pieces = [TextEdit(e.start, e.end, "".join(e.replacement or ())) for e in edits]
            return Sample(row.sample.id, source, (Rewrite(text=apply_text(pieces, source)),))
        between = "" if self.lang == "zh" else " "
        text = placed(source, row.tokens, edits, between=between)
        labelled = tuple(replace(edit, label=edit.label or edit.op) for edit in edits)
        rewrite = Rewrite(text=text, edit_sets=(labelled,))
        return Sample(row.sample.id, source, (rewrite,), tokens=tuple(row.tokens))

    def _check_official(self) -> None:
        """Refuse what the official program does not have."""
        usual = Voting()
        for option in ("weights", "relaxed", "thresholds", "veto", "spelling"):
            if getattr(self.voting, option) != getattr(usual, option):
                raise UsageError(
                    f"mucgec-official has a threshold and nothing else; leave {option} out, or "
                    "take the rule votes"
                )
        maker = self.maker
        name = PLAIN if maker is None else maker().name if maker.anew else "zh-cherrant"
        if name != "zh-cherrant" or self.lang != "zh":
            raise UsageError(
                f"mucgec-official combines Chinese edits of zh-cherrant; here are language "
                f"{self.lang!r} and scheme {name}; take the rule votes"
            )

    def _similar(self) -> Similar:
        """Return the test of spelling errors in Chinese.

        Raises:
            ResourceError: ChERRANT's table of characters is not here, or not what it should be.
        """
        from gecbench.models.combine.similarity import by_shape_and_sound, by_sound

        if self.voting.spelling == "sound":
            return by_sound()
        wanted = data_set("cherrant")
        file = wanted.file("char_meta.txt")
        folder = self.places.folder or data_folder()
        path = locate(wanted, file.name, folder=folder, mirror=self.places.mirror)
        check_content(path, file, origin=str(path))
        return by_shape_and_sound(partial(read_bytes, path), str(path))


def _official_threshold(voting: Voting) -> int:
    """Return T, which is a number of systems."""
    given = voting.threshold
    if given is None:
        raise UsageError(
            "mucgec-official needs a threshold; MuCGEC's own script takes 4 for six systems"
        )
    votes = exact(given, "the threshold")
    if votes.denominator != 1:
        raise UsageError(f"the threshold is {shown(votes)}; mucgec-official counts whole systems")
    return int(votes)
