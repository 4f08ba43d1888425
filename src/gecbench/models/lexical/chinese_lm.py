"""Typing errors in Chinese: characters with a like sound, by an n-gram model of words."""

from __future__ import annotations

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple, Protocol

import msgspec

from gecbench.backends import need
from gecbench.backends.dictionaries import jieba_words, read_words
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, TextEdit, apply
from gecbench.core.errors import FormatError, GecbenchError
from gecbench.formats.validation import options_of
from gecbench.lang.zh.sounds import sounds
from gecbench.models import CorrectorKind
from gecbench.models.lexical.chinese import (
    NUMERALS,
    Homophones,
    UnigramModel,
    build_unigrams,
    find_alike,
    index_homophones,
    simplified_spans,
)


class NgramModel(Protocol):
    """A language model of words."""

    name: str
    start: Hashable
    """State at the start of a sentence."""

    def __contains__(self, word: str) -> bool:
        """Say whether the model knows a word."""

    def score(self, state: Hashable, word: str) -> tuple[float, Hashable]:
        """Return the natural logarithm of a word's probability in a state, and the next state."""


THRESHOLDS: Mapping[str, float] = {
    "function word": 5.0,
    "same sound": 8.5,
    "similar sound": 10.0,
    "single character": 10.0,
    "two characters": 13.0,
}
"""Least gain of each kind of change, in natural logarithms; chosen on 700 sentences of SIGHAN
2015's training part and 250 of the first four fifths of MuCGEC's development set."""

LONGEST = 4
"""Characters of the words that are put in."""
LONGEST_KNOWN = 8
"""Characters of the words that may stand in the text."""
BEAM = 8
"""Divisions that are followed up at each place."""
RANGE = 12.0
"""How much less likely than the best one a division may be."""
UNKNOWN = -18.0
"""Logarithm of the probability of a character that the model does not know."""
RARE, RARE_WORD = -11.5, -13.0
"""Logarithms of probabilities by the model and by jieba, below which a character is not put in."""

_FUNCTION_WORDS = (
    *("的地得", "在再", "做作坐", "那哪", "以已", "像向象", "带戴", "只支", "吧把", "吗嘛", "座坐"),
    *("很狠", "到道", "己已", "长常", "从重"),
)
_CONFUSED = {
    c: frozenset("".join(group for group in _FUNCTION_WORDS if c in group)) - {c}
    for c in "".join(_FUNCTION_WORDS)
}
_KEPT = (NUMERALS, frozenset("他她它妳祂"), frozenset("甚什"))
"""Another number or person is no spelling, and what is written either way is right."""

_SURNAMES = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱郭罗梁宋郑谢韩冯邓曹彭萧蔡潘袁董余苏吕魏蒋杜丁沈姚卢姜崔钟谭陆汪廖范贾韦侯邹孟秦薛"
    "尹阎黎贺顾郝龚邵覃邱傅柯朴樊葛宗詹俞阮翁倪"
)
"""Usual surnames that are rarely words of their own."""
_GIVEN = 2
"""Characters of a given name, at most."""
_NO_NAME = frozenset("的地得了着过是在和与跟同对把被给向说来去有也都就不很先老么吗呢吧啊")
_TITLE = re.compile("《[^《》]{1,40}》")
_PART = rf"(?:(?![{''.join(sorted(_NO_NAME))}])[\u4e00-\u9fff]){{1,8}}"
_TRANSLITERATED = re.compile(f"(?:{_PART}[·‧・•])+{_PART}")

Names = tuple[Collection[int], Collection[int]]
"""Places of surnames, and of other characters of names and titles."""


class Edge(NamedTuple):
    """A word that may stand in a text.

    Args:
        end: Character after its last.
        word: The word.
        threshold: What it must gain where it changes the text; 0 where it stands there.
        log: Logarithm of its probability, where the n-gram model does not know it.
    """

    end: int
    word: str
    threshold: float = 0.0
    log: float | None = None


class Division(NamedTuple):
    """A division of a text into words, with the logarithm of its probability."""

    log: float
    words: Sequence[str]


