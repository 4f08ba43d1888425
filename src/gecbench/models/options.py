"""Options of correctors and configurations of training: see `formats.config`."""

from __future__ import annotations

from gecbench.formats.config import Options, configured, options_of, read_toml, toml_of

__all__ = ["Options", "configured", "options_of", "read_toml", "toml_of"]
