"""Descriptions of operators, as code of Paddle reads them: `op.desc.attr(name)`."""

from __future__ import annotations

from typing import Any, NamedTuple

from teachgraph.core import program as core

__all__ = ["OpDesc"]


class OpDesc(NamedTuple):
    """An operator, of which everything is asked by a call.

    In Paddle this is `paddle.base.core.OpDesc`.
    """

    operator: core.Operator

    def type(self) -> str:
        """The type of the operator."""
        return self.operator.type

    def input(self, slot: str) -> list[str]:
        """The variable names in an input slot."""
        return self.operator.inputs[slot]

    def output(self, slot: str) -> list[str]:
        """The variable names in an output slot."""
        return self.operator.outputs[slot]

    def input_names(self) -> list[str]:
        """The input slots."""
        return list(self.operator.inputs)

    def output_names(self) -> list[str]:
        """The output slots."""
        return list(self.operator.outputs)

    def attr(self, name: str) -> Any:
        """An attribute."""
        return self.operator.attrs[name]

    def has_attr(self, name: str) -> bool:
        """Tell whether it has an attribute of that name."""
        return name in self.operator.attrs
