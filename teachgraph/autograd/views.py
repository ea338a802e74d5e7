"""Views: tensors in one memory, as `x[0]`, `x.reshape(...)` and `x.detach()` are.

No array is ever written to. An op in place on one of them puts all that lie in its
memory into a new array, each where it lay in the old one; what a node saved stays what
it was. On the tape each view becomes a copy of itself with the overlap replaced, so the
gradients of the others know what was overwritten.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import getweakrefcount, ref

import numpy as np

from teachgraph.core import ops
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.modes import is_recording
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import Op
from teachgraph.core.tensor import Tensor as CoreTensor
from teachgraph.core.tensor import replace
from teachgraph.ops.diagonal import diagonal
from teachgraph.ops.gather import gather
from teachgraph.ops.methods import slot
from teachgraph.ops.scatter import scatter
from teachgraph.ops.shape import (
    flatten_contiguous_range,
    reshape2,
    squeeze2,
    transpose2,
    unsqueeze2,
)
from teachgraph.ops.slicing import slice_, strided_slice

if TYPE_CHECKING:
    from teachgraph.autograd.tensor import Tensor

__all__ = [
    "Memory",
    "Shared",
    "detached_from",
    "enter_pending_views",
    "note_view",
    "refuse_view_of_leaf",
    "shared_by",
    "store",
]

Array = np.ndarray[Any, Any]


Family = ref[Any]
"""The tensor that others are views of on the tape; one that is detached is another."""

Noted = tuple[Any, Any, Any, bool]
"""A view, its source, what was noted of that, and whether it is on the tape.

It has no source once it is in its memory.
"""


views: dict[int, Noted] = {}
"""The living views, by their identity."""


class View(Op):
    """An op whose result lies in the memory of its first input, if it can."""

    def __call__(self, *inputs: Any, **attrs: Any) -> Any:
        """Call the op, and note what the result is a view of."""
        result = Op.__call__(self, *inputs, **attrs)
        if isinstance(inputs[0], CoreTensor):
            note_view(result, inputs[0], is_recording())
        return result


for viewing in (
    reshape2,
    ops.reshape_as,
    transpose2,
    unsqueeze2,
    squeeze2,
    flatten_contiguous_range,
    slice_,
    strided_slice,
    diagonal,
):
    viewing.__class__ = View


def note_view(result: Any, source: CoreTensor, recorded: bool) -> None:
    """Note that `result` is a view of `source`.

    `enter_pending_views` puts it into its memory. It is forgotten with the result. From
    the first view on, updates ask for views.
    """
    if not views:
        replace.wrap(storing)
    key = id(result)
    view = ref(result, partial(views.pop, key))
    views[key] = view, ref(source), views.get(id(source)), recorded


def detached_from(tensor: Tensor) -> Tensor | None:
    """The tensor whose values another shares off the tape, while that is known."""
    _, source, _, recorded = views.get(id(tensor), (None, None, None, True))
    return None if recorded or source is None else source()


class Memory:
    """An array in which several tensors lie.

    Attributes:
        version: The number of in-place changes.
        tensors: Those tensors, as long as they live.
    """

    __slots__ = ("tensors", "version")

    def __init__(self, version: int = 0) -> None:
        self.version = version
        self.tensors: list[ref[Tensor]] = []

    def __reduce__(self) -> Any:
        """A copy of a tensor, in this process or another, shares nothing."""
        return Memory, (self.version,)


Shared = tuple[Memory, Family]


def enter_pending_views() -> None:
    """Put the views that were made since the last time into their memories."""
    heads: dict[tuple[int, int], Any] = {}
    for result, view in new_views():
        origin, family = taped_origin(view)
        source, owner = origin(), owner_of(result.data)
        if source is None or owner_of(source.data) is not owner:
            source = heads.setdefault((id(origin), id(owner)), result)
        share_memory(result, source, family)


def new_views() -> list[tuple[Any, Noted]]:
    """Take the views that were made since the last time, the oldest first.

    Those that were taken before precede them: views die, but keep their order.
    """
    new = []
    for key in reversed([*views]):
        view: Noted | None = views.get(key)
        if view is None or (result := view[0]()) is None:
            continue
        if view[1] is None:
            break
        views[key] = view[0], None, None, False
        if isinstance(result, CoreTensor):
            new.append((result, view))
    return new[::-1]


def taped_origin(view: Noted) -> tuple[Family, Family]:
    """The origin of a view of views, and the tensor it is a view of on the tape."""
    family = None
    while True:
        result, source, before, recorded = view
        if family is None and not recorded:
            family = result
        if before is None or before[1] is None:
            return source, family or source
        view = before


def share_memory(result: Any, source: Any, family: Family) -> None:
    """Put `result` into the memory of `source`, which may be itself."""
    memory, tape = shared_by(source) or own_memory(source)
    if result is source:
        return
    before = shared_by(result)
    result._shared = memory, tape if family is ref(source) else family
    memory.tensors.append(ref(result))
    if before is not None:
        join_memories(before, result)


def own_memory(tensor: Tensor) -> Shared:
    """The memory of a tensor that has shared it with nobody yet."""
    tensor._shared = Memory(tensor.inplace_version), ref(tensor)
    tensor._shared[0].tensors.append(ref(tensor))
    return tensor._shared


def join_memories(before: Shared, result: Tensor) -> None:
    """Let those that shared memory with a tensor before share what it lies in now."""
    memory, tape = result._shared
    for one in live_tensors(before[0]):
        one._shared = memory, tape if one._shared[1] is before[1] else one._shared[1]
        memory.tensors.append(ref(one))


def shared_by(tensor: Tensor) -> Shared | None:
    """The memory that a tensor shares and with whom on the tape, None if alone."""
    return slot(tensor, "_shared", None)


def other_tensors(tensor: Tensor) -> list[Tensor]:
    """The other living tensors in a tensor's memory."""
    shared = shared_by(tensor)
    return (
        [one for one in live_tensors(shared[0]) if one is not tensor] if shared else []
    )


