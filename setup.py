"""Compiles the interface's translations when the package is built; else see pyproject.toml."""

from __future__ import annotations

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

LOCALE = Path(__file__).parent / "src" / "gecbench" / "server" / "locale"


def compile_translations() -> None:
    """Compile the django.po of each language into the django.mo that Django reads."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    for source in sorted(LOCALE.glob("*/LC_MESSAGES/django.po")):
        with source.open("rb") as file:
            catalog = read_po(file, locale=source.parents[1].name, abort_invalid=True)
        with source.with_suffix(".mo").open("wb") as file:
            write_mo(file, catalog)


class BuildWithTranslations(build_py):
    """Compiles translations before files are copied, or left in place by an editable install."""

    def run(self) -> None:
        """Compile, then do what setuptools does."""
        compile_translations()
        super().run()


setup(cmdclass={"build_py": BuildWithTranslations})
