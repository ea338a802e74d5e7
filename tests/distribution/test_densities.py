"""Densities, entropies, moments and divergences, by numerical integration."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import distribution as d
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.distribution.distribution import UndefinedError

Array = np.ndarray[Any, Any]
Make = Callable[..., Any]


def t(values: Any, *, trained: bool = False) -> Any:
    return tg.to_tensor(np.asarray(values, "float64"), stop_gradient=not trained)


LINE = np.linspace(-400.0, 400.0, 1_600_001)
UNIT = np.linspace(0.0, 1.0, 200_003)[1:-1]
COUNTS = np.arange(0.0, 400.0)

CONTINUOUS = {
    "Normal": (d.Normal, (0.3, 1.2), LINE),
    "Uniform": (d.Uniform, (-0.50013, 2.00013), LINE),
    "Laplace": (d.Laplace, (0.4, 0.7), LINE),
    "Gumbel": (d.Gumbel, (-0.5, 0.8), np.linspace(-6.0, 40.0, 400_001)),
    "LogNormal": (d.LogNormal, (0.2, 0.5), np.linspace(1e-6, 60.0, 600_001)),
    "Beta": (d.Beta, (2.5, 3.5), UNIT),
}
DISCRETE = {
    "Bernoulli": (d.Bernoulli, (0.3,), np.array([0.0, 1.0])),
    "Geometric": (d.Geometric, (0.3,), COUNTS),
}
BOTH = {**CONTINUOUS, **DISCRETE}


def made(name: str) -> Any:
    kind, parameters, _ = BOTH[name]
    return kind(*map(t, parameters))


def expectation(name: str, of: Array) -> float:
    """The integral or the sum of p(x) of(x) over the support."""
    support = BOTH[name][2]
    weighted = made(name).prob(t(support)).numpy() * np.nan_to_num(of)
    if name in DISCRETE:
        return float(weighted.sum())
    return float(np.trapezoid(weighted, support))


@pytest.mark.parametrize("name", BOTH)
def test_probabilities_add_up_to_one(name: str) -> None:
    one = expectation(name, np.ones_like(BOTH[name][2]))
    assert one == pytest.approx(1.0, abs=3e-4 if name == "Uniform" else 1e-6)


@pytest.mark.parametrize("name", BOTH)
def test_entropy_is_the_mean_of_minus_log_prob(name: str) -> None:
    log_prob = made(name).log_prob(t(BOTH[name][2])).numpy()
    log_prob = np.where(np.isfinite(log_prob), log_prob, 0.0)
    found = made(name).entropy().item()
    assert found == pytest.approx(expectation(name, -log_prob), rel=1e-3)


@pytest.mark.parametrize("name", BOTH)
def test_mean_and_variance_are_those_of_the_density(name: str) -> None:
    x, distribution = BOTH[name][2], made(name)
    mean = distribution.mean.item()
    assert mean == pytest.approx(expectation(name, x), rel=1e-3)
    spread = expectation(name, (x - mean) ** 2)
    assert distribution.variance.item() == pytest.approx(spread, rel=1e-3)
    if hasattr(distribution, "stddev"):
        assert distribution.stddev.item() == pytest.approx(spread**0.5, rel=1e-3)


@pytest.mark.parametrize("name", ["Laplace", "Gumbel", "Bernoulli", "Geometric"])
def test_cdf_sums_the_density_up(name: str) -> None:
    x, distribution = BOTH[name][2], made(name)
    for at in (0.0, 1.0):
        below = np.where(x <= at, 1.0, 0.0)
        found = distribution.cdf(t(at)).item()
        assert found == pytest.approx(expectation(name, below), abs=1e-3)


def test_the_logarithm_of_a_tiny_geometric_probability_is_finite() -> None:
    geometric = d.Geometric(t([0.5, 1.0, 1.0]))
    logs = geometric.log_pmf(t([2000.0, 0.0, 2.0])).numpy()
    np.testing.assert_allclose(logs, [2001 * np.log(0.5), 0.0, -np.inf])


def test_icdf_undoes_cdf() -> None:
    laplace = d.Laplace(t([0.0, 1.0]), t([0.5, 2.0]))
    q = t([0.2, 0.9])
    np.testing.assert_allclose(laplace.cdf(laplace.icdf(q)).numpy(), q.numpy())


def test_a_cauchy_density_is_the_slope_of_its_cdf() -> None:
    cauchy = d.Cauchy(t(0.3), t(0.6))
    x = t(np.linspace(-4.0, 4.0, 9), trained=True)
    cauchy.cdf(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), cauchy.prob(x).numpy())
    angles = np.linspace(-np.pi / 2, np.pi / 2, 200_003)[1:-1]
    heights = 0.3 + 0.6 * np.tan(angles)
    mean = -np.mean(cauchy.log_prob(t(heights)).numpy())
    assert cauchy.entropy().item() == pytest.approx(mean, rel=1e-3)
    for moment in ("mean", "variance", "stddev"):
        with pytest.raises(InvalidValueError, match=f"no {moment}"):
            getattr(cauchy, moment)


OTHERS = {
    "Normal": (0.8, 0.7),
    "Uniform": (-1.0, 3.0),
    "Laplace": (-0.3, 1.1),
    "LogNormal": (0.4, 0.7),
    "Beta": (1.5, 2.0),
    "Bernoulli": (0.6,),
    "Geometric": (0.45,),
}


@pytest.mark.parametrize("name", OTHERS)
def test_divergence_is_the_mean_of_the_log_ratio(name: str) -> None:
    kind, _, x = BOTH[name]
    p, q = made(name), kind(*map(t, OTHERS[name]))
    with np.errstate(invalid="ignore"):
        ratio = p.log_prob(t(x)).numpy() - q.log_prob(t(x)).numpy()
    expected = expectation(name, np.where(np.isfinite(ratio), ratio, 0.0))
    for found in (d.kl_divergence(p, q), p.kl_divergence(q)):
        assert found.item() == pytest.approx(expected, rel=1e-3)
    assert d.kl_divergence(q, q).item() == pytest.approx(0.0, abs=1e-12)


def test_divergence_of_cauchy_distributions() -> None:
    p, q = d.Cauchy(t(0.3), t(0.6)), d.Cauchy(t(-1.0), t(2.0))
    angles = np.linspace(-np.pi / 2, np.pi / 2, 200_003)[1:-1]
    x = t(0.3 + 0.6 * np.tan(angles))
    expected = (p.log_prob(x) - q.log_prob(x)).mean().item()
    assert d.kl_divergence(p, q).item() == pytest.approx(expected, rel=1e-3)


def test_a_uniform_density_that_is_not_covered_diverges() -> None:
    p, q = d.Uniform([0.0, 0.0], [1.0, 3.0]), d.Uniform(0.0, 2.0)
    np.testing.assert_allclose(p.kl_divergence(q).numpy(), [math.log(2), np.inf])


def test_a_dirichlet_distribution_of_three_shares() -> None:
    a, b = t([1.5, 2.0, 3.0]), t([2.5, 1.0, 2.0])
    p, q = d.Dirichlet(a), d.Dirichlet(b)
    grid = (np.arange(600) + 0.5) / 600
    x, y = (part.ravel() for part in np.meshgrid(grid, grid))
    inside = x + y < 1.0
    x, y = x[inside], y[inside]
    shares = t(np.stack([x, y, 1.0 - x - y], -1))
    weights = p.prob(shares).numpy() / 600**2
    assert weights.sum() == pytest.approx(1.0, abs=3e-3)
    logs, others = p.log_prob(shares).numpy(), q.log_prob(shares).numpy()
    assert p.entropy().item() == pytest.approx(-(weights * logs).sum(), abs=6e-3)
    ratio = (weights * (logs - others)).sum()
    assert d.kl_divergence(p, q).item() == pytest.approx(ratio, abs=3e-3)
    mean = (weights[:, None] * shares.numpy()).sum(0)
    np.testing.assert_allclose(p.mean.numpy(), mean, atol=3e-3)
    spread = (weights[:, None] * (shares.numpy() - mean) ** 2).sum(0)
    np.testing.assert_allclose(p.variance.numpy(), spread, atol=3e-3)


def counts_of(n: int) -> Array:
    rows = [(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)]
    return np.array(rows, "float64")


@pytest.mark.parametrize("probs", [[0.2, 0.3, 0.5], [0.4, 0.6, 0.0], [0.0, 1.0, 0.0]])
def test_a_multinomial_distribution_over_all_counts(probs: list[float]) -> None:
    multinomial, counts = d.Multinomial(4, t(probs) * 2.0), counts_of(4)
    p = multinomial.prob(t(counts)).numpy()
    ways = [
        math.factorial(4) / math.prod(math.factorial(int(k)) for k in row)
        for row in counts
    ]
    masses = ways * np.prod(np.power(probs, counts), -1)
    np.testing.assert_allclose(p, masses, atol=1e-12)
    some = p > 0
    entropy = -(p[some] * np.log(p[some])).sum()
    assert multinomial.entropy().item() == pytest.approx(entropy, abs=1e-9)
    mean = (p[:, None] * counts).sum(0)
    np.testing.assert_allclose(multinomial.mean.numpy(), mean)
    spread = (p[:, None] * (counts - mean) ** 2).sum(0)
    np.testing.assert_allclose(multinomial.variance.numpy(), spread, atol=1e-12)


def test_categorical_probabilities_of_batches() -> None:
    weights = np.array([[1.0, 3.0], [2.0, 2.0], [4.0, 1.0]])
    categorical = d.Categorical(weights)
    p = weights / weights.sum(-1, keepdims=True)
    asked = tg.to_tensor([1, 0])
    np.testing.assert_allclose(categorical.probs(asked).numpy(), p[:, [1, 0]])
    apart = tg.to_tensor([[0], [1], [0]])
    found = categorical.log_prob(apart).numpy()
    np.testing.assert_allclose(found, np.log(p[[0, 1, 2], [0, 1, 0]])[:, None])


def test_categorical_entropy_and_divergence_read_logits() -> None:
    p, q = np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.3, 0.1])
    one, other = d.Categorical(np.log(p) + 3.0), d.Categorical(np.log(q))
    assert one.entropy().item() == pytest.approx(-(p * np.log(p)).sum())
    np.testing.assert_allclose(
        one.kl_divergence(other).numpy(), [(p * np.log(p / q)).sum()]
    )


def test_parameters_keep_the_precision_of_arrays_and_lists_have_the_usual_one() -> None:
    array = np.array([0.1])
    exact = d.Normal(array, 1.0)
    assert exact.loc.numpy() == array
    assert exact.entropy().numpy().dtype == np.float64
    assert exact.entropy().item() == pytest.approx(0.5 * math.log(2 * math.pi * math.e))
    for loc in ([0.1], 0, np.array([1])):
        assert d.Normal(loc, 1.0).sample([2]).numpy().dtype == np.float32


def log_prob_of(make: Make, x: Any) -> Callable[..., Any]:
    return lambda *parameters: make(*parameters).log_prob(x)


GRADIENTS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    **{
        f"log_prob of {name}": (
            log_prob_of(kind, t([0.3, 0.6]) if name != "Geometric" else t([1.0, 2.0])),
            [np.full(2, value) for value in parameters],
        )
        for name, (kind, parameters, _) in BOTH.items()
    },
    **{
        f"entropy of {name}": (
            lambda *parameters, kind=kind: kind(*parameters).entropy(),
            [np.full(2, value) for value in parameters],
        )
        for name, (kind, parameters, _) in BOTH.items()
    },
    **{
        f"divergence of {name}": (
            lambda *parameters, kind=BOTH[name][0], others=others: d.kl_divergence(
                kind(*parameters), kind(*map(t, others))
            ),
            [np.full(2, value) for value in BOTH[name][1]],
        )
        for name, others in OTHERS.items()
    },
    "log_prob of Cauchy": (log_prob_of(d.Cauchy, t([0.3])), [[0.1], [0.7]]),
    "log_prob of Dirichlet": (
        log_prob_of(d.Dirichlet, t([0.2, 0.3, 0.5])),
        [[1.5, 0.5, 2.0]],
    ),
    "entropy of Dirichlet": (lambda a: d.Dirichlet(a).entropy(), [[1.5, 0.5, 2.0]]),
    "log_prob of Multinomial": (
        log_prob_of(lambda p: d.Multinomial(3, p), t([1.0, 0.0, 2.0])),
        [[0.2, 0.3, 0.5]],
    ),
    "entropy of Multinomial": (
        lambda p: d.Multinomial(3, p).entropy(),
        [[0.2, 0.3, 0.5]],
    ),
    "log_prob of Categorical": (
        log_prob_of(d.Categorical, tg.to_tensor([0, 2])),
        [[0.2, 0.3, 0.5]],
    ),
    "entropy of Categorical": (
        lambda logits: d.Categorical(logits).entropy(),
        [[0.2, -0.3, 0.5]],
    ),
}


@pytest.mark.parametrize("case", GRADIENTS)
def test_gradients_agree_with_finite_differences(case: str) -> None:
    compute, parameters = GRADIENTS[case]
    arrays = [np.asarray(value, "float64") for value in parameters]
    tg.autograd.check_grads(compute, arrays, order=2)


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda: d.Normal(t(0.0), 1.0), InvalidValueError, "loc and scale are all"),
        (lambda: d.Normal("a", 1.0), DTypeError, "loc is a number"),
        (lambda: d.Normal(0.0, 1.0).sample(3), DTypeError, "a list of sizes, not 3"),
        (lambda: d.Normal(0.0, 1.0).log_prob("a"), DTypeError, "a value is"),
        (lambda: d.Uniform(None, 1.0), DTypeError, "low is a number"),
        (lambda: d.Laplace([0.0], 1.0), DTypeError, "loc is a number or a Tensor"),
        (lambda: d.Bernoulli(1.5), InvalidValueError, "from 0 to 1"),
        (lambda: d.Bernoulli(math.nan), InvalidValueError, "from 0 to 1"),
        (lambda: d.Bernoulli(0.5).rsample([2], 0.0), InvalidValueError, "positive"),
        (lambda: d.Geometric(0.0), InvalidValueError, "above 0"),
        (lambda: d.Geometric(1.5), InvalidValueError, "at most 1"),
        (lambda: d.Categorical(0.5), ShapeError, "a vector"),
        (lambda: d.Dirichlet(t(1.0)), ShapeError, "a dimension"),
        (lambda: d.Dirichlet([1.0]), DTypeError, "concentration is a Tensor"),
        (lambda: d.Multinomial(0, t([1.0])), InvalidValueError, "1 or more, not 0"),
        (lambda: d.Multinomial(2, [1.0]), DTypeError, "probs is a Tensor"),
        (lambda: d.Multinomial(2, t(1.0)), ShapeError, "a dimension"),
        (lambda: d.Independent(1, 1), DTypeError, "base is a distribution"),
        (
            lambda: d.Independent(d.Normal([0.0], [1.0]), 2),
            InvalidValueError,
            "from 1 to 1, not 2",
        ),
        (
            lambda: d.Normal(0.0, 1.0).kl_divergence(d.Uniform(0.0, 1.0)),
            DTypeError,
            "the other is a Normal, not a Uniform",
        ),
        (
            lambda: d.kl_divergence(d.Normal(0.0, 1.0), d.Uniform(0.0, 1.0)),
            UndefinedError,
            "registered for",
        ),
        (lambda: d.register_kl(int, d.Normal), DTypeError, "no class of"),
        (lambda: d.Beta(1.0, 1.0).rsample(), UndefinedError, "Beta has no rsample"),
        (lambda: d.Distribution().entropy(), UndefinedError, "no entropy"),
    ],
)
def test_bad_parameters_are_told(
    call: Callable[[], Any], kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        call()
