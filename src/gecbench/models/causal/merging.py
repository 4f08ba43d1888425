"""An adapter and its base as one plain model, which needs neither peft nor the base."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gecbench.backends.hf import tokenizer_of
from gecbench.core.errors import UsageError
from gecbench.models.causal.config import Precision
from gecbench.models.causal.loading import located, network_of
from gecbench.models.causal.network import need_peft
from gecbench.models.folder import whole_folder, write_card


def merge(adapter: Path, into: Path, *, base: str = "", precision: Precision = "fp32") -> None:
    """Write a whole model made of an adapter and its base.

    Args:
        adapter: Folder of the adapter.
        into: Folder to be made; it must not be there.
        base: Of the adapter, where it has moved.
        precision: Of the weights that are written; less than fp32 rounds what was learnt.

    Raises:
        UsageError: There is no adapter in the folder.
        GecbenchError: It does not fit its base, or the folder cannot be made.
    """
    need_peft()
    if not (adapter / "adapter_config.json").is_file():
        raise UsageError(
            f"{adapter}: holds no adapter (adapter_config.json), so there is no merging"
        )
    found = located(str(adapter), base)
    own = (adapter / "tokenizer.json").is_file()
    with whole_folder(into) as folder:
        tokenizer_of(str(adapter) if own else found.base).save_pretrained(str(folder))
        merged = network_of(found, precision).merge_and_unload(safe_merge=True)
        merged.save_pretrained(str(folder), safe_serialization=True)
        if found.card and found.settings:
            settings = msgspec.structs.replace(found.settings, base="", base_hash="")
            card = msgspec.structs.replace(
                found.card,
                settings=msgspec.to_builtins(settings),
                made={**found.card.made, "merged": f"{found.base} with {adapter.name}"},
            )
            write_card(folder, card)
