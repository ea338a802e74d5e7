"""`paddle.distribution`: densities, entropies, divergences, transforms, refusals.

Lines whose gradient makes Paddle 2.6.2 crash are left out: a gradient through its
`broadcast_tensors` of which one output is not used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["LINES", "STORIES"]

LINES = r"""
D.Normal(t([0.3, -1.0]), t([0.5, 2.0])).log_prob(t([0.25, 0.75]))
D.Normal(t([0.3, -1.0]), t([0.5, 2.0])).probs(t([0.25, 0.75]))
D.Normal(t([0.3, -1.0]), t([0.5, 2.0])).entropy()
D.Normal(t([0.3, -1.0]), t([0.5, 2.0])).mean
D.Normal(t([0.3, -1.0]), t([0.5, 2.0])).variance
D.Uniform(t([0.0, -1.0]), t([1.0, 2.0])).log_prob(t([0.25, 0.75]))
D.Uniform(t([0.0, -1.0]), t([1.0, 2.0])).probs(t([0.25, 0.75]))
D.Uniform(t([0.0, -1.0]), t([1.0, 2.0])).entropy()
D.Laplace(t([0.3, -1.0]), t([0.5, 2.0])).log_prob(t([0.25, 0.75]))
D.Laplace(t([0.3, -1.0]), t([0.5, 2.0])).prob(t([0.25, 0.75]))
D.Laplace(t([0.3, -1.0]), t([0.5, 2.0])).cdf(t([0.25, 0.75]))
D.Gumbel(t([0.3, -1.0]), t([0.5, 2.0])).log_prob(t([0.25, 0.75]))
D.Gumbel(t([0.3, -1.0]), t([0.5, 2.0])).prob(t([0.25, 0.75]))
D.Gumbel(t([0.3, -1.0]), t([0.5, 2.0])).entropy()
D.Gumbel(t([0.3, -1.0]), t([0.5, 2.0])).mean
D.Gumbel(t([0.3, -1.0]), t([0.5, 2.0])).variance
D.Gumbel(t([0.3, -1.0]), t([0.5, 2.0])).stddev
D.Gumbel(t([0.3, -1.0]), t([0.5, 2.0])).cdf(t([0.25, 0.75]))
D.Cauchy(t([0.3, -1.0]), t([0.5, 2.0])).log_prob(t([0.25, 0.75]))
D.Cauchy(t([0.3, -1.0]), t([0.5, 2.0])).prob(t([0.25, 0.75]))
D.Cauchy(t([0.3, -1.0]), t([0.5, 2.0])).entropy()
D.Cauchy(t([0.3, -1.0]), t([0.5, 2.0])).cdf(t([0.25, 0.75]))
D.LogNormal(t([0.3, -1.0]), t([0.5, 2.0])).log_prob(t([0.25, 0.75]))
D.LogNormal(t([0.3, -1.0]), t([0.5, 2.0])).prob(t([0.25, 0.75]))
D.LogNormal(t([0.3, -1.0]), t([0.5, 2.0])).entropy()
D.LogNormal(t([0.3, -1.0]), t([0.5, 2.0])).mean
D.LogNormal(t([0.3, -1.0]), t([0.5, 2.0])).variance
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).log_prob(t([0.25, 0.75]))
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).prob(t([0.25, 0.75]))
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).entropy()
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).mean
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).variance
D.Laplace(t([0.3, -1.0]), t([0.5, 2.0])).icdf(t([0.25, 0.75]))
D.kl_divergence(D.Normal(t([0.3, -1.0]), t([0.5, 2.0])), D.Normal(t([0.7, 1.0]), t([0.9, 0.4])))
D.kl_divergence(D.Laplace(t([0.3, -1.0]), t([0.5, 2.0])), D.Laplace(t([0.7, 1.0]), t([0.9, 0.4])))
D.kl_divergence(D.Cauchy(t([0.3, -1.0]), t([0.5, 2.0])), D.Cauchy(t([0.7, 1.0]), t([0.9, 0.4])))
D.kl_divergence(D.LogNormal(t([0.3, -1.0]), t([0.5, 2.0])), D.LogNormal(t([0.7, 1.0]), t([0.9, 0.4])))
D.kl_divergence(D.Beta(t([0.5, 2.0]), t([1.5, 3.0])), D.Beta(t([0.7, 1.0]), t([0.9, 0.4])))
D.Normal(0.5, 2.0).log_prob(t([[0.25], [0.75]]))
D.Normal(1, 2).entropy()
D.Normal([[0.0], [1.0]], [1.0, 2.0]).entropy()
D.Uniform(0.0, 2.0).log_prob(t([0.5, 1.5]))
D.Uniform(0.0, 2.0).probs(t([-0.5, 0.0, 2.0]))
D.Uniform(1, 3).entropy()
D.Beta(0.5, 0.5).log_prob(t([0.25, 0.75]))
D.Laplace(0.0, 1.0).log_prob(t(0.5))
D.Gumbel(0.0, 1.0).log_prob(t(0.5))
D.LogNormal(0.0, 1.0).probs(t([0.8]))
D.Bernoulli(t([0.3, 0.0, 1.0])).probs
D.Bernoulli(t([0.3, 0.8])).mean
D.Bernoulli(t([0.3, 0.8])).variance
D.Bernoulli(t([0.3, 0.8])).entropy()
D.Bernoulli(t([0.3, 0.8])).kl_divergence(D.Bernoulli(t([0.6, 0.1])))
D.Categorical(t([1.0, 2.0, 5.0])).probs(t([0, 2], 'int64'))
D.Categorical(t([1.0, 2.0, 5.0])).log_prob(t([0, 2], 'int64'))
D.Categorical(t([[1.0, 2.0], [3.0, 1.0]])).probs(t([1, 0], 'int64'))
D.Categorical(t([[1.0, 2.0], [3.0, 1.0]])).log_prob(t([[1], [0]], 'int64'))
D.Categorical(t([1.0, 2.0, 5.0])).entropy()
D.Categorical(t([[1.0, 2.0], [3.0, 1.0]])).entropy()
D.Categorical(t([1.0, 2.0])).kl_divergence(D.Categorical(t([3.0, 1.0])))
D.Dirichlet(t([1.0, 2.0, 3.0])).mean
D.Dirichlet(t([1.0, 2.0, 3.0])).variance
D.Dirichlet(t([[1.0, 2.0, 3.0], [0.5, 0.5, 0.5]])).entropy()
D.Dirichlet(t([1.0, 2.0, 3.0])).log_prob(t([0.2, 0.3, 0.5]))
D.Dirichlet(t([1.0, 2.0, 3.0])).prob(t([0.2, 0.3, 0.5]))
D.kl_divergence(D.Dirichlet(t([1.0, 2.0, 3.0])), D.Dirichlet(t([2.0, 1.0, 0.5])))
D.Multinomial(4, t([0.2, 0.3, 0.5])).mean
D.Multinomial(4, t([0.4, 0.6, 1.0])).variance
D.Multinomial(4, t([0.2, 0.3, 0.5])).log_prob(t([1.0, 0.0, 3.0]))
D.Multinomial(4, t([0.2, 0.3, 0.5])).entropy()
D.Multinomial(3, t([[0.2, 0.8], [0.5, 0.5]])).entropy()
D.Geometric(t([0.3, 0.8])).mean
D.Geometric(t([0.3, 0.8])).variance
D.Geometric(t([0.3, 0.8])).stddev
D.Geometric(t([0.3, 0.8])).pmf(2)
D.Geometric(t([0.3, 0.8])).log_pmf(2)
D.Geometric(t([0.3, 0.8])).cdf(2)
D.Geometric(t([0.3, 0.8])).entropy()
D.Geometric(t([0.3, 0.8])).kl_divergence(D.Geometric(t([0.6, 0.1])))
D.Independent(D.Normal(t([0.3, -1.0]), t([0.5, 2.0])), 1).log_prob(t([[0.25, 0.75]]))
D.Independent(D.Normal(t([0.3, -1.0]), t([0.5, 2.0])), 1).entropy()
D.AbsTransform().forward(t([-1.0, 2.0]))
D.AbsTransform().inverse(t([1.0, 2.0]))
D.AffineTransform(t([1.0]), t([-2.0])).forward(t([0.25, 0.75]))
D.AffineTransform(t([1.0]), t([-2.0])).inverse(t([0.25, 0.75]))
D.AffineTransform(t([1.0]), t([-2.0])).forward_log_det_jacobian(t([0.25, 0.75]))
D.AffineTransform(t([1.0]), t([-2.0])).inverse_log_det_jacobian(t([0.25, 0.75]))
D.ExpTransform().forward(t([0.25, 0.75]))
D.ExpTransform().inverse(t([0.25, 0.75]))
D.ExpTransform().forward_log_det_jacobian(t([0.25, 0.75]))
D.ExpTransform().inverse_log_det_jacobian(t([0.25, 0.75]))
D.PowerTransform(t([2.0])).forward(t([0.25, 0.75]))
D.PowerTransform(t([2.0])).inverse(t([0.25, 0.75]))
D.PowerTransform(t([2.0])).forward_log_det_jacobian(t([0.25, 0.75]))
D.PowerTransform(t([2.0])).inverse_log_det_jacobian(t([0.25, 0.75]))
D.SigmoidTransform().forward(t([0.25, 0.75]))
D.SigmoidTransform().inverse(t([0.25, 0.75]))
D.SigmoidTransform().forward_log_det_jacobian(t([0.25, 0.75]))
D.SigmoidTransform().inverse_log_det_jacobian(t([0.25, 0.75]))
D.TanhTransform().forward(t([0.25, 0.75]))
D.TanhTransform().inverse(t([0.25, 0.75]))
D.TanhTransform().forward_log_det_jacobian(t([0.25, 0.75]))
D.TanhTransform().inverse_log_det_jacobian(t([0.25, 0.75]))
D.SoftmaxTransform().forward(t([[0.25, 0.75]]))
D.SoftmaxTransform().inverse(t([[0.25, 0.75]]))
D.StickBreakingTransform().forward(t([[0.25, 0.75]]))
D.StickBreakingTransform().inverse(t([[0.25, 0.5, 0.25]]))
D.StickBreakingTransform().forward_log_det_jacobian(t([[0.25, 0.75]]))
D.StickBreakingTransform().inverse_log_det_jacobian(t([[0.25, 0.5, 0.25]]))
D.ReshapeTransform((2, 3), (3, 2)).forward(t([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]))
D.ReshapeTransform((2, 3), (3, 2)).inverse(t([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]))
D.ReshapeTransform((2, 3), (3, 2)).forward_log_det_jacobian(t([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]))
D.ReshapeTransform((2, 3), (3, 2)).inverse_log_det_jacobian(t([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]))
D.ChainTransform((D.AffineTransform(t(0.5), t(2.0)), D.ExpTransform())).forward(t([0.25, 0.75]))
D.ChainTransform((D.AffineTransform(t(0.5), t(2.0)), D.ExpTransform())).inverse(t([0.25, 0.75]))
D.ChainTransform((D.AffineTransform(t(0.5), t(2.0)), D.ExpTransform())).forward_log_det_jacobian(t([0.25, 0.75]))
D.ChainTransform((D.AffineTransform(t(0.5), t(2.0)), D.ExpTransform())).inverse_log_det_jacobian(t([0.25, 0.75]))
D.IndependentTransform(D.ExpTransform(), 1).forward(t([[0.25, 0.75]]))
D.IndependentTransform(D.ExpTransform(), 1).inverse(t([[0.25, 0.75]]))
D.IndependentTransform(D.ExpTransform(), 1).forward_log_det_jacobian(t([[0.25, 0.75]]))
D.IndependentTransform(D.ExpTransform(), 1).inverse_log_det_jacobian(t([[0.25, 0.75]]))
D.StackTransform((D.ExpTransform(), D.PowerTransform(t(2.0))), 1).forward(t([[1.0, 2.0], [3.0, 4.0]]))
D.StackTransform((D.ExpTransform(), D.PowerTransform(t(2.0))), 1).inverse(t([[1.0, 2.0], [3.0, 4.0]]))
D.StackTransform((D.ExpTransform(), D.PowerTransform(t(2.0))), 1).forward_log_det_jacobian(t([[1.0, 2.0], [3.0, 4.0]]))
D.StackTransform((D.ExpTransform(), D.PowerTransform(t(2.0))), 1).inverse_log_det_jacobian(t([[1.0, 2.0], [3.0, 4.0]]))
D.TransformedDistribution(D.Normal(t([0.3, -1.0]), t([0.5, 2.0])), [D.ExpTransform()]).log_prob(t([0.25, 0.75]))
D.TransformedDistribution(D.Normal(0.0, 1.0), [D.AffineTransform(t(1.0), t(2.0))]).log_prob(t(0.5))
D.TransformedDistribution(D.Uniform(t([0.0]), t([1.0])), [D.AffineTransform(t(1.0), t(2.0)), D.ExpTransform()]).log_prob(t([[4.0], [5.0]]))
D.ExpTransform()(D.Normal(t([0.3]), t([0.5]))).prob(t([0.25]))
D.Normal(t([0.0]), 1.0)
D.Normal(0.0, 1.0).sample(3)
D.Geometric('a')
D.Laplace([0.0], 1.0)
D.Gumbel('a', 1.0)
D.Cauchy([0.0], 1.0)
D.Cauchy(0.0, 1.0).mean
D.Cauchy(0.0, 1.0).variance
D.Dirichlet(t(1.0))
D.Multinomial(0, t([1.0]))
D.Multinomial(2.0, t([1.0]))
D.Multinomial(2, t(1.0))
D.Independent(D.Normal(0.0, 1.0), 1)
D.Independent(1, 1)
D.Cauchy(0.0, 1.0).kl_divergence(D.Normal(0.0, 1.0))
D.ReshapeTransform((2, 3), (5,))
D.ReshapeTransform(2, (2,))
D.AffineTransform(1.0, t(1.0))
D.PowerTransform(2.0)
D.ChainTransform(1)
D.StackTransform([])
D.IndependentTransform(1, 1)
D.IndependentTransform(D.ExpTransform(), 0)
D.SoftmaxTransform().forward(t(1.0))
D.StickBreakingTransform().forward_shape(())
D.TransformedDistribution(1, [D.ExpTransform()])
D.TransformedDistribution(D.Normal(0.0, 1.0), D.ExpTransform())
D.register_kl(int, int)
""".replace("D.", "paddle.distribution.")

SHAPES = """
D.Normal(t([0.3, -1.0]), t([0.5, 2.0])).sample([3, 4]).shape
D.Normal(t([0.3, -1.0]), t([0.5, 2.0])).batch_shape
D.Uniform(t([0.0, -1.0]), t([1.0, 2.0])).sample([3, 4]).shape
D.Uniform(t([0.0, -1.0]), t([1.0, 2.0])).batch_shape
D.Laplace(t([0.3, -1.0]), t([0.5, 2.0])).sample([3, 4]).shape
D.Laplace(t([0.3, -1.0]), t([0.5, 2.0])).batch_shape
D.Gumbel(t([0.3, -1.0]), t([0.5, 2.0])).sample([3, 4]).shape
D.Gumbel(t([0.3, -1.0]), t([0.5, 2.0])).batch_shape
D.Cauchy(t([0.3, -1.0]), t([0.5, 2.0])).sample([3, 4]).shape
D.Cauchy(t([0.3, -1.0]), t([0.5, 2.0])).batch_shape
D.LogNormal(t([0.3, -1.0]), t([0.5, 2.0])).sample([3, 4]).shape
D.LogNormal(t([0.3, -1.0]), t([0.5, 2.0])).batch_shape
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).sample([3, 4]).shape
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).batch_shape
D.Normal(t([0.3, -1.0]), t([0.5, 2.0])).rsample([5]).shape
D.Laplace(t([0.3, -1.0]), t([0.5, 2.0])).rsample([5]).shape
D.Cauchy(t([0.3, -1.0]), t([0.5, 2.0])).rsample([5]).shape
D.Gumbel(t([0.3, -1.0]), t([0.5, 2.0])).rsample([5]).shape
D.Normal([0.0, 1.0], [1.0, 2.0]).sample([3]).shape
D.Normal(t([0.0]), t([1.0])).sample().shape
D.Bernoulli(t([0.3, 0.8])).sample([5]).shape
D.Bernoulli(t([0.3, 0.8])).rsample([5], 0.5).shape
D.Categorical(t([1.0, 2.0, 5.0])).sample([2, 3]).shape
D.Categorical(t([[1.0, 2.0], [3.0, 1.0]])).sample([4]).shape
D.Dirichlet(t([[1.0, 2.0, 3.0]])).sample([5]).shape
D.Dirichlet(t([[1.0, 2.0, 3.0]])).event_shape
D.Multinomial(4, t([[0.2, 0.8], [0.5, 0.5]])).sample((3,)).shape
D.Geometric(t([0.3, 0.8])).sample((3,)).shape
D.Independent(D.Beta(t([0.5, 0.5]), t([0.5, 0.5])), 1).event_shape
D.StickBreakingTransform().forward_shape((2, 3))
D.StickBreakingTransform().inverse_shape((2, 3))
D.AffineTransform(t([[1.0], [2.0]]), t([1.0])).forward_shape((3,))
D.ReshapeTransform((2, 3), (3, 2)).forward_shape((5, 2, 3))
D.PowerTransform(t([1.0, 2.0])).inverse_shape((3, 1))
D.TransformedDistribution(D.Normal(t([0.3, -1.0]), t([0.5, 2.0])), [D.TanhTransform()]).sample([3]).shape
"""


def shapes_of_samples_and_batches(paddle: Any) -> Any:
    """Shapes of samples, of batches, of events, and of what transforms make of them."""

    def create(values: Any) -> Any:
        return paddle.to_tensor(np.array(values, "float32"))

    names = {"D": paddle.distribution, "t": create}
    return [list(eval(line, names)) for line in SHAPES.split("\n")[1:-1]]  # noqa: S307


def samples_and_their_gradients(paddle: Any) -> Any:
    """Which samples are differentiable functions of the parameters."""
    distribution, found = paddle.distribution, []
    for kind in ("Normal", "Laplace", "Gumbel", "Cauchy", "Uniform", "LogNormal"):
        loc, scale = (
            paddle.to_tensor(np.array([value], "float32"), stop_gradient=False)
            for value in (0.5, 2.0)
        )
        one = getattr(distribution, kind)(loc, scale)
        facts: list[Any] = [kind, one.sample([2]).stop_gradient]
        if kind != "Uniform":
            facts.append(one.rsample([2]).stop_gradient)
        found.append(facts)
    return found


def a_program_of_unknown_batch(paddle: Any) -> Any:
    """Densities and entropies whose number is not known before it runs."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [-1, 2], "float32")
        loc = paddle.static.data("loc", [-1, 2], "float32")
        normal = paddle.distribution.Normal(loc, paddle.exp(loc))
        laplace = paddle.distribution.Laplace(loc, paddle.exp(loc))
        outs = [normal.log_prob(x), normal.probs(x), laplace.log_prob(x)]
    feed = {name: np.array([[0.5, 1.0]] * 3, "float32") for name in ("x", "loc")}
    values = paddle.static.Executor().run(main, feed, outs)
    return [list(outs[0].shape), *values]


