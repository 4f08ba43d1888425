"""What pyproject.toml cannot say: translations, compilers' flags, and the tag of a wheel."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

LOCALE = Path(__file__).parent / "src" / "gecbench" / "server" / "locale"
MSVC_FLAGS = ["/O2", "/std:c++17", "/utf-8"]
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
"""Python without its lock has no stable ABI; kernels are compiled for just that version."""


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


class BuildKernels(build_ext):
    """Compiles with the compiler's own flags: those of pyproject.toml are GCC's and Clang's."""

    def finalize_options(self) -> None:
        """Leave the stable ABI out where there is none, then do what setuptools does."""
        for extension in self.distribution.ext_modules if FREE_THREADED else ():
            extension.py_limited_api, extension.define_macros = False, []
        super().finalize_options()

    def build_extensions(self) -> None:
        """Choose the flags, then do what setuptools does."""
        if self.compiler.compiler_type == "msvc":
            for extension in self.extensions:
                extension.extra_compile_args = MSVC_FLAGS
        super().build_extensions()


class WheelOfWhatWasBuilt(bdist_wheel):
    """Tags a wheel by what is in it.

    One with kernels is `cp311-abi3`, for that Python and later ones; one without is
    `py3-none-any`, for every system.
    """

    def finalize_options(self) -> None:
        """Name the stable ABI where there is one, then do what setuptools does."""
        if not FREE_THREADED:
            self.py_limited_api = "cp311"
        super().finalize_options()

    def run(self) -> None:
        """Build, see whether anything was compiled, then do what setuptools does."""
        if not self.skip_build:
            self.run_command("build")
            self.skip_build = True
        kernels = self.get_finalized_command("build_ext").get_outputs()
        if not any(Path(kernel).exists() for kernel in kernels):
            self.distribution.ext_modules = []  # else files are installed as those of one system
            self.root_is_pure = True
        super().run()


setup(
    cmdclass={
        "build_py": BuildWithTranslations,
        "build_ext": BuildKernels,
        "bdist_wheel": WheelOfWhatWasBuilt,
    }
)
