# %% [markdown]
# # Gradient penalty: a derivative of a derivative
#
# Some losses contain a gradient. A critic that tells real points from made ones must
# not be too steep, and so its slope becomes part of the loss; to learn from that, one
# goes back through the way back. Here this second graph is drawn, checked against
# finite differences, and used: a generator learns six clouds of points, and without the
# penalty it does not.
#
# You need to know what a gradient is. The words are those of Paddle 2.

# %%
# %load_ext teachgraph
import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import matplotlib.pyplot as plt
import numpy as np

import teachgraph as paddle
from teachgraph import nn

# %% [markdown]
# ## A gradient that can be differentiated
#
# `paddle.grad` computes a gradient and leaves `.grad` alone. With `create_graph=True`
# it records how: the result is a tensor as any other, with operators behind it. Of
# $x^3$ it gives $3 x^2$, and of that $6 x$.

# %%
x = paddle.to_tensor(3.0, stop_gradient=False)
(slope,) = paddle.grad(x * x * x, x, create_graph=True)
(bend,) = paddle.grad(slope, x)
print(f"x = {x.item():g}: slope {slope.item():g}, slope of the slope {bend.item():g}")

# %% [markdown]
# ## The penalty
#
# For points $x$ between the real and the made ones, the slope of the critic $C$ shall
# have the length one:
#
# $$P = \mathrm{mean}_x\; (\lVert \nabla_x C(x) \rVert - 1)^2$$
#
# The slope is a gradient by the points, and the penalty is to be differentiated by the
# weights.


# %%
def slopes(critic, points):
    points.stop_gradient = False
    (gradient,) = paddle.grad(critic(points).sum(), points, create_graph=True)
    return gradient.square().sum(axis=1).sqrt()


def penalty(critic, points):
    return (slopes(critic, points) - 1).square().mean()


# %% [markdown]
# The whole of it, for a critic of three hidden units and two points. Line 2 is the
# network and line 3 its gradient. But the gradient is no end: the operators that
# computed it were recorded, and lines 4 and 5 make the cost of it. So they all stand on
# the left, in the order in which they ran. Those in the grey frames, marked ∂, are the
# first way back: products with the transposed weights, and the $1 - \tanh^2$ between
# them. On the right `backward` goes up through all of that. The hidden values are read
# twice, by the network and by its way back, so that two gradients come to them, and ⊕
# adds them.

# %%
paddle.seed(1)
tiny = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
points = paddle.to_tensor([[0.5, -1.0], [1.5, 0.3]])
points.stop_gradient = False

# %%
# %%trace --title "Back through a way back"
score = tiny(points)
(gradient,) = paddle.grad(score.sum(), points, create_graph=True)
length = gradient.square().sum(axis=1).sqrt()
cost = (length - 1).square().mean()
cost.backward()
# %% [markdown]
# The bias of the last layer shifts all scores alike, and no slope changes. So it is not
# part of this graph at all: it has no gradient.

# %%
for name, parameter in tiny.named_parameters():
    grad = parameter.grad
    print(f"{name:10}", "none" if grad is None else grad.numpy().round(3).ravel())

# %% [markdown]
# ## Is it right?
#
# What a gradient claims can be tried. Each parameter is moved a little to both sides,
# and the penalty is computed anew, which takes first derivatives only. In double
# precision both have to agree to many digits.


# %%
def tried(critic, points, step=1e-5):
    """The derivatives of the penalty by central differences."""
    found = []
    for parameter in critic.parameters():
        before = parameter.numpy().copy()
        values = np.zeros_like(before)
        for place in np.ndindex(before.shape):
            for side in (1, -1):
                moved = before.copy()
                moved[place] += side * step
                parameter.set_value(moved)
                values[place] += side * penalty(critic, points).item() / (2 * step)
        parameter.set_value(before)
        found.append(values)
    return found


paddle.seed(2)
small = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())
small.add_sublayer("last", nn.Linear(8, 1))
small.to(dtype="float64")
rng = np.random.default_rng(0)
points = paddle.to_tensor(rng.normal(size=[16, 2]))
penalty(small, points).backward()
far, largest = 0.0, 0.0
for parameter, expected in zip(small.parameters(), tried(small, points), strict=True):
    found = 0.0 if parameter.grad is None else parameter.grad.numpy()
    far = max(far, np.abs(found - expected).max())
    largest = max(largest, np.abs(expected).max())
print(f"{sum(p.size for p in small.parameters())} derivatives, up to {largest:.3f}")
print(f"largest difference: {far:.0e}")
assert far < 1e-8

# %% [markdown]
# Without `create_graph` the slope is a plain number, as if it had fallen from the sky.
# The penalty has the same value, and nothing to learn from:

# %%
points.stop_gradient = False
(plain,) = paddle.grad(small(points).sum(), points)
cost = (plain.square().sum(axis=1).sqrt() - 1).square().mean()
print(f"the same value: {np.isclose(cost.item(), penalty(small, points).item())}")
print("it can go back:", not cost.stop_gradient)

# %% [markdown]
# ## Six clouds
#
# The real points lie in six clouds on a circle. A generator makes points out of noise.
# The critic gives each point a score; it learns to score real points higher than made
# ones, and the generator to be scored higher. If the critic's slope is one everywhere
# between them, the difference of the mean scores is the distance that the made points
# have to be carried to become the real ones (Gulrajani et al., *Improved Training of
# Wasserstein GANs*, 2017).

