"""The networks of `paddle.vision.models`: their parameters, and what some of them give.

    python -m tests.oracle.models.paddle_vision

Run it at the root of the repository in an environment with `paddlepaddle` (2.6.2) and
NumPy. It writes `paddle_vision.json` beside it: for each network the number of entries
of its state, of the numbers in them, and a hash of their names and shapes; for one of
each family what it gives in evaluation, for the parameters and images that
`tests/models/networks.py` makes.
"""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import paddle
from paddle.vision import models

from tests.models.networks import CLASSES, PADDLE, digest, images, some, values

TARGET = Path(__file__).with_name("paddle_vision.json")

BATCH_NORM = ["vgg11", "vgg13", "vgg16", "vgg19"]


def shapes(net: Any) -> dict[str, list[int]]:
    """In the order of the names, which is the same here and there."""
    return {name: value.shape for name, value in sorted(net.state_dict().items())}


def counted(net: Any) -> list[Any]:
    """Entries, numbers in them, hash."""
    found = shapes(net)
    return [len(found), sum(map(prod, found.values())), digest(found)]


def outputs(name: str, options: dict[str, Any], image: tuple[int, ...]) -> Any:
    """What it gives: of each output some elements, to seven digits."""
    net = getattr(models, name)(**{"num_classes": CLASSES, **options})
    net.set_state_dict(values(shapes(net)))
    net.eval()
    with paddle.no_grad():
        out = net(paddle.to_tensor(images(*image)))
    outs = out if isinstance(out, list) else [out]
    return [[float(f"{x:.7g}") for x in some(np.array(o))] for o in outs]


def captured() -> Any:
    """All of it."""
    names = [name for name in models.__all__ if name[0].islower()]
    counts = {name: counted(getattr(models, name)()) for name in sorted(names)}
    for name in BATCH_NORM:
        counts[f"{name}_bn"] = counted(getattr(models, name)(batch_norm=True))
    return {
        "counts": counts,
        "outputs": {name: outputs(*case) for name, case in PADDLE.items()},
    }


if __name__ == "__main__":
    rows = (
        f"{json.dumps(topic)}: {{\n"
        + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in told.items())
        + "\n}"
        for topic, told in captured().items()
    )
    TARGET.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")
