"""Building: an op called on Variables becomes an Operator, its results Variables.

Shapes are inferred from the kernel itself, run on stand-ins: an unknown size (-1) is
tried with two sizes, and what changes in the result is unknown there too. Ops that are
costly to run say `infers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from teachgraph.core import modes, unique_name
from teachgraph.core.errors import DTypeError, ProgramError
from teachgraph.core.extend import HookPoint
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import Attrs, Like, Op, Values, slot_name
from teachgraph.core.program import (
    Block,
    OpRole,
    Parameter,
    Spec,
    Variable,
    current_block,
    default_startup_program,
)

TRIAL_SIZES = (2, 3)
LARGEST_SIZE = 10_000

Inputs = Sequence[Spec | None]
Variables = Sequence[Variable | None]


def append(
    block: Block, op: Op, inputs: Values, attrs: Attrs, out: Sequence[Variable] = ()
) -> Any:
    """Append `op` for these inputs, if they fit; it writes new variables, or `out`."""
    variables = [as_variable(block, op, x, inputs, attrs) for x in inputs]
    specs = infer_outputs(op, variables, attrs)
    if out:
        for variable, spec in zip(out, specs, strict=True):
            declare(variable, spec, op)
        pass_stop_gradient(block, variables, out)
    else:
        out = new_variables(block, op, variables, specs)
    slots = op.slots([None if v is None else v.name for v in variables])
    names = zip(op.outputs, out, strict=True)
    outputs = {slot_name(output): [v.name] for output, v in names}
    block.insert(len(block.ops), op.type, slots, outputs, op.complete(attrs))
    return out[0] if len(out) == 1 else tuple(out)


def as_variable(
    block: Block, op: Op, value: Any, inputs: Values, attrs: Attrs
) -> Variable | None:
    """An input as a Variable that the block sees."""
    if value is None:
        return None
    if not isinstance(value, Variable):
        value = adopt.call(block, op, value, inputs, attrs)
    return own_variable(block, op.type, value)


def refuse_foreign(
    block: Block, op: Op, value: Any, inputs: Values, attrs: Attrs
) -> Variable:
    """Refuse an input that is no Variable."""
    reason = f"it takes Variables, got a {type(value).__name__}"
    raise op.explain(inputs, attrs, DTypeError(reason))


adopt = HookPoint(refuse_foreign)
"""Makes a Variable of another input: `adopt(block, op, value, inputs, attrs)`."""


def own_variable(block: Block, what: str, variable: Variable) -> Variable:
    """The variable, if the block sees it.

    It is of no other program, and of no block inside of this one.
    """
    if block._find_var_recursive(variable.name) is not variable:
        raise not_in_sight(block, what, variable)
    return variable


def not_in_sight(block: Block, what: str, variable: Variable) -> ProgramError:
    """The error for a variable that the block does not see."""
    reason = "is a variable of another program; build under program_guard(that program)"
    if variable.block.program is block.program:
        reason = (
            "lives inside a branch or a loop, and may not have been computed: return "
            "it from there"
        )
    return ProgramError.here(f"{what}: {variable.name!r} {reason}")


def new_variables(
    block: Block, op: Op, inputs: Variables, specs: Sequence[Spec]
) -> list[Variable]:
    """Variables for an op's results: new ones, or the inputs that they replace."""
    next_name = unique_name.namer.call(op.key)
    stop = is_constant.call(block, inputs)
    replaced, outputs = dict(op.replaces), list[Any]()
    for place, spec in enumerate(specs):
        if place in replaced:
            outputs.append(inputs[replaced[place]])
            continue
        name, shape = next_name(), spec.shape
        known = block.vars[name].shape if name in block.vars else ()
        if len(known) == len(shape):  # a gradient's variable may say more than its op
            pairs = zip(shape, known, strict=True)
            shape = tuple(b if a == -1 else a for a, b in pairs)
        outputs.append(block.create_var(name, shape, spec.dtype, stop_gradient=stop))
    return outputs


def all_stopped(block: Block, inputs: Variables) -> bool:
    """Say if no gradient flows to any input."""
    return all(v is None or v.stop_gradient for v in inputs)


is_constant = HookPoint(all_stopped)
"""Decides if the results of an op stop the gradient: `is_constant(block, inputs)`."""


def declare(variable: Variable, spec: Spec, op: Op) -> None:
    """Give a variable the shape and dtype of a result; one that is kept has its own."""
    if not (variable.persistable or variable.is_data):
        variable.shape, variable.dtype = spec
    elif not variable.spec.fits(spec):
        raise ProgramError.here(
            f"{op.type} gives {spec.dtype} {list(spec.shape)}, but "
            f"{variable.name!r} is {variable.dtype} {list(variable.shape)}"
        )


def pass_stop_gradient(
    block: Block, inputs: Variables, outputs: Sequence[Variable]
) -> None:
    """Stop the gradient at existing variables if it stops at every input."""
    if block.program.op_role == OpRole.FORWARD and all_stopped(block, inputs):
        for variable in outputs:
            if not isinstance(variable, Parameter):
                variable.stop_gradient = True


