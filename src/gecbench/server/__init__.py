"""The browser's front door: the annotation platform, a Django site in one process."""
