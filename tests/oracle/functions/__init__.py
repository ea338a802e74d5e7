"""What has no row in the table of ops, but a twin in PyTorch: functions and layers.

A module here is a family, with a tuple `FAMILY`; a new function is one more `Function`
in it. `python -m tests.oracle.capture --write NAME` asks PyTorch, whose answer is kept
in `torch_functions/NAME.json`; `test_functions.py` does the rest.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.oracle.functions.function import Function

__all__ = ["FUNCTIONS", "Function"]

FAMILIES = [
    import_module(f"{__name__}.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.stem not in {"__init__", "function"}
]

FUNCTIONS: dict[str, Function] = {
    function.op: function for family in FAMILIES for function in family.FAMILY
}
