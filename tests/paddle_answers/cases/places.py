"""Places by name, and what is no place, wherever one is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.paddle_answers.stories import Story

__all__ = ["LINES", "STORIES"]

GIVEN: tuple[Any, ...] = (
    *("cpu", "CPU", None, "", "abc", "cpu:0", "gpu", "gpu:0", "gpu_pinned", "xpu"),
    *(3, 0, False, [], [1]),
)

LINES = "\n".join(
    f"paddle.to_tensor({data}, place={place!r})"
    for data in ("[1.0]", "t([1.0, 2])")
    for place in GIVEN
)

MARKS = (
    *("", None, "cpu", "gpu", "gpu:0", "gpu:all", "xpu:1"),
    *("cpu:0", "cpu:", "npu", "GPU", 3),
)


def an_executor(paddle: Any, place: Any) -> Any:
    return str(paddle.static.Executor(place).place)


def a_guard(paddle: Any, place: Any) -> Any:
    with paddle.base.dygraph.guard(place):
        return str(paddle.ones([1]).place)


def a_loader(paddle: Any, place: Any) -> Any:
    return next(iter(paddle.io.DataLoader([1.0], places=place)))


def a_tensor(paddle: Any, place: Any) -> Any:
    return paddle.Tensor(paddle.ones([1]).numpy(), place=place)


def a_mark(paddle: Any, device: Any) -> Any:
    paddle.enable_static()
    main = paddle.static.Program()
    with paddle.static.program_guard(main), paddle.static.device_guard(device):
        paddle.ones([1])
    return main.global_block().ops[0].attr("op_device") or ""


def told(act: Callable[[Any, Any], Any], place: Any) -> Story:
    """The result of an action with this place."""

    def story(paddle: Any) -> Any:
        return act(paddle, place)

    story.__name__ = f"{act.__name__}_of_{place!r}"
    return story


def places_are_compared(paddle: Any) -> Any:
    place = paddle.ones([1]).place
    return [place._equals(paddle.CPUPlace()), str(place), place.is_cpu_place()]


STORIES: list[Story] = [
    *(told(an_executor, place) for place in GIVEN),
    *(told(a_guard, place) for place in GIVEN),
    *(told(a_loader, place) for place in ("cpu", "abc", "cpu:0", 3, [3], ["cpu"])),
    *(told(a_tensor, place) for place in ("abc", 3)),
    *(told(a_mark, device) for device in MARKS),
    places_are_compared,
]
