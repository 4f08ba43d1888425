"""ChERRANT's resources, read and compiled into a feature table that loads in a millisecond.

The thesaurus (`cilin.txt`, GBK), the confusion list (`confusion_dict.txt`) and the readings of
pypinyin become one file in the cache folder, named after the content of what it is made from, so
a changed resource or another pypinyin makes another file and an old one is never used for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from string import punctuation

from gecbench.core.errors import GecbenchError, Message, MissingExtraError, ResourceError
from gecbench.core.files import make_folder, read_bytes, write_bytes
from gecbench.edits.features import MAGIC, FeatureCosts, Features, Weights, build

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
