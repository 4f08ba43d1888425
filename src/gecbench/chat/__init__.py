"""Asking chat servers: profiles, calls that are made again, the cache of answers, the session."""
