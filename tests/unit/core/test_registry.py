"""Names to objects, and the door of the package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from messages import expect_error

import gecbench
from gecbench.api.files import sample
from gecbench.api.options import Options, SchemeSpec
from gecbench.backends import SEGMENTERS
from gecbench.core import registry
from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.core.registry import GROUPS, is_known, resolve
from gecbench.core.score import Counts, total
from gecbench.formats import FORMATS, load_format
from gecbench.lang import SCHEMES
from gecbench.lang.en import PIPELINE
from gecbench.lang.zh.char import scheme as zh_char
from gecbench.metrics import METRICS
from gecbench.models import CorrectorKind, load_corrector

TABLE = {"counts": "gecbench.core.score:Counts", "total": "gecbench.core.score:total"}


def test_a_name_gives_its_object():
    assert resolve("thing", "counts", TABLE) is Counts
    assert resolve("thing", "total", TABLE) is total


def test_an_unknown_name_is_answered_with_the_nearest():
    with expect_error(UnknownNameError, "thing", "'count'", "counts"):
        resolve("thing", "count", TABLE)


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another distribution, as pip would install it, with an object of each kind."""
    (tmp_path / "other.py").write_text("thing = format = object()\n")
    (tmp_path / "xml_format.py").write_text(
        "from dataclasses import replace\n"
        "from gecbench.formats.lines import FORMAT as lines\n"
        "FORMAT = replace(lines, name='xml')\n"
    )
    (tmp_path / "broken.py").write_text("import a_package_that_there_is_not\n")
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    groups = [f"[{group}]\nmine = other:thing\n" for group in GROUPS.values()]
    groups[list(GROUPS).index("format")] += "xml = xml_format:FORMAT\nbad = broken:FORMAT\n"
    (info / "entry_points.txt").write_text("\n".join(groups))
    monkeypatch.syspath_prepend(str(tmp_path))
    for module in ("other", "xml_format", "broken"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    registry._entry_points.cache_clear()
    yield
    registry._entry_points.cache_clear()


@pytest.mark.usefixtures("other_package")
@pytest.mark.parametrize("kind", GROUPS)
def test_another_package_offers_objects_by_entry_points(kind):
    import other

    assert resolve(kind, "mine", TABLE) is other.thing
    assert is_known(kind, "mine", TABLE)
    with pytest.raises(UnknownNameError, match=r"did you mean mine\?"):
        resolve(kind, "minee", TABLE)


@pytest.mark.usefixtures("other_package")
def test_our_own_names_come_first():
    assert resolve("format", "mine", {"mine": "gecbench.core.score:Counts"}) is Counts


@pytest.mark.usefixtures("other_package")
def test_only_documented_kinds_have_entry_points():
    with pytest.raises(UnknownNameError):
        resolve("thing", "mine", TABLE)
    assert not is_known("thing", "mine", TABLE)


@pytest.mark.usefixtures("other_package")
def test_a_format_of_another_package_reads_and_writes(tmp_path):
    (tmp_path / "corpus.xml").write_text("a b\n")
    corpus = gecbench.load(tmp_path / "corpus.xml", format="xml")
    assert corpus.samples[0].source == "a b"
    assert load_format("xml").write(corpus) == {"": "a b\n"}


@pytest.mark.usefixtures("other_package")
def test_a_corpus_is_converted_to_a_format_of_another_package(run, tmp_path):
    (tmp_path / "corpus.txt").write_text("a b\n")
    words = ("convert", tmp_path / "corpus.txt", "-o", tmp_path / "corpus.xml", "--to")
    assert run(*words, "xml")[0] == 0
    assert (tmp_path / "corpus.xml").read_text() == "a b\n"
    code, _, message = run(*words, "xmll")
    assert (code, "did you mean xml?" in message) == (2, True)


@pytest.mark.usefixtures("other_package")
def test_a_corrector_of_another_package_is_loaded(monkeypatch):
    import other

    monkeypatch.setattr(other, "thing", lambda place, options: (place, options))
    assert load_corrector("mine") == ("", {})
    assert load_corrector("mine:here", {"a": "b"}) == ("here", {"a": "b"})


@pytest.mark.usefixtures("other_package")
def test_a_folder_and_an_ensemble_take_a_corrector_of_another_package(monkeypatch, tmp_path):
    import other

    copying = load_corrector("copying")
    places = []
    monkeypatch.setattr(other, "thing", lambda place, _: places.append(place) or copying)
    (tmp_path / "gecbench.json").write_text('{"schema": 1, "kind": "mine"}')
    assert load_corrector(str(tmp_path)) is copying
    members = "".join(f'[[members]]\ncorrector = "{spec}"\n' for spec in ("mine", "mine:there"))
    (tmp_path / "two.toml").write_text(f'rule = "votes"\ntokens = "zh"\n{members}')
    (tmp_path / "there").mkdir()
    load_corrector(f"ensemble:{tmp_path / 'two.toml'}")
    assert places == [str(tmp_path), "", str(tmp_path / "there")]


@pytest.mark.usefixtures("other_package")
def test_a_scheme_of_another_package_has_options_and_resources(monkeypatch, tmp_path):
    import other

    contexts = []

    def scheme(context, *, strategy: str = "all", parse_cache: Path | None = None):
        contexts.append(context)
        return replace(zh_char(), signature={"strategy": strategy, "parses": str(parse_cache)})

    monkeypatch.setattr(other, "thing", scheme)
    chosen = gecbench.load_scheme(
        "mine", strategy="first", types=False, places=gecbench.Places(cache=tmp_path)
    )
    assert chosen.signature == {"strategy": "first", "parses": "None"}
    (context,) = contexts
    assert (context.types, context.cache_folder()) == (False, tmp_path)
    assert context.reader(PIPELINE, None).version.startswith("en_gecbench_small")
    with pytest.raises(UnknownNameError, match="did you mean cherrant"):
        context.resource("cherant", "cilin.txt")
    with pytest.raises(UsageError, match="scheme mine has no option simplify"):
        gecbench.load_scheme("mine", simplify=False)


@pytest.mark.usefixtures("other_package")
def test_a_scheme_of_another_package_says_whether_it_reads_data_sets(run, monkeypatch):
    import other

    words = ("score", sample("zh", "corpus.jsonl"), sample("zh", "eager.txt"), "--scheme", "mine")
    monkeypatch.setattr(other, "thing", lambda _: replace(zh_char(), data_sets=("mucgec",)))
    assert run(*words, "--mirror", "m")[0] == 0
    monkeypatch.setattr(other, "thing", lambda _: zh_char())
    assert run(*words)[0] == 0
    code, _, message = run(*words, "--mirror", "m")
    assert (code, "leave --mirror out" in message) == (2, True)


@pytest.mark.usefixtures("other_package")
@pytest.mark.parametrize(
    ("factory", "why"),
    [
        (lambda: None, "too many positional arguments"),
        (lambda _context, words: words, "'words'"),
        (lambda _context, *, strategy: strategy, "'strategy'"),
        (object(), "not a callable"),
    ],
)
def test_a_factory_of_schemes_that_does_not_fit_is_the_mistake_of_its_package(
    run, monkeypatch, factory: object, why: str
):
    import other

    monkeypatch.setattr(other, "thing", factory)
    with expect_error(UsageError, "'mine' of package other", why, "SchemeContext"):
        gecbench.load_scheme("mine")
    code, _, message = run("score", sample("zh", "corpus.jsonl"), sample("zh", "eager.txt"),
                           "--scheme", "mine")  # fmt: skip
    assert (code, "package other" in message) == (2, True)


def test_whether_a_corrector_takes_a_place_is_one_of_three_words():
    with expect_error(UsageError, "'sometimes'", "required, optional, none"):
        CorrectorKind(lambda _place, _options: load_corrector("copying"), "sometimes")


@pytest.mark.usefixtures("other_package")
def test_corrections_are_written_in_a_format_of_another_package(run, tmp_path):
    (tmp_path / "in.txt").write_text("a b\n")
    words = ("correct", "copying", tmp_path / "in.txt", "-o", tmp_path / "out.xml", "--to")
    assert run(*words, "xml")[0] == 0
    assert any(path.read_text() == "a b\n" for path in tmp_path.glob("out.xml*"))
    code, _, message = run(*words, "xmll")
    assert (code, "did you mean xml?" in message) == (2, True)


@pytest.mark.usefixtures("other_package")
def test_a_package_that_cannot_be_imported_is_named_with_the_reason():
    with pytest.raises(UsageError, match=r"other.*broken:FORMAT.*a_package_that_there_is_not"):
        resolve("format", "bad", FORMATS)


def test_our_own_names_are_found_without_looking_at_other_packages():
    code = (
        "import sys; from gecbench.formats import load_format; load_format('m2'); "
        "sys.exit('importlib.metadata' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_entry_of_every_table_can_be_imported():
    for table in (FORMATS, SCHEMES, METRICS, SEGMENTERS):
        assert all(resolve("entry", name, table) for name in table)


def test_every_public_name_resolves():
    for name in gecbench.__all__:
        assert getattr(gecbench, name) is not None


@pytest.mark.usefixtures("other_package")
def test_options_take_names_that_another_package_offers():
    assert Options(metrics=("mine",)).metrics == ("mine",)
    assert SchemeSpec("mine").name == "mine"
    with pytest.raises(UnknownNameError):
        Options(metrics=("yours",))
