"""How a variable of the user's is carried from round to round of a program's loop.

A loop of a program has tensors for variables. The user's may be a number that becomes
a tensor, a name without a value until the first round, a list that grows, or anything
that stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.control_flow.arrays import ARRAY
from teachgraph.control_flow.sub_block import as_variable as as_constant
from teachgraph.core.errors import ConversionError, at_user_line
from teachgraph.core.program import Spec
from teachgraph.jit.aliasing import chosen
from teachgraph.jit.as_array import array_of, spec_of
from teachgraph.jit.effects import moved, written
from teachgraph.jit.merge import NUMBERS
from teachgraph.jit.pytree import copied, entries
from teachgraph.jit.tracing import as_variable
from teachgraph.jit.undefined import NOTHING, Either, Nothing, Undefined
from teachgraph.ops import functions
from teachgraph.static.array_variable import ArrayVariable
from teachgraph.static.variable import Variable

__all__ = ["Carry"]


class Carry:
    """One of the user's variables in a loop.

    Attributes:
        name: What the user calls it.
        value: What it is before the loop.
        width: How many loop variables it takes.
    """

    width = 1

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def first(self) -> list[Any]:
        """What the loop variables start as."""
        raise NotImplementedError

    def unpack(self, values: Sequence[Any]) -> Any:
        """The user's variable, made of the loop variables."""
        raise NotImplementedError

    def pack(self, result: Any) -> list[Any]:
        """The loop variables, made of the user's."""
        raise NotImplementedError

    def seen(self, result: Any) -> Carry:
        """How to carry it, now that a round has made this of it."""
        raise NotImplementedError


class Fixed(Carry):
    """What no round changes."""

    width = 0

    def first(self) -> list[Any]:
        return []

    def unpack(self, values: Sequence[Any]) -> Any:
        return copied(self.value)

    def pack(self, result: Any) -> list[Any]:
        if not same(self.value, result):
            raise ConversionError(at_user_line(changes(self.name, self.value, result)))
        return []

    def seen(self, result: Any) -> Carry:
        if same(self.value, result):
            return self
        value = self.value
        if isinstance(value, Variable):
            return Held(self.name, value)
        if isinstance(value, NUMBERS) and isinstance(result, (Variable, *NUMBERS)):
            return Number(self.name, value, like(value, result))
        if value is None or isinstance(value, (Undefined, Nothing)):
            return self.appears(result)
        if isinstance(value, list) and grows(value, result):
            return growing(self, result)
        raise ConversionError(at_user_line(changes(self.name, value, result)))

    def appears(self, result: Any) -> Carry:
        """How to carry what has no value before the first round."""
        if isinstance(result, Either):
            result = result.yes
        if isinstance(result, NUMBERS):
            result = as_constant(result)
        if isinstance(result, Variable) and result.type != ARRAY:
            return Optional(self.name, self.value, result.spec)
        if isinstance(self.value, Undefined):
            return Fixed(self.name, result)
        raise ConversionError(at_user_line(changes(self.name, self.value, result)))


class Held(Carry):
    """A tensor."""

    def first(self) -> list[Any]:
        return [self.value]

    def unpack(self, values: Sequence[Any]) -> Any:
        return values[0]

    def pack(self, result: Any) -> list[Any]:
        value = as_variable(result)
        if isinstance(value, NUMBERS):
            spec = self.spec
            return [functions.full(known(spec.shape), value, spec.dtype)]
        if not isinstance(value, Variable):
            raise ConversionError(at_user_line(changes(self.name, self.value, value)))
        return [value]

    def seen(self, result: Any) -> Carry:
        return self

    @property
    def spec(self) -> Spec:
        """Its shape and dtype."""
        found: Spec = self.value.spec
        return found


class Number(Held):
    """A number that a round makes a tensor of."""

    def __init__(self, name: str, value: Any, spec: Spec) -> None:
        super().__init__(name, value)
        self.wanted = spec

    @property
    def spec(self) -> Spec:
        return self.wanted

    def first(self) -> list[Any]:
        return [functions.full(known(self.wanted.shape), self.value, self.wanted.dtype)]

    def seen(self, result: Any) -> Carry:
        spec = like(self.value, as_variable(result))
        if len(spec.shape) < len(self.wanted.shape) or spec.dtype == "bool":
            return self
        wider = len(spec.shape) > len(self.wanted.shape)
        if not wider and spec.dtype == self.wanted.dtype:
            return self
        return Number(self.name, self.value, spec)


class Optional(Carry):
    """A tensor that there may not be: a flag, and the tensor or zeros."""

    width = 2

    def __init__(self, name: str, value: Any, spec: Spec) -> None:
        super().__init__(name, value)
        self.spec = spec

    def first(self) -> list[Any]:
        if isinstance(self.value, Either):
            return [self.value.flag, self.value.yes]
        return [functions.full([], False, "bool"), zeros(self.spec)]

    @property
    def other(self) -> Any:
        """What it is where there is no tensor."""
        return self.value.no if isinstance(self.value, Either) else self.value

    def unpack(self, values: Sequence[Any]) -> Any:
        if self.other is NOTHING:
            return values[1]
        return Either(values[0], values[1], self.other, self.name)

    def pack(self, result: Any) -> list[Any]:
        if isinstance(result, Either):
            return [result.flag, result.yes]
        value = as_variable(result) if not is_other(result) else None
        if value is None:
            return [functions.full([], False, "bool"), zeros(self.spec)]
        if isinstance(value, NUMBERS):
            value = functions.full(known(self.spec.shape), value, self.spec.dtype)
        return [functions.full([], True, "bool"), value]

    def seen(self, result: Any) -> Carry:
        return self


