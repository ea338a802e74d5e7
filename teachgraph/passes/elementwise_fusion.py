"""Pass `elementwise_fusion`: fuse chains of elementwise operators, in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from teachgraph.core.op import GradOp
from teachgraph.ops.fused import BINARY, FUSABLE, PAIRS, SLOPES
from teachgraph.passes.graph import Graph
from teachgraph.passes.identities import attr
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import NewOperator, Work
from teachgraph.static.operator import Operator

__all__ = ["elementwise_fusion"]

LONGEST_CHAIN = 32
"""A longer chain becomes several, so that the generated code stays readable."""


@register("elementwise_fusion")
def elementwise_fusion(work: Work) -> None:
    """Join chains of elementwise operators into functions that reuse their arrays.

    A chain ends at a value with another reader. All its values are floating, of one
    dtype, so that NumPy's results stay the same to the last bit. Chains of the backward
    consist of derivatives: `tanh_grad(x0, x1)` is x0 (1 - x1^2).

        a = elementwise_add(x, y)
        b = tanh(a)                     b = fused_elementwise(x, y)
        c = scale(b, 2)         ->          t0 = add(x0, x1)
                                            t1 = tanh(t0, out=t0)
                                            t2 = multiply(t1, 2.0, out=t1)
    """
    graph = work.graph
    for at in reversed(range(len(graph.ops))):
        operator = graph.ops[at]
        if operator is None or not fusable(operator):
            continue
        chain = chain_to(graph, at)
        if len(chain) > 1:
            work.put(at, [fused(graph, chain)], chain, "")


def fusable(operator: Operator) -> bool:
    """True for an elementwise operator of one floating dtype and finite attributes."""
    if operator.type not in FUSABLE:
        return False
    variable = operator.block._var_recursive
    names = [*operator.input_arg_names, *operator.output_arg_names]
    if len({variable(name).dtype for name in names}) > 1:
        return False
    if variable(names[0]).dtype.kind != "f":
        return False
    if operator.type == "scale":
        return isfinite(attr(operator, "scale")) and isfinite(attr(operator, "bias"))
    if operator.type in SLOPES:
        return len(operator.output_arg_names) == 1 and all(operator.inputs.values())
    return operator.type not in BINARY or aligned_at_the_right(operator)


def aligned_at_the_right(operator: Operator) -> bool:
    """True if the inputs broadcast by NumPy's rule; Paddle's `axis` allows others."""
    x, y = (
        len(operator.block._var_recursive(operator.input(slot)[0]).shape)
        for slot in ("X", "Y")
    )
    return attr(operator, "axis") in (-1, x - y)


def chain_to(graph: Graph, last: int) -> list[int]:
    """Find the operators whose results only the one at `last` uses, and itself."""
    chain, grown = {last}, True
    while grown and len(chain) < LONGEST_CHAIN:
        grown = False
        for at in sorted(chain, reverse=True):
            for name in graph.operator(at).input_arg_names:
                before = graph.writer(name, at)
                if before is None or before in chain or len(chain) >= LONGEST_CHAIN:
                    continue
                if joins(graph, before, name, chain, last):
                    chain.add(before)
                    grown = True
    return sorted(chain)


def joins(graph: Graph, at: int, name: str, chain: set[int], last: int) -> bool:
    """True if an operator can join a chain: it could be moved to the chain's end."""
    operator = graph.ops[at]
    if operator is None or not fusable(operator):
        return False
    return graph.inside(name, chain) and all(
        graph.unchanged(read, at, last) for read in operator.input_arg_names
    )


def fused(graph: Graph, chain: Sequence[int]) -> NewOperator:
    """Build the operator that replaces a chain."""
    names: dict[str, str] = {}
    inputs: list[str] = []
    steps: list[str] = []
    for at in chain:
        operator = graph.operator(at)
        for name in operands_of(operator):
            if name not in names:
                names[name] = f"x{len(inputs)}"
                inputs.append(name)
        steps += written_out(operator, names, len(steps))
        names[operator.output_arg_names[0]] = f"t{len(steps) - 1}"
    outputs = {"Out": operator.output_arg_names}
    return NewOperator("fused_elementwise", {"X": inputs}, outputs, {"steps": steps})


def operands_of(operator: Operator) -> list[str]:
    """List the inputs of an operator; of a gradient, dout and the saved tensors."""
    op = operator.op
    if isinstance(op, GradOp):
        return [operator.input(slot)[0] for slot in op.input_slots]
    slots = ("X", "Y") if operator.type in PAIRS else ("X",)
    return [operator.input(slot)[0] for slot in slots]


def written_out(operator: Operator, names: Mapping[str, str], place: int) -> list[str]:
    """Write the steps of one operator: `scale` by a factor and a bias has two."""
    operands = [names[name] for name in operands_of(operator)]
    if operator.type != "scale":
        return [f"{operator.type}({', '.join(operands)})"]
    times, plus = float(attr(operator, "scale")), float(attr(operator, "bias"))
    parts = [f"scale={times!r}", f"bias={plus!r}"]
    if plus == 0:
        return [f"scale({operands[0]}, {parts[0]})"]
    if times == 1:
        return [f"scale({operands[0]}, {parts[1]})"]
    first, second = parts if attr(operator, "bias_after_scale") else parts[::-1]
    return [f"scale({operands[0]}, {first})", f"scale(t{place}, {second})"]
