"""The REST API: what programs may read and do, at /api/v1."""
