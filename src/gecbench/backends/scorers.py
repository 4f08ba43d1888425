"""Networks of transformers that score texts: perplexity, regression, similarity.

Each is loaded once, and each text is read once, however many systems repeat it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property, lru_cache
from itertools import islice
from math import exp, inf
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from gecbench.backends.transformers import (
    describe_model,
    find_device,
    find_dtype,
    load_config,
    load_model,
    load_tokenizer,
    need_torch,
    without_pooler,
)
from gecbench.core.errors import GecbenchError

if TYPE_CHECKING:
    import torch

Texts = tuple[str, ...]
"""A text, or two that the network reads together."""
Value = TypeVar("Value")

_BATCH = 32
_POSITIONS_FROM_2 = frozenset(
    (
        *("camembert", "data2vec-text", "ibert", "longformer", "luke", "mpnet", "roberta"),
        *("roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod"),
    )
)
"""Kinds of networks of whose positions two are not for texts."""
_CHARACTERS = 32_000
"""Of a batch, with what short texts are filled up by; a language model needs some GB for them."""


def _batches(texts: Sequence[Texts]) -> Iterator[Sequence[Texts]]:
    """Yield texts in batches that a network has room for; the longest are last."""
    batch: list[Texts] = []
    for text in texts:
        if batch and (len(batch) == _BATCH or sum(map(len, text)) * (len(batch) + 1) > _CHARACTERS):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


class TextScorer(ABC, Generic[Value]):
    """A network that gives each text, or each pair of texts, a value.

    Args:
        place: A folder, or a name on the hub, with "@REVISION" or without.
        auto: The class of transformers that chooses, as `AutoModel`.
        longest: Pieces of a text that are read; 0 reads what the network can.
        options: More for loading.

    Raises:
        GecbenchError: There is no such model.
        MissingExtraError: torch or transformers is not installed.
    """

    def __init__(self, place: str, auto: Any, *, longest: int = 0, **options: object) -> None:
        self._place = place
        self._tokenizer: Any = load_tokenizer(place)
        self._device = find_device("")
        self._model = cast("Any", load_model(place, auto, **options)).float().to(self._device)
        self._model.eval()
        config = self._model.config
        window = getattr(config, "max_position_embeddings", None) or 512
        if config.model_type in _POSITIONS_FROM_2:
            window -= 2
        self._longest = min(longest or window, window)
        self._values: dict[Texts, Value] = {}

    @cached_property
    def description(self) -> str:
        """Its name and revision, for signatures."""
        return describe_model(self._place, self._model)

    def values(self, texts: Sequence[Texts]) -> list[Value]:
        """The value of each text."""
        import torch

        # In one order always: what is in a batch decides the last digits.
        new = dict.fromkeys(text for text in texts if text not in self._values)
        missing = sorted(new, key=lambda text: sum(map(len, text)))
        for batch in _batches(missing):
            with torch.inference_mode():
                self._values |= zip(batch, self._compute(batch), strict=True)
        return [self._values[text] for text in texts]

    def is_cut(self, text: Texts) -> bool:
        """Whether a text is longer than what is read of it."""
        return len(self._tokenizer(*text, verbose=False)["input_ids"]) > self._longest

    @abstractmethod
    def _compute(self, texts: Sequence[Texts]) -> list[Value]:
        """The values of a batch."""

    def _encode(self, texts: Sequence[Texts]) -> dict[str, torch.Tensor]:
        encoding = self._tokenizer(
            *map(list, zip(*texts, strict=True)),
            padding=True,
            truncation=True,
            max_length=self._longest,
            return_tensors="pt",
        )
        return {name: tensor.to(self._device) for name, tensor in encoding.items()}


class Branch(NamedTuple):
    """Pieces that might follow the first pieces of a text.

    Args:
        after: How many pieces of the text stand before them; at least 1.
        ids: The pieces, at least one.
    """

    after: int
    ids: tuple[int, ...]


class LanguageModel(TextScorer[float]):
    """Perplexity of texts under a causal language model, and what might stand in them instead.

    Args:
        place: A folder, or a name on the hub.
        precision: Of numbers. With "int8", which is for CPUs, `read` multiplies in eight bits;
            perplexity and prefixes are computed in fp32: many heads look at the first piece of
            all, so errors there would be in everything.
    """

    def __init__(self, place: str, precision: str = "fp32") -> None:
        need_torch()
        from transformers import AutoModelForCausalLM

        super().__init__(place, AutoModelForCausalLM)
        if precision == "int8":
            from gecbench.backends.eight_bits import with_eight_bits

            self._device = find_device("cpu")
            self._model.to(self._device)
            self._reader = with_eight_bits(self._model)
        else:
            self._model.to(find_dtype(precision))
            self._reader = self._model
        self._start = self._tokenizer.bos_token_id
        if self._start is None:
            self._start = self._tokenizer.cls_token_id
        if self._start is None:
            raise GecbenchError(
                f"{place}: its tokenizer has no token that begins a text, which the perplexity of "
                "the first word needs; name another model"
            )

    def is_cut(self, text: Texts) -> bool:
        """Whether a text is longer than what is read of it."""
        return len(self._ids(text)) > self._longest

    def _ids(self, text: Texts) -> list[int]:
        ids: list[int] = self._tokenizer(*text, add_special_tokens=False, verbose=False)[
            "input_ids"
        ]
        return [self._start, *ids]

    def _compute(self, texts: Sequence[Texts]) -> list[float]:
        """The exponential of the mean surprise of its pieces; infinite for an empty text."""
        import torch
        from torch.nn.functional import cross_entropy

        rows = [self._ids(text)[: self._longest] for text in texts]
        width = max(map(len, rows))
        ids = torch.tensor([row + [self._start] * (width - len(row)) for row in rows])
        seen = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        ids, seen = ids.to(self._device), seen.to(self._device)
        logits = self._model(input_ids=ids, attention_mask=seen).logits[:, :-1]
        losses = cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none")
        sums = (losses * seen[:, 1:]).sum(1).tolist()
        return [
            exp(min(total / (len(row) - 1), 700)) if len(row) > 1 else inf
            for total, row in zip(sums, rows, strict=True)
        ]

    @cached_property
    def pieces(self) -> Callable[[str], tuple[int, ...]]:
        """Divide a text into pieces, without a mark at its start; words are remembered."""

        @lru_cache(maxsize=100_000)
        def pieces(text: str) -> tuple[int, ...]:
            ids = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
            return tuple(ids)

        return pieces

    @property
    def start(self) -> int:
        """The piece that every text begins with."""
        return int(self._start)

    @property
    def longest(self) -> int:
        """How many pieces the network can read, the start among them."""
        return self._longest

    def read(
        self, rows: Sequence[Sequence[int]], prefix: Sequence[int] = (), unscored: int = 0
    ) -> Trunks:
        """Read texts of which variants are to be scored.

        Args:
            rows: The pieces of each text, the start among them.
            prefix: Pieces that each text begins with; they are read once and remembered.
            unscored: How many pieces behind the prefix need no probabilities, which cost a
                fifth of all; no variant begins there.
        """
        return Trunks(self._reader, rows, self._start, self._read_prefix(tuple(prefix)), unscored)

    @cached_property
    def _read_prefix(self) -> Callable[[tuple[int, ...]], Prefix | None]:
        @lru_cache(maxsize=4)
        def read(ids: tuple[int, ...]) -> Prefix | None:
            import torch

            if not ids:
                return None
            with torch.inference_mode():
                output = self._model(
                    input_ids=torch.tensor([ids], device=self._device), use_cache=True
                )
            log_probs = output.logits[:, -1:].float().log_softmax(-1).cpu()
            return Prefix(len(ids), output.past_key_values, log_probs)

        return read


class Prefix(NamedTuple):
    """What a language model remembers of pieces that many texts begin with.

    Args:
        length: How many they are.
        cache: Keys and values, of transformers; never changed.
        log_probs: For what follows the last one, (1, 1, vocabulary).
    """

    length: int
    cache: Any
    log_probs: torch.Tensor


def _copy(cache: Any) -> Any:
    """Copy what a language model remembers; what it reads is put behind in new tensors."""
    other = copy(cache)
    other.layers = [copy(layer) for layer in cache.layers]
    return other


class Trunks:
    """Texts that a language model has read once, with all that their variants share.

    Args:
        model: Of transformers; its positions may be told, as those of Llama, Qwen or GPT-2.
        rows: The pieces of each text, the start among them.
        fill: What shorter rows are filled up with.
        prefix: What all rows begin with, if it was read before.
        unscored: Pieces behind the prefix without probabilities.
    """

    def __init__(
        self,
        model: Any,
        rows: Sequence[Sequence[int]],
        fill: int,
        prefix: Prefix | None = None,
        unscored: int = 0,
    ) -> None:
        import torch

        self._model, self._rows, self._fill = model, rows, fill
        self._width = max(map(len, rows))
        skip = prefix.length if prefix else 0
        self._known = max(1, skip + unscored)
        ids = torch.tensor([[*row[skip:], *[fill] * (self._width - len(row))] for row in rows])
        cache = None
        if prefix:
            cache = _copy(prefix.cache)
            cache.batch_repeat_interleave(len(rows))
        scored = {"logits_to_keep": ids.shape[1] - unscored + 1} if unscored else {}
        with torch.inference_mode():
            output = model(
                input_ids=ids.to(model.device), past_key_values=cache, use_cache=True, **scored
            )
            self._cache = output.past_key_values
            log_probs = output.logits.float().log_softmax(-1).cpu()
            if prefix and not unscored:
                first = prefix.log_probs.expand(len(rows), -1, -1)
                log_probs = torch.cat([first, log_probs], 1)
            self._log_probs: torch.Tensor = log_probs

    def log_prob(self, row: int, after: int, piece: int) -> float:
        """Look up how likely a piece is after so many pieces of a text, the prefix among them."""
        return float(self._log_probs[row, after - self._known, piece])

    def losses(self, row: int) -> list[float]:
        """Compute the surprise of each piece of a text that is scored."""
        ids = self._rows[row]
        return [-self.log_prob(row, k, ids[k]) for k in range(self._known, len(ids))]

    def score(self, branches: Sequence[Sequence[Branch]]) -> list[list[list[float]]]:
        """Compute the log probability of each piece of each branch, the branches of each text.

        All branches of a text are one row: each sees the text up to where it begins, and itself.
        Once only.
        """
        import torch

        size = max((sum(len(b.ids) - 1 for b in row) for row in branches), default=0)
        count = len(self._rows)
        scores = [
            [[self.log_prob(n, b.after, b.ids[0])] for b in row] for n, row in enumerate(branches)
        ]
        if not size:
            return scores
        inputs = [[piece for b in row for piece in b.ids[:-1]] for row in branches]
        targets = [[piece for b in row for piece in b.ids[1:]] for row in branches]
        after = [[b.after for b in row for _ in b.ids[1:]] for row in branches]
        positions = [[b.after + k for b in row for k in range(len(b.ids) - 1)] for row in branches]
        owners = [[k for k, b in enumerate(row) for _ in b.ids[1:]] for row in branches]

        def table(rows: Sequence[Sequence[int]], fill: int) -> torch.Tensor:
            filled = [[*row, *[fill] * (size - len(row))] for row in rows]
            return torch.tensor(filled, device=self._model.device)

        # Whatever fills up must see something, or it is not a number.
        shared = torch.arange(self._width) < table(after, 1).cpu()[:, :, None]
        owner = table(owners, -1).cpu()
        of_branch = (owner[:, :, None] == owner[:, None]) & torch.ones(size, size).tril().bool()
        dtype = self._model.dtype
        mask = torch.zeros(count, 1, size, self._width + size, dtype=dtype)
        mask.masked_fill_(~torch.cat([shared, of_branch], 2)[:, None], torch.finfo(dtype).min)
        with torch.inference_mode():
            logits = self._model(
                input_ids=table(inputs, self._fill),
                position_ids=table(positions, 0),
                attention_mask=mask.to(self._model.device),
                past_key_values=self._cache,
                use_cache=True,
            ).logits
            # Twelve times as fast on a CPU as logsumexp, which is not vectorised.
            log_probs = logits.float().log_softmax(-1)
            values = log_probs.gather(2, table(targets, 0)[:, :, None])[:, :, 0].tolist()
        for row, pieces, line in zip(scores, branches, values, strict=True):
            numbers = iter(line)
            for branch, score in zip(pieces, row, strict=True):
                score += islice(numbers, len(branch.ids) - 1)
        return scores


class Regressor(TextScorer[float]):
    """The one number that a classifier with one class gives."""

    def __init__(self, place: str, longest: int) -> None:
        need_torch()
        from transformers import AutoModelForSequenceClassification

        super().__init__(place, AutoModelForSequenceClassification, longest=longest)
        if self._model.config.num_labels != 1:
            raise GecbenchError(
                f"{place}: gives {self._model.config.num_labels} numbers for a text; a model that "
                "was trained to give one is needed"
            )

    def _compute(self, texts: Sequence[Texts]) -> list[float]:
        numbers: list[float] = self._model(**self._encode(texts)).logits[:, 0].tolist()
        return numbers


class Encoder(TextScorer["torch.Tensor"]):
    """One vector for each text: the mean of the last layer over its pieces."""

    def __init__(self, place: str, longest: int) -> None:
        need_torch()
        from transformers import AutoModel

        options = without_pooler(load_config(place))
        super().__init__(place, AutoModel, longest=longest, **options)

    def similarity(self, first: Sequence[str], second: Sequence[str]) -> list[float]:
        """The cosine of the vectors of each two texts."""
        import torch
        from torch.nn.functional import cosine_similarity

        if not first:
            return []
        left, right = (
            torch.stack(self.values([(text,) for text in texts])) for texts in (first, second)
        )
        cosines: list[float] = cosine_similarity(left, right).tolist()
        return cosines

    def _compute(self, texts: Sequence[Texts]) -> list[torch.Tensor]:
        inputs = self._encode(texts)
        seen = inputs["attention_mask"].unsqueeze(2)
        states = self._model(**inputs).last_hidden_state
        means = (states * seen).sum(1) / seen.sum(1)
        return list(means.cpu())


class BertScore(TextScorer[float]):
    """BERTScore's F of two texts: pieces are paired by the cosine of their vectors in a layer.

    Zhang, Kishore, Wu, Weinberger and Artzi, ICLR 2020, section 3, without weights of pieces and
    without rescaling; met is bert-score 0.3.13. Marks at the ends of a text can be paired with
    pieces, but do not count themselves. A text without pieces has 0.
    """

    def __init__(self, place: str, layer: int) -> None:
        need_torch()
        from transformers import AutoModel

        config = load_config(place)
        layers = getattr(config, "num_hidden_layers", 0)
        if not 0 <= layer <= layers:
            raise GecbenchError(f"{place}: has layers 0 to {layers}, not {layer}; set another")
        super().__init__(place, AutoModel, **without_pooler(config))
        self._layer = layer

    def is_cut(self, text: Texts) -> bool:
        """Whether one of the texts is longer than what is read of it."""
        return any(TextScorer.is_cut(self, (part.strip(),)) for part in text)

    def _compute(self, texts: Sequence[Texts]) -> list[float]:
        import torch

        candidates, candidate_weights, known = self._vectors([text[:1] for text in texts])
        others, other_weights, others_known = self._vectors([text[1:] for text in texts])
        cosines = candidates @ others.transpose(1, 2)
        cosines = cosines.masked_fill(~(known[:, :, None] & others_known[:, None]), -1.0)
        precision = (cosines.amax(2) * candidate_weights).sum(1)
        recall = (cosines.amax(1) * other_weights).sum(1)
        values: list[float] = torch.nan_to_num(
            2 * precision * recall / (precision + recall), nan=0.0
        ).tolist()
        return values

    def _vectors(self, texts: Sequence[Texts]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Vectors of length 1 of the pieces of texts, the weight of each, and which there are."""
        import torch
        from torch.nn.functional import normalize

        inputs = self._encode([(text.strip(),) for (text,) in texts])
        states = self._model(**inputs, output_hidden_states=True).hidden_states[self._layer]
        ids, known = inputs["input_ids"], inputs["attention_mask"].bool()
        marks = [self._tokenizer.cls_token_id, self._tokenizer.sep_token_id]
        counts = known & ~torch.isin(ids, torch.tensor([m for m in marks if m is not None]).to(ids))
        weights = counts / counts.sum(1, keepdim=True).clamp(min=1)
        return normalize(states, dim=-1), weights, known


@lru_cache(maxsize=2)
def bert_score(place: str, layer: int) -> BertScore:
    """Load the encoder of BERTScore, once."""
    return BertScore(place, layer)


@lru_cache(maxsize=2)
def language_model(place: str, precision: str = "fp32") -> LanguageModel:
    """Load a causal language model, once."""
    return LanguageModel(place, precision)


@lru_cache(maxsize=6)
def regressor(place: str, longest: int) -> Regressor:
    """Load a regressor, once."""
    return Regressor(place, longest)


@lru_cache(maxsize=2)
def encoder(place: str, longest: int) -> Encoder:
    """Load an encoder, once."""
    return Encoder(place, longest)
