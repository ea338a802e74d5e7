"""Ask Paddle 2.6.2 for its public names: what code written for it may ask for.

    python -m tests.oracle.names

Run it at the root of the repository, in an environment that has `paddle`. It writes
`paddle_names.json` beside it.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

FILE = Path(__file__).with_name("paddle_names.json")

MODULES = (
    "autograd",
    "io",
    "linalg",
    "metric",
    "nn",
    "nn.functional",
    "nn.initializer",
    "optimizer",
    "optimizer.lr",
    "regularizer",
    "static",
    "static.nn",
    "vision.datasets",
    "vision.models",
    "vision.transforms",
)


def main() -> None:
    """Write the names, a module a line."""
    import paddle
    from paddle.tensor import magic_method_func, tensor_method_func

    found = {"": paddle.__all__}
    for name in MODULES:
        found[name] = import_module(f"paddle.{name}").__all__
    found["Tensor"] = {*tensor_method_func, *(name for name, _ in magic_method_func)}
    lines = [f"{json.dumps(k)}: {json.dumps(sorted(v))}" for k, v in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    print(f"{sum(map(len, found.values()))} names of Paddle {paddle.__version__}")


if __name__ == "__main__":
    main()
