"""Elements by number: tables, indices, the largest, one-hot rows, in order."""

from __future__ import annotations

import numpy as np

from teachgraph.deploy.onnx.types import code_of
from teachgraph.deploy.onnx.writing.writer import Step, writes


def flat_index(step: Step) -> str:
    """A list of numbers or one; a column of them counts as a list."""
    listed = len(step.variable("index").shape) <= 1
    index = step.get("index")
    return index if listed else step.put("Reshape", index, step.ints(-1))


@writes("gather")
def gather(step: Step) -> None:
    """Slices along an axis."""
    step.give("Gather", step.get(), flat_index(step), axis=step.attrs["axis"])


@writes("index_select")
def index_select(step: Step) -> None:
    """The same."""
    step.give("Gather", step.get(), flat_index(step), axis=step.attrs["dim"])


@writes("lookup_table_v2")
def embedding(step: Step) -> None:
    """Rows of a table; zeros where there is padding."""
    padding, ids = step.attrs["padding_idx"], step.get("ids")
    if padding == -1:
        return step.give("Gather", step.get("w"), ids)
    rows = step.put("Gather", step.get("w"), ids)
    number = step.constant(padding, step.variable("ids").dtype)
    column = step.put("Unsqueeze", step.put("Equal", ids, number), step.ints(-1))
    return step.give("Where", column, step.like(0, "w"), rows)


@writes("gather_nd")
def gather_nd(step: Step) -> None:
    """Elements, or slices, by coordinates."""
    step.give("GatherND", step.get(), step.get_as("index", np.int64))


@writes("take_along_axis")
def take_along_axis(step: Step) -> None:
    """Elements by one coordinate."""
    index = step.get("index")
    axis = step.attrs["Axis"]
    step.give("GatherElements", step.get("input"), index, axis=axis, slot="result")


REDUCED = {"assign": "none", "add": "add", "mul": "mul", "multiply": "mul"}


@writes("put_along_axis")
def put_along_axis(step: Step) -> None:
    """Values put, added or multiplied by one coordinate."""
    if not step.attrs["Include_self"]:
        step.refuse("only with what stood there before (include_self=True)")
    given = [step.get("input"), step.get_as("index", np.int64), step.get("value")]
    axis, kind = step.attrs["Axis"], REDUCED[step.attrs["Reduce"]]
    step.give("ScatterElements", *given, axis=axis, reduction=kind, slot="result")


@writes("scatter_nd_add")
def scatter_nd_add(step: Step) -> None:
    """Updates added at coordinates."""
    index = step.get_as("index", np.int64)
    step.give("ScatterND", step.get(), index, step.get("updates"), reduction="add")


@writes("where_index")
def nonzero(step: Step) -> None:
    """The coordinates of what holds, a row each."""
    step.give("Transpose", step.put("NonZero", step.get("condition")), perm=[1, 0])


@writes("one_hot_v2")
def one_hot(step: Step) -> None:
    """1 at the number, else 0; ONNX's own would count numbers below 0 from the end."""
    column = step.put("Unsqueeze", step.get_as("x", np.int64), step.ints(-1))
    places = step.ints(*range(step.attrs["depth"]))
    here = step.put("Equal", column, places)
    step.give("Cast", here, to=code_of(step.result().dtype))


@writes("arg_max", "arg_min")
def arg_extreme(step: Step) -> None:
    """Where the largest, or smallest, element is."""
    type = "ArgMax" if step.operator.type == "arg_max" else "ArgMin"
    x, axis = step.get(), step.attrs["axis"]
    if step.attrs["flatten"]:
        x, axis = step.put("Reshape", x, step.ints(-1)), 0
    found = step.put(type, x, axis=axis, keepdims=int(step.attrs["keepdims"]))
    step.give("Cast", found, to=code_of(step.result().dtype))


@writes("top_k_v2")
def top_k(step: Step) -> None:
    """The largest, or smallest, few and where they are."""
    given = [step.get(), step.ints(step.attrs["k"])]
    attrs = {"axis": step.attrs["axis"], "largest": int(step.attrs["largest"])}
    step.give_all("TopK", given, ["out", "indices"], **attrs)


@writes("argsort")
def argsort(step: Step) -> None:
    """All of them in order."""
    if not step.ndim:
        step.refuse("a single number is in order; leave it as it is")
    axis = step.attrs["axis"] % step.ndim
    count = step.put("Shape", step.get(), start=axis, end=axis + 1)
    attrs = {"axis": axis, "largest": int(step.attrs["descending"])}
    step.give_all("TopK", [step.get(), count], ["out", "indices"], **attrs)


@writes("cumsum")
def cumsum(step: Step) -> None:
    """Sums of all that come before."""
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
    """1 for each step that a sequence has, else 0."""
    lengths, most = step.get_as("x", np.int64), step.attrs["maxlen"]
    end = step.constant(most, np.int64)
    if most == -1:
        end = step.reduced("ReduceMax", lengths, None, keep=False)
    zero, one = (step.constant(n, np.int64) for n in (0, 1))
    steps = step.put("Range", zero, end, one)
    column = step.put("Unsqueeze", lengths, step.ints(-1))
    alive = step.put("Less", steps, column)
    step.give_all("Cast", [alive], ["y"], to=code_of(step.result("y").dtype))
