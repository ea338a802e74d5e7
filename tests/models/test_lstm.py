"""LSTMs that read: guesses, generated texts, classes, both modes, training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import models, nn
from teachgraph.core.errors import InvalidValueError
from tests.models.modes import agree

WORDS = np.array([[4, 5, 6, 7], [9, 3, 3, 8]])


@pytest.mark.parametrize("tied", [True, False])
def test_a_text_can_be_read_in_pieces(tied: bool) -> None:
    tg.seed(0)
    net = models.LSTMLanguageModel(10, 8, 8, num_layers=2, tied=tied)
    whole, _ = net(tg.to_tensor(WORDS))
    states, parts = None, []
    for piece in (WORDS[:, :3], WORDS[:, 3:]):
        logits, states = net(tg.to_tensor(piece), states)
        parts.append(logits.numpy())
    np.testing.assert_allclose(np.concatenate(parts, 1), whole.numpy(), atol=1e-6)


def test_a_tied_softmax_is_the_table_of_words() -> None:
    net = models.LSTMLanguageModel(10, 8, 8, tied=True)
    free = models.LSTMLanguageModel(10, 8, 8)
    sizes = [sum(p.size for p in n.parameters()) for n in (free, net)]
    assert sizes[0] - sizes[1] == 10 * 8
    features, _ = net.lstm(net.embedding(tg.to_tensor(WORDS)))
    expected = features.numpy() @ net.embedding.weight.numpy().T
    np.testing.assert_allclose(
        net(tg.to_tensor(WORDS))[0].numpy(), expected, rtol=1e-4, atol=1e-6
    )
    with pytest.raises(InvalidValueError, match="8 and 9"):
        models.LSTMLanguageModel(10, 8, 9, tied=True)


def test_perplexity_is_e_to_the_mean_loss() -> None:
    tg.seed(0)
    net = models.LSTMLanguageModel(10, 8, 8)
    logits = net(tg.to_tensor(WORDS))[0].numpy()[:, :-1].astype(np.float64)
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    found = np.take_along_axis(p, WORDS[:, 1:, None], axis=-1)
    expected = float(np.exp(-np.log(found).mean()))
    assert models.perplexity(net, tg.to_tensor(WORDS)) == pytest.approx(expected, 1e-5)


def test_it_learns_a_text_and_says_it_again() -> None:
    """Counting to seven and back: what follows depends on two words."""
    tg.seed(0)
    text = np.array([*range(8), *range(6, 0, -1)] * 4)
    net = models.LSTMLanguageModel(8, 16, 16, tied=True)
    optimizer = tg.optimizer.Adam(0.02, parameters=net.parameters())
    words = tg.to_tensor(text[None])
    before = models.perplexity(net, words)
    for _ in range(120):
        logits, _ = net(words[:, :-1])
        loss = nn.functional.cross_entropy(logits, words[:, 1:])
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    assert before > 7.0
    assert models.perplexity(net, words) < 1.2
    begin = tg.to_tensor(text[None, :10])
    np.testing.assert_array_equal(
        net.generate(begin, 20, temperature=0.0)[0], text[10:30]
    )
    assert net.training


def test_words_are_drawn_with_their_probabilities() -> None:
    tg.seed(0)
    net = models.LSTMLanguageModel(6, 4, 4)
    begin = np.full((4000, 1), 3)
    logits = net(tg.to_tensor(begin[:1]))[0].numpy()[0, -1].astype(np.float64)
    for heat, top in ((1.0, None), (0.5, None), (1.0, 2)):
        likely = np.where(logits < np.sort(logits)[-(top or 6)], -np.inf, logits)
        p = np.exp(likely / heat) / np.exp(likely / heat).sum()
        found = net.generate(tg.to_tensor(begin), 1, heat, top)
        shares = np.bincount(found[:, 0], minlength=6) / len(begin)
        np.testing.assert_allclose(shares, p, atol=0.03)


def test_the_seed_decides_what_is_said() -> None:
    net = models.LSTMLanguageModel(50, 4, 4)
    said = []
    for seed in (5, 5, 6):
        tg.seed(seed)
        said.append(net.generate(tg.to_tensor([[1]]), 30).tolist())
    assert said[0] == said[1] != said[2]


def test_what_stands_behind_a_texts_end_changes_nothing() -> None:
    tg.seed(0)
    net = models.LSTMClassifier(10, 3, 8, 8, num_layers=2)
    lengths = tg.to_tensor([2, 4])
    other = WORDS.copy()
    other[0, 2:] = 1
    one = net(tg.to_tensor(WORDS), lengths).numpy()
    np.testing.assert_array_equal(one, net(tg.to_tensor(other), lengths).numpy())
    alone = net(tg.to_tensor(WORDS[:1, :2])).numpy()
    np.testing.assert_allclose(one[:1], alone, atol=1e-6)


def told(net: Any, words: Any, label: Any) -> Any:
    logits, _ = net(words)
    return logits, nn.functional.cross_entropy(logits, label)


def classified(net: Any, words: Any, lengths: Any, label: Any) -> Any:
    logits = net(words, lengths)
    return logits, nn.functional.cross_entropy(logits, label)


@pytest.mark.parametrize("tied", [True, False])
def test_both_modes_tell_alike_and_take_the_same_step(tied: bool) -> None:
    feed = {"words": WORDS[:, :3], "label": WORDS[:, 1:, None]}
    agree(lambda: models.LSTMLanguageModel(10, 8, 8, tied=tied), told, feed)


def test_both_modes_classify_alike_and_take_the_same_step() -> None:
    feed = {
        "words": WORDS,
        "lengths": np.array([2, 4]),
        "label": np.array([[2], [0]]),
    }
    agree(lambda: models.LSTMClassifier(10, 3, 8, 8), classified, feed)


def test_it_learns_which_of_two_words_came_first() -> None:
    tg.seed(0)
    rng = np.random.default_rng(0)
    net = models.LSTMClassifier(10, 2, 16, 16)
    optimizer = tg.optimizer.Adam(0.02, parameters=net.parameters())

    def texts(count: int) -> tuple[Any, Any, Any]:
        words = rng.integers(3, 10, (count, 8))
        lengths, label = rng.integers(4, 9, count), rng.integers(0, 2, count)
        for row, length, second in zip(words, lengths, label, strict=True):
            places = np.sort(rng.permutation(length)[:2])
            row[places] = [2, 1] if second else [1, 2]
            row[length:] = 0
        return tuple(map(tg.to_tensor, (words, lengths, label)))

    for _ in range(80):
        words, lengths, label = texts(64)
        loss = nn.functional.cross_entropy(net(words, lengths), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    words, lengths, label = texts(200)
    right = net(words, lengths).numpy().argmax(-1) == label.numpy()
    assert right.mean() > 0.95


@pytest.mark.parametrize("kind", ["tied", "free", "classifier"])
def test_saved_and_read_it_is_the_same_bit_for_bit(kind: str, tmp_path: Any) -> None:
    def build() -> Any:
        if kind == "classifier":
            return models.LSTMClassifier(10, 3, 8, 8)
        return models.LSTMLanguageModel(10, 8, 8, 2, tied=kind == "tied")

    net, other = build(), build()
    tg.save(net.state_dict(), tmp_path / "net.pdparams")
    assert other.set_state_dict(tg.load(tmp_path / "net.pdparams")) == ([], [])
    for key, value in other.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), net.state_dict()[key].numpy())
