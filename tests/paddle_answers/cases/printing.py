"""Tensors as text: widths, signs, long ones, and what `set_printoptions` changes."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["STORIES"]

USUAL = {
    "precision": 8,
    "threshold": 1000,
    "edgeitems": 3,
    "sci_mode": False,
    "linewidth": 80,
}
DTYPES = ["float32", "float64", "int32", "int64", "bool", "uint8", "int8", "int16"]
SIZES = ([0, 1, 2, 3, 5, 7, 12, 40], [1, 2, 3, 5, 7])


def drawn_floats(random: np.random.RandomState, shape: list[int]) -> Any:
    """Numbers of one of five kinds: some whole, some far apart, some not finite."""
    x, kind = random.randn(*shape), random.randint(5)
    if kind == 0:
        return np.round(x * 5)
    if kind == 1:
        return x * 10.0 ** random.randint(-12, 12, size=shape)
    if kind == 2:
        odd = random.choice([np.nan, np.inf, -np.inf, -0.0], size=shape)
        return np.where(random.rand(*shape) < 0.2, odd, x)
    return 100 * np.abs(x) if kind == 3 else x


def drawn(random: np.random.RandomState) -> Any:
    """An array of any dtype and of up to four dimensions."""
    ndim = random.randint(0, 5)
    shape = [int(random.choice(SIZES[ndim > 2])) for _ in range(ndim)]
    dtype = random.choice(
        ["float32", "float64", "int32", "int64", "bool", "uint8", "int8", "int16"]
    )
    if dtype.startswith("float"):
        return np.asarray(drawn_floats(random, shape)).astype(dtype)
    if dtype == "bool":
        return np.asarray(random.rand(*shape) < 0.5)
    most = random.choice([1, 3, 100])
    least = 0 if dtype == "uint8" else random.choice([0, -most])
    return np.asarray(random.randint(least, most + 1, size=shape)).astype(dtype)


def texts(paddle: Any, seed: int, **options: Any) -> list[str]:
    """Twenty tensors as text, with these options."""
    random = np.random.RandomState(seed)
    paddle.set_printoptions(**{**USUAL, **options})
    try:
        return [repr(paddle.to_tensor(drawn(random))) for _ in range(20)]
    finally:
        paddle.set_printoptions(**USUAL)


def tensors_are_printed_by_default(paddle: Any) -> Any:
    return texts(paddle, 1) + texts(paddle, 2)


def tensors_are_printed_with_three_digits(paddle: Any) -> Any:
    return texts(paddle, 3, precision=3)


def tensors_are_printed_in_scientific_notation(paddle: Any) -> Any:
    return texts(paddle, 4, precision=2, sci_mode=True)


def tensors_are_printed_on_short_lines(paddle: Any) -> Any:
    return texts(paddle, 5, linewidth=30)


def tensors_are_printed_an_element_a_line(paddle: Any) -> Any:
    return texts(paddle, 6, linewidth=5, precision=0)


def long_tensors_are_printed_in_part(paddle: Any) -> Any:
    return texts(paddle, 7, threshold=10) + texts(paddle, 8, threshold=5, edgeitems=1)


def a_tensor_of_more_than_a_thousand_elements_is_printed_in_part(paddle: Any) -> Any:
    longest = paddle.arange(1000)
    longer, wide = paddle.arange(1001), paddle.arange(2002).reshape([7, 286])
    return [len(repr(longest)), repr(longer), repr(wide)]


def tensors_are_formatted_with_their_text(paddle: Any) -> Any:
    x = paddle.to_tensor([1.5, 2.0], stop_gradient=False)
    return [str(x), f"{x}", f"{x.sum()}", repr(x * 2), repr(x.detach())]


def parameters_are_printed_as_such(paddle: Any) -> Any:
    x = paddle.create_parameter(
        [2, 2], "float32", default_initializer=paddle.nn.initializer.Constant(0.5)
    )
    return [str(x), repr(x)]


STORIES = [
    tensors_are_printed_by_default,
    tensors_are_printed_with_three_digits,
    tensors_are_printed_in_scientific_notation,
    tensors_are_printed_on_short_lines,
    tensors_are_printed_an_element_a_line,
    long_tensors_are_printed_in_part,
    a_tensor_of_more_than_a_thousand_elements_is_printed_in_part,
    tensors_are_formatted_with_their_text,
    parameters_are_printed_as_such,
]
