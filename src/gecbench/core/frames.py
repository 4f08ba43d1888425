"""How tables of text are laid out."""


def columns_of(text: str) -> int:
    """Count the columns that a terminal needs; Han characters and the like need two."""
    if text.isascii():
        return len(text)
    import unicodedata

    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    marks = sum(unicodedata.combining(character) > 0 for character in text)
    return len(text) + wide - marks