def infer_outputs(op: Op, inputs: Variables, attrs: Attrs) -> list[Spec]:
    """The specs of an op's outputs; if the inputs do not fit, the error shows them."""
    try:
        return infer(op, [None if v is None else v.spec for v in inputs], attrs)
    except Exception as error:
        error = op.explain(inputs, attrs, error)  # Python deletes this name: no cycle
        if observers:
            announce("op_failed", op.type, inputs, attrs, error)
        raise error from None


def infer(op: Op, inputs: Inputs, attrs: Attrs) -> list[Spec]:
    """The specs of the outputs of `op` for inputs like these.

    Raises:
        OpError: The inputs do not fit, with the kernel's own reason.

    >>> from teachgraph.core.op import op
    >>> product = op(lambda x, y: x @ y, type="product")
    >>> f = np.dtype("float32")
    >>> infer(product, [Spec((-1, 4), f), Spec((4, 3), f)], {})[0].shape
    (-1, 3)
    """
    if not any(spec is not None and -1 in spec.shape for spec in inputs):
        return trial(op, inputs, attrs)
    try:
        results = [trial(op, sized(inputs, size), attrs) for size in TRIAL_SIZES]
    except Exception as error:
        results = search.call(op, inputs, attrs, error)
    else:
        room = sum(whole_numbers(attrs)) + 1  # for a window and a step
        ranks = [[len(spec.shape) for spec in specs] for specs in results]
        if room > max(TRIAL_SIZES) or ranks[0] != ranks[1]:
            results += further.call(op, inputs, attrs, room)
    return [agreed(specs) for specs in zip(*results, strict=True)]


def whole_numbers(attrs: Attrs) -> Iterator[int]:
    """The attributes, or items of them, that could be a size."""
    for value in attrs.values():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if type(item) is int and 0 < item < LARGEST_SIZE:
                yield item


def give_up(op: Op, inputs: Inputs, attrs: Attrs, error: Exception) -> list[list[Spec]]:
    """Raise the error of the trials."""
    raise error


search = HookPoint(give_up)
"""Searches for sizes that fit where one of the two does not."""

further: HookPoint[Callable[..., list[list[Spec]]]] = HookPoint(lambda *_: [])
"""Tries a third size, with room for a window: `further(op, inputs, attrs, size)`."""


def trial(op: Op, inputs: Inputs, attrs: Attrs) -> list[Spec]:
    """The specs of the outputs for inputs of known sizes."""
    if op.infer is not None:
        likes = [None if spec is None else Like(spec) for spec in inputs]
        return [Spec(tuple(s), d) for s, d in op.infer(*likes, **op.complete(attrs))]
    stand_ins = [None if spec is None else stand_in(spec) for spec in inputs]
    with np.errstate(all="ignore"):
        results = op.kernel(*stand_ins, **attrs)
    parts = results if isinstance(results, tuple) else (results,)
    return [Spec(np.shape(part), np.asarray(part).dtype) for part in parts]


def sized(inputs: Inputs, size: int) -> list[Spec | None]:
    """The specs with every unknown size set to this one."""
    return [
        spec and Spec(tuple(size if n == -1 else n for n in spec.shape), spec.dtype)
        for spec in inputs
    ]


def stand_in(spec: Spec) -> np.ndarray[Any, Any]:
    """An array to try a kernel on: ones, or zeros for integers (a valid index)."""
    return (np.ones if spec.dtype.kind == "f" else np.zeros)(spec.shape, spec.dtype)


def agreed(specs: Sequence[Spec]) -> Spec:
    """The spec that most trials agree on; a size in which they differ is unknown."""
    ranks = [len(spec.shape) for spec in specs]
    rank = max(ranks, key=ranks.count)
    sizes = zip(*(spec.shape for spec in specs if len(spec.shape) == rank), strict=True)
    return Spec(tuple(n[0] if len(set(n)) == 1 else -1 for n in sizes), specs[0].dtype)


def create_parameter(
    name: str, shape: Sequence[int], dtype: Any, attr: Any, initializer: Any
) -> Parameter:
    """Create a parameter in both programs, or return the one of that name.

    The op that `initializer.operation(shape, dtype)` gives goes into startup.
    """
    parameter = current_block().add_parameter(name, shape, dtype, attr)
    startup = default_startup_program().global_block()
    if name not in startup.vars:
        begun = startup.add_parameter(name, shape, dtype, attr)
        op, attrs = initializer.operation(begun.shape, begun.dtype)
        append(startup, op, (), attrs, out=[begun])
    return parameter


new_parameter = HookPoint(create_parameter)
"""Creates a parameter where a program is built; what traces functions wraps it."""


class Static:
    """Static mode, for ops that have no input to hand themselves to."""

    def create(self, op: Op, attrs: Attrs) -> Any:
        """Append an op that has no inputs."""
        return append(current_block(), op, (), attrs)

    def create_parameter(
        self, name: str, shape: Sequence[int], dtype: Any, attr: Any, initializer: Any
    ) -> Parameter:
        """Create a parameter in both programs."""
        return new_parameter.call(name, shape, dtype, attr, initializer)


modes.interpreters["static"] = Static()
