"""The first page: what is to be done today, in which project."""
