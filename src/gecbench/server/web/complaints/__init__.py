"""Complaints: the list, the discussion of one, and its decision; "problems" in addresses."""
