"""Op types and the names of their slots, as code of Paddle asks for them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from teachgraph.core.errors import UnknownOpError
from teachgraph.core.op import find, slot_name

__all__ = ["OpProto", "OpProtoHolder", "Part"]


class Part(NamedTuple):
    """An input, output or attribute."""

    name: str


class OpProto(NamedTuple):
    """An op's type, and its slots and attributes by name."""

    type: str
    inputs: list[Part]
    outputs: list[Part]
    attrs: list[Part]


class OpProtoHolder:
    """All ops that are registered.

    In Paddle this is `paddle.base.framework.OpProtoHolder`.

    >>> holder = OpProtoHolder.instance()
    >>> [slot.name for slot in holder.get_op_proto("mul").inputs]
    ['X', 'Y']
    >>> holder.has_op_proto("mull")
    False
    """

    @classmethod
    @cache
    def instance(cls) -> OpProtoHolder:
        """The one there is."""
        return cls()

    def get_op_proto(self, type: str) -> OpProto:
        """The slots and attributes of an op type.

        Raises:
            UnknownOpError: There is no such op.
        """
        op = find(type)
        inputs, outputs = (
            [Part(slot_name(n)) for n in names] for names in (op.inputs, op.outputs)
        )
        return OpProto(type, inputs, outputs, [Part(name) for name in op.attrs])

    def has_op_proto(self, type: str) -> bool:
        """Tell whether there is such an op."""
        try:
            return bool(find(type))
        except UnknownOpError:
            return False
