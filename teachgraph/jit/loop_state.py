"""Loop states: a Python variable in a loop as loop variables of the program.

A loop variable is a tensor of one dtype. The user's variable may be a number that
becomes a tensor, a name without a value before the first iteration, a list that grows,
or a constant. Which it is, a trace of the body shows: `LoopState.refined` is the state
that fits what it makes of the variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.arrays import ARRAY
from teachgraph.control_flow.pytree import copied, dict_like
from teachgraph.control_flow.sub_block import as_variable as as_constant
from teachgraph.core.program import Spec
from teachgraph.errors import ConversionError
from teachgraph.jit.as_array import array_of, spec_of
from teachgraph.jit.container_changes import change_contents, mark_moved, refuse
from teachgraph.jit.container_snapshot import Snapshot, check_objects, references
from teachgraph.jit.merge import NUMBERS
from teachgraph.jit.tracing import as_variable, record_aliases
from teachgraph.jit.undefined import NOTHING, Either, Nothing, Undefined
from teachgraph.ops import functions
from teachgraph.static.array_variable import ArrayVariable
from teachgraph.static.variable import Variable

__all__ = ["LoopState", "changed_others", "first_state", "initial_state"]


class LoopState:
    """One of the user's variables in a loop.

    Attributes:
        name: The user's name.
        value: The value before the loop.
        width: The number of loop variables that represent it.
    """

    width = 1

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def initial_values(self) -> list[Any]:
        """Return the initial values of the loop variables."""
        raise NotImplementedError

    def unpack(self, values: Sequence[Any]) -> Any:
        """Build the user's value from those of the loop variables."""
        raise NotImplementedError

    def pack(self, result: Any) -> list[Any]:
        """Return the values of the loop variables for the user's after an iteration."""
        raise NotImplementedError

    def refined(self, before: Any, result: Any) -> LoopState:
        """Return a state that fits an iteration: this one, if it does.

        Args:
            before: The user's value before it, from `unpack`.
            result: The value after it.
        """
        raise NotImplementedError


class ConstantState(LoopState):
    """A value that no iteration changes."""

    width = 0

    def initial_values(self) -> list[Any]:
        return []

    def unpack(self, values: Sequence[Any]) -> Any:
        return copied(self.value)

    def pack(self, result: Any) -> list[Any]:
        if not unchanged(self.value, result):
            raise ConversionError.here(changes(self.name, self.value, result))
        return []

    def refined(self, before: Any, result: Any) -> LoopState:
        if unchanged(self.value, result):
            return self
        value = self.value
        if isinstance(value, Variable):
            return TensorState(self.name, value)
        if isinstance(value, NUMBERS) and isinstance(result, (Variable, *NUMBERS)):
            return NumberState(self.name, value, common_spec(value, result))
        if value is None or isinstance(value, (Undefined, Nothing)):
            return self.assigned_first(result)
        if isinstance(value, list) and changes_length(value, result):
            return array_state(self, result)
        raise ConversionError.here(changes(self.name, value, result))

    def assigned_first(self, result: Any) -> LoopState:
        """Return the state of a variable that the first iteration assigns."""
        if isinstance(result, Either):
            result = result.yes
        if isinstance(result, NUMBERS):
            result = as_constant(result)
        if isinstance(result, Variable) and result.type != ARRAY:
            return OptionalState(self.name, self.value, result.spec)
        if isinstance(self.value, Undefined):
            return ConstantState(self.name, result)
        raise ConversionError.here(changes(self.name, self.value, result))


class TensorState(LoopState):
    """A tensor."""

    def initial_values(self) -> list[Any]:
        return [self.value]

    def unpack(self, values: Sequence[Any]) -> Any:
        return values[0]

    def pack(self, result: Any) -> list[Any]:
        value = as_variable(result)
        if isinstance(value, NUMBERS):
            spec = self.spec
            return [functions.full(ones_for_unknown(spec.shape), value, spec.dtype)]
        if not isinstance(value, Variable):
            raise ConversionError.here(changes(self.name, self.value, value))
        return [value]

    def refined(self, before: Any, result: Any) -> LoopState:
        return self

    @property
    def spec(self) -> Spec:
        """The shape and dtype."""
        spec: Spec = self.value.spec
        return spec


class AssignedState(TensorState):
    """A tensor that the body assigns, as far as its source tells."""

    def refined(self, before: Any, result: Any) -> LoopState:
        # Left as it is, it stays the same object for Python: no loop variable.
        return ConstantState(self.name, self.value) if result is before else self