def live_tensors(memory: Memory) -> list[Tensor]:
    """The tensors in a memory; those that are gone are forgotten."""
    tensors = [one() for one in memory.tensors]
    alive = [t for t in tensors if t is not None and in_memory(t, memory)]
    memory.tensors = [ref(one) for one in alive]
    return alive


def in_memory(tensor: Tensor, memory: Memory) -> bool:
    """True if a tensor still lies in a memory."""
    shared = shared_by(tensor)
    return shared is not None and shared[0] is memory


def refuse_view_of_leaf(tensor: Tensor) -> None:
    """Refuse to change a leaf through a view that is on the tape.

    Raises:
        InvalidValueError: It is such a view, and ops are being recorded.
    """
    if not is_recording() or tensor.stop_gradient:
        return
    for other in other_tensors(tensor):
        if other.is_leaf and not other.stop_gradient and on_one_tape(other, tensor):
            raise InvalidValueError.here(
                f"a view of Leaf Tensor {other.label or other.shape} that does not "
                "stop gradient can't use inplace strategy: the leaf would change "
                "with it; change it under no_grad, or a clone()"
            )


def on_one_tape(one: Tensor, other: Tensor) -> bool:
    """True if one of two tensors in a memory is on the tape a view of the other."""
    return one._shared[1] is other._shared[1]


def store(tensor: Tensor, values: Array, result: Tensor | None = None) -> list[Array]:
    """Give a tensor new values of its shape, and all that lie in its memory theirs.

    Args:
        tensor: The tensor.
        values: Its new values.
        result: What they are on the tape, where ops are being recorded.

    Returns:
        The arrays that others held before.
    """
    enter_pending_views()
    owner = owner_of(tensor.data)
    others = [
        one
        for one in other_tensors(tensor)
        if one is not result and owner_of(one.data) is owner
    ]
    # Places in an owner with gaps have no counterpart in its flat copy.
    if not others or not owner.flags.forc:
        tensor.data = values
        return []
    relatives = [one for one in others if on_one_tape(one, tensor)]
    overlaid = []
    if result is not None and not all(
        one.stop_gradient for one in (result, tensor, *relatives)
    ):
        # Before the arrays are replaced: `overlay` reads where they lie.
        overlaid = [(one, overlay(one, tensor, result, owner)) for one in relatives]
    array = owner.ravel(order="K").copy()
    before = [one.data for one in others]
    for one in (tensor, *others):
        one.data = viewed_like(one.data, owner, array)
    tensor.data[...] = values
    for one, new in overlaid:
        if new is not None:
            one.node, one.stop_gradient = new.node, new.stop_gradient
    if observers:
        for one in others:
            announce("tensor_became", one, None)
    return before


Take = Callable[[CoreTensor, Array], None]


def storing(take: Take) -> Take:
    """Let what replaces the values of a tensor reach its views too."""

    def take_storing(tensor: Any, array: Array) -> None:
        if not getweakrefcount(tensor):  # no view, and no view's source
            take(tensor, array)
            return
        enter_pending_views()
        if shared_by(tensor) is None:
            take(tensor, array)
        else:
            store(tensor, array)

    return take_storing


def owner_of(array: Array) -> Array:
    """The array that owns the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def viewed_like(array: Array, owner: Array, other: Array) -> Array:
    """View of `other` where `array` lies in its owner.

    `other` is a row of as many elements as the owner, which may be of another size.
    """
    ratio = other.itemsize / owner.itemsize
    start = address(array) - address(owner) if array.size else 0
    return np.ndarray(
        array.shape,
        other.dtype,
        other,
        int(start * ratio),
        tuple(int(step * ratio) for step in array.strides),
    )


def address(array: Array) -> int:
    """Address of the first element."""
    start: int = array.__array_interface__["data"][0]
    return start


def overlay(one: Tensor, tensor: Tensor, result: Tensor, owner: Array) -> Any:
    """`one` with what overlaps with `tensor` taken from `result`; None if nothing does.

    It is made of ops, on the tape.
    """
    numbers = np.arange(owner.size)
    target = viewed_like(one.data, owner, numbers).ravel()
    source = np.full(owner.size, -1)
    source[viewed_like(tensor.data, owner, numbers).ravel()] = np.arange(
        tensor.data.size
    )
    positions = source[target]
    (here,) = np.nonzero(positions >= 0)
    if not here.size:
        return None
    new = gather(flat(result), positions[here])
    if here.size < target.size:
        new = scatter(flat(one), new, here)
    return reshape2(new, shape=one.shape)


def flat(tensor: Tensor) -> Any:
    """A tensor as a row."""
    return reshape2(tensor, shape=[tensor.data.size])
