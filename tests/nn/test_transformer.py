"""Transformers: causal, step by step with a cache, and named as Paddle's."""

from __future__ import annotations

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import nn
from teachgraph.core.errors import InvalidValueError


def numbers(*shape: int) -> tg.Tensor:
    values = np.random.default_rng(sum(shape)).normal(size=shape)
    return tg.to_tensor(values.astype("float32"))


@pytest.fixture
def net() -> nn.Transformer:
    tg.seed(0)
    return nn.Transformer(8, 2, 2, 2, 16, dropout=0.0)


def test_a_causal_mask_lets_nobody_see_what_comes(net: nn.Transformer) -> None:
    src, tgt = numbers(2, 5, 8), numbers(2, 4, 8)
    mask = net.generate_square_subsequent_mask(4)
    whole = net(src, tgt, tgt_mask=mask).numpy()
    changed = tgt.numpy()
    changed[:, 2:] = 7.0
    other = net(src, tg.to_tensor(changed), tgt_mask=mask).numpy()
    np.testing.assert_allclose(whole[:, :2], other[:, :2], atol=1e-6)
    assert np.abs(whole[:, 2:] - other[:, 2:]).max() > 0.1


def test_step_by_step_with_a_cache_gives_the_same(net: nn.Transformer) -> None:
    memory, tgt = net.encoder(numbers(2, 5, 8)), numbers(2, 4, 8)
    mask = net.generate_square_subsequent_mask(4)
    whole = net.decoder(tgt, memory, tgt_mask=mask).numpy()
    cache = net.decoder.gen_cache(memory)
    for t in range(4):
        out, cache = net.decoder(tgt[:, t : t + 1], memory, cache=cache)
        np.testing.assert_allclose(out.numpy()[:, 0], whole[:, t], atol=1e-5)


def test_a_bool_mask_is_as_good_as_minus_infinity(net: nn.Transformer) -> None:
    x = numbers(2, 3, 8)
    allowed = tg.to_tensor(np.tril(np.ones((3, 3), bool)))
    as_numbers = net.generate_square_subsequent_mask(3)
    one, other = net.encoder(x, allowed), net.encoder(x, as_numbers)
    np.testing.assert_allclose(one.numpy(), other.numpy(), atol=1e-6)


def test_each_layer_has_parameters_of_its_own(net: nn.Transformer) -> None:
    first, second = net.encoder.layers
    assert first.linear1.weight is not second.linear1.weight
    assert first.linear1.weight.tolist() != second.linear1.weight.tolist()
    assert len(net.parameters()) == len(net.state_dict()) == 16 * 2 + 26 * 2 + 4
    assert "decoder.layers.1.cross_attn.q_proj.weight" in net.state_dict()


def test_weights_are_given_back_if_asked_for() -> None:
    out, weights = nn.MultiHeadAttention(8, 2, need_weights=True)(numbers(2, 3, 8))
    assert out.shape == [2, 3, 8]
    assert weights.shape == [2, 2, 3, 3]
    np.testing.assert_allclose(weights.numpy().sum(-1), 1.0, rtol=1e-5)


def test_it_learns_to_copy() -> None:
    tg.seed(1)
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
    head = nn.Linear(8, 8)
    x = numbers(4, 3, 8)
    parameters = [*layer.parameters(), *head.parameters()]
    optimizer = tg.optimizer.Adam(0.01, parameters=parameters)
    losses = []
    for _ in range(60):
        loss = nn.functional.mse_loss(head(layer(x)), x)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]


def test_heads_must_share_the_features_evenly() -> None:
    with pytest.raises(InvalidValueError, match="multiple of num_heads"):
        nn.MultiHeadAttention(10, 4)


def test_keys_and_values_are_projected_and_parted_in_heads() -> None:
    attention = nn.MultiHeadAttention(4, 2)
    x = numbers(1, 3, 4)
    keys, values = attention.compute_kv(x, x * 2.0)
    wanted = attention.v_proj(x * 2.0).numpy().reshape(1, 3, 2, 2)
    np.testing.assert_allclose(values.numpy(), wanted.transpose(0, 2, 1, 3), rtol=1e-6)
    assert keys.shape == [1, 2, 3, 2]