def a_formula_of_ones_own(paddle: Any) -> Any:
    """A divergence registered for a subclass, and that of its base for another."""
    distribution = paddle.distribution

    class Narrow(distribution.Normal):  # type: ignore[misc]
        pass

    class Wide(distribution.Normal):  # type: ignore[misc]
        pass

    distribution.register_kl(Narrow, distribution.Normal)(lambda p, q: "own")
    narrow, wide = Narrow(0.0, 1.0), Wide(0.0, 2.0)
    pairs = [(narrow, wide), (wide, narrow), (wide, wide)]
    return [distribution.kl_divergence(p, q) for p, q in pairs]


def a_policy_gradient(paddle: Any) -> Any:
    """Log-probabilities of actions, with the gradient for what they are drawn by."""
    weights = paddle.to_tensor(
        np.array([[0.2, 0.8], [0.5, 0.5]], "float32"), stop_gradient=False
    )
    policy = paddle.distribution.Categorical(paddle.nn.functional.softmax(weights))
    actions = paddle.to_tensor(np.array([[1], [0]]))
    loss = -(policy.log_prob(actions)).sum()
    loss.backward()
    return [loss, weights.grad]


def a_variational_bound(paddle: Any) -> Any:
    """The divergence of an encoder from its prior, with its gradients."""
    mean, log_deviation = (
        paddle.to_tensor(np.array([values], "float32"), stop_gradient=False)
        for values in ([0.5, -1.0, 2.0], [0.1, -0.4, 0.3])
    )
    distribution = paddle.distribution
    posterior = distribution.Normal(mean, paddle.exp(log_deviation))
    prior = distribution.Normal(paddle.zeros([1, 3]), paddle.ones([1, 3]))
    bound = distribution.kl_divergence(posterior, prior).sum()
    bound.backward()
    return [bound, mean.grad, log_deviation.grad]


STORIES = [
    shapes_of_samples_and_batches,
    samples_and_their_gradients,
    a_program_of_unknown_batch,
    a_formula_of_ones_own,
    a_policy_gradient,
    a_variational_bound,
]
