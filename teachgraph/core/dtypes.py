"""The element types, as NumPy's own dtype objects under Paddle's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError

bool = np.dtype("bool")
uint8 = np.dtype("uint8")
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
float32 = np.dtype("float32")
float64 = np.dtype("float64")

PADDLE_CODES = {bool: 0, int16: 1, int32: 2, int64: 3, float32: 5, float64: 6}
PADDLE_CODES |= {uint8: 20, int8: 21}
"""The numbers Paddle's programs use for dtypes (`VarType` in framework.proto)."""


class ByCode(dict[Any, np.dtype[Any]]):
    """The dtype of each of these numbers; anything else names its dtype itself."""

    def __missing__(self, code: Any) -> np.dtype[Any]:
        if isinstance(code, int):
            raise DTypeError(f"{code!r} is no dtype's number: these are {self}")
        return convert(code)


of_code = ByCode({code: dtype for dtype, code in PADDLE_CODES.items()}).__getitem__
"""The dtype that an attribute of an operator means: a number, as a rule."""


def convert(dtype: Any) -> np.dtype[Any]:
    """The dtype somebody means by a name, or by a NumPy or Python type.

    Raises:
        DTypeError: It is none of the types above.

    >>> convert("float32"), convert(np.int64)
    (dtype('float32'), dtype('int64'))
    """
    try:
        found: np.dtype[Any] | None = np.dtype(dtype)
    except TypeError:
        found = None
    if dtype is None or found is None or found not in PADDLE_CODES:
        known = ", ".join(map(str, PADDLE_CODES))
        raise DTypeError(f"data type {dtype!r} not understood; known are {known}")
    return found