class NumberState(TensorState):
    """A number that becomes a tensor in an iteration."""

    def __init__(self, name: str, value: Any, spec: Spec) -> None:
        super().__init__(name, value)
        self.tensor_spec = spec

    @property
    def spec(self) -> Spec:
        return self.tensor_spec

    def initial_values(self) -> list[Any]:
        spec = self.spec
        return [functions.full(ones_for_unknown(spec.shape), self.value, spec.dtype)]

    def refined(self, before: Any, result: Any) -> LoopState:
        spec = common_spec(self.value, as_variable(result))
        if len(spec.shape) < len(self.spec.shape) or spec.dtype == "bool":
            return self
        wider = len(spec.shape) > len(self.spec.shape)
        if not wider and spec.dtype == self.spec.dtype:
            return self
        return NumberState(self.name, self.value, spec)


class OptionalState(LoopState):
    """A tensor or another value: a flag, and the tensor or zeros in its place."""

    width = 2

    def __init__(self, name: str, value: Any, spec: Spec) -> None:
        super().__init__(name, value)
        self.spec = spec

    def initial_values(self) -> list[Any]:
        if isinstance(self.value, Either):
            return [self.value.flag, self.value.yes]
        return [functions.full([], False, "bool"), zeros(self.spec)]

    @property
    def other(self) -> Any:
        """The value where the flag does not hold."""
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
            shape = ones_for_unknown(self.spec.shape)
            value = functions.full(shape, value, self.spec.dtype)
        return [functions.full([], True, "bool"), value]

    def refined(self, before: Any, result: Any) -> LoopState:
        return self


class PytreeState(LoopState):
    """A list, tuple or dictionary of a fixed size.

    Attributes:
        parts: The states of its items.
        owner: The list or dictionary itself; None if an iteration builds another one.
        aliases: The lists or dictionaries that it may be then.
    """

    def __init__(
        self,
        name: str,
        value: Any,
        parts: Sequence[LoopState],
        owner: Any = None,
        aliases: Sequence[Any] = (),
    ) -> None:
        super().__init__(name, value)
        self.parts, self.owner, self.aliases = parts, owner, aliases
        self.width = sum(part.width for part in parts)

    def initial_values(self) -> list[Any]:
        return [v for part in self.parts for v in part.initial_values()]

    def unpack(self, values: Sequence[Any]) -> Any:
        left = iter(values)
        items = [
            part.unpack([next(left) for _ in range(part.width)]) for part in self.parts
        ]
        if isinstance(self.value, dict):
            tree = dict_like(self.value, dict(zip(self.value, items, strict=True)))
        elif hasattr(self.value, "_fields"):
            tree = type(self.value)(*items)
        else:
            tree = type(self.value)(items)
        # Whoever holds the user's own list must see the iteration's values in it.
        if self.owner is not None:
            return change_contents(self.owner, tree)
        return record_aliases(tree, *self.aliases) if self.aliases else tree

    def pack(self, result: Any) -> list[Any]:
        pairs = zip(self.parts, self.items(result), strict=True)
        return [v for part, item in pairs for v in part.pack(item)]

    def items(self, result: Any) -> list[Any]:
        """Return the items of the value after an iteration.

        Raises:
            ConversionError: They are more or fewer, or have other keys.
        """
        fits = type(result) is type(self.value) and len(result) == len(self.value)
        if not fits or (
            isinstance(result, dict) and result.keys() != self.value.keys()
        ):
            raise ConversionError.here(changes(self.name, self.value, result))
        keys = self.value if isinstance(result, dict) else range(len(result))
        return [result[key] for key in keys]

    def refined(self, before: Any, result: Any) -> LoopState:
        if isinstance(self.value, list) and changes_length(self.value, result):
            return array_state(self, result)
        items = zip(self.parts, self.items(before), self.items(result), strict=True)
        parts = [part.refined(*pair) for part, *pair in items]
        same_object = isinstance(result, tuple) or result is self.owner
        owner = self.owner if same_object else None
        if parts == self.parts and owner is self.owner:
            return self
        known = self.aliases if self.owner is None else (self.owner,)
        aliases = () if same_object else (*known, result)
        return PytreeState(self.name, self.value, parts, owner, aliases)


class ArrayState(LoopState):
    """A list whose length changes in an iteration: a tensor array of the program."""

    def __init__(self, name: str, value: list[Any], spec: Spec, owner: Any) -> None:
        super().__init__(name, value)
        self.spec, self.owner = spec, owner

    def initial_values(self) -> list[Any]:
        array = array_of(self.value, self.spec)
        array.shape = self.spec.shape
        return [array]

    def unpack(self, values: Sequence[Any]) -> Any:
        if self.owner is not None:
            mark_moved(self.owner)
        return values[0]

    def pack(self, result: Any) -> list[Any]:
        return [array_of(result, self.spec)]

    def refined(self, before: Any, result: Any) -> LoopState:
        return self


