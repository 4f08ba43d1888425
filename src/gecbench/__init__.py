"""gecbench."""
