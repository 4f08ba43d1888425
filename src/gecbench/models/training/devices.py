"""Devices of a run: accelerate's accelerator, and weights sharded over several devices (FSDP2)."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any, cast

import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from accelerate.tracking import get_available_trackers
from accelerate.utils import TorchDynamoPlugin

from gecbench.core.errors import UsageError
from gecbench.models.training.config import RunConfig

_OTHERS = {"FSDP": "FSDP", "DEEPSPEED": "DeepSpeed", "MEGATRON_LM": "Megatron-LM"}
"""What `accelerate launch` may ask for, by the end of its variable: it does not fit our loop."""


def build_accelerator(config: RunConfig, run: Path) -> Accelerator:
    """Build the accelerator of a run, on every process of it.

    Raises:
        UsageError: The configuration asks for what this machine, or its own rest, does not allow.
    """
    precision, devices = config.training.precision, config.devices
    if precision == "fp16" and not torch.cuda.is_available():
        raise UsageError(
            'training.precision "fp16" needs a GPU, and torch sees none; use "bf16" or "no"'
        )
    if devices.strategy == "fsdp" and (precision == "fp16" or devices.compile):
        option = "devices.compile" if devices.compile else 'training.precision "fp16"'
        raise UsageError(
            f'devices.strategy "fsdp" does not go with {option}; leave out one of them'
        )
    for ending, name in _OTHERS.items():
        if os.environ.get(f"ACCELERATE_USE_{ending}", "false").lower() == "true":
            raise UsageError(
                f"accelerate launch asks for {name}, which gecbench does not train with; take that "
                'out of its configuration, and write devices.strategy = "fsdp" to shard the weights'
            )
    # accelerate leaves out without an error what is not installed.
    available = {str(tracker) for tracker in get_available_trackers()}
    if missing := [name for name in config.tracking.trackers if name not in available]:
        raise UsageError(
            f"tracking.trackers names {missing[0]}, which is not installed; run: "
            f"pip install {missing[0]}"
        )
    # Its state is one for the whole process; the run before may have had another precision.
    AcceleratorState._reset_state()
    # Without being told so, accelerate lets each process of torchrun train alone on a CPU.
    on_cpu = not torch.accelerator.is_available()
    return Accelerator(
        mixed_precision=precision,
        cpu=on_cpu,
        # Batches differ in length: compiled for one shape, each length would be compiled again.
        dynamo_plugin=TorchDynamoPlugin(
            backend="inductor" if devices.compile else "no", dynamic=True
        ),
        log_with=list(config.tracking.trackers) or None,
        project_dir=run,
    )


def checkpoint_activations(network: torch.nn.Module) -> None:
    """Let networks of transformers compute activations again in the backward pass.

    Raises:
        UsageError: No part of the network can.
    """
    able = [m for m in network.modules() if getattr(m, "supports_gradient_checkpointing", False)]
    for module in able:
        cast("Any", module).gradient_checkpointing_enable({"use_reentrant": False})
    if not able:
        raise UsageError(
            "devices.gradient_checkpointing is for encoders and models of transformers; this "
            "network has none that can do it"
        )


def shard_network(network: torch.nn.Module, accelerator: Accelerator) -> torch.nn.Module:
    """Copy a network, each device keeping a share of every weight (FSDP2).

    torch's own `fully_shard` is called, for accelerate's FSDP does not run on CPUs, where it is
    tested. Weights stay in 32 bits and are computed with as without sharding. Each layer that
    transformers names as one is gathered when it is needed, and the rest all at once.
    """
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    copied = copy.deepcopy(network)
    mesh = init_device_mesh(accelerator.device.type, (accelerator.num_processes,))
    names = {name for m in copied.modules() for name in getattr(m, "_no_split_modules", None) or ()}
    for module in [m for m in copied.modules() if type(m).__name__ in names]:
        fully_shard(module, mesh=mesh)
    fully_shard(copied, mesh=mesh)
    return copied


def is_sharded(config: RunConfig, accelerator: Accelerator) -> bool:
    """Say whether each device has a share of the network alone."""
    return config.devices.strategy == "fsdp" and bool(accelerator.num_processes > 1)


def gather(tensor: torch.Tensor) -> torch.Tensor:
    """Put a tensor of a sharded network together; all devices have to ask for it."""
    from torch.distributed.tensor import DTensor

    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def shard_like(tensor: torch.Tensor, parameter: torch.Tensor) -> torch.Tensor:
    """Shard a whole tensor as a parameter of a sharded network is; all devices have to."""
    from torch.distributed.tensor import DTensor, distribute_tensor

    sharded = cast("DTensor", parameter)
    return distribute_tensor(tensor, sharded.device_mesh, sharded.placements)


def batches_per_step(config: RunConfig, accelerator: Accelerator) -> int:
    """Count the batches of a step, on all devices."""
    devices: int = accelerator.num_processes
    return config.training.accumulation * devices
