"""Rows for `teachgraph/ops/resize.py`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.contract import NUMBERS, Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {
    "scalar": "it needs images",
    "1-D": "it needs images",
    "broadcast": "one input",
}
DEFAULTS = {
    "align_corners": True,
    "align_mode": 1,
    "data_layout": "NCHW",
    "out_d": -1,
    "out_h": -1,
    "out_w": -1,
    "scale": [],
}


def cubic(x: float) -> float:
    """Keys' kernel with a = -3/4."""
    x = abs(x)
    if x <= 1:
        return 1.25 * x**3 - 2.25 * x**2 + 1
    return -0.75 * (x**3 - 5 * x**2 + 8 * x - 4) if x < 2 else 0.0


def neighbours(
    at: int, size: int, count: int, scale: Any, method: str, corners: bool, mode: int
) -> Iterator[tuple[int, float]]:
    """The inputs that one output is made of, with their weights."""
    ratio = 1 / scale if scale else size / count
    if corners:
        ratio = (size - 1) / (count - 1) if count > 1 else 0.0
    half = not corners and (mode == 0 or method == "bicubic")
    if method == "nearest":
        nearest = math.floor(ratio * at + (0.5 if corners else 0) + 1e-12)
        yield min(nearest, size - 1), 1.0
        return
    place = ratio * (at + 0.5) - 0.5 if half else ratio * at
    if method == "bicubic":
        low = math.floor(place)
        for i in range(low - 1, low + 3):
            yield min(max(i, 0), size - 1), cubic(place - i)
        return
    place = max(place, 0.0)
    low = min(math.floor(place), size - 1)
    yield low, 1 - (place - low)
    yield min(low + 1, size - 1), place - low


def line_by_line(
    x: Array,
    interp_method: str,
    align_corners: bool,
    align_mode: int,
    data_layout: str,
    out_d: int,
    out_h: int,
    out_w: int,
    scale: Any,
) -> Array:
    last = data_layout.endswith("C")
    spatial = x.ndim - 2
    counts = [out_d, out_h, out_w][3 - spatial :]
    factors = list(scale) * (spatial if len(scale) == 1 else 1) or [None] * spatial
    for i in range(spatial):
        axis = i + (1 if last else 2)
        size = x.shape[axis]
        count = int(size * factors[i]) if factors[i] else counts[i]
        lines = np.moveaxis(x, axis, 0)
        out = np.zeros((count, *lines.shape[1:]))
        about = factors[i], interp_method, align_corners, align_mode
        for at in range(count):
            for index, weight in neighbours(at, size, count, *about):
                out[at] += weight * lines[index]
        x = np.moveaxis(out, 0, axis)
    return x


def resized(method: str) -> Any:
    def value(x: Array, **attrs: Any) -> Array:
        return line_by_line(x, method, **{**DEFAULTS, **attrs})

    return value


def back(x: Array, y: Array, interp_method: str, **attrs: Any) -> Array:
    """The transposed map: what each basis image becomes, times x."""
    out = np.zeros(y.shape)
    for place in np.ndindex(y.shape):
        unit = np.zeros(y.shape)
        unit[place] = 1.0
        made = line_by_line(unit, interp_method, **{**DEFAULTS, **attrs})
        out[place] = (made * x).sum()
    return out


def from_the_edge(t: Any, x: Any, count: int) -> Any:
    """What PyTorch has no function for: places that are counted from the edge."""
    places = t.arange(count, dtype=x.dtype) * x.shape[-1] / count
    low = places.floor().long()
    high = (low + 1).clamp(max=x.shape[-1] - 1)
    share = places - low
    return x[..., low] * (1 - share) + x[..., high] * share


def resized_in_torch(method: str) -> Any:
    """PyTorch's function."""

    def twin(t: Any, x: Any, **attrs: Any) -> Any:
        about = {**DEFAULTS, **attrs}
        if method == "linear" and about["align_mode"] == 1:
            return from_the_edge(t, x, about["out_w"])
        last = about["data_layout"].endswith("C")
        image = x.movedim(-1, 1) if last else x
        size = [about["out_d"], about["out_h"], about["out_w"]][5 - x.ndim :]
        given = (
            {"scale_factor": tuple(about["scale"])}
            if about["scale"]
            else {"size": size}
        )
        if method != "nearest":
            given["align_corners"] = about["align_corners"]
        out = t.nn.functional.interpolate(image, mode=method, **given)
        return out.movedim(1, -1) if last else out

    return twin


def back_in_torch(t: Any, x: Any, y: Any, interp_method: str, **attrs: Any) -> Any:
    """The gradient of an image of zeros."""
    image = t.zeros_like(y, requires_grad=True)
    made = resized_in_torch(interp_method)(t, image, **attrs)
    return t.autograd.grad(made, image, x, create_graph=True)[0]


def to(*sizes: int, **attrs: Any) -> dict[str, Any]:
    """The attributes for a size."""
    names = ["out_d", "out_h", "out_w"][3 - len(sizes) :]
    halves = {"align_corners": False, "align_mode": 0}
    return {**halves, **dict(zip(names, sizes, strict=True)), **attrs}


