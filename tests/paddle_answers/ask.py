"""Ask a framework, Paddle or ours, what lines of Paddle code come to, in each life.

A line makes its inputs with `t(values, dtype)`; `F` is `paddle.nn.functional`. It is
evaluated on Tensors, with their gradients for given upstream gradients, and on
Variables, in a program that runs once.
A story is a function of `paddle`: several statements, and what a user looks at.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.paddle_answers.stories import Story

__all__ = [
    "REFUSED",
    "Story",
    "answers",
    "ask_line",
    "ask_story",
    "built",
    "in_mode",
    "is_refused",
    "name_of",
    "refused",
]

REFUSED = "refused"


def flat(values: Any) -> list[Any]:
    """All parts of a result, those of lists too."""
    if not isinstance(values, (list, tuple)):
        return [values]
    return [one for part in values for one in flat(part)]


def is_tensor(value: Any) -> bool:
    return hasattr(value, "stop_gradient")


def dtype_of(value: Any) -> str:
    """The name of a dtype of either framework."""
    return str(value.dtype).rsplit(".", maxsplit=1)[-1]


def is_floating(value: Any) -> bool:
    return dtype_of(value).startswith("float")


def short(value: Any, digits: int) -> Any:
    """A number as JSON takes it, NaN and infinities as words."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.{digits}g}") if math.isfinite(value) else str(value)


def described(value: Any) -> Any:
    """A result as JSON takes it; of an array the dtype, the shape and the values."""
    if is_tensor(value):
        value = value.numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        digits = 13 if value.dtype == np.float64 else 6
        values = [short(one, digits) for one in np.ravel(value).tolist()]
        return [str(value.dtype), list(value.shape), values]
    if isinstance(value, dict):
        return {str(key): described(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [described(part) for part in value]
    if isinstance(value, float):
        return short(value, 6)
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def upstream(out: Any) -> Any:
    """A gradient that arrives at an output: none of its elements is 1."""
    values = 0.25 * (np.arange(math.prod(out.shape)) % 7) - 0.6
    return values.reshape(out.shape).astype(dtype_of(out))


def evaluated(paddle: Any, line: str, create: Callable[..., Any]) -> list[Any]:
    """The results of a line whose inputs `create` makes."""
    names = {"paddle": paddle, "F": paddle.nn.functional, "t": create}
    names |= {"np": np, "inf": np.inf, "nan": np.nan}
    with warnings.catch_warnings(action="ignore"):
        return flat(eval(line, names))  # noqa: S307


def ask_eager(paddle: Any, line: str) -> list[Any]:
    """What a line gives now."""

    def create(values: Any, dtype: str = "float32") -> Any:
        return paddle.to_tensor(np.array(values, dtype))

    paddle.seed(1)
    return [described(one) for one in evaluated(paddle, line, create)]


def ask_gradient(paddle: Any, line: str) -> list[Any] | None:
    """The gradients of its floating inputs; None if it has none."""
    leaves: list[Any] = []

    def create(values: Any, dtype: str = "float32") -> Any:
        tensor = paddle.to_tensor(np.array(values, dtype))
        if is_floating(tensor):
            tensor.stop_gradient = False
            leaves.append(tensor)
        return tensor

    paddle.seed(1)
    outputs = [
        out
        for out in evaluated(paddle, line, create)
        if is_tensor(out) and not out.stop_gradient
    ]
    if not leaves or not outputs:
        return None
    given = [paddle.to_tensor(upstream(out)) for out in outputs]
    found = paddle.grad(outputs, leaves, given, allow_unused=True)
    return [described(dx) for dx in found]


class Built(NamedTuple):
    """A program of a line: its results, of which some are Variables, and its feed."""

    main: Any
    startup: Any
    results: list[Any]
    feed: dict[str, Any]

    def variables(self) -> list[Any]:
        """The results that a program computes."""
        return [one for one in self.results if is_tensor(one)]

    def described(self, values: Iterable[Any]) -> list[Any]:
        """The results, of which the Variables have these values."""
        rest = iter(values)
        return [described(next(rest) if is_tensor(v) else v) for v in self.results]


def built(paddle: Any, line: str) -> Built:
    """Build the program of a line."""
    feed: dict[str, Any] = {}

    def create(values: Any, dtype: str = "float32") -> Any:
        value = np.array(values, dtype)
        name = f"x{len(feed)}"
        feed[name] = value
        return paddle.static.data(name, list(value.shape), str(value.dtype))

    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        return Built(main, startup, evaluated(paddle, line, create), feed)


def ask_static(paddle: Any, line: str) -> list[Any]:
    """What it gives in a program."""
    paddle.seed(1)
    program, executor = built(paddle, line), paddle.static.Executor()
    fetched = program.variables()
    with paddle.static.scope_guard(paddle.static.Scope()):
        if program.startup.global_block().ops:
            executor.run(program.startup)
        values = executor.run(program.main, program.feed, fetched) if fetched else []
    return program.described(values)


LIVES: dict[str, tuple[Callable[[Any, str], Any], bool]] = {
    "eager": (ask_eager, False),
    "gradient": (ask_gradient, False),
    "static": (ask_static, True),
}


def refused(error: BaseException) -> str:
    return f"{REFUSED}: {type(error).__name__}"


def is_refused(answer: Any) -> bool:
    return isinstance(answer, str) and answer.startswith(REFUSED)


def in_mode(paddle: Any, *, static: bool) -> None:
    (paddle.enable_static if static else paddle.disable_static)()


def ask_line(paddle: Any, line: str) -> dict[str, Any]:
    """What a line comes to, in each life; what has no gradient has no such answer."""
    found: dict[str, Any] = {}
    for life, (ask, static) in LIVES.items():
        in_mode(paddle, static=static)
        try:
            found[life] = ask(paddle, line)
        except Exception as error:
            found[life] = refused(error)
        finally:
            in_mode(paddle, static=False)
    if is_refused(found["eager"]):
        found["gradient"] = None
    return {life: answer for life, answer in found.items() if answer is not None}


def ask_story(paddle: Any, story: Story) -> Any:
    """What a story comes to."""
    in_mode(paddle, static=False)
    paddle.seed(1)
    try:
        with warnings.catch_warnings(action="ignore"):
            return described(story(paddle))
    except Exception as error:
        return refused(error)
    finally:
        in_mode(paddle, static=False)


def answers(
    paddle: Any, lines: Sequence[str], stories: Sequence[Story]
) -> Iterator[tuple[str, Any]]:
    """Each case by its name, and what it comes to."""
    for line in lines:
        yield line, ask_line(paddle, line)
    for story in stories:
        yield name_of(story), ask_story(paddle, story)


def name_of(story: Story) -> str:
    """The name of a function in words."""
    return story.__name__.replace("_", " ")
