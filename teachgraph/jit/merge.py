"""What a variable is after a branch, given what it is in either of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.cond import picked
from teachgraph.control_flow.sub_block import as_variable as as_constant
from teachgraph.core.callsite import Callsite
from teachgraph.core.errors import ConversionError, at_user_line
from teachgraph.core.program import Spec, Variable, current_block
from teachgraph.jit.aliasing import chosen
from teachgraph.jit.as_array import of_one_kind, spec_of
from teachgraph.jit.container_snapshot import CONTAINERS, different
from teachgraph.jit.effects import Effects, moved, refuse, written
from teachgraph.jit.pytree import entries, mapped
from teachgraph.jit.tracing import as_variable
from teachgraph.jit.undefined import NOTHING, Either, Undefined
from teachgraph.ops import functions
from teachgraph.static.array_variable import ArrayVariable

__all__ = ["Merge", "placeholder"]

NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


class Source(Protocol):
    """A branch whose values come out of it."""

    def hand_out(self, value: Variable) -> Variable:
        """A variable around the branch that has this value if it was taken."""
        ...

    def array(self, value: Any, like: Spec | None) -> Variable:
        """The same of an array, or of a list."""
        ...


def placeholder(like: Variable) -> Variable:
    """Zeros like a variable, for a branch that has no such value."""
    shape = [1 if size == -1 else size for size in like.shape]
    return functions.full(shape, 0, like.dtype)  # type: ignore[no-any-return]


class Merge:
    """Merges values of the branch that is taken if `flag` holds with those of another.

    Attributes:
        flag: The condition, one boolean.
        yes: The one branch.
        no: The other.
        pair: What the one has done, and the other.
        merged: What two values are, by their identities.
        became: What containers are that were there before, by their identity.
    """

    def __init__(
        self, flag: Variable, yes: Source, no: Source, pair: tuple[Effects, Effects]
    ) -> None:
        self.flag, self.yes, self.no, self.pair = flag, yes, no, pair
        self.became: dict[int, Any] = {}
        self.merged: dict[tuple[int, int], Any] = {}

    @cached_property
    def mask(self) -> Variable:
        """The condition as a whole number, 1 or 0."""
        found: Variable = functions.cast(self.flag, "int32")
        return found

    def all(self, values: list[tuple[Any, Any, str]]) -> tuple[Any, ...]:
        """What the variables are, and what is in containers of before."""
        found = tuple(self(*value) for value in values)
        for effects in self.pair:
            effects.settle()
        yes, no = (effects.log for effects in self.pair)
        for key in yes.kept.keys() | no.kept.keys():
            where = yes.where(key) or no.where(key)
            kept = yes.kept.get(key) or no.kept[key]
            self.settle(kept.container, where, known=key in yes.given)
        return found

    def settle(self, owner: Any, where: Callsite | None, *, known: bool) -> None:
        """Let a container have in it what the branch that is taken has put there.

        Raises:
            ConversionError: It has become something else, and has no name here.
        """
        known = (known or id(owner) in self.became) and isinstance(owner, (list, dict))
        if self.container(owner, "items") is owner:
            return
        if not known:
            refuse(owner, where)
        moved(owner, where)

    def container(self, owner: Any, name: str) -> Any:
        """What a container is that was there before: mostly itself."""
        if id(owner) not in self.became:
            self.became[id(owner)] = owner
            yes, no = (effects.changed.get(id(owner), owner) for effects in self.pair)
            merged = self.contents(yes, no, name)
            if type(merged) is not type(owner):
                self.became[id(owner)] = merged
            elif different(merged, owner):
                written(owner, merged)
        return self.became[id(owner)]

    def contents(self, yes: Any, no: Any, name: str) -> Any:
        """What is in a container."""
        if isinstance(yes, set):
            return yes if yes == no else None
        if isinstance(yes, deque):
            found = self.by_kind([*yes], [*no], name)
            return deque(found, yes.maxlen) if type(found) is list else None
        return self.by_kind(yes, no, name)

    def __call__(self, yes: Any, no: Any, name: str) -> Any:
        """What a variable is: either value, whichever branch is taken."""
        one, other = (
            effects.origins.get(id(value), value)
            for effects, value in zip(self.pair, (yes, no), strict=True)
        )
        if one is other:
            return self.container(one, name) if isinstance(one, CONTAINERS) else one
        key = id(one), id(other)
        if key not in self.merged:
            self.merged[key] = chosen(self.by_kind(yes, no, name), one, other)
        return self.merged[key]

    def by_kind(self, yes: Any, no: Any, name: str) -> Any:
        """One of two values, by their kinds."""
        yes, no = (as_variable(v) if isinstance(v, Tensor) else v for v in (yes, no))
        for kinds, rule in RULES:
            if kinds(yes, no):
                return rule(self, yes, no, name)
        return Either(self.flag, yes, no, name)

    def pick(self, yes: Variable, no: Variable, name: str) -> Variable:
        """One of two tensors."""
        pair = self.yes.hand_out(yes), self.no.hand_out(no)
        found = picked(current_block(), self.mask, *pair, repr(name))
        assert isinstance(found, Variable)
        return found

    def tensors(self, yes: Any, no: Any, name: str) -> Any:
        """Two tensors, or a tensor and a number."""
        if not isinstance(yes, Variable):
            yes = number(yes, beside=no)
        if not isinstance(no, Variable):
            no = number(no, beside=yes)
        if len(yes.shape) != len(no.shape):
            raise ConversionError(at_user_line(ranks(yes, no, name)))
        if yes.dtype != no.dtype:
            raise ConversionError(at_user_line(dtypes_differ(yes, no, name)))
        return self.pick(yes, no, name)

    def numbers(self, yes: Any, no: Any, name: str) -> Any:
        """Two of Python's numbers: the same, or a tensor."""
        if type(yes) is type(no) and yes == no:
            return yes
        if float in (type(yes), type(no)):
            yes, no = float(yes), float(no)
        elif type(yes) is not type(no):
            yes, no = int(yes), int(no)
        one: Any = as_constant(yes)
        return self.pick(one, as_constant(no), name)

    def unwanted(self, yes: Any, no: Any, name: str) -> Any:
        """A value nobody reads in one of the branches."""
        value = no if yes is NOTHING else yes
        return self.missing(value, yes_has_it=no is NOTHING, name=name)

    def missing(self, value: Any, *, yes_has_it: bool, name: str) -> Any:
        """A value of one branch, and zeros like it of the other."""

        def both(leaf: Any) -> Any:
            if not isinstance(leaf, Variable):
                return leaf
            other = placeholder(leaf)
            pair = (leaf, other) if yes_has_it else (other, leaf)
            return self.pick(*pair, name)

        return mapped(value, both)

    def either(self, yes: Any, no: Any, name: str) -> Any:
        """A tensor in one branch, and no tensor, or not surely one, in the other."""
        a, b = (split(value) for value in (yes, no))
        others = [part.no for part in (a, b) if part.no is not NOTHING]
        if len(others) == 2 and not alike(*others):
            return Either(self.flag, yes, no, name)
        flag = self(a.flag, b.flag, name)
        flag = as_constant(flag) if isinstance(flag, bool) else flag
        if a.yes is NOTHING or b.yes is NOTHING:
            value = a.yes if b.yes is NOTHING else b.yes
            merged = self.missing(value, yes_has_it=b.yes is NOTHING, name=name)
        else:
            merged = self(a.yes, b.yes, name)
        return Either(flag, merged, others[0], name)

    def parts(self, yes: Any, no: Any, name: str) -> Any:
        """Two lists or tuples of one length."""
        found = [
            self(a, b, f"{name}[{i}]")
            for i, (a, b) in enumerate(zip(yes, no, strict=True))
        ]
        if hasattr(yes, "_fields"):
            return type(yes)(*found)
        return type(yes)(found)

    def lists(self, yes: Any, no: Any, name: str) -> Any:
        """Two lists of tensors that are not equally long: an array of the program."""
        spec = kind_of(yes) or kind_of(no)
        pair = self.yes.array(yes, spec), self.no.array(no, spec)
        found = picked(current_block(), self.mask, *pair, repr(name))
        found.stop_gradient = False  # a part to come may have one
        return found

    def entries(self, yes: Any, no: Any, name: str) -> Any:
        """Two dictionaries with the same keys."""
        found = {key: self(yes[key], no[key], f"{name}[{key!r}]") for key in yes}
        return entries(yes, found)

    def same(self, yes: Any, no: Any, name: str) -> Any:
        """Two equal values."""
        return yes


