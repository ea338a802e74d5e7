# %% [markdown]
# # A pole, a cart, and a policy
#
# Nobody tells the network which push would have been right. It tries, sees how long the
# pole stood, and makes likelier what it did in the longer games. That is REINFORCE.
#
# The whole of it is one line of mathematics:
#
# $$\nabla E[G] = E\Big[\sum_t (G_t - b(s_t))\, \nabla \log p(a_t \mid s_t)\Big]$$
#
# $G_t$ is what is still earned after step $t$, and $b$ what was to be expected there.
# The environment is Gymnasium's CartPole-v1, which gives a point for each step that
# the pole stands, and ends after 500.

# %%
import gymnasium
import matplotlib.pyplot as plt
import numpy as np

import teachgraph as paddle
from teachgraph import models

# %% [markdown]
# ## What it sees, and what it does
#
# Four numbers: where the cart is and how fast, how far the pole leans and how fast. Two
# actions: push left, push right. Before it has learned anything the policy pushes at
# random, and the pole falls after some twenty steps.

# %%
paddle.seed(0)
env = gymnasium.make("CartPole-v1")
policy = models.MLPPolicy(observations=4, actions=2, hidden=32)
baseline = models.MLPPolicy(observations=4, actions=1, hidden=32)
first = [models.play(env, policy) for _ in range(10)]
print("steps before learning:", [len(episode.rewards) for episode in first])

# %% [markdown]
# The policy, drawn as it answers for one state.

# %%
paddle.show(policy, paddle.zeros([1, 4]))

# %% [markdown]
# ## Learning
#
# CartPole counts as solved when the mean of 100 games reaches 195.

# %%
returns = models.reinforce(
    env, policy, baseline, batch=2, learning_rate=0.01, goal=195.0, progress=False
)
print("games until it is solved:", len(returns))
print(f"mean of the last 100: {np.mean(returns[-100:]):.1f}")

# %%
means = [np.mean(returns[max(0, k - 99) : k + 1]) for k in range(len(returns))]
figure, axis = plt.subplots(figsize=(8, 3))
axis.plot(returns, linewidth=0.8, alpha=0.6, label="one game")
axis.plot(means, linewidth=2, label="mean of the last 100")
axis.axhline(195, linestyle=":", color="gray", label="solved")
axis.set_xlabel("game")
axis.set_ylabel("steps the pole stood")
axis.legend()
figure.tight_layout()

# %% [markdown]
# ## What it has learned
#
# How likely it pushes to the right, for each lean of the pole and each speed of it,
# while the cart rests in the middle. It pushes under the pole: to the right where the
# pole leans and falls to the right.

# %%
lean, speed = np.meshgrid(np.linspace(-0.2, 0.2, 60), np.linspace(-2, 2, 60))
states = np.zeros((lean.size, 4), "float32")
states[:, 2], states[:, 3] = lean.ravel(), speed.ravel()
with paddle.no_grad():
    chances = paddle.nn.functional.softmax(policy(paddle.to_tensor(states)))
right = chances.numpy()[:, 1].reshape(lean.shape)
figure, axis = plt.subplots(figsize=(5.5, 4))
picture = axis.pcolormesh(lean, speed, right, cmap="RdBu", vmin=0, vmax=1)
axis.set_xlabel("lean to the right, in radians")
axis.set_ylabel("speed of falling to the right")
figure.colorbar(picture, label="chance of a push to the right")
figure.tight_layout()
falling = lean * speed > 0
share = np.mean((right > 0.5)[falling] == (lean > 0)[falling])
print(f"it pushes under the falling pole in {100 * share:.0f}% of these states")

# %% [markdown]
# ## A game
#
# One more game of the policy that has learned, at six moments: the cart on its track,
# and the pole at the angle that it has. The arrow is the push of that moment.

# %%
played = models.play(env, policy)
moments = np.linspace(0, len(played.rewards) - 1, 6).astype(int)
figure, axes = plt.subplots(2, 3, figsize=(8, 3.2))
for axis, moment in zip(axes.flat, moments, strict=True):
    place, _, angle, _ = played.observations[moment]
    tip = place + np.sin(angle), np.cos(angle)
    axis.plot([-2.4, 2.4], [-0.2, -0.2], color="gray", linewidth=1)
    axis.add_patch(plt.Rectangle((place - 0.25, -0.15), 0.5, 0.15, color="tab:blue"))
    axis.plot([place, tip[0]], [0, tip[1]], color="tab:orange", linewidth=3)
    side = 1 if played.actions[moment] else -1
    start, end = (place + 0.3 * side, -0.075), (place + 0.9 * side, -0.075)
    axis.annotate("", xytext=start, xy=end, arrowprops={"arrowstyle": "->"})
    axis.set_title(f"step {moment + 1}", fontsize=9)
    axis.set(xlim=(-2.5, 2.5), ylim=(-0.4, 1.2), aspect="equal", yticks=[])
figure.supxlabel("place of the cart, in metres", fontsize=9)
figure.tight_layout()
print(f"the pole stood for {len(played.rewards)} steps")
