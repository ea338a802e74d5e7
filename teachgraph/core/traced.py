"""What an op needs to know of a Tensor or a Variable: that it takes calls."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from teachgraph.core.op import Op

__all__ = ["Traced", "say_it_is_new"]


class Traced:
    """A value an op does not compute on directly but hands itself to.

    `Tensor` runs the op at once and records it; `Variable` appends it to a program.
    """

    __slots__ = ()

    shape: Any
    dtype: Any
    stop_gradient: Any

    @staticmethod
    def apply(op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        """Do with `op` on `inputs` what this interpreter does with ops."""
        raise NotImplementedError


def say_it_is_new(name: str) -> None:
    """Warn that what is called `relu_` is `relu` in a program: a new variable."""
    warnings.warn(
        f"in a program {name}_() is {name}(): nothing changes in place, so use what "
        "it returns",
        stacklevel=3,
    )