def number(value: Any, beside: Any) -> Variable:
    """A number as a tensor of the dtype it has beside another, and of its rank."""
    kind = beside.dtype_beside(value)
    shape = [1] * len(beside.shape)
    if -1 not in beside.shape:
        shape = list(beside.shape)
    return functions.full(shape, value, kind)  # type: ignore[no-any-return]


def ranks(yes: Variable, no: Variable, name: str) -> str:
    """The message for values of different rank."""
    return (
        f"{name!r} is shaped {list(yes.shape)} if the condition holds and "
        f"{list(no.shape)} otherwise; a tensor that a tensor decides on has one number "
        "of dimensions: reshape one of them"
    )


def dtypes_differ(yes: Variable, no: Variable, name: str) -> str:
    """The message for values of different dtype."""
    return (
        f"{name!r} is {yes.dtype} if the condition holds and {no.dtype} otherwise: "
        "cast one of them"
    )


def split(value: Any) -> Either:
    """Any value as one that is a tensor or not."""
    if isinstance(value, Either):
        return value
    if isinstance(value, Variable):
        return Either(True, value, NOTHING, "")
    if isinstance(value, NUMBERS):
        return Either(True, value, NOTHING, "")
    return Either(False, NOTHING, value, "")


def alike(one: Any, other: Any) -> bool:
    """Whether two values that are no tensors are as good as one."""
    if isinstance(one, Undefined) and isinstance(other, Undefined):
        return True
    return one is other


