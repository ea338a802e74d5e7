"""Converters of control flow: branches to `If`, loops to `Loop`, arrays to sequences.

Both branches of an `If` have the same outputs. A `conditional_block` has outputs only
if it is taken, and `select_input` chooses between those of two. So the other branch of
its `If` returns the old values or placeholders, and the choice is another `If`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.control_flow.sub_block import sub_block_of
from teachgraph.core.program import Block, Variable
from teachgraph.deploy.onnx.types import code_of
from teachgraph.deploy.onnx.writing.writer import Step, Writer, writes

ARRAY = "LOD_TENSOR_ARRAY"


def information(writer: Writer, name: str, variable: Variable) -> Any:
    """Describe an input or output of a subgraph: its dtype and rank."""
    sizes = [None] * len(variable.shape)
    code = code_of(variable.dtype)
    if variable.type == ARRAY:
        return writer.proto.make_tensor_sequence_value_info(name, code, None)
    return writer.proto.make_tensor_value_info(name, code, sizes)


def graph(writer: Writer, name: str, nodes: list[Any], results: list[Any]) -> Any:
    """Build a subgraph without inputs."""
    return writer.proto.make_graph(nodes, name, [], results)


def boolean(step: Step, parameter: str) -> str:
    """Return a condition as a boolean scalar."""
    name = step.get_as(parameter, np.bool_)
    if step.variable(parameter).shape == ():
        return name
    return step.put("Reshape", name, step.ints())


@writes("conditional_block")
def branch(step: Step) -> None:
    """Export a conditional block."""
    writer, block = step.writer, sub_block_of(step.operator)
    assert block is not None
    outs = step.variables("out")
    condition = boolean(step, "cond")
    taken = taken_branch(step, block, outs)
    skipped = skipped_branch(step, outs)
    names = [writer.written(v) for v in outs]
    writer.node("If", [condition], names, then_branch=taken, else_branch=skipped)


def taken_branch(step: Step, block: Block, outs: list[Variable]) -> Any:
    """Build the subgraph of the block."""
    writer = step.writer
    with writer.subgraph() as nodes:
        writer.block(block)
        return results(writer, nodes, outs, [writer.value(v) for v in outs])


def skipped_branch(step: Step, outs: list[Variable]) -> Any:
    """Build the subgraph of old values or placeholders."""
    writer = step.writer
    with writer.subgraph() as nodes:
        return results(writer, nodes, outs, [present_value(writer, v) for v in outs])


def present_value(writer: Writer, variable: Variable) -> str:
    """Return the present value of a variable, or a placeholder."""
    if variable.name in writer.names or variable.name in writer.values:
        return writer.value(variable)
    if variable.type == ARRAY:
        return writer.put("SequenceEmpty", dtype=code_of(variable.dtype))
    ones = [1] * len(variable.shape)
    return writer.constant(np.zeros(ones), variable.dtype)


def results(
    writer: Writer, nodes: list[Any], outs: list[Variable], values: list[str]
) -> Any:
    """Build a subgraph with these outputs, each under a name of its own."""
    names = [writer.fresh(f"{v.name}.result") for v in outs]
    for name, value in zip(names, values, strict=True):
        writer.node("Identity", [value], [name])
    infos = [information(writer, n, v) for n, v in zip(names, outs, strict=True)]
    return graph(writer, writer.fresh("branch"), nodes, infos)


@writes("select_input")
def select(step: Step) -> None:
    """Export the choice of the taken branch's value."""
    writer, out = step.writer, step.result()
    choices = step.all("x")
    if len(choices) != 2:
        step.refuse(f"it picks one of two, not of {len(choices)}")
    condition = step.cast(step.put("Reshape", step.get("mask"), step.ints()), np.bool_)
    branches = []
    for choice in choices:
        with writer.subgraph() as nodes:
            branches.append(results(writer, nodes, [out], [choice]))
    no, yes = branches
    writer.node(
        "If", [condition], [writer.written(out)], then_branch=yes, else_branch=no
    )


