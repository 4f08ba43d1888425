"""Checkpoints of other toolkits, random ones that the tests write in their layouts."""

from __future__ import annotations

import json
import pickle

import pytest
import torch
from messages import expect_error

from gecbench.core.errors import FormatError, GecbenchError, UnknownNameError, UsageError
from gecbench.models import load_corrector
from gecbench.models.tagger.conversion import convert_tagger
from gecbench.text.tokens import tokens_of

LABELS = ["$KEEP", "$DELETE", "$APPEND_the", "$REPLACE_has", "$TRANSFORM_CASE_CAPITAL"]
TEXTS = ["He go to school every day .", "I has a apple .", "there are many peoples .", "a ( unseen"]


class Bare(torch.nn.Module):
    """The three parts of a checkpoint under the names of gotutiyan/gector."""

    def __init__(self, bert, labels: int) -> None:
        super().__init__()
        self.bert = bert
        self.label_proj_layer = torch.nn.Linear(bert.config.hidden_size, labels)
        self.d_proj_layer = torch.nn.Linear(bert.config.hidden_size, 2)


def random_tagger(place, *, grows: bool, rows: int = len(LABELS) + 1) -> Bare:
    from transformers import BertModel

    torch.manual_seed(5)
    bert = BertModel.from_pretrained(place, add_pooling_layer=False)
    if grows:
        bert.resize_token_embeddings(bert.config.vocab_size + 1, mean_resizing=False)
    tagger = Bare(bert, rows).eval()
    with torch.no_grad():  # so that answers differ from token to token
        tagger.label_proj_layer.weight.mul_(30)
    return tagger


