"""Programs for Chinese: word segmenters, a tagger and OpenCC; none downloads anything here."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gecbench.backends import hash_files, need
from gecbench.core.errors import Message, ResourceError, UsageError

Divide = Callable[[str], tuple[str, ...]]

_EXTRA = "zh-words"


def jieba(model: str) -> tuple[str, Divide]:
    """Load jieba's precise mode with its own dictionary, unknown words by its HMM.

    Args:
        model: "", as jieba brings its dictionary.

    Raises:
        UsageError: A model is named.
        MissingExtraError: jieba is not installed.
    """
    if model:
        raise UsageError(f"segmenter jieba takes no model, as {model!r}; write jieba alone")
    tokenizer = _jieba_tokenizer("jieba, which was asked for as the segmenter,")
    name = f"jieba {version('jieba')}"
    return name, _check_words(name, tokenizer.cut)


def _jieba_tokenizer(what: str) -> Any:
    need(_EXTRA, "jieba", what=what)
    return _read_jieba()


def _read_jieba() -> Any:
    # jieba 0.42.1 imports pkg_resources where there is one, which warns.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    tokenizer = jieba.Tokenizer()
    # Its own start would write a cache into the folder for temporary files, where others can put
    # one, and say so on standard error; reading the dictionary is no slower.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


def pkuseg(model: str) -> tuple[str, Divide]:
    """Load pkuseg in the package spacy-pkuseg, with its own word list.

    Args:
        model: A folder with a model; or the name of one of pkuseg's own, which must lie where
            pkuseg would put it; "" is pkuseg's default, spacy_ontonotes.

    Raises:
        MissingExtraError: spacy-pkuseg is not installed.
        ResourceError: There is no such model.
    """
    need(_EXTRA, "spacy_pkuseg", what="spacy-pkuseg, which was asked for as the segmenter,")
    import spacy_pkuseg

    folder = _pkuseg_model(model or "spacy_ontonotes", spacy_pkuseg.config)
    with redirect_stderr(io.StringIO()):  # it tells which of its file formats it found
        # A folder, never a name: by name pkuseg downloads.
        program = spacy_pkuseg.pkuseg(str(folder))
    name = f"pkuseg {version('spacy-pkuseg')} ({_name_of(folder)})"
    return name, _check_words(name, program.cut)


def _pkuseg_model(model: str, config: Any) -> Path:
    is_own = model in config.available_models
    folder = Path(config.pkuseg_home) / model if is_own else Path(model)
    files = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if not ("weights.npz" in files and files & {"features.msgpack", "features.pkl"}):
        where = f"; unpack {config.model_urls[model]} there" if is_own else ""
        raise ResourceError(
            f"{folder}: no model of pkuseg (weights.npz and features.msgpack), and gecbench "
            f"downloads none{where}, or name a folder that has one: pkuseg:FOLDER"
        )
    lists = sorted(name for name in files if name.endswith("_dict.pkl"))
    if lists:
        raise ResourceError(
            f"{folder}: this model has a word list of its own, {lists[0]}, which pkuseg uses "
            "only together with a download; choose another model"
        )
    return folder


def ltp(model: str) -> tuple[str, Divide]:
    """Load LTP's word segmentation.

    Args:
        model: A folder with a model.

    Raises:
        UsageError: No folder is named, or LTP is not installed.
        ResourceError: The folder holds no model.
    """
    folder = Path(model)
    if not model:
        raise UsageError("segmenter ltp needs the folder of its model: ltp:FOLDER")
    if not (folder / "config.json").is_file():
        raise ResourceError(
            f"{folder}: no model of LTP (config.json), and gecbench downloads none; get one "
            "from https://huggingface.co/LTP, and name its folder: ltp:FOLDER"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from ltp import LTP
    except ImportError:
        raise UsageError(
            "LTP, which was asked for as the segmenter, is not installed; run: pip install ltp"
        ) from None
    program = LTP(str(folder), local_files_only=True)

    def segment(text: str) -> Iterable[str]:
        pieces = text.split()
        words = program.pipeline(pieces, tasks=["cws"]).cws if pieces else []
        return [word for piece in words for word in piece]

    name = f"ltp {version('ltp')} ({_name_of(folder)})"
    return name, _check_words(name, segment)


def _check_words(name: str, segment: Callable[[str], Iterable[str]]) -> Divide:
    """Wrap a segmenter so that it refuses to change the text.

    Systems leave most sentences alike, so texts and their words stay in memory.
    """

    @cache
    def divide(text: str) -> tuple[str, ...]:
        words = tuple(word for word in segment(text) if not word.isspace())
        if "".join(words) != "".join(text.split()):
            raise UsageError(
                f"segmenter {name} does not give back the text that it divides, "
                f"{text[:40]!r}; choose another"
            )
        return words

    return divide


def _name_of(folder: Path) -> str:
    """Name a model by its folder and a hash of its files: models may have one name."""
    return f"{folder.name} {hash_files(folder, folder.iterdir())[:8]}"


# Chinese words with their parts of speech, by jieba.


def jieba_tagger() -> tuple[str, Callable[[str], Sequence[tuple[str, str]]]]:
    """Load what divides a text into words with their parts of speech, blanks left out.

    Its dictionary is jieba's own.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    words = _jieba_tokenizer("jieba, which finds Chinese words and their parts of speech,")
    # Its regular expressions have escapes that newer versions of Python warn of.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from jieba.posseg import POSTokenizer  # type: ignore[import-untyped]
    tagger = POSTokenizer(words)

    def tag(text: str) -> Sequence[tuple[str, str]]:
        return [(pair.word, pair.flag) for pair in tagger.cut(text) if not pair.word.isspace()]

    return f"jieba {version('jieba')} with parts of speech", tag


# OpenCC: between traditional and simplified characters.


def t2s() -> tuple[str, Callable[[str], str]]:
    """Load the conversion to simplified characters, and its name with OpenCC's version.

    Raises:
        MissingExtraError: OpenCC is not installed.
    """
    return _conversion("t2s")


def s2t() -> tuple[str, Callable[[str], str]]:
    """Load the conversion to traditional characters, and its name with OpenCC's version.

    Raises:
        MissingExtraError: OpenCC is not installed.
    """
    return _conversion("s2t")


def _conversion(name: str) -> tuple[str, Callable[[str], str]]:
    need("zh", "opencc", what=Message("OpenCC, which {name} converts by,", name=name))
    import opencc

    convert: Callable[[str], str] = opencc.OpenCC(name).convert
    return f"{name}(opencc {opencc.__version__})", convert
