"""The default guidelines, and how Markdown becomes safe HTML."""