def find_best(edges: Sequence[Sequence[Edge]], model: NgramModel) -> Division:
    """Find the likeliest words by a beam search.

    Args:
        edges: Of each character, the words that may begin there; at least one of one character.
        model: That judges.
    """
    # By state: logarithm, first character, state before, word.
    steps: list[dict[Hashable, tuple[float, int, Hashable, str]]] = [
        {} for _ in range(len(edges) + 1)
    ]
    steps[0][model.start] = (0.0, 0, None, "")
    for start, following in enumerate(edges):
        best = sorted(steps[start].items(), key=lambda item: -item[1][0])[:BEAM]
        for state, (log, *_) in best:
            if log < best[0][1][0] - RANGE:
                break
            for end, word, threshold, score in following:
                gain, new = model.score(state, word)
                total = log + (gain if score is None else score) - threshold
                old = steps[end].get(new)
                if old is None or total > old[0]:
                    steps[end][new] = (total, start, state, word)
    state, (total, *_) = max(steps[-1].items(), key=lambda item: item[1][0])
    words: list[str] = []
    end = len(edges)
    while end:
        _, start, before, word = steps[end][state]
        words.append(word)
        end, state = start, before
    return Division(total, words[::-1])


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words and characters.

    Args:
        words: Of jieba and of the user.
        known: Those that the n-gram model knows, as far as they are put in.
        homophones: Of these, by their sounds.
        characters: Syllable to frequent characters that are read so.
        people: Words that are names of people.
    """

    words: UnigramModel
    known: Collection[str]
    homophones: Homophones
    characters: Mapping[str, str]
    people: Collection[str] = frozenset()

    def edges(
        self, text: str, model: NgramModel, caution: float, names: Names = ((), ())
    ) -> list[list[Edge]]:
        """List the words that may stand at each place of a text.

        Args:
            text: Characters with sounds only.
            model: The n-gram model.
            caution: What all thresholds are multiplied by; infinity for the text as it is.
            names: See `names`.
        """
        sound = text.translate(self.homophones.sounds.table)
        surnames, others = names
        edges: list[list[Edge]] = []
        for start, character in enumerate(text):
            log = None if character in model else UNKNOWN
            here = [Edge(start + 1, character, 0.0, log)]
            for end in range(start + 2, min(start + LONGEST_KNOWN, len(text)) + 1):
                word = text[start:end]
                if word in self.words.logs:
                    log = None if word in model else self.words.logs[word] - 1
                    here.append(Edge(end, word, 0.0, log))
            if caution < math.inf and start not in surnames:
                for end in range(start + 1, min(start + LONGEST, len(text)) + 1):
                    old = text[start:end]
                    if end - 1 in others:
                        break
                    for word in self._alike(old, sound[start:end]):
                        if label := self.label(old, word):
                            here.append(Edge(end, word, caution * THRESHOLDS[label]))
            edges.append(here)
        return edges

    def names(self, text: str) -> tuple[set[int], set[int]]:
        """Find what is probably a name of somebody, or a title, and stays.

        Returns:
            Places of surnames, which may still be the end of a word with another character in its
            place (太杨), and of other characters.
        """
        others = {
            place
            for pattern in (_TITLE, _TRANSLITERATED)
            for match in pattern.finditer(text)
            for place in range(*match.span())
        }
        surnames = {
            place
            for place, character in enumerate(text)
            if character in _SURNAMES and not self._in_word(text, place)
        }
        for place in surnames:
            for given in range(place + 1, min(place + 1 + _GIVEN, len(text))):
                if text[given] in _NO_NAME or not text[given].isalpha():
                    break
                others.add(given)
        return surnames, others

    def _in_word(self, text: str, place: int) -> bool:
        """Say whether a known word, other than a name, may stand over a character."""
        return any(
            text[start:end] in self.words.logs and text[start:end] not in self.people
            for start in range(max(0, place - LONGEST + 1), place + 1)
            for end in range(max(place + 1, start + 2), min(start + LONGEST, len(text)) + 1)
        )

    def _alike(self, span: str, sound: str) -> Iterator[str]:
        if len(span) > 1:
            yield from find_alike(span, sound, self.homophones)
        else:
            for syllable in sound + self.homophones.sounds.others.get(span, ""):
                yield from self.characters.get(syllable, "")

    def label(self, old: str, new: str) -> str:
        """Name the kind of a change; "" where it is none that may be made."""
        pairs = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
        if not 1 <= len(pairs) <= 2 or any(a in k and b in k for k in _KEPT for a, b in pairs):
            return ""
        if len(pairs) == 2:
            return "two characters"
        if len(old) == 1:
            return "function word" if new in _CONFUSED.get(old, ()) else "single character"
        plain = self.homophones.sounds.plain
        ((a, b),) = pairs
        return "same sound" if plain[a] == plain[b] else "similar sound"


def build_lexicon(model: NgramModel, extra: Sequence[str] = ()) -> tuple[str, Lexicon]:
    """Build the lexicon: its name, and itself.

    Args:
        model: Whose words are put in.
        extra: Words of the user's, which stay.
    """
    word_list, readings = jieba_words(), sounds("zh-lm", "zh-lm")
    words = build_unigrams(word_list, extra)
    known = frozenset(w for w in words.logs if 1 < len(w) <= LONGEST and w in model)
    offered = UnigramModel({w: words.logs[w] for w in known}, {}, words.unseen)
    people = frozenset(word_list.people)
    homophones = index_homophones(offered, readings, people - set(extra))
    characters: dict[str, str] = defaultdict(str)
    for code, syllable in readings.table.items():
        character = chr(code)
        if not syllable.isspace() and character in model:
            log, _ = model.score(model.start, character)
            if log > RARE and words.logs.get(character, words.unseen) > RARE_WORD:
                for reading in syllable + readings.others.get(character, ""):
                    characters[reading] += character
    return word_list.name, Lexicon(words, known, homophones, dict(characters), people)


@dataclass(frozen=True, slots=True)
class ZhLm(Corrector):
    """Exchanges characters where an n-gram model finds the text much likelier with others."""

    info: CorrectorInfo
    lexicon: Lexicon
    model: NgramModel
    caution: float = 1.0

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text by the likeliest words with like sounds."""
        return [self._correct(text) for text in texts]

    def _correct(self, text: str) -> Correction:
        edits: list[TextEdit] = []
        sound = text.translate(self.lexicon.homophones.sounds.table)
        names = self.lexicon.names(text)
        for start, end in simplified_spans(text, sound):
            surnames, others = ({place - start for place in places} for places in names)
            edits += self._edits(text[start:end], start, (surnames, others))
        return Correction(text, apply(edits, text), tuple(edits))

    def _edits(self, text: str, offset: int, names: Names) -> Iterator[TextEdit]:
        """Yield the changes of a clause: those of the best words, each with what it gains."""
        words = self._best(text, self.caution, names).words
        new = "".join(words)
        if new == text:
            return
        after = self._best(new).log
        start = 0
        for word in words:
            end = start + len(word)
            if word != (old := text[start:end]):
                label = self.lexicon.label(old, word)
                gain = after - self._best(new[:start] + old + new[end:]).log
                score = 1 / (1 + math.exp(self.caution * THRESHOLDS[label] - gain))
                places = [k for k, (a, b) in enumerate(zip(old, word, strict=True)) if a != b]
                first, last = places[0], places[-1] + 1
                yield TextEdit(
                    offset + start + first, offset + start + last, word[first:last], score, label
                )
            start = end

    def _best(self, text: str, caution: float = math.inf, names: Names = ((), ())) -> Division:
        return find_best(self.lexicon.edges(text, self.model, caution, names), self.model)


