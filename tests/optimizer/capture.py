"""Ask Paddle 2.6.2 or PyTorch for the numbers the tests of optimizers compare with.

    python -m tests.optimizer.capture           compare; ends with 1 if anything differs
    python -m tests.optimizer.capture --write   write paddle.json or torch.json

Run it at the root of the repository, in an environment that has one of the two.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.optimizer.cases import (
    OPTIMIZERS,
    SCHEDULES,
    STEPS,
    TWINS,
    B,
    Make,
    W,
    X,
    Y,
    rates,
    trained,
)

HERE = Path(__file__).parent


def of_paddle() -> dict[str, Any]:
    """Parameters after some steps, and the rates of schedules."""
    import paddle

    return {
        "optimizers": {
            name: trained(paddle, make) for name, make in OPTIMIZERS.items()
        },
        "schedules": {
            name: rates(make(paddle.optimizer.lr)) for name, make in SCHEDULES.items()
        },
    }


def of_torch() -> dict[str, Any]:
    """The same parameters, in float64."""
    import torch

    return {"optimizers": {name: stepped(torch, make) for name, make in TWINS.items()}}


def stepped(torch: Any, make: Make) -> list[Any]:
    """The weight and the bias after some steps."""
    w, b = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (W, B))
    x, y = (torch.tensor(v, dtype=torch.float64) for v in (X, Y))
    optimizer = make(torch, [w, b])
    for _ in range(STEPS):
        optimizer.zero_grad()
        ((x @ w + b - y) ** 2).mean().backward()
        optimizer.step()
    return [w.tolist(), b.tolist()]


def short(value: Any) -> Any:
    """The same with eight digits."""
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    if isinstance(value, list):
        return [short(item) for item in value]
    return float(f"{value:.8g}")


def as_text(answers: dict[str, Any]) -> str:
    """JSON with a line for each answer."""
    parts = []
    for kind, found in answers.items():
        lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in found.items()]
        parts.append(f" {json.dumps(kind)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def numbers(answers: dict[str, Any]) -> dict[str, Any]:
    """Each answer as one flat array, by what was asked."""
    return {
        f"{kind}, {name}": np.concatenate([np.ravel(part) for part in found])
        for kind, group in answers.items()
        for name, found in group.items()
    }


def differing(now: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """What is answered otherwise than before, to the last digits of float32."""
    new, old = numbers(now), numbers(before)
    return [
        name
        for name in new | old
        if name not in new
        or name not in old
        or not np.allclose(new[name], old[name], rtol=1e-6, atol=1e-6)
    ]


def main() -> int:
    """Ask whichever library there is."""
    try:
        name, answers = "torch", of_torch()
    except ImportError:
        name, answers = "paddle", of_paddle()
    path = HERE / f"{name}.json"
    if "--write" in sys.argv:
        path.write_text(as_text(short(answers)), "utf-8")
    found = differing(answers, json.loads(path.read_text("utf-8")))
    print(*(found or [f"{name} agrees on optimizers and schedules."]), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
