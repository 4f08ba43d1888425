"""Chinese words with their parts of speech, by jieba."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.metadata import version

from gecbench.core.errors import MissingExtraError


class JiebaTagger:
    """jieba's words and parts of speech, with its own dictionary.

    Raises:
        MissingExtraError: jieba is not installed.
    """

    def __init__(self) -> None:
        try:
            # jieba 0.42.1 imports pkg_resources where there is one, which warns; and its regular
            # expressions have escapes that newer versions of Python warn of.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                from jieba import Tokenizer
                from jieba.posseg import POSTokenizer  # type: ignore[import-untyped]
        except ImportError:
            raise MissingExtraError(
                "jieba, which finds Chinese words and their parts of speech,", "zh-words"
            ) from None
        words = Tokenizer()
        # Its own start would keep a cache in the folder for temporary files; see `segmenters`.
        words.FREQ, words.total = words.gen_pfdict(words.get_dict_file())
        words.initialized = True
        self.name = f"jieba {version('jieba')} with parts of speech"
        self._tagger = POSTokenizer(words)

    def cut(self, text: str) -> Sequence[tuple[str, str]]:
        """Return the words of a text with their parts of speech, blanks left out."""
        return [
            (found.word, found.flag) for found in self._tagger.cut(text) if not found.word.isspace()
        ]
