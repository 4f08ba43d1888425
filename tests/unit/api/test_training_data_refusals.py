"""`api.prepare` says in one line what is wrong, leaves nothing behind, and knows its recipes."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error
from prepared_rows import A2, B2, A, B, prepare_rows, read_output, table

from gecbench.api.training_data import prepare
from gecbench.core.errors import CorpusError, FormatError, GecbenchError, UsageError
from gecbench.datasets.prepare import prepare as running
from gecbench.datasets.prepare.recipe import RECIPES, load_recipe
from gecbench.formats.validation import list_packaged


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


class TestRefused:
    @pytest.mark.parametrize(
        ("settings", "line"),
        [
            ({"longst": 3}, "unknown key of recipes 'longst'; did you mean longest"),
            (
                {"longest": "x"},
                "option longest of recipes: it is a string, 'x'; expected",
            ),
            ({"too_long": "chop"}, "option too_long of recipes: it is 'chop'"),
            ({"corpus": "x"}, "unknown key of recipes 'corpus'"),
            ({"language": "deutsch"}, "language 'deutsch' is no ISO 639 code"),
            ({"near": 2}, "option near of recipes: it is 2; expected float <= 1.0"),
            ({"dev": 1}, "dev = 1 leaves no sentence to train on, for only 1 different source"),
            ({"dev": 5}, "dev = 5 leaves no sentence to train on"),
            ({"least_ratio": 3, "most_ratio": 2}, "most_ratio 2.0 is below least_ratio 3.0"),
        ],
    )
    def test_wrong_values(self, settings: dict[str, object], line: str):
        with pytest.raises(UsageError) as error:
            prepare_rows(f"{A}\t{A2}", **settings)
        assert line in str(error.value)
        assert sorted(path.name for path in Path().iterdir()) == ["c.tsv"]

    @pytest.mark.parametrize(
        ("corpora", "line"),
        [
            ({}, "there is no corpus; name one, as --corpus hsk=hsk.tsv"),
            ({"x": {"path": "no.tsv"}}, "no.tsv: no such file; check the path"),
            ({"x": {"path": "."}}, ".: is a folder; name a file in it"),
            ({"x": {"path": "-"}}, "standard input cannot be prepared"),
            ({"x": {"path": "/dev/null"}}, "/dev/null: is a pipe or a device; files are read"),
            ({"x": {"weight": 2}}, "unknown corpus 'x'"),
            (
                {"x": {"path": "c.tsv", "weight": 0}},
                "option weight of a corpus: it is 0; expected",
            ),
            ({" ": {"path": "c.tsv"}}, "a corpus is called ' '; give it a name"),
            ({"x": {"path": "c.tsv", "format": "pears"}}, "unknown format 'pears'"),
            (
                {"x": {"path": "c.tsv", "format": "pairs", "columns": [2, 1]}},
                "the source stands in column 2, the first target in column 1",
            ),
            (
                {"x": {"path": "c.tsv", "references": ["c.tsv"], "format": "m2"}},
                "reference files go with format lines, not m2",
            ),
            (
                {"x": {"path": "c.tsv", "format": "pairs", "columns": [1, 3]}},
                "c.tsv:1: there are 2 columns, but the target stands in column 3",
            ),
            ({"x": {"path": "empty", "format": "pairs"}}, "empty:1: the file is empty"),
            ({"x": {"path": "empty"}}, "empty:1: the file is empty"),
            ({"x": {"path": "lines"}}, "no sentence has a reference, so there is no pair"),
            ({"x": {"path": "same", "format": "pairs"}}, "of 1 pair none is left"),
            ({"x": {"path": "c.tsv", "references": ["lines"]}}, "lines: 1 line, but c.tsv has 2"),
            ({"x": {"path": "long"}}, "here it is --from x=pairs"),
        ],
    )
    def test_wrong_corpora(self, corpora: dict[str, dict[str, object]], line: str):
        files = {"c.tsv": f"{A}\t{A2}\n{B}\t{B2}\n", "empty": "", "lines": "好\n"}
        files |= {"same": "好\t好\n", "long": f"{A}\t{A2}\n"}
        for name, content in files.items():
            Path(name).write_text(content, encoding="utf-8")
        with pytest.raises(GecbenchError) as error:
            prepare(output="out.jsonl", corpora=corpora)
        assert line in str(error.value)
        assert "\n" not in str(error.value)
        assert not [path for path in Path().iterdir() if path.name not in files]

    def test_wrong_places(self):
        corpora = {"c": {"path": table("c.tsv", f"{A}\t{A2}"), "format": "pairs"}}
        for output, dev, line in (
            ("-", None, "prepared data goes to files"),
            ("c.tsv", None, "c.tsv: is read and would be written over"),
            ("no/x.jsonl", None, "the folder no does not exist"),
            ("x.jsonl", "y", "the recipe puts no sentences aside"),
        ):
            with pytest.raises(GecbenchError, match=line):
                prepare(output=output, corpora=corpora, dev_output=dev)
        with expect_error(UsageError, "x", "written twice"):
            prepare(output="x", corpora=corpora, settings={"dev": 1}, dev_output="x")
        with expect_error(UsageError, "'m2'"):
            prepare(output="x", corpora=corpora, format="m2")
        with expect_error(FormatError, "no sentence"):
            prepare(output="x", corpora=corpora, filters=[table("blank", " ")])

    def test_a_text_that_the_output_cannot_hold_leaves_nothing(self):
        Path("c.jsonl").write_text(
            '{"format": "gecbench-corpus", "schema": 1, "name": "c"}\n'
            '{"id": "1", "source": "a\\nb", "references": [{"text": "c"}]}\n',
            encoding="utf-8",
        )
        with expect_error(CorpusError, "sample '1'", "line end"):
            prepare(
                output="out.tsv",
                corpora={"c": {"path": "c.jsonl"}},
                settings={"control": "keep"},
                format="pairs",
            )
        assert [path.name for path in Path().iterdir()] == ["c.jsonl"]

    def test_an_interruption_leaves_nothing(self, monkeypatch: pytest.MonkeyPatch):
        def interrupted(*_: object):
            raise KeyboardInterrupt

        corpora = {"c": {"path": table("c.tsv", f"{A}\t{A2}"), "format": "pairs"}}
        with pytest.raises(KeyboardInterrupt):
            prepare(output="out.tsv", corpora=corpora, progress=interrupted)
        monkeypatch.setattr(running, "encode_manifest", interrupted)  # all else is written then
        with pytest.raises(KeyboardInterrupt):
            prepare_rows(f"{A}\t{A2}")
        assert [path.name for path in Path().iterdir()] == ["c.tsv"]


class TestRecipes:
    @pytest.mark.parametrize("name", list_packaged(RECIPES))
    def test_packaged_ones_are_whole_and_ask_for_their_corpora(self, name: str):
        recipe = load_recipe(name)
        assert recipe.about
        assert recipe.language
        assert not recipe.filter
        with pytest.raises(UsageError, match=f"add --corpus {recipe.corpus[0].name}=FILE"):
            prepare(name, output="out.jsonl")

    def test_hsk_counts_five_times(self):
        corpora = {corpus.name: corpus.weight for corpus in load_recipe("mucgec").corpus}
        assert corpora == {"lang8": 1, "hsk": 5}

    def test_paths_count_from_the_recipe(self):
        Path("r").mkdir()
        table("r/c.tsv", f"{A}\t{A2}", f"{B}\t{B2}")
        table("r/list.txt", B)
        Path("r/mine.toml").write_text(
            'name = "mine"\nfilter = ["list.txt"]\n'
            '[[corpus]]\nname = "c"\npath = "c.tsv"\nformat = "pairs"\n',
            encoding="utf-8",
        )
        prepare("r/mine.toml", output="out.tsv", format="pairs")
        assert read_output() == [f"{A}\t{A2}"]

    @pytest.mark.parametrize(
        ("content", "line"),
        [
            ('nme = "x"', "r.toml: unknown key 'nme'; did you mean name or"),
            ('[[corpus]]\nnames = "x"', "'corpus.names'; did you mean corpus.name or"),
            (
                '[[corpus]]\nname = "x"\nweight = "5"',
                "r.toml: 'corpus[0].weight' is a string, '5'",
            ),
            ("[[corpus]]\nweight = 5", "r.toml: 'corpus[0].name' is missing; expected a string"),
            ("[x\n\n", "r.toml:1: is not TOML"),
            (
                '[[corpus]]\nname = "x"\n[[corpus]]\nname = "x"',
                "corpus 'x' stands twice in the recipe",
            ),
        ],
    )
    def test_bad_ones(self, content: str, line: str):
        Path("r.toml").write_text(content, encoding="utf-8")
        with pytest.raises(GecbenchError) as error:
            prepare("r.toml", output="out.jsonl")
        assert line in str(error.value)

    def test_unknown_ones(self):
        with expect_error(UsageError, "'mucgc'", "mucgec"):
            prepare("mucgc", output="out.jsonl")
        with expect_error(GecbenchError, "no.toml"):
            prepare("no.toml", output="out.jsonl")

    def test_they_are_packaged(self):
        assert {path.suffix for path in RECIPES.iterdir()} == {".toml"}
