"""Tasks of grammatical error correction for lm-evaluation-harness: YAML, and what it calls."""