class _Kenlm(NgramModel):
    """A model in one of the formats of KenLM."""

    def __init__(self, file: Path) -> None:
        """Read a file.

        Raises:
            FormatError: It is none that KenLM reads.
            GecbenchError: There is no such file.
        """
        import kenlm

        try:
            with file.open("rb") as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()[:12]
        except OSError as error:
            raise GecbenchError(f"{file}: {error.strerror}") from None
        try:
            config = kenlm.Config()
            config.show_progress = False
            config.arpa_complain = kenlm.ARPALoadComplain.NONE
            self._model = kenlm.Model(str(file), config)
        except (OSError, RuntimeError):
            raise FormatError(f"{file}: no language model that KenLM reads") from None
        self.name = f"{file.name} {digest}"
        self._state = kenlm.State
        self.start = kenlm.State()
        self._model.BeginSentenceWrite(self.start)

    def __contains__(self, word: str) -> bool:
        return word in self._model

    def score(self, state: Hashable, word: str) -> tuple[float, Hashable]:
        new = self._state()
        return self._model.BaseScore(state, word, new) * _LN_10, new


_LN_10 = math.log(10)
_FOLDER, _FILE = Path("/usr/lib"), "libime/zh_CN.lm"
VERSION = "2"
"""Goes up when the same options give other output."""
_ABOUT = (
    "Typing errors: characters taken for others with a like sound (小新 for 小心), by a model of "
    "word trigrams. It does not correct grammar."
)


class _Options(msgspec.Struct):
    """What can be chosen.

    Args:
        caution: What all thresholds are multiplied by; more is more careful.
        words: File of words that are right, as names and terms, one a line.
    """

    caution: Annotated[float, msgspec.Meta(gt=0, le=1000)] = 1.0
    words: str = ""


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the corrector.

    Args:
        place: File of a model of words for KenLM; "" takes that of libime.
        options: As `_Options`.

    Raises:
        UsageError: An option is unknown or wrong.
        MissingExtraError: Something of the extra `zh-lm` is not installed.
        GecbenchError: There is no such model.
    """
    settings = options_of("zh-lm", _Options, options)
    need("zh-lm", "kenlm", "jieba", "pypinyin")
    model = _Kenlm(Path(place) if place else _installed_file())
    extra = read_words(Path(settings.words)) if settings.words else ()
    name, lexicon = build_lexicon(model, extra)
    signature = {
        "corrector": "zh-lm",
        "version": VERSION,
        "dictionary": name,
        "readings": lexicon.homophones.sounds.name,
        "model": model.name,
        "caution": str(settings.caution),
    }
    if extra:
        signature["words"] = " ".join(extra)
    info = CorrectorInfo(
        "zh-lm", "lexical", ("zh",), _ABOUT, signature, notice=_ABOUT, processes="many"
    )
    return ZhLm(info, lexicon, model, settings.caution)


def _installed_file() -> Path:
    """Find the model that Debian's and other systems' package of libime brings."""
    files = sorted([*_FOLDER.glob(_FILE), *_FOLDER.glob(f"*/{_FILE}")])
    if not files:
        raise GecbenchError(
            "zh-lm needs the model of libime (17 MB), or a file of another one as zh-lm:FILE; on "
            "Debian and Ubuntu run: apt install libime-data-language-model"
        )
    return files[0]


KIND = CorrectorKind(load, "optional")
