"""Combining what systems wrote, by voting on their edits; it needs no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from gecbench import __version__
from gecbench.api.files import in_language
from gecbench.api.options import PLAIN, AnyScheme, Places, SchemeSpec
from gecbench.api.schemes import scheme_for
from gecbench.api.verb_options import VOTING_RULES, Voting
from gecbench.core.corrector import TextEdit
from gecbench.core.corrector import apply as apply_text
from gecbench.core.edit import Edit
from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.core.language import Language
from gecbench.core.sample import Corpus, Rewrite, Sample, Systems, as_systems
from gecbench.core.scheme import Watch, no_progress
from gecbench.datasets.catalog import read_verified_file
from gecbench.formats import load_format
from gecbench.models.combine.candidates import (
    Collector,
    SentenceProposals,
    Similar,
    collect_candidates,
)
from gecbench.models.combine.voting import (
    VoteTally,
    VotingRule,
    apply_to_text,
    by_shape_and_sound,
    by_sound,
    combine_lines,
    convert_lines,
    decide,
    format_block,
    format_lines,
    format_votes,
    parse_relaxed,
    parse_votes,
    parse_weights,
    select_edits,
)
from gecbench.scoring.extractor import Extractor
from gecbench.scoring.languages import corpus_language
from gecbench.scoring.run import check_outputs

_OFFICIAL_SCHEME = "zh-cherrant"
"""The scheme whose edits, in the language whose default it is, mucgec-official combines."""


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
    tally: VoteTally
    about: str
    notes: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The combined texts, in the order of the corpus."""
        return tuple(sample.references[0].text or "" for sample in self.corpus.samples)

    def lines(self) -> Corpus:
        """The combined texts as a corpus of their own, to be written as lines."""
        rows = (Sample(str(n), text) for n, text in enumerate(self.texts, 1))
        return Corpus(self.corpus.name, tuple(rows))

    def m2(self) -> str:
        """Write the edits as M2: as the official program writes them, or in gecbench's dialect.

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
    systems: Systems,
    *,
    voting: Voting | None = None,
    scheme: AnyScheme = None,
    re_extract: bool | None = None,
    places: Places | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> Combination:
    """Combine what systems wrote: take the edits that enough of them propose.

    Args:
        corpus: What the systems were run on.
        systems: Their outputs, joined to this corpus; one or more.
        voting: How they vote; None is a strict majority.
        scheme: What extracts edits, loaded where edits are missing; None means the default of
            the corpus's language; "none" is no scheme. Edits of files are used as `Extractor`
            says.
        re_extract: As in `gecbench.Options`.
        places: Where resources lie.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps long loops, to show progress.

    Raises:
        UsageError: Options do not fit together, or name a system that is not there.
        GecbenchError: Outputs do not fit the corpus or one another.
    """
    voting, places = voting or Voting(), places or Places()
    if voting.rule not in VOTING_RULES:
        raise UnknownNameError("rule", voting.rule, VOTING_RULES)
    corpus = in_language(corpus, lang)
    systems = as_systems(systems)
    names = [system.system for system in systems]
    check_outputs(corpus, systems)
    spec, extractor = SchemeSpec.of(scheme, places), None
    if spec.name != PLAIN:
        extractor = Extractor(partial(scheme_for, corpus, spec), re_extract, watch)
    run = _Run(
        corpus, names, voting, extractor, spec.name, places, corpus_language(corpus, spec.name)
    )
    collector = Collector(corpus, systems, extractor, run.lang)
    rows = collector.rows()
    combination = run.official(rows) if voting.rule == "mucgec-official" else run.vote(rows)
    about = {"rule": combination.about, "systems": ", ".join(names), "gecbench": __version__}
    alone = ("one system: nothing is voted on",) if len(systems) == 1 else ()
    edit_scheme = collector.edits.scheme if collector.edits else None
    warning = None
    if edit_scheme and collector.edits and collector.edits.extracted:
        warning = edit_scheme.warn([sample.source for sample in corpus.samples])
    return replace(
        combination,
        corpus=replace(
            combination.corpus,
            provenance={**about, **(edit_scheme.signature if edit_scheme else {})},
        ),
        notes=(
            *alone,
            *([f"{corpus.name}: {warning}"] if warning else []),
            *collector.notes(),
            *(edit_scheme.notes if edit_scheme else ()),
            *combination.notes,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """Systems that vote, and how.

    Args:
        corpus: The sentences.
        names: Of the systems.
        voting: How they vote.
        extractor: Finds edits; None where there is no scheme.
        scheme: Its name, if somebody chose one.
        places: Where resources lie.
        lang: The corpus's language.
    """

    corpus: Corpus
    names: Sequence[str]
    voting: Voting
    extractor: Extractor | None
    scheme: str | None
    places: Places
    lang: Language

    def vote(self, rows: Iterator[SentenceProposals]) -> Combination:
        """Combine by the rule votes."""
        rule, plain = self._rule(), self.extractor is None
        tells_spelling = rule.uses_spelling and self.lang.script == "Hans"
        if self.voting.spelling != Voting().spelling and not tells_spelling:
            raise UsageError(
                f"spelling {self.voting.spelling} has no effect: it is for Chinese texts where "
                "--relaxed or --threshold-for gives spelling errors a threshold of their own; "
                "leave it out"
            )
        similar = self._similar() if tells_spelling else None
        tokens = self.lang.tokens if plain else ""
        tally = VoteTally()
        samples = []
        unused = set(rule.by_type)
        for row in rows:
            changes = collect_candidates(
                row.tokens, row.proposals, all_moves=plain, similar=similar, tokens=tokens
            )
            unused.difference_update(map(rule.type_of, changes) if unused else ())
            decisions = decide(changes, rule)
            tally.add((len(d.candidate.backers), d.outcome) for d in decisions)
            edits = tuple(edit for edit, _ in select_edits(decisions, rule.total))
            samples.append(self._sample(row, edits))
        notes: tuple[str, ...] = ()
        if rule.uses_spelling and self.lang.script != "Hans" and plain:
            notes = (f"scheme {PLAIN} has no types: spelling errors are not told from others",)
        if unused:
            whose = "these thresholds" if len(unused) > 1 else "its threshold"
            notes += (f"no edit is of type {', '.join(sorted(unused))}; {whose} decided nothing",)
        about = f"votes: {rule.describe()}"
        return Combination(Corpus("combined", tuple(samples), self.lang.code), tally, about, notes)

    def official(self, rows: Iterator[SentenceProposals]) -> Combination:
        """Combine by the rule mucgec-official, with the text that its program makes."""
        threshold = self._official_threshold()
        similar = self._similar()
        tally = VoteTally()
        samples, blocks = [], []
        for row in rows:
            lines = [format_lines(rewrite, row.tokens) for rewrite in row.rewrites]
            result = combine_lines(row.tokens, lines, threshold, similar)
            tally.add(result.outcomes)
            text = convert_lines(row.tokens, result.lines)
            blocks.append(format_block(row.tokens, result.lines))
            samples.append(Sample(row.sample.id, row.sample.source, (Rewrite(text=text),)))
        about = f"mucgec-official: threshold {threshold} of {len(self.names)} systems"
        corpus = Corpus("combined", tuple(samples), self.lang.code)
        return Combination(corpus, tally, about, (), tuple(blocks))

    def _rule(self) -> VotingRule:
        """The rule with exact numbers."""
        voting = self.voting
        return VotingRule(
            parse_weights(self.names, voting.weights),
            None if voting.threshold is None else parse_votes(voting.threshold, "the threshold"),
            parse_relaxed(voting.relaxed, "the relaxed threshold"),
            {k: parse_votes(v, f"the threshold of {k}") for k, v in voting.thresholds.items()},
            voting.veto,
        )

    def _sample(self, row: SentenceProposals, edits: tuple[Edit, ...]) -> Sample:
        """A sentence with its combined text as the only reference."""
        source = row.sample.source
        if self.extractor is None:
            pieces = [TextEdit(e.start, e.end, "".join(e.replacement or ())) for e in edits]
            return Sample(row.sample.id, source, (Rewrite(text=apply_text(pieces, source)),))
        text = apply_to_text(source, row.tokens, edits, separator=row.joiner)
        edits = tuple(replace(edit, label=edit.label or edit.op) for edit in edits)
        rewrite = Rewrite(text=text, edit_sets=(edits,))
        return Sample(row.sample.id, source, (rewrite,), tokens=tuple(row.tokens))

    def _official_threshold(self) -> int:
        """The threshold, a number of systems; refuse what the official program does not have."""
        if self.voting.threshold is None:
            raise UsageError(
                "mucgec-official needs a threshold; MuCGEC's own script takes 4 for six systems"
            )
        votes = parse_votes(self.voting.threshold, "the threshold")
        if votes.denominator != 1:
            raise UsageError(
                f"the threshold is {format_votes(votes)}; mucgec-official counts whole systems"
            )
        defaults = asdict(Voting())
        for option, value in asdict(self.voting).items():
            if option not in ("rule", "threshold") and value != defaults[option]:
                raise UsageError(
                    f"mucgec-official has a threshold and nothing else; leave {option} out, or "
                    "take the rule votes"
                )
        name = self.scheme or _OFFICIAL_SCHEME
        if {name, self.lang.scheme} != {_OFFICIAL_SCHEME}:
            raise UsageError(
                f"mucgec-official combines Chinese edits of {_OFFICIAL_SCHEME}; here are language "
                f"{self.lang.code!r} and scheme {name}; take the rule votes"
            )
        return int(votes)

    def _similar(self) -> Similar:
        """Make the test of spelling errors in Chinese.

        Raises:
            ResourceError: ChERRANT's table of characters is not here, or not what it should be.
        """
        if self.voting.spelling == "sound":
            return by_sound()
        places = self.places
        table = read_verified_file(
            "cherrant", "char_meta.txt", folder=places.folder, mirror=places.mirror
        )
        return by_shape_and_sound("char_meta.txt", table.decode().split("\n"))
