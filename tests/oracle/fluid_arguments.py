"""Ask Paddle 1.8.5 what its `fluid` has, and which arguments each name takes.

    python -m tests.oracle.fluid_arguments

Run it at the root of the repository, in an environment that has `paddlepaddle==1.8.5`
(Python 3.7). It writes `tests/fluid/arguments.json`: a name a line, its arguments as
they would stand in a `def`, null for what is no function and no class.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from inspect import Parameter, isclass, isfunction, ismodule, signature
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "fluid" / "arguments.json"

MODULES = (
    "average",
    "backward",
    "clip",
    "dygraph",
    "initializer",
    "io",
    "layers",
    "metrics",
    "nets",
    "optimizer",
    "profiler",
    "regularizer",
    "transpiler",
    "unique_name",
)

PLAIN = (bool, int, float, str, list, tuple, type(None))


def main() -> None:
    """Write the names and their arguments."""
    from paddle import fluid

    found: dict[str, str | None] = {}
    for path, thing in named(fluid):
        found[path] = arguments(thing)
        if isclass(thing):
            for method, function in methods(thing):
                found[f"{path}.{method}"] = arguments(function)
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(found.items())]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def named(fluid: Any) -> Iterator[tuple[str, Any]]:
    """Every public name: those of `fluid` itself, then those of its modules."""
    yield "optimizer.Optimizer", fluid.optimizer.Optimizer
    for module in ("", *MODULES):
        inside = import_module(f"paddle.fluid.{module}".rstrip("."))
        for name in set(inside.__all__):
            thing = getattr(inside, name, None)
            if thing is not None and not ismodule(thing):
                yield f"{module}.{name}".lstrip("."), thing


def methods(owner: Any) -> Iterator[tuple[str, Any]]:
    """The public methods written in a class of Paddle's."""
    for name in vars(owner):
        function = getattr(owner, name)
        if not name.startswith("_") and isfunction(function):
            yield name, function


def arguments(thing: Any) -> str | None:
    """The arguments of a callable, as in a `def`."""
    try:
        parameters = list(signature(thing).parameters.values())
    except (TypeError, ValueError):
        return None
    return ", ".join(written(p) for p in parameters if p.name != "self")


def written(parameter: Parameter) -> str:
    """One argument; `...` stands for a default that has no literal."""
    stars = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
    if parameter.default is Parameter.empty:
        return stars.get(parameter.kind, "") + parameter.name
    plain = isinstance(parameter.default, PLAIN)
    value = repr(parameter.default) if plain else "..."
    return f"{parameter.name}={value}".replace("=inf", "=1e999")


if __name__ == "__main__":
    main()
