"""Activations that draw, and the layers of losses with margins and likelihoods."""

from __future__ import annotations

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.nn import functional

LOGITS = np.log(np.array([0.1, 0.6, 0.3]))


def test_gumbel_draws_each_class_as_often_as_softmax_says() -> None:
    tg.seed(3)
    x = tg.to_tensor(np.tile(LOGITS, (20000, 1)))
    drawn = functional.gumbel_softmax(x, hard=True)
    np.testing.assert_allclose(drawn.mean(0).numpy(), np.exp(LOGITS), atol=0.01)
    assert set(np.unique(drawn.numpy().round(9))) == {0.0, 1.0}


def test_gumbel_is_nearer_to_one_class_where_it_is_colder() -> None:
    x = tg.zeros([1000, 4], "float64")
    warm, cold = (functional.gumbel_softmax(x, t).max(1).mean() for t in (10.0, 0.1))
    np.testing.assert_allclose(functional.gumbel_softmax(x).sum(1).numpy(), 1.0)
    assert warm.item() < 0.35
    assert cold.item() > 0.9


def test_hard_gumbel_has_the_gradient_of_the_soft_one() -> None:
    gradients = []
    for hard in (False, True):
        tg.seed(5)
        x = tg.to_tensor(LOGITS[:, None], stop_gradient=False)
        out = functional.gumbel_softmax(x, 0.7, hard=hard, axis=0)
        (out * tg.to_tensor([[1.0], [2.0], [5.0]], "float64")).sum().backward()
        gradients.append(x.grad.numpy())
    np.testing.assert_allclose(*gradients)
    assert np.abs(gradients[0]).min() > 0.0


def test_gumbel_in_a_program_of_unknown_batch() -> None:
    main = tg.static.Program()
    with tg.static.program_guard(main):
        x = tg.static.data("x", [-1, 3], "float32")
        out = functional.gumbel_softmax(x, hard=True)
    run = tg.static.Executor().run
    (found,) = run(main, {"x": np.zeros((7, 3), "float32")}, [out])
    assert found.shape == (7, 3)
    np.testing.assert_allclose(found.sum(1), 1.0, rtol=1e-6)


def test_random_slopes_lie_between_their_bounds() -> None:
    tg.seed(1)
    x = tg.to_tensor(np.repeat([-1.0, 2.0], 10000), stop_gradient=False)
    layer = tg.nn.RReLU(0.2, 0.6)
    out = layer(x)
    slopes = -out.numpy()[:10000]
    assert 0.2 <= slopes.min() < 0.21
    assert 0.59 < slopes.max() <= 0.6
    assert abs(slopes.mean() - 0.4) < 0.01
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), out.numpy() / x.numpy())
    layer.eval()
    np.testing.assert_allclose(layer(x).numpy()[[0, -1]], [-0.4, 2.0])


def test_what_cannot_be_is_refused() -> None:
    x = tg.zeros([2, 3])
    with pytest.raises(InvalidValueError, match="temperature is above 0"):
        functional.gumbel_softmax(x, 0.0)
    with pytest.raises(InvalidValueError, match="lower <= upper"):
        functional.rrelu(x, 0.5, 0.25)
    with pytest.raises(ShapeError, match="variance"):
        functional.gaussian_nll_loss(x, x, tg.ones([3]))
    with pytest.raises(InvalidValueError, match="epsilon"):
        functional.poisson_nll_loss(x, x, epsilon=0.0)


def test_layers_pass_on_what_they_were_made_with() -> None:
    x, y = tg.to_tensor([[0.0, 1.0, 2.0]]), tg.to_tensor([[1.0, 1.0, 0.0]])
    two = tg.full([1, 3], 2.0)
    full = tg.nn.GaussianNLLLoss(full=True, reduction="sum")(x, y, two).item()
    assert full == pytest.approx(1.5 * np.log(4.0 * np.pi) + 1.25)
    rates = tg.nn.PoissonNLLLoss(log_input=False, reduction="sum")(x + 1.0, y).item()
    assert rates == pytest.approx(6.0 - np.log(2.0))
    margin = tg.nn.MultiMarginLoss(margin=2.0)(x, tg.to_tensor([1])).item()
    assert margin == pytest.approx((1.0 + 3.0) / 3.0)
    triplet = tg.nn.TripletMarginWithDistanceLoss(lambda a, b: (a - b).abs().sum(1))
    assert triplet(x, y, two).item() == pytest.approx(max(0.0, 3.0 - 3.0 + 1.0))
    assert tg.nn.PairwiseDistance(1.0, 0.0)(x, y).tolist() == [3.0]
    channels = tg.nn.Softmax2D()(tg.zeros([1, 4, 2, 2]))
    assert np.unique(channels.numpy()).tolist() == [0.25]
