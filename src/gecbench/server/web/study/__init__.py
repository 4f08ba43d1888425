"""Self-study, and complaints about verdicts."""
