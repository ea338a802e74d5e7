"""What Paddle and PyTorch are asked of optimizers and schedules; NumPy alone.

`paddle` is whichever library speaks Paddle's words: the real one, or ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

STEPS = 10
EPOCHS = 20

Make = Callable[[Any, Any], Any]

X = np.sin(np.arange(12.0)).reshape(4, 3).astype("float32")
Y = np.cos(np.arange(8.0)).reshape(4, 2).astype("float32")
W = np.linspace(-1.0, 1.0, 6).reshape(3, 2).astype("float32")
B = np.array([0.5, -0.25], "float32")

OPTIMIZERS: dict[str, Make] = {
    "SGD": lambda p, own: p.optimizer.SGD(0.1, **own),
    "SGD, L2": lambda p, own: p.optimizer.SGD(0.1, weight_decay=0.1, **own),
    "SGD, L1": lambda p, own: p.optimizer.SGD(
        0.1, weight_decay=p.regularizer.L1Decay(0.1), **own
    ),
    "SGD, by value": lambda p, own: p.optimizer.SGD(
        0.1, grad_clip=p.nn.ClipGradByValue(0.2), **own
    ),
    "SGD, by norm": lambda p, own: p.optimizer.SGD(
        0.1, grad_clip=p.nn.ClipGradByNorm(0.2), **own
    ),
    "SGD, by global norm": lambda p, own: p.optimizer.SGD(
        0.1, weight_decay=0.1, grad_clip=p.nn.ClipGradByGlobalNorm(0.2), **own
    ),
    "SGD, schedule": lambda p, own: p.optimizer.SGD(
        p.optimizer.lr.ExponentialDecay(0.2, 0.8), **own
    ),
    "Momentum": lambda p, own: p.optimizer.Momentum(0.1, 0.8, **own),
    "Momentum, Nesterov": lambda p, own: p.optimizer.Momentum(
        0.1, 0.8, use_nesterov=True, weight_decay=0.1, **own
    ),
    "Adagrad": lambda p, own: p.optimizer.Adagrad(0.1, **own),
    "Adadelta": lambda p, own: p.optimizer.Adadelta(1.0, **own),
    "RMSProp": lambda p, own: p.optimizer.RMSProp(0.1, 0.9, **own),
    "RMSProp, centered": lambda p, own: p.optimizer.RMSProp(
        0.1, 0.9, 1e-3, 0.5, True, **own
    ),
    "Adam": lambda p, own: p.optimizer.Adam(0.1, **own),
    "AdamW": lambda p, own: p.optimizer.AdamW(0.1, weight_decay=0.1, **own),
    "Adamax": lambda p, own: p.optimizer.Adamax(0.1, **own),
    "Lamb": lambda p, own: p.optimizer.Lamb(0.1, 0.1, **own),
}

TWINS: dict[str, Make] = {
    "SGD": lambda t, own: t.optim.SGD(own, 0.1),
    "SGD, L2": lambda t, own: t.optim.SGD(own, 0.1, weight_decay=0.1),
    "Momentum": lambda t, own: t.optim.SGD(own, 0.1, momentum=0.8),
    "Momentum, Nesterov": lambda t, own: t.optim.SGD(
        own, 0.1, momentum=0.8, nesterov=True, weight_decay=0.1
    ),
    "Adagrad": lambda t, own: t.optim.Adagrad(own, 0.1, eps=1e-6),
    "Adadelta": lambda t, own: t.optim.Adadelta(own, 1.0, rho=0.95),
    "Adam": lambda t, own: t.optim.Adam(own, 0.1),
    "AdamW": lambda t, own: t.optim.AdamW(own, 0.1, weight_decay=0.1),
}
"""PyTorch's, where it has the same formula. It has not for RMSProp (epsilon outside the
root), Adamax (epsilon beside |dw|, not beside the decayed norm), L1 and Lamb."""


def losses() -> list[float]:
    """A training that gets better, then stays where it is, then worse."""
    return [3.0, 2.0, 1.5, 1.4, 1.4, 1.4, 1.4, 1.4, 1.0, *[1.1] * 11]


SCHEDULES: dict[str, Callable[[Any], Any]] = {
    "NoamDecay": lambda lr: lr.NoamDecay(64, 5),
    "PiecewiseDecay": lambda lr: lr.PiecewiseDecay([3, 6, 9], [0.1, 0.2, 0.3, 0.4]),
    "NaturalExpDecay": lambda lr: lr.NaturalExpDecay(0.5, 0.1),
    "InverseTimeDecay": lambda lr: lr.InverseTimeDecay(0.5, 0.1),
    "PolynomialDecay": lambda lr: lr.PolynomialDecay(0.5, 8, power=2.0),
    "PolynomialDecay, cycle": lambda lr: lr.PolynomialDecay(0.5, 6, 0.1, cycle=True),
    "LinearWarmup": lambda lr: lr.LinearWarmup(0.5, 5, 0.0, 0.5),
    "LinearWarmup, then another": lambda lr: lr.LinearWarmup(
        lr.ExponentialDecay(0.5, 0.8), 5, 0.1, 0.5
    ),
    "ExponentialDecay": lambda lr: lr.ExponentialDecay(0.5, 0.9),
    "MultiStepDecay": lambda lr: lr.MultiStepDecay(0.5, [3, 7], 0.5),
    "StepDecay": lambda lr: lr.StepDecay(0.5, 4, 0.5),
    "LambdaDecay": lambda lr: lr.LambdaDecay(0.5, lambda epoch: 0.95**epoch),
    "ReduceOnPlateau": lambda lr: lr.ReduceOnPlateau(0.5, "min", 0.5, 2),
    "ReduceOnPlateau, max": lambda lr: lr.ReduceOnPlateau(
        0.5, "max", 0.5, 1, 0.1, "abs", 1, 0.1
    ),
    "CosineAnnealingDecay": lambda lr: lr.CosineAnnealingDecay(0.5, 6, 0.1),
    "MultiplicativeDecay": lambda lr: lr.MultiplicativeDecay(
        0.5, lambda epoch: 1.0 - 0.1 / epoch
    ),
    "OneCycleLR": lambda lr: lr.OneCycleLR(1.0, 20),
    "OneCycleLR, linear": lambda lr: lr.OneCycleLR(
        1.0, 20, 10.0, 0.01, 0.4, "linear", True
    ),
    "CyclicLR": lambda lr: lr.CyclicLR(0.1, 0.5, 3, 4),
    "CyclicLR, triangular2": lambda lr: lr.CyclicLR(0.1, 0.5, 3, mode="triangular2"),
    "CyclicLR, exp_range": lambda lr: lr.CyclicLR(
        0.1, 0.5, 3, mode="exp_range", exp_gamma=0.9
    ),
    "CyclicLR, own": lambda lr: lr.CyclicLR(
        0.1, 0.5, 3, scale_fn=lambda x: 0.5**x, scale_mode="iterations"
    ),
    "LinearLR": lambda lr: lr.LinearLR(0.5, 8),
    "CosineAnnealingWarmRestarts": lambda lr: lr.CosineAnnealingWarmRestarts(0.5, 4),
    "CosineAnnealingWarmRestarts, twice": lambda lr: lr.CosineAnnealingWarmRestarts(
        0.5, 3, 2, 0.1
    ),
}


def rates(schedule: Any) -> list[float]:
    """The rate in each epoch."""
    found = []
    for loss in losses():
        found.append(float(schedule()))
        if hasattr(schedule, "cooldown"):
            schedule.step(loss)
        else:
            schedule.step()
    return found


def trained(paddle: Any, make: Make, steps: int = STEPS) -> list[Any]:
    """The weight and the bias of a small regression after some steps."""
    layer = paddle.nn.Linear(3, 2)
    layer.weight.set_value(W)
    layer.bias.set_value(B)
    optimizer = make(paddle, {"parameters": layer.parameters()})
    for _ in range(steps):
        step(paddle, layer, optimizer)
    return [layer.weight.numpy().tolist(), layer.bias.numpy().tolist()]


def step(paddle: Any, layer: Any, optimizer: Any) -> None:
    """One step, and on to the next epoch of a schedule."""
    error = layer(paddle.to_tensor(X)) - paddle.to_tensor(Y)
    paddle.mean(error * error).backward()
    optimizer.step()
    optimizer.clear_grad()
    schedule = getattr(optimizer, "_learning_rate", None)
    if hasattr(schedule, "last_epoch"):
        schedule.step()
