"""Merge the values that a variable has in the two branches of an `if`.

`RULES` is the table of cases, by the kinds of the two values: two tensors become a
`select_input`, two lists are merged item by item, a tensor and None become an `Either`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.branch import selected
from teachgraph.control_flow.cond import picked
from teachgraph.control_flow.pytree import dict_like, mapped
from teachgraph.control_flow.sub_block import as_variable as as_constant
from teachgraph.core.callsite import Callsite
from teachgraph.core.program import Spec, Variable, current_block
from teachgraph.jit.as_array import of_one_kind, spec_of
from teachgraph.jit.container_changes import change_contents, mark_moved, refuse
from teachgraph.jit.container_snapshot import CONTAINERS, BodyResult, different
from teachgraph.jit.tracing import as_variable, record_aliases
from teachgraph.jit.undefined import NOTHING, Either, Undefined
from teachgraph.ops import functions
from teachgraph.static.array_variable import ArrayVariable

__all__ = ["Merge", "placeholder"]

NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


class Source(Protocol):
    """A traced branch that hands out its values."""

    def hand_out(self, value: Variable) -> Variable:
        """Return a variable of the parent block, with this value if it is taken."""
        ...

    def array(self, value: Any, like: Spec | None) -> Variable:
        """Hand out a tensor array, or a list as one."""
        ...


def placeholder(like: Variable) -> Variable:
    """Zeros like a variable, for a branch that does not assign it."""
    shape = [1 if size == -1 else size for size in like.shape]
    return functions.full(shape, 0, like.dtype)  # type: ignore[no-any-return]


class Merge:
    """The merge of two branches: the one taken if `flag` holds, and the other.

    Attributes:
        flag: The condition, one boolean.
        yes: The branch taken if it holds.
        no: The other.
        pair: The results of the two.
        merged: The merged value of each pair of values, by their identities.
        became: The merged value of each container from before, by its identity.
    """

    def __init__(
        self,
        flag: Variable,
        yes: Source,
        no: Source,
        pair: tuple[BodyResult, BodyResult],
    ) -> None:
        self.flag, self.yes, self.no, self.pair = flag, yes, no, pair
        self.became: dict[int, Any] = {}
        self.merged: dict[tuple[int, int], Any] = {}

    @cached_property
    def mask(self) -> Variable:
        """The condition as an integer, 1 or 0."""
        mask: Variable = functions.cast(self.flag, "int32")
        return mask

    def all(self, names: Sequence[str]) -> tuple[Any, ...]:
        """Merge all variables and the contents of the containers from before."""
        values = zip(*(result.values for result in self.pair), names, strict=True)
        merged = tuple(self(*triple) for triple in values)
        for result in self.pair:
            result.settle()
        if any(result.snapshot.saved for result in self.pair):
            self.containers()
        return merged

    def containers(self) -> None:
        """Merge the contents of the containers from before."""
        yes, no = (result.snapshot for result in self.pair)
        for key in yes.saved.keys() | no.saved.keys():
            where = yes.where(key) or no.where(key)
            saved = yes.saved.get(key) or no.saved[key]
            self.settle(saved.container, where, known=key in yes.arguments)

    def settle(self, owner: Any, where: Callsite | None, *, known: bool) -> None:
        """Merge the contents of a container from before the `if`.

        Raises:
            ConversionError: It becomes another object, and no variable holds it.
        """
        known = (known or id(owner) in self.became) and isinstance(owner, (list, dict))
        if self.container(owner, "items") is owner:
            return
        if not known:
            refuse(owner, where)
        mark_moved(owner, where)

    def container(self, owner: Any, name: str) -> Any:
        """Merge a container from before: if possible itself, with the contents merged.

        Lists of two lengths become an array, which is another object.
        """
        if id(owner) not in self.became:
            # Entered first: a container may hold itself.
            self.became[id(owner)] = owner
            yes, no = (result.changed.get(id(owner), owner) for result in self.pair)
            merged = self.contents(yes, no, name)
            if type(merged) is not type(owner):
                self.became[id(owner)] = merged
            elif different(merged, owner):
                change_contents(owner, merged)
        return self.became[id(owner)]

    def contents(self, yes: Any, no: Any, name: str) -> Any:
        """Merge the contents of a container; None if they cannot be merged."""
        if isinstance(yes, set):
            return yes if yes == no else None
        if isinstance(yes, deque):
            items = self.by_kind([*yes], [*no], name)
            return deque(items, yes.maxlen) if type(items) is list else None
        return self.by_kind(yes, no, name)

    def __call__(self, yes: Any, no: Any, name: str) -> Any:
        """Merge two values of a variable."""
        one, other = (
            result.origins.get(id(value), value)
            for result, value in zip(self.pair, (yes, no), strict=True)
        )
        if one is other:
            return self.container(one, name) if isinstance(one, CONTAINERS) else one
        key = id(one), id(other)
        if key not in self.merged:
            self.merged[key] = record_aliases(self.by_kind(yes, no, name), one, other)
        return self.merged[key]

    def by_kind(self, yes: Any, no: Any, name: str) -> Any:
        """Merge two values by the first of `RULES` that fits their kinds."""
        yes, no = (as_variable(v) if isinstance(v, Tensor) else v for v in (yes, no))
        for kinds, rule in RULES:
            if kinds(yes, no):
                return rule(self, yes, no, name)
        return Either(self.flag, yes, no, name)

    def pick(self, yes: Variable, no: Variable) -> Variable:
        """Append the choice between two tensors."""
        pair = self.yes.hand_out(yes), self.no.hand_out(no)
        return selected(current_block(), self.mask, *pair)

    def tensors(self, yes: Variable, no: Variable, name: str) -> Variable:
        """Merge two tensors."""
        return self.pick(yes, no)

    def tensor_and_number(self, yes: Any, no: Any, name: str) -> Variable:
        """Merge a tensor and a number, in the dtype the number has beside it."""
        if not isinstance(yes, Variable):
            yes = number(yes, beside=no)
        if not isinstance(no, Variable):
            no = number(no, beside=yes)
        return self.tensors(yes, no, name)

    def numbers(self, yes: Any, no: Any, name: str) -> Any:
        """Merge two numbers of Python: the number if they are equal, else a tensor."""
        if type(yes) is type(no) and yes == no:
            return yes
        # The wider of the two types, as Python's arithmetic would choose.
        if float in (type(yes), type(no)):
            yes, no = float(yes), float(no)
        elif type(yes) is not type(no):
            yes, no = int(yes), int(no)
        one: Any = as_constant(yes)
        return self.pick(one, as_constant(no))

    def unwanted(self, yes: Any, no: Any, name: str) -> Any:
        """Merge a value with one that nobody reads."""
        value = no if yes is NOTHING else yes
        return self.missing(value, yes_has_it=no is NOTHING)

    def missing(self, value: Any, *, yes_has_it: bool) -> Any:
        """Merge a value of one branch with zeros like it from the other."""

        def both(leaf: Any) -> Any:
            if not isinstance(leaf, Variable):
                return leaf
            other = placeholder(leaf)
            pair = (leaf, other) if yes_has_it else (other, leaf)
            return self.pick(*pair)

        return mapped(value, both)

    def either(self, yes: Any, no: Any, name: str) -> Any:
        """Merge a tensor with a value that is no tensor, or not surely one."""
        a, b = (split(value) for value in (yes, no))
        others = [part.no for part in (a, b) if part.no is not NOTHING]
        if len(others) == 2 and not interchangeable(*others):
            return Either(self.flag, yes, no, name)
        flag = self(a.flag, b.flag, name)
        flag = as_constant(flag) if isinstance(flag, bool) else flag
        if a.yes is NOTHING or b.yes is NOTHING:
            value = a.yes if b.yes is NOTHING else b.yes
            merged = self.missing(value, yes_has_it=b.yes is NOTHING)
        else:
            merged = self(a.yes, b.yes, name)
        return Either(flag, merged, others[0], name)

    def parts(self, yes: Any, no: Any, name: str) -> Any:
        """Merge two lists or tuples of one length, item by item."""
        items = [
            self(a, b, f"{name}[{i}]")
            for i, (a, b) in enumerate(zip(yes, no, strict=True))
        ]
        if hasattr(yes, "_fields"):
            return type(yes)(*items)
        return type(yes)(items)

    def lists(self, yes: Any, no: Any, name: str) -> Any:
        """Merge two lists of tensors of different length into a tensor array."""
        spec = kind_of(yes) or kind_of(no)
        pair = self.yes.array(yes, spec), self.no.array(no, spec)
        array = picked(current_block(), self.mask, *pair)
        array.stop_gradient = False  # an item appended later may have a gradient
        return array

    def entries(self, yes: Any, no: Any, name: str) -> Any:
        """Merge two dictionaries with the same keys, item by item."""
        items = {key: self(yes[key], no[key], f"{name}[{key!r}]") for key in yes}
        return dict_like(yes, items)

    def same(self, yes: Any, no: Any, name: str) -> Any:
        """Return the one value that both branches have."""
        return yes


def number(value: Any, beside: Any) -> Variable:
    """Return a number as a tensor of another one's rank, and the dtype it has there."""
    kind = beside.dtype_beside(value)
    shape = [1] * len(beside.shape)
    if -1 not in beside.shape:
        shape = list(beside.shape)
    return functions.full(shape, value, kind)  # type: ignore[no-any-return]


