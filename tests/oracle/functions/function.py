"""What every family of functions is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.ops.contract import Case

__all__ = ["Function", "functional"]


@dataclass(frozen=True, repr=False)
class Function:
    """A function and its twin.

    Attributes:
        op: Its name.
        ours: Called as ours(teachgraph, *inputs, **attrs), on Tensors and Variables.
        twin: PyTorch's, called as twin(torch, *inputs, **attrs).
        cases: Calls of it; the floating inputs get gradients, twice.
        gradient: Whether it has a derivative.
        static: Whether a Program gives the same.
    """

    op: str
    ours: Callable[..., Any]
    twin: Callable[..., Any]
    cases: tuple[Case, ...]
    gradient: bool = True
    static: bool = True

    def __repr__(self) -> str:
        return f"the function {self.op}"


def functional(name: str) -> Callable[..., Any]:
    """The function of `nn.functional` of this name, ours or PyTorch's."""

    def call(library: Any, *inputs: Any, **attrs: Any) -> Any:
        return getattr(library.nn.functional, name)(*inputs, **attrs)

    return call
