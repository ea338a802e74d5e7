"""Samples: their shapes, moments, gradients and seeds, in both modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import distribution as d

COUNT = 40_000


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    tg.seed(11)
    yield
    tg.seed(0)


@pytest.fixture
def _static() -> Iterator[None]:
    tg.enable_static()
    yield
    tg.disable_static()


def t(values: Any, *, trained: bool = False) -> Any:
    return tg.to_tensor(np.asarray(values, "float64"), stop_gradient=not trained)


KINDS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "Normal": (d.Normal, [[0.5, -1.0], [1.0, 0.25]]),
    "Uniform": (d.Uniform, [[0.0, -1.0], [1.0, 2.0]]),
    "Laplace": (d.Laplace, [[0.5, -1.0], [1.0, 0.5]]),
    "Gumbel": (d.Gumbel, [[0.5, -1.0], [1.0, 0.5]]),
    "LogNormal": (d.LogNormal, [[0.5, -1.0], [0.2, 0.3]]),
    "Bernoulli": (d.Bernoulli, [[0.3, 0.8]]),
    "Geometric": (d.Geometric, [[0.3, 0.8]]),
    "Beta": (d.Beta, [[0.05, 2.0], [0.1, 3.0]]),
    "Dirichlet": (d.Dirichlet, [[[0.5, 1.0, 2.0], [3.0, 0.1, 1.0]]]),
    "Multinomial": (
        lambda p: d.Multinomial(5, p),
        [[[0.5, 0.2, 0.3], [0.1, 0.0, 0.9]]],
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_samples_have_the_moments_and_the_shape(name: str) -> None:
    make, parameters = KINDS[name]
    distribution = make(*map(t, parameters))
    drawn = distribution.sample([COUNT // 2, 2])
    batch = distribution.batch_shape + distribution.event_shape
    assert drawn.shape == [COUNT // 2, 2, *batch]
    assert drawn.stop_gradient
    values = drawn.numpy().reshape(COUNT, *batch)
    mean, variance = (m.numpy() for m in (distribution.mean, distribution.variance))
    error = 5.0 * np.sqrt(variance / COUNT)
    assert (np.abs(values.mean(0) - mean) <= error + 1e-12).all()
    np.testing.assert_allclose(values.var(0), variance, rtol=0.1, atol=1e-12)
    assert distribution.sample().shape == list(batch)


def test_cauchy_samples_have_the_quartiles() -> None:
    drawn = d.Cauchy(t([0.5, 2.0]), t([1.0, 3.0])).sample([COUNT]).numpy()
    quartiles = np.quantile(drawn, [0.25, 0.5, 0.75], axis=0)
    expected = [[-0.5, -1.0], [0.5, 2.0], [1.5, 5.0]]
    np.testing.assert_allclose(quartiles, expected, atol=0.15)


def test_categorical_samples_are_as_frequent_as_softmax_says() -> None:
    p = np.array([[0.2, 0.3, 0.5], [0.7, 0.1, 0.2]])
    drawn = d.Categorical(np.log(p)).sample([COUNT // 2, 2])
    assert drawn.shape == [COUNT // 2, 2, 2]
    rows = drawn.numpy().reshape(-1, 2)
    found = [np.bincount(rows[:, i], minlength=3) / COUNT for i in range(2)]
    np.testing.assert_allclose(found, p, atol=0.015)


def test_a_seed_repeats_a_sample() -> None:
    for distribution in (d.Normal(0.0, 1.0), d.Uniform(0.0, 1.0)):
        first, second = (distribution.sample([4], seed=3).tolist() for _ in range(2))
        assert first == second
        assert distribution.sample([4]).tolist() != distribution.sample([4]).tolist()


@pytest.mark.parametrize(
    "name", ["Normal", "Laplace", "Gumbel", "LogNormal", "Uniform"]
)
def test_the_mean_of_a_sample_has_the_gradient_of_the_mean(name: str) -> None:
    make, values = KINDS[name]
    drawn, exact = ([t(v, trained=True) for v in values] for _ in range(2))
    distribution = make(*drawn)
    rsample = distribution.sample if name == "Uniform" else distribution.rsample
    rsample([COUNT]).mean(0).sum().backward()
    make(*exact).mean.sum().backward()
    for one, other in zip(drawn, exact, strict=True):
        expected = np.zeros(2) if other.grad is None else other.grad.numpy()
        np.testing.assert_allclose(one.grad.numpy(), expected, atol=0.04)


def test_a_cauchy_sample_has_gradients() -> None:
    loc, scale = t([0.5], trained=True), t([2.0], trained=True)
    drawn = d.Cauchy(loc, scale).rsample([7])
    drawn.sum().backward()
    np.testing.assert_allclose(loc.grad.numpy(), [7.0])
    steps = (drawn.numpy() - 0.5) / 2.0
    np.testing.assert_allclose(scale.grad.numpy(), [steps.sum()])


def test_a_relaxed_bernoulli_sample_is_near_0_or_1_when_cold() -> None:
    p = t(0.3, trained=True)
    cold = tg.nn.functional.sigmoid(d.Bernoulli(p).rsample([COUNT], 0.01))
    values = cold.numpy()
    assert np.minimum(values, 1.0 - values).mean() < 0.01
    assert values.mean() == pytest.approx(0.3, abs=0.01)
    d.Bernoulli(p).rsample([1]).sum().backward()
    np.testing.assert_allclose(p.grad.numpy(), 1 / (0.3 * 0.7))


@pytest.mark.parametrize("name", KINDS)
def test_a_program_of_unknown_batch_draws_and_scores_the_same(name: str) -> None:
    make, values = KINDS[name]
    arrays = [np.asarray(v, "float32") for v in values]
    tg.seed(5)
    distribution = make(*map(tg.to_tensor, arrays))
    drawn = distribution.sample([3])
    expected = [drawn, distribution.log_prob(drawn), distribution.entropy()]
    main = tg.static.Program()
    tg.enable_static()
    with tg.static.program_guard(main):
        inputs = [
            tg.static.data(f"x{i}", [-1, *array.shape[1:]], "float32")
            for i, array in enumerate(arrays)
        ]
        distribution = make(*inputs)
        sample = distribution.sample([3])
        outs = [sample, distribution.log_prob(sample), distribution.entropy()]
    tg.disable_static()
    tg.seed(5)
    feed = {f"x{i}": array for i, array in enumerate(arrays)}
    found = tg.static.Executor().run(main, feed, outs)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.usefixtures("_static")
def test_a_program_trains_a_distribution() -> None:
    main, startup = tg.static.Program(), tg.static.Program()
    data = np.random.default_rng(0).normal(2.0, 0.5, (256, 1)).astype("float32")
    with tg.static.program_guard(main, startup):
        x = tg.static.data("x", [-1, 1], "float32")
        loc = tg.create_parameter([1], "float32")
        width = tg.create_parameter([1], "float32")
        normal = d.Normal(loc, tg.exp(width))
        loss = -normal.log_prob(x).mean()
        tg.optimizer.Adam(0.1).minimize(loss)
    executor = tg.static.Executor()
    executor.run(startup)
    for _ in range(200):
        out = executor.run(main, {"x": data}, [loc, normal.scale])
    np.testing.assert_allclose(np.ravel(out), [data.mean(), data.std()], atol=0.02)


def test_an_eager_loop_trains_a_variational_posterior() -> None:
    target = d.Normal(t([1.5]), t([0.4]))
    loc, width = t([0.0], trained=True), t([0.0], trained=True)
    adam = tg.optimizer.Adam(0.05, parameters=[loc, width])
    for _ in range(300):
        posterior = d.Normal(loc, width.exp())
        z = posterior.rsample([32])
        (posterior.log_prob(z) - target.log_prob(z)).mean().backward()
        adam.step()
        adam.clear_grad()
    assert loc.item() == pytest.approx(1.5, abs=0.05)
    assert width.exp().item() == pytest.approx(0.4, abs=0.05)


def test_probabilities_of_a_batch_times_a_value_batch() -> None:
    normal = d.Normal(np.zeros((2, 1)), np.ones((2, 1)))
    found = normal.log_prob(np.zeros((4, 1, 3)))
    assert found.shape == [4, 2, 3]
    assert prod(found.shape) == 24
