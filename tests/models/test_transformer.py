"""The Transformer that translates: caches, masks, searches, and a task it learns."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import models
from teachgraph.core.errors import InvalidValueError
from teachgraph.models.transformer import positions
from tests.models.modes import agree

BOS, EOS, PAD = 0, 1, 2
SIZES = (8, 2, 2, 2, 16, 32)


def build(dropout: float = 0.0, *, weight_sharing: bool = True) -> Any:
    return models.TransformerModel(
        12, 12, *SIZES, dropout=dropout, weight_sharing=weight_sharing
    )


@pytest.fixture
def net() -> Any:
    tg.seed(1)
    return build()


SOURCE = np.array([[5, 7, 9, PAD], [4, 3, 8, 6]])
TARGET = np.array([[BOS, 9, 7, 5], [BOS, 6, 8, 3]])


def test_positions_are_waves_and_a_distance_is_a_turn() -> None:
    table = models.sinusoids(50, 6).astype(np.float64)
    for place, feature in product((0, 3, 49), range(3)):
        angle = place / 10000.0 ** (2 * feature / 6)
        pair = table[place, 2 * feature : 2 * feature + 2]
        np.testing.assert_allclose(pair, [np.sin(angle), np.cos(angle)], atol=1e-6)
    products = table @ table.T
    np.testing.assert_allclose(products[3, 10], products[30, 37], atol=1e-5)


def test_words_are_counted_along_a_row() -> None:
    assert positions(tg.to_tensor(SOURCE)).tolist() == [[0, 1, 2, 3]] * 2


def test_embeddings_are_scaled_and_placed(net: Any) -> None:
    words = tg.to_tensor(SOURCE)
    found = net.src_embedding(words, positions(words)).numpy()
    table = net.src_embedding.table.weight.numpy()
    wanted = 4.0 * table[SOURCE] + models.sinusoids(8, 16)[:4]
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


def test_what_comes_later_or_is_padding_changes_nothing(net: Any) -> None:
    whole = net(tg.to_tensor(SOURCE), tg.to_tensor(TARGET)).numpy()
    later = TARGET.copy()
    later[:, 2:] = 11
    other = net(tg.to_tensor(SOURCE), tg.to_tensor(later)).numpy()
    np.testing.assert_allclose(whole[:, :2], other[:, :2], atol=1e-6)
    assert np.abs(whole[:, 2:] - other[:, 2:]).max() > 0.1
    short = net(tg.to_tensor(SOURCE[:1, :3]), tg.to_tensor(TARGET[:1])).numpy()
    np.testing.assert_allclose(whole[:1], short, atol=1e-5)


@pytest.mark.parametrize("weight_sharing", [True, False])
def test_word_by_word_with_caches_gives_the_same(weight_sharing: bool) -> None:
    net = build(weight_sharing=weight_sharing)
    src, trg = tg.to_tensor(SOURCE), tg.to_tensor(TARGET)
    whole = tg.nn.functional.log_softmax(net(src, trg)).numpy()
    memory, seen = net.encode(src)
    state = net.transformer.decoder.gen_cache(memory), seen
    for t in range(TARGET.shape[1]):
        scores, state = net.next_words(trg[:, t], state)
        np.testing.assert_allclose(scores.numpy(), whole[:, t], atol=1e-5)


def test_one_table_serves_three_times(net: Any) -> None:
    apart = build(weight_sharing=False)
    assert len(apart.parameters()) == len(net.parameters()) + 2
    assert net.src_embedding.table is net.trg_embedding.table
    with pytest.raises(InvalidValueError, match="12 and 13 words"):
        models.TransformerModel(12, 13, *SIZES, weight_sharing=True)


def chances(words: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Log-probabilities of four words, which depend on the last two."""
    seed = 7 * words[-1] + 13 * (words[-2] if len(words) > 1 else 5)
    logits = np.random.default_rng(seed).normal(size=4) * 1.5
    found: np.ndarray[Any, Any] = logits - np.log(np.exp(logits).sum())
    return found


def stepping(words: tg.Tensor, state: Any) -> tuple[tg.Tensor, Any]:
    """The texts so far are the state."""
    texts = np.concatenate([state[0].numpy(), words.numpy()[:, None]], axis=1)
    scores = [chances(tuple(map(int, text))) for text in texts]
    return tg.to_tensor(np.array(scores)), (tg.to_tensor(texts),)


def score(text: tuple[int, ...], start: int) -> float:
    whole = (start, *text)
    return float(sum(chances(whole[:i])[whole[i]] for i in range(1, len(whole))))


def all_texts(length: int) -> list[tuple[int, ...]]:
    """Texts that end with 1, or do not end within `length` words."""
    found = []
    for size in range(1, length + 1):
        for text in product(range(4), repeat=size):
            ended = text[-1] == EOS and EOS not in text[:-1]
            if ended or (size == length and EOS not in text):
                found.append(text)
    return found


@pytest.mark.parametrize("start", [0, 2, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.6])
def test_a_beam_wide_enough_finds_the_best_of_all_texts(
    start: int, alpha: float
) -> None:
    def rank(text: tuple[int, ...]) -> float:
        length = len(text) if text[-1] == EOS else len(text) + 1
        return score(text, start) / ((5 + length) / 6) ** alpha

    best = sorted(all_texts(4), key=rank, reverse=True)
    state = (tg.zeros([1, 0], "int64"),)
    texts, scores = models.beam_search(
        stepping, state, 1, start, EOS, 4, beam_size=200, alpha=alpha
    )
    for place in range(5):
        padded = best[place] + (EOS,) * (4 - len(best[place]))
        assert tuple(texts[0, place]) == padded
        np.testing.assert_allclose(scores[0, place], rank(best[place]), rtol=1e-9)


