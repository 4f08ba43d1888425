"""What takes the place of a word: words of similar frequency, or those of a masked model."""

from __future__ import annotations

from pathlib import Path

import pytest
from masked_models import masked_bert
from messages import expect_error

from gecbench.core.errors import CorpusError, FormatError, GecbenchError, UsageError
from gecbench.datasets.perturb.context import Word, segmenter_splitter, token_splitter
from gecbench.datasets.perturb.fillers import (
    Blank,
    Vocabulary,
    count_words,
    read_vocabulary,
    vocabulary_of,
)

EN = token_splitter("space", None)


def offered(vocabulary: Vocabulary, word: str, tag: str = "", *, initial: bool = False):
    (offer,) = vocabulary.offers([Blank("", "", Word(word, 0, 1, tag, initial))])
    return [word for word in offer.words if word != offer.exclude]


def vocabulary(**counts: int) -> Vocabulary:
    return Vocabulary({(word, ""): count for word, count in counts.items()}, "test")


class TestFrequency:
    def test_words_are_as_frequent(self):
        words = vocabulary(cat=9, dog=15, cow=8, the=900, mouse=16, bee=7)
        assert offered(words, "cat") == ["cow", "dog"]
        assert offered(words, "dog") == ["cat", "cow"]

    def test_or_nearly_where_none_is(self):
        words = vocabulary(a=1, b=2, c=5, the=900, of=100)
        assert offered(words, "of") == ["the"]  # three powers of two away
        assert offered(vocabulary(of=100, a=2), "of") == []

    def test_a_word_that_was_never_counted_is_rare(self):
        assert offered(vocabulary(rare=1, often=99), "unheard") == ["rare"]

    def test_words_look_alike(self):
        words = vocabulary(
            **dict.fromkeys(("cat", "dog", "Rome", "Oslo", "EU", "UN", "1999", "7"), 4)
        )
        assert offered(words, "cat") == ["dog"]
        assert offered(words, "Rome") == ["Oslo"]
        assert offered(words, "EU") == ["UN"]
        assert offered(words, "7") == ["1999"]
        words = vocabulary(书=2, 猫=2, 学校=2, 图书馆=2)
        assert offered(words, "猫") == ["书"]
        assert offered(words, "学校") == []

    def test_and_are_of_one_part_of_speech(self):
        words = Vocabulary({("run", "VB"): 2, ("go", "VB"): 2, ("run", "NN"): 2}, "test")
        assert offered(words, "run", "VB") == ["go"]
        assert offered(words, "run", "NN") == []

    def test_the_first_word_is_counted_as_inside_of_a_sentence(self):
        counts = count_words(EN(["The cat saw the dog", "Rome is old", "the end", "The The The"]))
        assert counts["the", ""] == 4
        assert counts["The", ""] == 2  # as written inside of the last sentence
        assert counts["Rome", ""] == 1
        assert offered(vocabulary(the=2, a=2), "The", initial=True) == ["a"]

    def test_a_table_and_a_text_are_read(self, tmp_path: Path):
        path = tmp_path / "words.tsv"
        path.write_text("cat\t9\ndog\t15\n,\t900\ntwo words\t3\nnone\t0\n", "utf-8")
        assert dict(read_vocabulary(path, EN, tagged=False).counts) == {
            ("cat", ""): 9,
            ("dog", ""): 15,
        }
        path.write_text("a cat , a dog\n" * 1200, "utf-8")
        counts = read_vocabulary(path, EN, tagged=True).counts
        assert counts == {("a", ""): 2400, ("cat", ""): 1200, ("dog", ""): 1200}

    @pytest.mark.parametrize(
        ("text", "tagged", "kind", "line"),
        [
            ("", False, FormatError, "words.tsv:1: the file is empty; give a text, or words TAB"),
            ("cat\t9\ndog", False, FormatError, "words.tsv:2: expected a word, TAB and a count"),
            ("cat\t9\n", True, UsageError, "a table of words has no parts of speech"),
            (", .\n", False, CorpusError, "words.tsv: there is no word in it"),
        ],
    )
    def test_what_is_no_vocabulary_is_refused(self, tmp_path, text, tagged, kind, line):
        path = tmp_path / "words.tsv"
        path.write_text(text, "utf-8")
        with pytest.raises(kind) as error:
            read_vocabulary(path, EN, tagged=tagged)
        assert line in str(error.value)

    def test_its_name_tells_counts_apart(self):
        first, second = vocabulary(cat=1), vocabulary(cat=2)
        assert first.name.startswith("frequency (test, 1 words, sha256 ")
        assert first.name != second.name == vocabulary(cat=2).name

    def test_there_is_a_word(self):
        with expect_error(CorpusError, "x", "no word"):
            vocabulary_of({}, "x")


def test_a_segmenter_must_give_the_text_back():
    with pytest.raises(UsageError, match="does not give back the text that it divides"):
        list(segmenter_splitter("zh", lambda _: [("别的", "")])(["我有书"]))


def test_pieces_that_end_inside_of_a_token_are_no_words():
    (words,) = segmenter_splitter("zh", lambda _: [("我", "r"), ("用ab", "v"), ("c", "x")])(
        ["我用abc"]
    )
    assert words == (Word("我", 0, 1, "r", True),)


