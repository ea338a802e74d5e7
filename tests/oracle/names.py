"""Ask Paddle 2.6.2 for its public names: what code written for it may ask for.

    python -m tests.oracle.names

Run it at the root of the repository, in an environment that has `paddle`. It writes
`paddle_names.json` beside it, `paddle_arguments.json`: what each name takes,
`paddle_homes.json`: the module that each is defined in, and `paddle_reachable.json`:
what else can be imported from these modules, by accident as a rule.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from inspect import Parameter, ismodule, signature
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("paddle_names.json")
ARGUMENTS = FILE.with_name("paddle_arguments.json")
HOMES = FILE.with_name("paddle_homes.json")
REACHABLE = FILE.with_name("paddle_reachable.json")

MODULES = (
    "autograd",
    "distributed",
    "distribution",
    "io",
    "jit",
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
    "vision.ops",
    "vision.transforms",
)


ALSO_REACHED = ("device", "device.cuda", "text", "utils", "vision")
"""Further modules, of which all names are looked at."""


def main() -> None:
    """Write the names, a module a line."""
    import paddle
    from paddle.tensor import magic_method_func, tensor_method_func

    found = {"": paddle.__all__}
    for name in MODULES:
        found[name] = import_module(f"paddle.{name}").__all__
    found["Tensor"] = {*tensor_method_func, *(name for name, _ in magic_method_func)}
    write(FILE, {module: sorted(names) for module, names in found.items()})
    write(ARGUMENTS, dict(arguments(paddle, found)))
    write(HOMES, homes(found))
    write(REACHABLE, dict(reachable(paddle, found)))
    print(f"{sum(map(len, found.values()))} names of Paddle {paddle.__version__}")


def write(file: Path, found: Mapping[str, Any]) -> None:
    """Write what was found, an entry a line."""
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items()]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def reachable(
    paddle: Any, found: Mapping[str, Iterable[str]]
) -> Iterator[tuple[str, list[str]]]:
    """The names in each module that are Paddle's own, but for those found before."""
    for module in (*found, *ALSO_REACHED):
        inside = f"paddle.{module}".rstrip(".")
        holder = paddle.Tensor if module == "Tensor" else import_module(inside)
        names = {name for name in dir(holder) if not name.startswith("_")}
        names -= {*found.get(module, ())}
        yield module, sorted(n for n in names if is_own(getattr(holder, n, None)))


def is_own(value: Any) -> bool:
    """Tell whether a value is Paddle's, and not Python's or NumPy's."""
    if ismodule(value):
        return value.__name__.startswith("paddle.")
    return str(getattr(value, "__module__", None) or "paddle").startswith("paddle")


def homes(found: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """The modules that functions and classes are defined in, with their names."""
    defined: dict[str, set[str]] = defaultdict(set)
    for module, names in found.items():
        if module == "Tensor":
            continue
        holder = import_module(f"paddle.{module}".rstrip("."))
        for name in names:
            thing = getattr(holder, name, None)
            home = str(getattr(thing, "__module__", ""))
            if home.startswith("paddle.") and thing.__name__ == name:
                defined[home.removeprefix("paddle.")].add(name)
    return {home: sorted(names) for home, names in sorted(defined.items())}


def arguments(
    paddle: Any, found: Mapping[str, Iterable[str]]
) -> Iterator[tuple[str, str]]:
    """The arguments of each function, class and `forward`, in order."""
    for module, names in found.items():
        inside = f"paddle.{module}" if module else "paddle"
        holder = paddle.Tensor if module == "Tensor" else import_module(inside)
        for name in sorted(names):
            thing = getattr(holder, name, None)
            yield f"{module}.{name}".lstrip("."), " ".join(taken(thing))
            if isinstance(thing, type) and "forward" in vars(thing):
                forward = " ".join(taken(thing.forward))
                yield f"{module}.{name}.forward".lstrip("."), forward


def taken(thing: Any) -> list[str]:
    """The names of a callable's arguments, but for `*args` and `**kwargs`."""
    try:
        parameters = signature(thing).parameters.values()
    except (TypeError, ValueError):
        return []
    starred = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.kind not in starred and p.name != "self"]


if __name__ == "__main__":
    main()