def changes_length(value: list[Any], result: Any) -> bool:
    """True if an iteration makes a list longer or shorter."""
    if isinstance(result, list):
        return len(result) != len(value)
    if isinstance(result, Either):
        return changes_length(value, result.yes) or changes_length(value, result.no)
    return isinstance(result, Variable) and result.type == ARRAY


def array_state(state: LoopState, result: Any) -> LoopState:
    """Return the state of a list whose length changes.

    Raises:
        ConversionError: An item is no tensor.
    """
    sides = (result.yes, result.no) if isinstance(result, Either) else (result,)
    lists = [side for side in sides if isinstance(side, list)]
    items = [*state.value, *(item for side in lists for item in side)]
    arrays = [side for side in sides if isinstance(side, ArrayVariable)]
    specs = [spec_of(item) for item in items] + [array.spec for array in arrays]
    last = specs[-1] if specs else None
    if last is None or None in specs:
        raise ConversionError.here(changes(state.name, state.value, result))
    owner = getattr(state, "owner", None)
    return ArrayState(state.name, list(state.value), last, owner)


def unchanged(one: Any, other: Any) -> bool:
    """True if a value has not changed."""
    if one is other:
        return True
    if isinstance(one, Undefined) or isinstance(other, (Undefined, Variable, Either)):
        return isinstance(one, Undefined) and isinstance(other, Undefined)
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(unchanged, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            unchanged(one[k], other[k]) for k in one
        )
    return isinstance(one, (*NUMBERS, str, bytes)) and one == other


def is_other(value: Any) -> bool:
    """True for None and the placeholders of names without a value."""
    return value is None or isinstance(value, (Undefined, Nothing))


def common_spec(value: Any, result: Any) -> Spec:
    """Return the shape and dtype of a number that becomes `result` in an iteration."""
    if isinstance(result, Either):
        result = result.yes
    if isinstance(result, Variable):
        return result.spec
    wider = float if float in (type(value), type(result)) else type(result)
    return as_constant(wider(value)).spec


def ones_for_unknown(shape: Sequence[int]) -> list[int]:
    """Replace the unknown sizes of a shape by 1."""
    return [1 if size == -1 else size for size in shape]


def zeros(spec: Spec) -> Any:
    """Zeros in the place of a tensor that does not exist."""
    return functions.full(ones_for_unknown(spec.shape), 0, spec.dtype)


def changes(name: str, value: Any, result: Any) -> str:
    """Error message for a variable whose kind changes in the loop."""
    return (
        f"{name!r} is {described(value)} before a round of this loop and "
        f"{described(result)} after it; how many rounds there are is known only when "
        "the program runs, so it has to stay of one kind: a tensor, or a list that "
        "grows by tensors"
    )


def described(value: Any) -> str:
    """The beginning of a value's repr."""
    return repr(value)[:60]


def first_state(name: str, value: Any) -> LoopState:
    """Return the state of a variable that the body assigns, before any trace."""
    if isinstance(value, (Tensor, Variable)):
        return AssignedState(name, as_variable(value))
    return initial_state(name, value)


def initial_state(name: str, value: Any) -> LoopState:
    """Return the state of a value, as far as known before the first iteration."""
    if isinstance(value, Either):
        return OptionalState(name, value, value.yes.spec)
    value = value if isinstance(value, Undefined) else as_variable(value)
    if isinstance(value, (dict, list)) or (isinstance(value, tuple) and value):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        parts = [initial_state(f"{name}[{key!r}]", item) for key, item in items]
        if not isinstance(value, tuple):
            return PytreeState(name, copied(value), parts, value)
        if not all(map(is_constant, parts)):
            return PytreeState(name, copied(value), parts)
    return ConstantState(name, copied(value))


def is_constant(part: LoopState) -> bool:
    """True if a part is no tensor, and nothing that may become one."""
    return type(part) is ConstantState and not isinstance(part.value, Variable)


def changed_others(changes: Snapshot, results: Sequence[Any]) -> list[Any]:
    """List the containers that a body has changed and no variable holds.

    Raises:
        ConversionError: One is neither a list nor a dictionary, or it is an attribute
            of another object.
    """
    returned = references(results)
    changes.forget(returned)
    known = changes.arguments | {*returned}
    changed = [s for s in changes.changed() if id(s.container) not in known]
    for saved in changed:
        if not isinstance(saved.container, (list, dict)):
            refuse(saved.container, saved.where)
    check_objects(changes, results)
    return [saved.container for saved in changed]