class Nest(Carry):
    """A list, tuple or dictionary of a fixed size.

    Attributes:
        owner: The list or dictionary itself; None if a round makes a new one.
        among: Which ones it may be then.
    """

    def __init__(
        self,
        name: str,
        value: Any,
        parts: Sequence[Carry],
        owner: Any = None,
        among: Sequence[Any] = (),
    ) -> None:
        super().__init__(name, value)
        self.parts, self.owner, self.among = parts, owner, among
        self.width = sum(part.width for part in parts)

    def first(self) -> list[Any]:
        return [v for part in self.parts for v in part.first()]

    def unpack(self, values: Sequence[Any]) -> Any:
        left = iter(values)
        made = [
            part.unpack([next(left) for _ in range(part.width)]) for part in self.parts
        ]
        if isinstance(self.value, dict):
            found = entries(self.value, dict(zip(self.value, made, strict=True)))
        elif hasattr(self.value, "_fields"):
            found = type(self.value)(*made)
        else:
            found = type(self.value)(made)
        if self.owner is not None:
            return written(self.owner, found)
        return chosen(found, *self.among) if self.among else found

    def pack(self, result: Any) -> list[Any]:
        pairs = zip(self.parts, self.items(result), strict=True)
        return [v for part, item in pairs for v in part.pack(item)]

    def items(self, result: Any) -> list[Any]:
        """The items of what a round made of it.

        Raises:
            ConversionError: They are not as many, or have other keys.
        """
        fits = type(result) is type(self.value) and len(result) == len(self.value)
        if not fits or (
            isinstance(result, dict) and result.keys() != self.value.keys()
        ):
            raise ConversionError(at_user_line(changes(self.name, self.value, result)))
        keys = self.value if isinstance(result, dict) else range(len(result))
        return [result[key] for key in keys]

    def seen(self, result: Any) -> Carry:
        if isinstance(self.value, list) and grows(self.value, result):
            return growing(self, result)
        items = zip(self.parts, self.items(result), strict=True)
        parts = [part.seen(item) for part, item in items]
        if isinstance(result, tuple) or result is self.owner:
            return Nest(self.name, self.value, parts, self.owner)
        known = self.among if self.owner is None else (self.owner,)
        return Nest(self.name, self.value, parts, None, (*known, result))


class Array(Carry):
    """A list that grows from round to round: an array of the program."""

    def __init__(self, name: str, value: list[Any], spec: Spec, owner: Any) -> None:
        super().__init__(name, value)
        self.spec, self.owner = spec, owner

    def first(self) -> list[Any]:
        array = array_of(self.value, self.spec)
        array.shape = self.spec.shape
        return [array]

    def unpack(self, values: Sequence[Any]) -> Any:
        if self.owner is not None:
            moved(self.owner)
        return values[0]

    def pack(self, result: Any) -> list[Any]:
        return [array_of(result, self.spec)]

    def seen(self, result: Any) -> Carry:
        return self


def grows(value: list[Any], result: Any) -> bool:
    """Whether a round makes a list longer or shorter."""
    if isinstance(result, list):
        return len(result) != len(value)
    if isinstance(result, Either):
        return grows(value, result.yes) or grows(value, result.no)
    return isinstance(result, Variable) and result.type == ARRAY


def growing(carry: Carry, result: Any) -> Carry:
    """A list whose length a round changes.

    Raises:
        ConversionError: It is not made of tensors.
    """
    sides = (result.yes, result.no) if isinstance(result, Either) else (result,)
    lists = [side for side in sides if isinstance(side, list)]
    items = [*carry.value, *(item for side in lists for item in side)]
    arrays = [side for side in sides if isinstance(side, ArrayVariable)]
    specs = [spec_of(item) for item in items] + [array.spec for array in arrays]
    last = specs[-1] if specs else None
    if last is None or None in specs:
        raise ConversionError(at_user_line(changes(carry.name, carry.value, result)))
    return Array(carry.name, list(carry.value), last, getattr(carry, "owner", None))


def same(one: Any, other: Any) -> bool:
    """Whether a value has stayed as it is."""
    if one is other:
        return True
    if isinstance(one, Undefined) or isinstance(other, (Undefined, Variable, Either)):
        return isinstance(one, Undefined) and isinstance(other, Undefined)
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    return isinstance(one, (*NUMBERS, str, bytes)) and one == other


def is_other(value: Any) -> bool:
    """Whether a value stands for no tensor."""
    return value is None or isinstance(value, (Undefined, Nothing))


def like(value: Any, result: Any) -> Spec:
    """The shape and dtype of the tensor that a number becomes in a round."""
    if isinstance(result, Either):
        result = result.yes
    if isinstance(result, Variable):
        return result.spec
    wider = float if float in (type(value), type(result)) else type(result)
    return as_constant(wider(value)).spec


def known(shape: Sequence[int]) -> list[int]:
    """A shape whose unknown sizes are 1."""
    return [1 if size == -1 else size for size in shape]


def zeros(spec: Spec) -> Any:
    """Zeros for a tensor that there is not."""
    return functions.full(known(spec.shape), 0, spec.dtype)


def changes(name: str, value: Any, result: Any) -> str:
    """The message for a variable that cannot be carried."""
    return (
        f"{name!r} is {described(value)} before a round of this loop and "
        f"{described(result)} after it; how many rounds there are is known only when "
        "the program runs, so it has to stay of one kind: a tensor, or a list that "
        "grows by tensors"
    )


def described(value: Any) -> str:
    """A value in a few words."""
    return repr(value)[:60]
