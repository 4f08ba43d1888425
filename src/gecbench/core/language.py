"""What is particular to a language, in one value; `gecbench.lang` has those that we know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["character", "word"]


@dataclass(frozen=True, slots=True)
class Language:
    """A language as far as gecbench has to know it.

    Args:
        code: ISO 639 code, as "zh"; "xx" is any language.
        name: In English.
        name_zh: In Chinese.
        script: ISO 15924 code of the script that its texts are written in, as "Hans".
        joiner: What stands between the tokens of a text: "" or a blank.
        unit: What lengths are counted in, and n-grams made of.
        tokens: How `gecbench.text.tokens` finds its tokens in a text that nobody has divided.
        scheme: Default scheme of edits.
        metric: Default metric over edits.
        splitter: Name of the rule that splits a text into sentences, in `gecbench.text.splitting`.
        normalisers: Names of the changes of texts that make sense for it, of
            `gecbench.text.normalise`.
    """

    code: str
    name: str
    name_zh: str
    script: str
    joiner: str
    unit: Unit
    tokens: Literal["zh", "en", "space"]
    scheme: str
    metric: str
    splitter: str = "split"
    normalisers: tuple[str, ...] = ("nfc", "nfkc", "lower", "punctuation", "halfwidth", "squeeze")

    def join(self, tokens: tuple[str, ...]) -> str:
        """Return the text of a token sequence."""
        return self.joiner.join(tokens)

    def units(self, text: str) -> tuple[str, ...]:
        """Return what the length of a text is counted in: characters, or words between blanks.

        White space is no character.
        """
        return tuple(text.split()) if self.unit == "word" else tuple("".join(text.split()))
