"""The loss of robust training again, slowly: one sentence, one place, one word at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode


def log_probabilities(logits: Sequence[float]) -> list[float]:
    highest = max(logits)
    total = math.fsum(math.exp(row - highest) for row in logits)
    return [row - highest - math.log(total) for row in logits]


def slow_loss(
    task: Any,
    pairs: Sequence[Any],
    examples: Sequence[Any],
    *,
    robust: Any,
    labels_of: Callable[[Any], dict[int, int]],
    smoothing: float = 0.0,
) -> tuple[float, float]:
    """Return the whole loss, and the divergence in it.

    Args:
        task: What learns, without what makes it robust.
        pairs: Of which the loss is.
        examples: Of their originals and perturbed ones, by turns.
        robust: Its options.
        labels_of: From an example to which token each place is to predict.
        smoothing: Of labels.
    """
    likelihood = apart = 0.0
    for k, pair in enumerate(pairs):
        first, second = examples[2 * k : 2 * k + 2]
        sides = []
        for item in (first, second):
            rows = task.outputs(task.module, task.collate([item]))[0].tolist()
            sides.append([log_probabilities(row) for row in rows])
            for place, label in labels_of(item).items():
                row = sides[-1][place]
                likelihood -= (1 - smoothing) * row[label] + smoothing * math.fsum(row) / len(row)
        for i, j in task.matches(pair, first, second, robust):
            p, q = sides[0][i], sides[1][j]
            there = math.fsum(math.exp(a) * (a - b) for a, b in zip(p, q, strict=True))
            back = math.fsum(math.exp(b) * (b - a) for a, b in zip(p, q, strict=True))
            apart += (there + back) / 2
    return likelihood + robust.alpha * apart, apart


def check_gradients(task: Any, robust_task: Any, batch: Any, names: Sequence[str]) -> None:
    """Compare some gradients with differences of the loss: both in 64 bits."""
    import torch

    parameters = dict(task.module.named_parameters())
    robust_task.loss(task.module, batch).backward()
    for name in names:
        parameter = parameters[name]
        flat, gradient = parameter.data.view(-1), parameter.grad.view(-1)
        for place in {0, int(gradient.abs().argmax())}:
            rest, step = flat[place].item(), 1e-6
            values = []
            for moved in (rest + step, rest - step):
                flat[place] = moved
                with torch.no_grad():
                    values.append(robust_task.loss(task.module, batch).item())
            flat[place] = rest
            result = (values[0] - values[1]) / (2 * step)
            assert math.isclose(result, gradient[place].item(), rel_tol=1e-5, abs_tol=1e-6), name
    task.module.zero_grad()


class Widest(TorchDispatchMode):
    """Remembers how many rows of logits were ever held at once in 32 bits."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.vocabulary, self.rows = vocabulary, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        import torch

        result = func(*args, **(kwargs or {}))
        for item in result if isinstance(result, tuple | list) else (result,):
            wide = isinstance(item, torch.Tensor) and item.dtype == torch.float32
            if wide and item.dim() > 1 and item.shape[-1] == self.vocabulary:
                self.rows = max(self.rows, item.numel() // self.vocabulary)
        return result


@contextmanager
def widest(vocabulary: int):
    with Widest(vocabulary) as mode:
        yield mode


class Killed(BaseException):
    """What a test throws in the place of a signal."""


def dying(task: Any, after: int) -> Any:
    """Let a task die in its so many-th batch of training."""
    import torch

    real, left = task.likelihood, after

    def likelihood(outputs, batch):
        nonlocal left
        left -= torch.is_grad_enabled()
        if left < 0:
            raise Killed
        return real(outputs, batch)

    task.likelihood = likelihood
    return task
