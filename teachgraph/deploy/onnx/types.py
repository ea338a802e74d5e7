"""ONNX's codes of element types, and the lazy import of the `onnx` package."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError

__all__ = ["CODES", "code_of", "dtype_of", "import_deploy"]

CODES: dict[np.dtype[Any], int] = {
    dtypes.float32: 1,
    dtypes.uint8: 2,
    dtypes.int8: 3,
    dtypes.int16: 5,
    dtypes.int32: 6,
    dtypes.int64: 7,
    dtypes.bool: 9,
    dtypes.float64: 11,
}
"""ONNX's codes (`TensorProto.DataType`) of the dtypes that exist here."""

_BY_CODE: dict[int, np.dtype[Any]] = {code: dtype for dtype, code in CODES.items()}

_NAMES = {4: "uint16", 8: "string", 10: "float16", 12: "uint32", 13: "uint64"}
_NAMES |= {14: "complex64", 15: "complex128", 16: "bfloat16"}


def code_of(dtype: Any) -> int:
    """Return ONNX's code of a dtype.

    >>> code_of("float32"), code_of("bool")
    (1, 9)
    """
    return CODES[dtypes.convert(dtype)]


def dtype_of(code: int) -> np.dtype[Any]:
    """Return the dtype of one of ONNX's codes.

    Raises:
        DTypeError: It does not exist here.

    >>> dtype_of(7)
    dtype('int64')
    """
    if code not in _BY_CODE:
        known = ", ".join(str(dtype) for dtype in CODES)
        name = _NAMES.get(code, f"type {code}")
        raise DTypeError(f"ONNX's {name} has no equivalent here; known are {known}")
    return _BY_CODE[code]


def import_deploy(package: str) -> Any:
    """Import a package of the extra `deploy`.

    Raises:
        ImportError: It is not installed.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise ImportError(
            f"this needs the package {package!r}: pip install 'teachgraph[deploy]'"
        ) from error
