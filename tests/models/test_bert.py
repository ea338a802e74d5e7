"""BERT and ERNIE: the hidden states of Hugging Face's, both modes, masks, training."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import models, nn
from teachgraph.core.errors import ShapeError
from teachgraph.errors import DataError
from tests.models.modes import agree
from tests.static.fresh import fresh

FOLDER = Path(__file__).parent.parent / "oracle/models"

KINDS: dict[str, Any] = {
    "bert": (models.BertModel, models.BertConfig),
    "ernie": (models.ErnieModel, models.ErnieConfig),
}

SMALL = models.BertConfig(
    30, 16, 2, 2, 32, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
)


@cache
def answers() -> Any:
    return json.loads((FOLDER / "bert.json").read_text("utf-8"))


def inputs(name: str) -> dict[str, tg.Tensor]:
    return {key: tg.to_tensor(v) for key, v in answers()[name]["inputs"].items()}


def body(name: str, *, with_pool: bool = True) -> models.BertModel:
    model, config = KINDS[name]
    net: models.BertModel = model(config.of(answers()[name]["config"]), with_pool)
    return net


def loaded(net: Any, name: str) -> Any:
    found = models.load_huggingface(net, FOLDER / f"{name}.safetensors")
    assert found == ([], [])
    return net.eval()


def close(found: tg.Tensor, expected: Any) -> None:
    wanted = np.reshape(expected, found.shape)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-5)


def test_berts_logits_are_those_of_transformers() -> None:
    net = models.BertForSequenceClassification(body("bert"), num_classes=3)
    close(loaded(net, "bert")(**inputs("bert")), answers()["bert"]["logits"])


def test_the_masked_words_scores_are_those_of_transformers() -> None:
    net = models.BertForMaskedLM(body("bert", with_pool=False))
    logits = loaded(net, "bert_masked_lm")(**inputs("bert"))
    close(logits, answers()["bert_masked_lm"]["logits"])


@pytest.mark.parametrize("name", KINDS)
def test_hidden_states_and_pool_are_those_of_transformers(name: str) -> None:
    told, net = answers()[name], body(name)
    if name == "bert":
        net = loaded(models.BertForSequenceClassification(net, 3), "bert").bert
    else:
        loaded(net, name)
    hidden, pooled, states = net(**inputs(name), output_hidden_states=True)
    for state, wanted in zip(states, told["hidden"], strict=True):
        close(state, wanted)
    close(pooled, told["pooled"])
    np.testing.assert_array_equal(hidden.numpy(), states[-1].numpy())
    close(net(inputs(name)["input_ids"])[0], told["alone"])


def test_a_file_of_a_head_is_no_file_of_a_body() -> None:
    file = FOLDER / "bert.safetensors"
    net = body("bert")
    with pytest.raises(DataError, match=r"classifier\.weight"):
        models.load_huggingface(net, file)
    missing, unexpected = models.load_huggingface(net, file, strict=False)
    assert (missing, unexpected) == ([], ["classifier.bias", "classifier.weight"])
    table = net.embeddings.word_embeddings.weight.numpy()
    expected = tg.load(file)["bert.embeddings.word_embeddings.weight"].numpy()
    np.testing.assert_array_equal(table, expected)


def test_old_files_say_gamma_and_beta() -> None:
    state = {
        key.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): value
        for key, value in tg.load(FOLDER / "ernie.safetensors").items()
    }
    net = body("ernie")
    assert models.load_huggingface(net, state) == ([], [])
    close(net.eval()(**inputs("ernie"))[1], answers()["ernie"]["pooled"])


def test_what_a_mask_hides_changes_nothing() -> None:
    tg.seed(0)
    net = models.BertModel(SMALL).eval()
    words, mask = np.array([[2, 5, 7, 0, 0]]), np.array([[1, 1, 1, 0, 0]])
    other = words.copy()
    other[:, 3:] = 9
    given = {"attention_mask": tg.to_tensor(mask)}
    one, _ = net(tg.to_tensor(words), **given)
    two, _ = net(tg.to_tensor(other), **given)
    np.testing.assert_allclose(one.numpy()[:, :3], two.numpy()[:, :3], atol=1e-6)
    alone, _ = net(tg.to_tensor(words[:, :3]))
    np.testing.assert_allclose(one.numpy()[:, :3], alone.numpy(), atol=1e-6)


WORDS = np.array([[2, 5, 7, 0], [2, 9, 11, 3]])
MASK = np.array([[1, 1, 1, 0], [1, 1, 1, 1]])


@pytest.mark.parametrize(
    "mask",
    [
        MASK.astype("bool"),
        MASK.astype("float32"),
        MASK[:, None, None],
        MASK[:, None, None].astype("bool"),
        np.where(MASK, 0.0, -1e9)[:, None, None].astype("float32"),
        np.where(MASK, 0.0, -np.inf)[:, None, None].astype("float32"),
        np.repeat(MASK[:, None], 4, 1),
        np.repeat(np.repeat(MASK[:, None, None], 2, 1), 4, 2),
    ],
    ids=lambda mask: f"{mask.dtype} {list(mask.shape)}",
)
def test_a_mask_may_have_any_of_the_usual_forms(mask: Any) -> None:
    tg.seed(0)
    net, words = models.BertModel(SMALL).eval(), tg.to_tensor(WORDS)
    wanted = net(words, attention_mask=tg.to_tensor(MASK))
    found = net(words, attention_mask=tg.to_tensor(mask))
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), atol=1e-6)


def test_each_word_may_have_a_mask_of_its_own() -> None:
    tg.seed(0)
    net = models.BertModel(SMALL).eval()
    causal = tg.to_tensor(np.tril(np.ones((2, 4, 4), "int64")))
    whole = net(tg.to_tensor(WORDS), attention_mask=causal)[0].numpy()
    for length in (1, 2, 3):
        part = net(
            tg.to_tensor(WORDS[:, :length]), attention_mask=causal[:, :length, :length]
        )[0].numpy()
        np.testing.assert_allclose(whole[:, :length], part, atol=1e-6)


def test_a_mask_of_one_dimension_is_refused() -> None:
    net = models.BertModel(SMALL).eval()
    with pytest.raises(ShapeError, match="attention_mask is"):
        net(tg.to_tensor(WORDS), attention_mask=tg.to_tensor(MASK[0]))


def classified(net: Any, words: Any, mask: Any, label: Any) -> Any:
    logits = net(words, attention_mask=mask)
    return logits, nn.functional.cross_entropy(logits, label)


def guessed(net: Any, words: Any, label: Any) -> Any:
    logits = net(words)
    return logits, models.masked_lm_loss(logits, label)


def test_both_modes_classify_alike_and_take_the_same_step() -> None:
    mask, label = (WORDS != 0).astype(np.int64), np.array([[2], [0]])
    feed = {"words": WORDS, "mask": mask, "label": label}
    agree(
        lambda: models.BertForSequenceClassification(models.BertModel(SMALL), 3),
        classified,
        feed,
    )


def test_both_modes_guess_words_alike_and_take_the_same_step() -> None:
    label = np.full((2, 4, 1), -1)
    label[0, 1], label[1, 2] = 17, 4
    agree(
        lambda: models.BertForMaskedLM(models.BertModel(SMALL, with_pool=False)),
        guessed,
        {"words": WORDS, "label": label},
    )


def test_saved_and_read_it_is_the_same_bit_for_bit(tmp_path: Path) -> None:
    net, file = models.BertForMaskedLM(body("ernie")), tmp_path / "net.pdparams"
    tg.save(net.state_dict(), file)
    other = models.BertForMaskedLM(body("ernie"))
    assert other.set_state_dict(tg.load(file)) == ([], [])
    for key, value in other.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), net.state_dict()[key].numpy())


@pytest.mark.parametrize(
    ("config", "expected"),
    [(models.BertConfig(), 109_482_240), (models.ErnieConfig(), 117_944_832)],
)
def test_the_base_models_have_as_many_parameters_as_in_transformers(
    config: models.BertConfig, expected: int
) -> None:
    """In static mode, where parameters have shapes before they have values."""
    with fresh():
        net = models.BertModel(config)
        assert sum(prod(p.shape) for p in net.parameters()) == expected


def test_words_are_chosen_hidden_and_changed_in_their_shares() -> None:
    tg.seed(3)
    words = np.arange(100_000).reshape(100, 1000) % 50 + 10
    read, label = models.mask_words(words, mask_token_id=4, vocab_size=10)
    chosen = label != -1
    assert abs(chosen.mean() - 0.15) < 0.005
    np.testing.assert_array_equal(label[chosen], words[chosen])
    np.testing.assert_array_equal(read[~chosen], words[~chosen])
    hidden, same = (read == 4)[chosen].mean(), (read == words)[chosen].mean()
    assert abs(hidden - 0.81) < 0.01, "eight tenths, and a tenth of a tenth by chance"
    assert abs(same - 0.1) < 0.01


def test_it_learns_to_fill_in_what_follows_from_the_rest() -> None:
    """Each text is a run such as 5 6 7 8: the neighbours tell the hidden word."""
    tg.seed(0)
    config = replace(SMALL, hidden_size=32, initializer_range=0.1)
    net = models.BertForMaskedLM(models.BertModel(config, with_pool=False))
    optimizer = tg.optimizer.Adam(0.005, parameters=net.parameters())
    words = np.arange(5, 25)[:, None] + np.arange(5)
    losses = []
    for step in range(150):
        place = step % 5
        read, label = words.copy(), np.full_like(words, -1)
        label[:, place], read[:, place] = words[:, place], 4
        loss = models.masked_lm_loss(net(tg.to_tensor(read)), tg.to_tensor(label))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    assert np.mean(losses[-5:]) < 0.1 * np.mean(losses[:5])
