"""Transforms: inverses, Jacobians by automatic differentiation, and new densities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import distribution as d
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.distribution import constraint, variable
from teachgraph.distribution.distribution import UndefinedError


def t(values: Any) -> Any:
    return tg.to_tensor(np.asarray(values, "float64"))


def jacobian(function: Callable[[Any], Any], x: Any) -> Any:
    """The Jacobian matrix of a function of a vector."""
    x = t(x)
    x.stop_gradient = False
    rows = [tg.grad(y, x, retain_graph=True)[0].numpy() for y in function(x).unbind()]
    return np.stack(rows)


ELEMENTWISE = {
    "affine": d.AffineTransform(t(1.5), t(-2.0)),
    "affine of each": d.AffineTransform(t([1.0, 2.0, 0.0]), t([-1.0, 0.5, 3.0])),
    "exp": d.ExpTransform(),
    "power": d.PowerTransform(t(3.0)),
    "sigmoid": d.SigmoidTransform(),
    "tanh": d.TanhTransform(),
    "chain": d.ChainTransform([d.ExpTransform(), d.AffineTransform(t(0.0), t(2.0))]),
    "stack": d.StackTransform(
        [d.ExpTransform(), d.AffineTransform(t(0.0), t(2.0)), d.TanhTransform()]
    ),
}
X = np.array([0.4, 1.1, 0.7])


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_an_element_has_the_slope_of_its_determinant(name: str) -> None:
    transform = ELEMENTWISE[name]
    slopes = jacobian(transform.forward, X)
    np.testing.assert_allclose(slopes, np.diag(np.diag(slopes)))
    expected = np.log(np.abs(np.diag(slopes)))
    found = transform.forward_log_det_jacobian(t(X)).numpy()
    np.testing.assert_allclose(np.broadcast_to(found, 3), expected)
    y = transform.forward(t(X))
    np.testing.assert_allclose(transform.inverse(y).numpy(), X)
    back = transform.inverse_log_det_jacobian(y).numpy()
    np.testing.assert_allclose(np.broadcast_to(back, 3), -expected)
    assert tuple(transform.forward_shape((3,))) == tuple(y.shape)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_over_a_vector_the_determinants_multiply(name: str) -> None:
    transform = d.IndependentTransform(ELEMENTWISE[name], 1)
    matrix = jacobian(transform.forward, X)
    expected = np.log(np.abs(np.linalg.det(matrix)))
    found = transform.forward_log_det_jacobian(t(X))
    assert found.item() == pytest.approx(expected)


def test_breaking_a_stick_has_a_triangular_jacobian() -> None:
    stick = d.StickBreakingTransform()
    matrix = jacobian(stick.forward, X)
    assert matrix.shape == (4, 3)
    expected = np.log(np.abs(np.linalg.det(matrix[:-1])))
    assert stick.forward_log_det_jacobian(t(X)).item() == pytest.approx(expected)
    batch = t(np.stack([X, -X]))
    parts = stick.forward(batch)
    assert parts.shape == [2, 4]
    np.testing.assert_allclose(parts.sum(-1).numpy(), 1.0)
    np.testing.assert_allclose(stick.inverse(parts).numpy(), batch.numpy())
    assert stick.forward_log_det_jacobian(batch).shape == [2]
    assert stick.forward_shape((2, 3)) == (2, 4)
    assert stick.inverse_shape((2, 4)) == (2, 3)


def test_softmax_keeps_differences_and_has_no_determinant() -> None:
    softmax, x = d.SoftmaxTransform(), t(np.stack([X, 2.0 * X + 5.0]))
    y = softmax.forward(x)
    shifted = softmax.inverse(y).numpy() - x.numpy()
    np.testing.assert_allclose(shifted - shifted[:, :1], 0.0, atol=1e-12)
    assert bool(softmax._codomain.constraint(y).all())
    with pytest.raises(UndefinedError, match="not injective"):
        softmax.forward_log_det_jacobian(x)


def test_a_chain_infers_ranks_and_shapes_both_ways() -> None:
    chain = d.ChainTransform(
        [
            d.ReshapeTransform((6,), (2, 3)),
            d.StickBreakingTransform(),
            d.AffineTransform(t(0.0), t(np.full(4, 2.0))),
        ]
    )
    assert (chain._domain.event_rank, chain._codomain.event_rank) == (1, 2)
    assert chain.forward_shape((5, 6)) == (5, 2, 4)
    assert d.ChainTransform(chain.transforms[:2]).inverse_shape((5, 2, 4)) == (5, 6)
    x = t(np.linspace(-1.0, 1.0, 30).reshape(5, 6))
    assert chain.forward(x).shape == [5, 2, 4]
    np.testing.assert_allclose(chain.inverse(chain.forward(x)).numpy(), x.numpy())
    assert chain.forward_log_det_jacobian(x).shape == [5]


def test_the_determinant_of_a_chain_is_that_of_its_jacobian() -> None:
    chain = d.ChainTransform(
        [
            d.AffineTransform(t(0.5), t(2.0)),
            d.StickBreakingTransform(),
        ]
    )
    matrix = jacobian(chain.forward, X)[:-1]
    expected = np.log(np.abs(np.linalg.det(matrix)))
    assert chain.forward_log_det_jacobian(t(X)).item() == pytest.approx(expected)


def test_a_stack_transforms_slices_of_any_axis() -> None:
    parts = [d.ExpTransform(), d.PowerTransform(t(2.0))]
    x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    y = d.StackTransform(parts, -1).forward(t(x)).numpy()
    np.testing.assert_allclose(y, np.stack([np.exp(x[:, 0]), x[:, 1] ** 2], -1))
    with pytest.raises(ShapeError, match="has not 2 slices along axis 0"):
        d.StackTransform(parts, 0).forward(t(x))


def test_the_absolute_value_has_two_inverses() -> None:
    absolute, y = d.AbsTransform(), t([0.5, 2.0])
    low, high = absolute.inverse(y)
    np.testing.assert_array_equal(low.numpy(), -high.numpy())
    assert [one.item() for one in absolute.inverse_log_det_jacobian(y)] == [0.0, 0.0]
    with pytest.raises(UndefinedError, match="not injective"):
        absolute.forward_log_det_jacobian(y)


DENSITIES = {
    "exp": (d.ExpTransform(), np.linspace(1e-9, 60.0, 400_001)),
    "affine": (d.AffineTransform(t(1.0), t(-3.0)), np.linspace(-40, 40, 100_001)),
    "sigmoid": (d.SigmoidTransform(), np.linspace(0.0, 1.0, 200_003)[1:-1]),
    "tanh": (d.TanhTransform(), np.linspace(-1.0, 1.0, 200_003)[1:-1]),
    "chain": (
        d.ChainTransform([d.AffineTransform(t(0.0), t(0.5)), d.ExpTransform()]),
        np.linspace(1e-9, 60.0, 400_001),
    ),
}


@pytest.mark.parametrize("name", DENSITIES)
def test_a_transformed_density_integrates_to_one(name: str) -> None:
    transform, support = DENSITIES[name]
    distribution = transform(d.Normal(t(0.2), t(0.8)))
    assert isinstance(distribution, d.TransformedDistribution)
    total = np.trapezoid(distribution.prob(t(support)).numpy(), support)
    assert total == pytest.approx(1.0, abs=1e-4)
    tg.seed(3)
    drawn = np.sort(distribution.sample([4000]).numpy())
    density = distribution.prob(t(support)).numpy()
    cumulative = np.cumsum(density) * (support[1] - support[0])
    expected = np.interp(drawn, support, cumulative)
    assert np.abs(expected - np.arange(4000) / 4000).max() < 0.03


def test_a_log_normal_distribution_is_a_transformed_normal() -> None:
    normal = d.Normal(t([0.2, 1.0]), t([0.5, 0.7]))
    transformed = d.TransformedDistribution(normal, [d.ExpTransform()])
    y = t([0.5, 3.0])
    expected = d.LogNormal(t([0.2, 1.0]), t([0.5, 0.7])).log_prob(y)
    np.testing.assert_allclose(transformed.log_prob(y).numpy(), expected.numpy())


def test_a_shared_factor_counts_for_each_element_of_an_event() -> None:
    base = d.Independent(d.Normal(t([0.0, 0.0, 0.0]), t([1.0, 1.0, 1.0])), 1)
    wide = d.TransformedDistribution(base, [d.AffineTransform(t(0.0), t(2.0))])
    expected = d.Normal(t(0.0), t(2.0)).log_prob(t(X)).sum()
    assert (wide.batch_shape, wide.event_shape) == ((), (3,))
    assert wide.log_prob(t(X)).item() == pytest.approx(expected.item())


def test_a_batch_becomes_an_event_where_the_transform_takes_vectors() -> None:
    base = d.Normal(t(np.zeros((2, 3))), t(np.ones((2, 3))))
    logistic = d.TransformedDistribution(base, [d.StickBreakingTransform()])
    assert (logistic.batch_shape, logistic.event_shape) == ((2,), (4,))
    drawn = logistic.sample([5])
    assert drawn.shape == [5, 2, 4]
    assert logistic.log_prob(drawn).shape == [5, 2]
    x = d.StickBreakingTransform().inverse(drawn)
    determinant = d.StickBreakingTransform().forward_log_det_jacobian(x)
    expected = base.log_prob(x).sum(-1) - determinant
    np.testing.assert_allclose(logistic.log_prob(drawn).numpy(), expected.numpy())


def test_samples_of_transformed_distributions_have_gradients() -> None:
    loc = t([0.3])
    loc.stop_gradient = False
    normal = d.Normal(loc, t([0.5]))
    drawn = d.TransformedDistribution(normal, [d.ExpTransform()]).rsample([3])
    drawn.sum().backward()
    np.testing.assert_allclose(loc.grad.numpy(), [drawn.sum().item()])


def test_independent_sums_over_what_becomes_the_event() -> None:
    base = d.Normal(t(np.zeros((4, 2, 3))), t(np.full((4, 2, 3), 2.0)))
    whole = d.Independent(base, 2)
    assert (whole.batch_shape, whole.event_shape) == ((4,), (2, 3))
    x = t(np.ones((4, 2, 3)))
    expected = base.log_prob(x).sum([1, 2])
    np.testing.assert_allclose(whole.log_prob(x).numpy(), expected.numpy())
    np.testing.assert_allclose(
        whole.entropy().numpy(), base.entropy().sum([1, 2]).numpy()
    )
    assert whole.sample([5]).shape == [5, 4, 2, 3]
    np.testing.assert_array_equal(whole.mean.numpy(), base.mean.numpy())
    np.testing.assert_array_equal(whole.variance.numpy(), base.variance.numpy())


def test_composition_applies_the_first_transform_first() -> None:
    chain = d.ExpTransform()(d.AffineTransform(t(1.0), t(2.0)))
    assert chain(t(0.0)).item() == 3.0


class Exponential(d.ExponentialFamily):
    """An exponential family without formulas of its own."""

    def __init__(self, rate: Any) -> None:
        self.rate = rate
        super().__init__(rate.shape)

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return (-self.rate,)

    def _log_normalizer(self, *parameters: Any) -> Any:
        return -tg.log(-parameters[0])

    @property
    def _mean_carrier_measure(self) -> Any:
        return 0.0


def test_an_exponential_family_needs_its_log_normalizer_alone() -> None:
    p, q = t([0.5, 2.0]), t([1.5, 1.0])
    p.stop_gradient = False
    one, other = Exponential(p), Exponential(q)
    np.testing.assert_allclose(one.entropy().numpy(), 1.0 - np.log([0.5, 2.0]))
    divergence = d.kl_divergence(one, other)
    expected = np.log(p.numpy() / q.numpy()) + q.numpy() / p.numpy() - 1.0
    np.testing.assert_allclose(divergence.numpy(), expected)
    (one.entropy() + divergence).sum().backward()
    slope = -1.0 / p.numpy() + 1.0 / p.numpy() - q.numpy() / p.numpy() ** 2
    np.testing.assert_allclose(p.grad.numpy(), slope)
    with pytest.raises(DTypeError, match="different exponential families"):
        d.kl_divergence(one, d.Beta(1.0, 1.0))


def test_the_general_formulas_agree_with_those_of_each_family() -> None:
    divergence = d.ExponentialFamily._bregman_divergence
    pairs = [
        (d.Beta(t([2.0]), t([3.0])), d.Beta(t([1.5]), t([0.5]))),
        (d.Dirichlet(t([[1.0, 2.0, 3.0]])), d.Dirichlet(t([[2.0, 1.0, 0.5]]))),
        (d.Bernoulli(t([0.3])), d.Bernoulli(t([0.8]))),
    ]
    for p, q in pairs:
        expected = d.kl_divergence(p, q).numpy()
        np.testing.assert_allclose(divergence(p, q).numpy(), expected)
    entropy = d.ExponentialFamily.entropy(pairs[2][0]).numpy()
    np.testing.assert_allclose(entropy, pairs[2][0].entropy().numpy())


def test_an_exponential_family_in_a_program() -> None:
    main = tg.static.Program()
    tg.enable_static()
    with tg.static.program_guard(main):
        p, q = (tg.static.data(name, [2], "float64") for name in "pq")
        out = d.kl_divergence(Exponential(p), Exponential(q))
    tg.disable_static()
    feed = {"p": np.array([0.5, 2.0]), "q": np.array([1.5, 1.0])}
    (found,) = tg.static.Executor().run(main, feed, [out])
    expected = np.log(feed["p"] / feed["q"]) + feed["q"] / feed["p"] - 1.0
    np.testing.assert_allclose(found, expected)


def test_the_nearest_registered_formula_is_taken() -> None:
    class Narrow(d.Normal):
        pass

    class Narrower(Narrow):
        pass

    narrow, narrower = Narrow(0.0, 1.0), Narrower(0.0, 1.0)
    assert d.kl_divergence(narrow, narrower).item() == 0.0
    d.register_kl(Narrow, d.Normal)(lambda p, q: "by the first")
    assert d.kl_divergence(narrower, narrower) == "by the first"
    d.register_kl(d.Normal, Narrow)(lambda p, q: "by the second")
    with pytest.warns(RuntimeWarning, match="equally well"):
        assert d.kl_divergence(narrower, narrower) == "by the first"
    d.register_kl(Narrower, Narrower)(lambda p, q: "by both")
    assert d.kl_divergence(narrower, narrower) == "by both"
    assert d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(0.0, 1.0)).item() == 0.0


def test_constraints_say_which_values_are_possible() -> None:
    x = t([[0.2, 0.8], [0.5, 0.6], [-0.5, 1.5]])
    assert constraint.simplex(x).tolist() == [True, False, False]
    assert constraint.positive(x).numpy().all(-1).tolist() == [True, True, False]
    assert constraint.Range(0.0, 1.0)(x).numpy().all(-1).tolist() == [True, True, False]
    assert variable.Independent(variable.positive, 1).constraint(x).tolist() == [
        *(True, True, False)
    ]
    pair = variable.Stack([variable.real, variable.positive], -1)
    flipped = t([[-1.0, 1.0], [1.0, -1.0]])
    assert pair.constraint(flipped).tolist() == [[True, True], [True, False]]


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda: d.AffineTransform(1.0, t(1.0)), DTypeError, "loc is a Tensor"),
        (lambda: d.PowerTransform(2.0), DTypeError, "power is a Tensor"),
        (lambda: d.ChainTransform(d.ExpTransform()), DTypeError, "a list of"),
        (lambda: d.ChainTransform([]), InvalidValueError, "no transform"),
        (lambda: d.StackTransform([d.ExpTransform()], "a"), DTypeError, "axis"),
        (lambda: d.IndependentTransform(1, 1), DTypeError, "base is a transform"),
        (
            lambda: d.IndependentTransform(d.ExpTransform(), 0),
            InvalidValueError,
            "1 or more, not 0",
        ),
        (lambda: d.ReshapeTransform(2, (2,)), DTypeError, "a list of sizes"),
        (lambda: d.ReshapeTransform((2, 3), (5,)), ShapeError, "6 elements"),
        (
            lambda: d.ReshapeTransform((2, 3), (6,)).forward(t(np.ones((3, 2)))),
            ShapeError,
            "does not end in",
        ),
        (lambda: d.SoftmaxTransform().forward(t(1.0)), ShapeError, "fewer than"),
        (lambda: d.SoftmaxTransform().forward_shape(()), ShapeError, "fewer than"),
        (lambda: d.ExpTransform().forward("a"), DTypeError, "a value is a Tensor"),
        (lambda: d.ExpTransform().forward_shape(3), DTypeError, "a list of sizes"),
        (lambda: d.Transform().forward(t(1.0)), UndefinedError, "no _forward"),
        (
            lambda: d.Transform().forward_log_det_jacobian(t(1.0)),
            UndefinedError,
            "no _forward_log_det_jacobian",
        ),
        (
            lambda: d.TransformedDistribution(1, [d.ExpTransform()]),
            DTypeError,
            "base is a distribution",
        ),
        (
            lambda: d.TransformedDistribution(d.Normal(0.0, 1.0), d.ExpTransform()),
            DTypeError,
            "a list of transforms",
        ),
        (
            lambda: d.TransformedDistribution(
                d.Normal(0.0, 1.0), [d.SoftmaxTransform()]
            ),
            ShapeError,
            "has 1 dimensions",
        ),
    ],
)
def test_bad_transforms_are_told(
    call: Callable[[], Any], kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        call()