def test_a_beam_of_one_is_greedy_and_a_wider_one_may_be_better() -> None:
    state, better = (tg.zeros([1, 0], "int64"),), 0
    for start in range(2, 12):
        greedy = models.greedy_search(stepping, state, 1, start, EOS, 4)
        one, low = models.beam_search(stepping, state, 1, start, EOS, 4, 1)
        np.testing.assert_array_equal(one[:, 0], greedy)
        _, high = models.beam_search(stepping, state, 1, start, EOS, 4, 3)
        better += int(high[0, 0] > low[0, 0] + 1e-9)
    assert better > 0


def test_rows_are_searched_as_if_alone() -> None:
    state = (tg.to_tensor(np.array([[3], [2], [0]])),)
    texts, scores = models.beam_search(stepping, state, 3, 2, EOS, 4, 3)
    for row, first in enumerate([3, 2, 0]):
        alone = (tg.to_tensor(np.array([[first]])),)
        text, found = models.beam_search(stepping, alone, 1, 2, EOS, 4, 3)
        length = text.shape[2]
        np.testing.assert_array_equal(texts[row, :, :length], text[0])
        np.testing.assert_allclose(scores[row], found[0])


def test_a_beam_has_at_least_one_text() -> None:
    with pytest.raises(InvalidValueError, match="beam_size is 0"):
        models.beam_search(stepping, (), 1, 0, EOS, 4, 0)


def test_smoothed_labels_cost_what_they_should_and_padding_nothing() -> None:
    logits = np.random.default_rng(0).normal(size=(2, 3, 5))
    labels = np.array([[3, 4, PAD], [0, 1, 3]])
    log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    losses = [
        -(0.9 * row[label] + 0.1 * row.mean())
        for row, label in zip(log_p.reshape(-1, 5), labels.ravel(), strict=True)
        if label != PAD
    ]
    given = tg.to_tensor(logits), tg.to_tensor(labels)
    found = models.smoothed_loss(*given, pad_id=PAD, epsilon=0.1)
    np.testing.assert_allclose(found.item(), np.mean(losses), rtol=1e-7)


def test_the_rate_rises_and_falls(net: Any) -> None:
    optimizer, schedule = models.noam_adam(net, warmup_steps=4, learning_rate=2.0)
    rates = []
    for _ in range(9):
        schedule.step()
        rates.append(optimizer.get_lr())
    expected = [2 * 16**-0.5 * min(t**-0.5, t * 4**-1.5) for t in range(1, 10)]
    np.testing.assert_allclose(rates, expected)


def translated(net: Any, src: Any, trg: Any, label: Any) -> Any:
    logits = net(src, trg)
    return logits, models.smoothed_loss(logits, label, PAD)


@pytest.mark.parametrize("weight_sharing", [True, False])
def test_both_modes_translate_alike_and_take_the_same_step(
    weight_sharing: bool,
) -> None:
    label = np.array([[9, 7, 5, EOS], [6, 8, 3, PAD]])[..., None]
    feed = {"src": SOURCE, "trg": TARGET, "label": label}
    agree(lambda: build(weight_sharing=weight_sharing), translated, feed)


def test_saved_and_read_it_is_the_same_bit_for_bit(net: Any, tmp_path: Any) -> None:
    tg.save(net.state_dict(), tmp_path / "net.pdparams")
    other = build()
    assert other.set_state_dict(tg.load(tmp_path / "net.pdparams")) == ([], [])
    for key, value in other.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), net.state_dict()[key].numpy())


def reversals(count: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Two to four words of eight, and the same in reverse."""
    src, trg = np.full((count, 4), PAD), np.full((count, 5), PAD)
    for source, target in zip(src, trg, strict=True):
        words = 3 + rng.permutation(8)[: rng.integers(2, 5)]
        source[: len(words)], target[: len(words)] = words, words[::-1]
        target[len(words)] = EOS
    return src, trg


def test_it_learns_to_reverse_what_it_reads() -> None:
    tg.seed(0)
    rng = np.random.default_rng(0)
    net = models.TransformerModel(
        11, 11, 8, 1, 1, 4, 32, 64, dropout=0.0, weight_sharing=True
    )
    optimizer, schedule = models.noam_adam(net, warmup_steps=60)
    losses = []
    for _ in range(300):
        src, trg = reversals(64, rng)
        before = np.concatenate([np.full((64, 1), BOS), trg[:, :-1]], axis=1)
        logits = net(tg.to_tensor(src), tg.to_tensor(before))
        loss = models.smoothed_loss(logits, tg.to_tensor(trg), PAD)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        losses.append(loss.item())
    assert np.mean(losses[-20:]) < 0.25 * np.mean(losses[:5])
    src, trg = reversals(100, rng)
    expected = np.where(trg == PAD, EOS, trg)
    for beam_size in (1, 4):
        found = net.translate(tg.to_tensor(src), beam_size, max_length=5)
        right = (found == expected).all(axis=1).mean()
        assert right >= 0.98, beam_size
    assert net.training
