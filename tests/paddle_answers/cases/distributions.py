"""`paddle.distribution`: densities, entropies, divergences, transforms, refusals.

Lines whose gradient makes Paddle 2.6.2 crash are left out: a gradient through its
`broadcast_tensors` of which one output is not used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["LINES", "STORIES"]

ABBREVIATIONS = {
    "CHAIN": "D.ChainTransform((D.AffineTransform(t(0.5), t(2.0)), D.ExpTransform()))",
    "STACK": "D.StackTransform((D.ExpTransform(), D.PowerTransform(t(2.0))), 1)",
    "WHOLE": "D.IndependentTransform(D.ExpTransform(), 1)",
    "PAIR": "t([0.3, -1.0]), t([0.5, 2.0])",
    "OTHER": "t([0.7, 1.0]), t([0.9, 0.4])",
    "MADE": "D.TransformedDistribution",
    "MATRIX": "t([[1.0, 2.0], [3.0, 4.0]])",
    "CUBE": "t([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])",
    "X": "t([0.25, 0.75])",
    "TALL": "t([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]])",
    "AFFINE": "D.AffineTransform(t(1.0), t(2.0))",
    "UNIFORM": "D.Uniform(t([0.0]), t([1.0]))",
    "D.": "paddle.distribution.",
}


def written_out(lines: str) -> str:
    """The lines with all their abbreviations written out."""
    for short, long in ABBREVIATIONS.items():
        lines = lines.replace(short, long)
    return lines


LINES = written_out("""
D.Normal(PAIR).log_prob(X)
D.Normal(PAIR).probs(X)
D.Normal(PAIR).entropy()
D.Normal(PAIR).mean
D.Normal(PAIR).variance
D.Uniform(t([0.0, -1.0]), t([1.0, 2.0])).log_prob(X)
D.Uniform(t([0.0, -1.0]), t([1.0, 2.0])).probs(X)
D.Uniform(t([0.0, -1.0]), t([1.0, 2.0])).entropy()
D.Laplace(PAIR).log_prob(X)
D.Laplace(PAIR).prob(X)
D.Laplace(PAIR).cdf(X)
D.Gumbel(PAIR).log_prob(X)
D.Gumbel(PAIR).prob(X)
D.Gumbel(PAIR).entropy()
D.Gumbel(PAIR).mean
D.Gumbel(PAIR).variance
D.Gumbel(PAIR).stddev
D.Gumbel(PAIR).cdf(X)
D.Cauchy(PAIR).log_prob(X)
D.Cauchy(PAIR).prob(X)
D.Cauchy(PAIR).entropy()
D.Cauchy(PAIR).cdf(X)
D.LogNormal(PAIR).log_prob(X)
D.LogNormal(PAIR).prob(X)
D.LogNormal(PAIR).entropy()
D.LogNormal(PAIR).mean
D.LogNormal(PAIR).variance
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).log_prob(X)
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).prob(X)
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).entropy()
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).mean
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).variance
D.Laplace(PAIR).icdf(X)
D.kl_divergence(D.Normal(PAIR), D.Normal(OTHER))
D.kl_divergence(D.Laplace(PAIR), D.Laplace(OTHER))
D.kl_divergence(D.Cauchy(PAIR), D.Cauchy(OTHER))
D.kl_divergence(D.LogNormal(PAIR), D.LogNormal(OTHER))
D.kl_divergence(D.Beta(t([0.5, 2.0]), t([1.5, 3.0])), D.Beta(OTHER))
D.Normal(0.5, 2.0).log_prob(t([[0.25], [0.75]]))
D.Normal(1, 2).entropy()
D.Normal([[0.0], [1.0]], [1.0, 2.0]).entropy()
D.Uniform(0.0, 2.0).log_prob(t([0.5, 1.5]))
D.Uniform(0.0, 2.0).probs(t([-0.5, 0.0, 2.0]))
D.Uniform(1, 3).entropy()
D.Beta(0.5, 0.5).log_prob(X)
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
D.Independent(D.Normal(PAIR), 1).log_prob(t([[0.25, 0.75]]))
D.Independent(D.Normal(PAIR), 1).entropy()
D.AbsTransform().forward(t([-1.0, 2.0]))
D.AbsTransform().inverse(t([1.0, 2.0]))
D.AffineTransform(t([1.0]), t([-2.0])).forward(X)
D.AffineTransform(t([1.0]), t([-2.0])).inverse(X)
D.AffineTransform(t([1.0]), t([-2.0])).forward_log_det_jacobian(X)
D.AffineTransform(t([1.0]), t([-2.0])).inverse_log_det_jacobian(X)
D.ExpTransform().forward(X)
D.ExpTransform().inverse(X)
D.ExpTransform().forward_log_det_jacobian(X)
D.ExpTransform().inverse_log_det_jacobian(X)
D.PowerTransform(t([2.0])).forward(X)
D.PowerTransform(t([2.0])).inverse(X)
D.PowerTransform(t([2.0])).forward_log_det_jacobian(X)
D.PowerTransform(t([2.0])).inverse_log_det_jacobian(X)
D.SigmoidTransform().forward(X)
D.SigmoidTransform().inverse(X)
D.SigmoidTransform().forward_log_det_jacobian(X)
D.SigmoidTransform().inverse_log_det_jacobian(X)
D.TanhTransform().forward(X)
D.TanhTransform().inverse(X)
D.TanhTransform().forward_log_det_jacobian(X)
D.TanhTransform().inverse_log_det_jacobian(X)
D.SoftmaxTransform().forward(t([[0.25, 0.75]]))
D.SoftmaxTransform().inverse(t([[0.25, 0.75]]))
D.StickBreakingTransform().forward(t([[0.25, 0.75]]))
D.StickBreakingTransform().inverse(t([[0.25, 0.5, 0.25]]))
D.StickBreakingTransform().forward_log_det_jacobian(t([[0.25, 0.75]]))
D.StickBreakingTransform().inverse_log_det_jacobian(t([[0.25, 0.5, 0.25]]))
D.ReshapeTransform((2, 3), (3, 2)).forward(CUBE)
D.ReshapeTransform((2, 3), (3, 2)).inverse(TALL)
D.ReshapeTransform((2, 3), (3, 2)).forward_log_det_jacobian(CUBE)
D.ReshapeTransform((2, 3), (3, 2)).inverse_log_det_jacobian(TALL)
CHAIN.forward(X)
CHAIN.inverse(X)
CHAIN.forward_log_det_jacobian(X)
CHAIN.inverse_log_det_jacobian(X)
WHOLE.forward(t([[0.25, 0.75]]))
WHOLE.inverse(t([[0.25, 0.75]]))
WHOLE.forward_log_det_jacobian(t([[0.25, 0.75]]))
WHOLE.inverse_log_det_jacobian(t([[0.25, 0.75]]))
STACK.forward(MATRIX)
STACK.inverse(MATRIX)
STACK.forward_log_det_jacobian(MATRIX)
STACK.inverse_log_det_jacobian(MATRIX)
MADE(D.Normal(PAIR), [D.ExpTransform()]).log_prob(X)
MADE(D.Normal(0.0, 1.0), [D.AffineTransform(t(1.0), t(2.0))]).log_prob(t(0.5))
MADE(UNIFORM, [AFFINE, D.ExpTransform()]).log_prob(t([[4.0], [5.0]]))
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
MADE(1, [D.ExpTransform()])
MADE(D.Normal(0.0, 1.0), D.ExpTransform())
D.register_kl(int, int)
""")

SHAPES = written_out("""
D.Normal(PAIR).sample([3, 4]).shape
D.Normal(PAIR).batch_shape
D.Uniform(t([0.0, -1.0]), t([1.0, 2.0])).sample([3, 4]).shape
D.Uniform(t([0.0, -1.0]), t([1.0, 2.0])).batch_shape
D.Laplace(PAIR).sample([3, 4]).shape
D.Laplace(PAIR).batch_shape
D.Gumbel(PAIR).sample([3, 4]).shape
D.Gumbel(PAIR).batch_shape
D.Cauchy(PAIR).sample([3, 4]).shape
D.Cauchy(PAIR).batch_shape
D.LogNormal(PAIR).sample([3, 4]).shape
D.LogNormal(PAIR).batch_shape
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).sample([3, 4]).shape
D.Beta(t([0.5, 2.0]), t([1.5, 3.0])).batch_shape
D.Normal(PAIR).rsample([5]).shape
D.Laplace(PAIR).rsample([5]).shape
D.Cauchy(PAIR).rsample([5]).shape
D.Gumbel(PAIR).rsample([5]).shape
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
MADE(D.Normal(PAIR), [D.TanhTransform()]).sample([3]).shape
""")


def shapes_of_samples_and_batches(paddle: Any) -> Any:
    """Shapes of samples, of batches, of events, and of what transforms make of them."""

    def create(values: Any) -> Any:
        return paddle.to_tensor(np.array(values, "float32"))

    names = {"paddle": paddle, "t": create}
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

    class Narrow(distribution.Normal):
        pass

    class Wide(distribution.Normal):
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