def cases(x: Array, small: Any, large: Any, *more: Case) -> tuple[Case, ...]:
    """Shrinking and growing, centres or corners, sizes or factors."""
    return (
        Case("smaller", (x,), to(*small)),
        Case("larger", (x,), to(*large)),
        Case("empty", (x[:0],), to(*large)),
        Case("not contiguous", (turned(x),), to(*large)),
        *more,
    )


def corners(x: Array, small: Any, large: Any) -> tuple[Case, ...]:
    """The same, for methods that join neighbours."""
    one = [1] * len(small)
    return (
        Case("smaller, corners kept", (x,), to(*small, align_corners=True)),
        Case("larger, corners kept", (x,), to(*large, align_corners=True)),
        Case("one, corners kept", (x,), to(*one, align_corners=True)),
    )


def wrong(x: Array) -> tuple[Wrong, ...]:
    """What no method takes."""
    spatial = x.ndim - 2
    sizes = to(*[2] * spatial)
    zero = to(*[0] * spatial)
    return (
        Wrong("rows", (numbers(4, 5),), sizes),
        Wrong("no size", (x,), {}, "OpError"),
        Wrong("a size of 0", (x,), zero),
        Wrong(
            "a factor of 0",
            (x,),
            {"scale": [0.0] * spatial},
            "InvalidValueError",
            "factors",
        ),
        Wrong(
            "too many factors",
            (x,),
            {"scale": [2.0] * 4},
            "InvalidValueError",
            "factors",
        ),
        Wrong("of nothing", (x[:, :, :0],), sizes),
    )


LINES, IMAGES, VOLUMES = numbers(2, 2, 5), numbers(1, 2, 4, 3), numbers(1, 1, 2, 3, 2)

ROWS = (
    Row(
        "nearest_interp_v2",
        cases(
            IMAGES,
            (3, 2),
            (6, 7),
            Case(
                "factors",
                (IMAGES,),
                {"scale": [2.0, 1.5], "align_corners": False},
            ),
            Case("volumes", (VOLUMES,), to(3, 2, 4)),
        ),
        resized("nearest"),
        resized_in_torch("nearest"),
        accepts=NUMBERS,
        wrong=wrong(IMAGES),
        lacks=LACKS,
    ),
    Row(
        "linear_interp_v2",
        (
            *cases(LINES, (3,), (8,), *corners(LINES, (3,), (8,))),
            Case("a factor", (LINES,), {**to(-1), "scale": [1.7]}),
            Case("places from the edge", (LINES,), to(8, align_mode=1)),
        ),
        resized("linear"),
        resized_in_torch("linear"),
        wrong=wrong(LINES),
        lacks=LACKS,
    ),
    Row(
        "bilinear_interp_v2",
        (
            *cases(IMAGES, (3, 2), (5, 7), *corners(IMAGES, (3, 2), (5, 4))),
            Case(
                "channels last",
                (numbers(1, 3, 4, 2),),
                to(5, 2, data_layout="NHWC"),
            ),
            Case("factors", (IMAGES,), {**to(-1, -1), "scale": [2.0, 1.5]}),
        ),
        resized("bilinear"),
        resized_in_torch("bilinear"),
        wrong=wrong(IMAGES),
        lacks=LACKS,
    ),
    Row(
        "bicubic_interp_v2",
        cases(IMAGES, (3, 2), (5, 7), *corners(IMAGES, (3, 2), (5, 4))),
        resized("bicubic"),
        resized_in_torch("bicubic"),
        wrong=wrong(IMAGES),
        lacks=LACKS,
    ),
    Row(
        "trilinear_interp_v2",
        cases(VOLUMES, (2, 2, 1), (3, 2, 3)),
        resized("trilinear"),
        resized_in_torch("trilinear"),
        wrong=wrong(VOLUMES),
        lacks=LACKS,
    ),
    Row(
        "shrink_back",
        (
            Case(
                "images",
                (numbers(1, 2, 6, 5), IMAGES),
                {"interp_method": "bilinear", **to(6, 5)},
                constant=(1,),
            ),
            Case(
                "nearest",
                (numbers(1, 2, 6, 5), IMAGES),
                {"interp_method": "nearest", **to(6, 5)},
                constant=(1,),
            ),
            Case(
                "channels last",
                (numbers(1, 5, 2, 2), numbers(1, 3, 4, 2)),
                {"interp_method": "bicubic", **to(5, 2, data_layout="NHWC")},
                constant=(1,),
            ),
            Case(
                "empty",
                (numbers(0, 2, 6), LINES[:0]),
                {"interp_method": "linear", **to(6)},
                constant=(1,),
            ),
            Case(
                "not contiguous",
                (turned(numbers(2, 2, 6)), LINES),
                {"interp_method": "linear", **to(6)},
                constant=(1,),
            ),
        ),
        back,
        back_in_torch,
        refuses=(),
        lacks=LACKS,
        inner=True,
    ),
)