# %%
angles = np.pi / 3 * np.arange(6)
middles = 1.5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def real_points(count):
    spread = 0.1 * rng.normal(size=[count, 2])
    chosen = middles[rng.integers(0, 6, count)] + spread
    return paddle.to_tensor(chosen.astype("float32"))


def noise(count):
    return paddle.to_tensor(rng.normal(size=[count, 4]).astype("float32"))


def network(ins, outs, bent):
    return nn.Sequential(
        nn.Linear(ins, 64), bent(), nn.Linear(64, 64), bent(), nn.Linear(64, outs)
    )


def between(real, made):
    share = paddle.to_tensor(rng.random([len(real), 1]).astype("float32"))
    return share * real + (1 - share) * made


def rated(made):
    """The share of points that lie within three deviations of a middle, and where."""
    distance = np.linalg.norm(made[:, None] - middles, axis=2)
    inside = distance.min(axis=1) < 0.3
    return inside.mean(), np.bincount(distance.argmin(axis=1)[inside], minlength=6)


# %% [markdown]
# Three steps of the critic for one of the generator, so that the generator listens to
# one that knows its trade. The only difference between the two trainings is `weight`.
# Every 200 steps 1200 points are made: how many of them lie in a cloud, and how many in
# each of the six?


# %%
def learn(weight, steps):
    paddle.seed(0)
    generator, critic = network(4, 2, nn.ReLU), network(2, 1, nn.LeakyReLU)
    of_generator, of_critic = (
        paddle.optimizer.Adam(0.003, 0.5, 0.9, parameters=net.parameters())
        for net in (generator, critic)
    )
    curve = []
    for step in range(1, steps + 1):
        for _ in range(3):
            real = real_points(64)
            with paddle.no_grad():
                made = generator(noise(64))
            apart = critic(real).mean() - critic(made).mean()
            loss = -apart
            if weight:
                loss = loss + weight * penalty(critic, between(real, made))
            loss.backward()
            of_critic.step()
            of_critic.clear_grad()
        (-critic(generator(noise(64))).mean()).backward()
        of_generator.step()
        of_generator.clear_grad()
        of_critic.clear_grad()
        if step % 20 == 0:
            slope = slopes(critic, between(real, made)).mean().item()
            curve.append((step, apart.item(), slope))
        if step % 200 == 0:
            with paddle.no_grad():
                share, counts = rated(generator(noise(1200)).numpy())
            print(f"step {step:4}: slope {slope:6.2f}, {share:4.0%} in clouds", counts)
    return generator, critic, np.array(curve)


print("with the penalty")
generator, critic, curve = learn(1.0, 1000)
print("without")
other_generator, other_critic, other_curve = learn(0.0, 400)

# %% [markdown]
# Without it nothing keeps the critic from becoming steeper and steeper: the difference
# of the scores grows because the scores do, and the generator is thrown about.

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 2.8))
for values, label in ((curve, "with the penalty"), (other_curve, "without")):
    axes[0].plot(values[:, 0], values[:, 2], label=label)
    axes[1].plot(values[:, 0], values[:, 1], label=label)
axes[0].axhline(1, linestyle=":", color="gray")
axes[0].set_yscale("log")
axes[1].set_yscale("symlog")
axes[0].set_ylabel("mean slope of the critic")
axes[1].set_ylabel("score of real less made")
for axis in axes:
    axis.set_xlabel("step")
axes[0].legend()
figure.tight_layout()

# %% [markdown]
# ## Seen from above
#
# Real points, made points, and the score of the critic as a landscape.

# %%
wide = np.linspace(-2.5, 2.5, 80)
across, up = np.meshgrid(wide, wide)
grid = paddle.to_tensor(np.stack([across.ravel(), up.ravel()], 1).astype("float32"))
figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, sharey=True)
both = {"with": (generator, critic), "without": (other_generator, other_critic)}
shares = {}
for axis, (title, (maker, judge)) in zip(axes, both.items(), strict=True):
    with paddle.no_grad():
        heights = judge(grid).numpy().reshape(across.shape)
        made = maker(noise(600)).numpy()
    real = real_points(600).numpy()
    shares[title], counts = rated(made)
    axis.contourf(across, up, heights, 20, cmap="Greys", alpha=0.6)
    axis.scatter(*real.T, s=3, label="real")
    axis.scatter(*made.T, s=3, label="made")
    axis.set(xlim=(-2.5, 2.5), ylim=(-2.5, 2.5), title=f"{title} the penalty")
    axis.set_aspect("equal")
    print(f"{title:8}{shares[title]:4.0%} in clouds, {np.sum(counts > 30)} clouds of 6")
axes[0].legend(loc="upper right", markerscale=3)
figure.tight_layout()

# %% [markdown]
# ## Over to you
#
# - Let the penalty punish only slopes above one: `clip` the difference from below. Does
#   the critic still keep to it?
# - With ReLUs the slope is constant in pieces, and its own derivative by `x` is zero.
#   Why does the penalty still teach the weights?
# - Go one further: take the gradient of the penalty with `create_graph=True`, too, and
#   differentiate that. How many operators has the third graph?
