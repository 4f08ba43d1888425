"""The verbs of the Python API; the only place that turns names into objects."""
