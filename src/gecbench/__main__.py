"""python -m gecbench."""

from __future__ import annotations

from gecbench.cli import main

if __name__ == "__main__":
    main()
