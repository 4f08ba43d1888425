"""The papers' experiments: from data and checkpoints by name to the finished table."""
