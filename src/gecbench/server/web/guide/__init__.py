"""The guideline: page, drawer, search, acknowledging."""