class TestMasked:
    def model(self, place: Path, **options):
        from gecbench.backends.transformers import MaskedModel

        return MaskedModel(str(place), device="cpu", **{"chinese": False, **options})

    def likely(self, model, *gaps, count: int = 3):
        from gecbench.backends.transformers import MaskedGap

        return model.likely([MaskedGap(*gap) for gap in gaps], count)

    def test_it_offers_whole_words_alone(self, english_bert: Path):
        model = self.model(english_bert)
        assert "house" in model.vocabulary
        assert not {"##s", "[MASK]", "[unused1]", ",", "."} & set(model.vocabulary)
        ((words, weights),) = self.likely(model, ("the ", " house", 1, ""), count=99)
        assert sorted(words) == sorted(model.vocabulary)
        assert sum(weights) == pytest.approx(1)
        assert list(weights) == sorted(weights, reverse=True)

    def test_never_the_original_in_any_case(self, english_bert: Path):
        model = self.model(english_bert)
        gap = ("the ", " house", 1)
        ((best, _),) = self.likely(model, (*gap, ""), count=1)
        ((words, _),) = self.likely(model, (*gap, best[0].upper()), count=99)
        assert set(words) == set(model.vocabulary) - set(best)

    def test_as_transformers_says_by_itself(self, english_bert: Path):
        import torch
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        model = self.model(english_bert)
        ((words, weights),) = self.likely(model, ("the old ", " saw a dog .", 1, ""), count=4)
        tokenizer = AutoTokenizer.from_pretrained(english_bert)
        inputs = tokenizer("the old [MASK] saw a dog .", return_tensors="pt")
        with torch.inference_mode():
            row = AutoModelForMaskedLM.from_pretrained(english_bert)(**inputs).logits[0, 3]
        codes = tokenizer.convert_tokens_to_ids(list(model.vocabulary))
        best = torch.topk(row[codes], 4)
        assert list(words) == [model.vocabulary[n] for n in best.indices.tolist()]
        assert weights == pytest.approx(torch.softmax(best.values, 0).tolist(), abs=1e-5)

    def test_batches_and_lengths_make_no_difference(self, english_bert: Path):
        gaps = [
            ("the cat saw " * n, " the old house ." * m, 1, "")
            for n, m in ((0, 1), (1, 0), (3, 9), (9, 3), (40, 40), (0, 0))
        ]
        model = self.model(english_bert, batch=2)
        together = self.likely(model, *gaps)
        alone = [self.likely(model, gap)[0] for gap in gaps]
        assert [words for words, _ in together] == [words for words, _ in alone]
        for (_, batched), (_, two) in zip(together, alone, strict=True):
            assert batched == pytest.approx(two, abs=1e-4)

    def test_a_mask_in_the_text_is_not_the_gap(self, english_bert: Path):
        model = self.model(english_bert)
        ids, at = model._ids(self_gap("a [MASK] cat ", " [SEP] saw"))
        assert ids[at] == model._tokenizer.mask_token_id
        assert at == 4

    def test_chinese_characters(self, chinese_bert: Path):
        model = self.model(chinese_bert, chinese=True)
        assert "看" in model.vocabulary
        assert not {"，", "##看"} & set(model.vocabulary)
        ((words, _),) = self.likely(model, ("我去", "。", 2, "学"))
        assert len(words) == 3
        assert "学" not in words

    def test_pieces_of_bytes(self, roberta: Path):
        model = self.model(roberta)
        assert {"cat", "London", "house"} <= set(model.vocabulary)
        ((words, _),) = self.likely(model, ("a ", " saw the house .", 1, "cat"), count=99)
        assert set(words) == set(model.vocabulary) - {"cat"}
        ((words, _),) = self.likely(model, ("a cat " * 30, " saw" * 30, 1, ""))
        assert len(words) == 3

    def test_its_fingerprint_is_of_what_it_knows(self, tmp_path: Path, english_bert: Path):
        from masked_models import EN as WORDS

        copy = masked_bert(tmp_path / "copy", WORDS.split())
        other = masked_bert(tmp_path / "other", WORDS.split(), seed=6)
        prints = [self.model(place).fingerprint for place in (english_bert, copy, other)]
        assert prints[0] == prints[1] != prints[2]

    def test_a_model_without_a_mask_token_is_refused(self, tmp_path: Path, english_bert: Path):
        import json
        import shutil

        place = Path(shutil.copytree(english_bert, tmp_path / "no-mask"))
        tokenizer = json.loads((place / "tokenizer_config.json").read_text("utf-8"))
        from tokenizers import Tokenizer
        from transformers import PreTrainedTokenizerFast

        file = Tokenizer.from_file(str(place / "tokenizer.json"))
        PreTrainedTokenizerFast(tokenizer_object=file, unk_token="[UNK]").save_pretrained(place)
        assert tokenizer["mask_token"] == "[MASK]"
        with pytest.raises(GecbenchError) as error:
            self.model(place)
        assert "no-mask: the model has no mask token, so it cannot fill in words" in str(
            error.value
        )

    def test_so_is_one_of_another_language_or_kind(self, tmp_path: Path, english_bert: Path):
        with expect_error(GecbenchError, str(english_bert), "no Chinese character"):
            self.model(english_bert, chinese=True)
        from transformers import BertForMaskedLM

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(BertForMaskedLM, "get_output_embeddings", lambda _: None)
            with expect_error(GecbenchError, str(english_bert), "scores words"):
                self.model(english_bert)
        with expect_error(GecbenchError, str(tmp_path / "nowhere"), "no such folder"):
            self.model(tmp_path / "nowhere")


def self_gap(before: str, after: str):
    from gecbench.backends.transformers import MaskedGap

    return MaskedGap(before, after)
