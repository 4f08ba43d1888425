"""`api.prepare`: every step does what it says, every count adds up, and the seed decides all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages import expect_error
from prepared_rows import A2, B2, C2, A, B, C, balanced, dropped, prepare_rows, read_output, table

from gecbench.api.training_data import prepare
from gecbench.core.errors import UsageError
from gecbench.core.files import read_lines
from gecbench.datasets.prepare import prepare as preparing
from gecbench.datasets.prepare.recipe import Recipe
from gecbench.datasets.prepare.steps import cut_pair, distance, split_pair
from gecbench.formats.reading import read


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


class TestPairs:
    def test_each_reference_is_a_pair_and_states_are_counted(self):
        rows = (
            f"1\t{A}\t{A2}\t我昨天去公园了。",
            f"2\t{B2}\t没有错误",
            f"3\t{C}\t无法标注\t{C2}",
            "4\t好吧",
        )
        manifest = prepare_rows(*rows, format="mucgec", keep_correct=1.0)
        assert read_output() == [
            f"{A}\t{A2}",
            f"{A}\t我昨天去公园了。",
            f"{B2}\t{B2}",
            f"{C}\t{C2}",
        ]
        (corpus,) = manifest.corpora
        assert (corpus.sentences, corpus.without_reference, corpus.unannotatable, corpus.pairs) == (
            4,
            1,
            1,
            4,
        )
        assert balanced(manifest)

    def test_columns_of_pairs_can_be_chosen_and_more_are_targets(self):
        table("n.tsv", f"1\t2\t{A}\t{A2}\t我去公园玩。", f"2\t1\t{B}\t{B2}\t")
        prepare(
            output="out.tsv",
            corpora={"n": {"path": "n.tsv", "format": "pairs", "columns": ["3", "4"]}},
            settings={"shuffle": "false"},
            format="pairs",
        )
        assert read_output() == [f"{A}\t{A2}", f"{A}\t我去公园玩。", f"{B}\t{B2}"]

    def test_the_language_may_be_any(self):
        corpora = {"c": {"path": table("c.tsv", "Ich gehst .\tIch gehe ."), "format": "pairs"}}
        prepare(output="out.jsonl", corpora=corpora, settings={"language": "de"})
        assert read(Path("out.jsonl")).lang == "de"

    def test_parallel_files_weights_and_limits(self):
        table("src", A, B, C)
        table("tgt", A2, B2, C2)
        manifest = prepare(
            output="out.jsonl",
            corpora={
                "p": {"path": "src", "references": ["tgt"], "limit": 2, "weight": "2"},
                "q": {"path": table("q.tsv", f"{C}\t{C2}"), "format": "pairs"},
            },
            settings={"shuffle": False},
        )
        rows = read(Path("out.jsonl")).samples
        assert [row.source for row in rows] == [A, B, A, B, C]
        assert [row.meta["corpus"] for row in rows] == [*"pppp", "q"]
        assert [corpus.written for corpus in manifest.corpora] == [4, 1]
        assert balanced(manifest)

    def test_edits_that_overlap_are_counted(self):
        text = (
            "S a b c\nA 0 2|||R|||x|||REQUIRED|||-NONE-|||0\n"
            "A 1 3|||R|||y|||REQUIRED|||-NONE-|||0\nA 0 1|||R|||z|||REQUIRED|||-NONE-|||1\n"
        )
        Path("c.m2").write_text(text, encoding="utf-8")
        manifest = prepare(
            output="out.tsv",
            corpora={"c": {"path": "c.m2", "format": "m2-maxmatch"}},
            format="pairs",
        )
        assert (manifest.corpora[0].inapplicable, manifest.corpora[0].pairs) == (1, 1)
        assert read_output() == ["a b c\tz b c"]


class TestSteps:
    def test_pairs_without_an_error_are_dropped_or_a_share_stays(self):
        rows = [f"第{n}句话没有错。\t第{n}句话没有错。" for n in range(200)] + [f"{A}\t{A2}"]
        assert dropped(prepare_rows(*rows)) == {"correct": 200}
        half = prepare_rows(*rows, keep_correct="0.5")
        assert 70 < half.corpora[0].kept < 130
        output = set(read_output())
        prepare_rows(*reversed(rows), keep_correct=0.5)
        assert set(read_output()) == output  # the choice does not depend on the order
        prepare_rows(*rows, keep_correct=0.5, seed=2)
        assert set(read_output()) != output
        assert prepare_rows(*rows, keep_correct=1.0).corpora[0].kept == 201

    def test_control_characters(self):
        rows = (f"{A}\x07\t{A2}", f"{B}\t{B2}", "\x07\t\x07a")
        assert dropped(prepare_rows(*rows)) == {"control": 2}
        assert dropped(prepare_rows(*rows, control="remove")) == {"empty": 1}
        assert read_output() == [f"{A}\t{A2}", f"{B}\t{B2}"]
        assert prepare_rows(*rows[:2], control="keep").corpora[0].kept == 2

    def test_empty_sides_are_dropped(self):
        assert dropped(prepare_rows(f"\t{A2}", f"{A}\t　", f"{B}\t{B2}")) == {"empty": 2}

    def test_changes_of_texts_come_first_and_are_named(self):
        recipe = Recipe(normalise=("halfwidth", "squeeze"), shuffle=False)
        table("c.tsv", "ＡＢ　Ｃ\tAB  C", "ＡＢ\tＡＣ")
        manifest = prepare(
            recipe,
            output="out.tsv",
            corpora={"c": {"path": "c.tsv", "format": "pairs"}},
            format="pairs",
        )
        assert dropped(manifest) == {"correct": 1}
        assert read_output() == ["AB\tAC"]
        assert manifest.normalise == ("halfwidth", "squeeze")

    def test_evaluation_sets_are_changed_as_the_pairs_are(self):
        table("list.txt", "It Was  Cold Yesterday.", "他说：“我不去。”")
        recipe = Recipe(normalise=("lower", "punctuation"), filter=("list.txt",), shuffle=False)
        table(
            "c.tsv", "It Was Cold Yesterday.\tx", "他说：“我不去”\t他说：“我不去。”", f"{A}\t{A2}"
        )
        corpora = {"c": {"path": "c.tsv", "format": "pairs"}}
        manifest = prepare(recipe, output="out.tsv", corpora=corpora, format="pairs")
        assert dropped(manifest) == {"evaluation source": 1, "evaluation target": 1}
        assert manifest.evaluation_sentences == manifest.evaluation[0].sentences == 2

    def test_blanks_at_the_ends_are_no_error(self):
        assert dropped(prepare_rows(f"{A2} \t{A2}", f"{B2}\t　{B2}", "a lot\talot")) == {
            "correct": 2
        }
        assert read_output() == ["a lot\talot"]

    def test_evaluation_sets_are_filtered_on_both_sides(self):
        corpus = table("test.tsv", f"1\t{B}\t{B2}", f"2\t{C2}")
        plain = table("list.txt", "我 昨天去公园完。")
        rows = (f"{A}\t{A2}", f"他是一个学升。\t{B2}", f"{C}\t{C2}", "猫很可矮。\t猫很可爱。")
        manifest = prepare_rows(*rows, filters=(corpus, plain))
        assert dropped(manifest) == {"evaluation source": 1, "evaluation target": 2}
        assert [(entry.file.path, entry.sentences) for entry in manifest.evaluation] == [
            ("test.tsv", 3),
            ("list.txt", 1),
        ]
        assert read_output() == ["猫很可矮。\t猫很可爱。"]

    def test_near_ones_too_with_examples(self):
        table("list.txt", "今天天气很好，我们一起去公园散步。")
        rows = ("今天天气很好，我们一起去公园散歩。\t好。", f"{A}\t{A2}")
        manifest = prepare_rows(*rows, filters=("list.txt",), near=0.7)
        assert dropped(manifest) == {"near source": 1}
        (example,) = manifest.near_examples
        assert (example.corpus, example.side, example.text) == ("c", "source", rows[0][:-3])
        assert example.similarity == 14 / 18

    def test_ratio_and_share_of_changes(self):
        rows = ("好啊好啊\t好", "好\t好啊好啊", "我们走吧\t他来了啊", f"{A}\t{A2}")
        assert dropped(prepare_rows(*rows, least_ratio=0.5, most_ratio=2.0)) == {"ratio": 2}
        assert dropped(prepare_rows(*rows, most_changed=0.6)) == {"changed": 3}

    def test_duplicates(self):
        rows = (f"{A}\t{A2}", f"{A}\t{A2}", f"{A}\t我去公园。")
        assert dropped(prepare_rows(*rows)) == {}
        assert dropped(prepare_rows(*rows, duplicates="pair")) == {"duplicate": 1}
        assert dropped(prepare_rows(*rows, duplicates="source")) == {"duplicate": 2}


class TestLong:
    LONG = f"{A}{B}{C}\t{A2}{B2}{C2}"

    def test_dropped_or_kept(self):
        assert dropped(prepare_rows(self.LONG, f"{A}\t{A2}", longest=20)) == {"too long": 1}
        assert prepare_rows(self.LONG, longest=20, too_long="keep").corpora[0].kept == 1

    def test_split_into_sentences_that_correspond(self):
        manifest = prepare_rows(self.LONG, longest=20, too_long="split")
        assert read_output() == [f"{A}\t{A2}", f"{B}\t{B2}", f"{C}\t{C2}"]
        assert (manifest.corpora[0].split, manifest.corpora[0].pieces) == (1, 2)
        assert balanced(manifest)

    def test_what_is_too_long_to_be_aligned_is_not_split(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("gecbench.datasets.prepare.steps._MOST_CELLS", 150)
        assert split_pair(f"{A}{B}", f"{A2}{B2}") is not None
        assert split_pair(f"{A}{B}{C}", f"{A2}{B2}{C2}") is None
        assert cut_pair(f"{A}{B}{C}", f"{A2}{B2}{C2}", 20) is None
        rows = (f"{A}{B}{C}\t{A2}{B2}{C2}", f"{A}\t{A2}")
        assert dropped(prepare_rows(*rows, most_changed=0.9)) == {"too long": 1}

    def test_not_split_where_sides_do_not_correspond(self):
        joined = f"{A}{B}{C}\t{A2[:-1]}，{B2}{C2}"
        assert dropped(prepare_rows(joined, f"{A}\t{A2}", longest=20, too_long="split")) == {
            "too long": 1
        }
        assert split_pair(f"{A}{B}", f"{B2}{A2}") is None  # as many, but in another order

    def test_pieces_go_through_the_filter_too(self):
        table("list.txt", B2)
        manifest = prepare_rows(self.LONG, longest=20, too_long="split", filters=("list.txt",))
        assert dropped(manifest) == {"evaluation target": 1}
        assert balanced(manifest)

    def test_cut_behind_the_last_sentence_that_fits(self):
        manifest = prepare_rows(self.LONG, longest=20, too_long="cut")
        assert read_output() == [f"{A}{B}\t{A2}{B2}"]
        assert manifest.corpora[0].cut == 1
        assert dropped(prepare_rows(self.LONG, "猫。\t狗。", longest=5, too_long="cut")) == {
            "too long": 1
        }
        assert cut_pair(f"{A}{B}", f"{A2[:-1]}，{B2}", 10) is None
        assert cut_pair("猫坐在那里。狗跑。", "猫坐在。那里。狗跑。", 7) is None  # one end more
        assert cut_pair("猫坐在那。狗跑。", "狗跑过来。狗跑。", 7) is None  # another sentence

    def test_distances_are_those_of_the_slow_way(self):
        def slowly(first: str, other: str) -> int:
            row = list(range(len(other) + 1))
            for i, a in enumerate(first, 1):
                last, row[0] = row[0], i
                for j, b in enumerate(other, 1):
                    last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
            return row[-1]

        words = ["", "我", "我们", "们我", "你们我们", "我😀们我", "我们你我们", "们们我你"]
        assert all(distance(a, b) == slowly(a, b) for a in words for b in words)


class TestOrder:
    ROWS = tuple(f"第{n}个句字。\t第{n}个句子。" for n in range(50))

    def test_the_seed_decides_the_order_and_nothing_else_does(self):
        first = prepare_rows(*self.ROWS, shuffle=True)
        before = read_output()
        again = prepare_rows(*self.ROWS, shuffle=True)
        assert read_output() == before
        assert first == again
        prepare_rows(*self.ROWS, shuffle=True, seed=2)
        assert read_output() != before
        assert sorted(read_output()) == sorted(before) == sorted(self.ROWS)

    def test_the_order_is_the_same_on_every_machine(self):
        prepare_rows(*self.ROWS[:6], shuffle=True)
        assert [row[1] for row in read_output()] == list("453102")

    def test_sentences_put_aside_are_not_trained_on(self):
        more = [f"第{n}个句字。\t第{n}句。" for n in range(50)]
        spaced = [f"第 {n} 个句字。\t这是第{n}句。" for n in range(50)]
        manifest = prepare(
            output="out.jsonl",
            corpora={
                "c": {
                    "path": table("c.tsv", *self.ROWS, *more, *spaced),
                    "format": "pairs",
                    "weight": 3,
                }
            },
            settings={"dev": "10"},
        )
        dev, train = read(Path("out.dev.jsonl")).samples, read(Path("out.jsonl")).samples
        packed = {sample.source.replace(" ", "") for sample in dev}
        assert len(packed) == 10
        assert packed.isdisjoint(sample.source.replace(" ", "") for sample in train)
        assert len(dev) == 20  # with blanks and without
        assert {len(sample.references) for sample in dev} == {1, 2}
        assert len(train) == 3 * 120
        assert manifest.corpora[0].dev == 30
        assert [output.sentences for output in manifest.outputs] == [360, 20]
        assert balanced(manifest)

    def test_the_same_sentences_are_put_aside_in_another_order(self):
        prepare_rows(*self.ROWS, dev=5)
        aside = set(read_output("out.dev.tsv"))
        prepare_rows(*reversed(self.ROWS), dev=5)
        assert set(read_output("out.dev.tsv")) == aside
        prepare_rows(*self.ROWS, dev=5, seed=9)
        assert set(read_output("out.dev.tsv")) != aside


@pytest.mark.slow
def test_several_processes_take_the_steps_as_one_does(monkeypatch: pytest.MonkeyPatch):
    texts = [f"{A}{B}{C}\t{A2}{B2}{C2}", f"{A}\t{A}", "\t好", f"{B}{B}\t{B2}{B2}"]
    rows = [*texts, *(f"第{n % 90}个句字。\t第{n % 90}个句子。" for n in range(300)), *texts]
    table("list.txt", C, "第13个句了。")
    settings = {"longest": 20, "too_long": "split", "duplicates": "pair", "dev": 7, "near": 0.5}
    alone = prepare_rows(*rows, filters=("list.txt",), **settings)
    written = [Path(name).read_bytes() for name in ("out.tsv", "out.dev.tsv")]
    assert {"duplicate", "near source", "correct", "empty"} <= dropped(alone).keys()
    monkeypatch.setattr(preparing, "_BATCH", 20)
    monkeypatch.setattr(preparing, "_PAYS", 100)
    monkeypatch.setattr(preparing, "cores", lambda: 2)
    for jobs in (2, None):
        assert prepare_rows(*rows, filters=("list.txt",), jobs=jobs, **settings) == alone
        assert written == [Path(name).read_bytes() for name in ("out.tsv", "out.dev.tsv")]
    with expect_error(UsageError, "jobs", "0"):
        prepare_rows(*rows, jobs=0)


def test_the_manifest_says_what_the_files_are():
    manifest = prepare_rows(f"{A}\t{A2}", f"{B2}\t{B2}", dev=0)
    data = json.loads(Path("out.tsv.manifest.json").read_text("utf-8"))
    assert data["schema"] == 1
    assert data["corpora"][0]["files"][0]["path"] == "c.tsv"
    assert data["recipe"]["seed"] == 1
    from hashlib import sha256

    assert data["outputs"][0]["sha256"] == sha256(Path("out.tsv").read_bytes()).hexdigest()
    assert (
        data["corpora"][0]["files"][0]["sha256"] == sha256(Path("c.tsv").read_bytes()).hexdigest()
    )
    assert data["corpora"][0]["dropped"]["correct"] == 1
    assert data["outputs"][0]["sentences"] == manifest.outputs[0].sentences == 1


@pytest.mark.golden
def test_all_of_mucgec_is_filtered_by_its_list(shared: Path):
    """Specs/models.md 1.7: 1,137 of 1,137 dev and 6,000 of 6,000 test inputs stand in the list."""
    folder = shared / "data" / "mucgec"
    inputs = [
        line.split("\t")[1]
        for name in ("MuCGEC_dev.txt", "MuCGEC_test.txt")
        for line in read_lines(folder / name)
    ]
    rows = [f"{source}\t{source}也" for source in inputs]
    manifest = prepare_rows(*rows, f"{A}\t{A2}", filters=(str(folder / "filter_sentences.txt"),))
    assert manifest.evaluation_sentences == 7131
    assert dropped(manifest) == {"evaluation source": 7137}
    assert read_output() == [f"{A}\t{A2}"]


@pytest.mark.golden
def test_fcgec_becomes_pairs(shared: Path):
    manifest = prepare(
        "fcgec",
        output="out.jsonl",
        corpora={"fcgec": {"path": str(shared / "data" / "fcgec" / "FCGEC_valid.json")}},
        filters=[shared / "data" / "mucgec" / "filter_sentences.txt"],
    )
    (corpus,) = manifest.corpora
    assert (corpus.sentences, corpus.pairs, corpus.kept) == (2000, 898 + 1645, 1641)
    assert corpus.dropped["correct"] == 898 + 4
    assert balanced(manifest)
