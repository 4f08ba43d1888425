"""What imported texts become before they are kept, and what their references say together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gecbench.core.errors import GecbenchError
from gecbench.core.sample import Rewrite
from gecbench.server.exchange.found import Record
from gecbench.server.exchange.plans import Kept, References
from gecbench.server.laws.consistency import findings
from gecbench.server.laws.findings import Golden
from gecbench.server.laws.names import Decision
from gecbench.server.laws.options import RULES, Level, ProjectOptions
from gecbench.server.laws.text import LONGEST, Cleaned, TextError, cleaned, key
from gecbench.server.workflow.sentences import NewGolden

_PLAIN = re.compile(r"[!-~\u3001-\u301f\u3400-\u9fff\uff01-\uff5e“”‘’…—·]+(?: [!-~]+)*")
"""Texts of these characters stay as they are; most do, and looking closely takes long."""

_FAR_TOO_LONG = 20 * LONGEST
"""Characters that no cleaning makes a sentence."""

_NO_PLACEHOLDER: Mapping[str, Level] = dict.fromkeys(("CON-3", "CON-4", "CON-4-position"), "off")


@dataclass(slots=True)
class Tally:
    """Counts that grow while a file is read."""

    invisible: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    changed: int = 0
    merged: int = 0
    same_as_source: int = 0
    references: int = 0
    decisions: int = 0
    with_references: int = 0


@dataclass(frozen=True, slots=True)
class Answers:
    """The references of one sentence, made ready.

    Args:
        decision: What they say together.
        texts: Distinct corrections, in order.
    """

    decision: Decision
    texts: tuple[Kept, ...] = ()

    @property
    def golden(self) -> NewGolden:
        """The golden set that they make."""
        return NewGolden(self.decision, tuple(one.text for one in self.texts))


def kept_text(text: str, tally: Tally, *, clean: bool) -> str:
    """Return a text as it is kept.

    Without cleaning only line ends and tabs go, which no format of lines could hold, and white
    space at the ends.

    Raises:
        TextError: It cannot be kept at all: too long, damaged.
    """
    if _PLAIN.fullmatch(text) and len(text) <= LONGEST:
        return text
    bare = text.strip()
    if len(bare) > _FAR_TOO_LONG:  # a book in one line: looking at each character takes minutes
        raise TextError("too_long", {"what": "the text", "length": len(bare), "longest": LONGEST})
    result: Cleaned = cleaned(text, what="the text")
    tally.invisible.update(dict(result.removed))
    tally.invisible.update(dict(result.spaces))
    if not clean and not _breaks(text):
        return text.strip()
    tally.changed += result.text != text
    return result.text


def _breaks(text: str) -> bool:
    return len(text.splitlines()) > 1 or "\t" in text


def answers_of(
    record: Record, source: str, tally: Tally, *, clean: bool, use: References | None
) -> Answers | None:
    """Return what the references of a record say together; None where it has none.

    A reference that is the sentence itself says that it is free of errors. Equal references are
    one, and counted.

    Args:
        record: As read.
        source: The sentence, as it is kept.
        tally: Is counted up.
        clean: Take out invisible characters.
        use: What becomes of them. Only as a golden set have they to agree; what is kept beside a
            sentence is texts, and declarations are left out and counted.

    Raises:
        GecbenchError: They contradict one another, or one cannot be kept.
    """
    tally.left_out.update(record.left_out)
    if not record.references:
        return None
    tally.with_references += 1
    tally.references += len(record.references)
    decisions: list[Decision] = []
    texts: dict[str, Kept] = {}
    for place, rewrite in enumerate(record.references):
        decision = _declared(rewrite)
        if decision is None:
            decision = _kept(rewrite.text or "", place, record, source, texts, tally, clean=clean)
        else:
            tally.decisions += 1
        decisions.append(decision)
    if use != "golden":
        declared = sum(one != Decision.CORRECTED for one in decisions)
        if use == "keep" and declared:
            tally.left_out["declarations without a text"] += declared
        return Answers(Decision.CORRECTED, tuple(texts.values()))
    if len(set(decisions)) > 1:
        said = " and ".join(dict.fromkeys(one.replace("_", " ") for one in decisions))
        raise GecbenchError(f"its references contradict one another: {said}")
    return Answers(decisions[0], tuple(texts.values()))


def _kept(
    text: str,
    place: int,
    record: Record,
    source: str,
    texts: dict[str, Kept],
    tally: Tally,
    *,
    clean: bool,
) -> Decision:
    """Put a reference to those before it, and return what it says."""
    text = kept_text(text, tally, clean=clean)
    if not text:
        raise GecbenchError(f"reference {place + 1} is empty; fill it or take it out")
    same = key(text)
    if same == key(source):
        tally.same_as_source += 1
        return Decision.ERROR_FREE
    if same in texts:
        tally.merged += 1
    else:
        texts[same] = Kept(text, place in record.fluency)
    return Decision.CORRECTED


def _declared(rewrite: Rewrite) -> Decision | None:
    if rewrite.error_free:
        return Decision.ERROR_FREE
    return Decision.NOT_ANNOTATABLE if rewrite.unannotatable else None


def blocking(options: ProjectOptions) -> ProjectOptions:
    """Return a project's options with those rules off that only warn."""
    rules = {rule: "block" if options.level(rule) == "block" else "off" for rule in RULES}
    return ProjectOptions(
        rules=rules,  # type: ignore[arg-type]  # each is a Level
        placeholder=options.placeholder,
        placeholder_aliases=options.placeholder_aliases,
    )


def refused(source: str, lang: str, golden: NewGolden, options: ProjectOptions) -> Sequence[str]:
    """Return why references cannot be a golden set of the project (INV-6)."""
    if golden.kind != Decision.CORRECTED:
        return ()
    if not any(options.placeholder in text for text in golden.texts):
        # The rules about placeholders look closely at every character, for nothing here.
        options = replace(options, rules={**options.rules, **_NO_PLACEHOLDER})
    found = findings(Golden(source, lang, golden.kind, golden.texts), options)
    return [f"{one} ({one.rule})" for one in found if one.blocks]
