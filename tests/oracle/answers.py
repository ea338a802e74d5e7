"""PyTorch's answers: small files of text, one an op of the table or a function.

For each case there are the outputs, the gradients g for given upstream gradients u, and
the gradients of those: of <v, g(x, u)> with respect to x and to u, with v some weights.
All numbers have nine digits.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.ops.contract import Case
from tests.ops.values import numbers

Array = np.ndarray[Any, Any]

FOLDER = Path(__file__).parent / "torch"
FUNCTIONS = Path(__file__).parent / "torch_functions"
DIGITS = 9
TOLERANCE = {"rtol": 1e-8, "atol": 1e-8}


def upstream(outputs: Sequence[Array]) -> list[Array]:
    """The gradients that arrive at the floating outputs: none of them 1."""
    floating = [out for out in outputs if out.dtype.kind == "f"]
    return [numbers(*out.shape, start=100 * (i + 2)) for i, out in enumerate(floating)]


def weights(gradients: Sequence[Array]) -> list[Array]:
    """What the first gradients are weighted with, to go back a second time."""
    return [numbers(*dx.shape, start=1000 * (i + 1)) for i, dx in enumerate(gradients)]


def question(case: Case) -> str:
    """A fingerprint of a call: an answer to another question is worth nothing."""
    parts = [[None if x is None else written(x) for x in case.inputs]]
    attrs = {name: plain(value) for name, value in case.attrs.items()}
    text = json.dumps([parts, sorted(attrs.items()), list(case.constant)])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def plain(value: Any) -> Any:
    """An attribute as JSON takes it."""
    return value.tolist() if isinstance(value, np.ndarray) else value


def written(array: Array) -> list[Any]:
    """An array as JSON takes it: its shape, its values."""
    values = array.ravel().tolist()
    if array.dtype.kind == "f":
        values = [short(value) for value in values]
    return [list(array.shape), values]


def short(value: float) -> float | int:
    """A number with nine digits, a whole one without its point."""
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e9 else rounded


def read(answer: Sequence[Any]) -> Array:
    """The array that was written."""
    shape, values = answer
    return np.array(values).reshape(shape)


def load(op: str, folder: Path = FOLDER) -> dict[str, Any]:
    """What PyTorch said of an op, or of a function."""
    found: dict[str, Any] = json.loads((folder / f"{op}.json").read_text("utf-8"))
    return found
