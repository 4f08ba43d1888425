"""The scheme zh-cherrant: exactly ChERRANT's edits at character level."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from string import punctuation
from typing import Literal

from gecbench.core.edit import Edit, Sentence
from gecbench.core.errors import GecbenchError, Message, MissingExtraError, ResourceError
from gecbench.core.files import make_folder, read_bytes, write_bytes
from gecbench.core.scheme import Extraction, Scheme, SchemeContext
from gecbench.edits.alignment import Window, edit_sets, lattice
from gecbench.edits.features import MAGIC, FeatureCosts, Features, Weights, build
from gecbench.edits.kernel import Segment
from gecbench.lang.zh.char import parse

# ChERRANT's merging rules at character level (merger.py, MuCGEC 3922193).


_MERGEABLE = frozenset(("SMS", "DMI", "DTI", "IMD", "ITD"))


def windows(source: tuple[str, ...], target: tuple[str, ...]) -> Window:
    """The rule that merges three segments between these tokens into a word-order edit."""

    def text(tokens: tuple[str, ...], start: int, end: int) -> str:
        return "".join(tokens[start:end])

    def window(first: Segment, middle: Segment, last: Segment) -> Segment | None:
        kinds = first[0] + middle[0] + last[0]
        if kinds not in _MERGEABLE:
            return None
        if kinds == "SMS":
            merges = _is_exchange(
                text(source, *first[1:3]),
                text(target, *first[3:5]),
                text(source, *last[1:3]),
                text(target, *last[3:5]),
            )
        elif kinds[0] == "D":
            merges = _is_move(text(source, *first[1:3]), text(target, *last[3:5]))
        else:
            merges = _is_move(text(source, *last[1:3]), text(target, *first[3:5]))
        return ("T", first[1], last[2], first[3], last[4]) if merges else None

    return window


def _is_exchange(w1: str, w2: str, w3: str, w4: str) -> bool:
    """Whether w1 became w2 and w3 became w4 because they changed places."""
    if min(len(w1), len(w2), len(w3), len(w4)) == 1:
        return w1 == w4 and w2 == w3
    return within_one_edit(w1, w4) and within_one_edit(w2, w3)


def _is_move(deleted: str, inserted: str) -> bool:
    """Whether the deleted text is the inserted one, moved and perhaps slightly changed."""
    longer, shorter = sorted((deleted, inserted), key=len, reverse=True)
    if longer in MERGE_MARKS or shorter in MERGE_MARKS or len(longer) - len(shorter) > 1:
        return False
    if len(shorter) == 1:
        return longer == shorter
    rotated = len(longer) == len(shorter) and shorter in longer + longer
    return rotated or within_one_edit(longer, shorter)


def within_one_edit(left: str, right: str) -> bool:
    """Whether the edit distance of two strings is 0 or 1.

    A library's distance would cost more to import than all merging of a corpus takes.
    """
    if left == right:
        return True
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    rest_one, rest_two = left[start:], right[start:]
    return rest_one[1:] == rest_two[1:] or rest_one[1:] == rest_two or rest_one == rest_two[1:]


Strategy = Literal["all", "first"]

_LABELS = {"T": "W", "D": "R", "I": "M", "S": "S"}

_SINGLE_PATH_ABOVE = 10
"""Lengths that differ by more tokens than this have one alignment only (alignment.py)."""


def scheme(context: SchemeContext, *, strategy: Strategy = "all", simplify: bool = True) -> Scheme:
    """The scheme.

    Args:
        context: Has the data set "cherrant", and a folder for its compiled form.
        strategy: "all" keeps each distinct edit set of the co-optimal alignments, "first" the
            first one.
        simplify: Convert targets, never sources, to simplified characters by OpenCC t2s, as
            ChERRANT does.

    Raises:
        ResourceError: The data set "cherrant" is not here.
        MissingExtraError: OpenCC or pypinyin is needed and absent.
    """
    resource = partial(context.resource, "cherrant")
    costs = load_costs(resource, context.cache_folder(), context.say)
    simplified, opencc = _simplifier() if simplify else (str, "none")

    def parse_target(text: str) -> Sentence:
        return parse(simplified("".join(text.split())))  # phrases may span white space

    def extract(source: Sentence, target: Sentence) -> Extraction:
        return _extract(source, target, costs, first=strategy == "first")

    provenance = costs.provenance
    simplifier = f"t2s(opencc {opencc})" if simplify else "no"
    return Scheme(
        name="zh-cherrant",
        lang="zh",
        parse_source=parse,
        parse_target=parse_target,
        extract=extract,
        join="".join,
        signature={
            "scheme": "zh-cherrant",
            "granularity": "char",
            "strategy": strategy,
            "simplify": simplifier,
            "cilin": provenance["cilin"],
            "confusion": provenance["confusion"],
            "pypinyin": provenance["pypinyin"],
        },
        defaults={"strategy": "all", "simplify": simplifier if simplify else "t2s"},
        has_type={"M", "R", "S", "W", "UNK"}.__contains__,
        warn=lambda sources: traditional_warning(sources, simplified),
        data_sets=("cherrant",),
    )


_LOOKED_AT = 1000
_TRADITIONAL = 5
"""One source of so many that simplification changes is more than a few mistakes (MuCGEC: 2%)."""


def traditional_warning(sources: Sequence[str], simplified: Callable[[str], str]) -> str | None:
    """Warn of sources in traditional characters, which are compared with simplified targets."""
    # Each text once: some corpora have a sentence for each answer of an annotator.
    texts: dict[str, None] = {}
    for source in sources:
        texts[source] = None
        if len(texts) == _LOOKED_AT:
            break
    count = sum(simplified(text) != text for text in texts)
    if count * _TRADITIONAL < len(texts) or not count:
        return None
    return Message(
        "{count} of {texts} sources that were looked at have traditional characters, and scheme "
        "zh-cherrant turns targets alone into simplified ones, so that each such character counts "
        "as corrected; --no-simplify compares the texts as they are",
        count=count,
        texts=len(texts),
    )


def _simplifier() -> tuple[Callable[[str], str], str]:
    try:
        import opencc  # 14 ms that the other scheme need not pay
    except ImportError:
        raise MissingExtraError(
            Message("OpenCC, which zh-cherrant simplifies targets by,"), "zh"
        ) from None
    converter = opencc.OpenCC("t2s")
    convert: Callable[[str], str] = converter.convert
    return convert, str(opencc.__version__)


def _extract(source: Sentence, target: Sentence, costs: FeatureCosts, *, first: bool) -> Extraction:
    if source.codes == target.codes:
        return Extraction(((),))
    n, m = len(source.tokens), len(target.tokens)
    listing = edit_sets(
        lattice(source.codes, target.codes, costs),
        n,
        m,
        window=windows(source.tokens, target.tokens),
        first=first or abs(n - m) > _SINGLE_PATH_ABOVE,
    )
    # ChERRANT then drops edits whose two sides are equal and trims common ends of
    # substitutions. At character level neither can occur: matching equal ends costs strictly
    # less than any alignment that does not, as each substitution costs between 0 and 2.
    sets = [
        tuple(
            [
                Edit(start, end, target.tokens[target_start:target_end], _LABELS[kind])
                for kind, start, end, target_start, target_end in segments
            ]
        )
        for segments in listing.sets
    ]
    return Extraction(tuple(sets), capped=listing.capped)


# ChERRANT's resources, read and compiled into a feature table that loads in a millisecond.
#
# The thesaurus (`cilin.txt`, GBK), the confusion list (`confusion_dict.txt`) and the readings of
# pypinyin become one file in the cache folder, named after the content of what it is made from, so
# a changed resource or another pypinyin makes another file and an old one is never used for it.

# Punctuation as ChERRANT lists it; the full stop 。 and 《 are not in it.


_WIDE = (
    "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》"
    "「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟"
)
_RULES = "–—‘‛“”„‟…‧"

MARKS = punctuation + _WIDE + "〰〾〿" + _RULES + "﹏"
"""What the substitution cost takes for punctuation."""

# The order matters: of several characters together, only neighbours in this order are found.
MERGE_MARKS = punctuation + _WIDE + _RULES + "'."
"""The string that a moved text must not be part of, to be merged into a word-order edit."""


_FORMAT = MAGIC
_HAN = range(0x4E00, 0x9FFF + 1)

# cherrant_spec, section 4: written as ChERRANT writes them, because doubles decide ties.
_WEIGHTS = Weights(
    levels=(2 * 3 / 6.0, 2 * 2 / 6.0, 2 * 1 / 6.0, 0.0),
    no_class=4 / 6.0,
    sound_differs=0.5,
    mark_neither=0.25,
    mark_one=0.499,
    mark_both=0.0,
    lowest=0.25,
)


def load_costs(
    resource: Callable[[str], bytes], cache: Path, say: Callable[[str], None]
) -> FeatureCosts:
    """Load ChERRANT's substitution costs, compiling them at first use.

    Args:
        resource: Verified content of a resource by file name.
        cache: Folder for the compiled table; made if missing.
        say: Told once, when the table is compiled.

    Raises:
        MissingExtraError: pypinyin is not installed.
    """
    cilin, confusion = resource("cilin.txt"), resource("confusion_dict.txt")
    spec = find_spec("pypinyin")
    if spec is None or spec.origin is None:
        raise MissingExtraError(Message("pypinyin, which zh-cherrant takes readings from,"), "zh")
    pypinyin_init = read_bytes(Path(spec.origin))  # holds its version
    digest = hashlib.sha256()
    for part in (_FORMAT, cilin, confusion, pypinyin_init):
        digest.update(hashlib.sha256(part).digest())
    compiled = cache / f"zh-cherrant-{digest.hexdigest()[:16]}.features"
    if compiled.exists():
        try:
            return FeatureCosts(read_bytes(compiled), origin=str(compiled))
        except ResourceError as error:
            say(f"note: {error}; it is made again")
    say(f"compiling ChERRANT's resources, once, into {compiled}")
    costs = FeatureCosts(_compile(cilin, confusion))
    try:
        make_folder(cache)
        write_bytes(compiled, costs.data)
    except GecbenchError as error:
        say(f"note: not kept for the next time: {error} (XDG_CACHE_HOME names another place)")
    return costs


def _compile(cilin: bytes, confusion: bytes) -> bytes:
    import pypinyin  # 0.3 s, once

    readings = _readings()
    classes = _character_classes(cilin.decode("gbk"))
    sounds = _Sounds()
    features: dict[int, Features] = {}
    for code in {*_HAN, *map(ord, classes), *map(ord, MARKS)}:
        character = chr(code)
        features[code] = Features(
            components=classes.get(character),
            sounds=sounds.identifiers(readings.get(code, ())),
            sounded=code in _HAN,
            mark=character in MARKS,
        )
    relations = {
        ord(left): [ord(right) for right in others if ord(right) in _HAN]
        for left, others in _confusions(confusion.decode("utf-8")).items()
        if ord(left) in _HAN
    }
    provenance = {
        "cilin": hashlib.sha256(cilin).hexdigest()[:8],
        "confusion": hashlib.sha256(confusion).hexdigest()[:8],
        "pypinyin": str(pypinyin.__version__),
    }
    return build(features, relations, _WEIGHTS, provenance)


@cache
def _readings() -> Mapping[int, Sequence[str]]:
    """The readings of Chinese characters without their tones, read from pypinyin once."""
    import pypinyin

    style = pypinyin.Style.NORMAL
    return {code: pypinyin.pinyin(chr(code), style=style, heteronym=True)[0] for code in _HAN}


class _Sounds:
    """Readings as small integers, in order of first appearance."""

    def __init__(self) -> None:
        self._identifiers: dict[str, int] = {}

    def identifiers(self, readings: Iterable[str]) -> frozenset[int]:
        return frozenset(self._identifiers.setdefault(r, len(self._identifiers)) for r in readings)


def _character_classes(text: str) -> dict[str, tuple[int, int, int]]:
    """The class of each single character: that of the last line which holds it."""
    classes: dict[str, tuple[int, int, int]] = {}
    for line in text.splitlines():
        code, *words = line.split()
        # Components are compared each on its own, so any injective numbering serves.
        components = (ord(code[0]), ord(code[1]), int(code[2:4]))
        classes.update((word, components) for word in words if len(word) == 1)
    return classes


def _confusions(text: str) -> dict[str, list[str]]:
    """The confusable characters of each; a later line of one key replaces an earlier."""
    confusions: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, _, members = line.partition(" ")
        if len(key) == 1:  # one line starts with a space and defines no key
            confusions[key] = [member for member in members.split() if len(member) == 1]
    return confusions
