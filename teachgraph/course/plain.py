"""Values as plain data, which is all that goes between a learner's code and its judge.

Only exact types pass: an object of the learner's own, which may call itself equal to
everything, is no answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.ops.single import Single

__all__ = ["NotPlain", "decoded", "encoded"]

SCALARS = (type(None), bool, int, float, str)


class NotPlain(TypeError):
    """A value that is no number, text or array, and no list or dict of such.

    Attributes:
        value: That value, or the one of a list or dict that is none.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(type(value).__name__)
        self.value = value


def encoded(value: Any) -> Any:
    """A value as JSON.

    Raises:
        NotPlain: It is of another type.

    >>> encoded({"a": (1, np.float32(2.0))})
    {'dict': [['a', {'tuple': [1, {'array': 2.0, 'dtype': 'float32', 'shape': []}]}]]}
    """
    kind = type(value)
    if kind in SCALARS:
        return value
    if kind is np.str_:
        return str(value)
    if kind in (list, tuple):
        return {kind.__name__: [encoded(item) for item in value]}
    if kind is dict:
        return {"dict": [[encoded(k), encoded(v)] for k, v in value.items()]}
    if kind in (np.ndarray, Single) or isinstance(value, np.generic):
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            flat = {"array": array.tolist(), "dtype": str(array.dtype)}
            return {**flat, "shape": list(array.shape)}
    raise NotPlain(value)


def decoded(data: Any) -> Any:
    """The value of `encoded`.

    Raises:
        NotPlain: The data is not of its making.

    >>> decoded(encoded([np.ones(2), {"a": None}]))
    [array([1., 1.]), {'a': None}]
    """
    if type(data) in SCALARS:
        return data
    if not isinstance(data, dict):
        raise NotPlain(data)
    if "array" in data:
        return np.array(data["array"], data["dtype"]).reshape(data["shape"])
    if "dict" in data:
        return {decoded(key): decoded(value) for key, value in data["dict"]}
    if "list" in data:
        return [decoded(item) for item in data["list"]]
    if "tuple" in data:
        return tuple(decoded(item) for item in data["tuple"])
    raise NotPlain(data)
