"""The engine's functions that one thing enters: what a student reads to follow it.

Each case is prepared and run once, so that what is loaded on first use is loaded, and
then run again under a trace. A function counts once, with its lines (docstring and
blank lines left out); generated code counts too. Kernels and rules of ops, which say
what is computed and not how that is organised, are left out.

`python -m tests.reading` prints every case.
"""

from __future__ import annotations

import ast
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

import teachgraph as tg
from teachgraph import fluid

PACKAGE = Path(tg.__file__).parent
OURS = f"{tg.__name__}."
KERNELS = (f"{PACKAGE / 'ops'}{os.sep}", str(PACKAGE / "core" / "ops.py"))


class Reading(NamedTuple):
    """Lines of the functions that were entered, and in how many files they stand."""

    lines: int
    files: int


def entered(run: Callable[[], Any]) -> list[CodeType]:
    """The code of ours that a call enters, in the order of the last entries."""
    found: dict[CodeType, None] = {}

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        code, module = frame.f_code, frame.f_globals.get("__name__", "")
        # A dataclass has an `__init__` that stands in no file of ours.
        if code.co_filename.startswith("<teachgraph") or module.startswith(OURS):
            found.pop(code, None)
            found[code] = None

    sys.settrace(watch)
    try:
        run()
    finally:
        sys.settrace(None)
    return [*found]


@functools.cache
def lines_by_function(path: str) -> dict[int, int]:
    """For the first line of each function of a file, how many lines it has."""
    text = Path(path).read_text("utf-8")
    rows, sizes = text.splitlines(), {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            decorators = getattr(node, "decorator_list", [])
            first = min(node.lineno, *(d.lineno for d in decorators), node.lineno)
            last = node.end_lineno or node.lineno
            blank = sum(not row.strip() for row in rows[first - 1 : last])
            sizes[first] = last - first + 1 - blank - docstring_lines(node)
    return sizes


def docstring_lines(node: Any) -> int:
    first = node.body[0] if isinstance(node.body, list) else node.body
    value = getattr(first, "value", None)
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return 0
    return first.end_lineno - first.lineno + 1 if isinstance(first, ast.Expr) else 0


def size_of(code: CodeType) -> int:
    if not Path(code.co_filename).exists():
        return len({line for _, _, line in code.co_lines() if line})
    return lines_by_function(code.co_filename).get(code.co_firstlineno, 0)


def read(
    prepare: Callable[[], Any],
    run: Callable[[Any], Any],
    before: Callable[[Any], Any] | None = None,
) -> Reading:
    """Measure one case, after a run of itself or of what loads the same."""
    (before or run)(prepare())
    given = prepare()
    sizes: dict[tuple[str, int], int] = {}
    for code in entered(lambda: run(given)):
        if not code.co_filename.startswith(KERNELS):
            place = code.co_filename, code.co_firstlineno
            sizes[place] = size_of(code)
    return Reading(sum(sizes.values()), len({file for file, _ in sizes}))


def network() -> tuple[Any, Any, Any]:
    net = tg.nn.Sequential(tg.nn.Linear(4, 8), tg.nn.ReLU(), tg.nn.Linear(8, 2))
    return net, tg.ones([3, 4]), tg.to_tensor(np.array([0, 1, 0]))


def loss_of(parts: tuple[Any, Any, Any]) -> Any:
    net, x, y = parts
    return tg.nn.functional.cross_entropy(net(x), y)


def four_lines(_: Any) -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data(name="X", shape=[None, 1], dtype="float32")
        loss = fluid.layers.mean(fluid.layers.fc(input=x, size=10))
        fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        exe.run(feed={"X": np.ones((4, 1), "float32")}, fetch_list=[loss])


def branch(_: Any) -> None:
    with tg.modes.using(static=True), tg.static.program_guard(tg.static.Program()):
        x = tg.static.data("x", [3])
        x.stop_gradient = False
        y = tg.static.nn.cond(x.sum() > 0, lambda: x * 2.0, lambda: x - 1.0)
        tg.static.append_backward(tg.mean(y))


def hooked(_: Any) -> None:
    x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * x
    y.register_hook(lambda dy: dy * 2.0)
    (dx,) = tg.grad(y.sum(), x, create_graph=True)
    tg.grad(dx.sum(), x)


def to_static(_: Any) -> None:
    @tg.jit.to_static
    def f(x: Any, n: Any) -> Any:
        if x.sum() > 0:  # noqa: SIM108  a branch is what is measured
            y = x * 2
        else:
            y = x - 1
        while n > 0:
            y = y + x
            n = n - 1
        return y

    f(tg.to_tensor(np.ones(3, "float32")), tg.to_tensor(3))


def to_static_of_another(_: Any) -> None:
    @tg.jit.to_static
    def g(x: Any, n: Any) -> Any:
        if x.sum() > 1:  # noqa: SIM108
            y = x * 3
        else:
            y = x - 2
        while n > 0:
            y = y + 2 * x
            n = n - 1
        return y

    g(tg.to_tensor(np.ones(3, "float32")), tg.to_tensor(3))


def nothing() -> None:
    return None


CASES: dict[str, tuple[Callable[..., Any], ...]] = {
    "backward": (lambda: loss_of(network()), lambda loss: loss.backward()),
    "step": (network, lambda parts: loss_of(parts).backward()),
    "four_lines": (nothing, four_lines),
    "branch": (nothing, branch),
    "hooked": (nothing, hooked),
    "to_static": (nothing, to_static, to_static_of_another),
}

if __name__ == "__main__":
    for name in sys.argv[1:] or CASES:
        reading = read(*CASES[name])
        print(f"{name} {reading.lines} {reading.files}")