def split(value: Any) -> Either:
    """Return any value as an `Either`, whose flag may be Python's True or False."""
    if isinstance(value, Either):
        return value
    if isinstance(value, Variable):
        return Either(True, value, NOTHING, "")
    if isinstance(value, NUMBERS):
        return Either(True, value, NOTHING, "")
    return Either(False, NOTHING, value, "")


def interchangeable(one: Any, other: Any) -> bool:
    """True if two values that are no tensors need no distinction."""
    if isinstance(one, Undefined) and isinstance(other, Undefined):
        return True
    return one is other


def is_tensor(value: Any) -> bool:
    """True for a tensor that is no array of tensors."""
    return isinstance(value, Variable) and not isinstance(value, ArrayVariable)


def tensor_like(value: Any) -> bool:
    """True for a tensor or a number."""
    return isinstance(value, (Variable, *NUMBERS))


def both_of_kind(kind: Callable[[Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a test that two values are both of a kind."""
    return lambda yes, no: kind(yes) and kind(no)


def is_sequence(value: Any) -> bool:
    """True for a list or a tuple."""
    return isinstance(value, (list, tuple))


def equal(yes: Any, no: Any) -> bool:
    """True for two equal strings or bytes."""
    return type(yes) is type(no) and isinstance(yes, (str, bytes)) and yes == no


def maybe_tensor(yes: Any, no: Any) -> bool:
    """True if one is a tensor, or may be, and the other can be left out."""
    kinds = (Either, Variable, *NUMBERS)
    return any(
        isinstance(one, kinds) and single(other)
        for one, other in ((yes, no), (no, yes))
    )


def of_the_same_keys(yes: Any, no: Any) -> bool:
    """True for two dictionaries of one type with the same keys."""
    one_type = isinstance(yes, dict) and type(yes) is type(no)
    return one_type and yes.keys() == no.keys()


def of_two_lengths(yes: Any, no: Any) -> bool:
    """True for two lists of tensors of different length, or tensor arrays."""
    sides = [side for side in (yes, no) if type(side) is list]
    arrays = [side for side in (yes, no) if isinstance(side, ArrayVariable)]
    items = [item for side in sides for item in side]
    if len(sides) + len(arrays) < 2 or (len(sides) == 2 and len(yes) == len(no)):
        return False
    return bool(arrays or any(isinstance(v, Variable) for v in items)) and (
        of_one_kind(items)
    )


def kind_of(value: Any) -> Spec | None:
    """Return the spec of the tensors in a list or an array, None if it is empty."""
    if isinstance(value, ArrayVariable):
        return value.spec
    return spec_of(value[0]) if value else None


def single(value: Any) -> bool:
    """True if a value can be the alternative of an `Either`."""
    return value is None or isinstance(value, (Either, Undefined, Variable, *NUMBERS))


Kinds = Callable[[Any, Any], bool]

RULES: tuple[tuple[Kinds, Callable[[Merge, Any, Any, str], Any]], ...] = (
    (both_of_kind(is_tensor), Merge.tensors),
    (lambda yes, no: NOTHING in (id_of(yes), id_of(no)), Merge.unwanted),
    (both_of_kind(lambda v: isinstance(v, NUMBERS)), Merge.numbers),
    (of_two_lengths, Merge.lists),
    (both_of_kind(tensor_like), Merge.tensor_and_number),
    (maybe_tensor, Merge.either),
    (
        lambda a, b: is_sequence(a) and type(a) is type(b) and len(a) == len(b),
        Merge.parts,
    ),
    (of_the_same_keys, Merge.entries),
    (equal, Merge.same),
)
"""Rules to merge two values, by their kinds: (test, rule); the first that fits counts.

The order matters: two numbers would also pass as tensors, and a tensor as an `Either`.
"""


def id_of(value: Any) -> Any:
    """Return `NOTHING` for itself; `==` of a tensor would append an operator."""
    return value if value is NOTHING else None
