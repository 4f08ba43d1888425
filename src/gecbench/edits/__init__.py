"""Language-neutral algorithms over token sequences."""
