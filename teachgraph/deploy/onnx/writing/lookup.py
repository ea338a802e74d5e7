"""Converters of indexing, sorting and one-hot ops."""

from __future__ import annotations

import numpy as np

from teachgraph.deploy.onnx.types import code_of
from teachgraph.deploy.onnx.writing.writer import Step, writes


def flat_index(step: Step) -> str:
    """Return an index of rank 0 or 1; Paddle also takes a column."""
    is_flat = len(step.variable("index").shape) <= 1
    index = step.get("index")
    return index if is_flat else step.put("Reshape", index, step.ints(-1))


@writes("gather")
def gather(step: Step) -> None:
    """Export the gather of slices along an axis."""
    step.give("Gather", step.get(), flat_index(step), axis=step.attrs["axis"])


@writes("index_select")
def index_select(step: Step) -> None:
    """Export the gather of slices along an axis, called `dim`."""
    step.give("Gather", step.get(), flat_index(step), axis=step.attrs["dim"])


@writes("lookup_table_v2")
def embedding(step: Step) -> None:
    """Export the rows of a table, with zeros for `padding_idx`."""
    padding, ids = step.attrs["padding_idx"], step.get("ids")
    if padding == -1:
        return step.give("Gather", step.get("w"), ids)
    rows = step.put("Gather", step.get("w"), ids)
    number = step.constant(padding, step.variable("ids").dtype)
    column = step.put("Unsqueeze", step.put("Equal", ids, number), step.ints(-1))
    return step.give("Where", column, step.like(0, "w"), rows)


@writes("gather_nd")
def gather_nd(step: Step) -> None:
    """Export the gather of elements or slices by coordinates."""
    step.give("GatherND", step.get(), step.get_as("index", np.int64))


@writes("take_along_axis")
def take_along_axis(step: Step) -> None:
    """Export the gather of elements along an axis."""
    index = step.get("index")
    axis = step.attrs["Axis"]
    step.give("GatherElements", step.get("input"), index, axis=axis, slot="result")


REDUCED = {"assign": "none", "add": "add", "mul": "mul", "multiply": "mul"}


@writes("put_along_axis")
def put_along_axis(step: Step) -> None:
    """Export values written, added or multiplied along an axis."""
    if not step.attrs["Include_self"]:
        step.refuse("only with what stood there before (include_self=True)")
    if step.attrs["Reduce"] not in REDUCED:
        step.refuse(f"without reduce={step.attrs['Reduce']!r}")
    inputs = [step.get("input"), step.get_as("index", np.int64), step.get("value")]
    axis, kind = step.attrs["Axis"], REDUCED[step.attrs["Reduce"]]
    step.give("ScatterElements", *inputs, axis=axis, reduction=kind, slot="result")


@writes("scatter_nd_add")
def scatter_nd_add(step: Step) -> None:
    """Export updates added at coordinates."""
    index = step.get_as("index", np.int64)
    step.give("ScatterND", step.get(), index, step.get("updates"), reduction="add")


@writes("where_index")
def nonzero(step: Step) -> None:
    """Export the coordinates of nonzero elements, a row each."""
    step.give("Transpose", step.put("NonZero", step.get("condition")), perm=[1, 0])


@writes("one_hot_v2")
def one_hot(step: Step) -> None:
    """Export one-hot vectors; ONNX's OneHot would count negative ids from the end."""
    column = step.put("Unsqueeze", step.get_as("x", np.int64), step.ints(-1))
    places = step.ints(*range(step.attrs["depth"]))
    here = step.put("Equal", column, places)
    step.give("Cast", here, to=code_of(step.result().dtype))


@writes("arg_max", "arg_min")
def arg_extreme(step: Step) -> None:
    """Export the index of the largest, or smallest, element."""
    type = "ArgMax" if step.operator.type == "arg_max" else "ArgMin"
    x, axis = step.get(), step.attrs["axis"]
    if step.attrs["flatten"]:
        x, axis = step.put("Reshape", x, step.ints(-1)), 0
    at = axis % max(step.ndim, 1)  # as in `Step.reduced`
    index = step.put(type, x, axis=at, keepdims=int(step.attrs["keepdims"]))
    step.give("Cast", index, to=code_of(step.result().dtype))


@writes("top_k_v2")
def top_k(step: Step) -> None:
    """Export the k largest, or smallest, elements and their indices."""
    if not step.ndim:
        return number_alone(step)
    inputs = [step.get(), step.ints(step.attrs["k"])]
    attrs = {"axis": step.attrs["axis"], "largest": int(step.attrs["largest"])}
    return step.give_all("TopK", inputs, ["out", "indices"], **attrs)


def number_alone(step: Step) -> None:
    """Append a number without dimensions as its own order; its index is 0."""
    step.give("Identity", step.get())
    step.give("Identity", step.constant(0, np.int64), slot="indices")


@writes("argsort")
def argsort(step: Step) -> None:
    """Export a sort, as the top k of all."""
    if not step.ndim:
        return number_alone(step)
    axis = step.attrs["axis"] % step.ndim
    count = step.put("Shape", step.get(), start=axis, end=axis + 1)
    attrs = {"axis": axis, "largest": int(step.attrs["descending"])}
    return step.give_all("TopK", [step.get(), count], ["out", "indices"], **attrs)


@writes("cumsum")
def cumsum(step: Step) -> None:
    """Export a cumulative sum."""
    x, axis = step.get(), step.attrs["axis"]
    if not step.ndim and not step.attrs["flatten"]:
        return step.give("Cast", x, to=code_of(step.result().dtype))
    if step.attrs["flatten"]:
        x, axis = step.put("Reshape", x, step.ints(-1)), 0
    exclusive, reverse = (int(step.attrs[n]) for n in ("exclusive", "reverse"))
    if step.variable("x").dtype != step.result().dtype:
        x = step.cast(x, step.result().dtype)
    at = step.constant(axis, np.int64)
    return step.give("CumSum", x, at, exclusive=exclusive, reverse=reverse)


@writes("sequence_mask")
def sequence_mask(step: Step) -> None:
    """Export a mask with 1 for each step within a sequence's length."""
    lengths, most = step.get_as("x", np.int64), step.attrs["maxlen"]
    end = step.constant(most, np.int64)
    if most == -1:
        end = step.reduced("ReduceMax", lengths, None, keep=False)
    zero, one = (step.constant(n, np.int64) for n in (0, 1))
    steps = step.put("Range", zero, end, one)
    column = step.put("Unsqueeze", lengths, step.ints(-1))
    alive = step.put("Less", steps, column)
    step.give_all("Cast", [alive], ["y"], to=code_of(step.result("y").dtype))
