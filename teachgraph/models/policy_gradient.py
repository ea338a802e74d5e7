"""REINFORCE: make likelier what has turned out well.

    grad E[G] = E[ sum_t (G_t - b(s_t)) grad log p(a_t | s_t) ]

G_t is the reward to go, what came after step t: an action is no cause of what was
before. The baseline b, what was to be expected there, leaves the mean as it is, for an
action's log-probability has a gradient of mean 0, and makes the variance smaller
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
    """What was seen, done and earned from beginning to end.

    Attributes:
        observations: [steps, ...], float32.
        actions: [steps].
        rewards: [steps].
    """

    observations: Array
    actions: Array
    rewards: Array


def rewards_to_go(rewards: Sequence[float] | Array, gamma: float = 0.99) -> Array:
    """G_t = r_t + gamma G_(t+1).

    >>> rewards_to_go([1.0, 0.0, 2.0], gamma=0.5).tolist()
    [1.5, 1.0, 2.0]
    """
    found, after = np.zeros(len(rewards), np.float32), 0.0
    for t in reversed(range(len(rewards))):
        found[t] = after = rewards[t] + gamma * after
    return found


def act(policy: Layer, observation: Array) -> int:
    """An action, drawn with the policy's probabilities."""
    with no_grad():
        logits = policy(to_tensor(observation[None])).numpy()[0]
    return int((logits + generator().gumbel(size=logits.shape)).argmax())


def play(env: Any, policy: Layer) -> Episode:
    """One episode.

    Args:
        env: With Gymnasium's `reset` and `step`; it is seeded from the one generator.
        policy: Observations [N, ...] to logits [N, actions].
    """
    seen, done, earned, over = [], [], [], False
    observation, _ = env.reset(seed=int(generator().integers(2**31)))
    while not over:
        seen.append(np.asarray(observation, np.float32))
        done.append(act(policy, seen[-1]))
        observation, reward, terminated, truncated, _ = env.step(done[-1])
        earned.append(float(reward))
        over = terminated or truncated
    return Episode(np.stack(seen), np.array(done), np.array(earned))


def policy_loss(policy: Layer, observations: Any, actions: Any, advantages: Any) -> Any:
    """The mean of -A log p(a | s): its gradient is that of the return, turned round.

    Args:
        policy: Observations [N, ...] to logits [N, actions].
        observations: [N, ...].
        actions: [N].
        advantages: [N], how much better it turned out than was to be expected.
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

    Rewards to go are brought to mean 0 and deviation 1 in each batch, so that the
    learning rate does not depend on what rewards are counted in.

    Args:
        env: An environment of Gymnasium, or the name of one, such as "CartPole-v1".
        policy: Observations [N, ...] to logits [N, actions].
        baseline: Observations [N, ...] to values [N, 1]; it is trained too. Without it
            the mean of the batch is all that is expected.
        episodes: How many to play at most.
        batch: How many to play between steps.
        gamma: How much a reward counts that comes one step later.
        learning_rate: Of the policy and of the baseline.
        goal: The mean return at which to stop.
        over: Over how many episodes in a row that mean is.
        progress: Whether to show a bar, where tqdm is installed.

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
    """A step of the policy, and one of the baseline, on a batch of episodes."""
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
    """At mean 0 and deviation 1; where all are alike, 0."""
    return np.asarray((values - values.mean()) / (values.std() + np.float32(1e-6)))


def step(optimizer: Adam, loss: Any) -> None:
    """Follow the loss downhill."""
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()


def ended(
    returns: Sequence[float], episodes: int, goal: float | None, over: int
) -> bool:
    """Whether all is played, or the mean of the last `over` returns is at the goal."""
    if goal is None or len(returns) < over:
        return len(returns) >= episodes
    return len(returns) >= episodes or bool(np.mean(returns[-over:]) >= goal)


def gymnasium() -> Any:
    """The library of environments.

    Raises:
        ImportError: It is not installed.
    """
    try:
        return import_module("gymnasium")
    except ImportError:
        raise ImportError(
            "environments by name need the package gymnasium: pip install gymnasium"
        ) from None


class Bar:
    """A bar of tqdm's with the mean return, where it is wanted and can be had."""

    def __init__(self, total: int, *, shown: bool) -> None:
        try:
            tqdm = import_module("tqdm.auto").tqdm
        except ImportError:
            self.bar = None
        else:
            self.bar = tqdm(total=total, unit="episode", disable=not shown)

    def update(self, mean: float) -> None:
        """One episode more has been played."""
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
