"""Compiles the interface's translations when the package is built; else see pyproject.toml."""

from __future__ import annotations

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

LOCALE = Path(__file__).parent / "src" / "gecbench" / "server" / "locale"


def compile_translations() -> None:
    """Merge the .po files of each language into the django.mo that Django reads."""
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    for folder in sorted(LOCALE.glob("*/LC_MESSAGES")):
        language = folder.parent.name
        merged = Catalog(locale=language)
        for part in sorted(folder.glob("*.po")):
            with part.open("rb") as file:
                for message in read_po(file, locale=language, abort_invalid=True):
                    if message.id and message.string:
                        merged[message.id] = message
        with (folder / "django.mo").open("wb") as file:
            write_mo(file, merged)


class BuildWithTranslations(build_py):
    """Compiles translations before files are copied, or left in place by an editable install."""

    def run(self) -> None:
        """Compile, then do what setuptools does."""
        compile_translations()
        super().run()


setup(cmdclass={"build_py": BuildWithTranslations})
