"""REINFORCE: training of a policy by the policy gradient, with a baseline.

    grad E[G] = E[ sum_t (G_t - b(s_t)) grad log p(a_t | s_t) ]

G_t is the reward to go, the return from step t on: an action does not affect earlier
rewards. The baseline b, the expected return of the state, leaves the mean unchanged,
because the gradient of an action's log-probability has mean 0, and reduces the variance
(Williams, 1992).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np

from teachgraph.autograd.creation import to_tensor
from teachgraph.core.modes import no_grad
from teachgraph.core.random import generator
from teachgraph.models.decoding import Array
from teachgraph.nn import Layer, functional
from teachgraph.optimizer import Adam

__all__ = ["Episode", "play", "policy_loss", "reinforce", "rewards_to_go"]


class Episode(NamedTuple):
    """Observations, actions and rewards of one episode.

    Attributes:
        observations: [steps, ...], float32.
        actions: [steps].
        rewards: [steps].
    """

    observations: Array
    actions: Array
    rewards: Array


def rewards_to_go(rewards: Sequence[float] | Array, gamma: float = 0.99) -> Array:
    """Compute the rewards to go, G_t = r_t + gamma G_(t+1).

    >>> rewards_to_go([1.0, 0.0, 2.0], gamma=0.5).tolist()
    [1.5, 1.0, 2.0]
    """
    returns, after = np.zeros(len(rewards), np.float32), 0.0
    for t in reversed(range(len(rewards))):
        returns[t] = after = rewards[t] + gamma * after
    return returns


def act(policy: Layer, observation: Array) -> int:
    """Sample an action from the policy."""
    with no_grad():
        logits = policy(to_tensor(observation[None])).numpy()[0]
    return int((logits + generator().gumbel(size=logits.shape)).argmax())


def play(env: Any, policy: Layer) -> Episode:
    """Play one episode.

    Args:
        env: Has Gymnasium's `reset` and `step`; seeded from the global generator.
        policy: Maps observations [N, ...] to logits [N, actions].
    """
    observations, actions, rewards, over = [], [], [], False
    observation, _ = env.reset(seed=int(generator().integers(2**31)))
    while not over:
        observations.append(np.asarray(observation, np.float32))
        actions.append(act(policy, observations[-1]))
        observation, reward, terminated, truncated, _ = env.step(actions[-1])
        rewards.append(float(reward))
        over = terminated or truncated
    return Episode(np.stack(observations), np.array(actions), np.array(rewards))


def policy_loss(policy: Layer, observations: Any, actions: Any, advantages: Any) -> Any:
    """Compute the mean of -A log p(a | s), whose gradient is minus the policy gradient.

    Args:
        policy: Maps observations [N, ...] to logits [N, actions].
        observations: [N, ...].
        actions: [N].
        advantages: [N], the return minus the expected return.
    """
    logits = policy(observations)
    surprise = functional.cross_entropy(logits, actions, reduction="none")
    return (surprise * advantages).mean()


def reinforce(
    env: Any,
    policy: Layer,
    baseline: Layer | None = None,
    *,
    episodes: int = 1000,
    batch: int = 2,
    gamma: float = 0.99,
    learning_rate: float = 0.01,
    goal: float | None = None,
    over: int = 100,
    progress: bool = True,
) -> list[float]:
    """Train a policy by playing; Adam takes a step after each batch of episodes.

    Rewards to go are standardised to mean 0 and deviation 1 in each batch, so that the
    learning rate does not depend on the scale of the rewards.

    Args:
        env: An environment of Gymnasium, or the name of one, such as "CartPole-v1".
        policy: Maps observations [N, ...] to logits [N, actions].
        baseline: Maps observations [N, ...] to values [N, 1]; it is trained too.
            Without it the batch's mean return is the baseline.
        episodes: The largest number of episodes.
        batch: The number of episodes between optimizer steps.
        gamma: The discount of a reward per step.
        learning_rate: Of the policy and of the baseline.
        goal: The mean return at which to stop.
        over: The number of last episodes in that mean.
        progress: Show a progress bar, if tqdm is installed.

    Returns:
        The return of each episode.

    Raises:
        ImportError: `env` is a name and Gymnasium is not installed.

    >>> import teachgraph as tg
    >>> from teachgraph.models import MLPPolicy
    >>> _ = tg.seed(0)
    >>> returns = reinforce("CartPole-v1", MLPPolicy(4, 2), episodes=4, progress=False)
    >>> len(returns), min(returns) > 7
    (4, True)
    """
    env = gymnasium().make(env) if isinstance(env, str) else env
    optimizer = Adam(learning_rate, parameters=policy.parameters())
    values = None if baseline is None else baseline.parameters()
    watcher = values and Adam(learning_rate, parameters=values)
    returns: list[float] = []
    with Bar(episodes, shown=progress) as bar:
        while not ended(returns, episodes, goal, over):
            played: list[Episode] = []
            while len(played) < batch and not ended(returns, episodes, goal, over):
                played.append(play(env, policy))
                returns.append(float(played[-1].rewards.sum()))
                bar.update(float(np.mean(returns[-over:])))
            learn(policy, optimizer, baseline, watcher, played, gamma)
    return returns


def learn(
    policy: Layer,
    optimizer: Adam,
    baseline: Layer | None,
    watcher: Any,
    played: Sequence[Episode],
    gamma: float,
) -> None:
    """Update the baseline and the policy on a batch of episodes."""
    observations = to_tensor(np.concatenate([e.observations for e in played]))
    actions = to_tensor(np.concatenate([e.actions for e in played]))
    to_go = np.concatenate([rewards_to_go(e.rewards, gamma) for e in played])
    advantages = to_go = standardised(to_go)
    if baseline is not None:
        expected = baseline(observations)[:, 0]
        step(watcher, functional.mse_loss(expected, to_tensor(to_go)))
        advantages = standardised(to_go - expected.numpy())
    loss = policy_loss(policy, observations, actions, to_tensor(advantages))
    step(optimizer, loss)


def standardised(values: Array) -> Array:
    """Standardise to mean 0 and deviation 1; equal values become 0."""
    return np.asarray((values - values.mean()) / (values.std() + np.float32(1e-6)))


def step(optimizer: Adam, loss: Any) -> None:
    """Run backward and one optimizer step, and clear the gradients."""
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()


def ended(
    returns: Sequence[float], episodes: int, goal: float | None, over: int
) -> bool:
    """True after `episodes`, or if the mean of the last `over` returns is at `goal`."""
    if goal is None or len(returns) < over:
        return len(returns) >= episodes
    return len(returns) >= episodes or bool(np.mean(returns[-over:]) >= goal)


def gymnasium() -> Any:
    """Import the library of environments.

    Raises:
        ImportError: The library is not installed.
    """
    try:
        return import_module("gymnasium")
    except ImportError:
        raise ImportError(
            "environments by name need the package gymnasium: pip install gymnasium"
        ) from None


class Bar:
    """Progress bar with the mean return; nothing if hidden or tqdm is not installed."""

    def __init__(self, total: int, *, shown: bool) -> None:
        try:
            tqdm = import_module("tqdm.auto").tqdm
        except ImportError:
            self.bar = None
        else:
            self.bar = tqdm(total=total, unit="episode", disable=not shown)

    def update(self, mean: float) -> None:
        """Advance by one episode."""
        if self.bar is not None:
            self.bar.update(1)
            self.bar.set_postfix(mean=f"{mean:.1f}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.close()
