"""Where a site lives on disk, how it is served and saved."""
