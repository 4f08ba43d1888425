"""Masked language models of transformers: what may stand in the place of a missing word."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from gecbench.core.errors import GecbenchError

if TYPE_CHECKING:
    import torch

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’-][A-Za-z\u00c0-\u024f]+)*")
_MARKS = ("\u2581", "\u0120")  # before pieces that begin a word: SentencePiece, byte-level BPE
_INSIDE = "##"  # before those of WordPiece that do not


@dataclass(frozen=True, slots=True)
class Gap:
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
        device: As `devices.device_of` takes it.
        batch: Gaps that go through the network together.

    Raises:
        GecbenchError: There is no such model, it has no mask token, or no such words.
    """

    def __init__(self, place: str, *, chinese: bool, device: str = "", batch: int = 64) -> None:
        from gecbench.backends.hf import need_torch, tokenizer_of, weights_of

        need_torch()
        from transformers import AutoModelForMaskedLM

        from gecbench.backends.devices import device_of

        self._place, self._batch = place, batch
        self._device = device_of(device, 0)
        self._tokenizer: Any = tokenizer_of(place)
        if self._tokenizer.mask_token_id is None:
            raise GecbenchError(
                f"{place}: the model has no mask token, so it cannot fill in words; name a masked "
                "language model, as a BERT"
            )
        self._words = self._known(chinese=chinese)
        self._model = cast("Any", weights_of(place, AutoModelForMaskedLM)).to(self._device)
        self._model.eval()
        if self._model.get_output_embeddings() is None:
            raise GecbenchError(f"{place}: nothing in the model scores words; name another")

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the weights and the vocabulary, wherever they lie."""
        import torch

        made = hashlib.sha256()
        for name, tensor in sorted(self._model.state_dict().items()):
            made.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
            flat = tensor.detach().cpu().contiguous().reshape(-1)
            made.update(flat.view(torch.uint8).numpy().data if flat.numel() else b"")
        for token, number in sorted(self._tokenizer.get_vocab().items()):
            made.update(f"{token} {number}\n".encode("utf-8", "surrogatepass"))
        return made.hexdigest()

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words that can be offered, in the order of the model's vocabulary."""
        return tuple(self._words)

    def likely(
        self, gaps: Sequence[Gap], count: int
    ) -> list[tuple[tuple[str, ...], tuple[float, ...]]]:
        """Return the likeliest words for each gap, and how likely they are among themselves.

        Of long sentences the model reads what stands around the gap.

        Args:
            gaps: Any number.
            count: Of words, fewer where the vocabulary has fewer.
        """
        read = [self._ids(gap) for gap in gaps]
        found: dict[int, tuple[tuple[str, ...], tuple[float, ...]]] = {}
        order = sorted(range(len(gaps)), key=lambda n: len(read[n][0]))
        for start in range(0, len(order), self._batch):
            chosen = order[start : start + self._batch]
            scores = self._scores([read[n] for n in chosen])
            for n, row in zip(chosen, scores, strict=True):
                found[n] = self._best(row, gaps[n].exclude, count)
        return [found[n] for n in range(len(gaps))]

    def _known(self, *, chinese: bool) -> Mapping[str, int]:
        """Return the words of the vocabulary with their codes, in the order of the codes."""
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

    def _ids(self, gap: Gap) -> tuple[list[int], int]:
        """Return the codes of a sentence with masks, and the place of the first mask."""
        masks = self._tokenizer.mask_token * gap.size
        made = self._tokenizer(f"{gap.before}{masks}{gap.after}", add_special_tokens=False)
        ids, at = made["input_ids"], made.char_to_token(len(gap.before))
        first, last = self._ends
        room = self._longest - len(first) - len(last)
        start = max(0, min(at - room // 2, len(ids) - room))
        return [*first, *ids[start : start + room], *last], len(first) + at - start

    def _scores(self, read: Sequence[tuple[list[int], int]]) -> torch.Tensor:
        """Return a row for each gap, a column for each word."""
        import torch

        longest = max(len(ids) for ids, _ in read)
        pad = self._tokenizer.pad_token_id or 0
        codes = torch.full((len(read), longest), pad)
        seen = torch.zeros((len(read), longest), dtype=torch.long)
        for row, (ids, _) in enumerate(read):
            codes[row, : len(ids)] = torch.tensor(ids)
            seen[row, : len(ids)] = 1
        places = torch.tensor([at for _, at in read], device=self._device)
        with torch.inference_mode(), self._only(places):
            made = self._model(
                input_ids=codes.to(self._device), attention_mask=seen.to(self._device)
            ).logits[:, 0]
            chosen: torch.Tensor = made[:, torch.tensor(list(self._words.values()))].cpu()
        return chosen

    @contextmanager
    def _only(self, places: torch.Tensor) -> Iterator[None]:
        """Let the model score its vocabulary at one place of each sentence.

        Scores of all places would take gigabytes for a batch of long sentences.
        """
        import torch

        def chosen(_: object, given: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor]:
            rows = torch.arange(len(places), device=places.device)
            return (given[0][rows, places].unsqueeze(1),)

        hook = self._model.get_output_embeddings().register_forward_pre_hook(chosen)
        try:
            yield
        finally:
            hook.remove()

    def _best(
        self, row: torch.Tensor, exclude: str, count: int
    ) -> tuple[tuple[str, ...], tuple[float, ...]]:
        import torch

        barred = self._lowered.get(exclude.lower(), ())
        row = row.double()
        for n in barred:
            row[n] = -torch.inf
        best = torch.topk(row, min(count, len(row) - len(barred)))
        names = self.vocabulary
        weights = torch.softmax(best.values, 0).tolist()
        return tuple(names[n] for n in best.indices.tolist()), tuple(weights)

    @cached_property
    def _lowered(self) -> Mapping[str, Sequence[int]]:
        """The places of words by what they are in small letters."""
        found: dict[str, list[int]] = {}
        for n, word in enumerate(self._words):
            found.setdefault(word.lower(), []).append(n)
        return found
