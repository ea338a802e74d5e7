"""A pole on a cart, and the training of a policy that keeps it up.

The same equations as those of Gymnasium's CartPole-v1 (Barto, Sutton and Anderson,
1983), and the same games for the same seeds, without the package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.creation import to_tensor
from teachgraph.autograd.random_state import seed as seed_all
from teachgraph.course.figures import as_image
from teachgraph.models.policy import MLPPolicy
from teachgraph.models.policy_gradient import Episode, play
from teachgraph.nn import functional
from teachgraph.optimizer import Adam

__all__ = ["CartPole", "curve", "game", "learn"]

Array = np.ndarray[Any, Any]

GRAVITY, CART, POLE, HALF, FORCE, TICK = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
"""m/s^2, masses in kg, half of the pole's length in m, the push in N, seconds."""

EDGE, TILT, LONGEST = 2.4, 12 * 2 * np.pi / 360, 500
"""A game ends where the cart is this far off, or the pole leans this much, or then."""


class CartPole:
    """A game: push the cart left (0) or right (1), so that the pole does not fall.

    The state is the cart's place and speed, and the pole's angle and angular speed. A
    step earns 1.

    >>> env = CartPole()
    >>> state, _ = env.reset(seed=0)
    >>> state.shape, env.step(1)[1:4]
    ((4,), (1.0, False, False))
    """

    def __init__(self) -> None:
        self.state, self.steps = np.zeros(4), 0

    def reset(self, seed: int = 0) -> tuple[Array, dict[str, Any]]:
        """Begin a game near the middle: the state."""
        self.steps = 0
        self.state = np.random.default_rng(seed).uniform(-0.05, 0.05, 4)
        return self.state.astype(np.float32), {}

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Push: the state, what is earned, and whether the game is lost or won."""
        _, speed, angle, turn = self.state
        cos, sin, mass, arm = np.cos(angle), np.sin(angle), CART + POLE, POLE * HALF
        push = ((FORCE if action else -FORCE) + arm * np.square(turn) * sin) / mass
        inertia = HALF * (4.0 / 3.0 - POLE * np.square(cos) / mass)
        bend = (GRAVITY * sin - cos * push) / inertia
        drive = push - arm * bend * cos / mass
        change = np.array([speed, drive, turn, bend])
        self.state, self.steps = self.state + TICK * change, self.steps + 1
        lost = bool(abs(self.state[0]) > EDGE or abs(self.state[2]) > TILT)
        won = self.steps >= LONGEST
        return self.state.astype(np.float32), 1.0, lost, won, {}


def game(policy: Callable[..., Any], seed: int) -> tuple[Any, str]:
    """Play a game, one call of the policy a step.

    Args:
        policy: Of a state [4] it gives scores [2].
        seed: Decides where the game begins, and the actions.

    Returns:
        The sum of the logarithms of the probabilities of all actions, a Tensor, and the
        number of steps in words.
    """
    env, draw, total, steps, over = CartPole(), np.random.default_rng(seed), 0.0, 0, 0
    state, _ = env.reset(seed)
    while not over:
        log_p = functional.log_softmax(policy(to_tensor(state)))
        action = int(draw.random() < np.exp(log_p.numpy()[1]))
        total, steps = total + log_p[action], steps + 1
        state, _, lost, won, _ = env.step(action)
        over = lost or won
    return total, f"{steps} steps"


def learn(
    to_go: Callable[[Sequence[float], float], Any],
    policy_loss: Callable[..., Any],
    games: int = 300,
    seed: int = 0,
    goal: float = 195.0,
) -> list[int]:
    """Train a policy and a baseline on games, by two at a time.

    Args:
        to_go: Of the rewards of a game and a discount it gives the rewards to go.
        policy_loss: Of scores [N, 2], actions [N], rewards to go [N] and guesses of the
            baseline [N], all Tensors, it gives the loss of the policy.
        games: The most games.
        seed: Decides the parameters, the games and the actions.
        goal: The mean length of the last hundred games at which to stop.

    Returns:
        The length of each game.
    """
    seed_all(seed)
    env, policy, baseline = CartPole(), MLPPolicy(4, 2, 32), MLPPolicy(4, 1, 32)
    adam = Adam(0.01, parameters=[*policy.parameters(), *baseline.parameters()])
    lengths: list[int] = []
    while len(lengths) < games and not solved(lengths, goal):
        played = [play(env, policy) for _ in range(2)]
        lengths += [len(one.rewards) for one in played]
        states = to_tensor(np.concatenate([one.observations for one in played]))
        actions = to_tensor(np.concatenate([one.actions for one in played]))
        earned = to_tensor(standardised(played, to_go))
        guesses = baseline(states)[:, 0]
        loss = policy_loss(policy(states), actions, earned, guesses)
        (loss + functional.mse_loss(guesses, earned)).backward()
        adam.step()
        adam.clear_grad()
    return lengths


def solved(lengths: Sequence[int], goal: float) -> bool:
    """True if the mean length of the last hundred games has reached the goal."""
    return len(lengths) >= 100 and bool(np.mean(lengths[-100:]) >= goal)


def standardised(
    played: Sequence[Episode], to_go: Callable[[Sequence[float], float], Any]
) -> Array:
    """Return the rewards to go of some games, with mean 0 and deviation 1."""
    each = [np.asarray(to_go(one.rewards.tolist(), 0.99), float) for one in played]
    values = np.concatenate(each)
    scores: Array = (values - values.mean()) / (values.std() + 1e-6)
    return scores.astype(np.float32)


def curve(lengths: Sequence[int], goal: float = 195.0) -> Any:
    """Draw the length of each game, and the mean of the last hundred.

    Returns:
        A picture that a notebook displays.
    """
    from matplotlib.figure import Figure

    means = [np.mean(lengths[max(0, k - 99) : k + 1]) for k in range(len(lengths))]
    figure = Figure(figsize=(6.4, 2.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(lengths, linewidth=0.8, color="#6b7683", label="a game")
    axes.plot(means, linewidth=2, color="#0a5fb4", label="mean of the last 100")
    axes.axhline(goal, linestyle=":", color="#b3261e", label=f"{goal:g}")
    title = f"{len(lengths)} games, mean of the last 100: {means[-1]:.0f} steps"
    axes.set(xlabel="game", ylabel="steps", title=title)
    axes.legend(loc="upper left")
    return as_image(figure, title)