def tensor_like(value: Any) -> bool:
    """Whether a value is a tensor or a number."""
    return isinstance(value, (Variable, *NUMBERS))


def both(kind: Callable[[Any], bool]) -> Callable[[Any, Any], bool]:
    """Whether two values are both of a kind."""
    return lambda yes, no: kind(yes) and kind(no)


def is_sequence(value: Any) -> bool:
    """Whether a value is a list or a tuple."""
    return isinstance(value, (list, tuple))


def equal(yes: Any, no: Any) -> bool:
    """Whether two texts or the like are the same."""
    return type(yes) is type(no) and isinstance(yes, (str, bytes)) and yes == no


def maybe_tensor(yes: Any, no: Any) -> bool:
    """Whether one is a tensor, or may be, and the other is another or none."""
    kinds = (Either, Variable, *NUMBERS)
    return any(
        isinstance(one, kinds) and single(other)
        for one, other in ((yes, no), (no, yes))
    )


def of_the_same_keys(yes: Any, no: Any) -> bool:
    """Whether both are dictionaries of one type and with the same keys."""
    one_type = isinstance(yes, dict) and type(yes) is type(no)
    return one_type and yes.keys() == no.keys()


def of_two_lengths(yes: Any, no: Any) -> bool:
    """Whether both are lists of tensors, which are not equally long, or arrays."""
    sides = [side for side in (yes, no) if type(side) is list]
    arrays = [side for side in (yes, no) if isinstance(side, ArrayVariable)]
    items = [item for side in sides for item in side]
    if len(sides) + len(arrays) < 2 or (len(sides) == 2 and len(yes) == len(no)):
        return False
    return bool(arrays or any(isinstance(v, Variable) for v in items)) and (
        of_one_kind(items)
    )


def kind_of(value: Any) -> Spec | None:
    """What the tensors in a list or an array are, None if there are none."""
    if isinstance(value, ArrayVariable):
        return value.spec
    return spec_of(value[0]) if value else None


def single(value: Any) -> bool:
    """Whether a value can be the other of an `Either`."""
    return value is None or isinstance(value, (Either, Undefined, Variable, *NUMBERS))


Kinds = Callable[[Any, Any], bool]

RULES: tuple[tuple[Kinds, Callable[[Merge, Any, Any, str], Any]], ...] = (
    (lambda yes, no: NOTHING in (id_of(yes), id_of(no)), Merge.unwanted),
    (both(lambda v: isinstance(v, NUMBERS)), Merge.numbers),
    (of_two_lengths, Merge.lists),
    (both(tensor_like), Merge.tensors),
    (maybe_tensor, Merge.either),
    (
        lambda a, b: is_sequence(a) and type(a) is type(b) and len(a) == len(b),
        Merge.parts,
    ),
    (
        lambda a, b: (
            type(a) is type(b) and isinstance(a, dict) and a.keys() == b.keys()
        ),
        Merge.entries,
    ),
    (equal, Merge.same),
)
"""What to do about two values, by their kinds; the first that fits."""


def id_of(value: Any) -> Any:
    """The value if it is `NOTHING`; tensors are not to be compared."""
    return value if value is NOTHING else None