def gotutiyan(folder, place, *, unknown_first: bool = True):
    from transformers import AutoTokenizer

    tagger = random_tagger(place, grows=True)
    tokenizer = AutoTokenizer.from_pretrained(place)
    tokenizer.add_special_tokens({"additional_special_tokens": ["$START"]})
    tokenizer.save_pretrained(folder)
    names = ["<OOV>", *LABELS] if unknown_first else [*LABELS, "<OOV>"]
    config = {
        "model_id": str(place),
        "label2id": {name: k for k, name in enumerate([*names, "<PAD>"])},
        "d_label2id": {"$CORRECT": 0, "$INCORRECT": 1, "<PAD>": 2},
        "max_length": 40,
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    torch.save(tagger.state_dict(), folder / "pytorch_model.bin")
    return tagger, names, tokenizer


@torch.no_grad()
def slow_labels(tagger, names, tokenizer, words, *, start, specials=True):
    """One sentence, token by token; the most probable label that is not the unknown."""
    ids, firsts = ([tokenizer.cls_token_id] if specials else []), []
    for word in [None, *words]:
        firsts.append(len(ids))
        ids += [start] if word is None else tokenizer.encode(word, add_special_tokens=False)
    ids += [tokenizer.sep_token_id] if specials else []
    states = tagger.bert(torch.tensor([ids])).last_hidden_state[0]
    result = []
    for first in firsts:
        logits = tagger.label_proj_layer(states[first])
        error = tagger.d_proj_layer(states[first]).softmax(-1)[1].item()
        logits[names.index("<OOV>") if "<OOV>" in names else names.index("@@UNKNOWN@@")] = -1e9
        value, place = logits.softmax(-1).max(-1)
        result.append((names[place], value.item(), error))
    return result


def our_labels(folder, texts):
    corrector = load_corrector(f"tagger:{folder}", {"rounds": 1})
    return [corrector._tag([tokens_of(text, "en")], 0)[0] for text in texts]


def check_same(folder, tagger, names, tokenizer, **how):
    for text, ours in zip(TEXTS, our_labels(folder, TEXTS), strict=True):
        words = [token.text for token in tokens_of(text, "en")]
        slow = slow_labels(tagger, names, tokenizer, words, **how)
        assert list(ours.labels) == [label for label, _, _ in slow]
        assert ours.scores == pytest.approx([value for _, value, _ in slow], abs=1e-5)
        assert ours.error == pytest.approx(max(error for _, _, error in slow), abs=1e-5)


@pytest.mark.parametrize("unknown_first", [True, False])
def test_a_converted_checkpoint_says_what_it_said(tiny_bert, tmp_path, unknown_first):
    folder = tmp_path / "theirs"
    folder.mkdir()
    tagger, names, tokenizer = gotutiyan(folder, tiny_bert("en"), unknown_first=unknown_first)
    count, notes = convert_tagger(folder, tmp_path / "ours", language="en")
    start = tokenizer.convert_tokens_to_ids("$START")
    check_same(tmp_path / "ours", tagger, names, tokenizer, start=start)
    assert count == len(LABELS) + 1
    assert f"$START is row {start} of the embedding" in notes
    text = {label for row in our_labels(tmp_path / "ours", TEXTS) for label in row.labels}
    assert len(text) > 2
    assert load_corrector(str(tmp_path / "ours")).info.name == "theirs"


def test_safetensors_and_another_place_of_the_encoder(tiny_bert, tmp_path):
    from safetensors.torch import save_file

    folder = tmp_path / "theirs"
    folder.mkdir()
    tagger, names, tokenizer = gotutiyan(folder, tiny_bert("en"))
    (folder / "pytorch_model.bin").unlink()
    save_file(tagger.state_dict(), folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["model_id"] = "nobody/nothing"
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(GecbenchError, match="nobody/nothing: "):
        convert_tagger(folder, tmp_path / "ours", language="en")
    convert_tagger(folder, tmp_path / "ours", language="en", encoder=str(tiny_bert("en")))
    start = tokenizer.convert_tokens_to_ids("$START")
    check_same(tmp_path / "ours", tagger, names, tokenizer, start=start)


@pytest.mark.parametrize("part", ["bert_model", "transformer_model"])
@pytest.mark.parametrize("grows", [True, False])
def test_state_dicts_of_allennlp_are_read(tiny_bert, tmp_path, part, grows):
    from transformers import AutoTokenizer

    place = tiny_bert("en")
    names = [*LABELS, "@@UNKNOWN@@", "@@PADDING@@"]
    tagger = random_tagger(place, grows=grows, rows=len(names))
    with torch.no_grad():
        tagger.label_proj_layer.bias[-1] = -1e9  # what is padding no one shall miss
    state = {}
    for name, tensor in tagger.state_dict().items():
        name = name.replace("label_proj_layer", "tag_labels_projection_layer._module")
        name = name.replace("d_proj_layer", "tag_detect_projection_layer._module")
        if "detect" in name:
            tensor = torch.cat([tensor, torch.randn(2, *tensor.shape[1:])])
        prefix = f"text_field_embedder.token_embedder_bert.{part}."
        state[name.replace("bert.", prefix, 1) if name.startswith("bert.") else name] = tensor
    state["text_field_embedder.token_embedder_bert." + part + ".pooler.dense.bias"] = torch.ones(3)
    torch.save(state, tmp_path / "bert.th")
    (tmp_path / "labels.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    convert_tagger(
        tmp_path / "bert.th",
        tmp_path / "ours",
        language="en",
        encoder=str(place),
        labels=tmp_path / "labels.txt",
    )
    tokenizer = AutoTokenizer.from_pretrained(place)
    start = len(tokenizer) if grows else tokenizer.unk_token_id
    check_same(tmp_path / "ours", tagger, names, tokenizer, start=start, specials=False)


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("a pickle ran code",))


@pytest.fixture
def theirs(tiny_bert, tmp_path):
    """The folder of a checkpoint, and its weights."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    tagger, _, _ = gotutiyan(folder, tiny_bert("en"))
    return folder, tagger.state_dict()


def refuses(folder, message):
    with pytest.raises(GecbenchError, match=message):
        convert_tagger(folder, folder.parent / "ours", language="en")
    assert not (folder.parent / "ours").exists()


def test_bad_weights_are_one_line(theirs):
    folder, state = theirs
    weights = folder / "pytorch_model.bin"
    weights.write_bytes(pickle.dumps({"bert.x": Trap()}))
    refuses(folder, "is no pickle of weights alone")
    for other, message in (
        ({**state, "lm_head.weight": torch.ones(2)}, r"lm_head\.weight is of no tagger that is"),
        (without(state, "d_proj_layer.bias"), r"detection\.bias is missing; this is no whole"),
        (
            without(state, "layer.1.output.dense.bias"),
            r"layer\.1\.output\.dense\.bias is missing: ",
        ),
        (without(state, "word_embeddings"), "has no embedding of words under a known name"),
        ([1], "holds no tensors by name"),
    ):
        torch.save(other, weights)
        refuses(folder, message)
    weights.write_bytes(b"nothing at all")
    refuses(folder, "is no pickle of weights alone|weights cannot be read")
    weights.unlink()
    refuses(folder, r"has neither model\.safetensors nor pytorch_model\.bin")


def without(state, part):
    return {name: tensor for name, tensor in state.items() if part not in name}


def test_a_bad_configuration_is_one_line(theirs):
    folder, _ = theirs
    config = folder / "config.json"
    tables = json.loads(config.read_text(encoding="utf-8"))
    for other, message in (
        ({"label2id": {"$KEEP": 0, "<PAD>": 2}}, "without a gap"),
        ({"label2id": {"<PAD>": 0, "$KEEP": 1}}, "<PAD> is not the last label"),
        ({"label2id": {"$KEEP": 0, "<PAD>": 1}}, "has 6 rows for labels, .* says 1"),
        ({"d_label2id": {"$CORRECT": 0}}, r"d_label2id lacks \$INCORRECT"),
        ({"d_label2id": {"$CORRECT": 0, "$INCORRECT": 4}}, "detection has 2 rows, row 4 is"),
        ({"max_length": 0}, "'max_length' is 0; expected int >= 1"),
        ({"model_id": ""}, "does not say which encoder it has"),
    ):
        config.write_text(json.dumps({**tables, **other}), encoding="utf-8")
        refuses(folder, message)
    config.write_text("{}", encoding="utf-8")
    refuses(folder, "label2id")
    config.write_text("{", encoding="utf-8")
    refuses(folder, r"config\.json:1: not JSON")
    with expect_error(UsageError, str(config), "its config.json"):
        convert_tagger(folder, folder / "ours", language="en", labels=config)
    config.unlink()
    refuses(folder, r"config\.json: no such file")


def test_a_file_of_weights_needs_labels_and_encoder(tmp_path):
    path = tmp_path / "x.th"
    with expect_error(GecbenchError, str(path), "no such file"):
        convert_tagger(path, tmp_path / "ours", language="zh")
    path.write_bytes(b"")
    with expect_error(UsageError, str(path), "labels.txt"):
        convert_tagger(path, tmp_path / "ours", language="zh")
    with expect_error(UsageError, str(path), "the encoder"):
        convert_tagger(path, tmp_path / "ours", language="zh", labels=path)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"label2id": {"$KEEP": 0, "<PAD>": "1"}}, r"config\.json: .*label2id"),
        ({"label2id": {"$KEEP": False, "<PAD>": True}}, r"config\.json: .*label2id"),
        ({"label_pad_token": ["<PAD>"]}, r"config\.json: .*label_pad_token"),
        ({"d_label2id": {"$CORRECT": -1, "$INCORRECT": 1}}, r"config\.json: .*d_label2id"),
        ({"d_label2id": {"$CORRECT": 0, "$INCORRECT": True}}, r"config\.json: .*d_label2id"),
    ],
)
def test_a_config_that_cannot_be_is_one_line(tiny_bert, tmp_path, wrong, message):
    folder = tmp_path / "theirs"
    folder.mkdir()
    gotutiyan(folder, tiny_bert("en"))
    path = folder / "config.json"
    config = {**json.loads(path.read_text(encoding="utf-8")), **wrong}
    path.write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        convert_tagger(folder, tmp_path / "ours", language="en")
    with expect_error(UnknownNameError, "'words'"):
        convert_tagger(folder, tmp_path / "ours", language="en", tokens="words")