@writes("while")
def loop(step: Step) -> None:
    """Export a loop."""
    writer, block = step.writer, sub_block_of(step.operator)
    assert block is not None
    *carried, again = step.variables("out")
    first = [writer.value(v) for v in step.variables("x")[: len(carried)]]
    holds = boolean(step, "condition")
    most = step.attrs.get("max_iterations")
    limit = "" if most is None else step.constant(most, np.int64)
    body = loop_body(writer, block, again, carried)
    names = [writer.written(v) for v in carried]
    writer.node("Loop", [limit, holds, *first], names, body=body)


def loop_body(
    writer: Writer, block: Block, again: Variable, carried: list[Variable]
) -> Any:
    """Build the body: the next values from the iteration's number and its values."""
    proto, boolean = writer.proto, code_of(np.bool_)
    with writer.subgraph() as nodes:
        number, holds = writer.fresh("round"), writer.fresh("holds")
        inputs = [proto.make_tensor_value_info(number, code_of(np.int64), [])]
        inputs.append(proto.make_tensor_value_info(holds, boolean, []))
        writer.names[again.name] = holds
        for variable in carried:
            name = writer.fresh(f"{variable.name}.round")
            writer.names[variable.name] = name
            inputs.append(information(writer, name, variable))
        writer.block(block)
        goes_on = writer.fresh(f"{again.name}.next")
        shape = writer.constant([], np.int64)
        writer.node("Reshape", [writer.value(again), shape], [goes_on])
        outs = [writer.fresh(f"{v.name}.next") for v in carried]
        for variable, name in zip(carried, outs, strict=True):
            writer.node("Identity", [writer.value(variable)], [name])
        infos = [proto.make_tensor_value_info(goes_on, boolean, [])]
        infos += [information(writer, n, v) for n, v in zip(outs, carried, strict=True)]
        return proto.make_graph(nodes, writer.fresh("body"), inputs, infos)


@writes("fail_unless", "assert", "print_text")
def no_result(step: Step) -> None:
    """Omit an operator that prints or checks, but computes nothing."""


def scalar_index(step: Step) -> str:
    """Return the index into an array as a scalar."""
    return step.put("Reshape", step.get_as("i", np.int64), step.ints())


@writes("create_array")
def create_array(step: Step) -> None:
    """Export an empty sequence."""
    step.give("SequenceEmpty", dtype=code_of(step.result().dtype))


@writes("read_from_array")
def read_from_array(step: Step) -> None:
    """Export the read of one element."""
    step.give("SequenceAt", step.get(), scalar_index(step))


@writes("lod_array_length")
def array_length(step: Step) -> None:
    """Export the length of an array."""
    step.give("Reshape", step.put("SequenceLength", step.get()), step.ints(1))


@writes("write_to_array")
def write_to_array(step: Step) -> None:
    """Export a write: insert the new element, erase the old one behind it, if any."""
    array, at = step.get("array"), scalar_index(step)
    if not array:
        array = step.put("SequenceEmpty", dtype=code_of(step.result().dtype))
    longer = step.put("SequenceInsert", array, step.get("x"), at)
    length = step.put("SequenceLength", array)
    replaced = step.put("Less", at, length)
    behind = step.put("Add", at, step.constant(1, np.int64))
    writer, out = step.writer, step.result()
    with writer.subgraph() as nodes:
        erased = writer.put("SequenceErase", longer, behind)
        yes = results(writer, nodes, [out], [erased])
    with writer.subgraph() as nodes:
        no = results(writer, nodes, [out], [longer])
    writer.node(
        "If", [replaced], [writer.written(out)], then_branch=yes, else_branch=no
    )


@writes("tensor_array_to_tensor")
def array_to_tensor(step: Step) -> None:
    """Export the concatenation or stack of an array's elements."""
    axis, new = step.attrs["axis"], int(step.attrs["use_stack"])
    step.give("ConcatFromSequence", step.get(), axis=axis, new_axis=new)


@writes("fill_sizes")
def fill_sizes(step: Step) -> None:
    """Export one value in a shape of numbers and tensors."""
    left = iter(step.all("sizes"))
    parts = [
        step.put("Cast", step.put("Reshape", next(left), step.ints(1)), to=7)
        if size == -1
        else step.ints(size)
        for size in step.attrs["shape"]
    ]
    shape = step.put("Concat", *parts, axis=0) if parts else step.ints()
    value = step.constant(step.attrs["value"], step.result().dtype)
    step.give("Expand", value, shape)
