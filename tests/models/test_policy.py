"""REINFORCE: its gradient, what its parts do, and CartPole solved."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import models
from tests.models.modes import agree


def test_rewards_to_go_are_what_comes_after() -> None:
    rewards = np.random.default_rng(0).normal(size=7)
    expected = [sum(rewards[k] * 0.9 ** (k - t) for k in range(t, 7)) for t in range(7)]
    np.testing.assert_allclose(models.rewards_to_go(rewards, 0.9), expected, rtol=1e-6)


def test_the_gradient_is_the_advantage_times_action_minus_probability() -> None:
    """grad log softmax(W'x)[a] is x (1[a] - p)'."""
    rng = np.random.default_rng(0)
    net = tg.nn.Linear(3, 4, bias_attr=False)
    x, actions, gain = (
        rng.normal(size=(5, 3)),
        rng.integers(0, 4, 5),
        rng.normal(size=5),
    )
    x, gain = x.astype("f"), gain.astype("f")
    p = np.exp(x @ net.weight.numpy())
    p /= p.sum(axis=1, keepdims=True)
    models.policy_loss(net, *map(tg.to_tensor, (x, actions, gain))).backward()
    expected = -np.einsum("n,ni,nj->ij", gain, x, np.eye(4)[actions] - p) / 5
    np.testing.assert_allclose(net.weight.grad.numpy(), expected, rtol=1e-4, atol=1e-6)


class Spot:
    """A bright spot at the left or right of a picture; the action should point at it.

    There are three steps in an episode; each right answer is worth 1.
    """

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def look(self) -> Any:
        self.side, picture = int(self.rng.integers(2)), np.zeros((1, 36, 36))
        picture[0, 10:26, 4 + 18 * self.side : 14 + 18 * self.side] = 1.0
        return picture

    def reset(self, seed: int) -> Any:
        self.seeds.append(seed)
        self.rng, self.left = np.random.default_rng(seed), 3
        return self.look(), {}

    def step(self, action: int) -> Any:
        reward, self.left = float(action == self.side), self.left - 1
        return self.look(), reward, self.left == 0, False, {}


def test_an_episode_is_what_was_seen_done_and_earned() -> None:
    tg.seed(0)
    played = models.play(Spot(), models.CNNPolicy(1, 2, size=36, hidden=8))
    assert played.observations.shape == (3, 1, 36, 36)
    assert played.observations.dtype == np.float32
    sides = played.observations[:, 0, 12, 30].astype(int)
    np.testing.assert_array_equal(played.rewards, played.actions == sides)


def test_actions_are_drawn_with_the_policys_probabilities() -> None:
    tg.seed(0)
    policy = models.MLPPolicy(2, 3, hidden=4)
    policy.body[2].bias.set_value(np.array([0.0, 1.0, -1.0], "f"))
    observation = np.array([0.5, -2.0], "f")
    logits = policy(tg.to_tensor(observation[None])).numpy()[0]
    drawn = [models.policy_gradient.act(policy, observation) for _ in range(3000)]
    p = np.exp(logits) / np.exp(logits).sum()
    np.testing.assert_allclose(np.bincount(drawn) / 3000, p, atol=0.03)


@pytest.mark.parametrize("with_baseline", [True, False])
def test_a_network_that_sees_learns_to_point(with_baseline: bool) -> None:
    tg.seed(0)
    policy = models.CNNPolicy(1, 2, size=36, hidden=16)
    baseline = models.CNNPolicy(1, 1, size=36, hidden=16) if with_baseline else None
    returns = models.reinforce(
        Spot(),
        policy,
        baseline,
        episodes=400,
        batch=8,
        learning_rate=0.003,
        gamma=0.0,
        goal=2.9,
        over=40,
        progress=False,
    )
    assert np.mean(returns[:8]) < 2.0
    assert np.mean(returns[-40:]) >= 2.9


def test_one_seed_is_one_course_of_events() -> None:
    runs = []
    for seed in (3, 3, 4):
        tg.seed(seed)
        env, policy = Spot(), models.CNNPolicy(1, 2, size=36, hidden=4)
        returns = models.reinforce(env, policy, episodes=6, progress=False)
        runs.append((env.seeds, returns, policy.body[2].weight.tolist()))
    assert runs[0] == runs[1] != runs[2]
    assert len(set(runs[0][0])) == 6


def test_it_stops_at_the_goal_and_not_before() -> None:
    tg.seed(0)
    policy = models.CNNPolicy(1, 2, size=36, hidden=4)
    options: Any = {"goal": 0.5, "over": 5, "episodes": 50, "progress": False}
    returns = models.reinforce(Spot(), policy, **options)
    means = [np.mean(returns[k - 5 : k]) for k in range(5, len(returns) + 1)]
    assert [mean >= 0.5 for mean in means] == [False] * (len(means) - 1) + [True]


def test_the_bar_shows_the_mean_return(capsys: pytest.CaptureFixture[str]) -> None:
    tg.seed(0)
    policy = models.CNNPolicy(1, 2, size=36, hidden=4)
    returns = models.reinforce(Spot(), policy, episodes=3)
    shown = capsys.readouterr().err
    assert "3/3" in shown
    assert f"mean={np.mean(returns):.1f}" in shown


def test_neither_tqdm_nor_gymnasium_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("tqdm.auto", "gymnasium"):
        monkeypatch.setitem(sys.modules, name, None)
    policy = models.CNNPolicy(1, 2, size=36, hidden=4)
    assert len(models.reinforce(Spot(), policy, episodes=3)) == 3
    assert capsys.readouterr().err == ""
    with pytest.raises(ImportError, match="pip install gymnasium"):
        models.reinforce("CartPole-v1", policy)


def chosen(net: Any, seen: Any, action: Any, gain: Any) -> Any:
    return net(seen), models.policy_loss(net, seen, action, gain)


@pytest.mark.parametrize("kind", ["mlp", "cnn"])
def test_both_modes_choose_alike_and_take_the_same_step(kind: str) -> None:
    rng = np.random.default_rng(0)
    shape = (3, 4) if kind == "mlp" else (3, 1, 36, 36)
    feed = {
        "seen": rng.normal(size=shape).astype("f"),
        "action": np.array([[0], [1], [1]]),
        "gain": rng.normal(size=(3, 1)).astype("f"),
    }
    nets: Any = {
        "mlp": lambda: models.MLPPolicy(4, 2),
        "cnn": lambda: models.CNNPolicy(1, 2, size=36, hidden=8),
    }
    agree(nets[kind], chosen, feed)


def test_saved_and_read_it_is_the_same_bit_for_bit(tmp_path: Any) -> None:
    for number, build in enumerate(
        (lambda: models.MLPPolicy(4, 2), lambda: models.CNNPolicy(1, 2, 36, 8))
    ):
        net, other, file = build(), build(), tmp_path / f"{number}.pdparams"
        tg.save(net.state_dict(), file)
        assert other.set_state_dict(tg.load(file)) == ([], [])
        for key, value in other.state_dict().items():
            np.testing.assert_array_equal(value.numpy(), net.state_dict()[key].numpy())


def test_a_summary_tells_the_convolutions(capsys: pytest.CaptureFixture[str]) -> None:
    found = tg.summary(models.CNNPolicy(4, 6), (1, 4, 84, 84))
    assert found["total_params"] == 1_687_206
    assert "[1, 64, 7, 7]" in capsys.readouterr().out


@pytest.mark.slow
def test_cartpole_is_solved() -> None:
    """Solved is a mean return of 195 over a hundred episodes in a row."""
    tg.seed(0)
    policy, baseline = models.MLPPolicy(4, 2, 32), models.MLPPolicy(4, 1, 32)
    returns = models.reinforce(
        "CartPole-v1", policy, baseline, goal=195.0, progress=False
    )
    assert 100 <= len(returns) <= 500
    assert np.mean(returns[-100:]) >= 195.0
    assert np.mean(returns[:10]) < 60.0
