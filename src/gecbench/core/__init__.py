"""Types and their invariants; standard library only."""
