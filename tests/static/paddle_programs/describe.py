"""A program as plain data: what Paddle's and ours are compared by.

Only what both libraries have is used, so the same lines describe and run both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

__all__ = ["AGREEMENT", "captured", "described", "returned", "values_of"]

Json = Any

UNSEEN = (
    "force_cpu",
    "mkldnn_data_type",
    "op_callstack",
    "op_device",
    "place_type",
    "use_mkldnn",
    "use_quantizer",
    "with_quant_attr",
)
"""Attributes that choose Paddle's device and library, or name the machine's files."""

PERHAPS = ("conditional_block", "select_output")
"""Operators that give only the taken branch's variables a value."""

SETS = ("conditional_block", "conditional_block_grad", "while", "while_grad")
"""Operators whose slots Paddle fills in the order of a set, which is any order."""

AGREEMENT = {"rtol": 1e-4, "atol": 1e-5}
"""Tolerances of the values of one program in two libraries, after training too."""

BATCH = 3
SMALL = 36
"""Values of more elements are not compared."""


def captured(paddle: Any, build: Callable[[Any], Any]) -> Json:
    """Both programs, what the builder returned, and what a run computes."""
    main, startup = paddle.static.Program(), paddle.static.Program()
    names = getattr(paddle, "utils", paddle).unique_name
    with paddle.static.program_guard(main, startup), names.guard():
        result = build(paddle)
    return {
        "startup": described(startup),
        "main": described(main),
        "returned": returned(result),
        "values": values_of(paddle, main, startup),
    }


def described(program: Any) -> Json:
    """The variables and operators of each block that runs, in order."""
    found = [
        {
            "vars": [variable(v) for v in block.vars.values()],
            "ops": [operator(op) for op in block.ops],
        }
        for block in (program.block(i) for i in range(program.num_blocks))
    ]
    run = {op["attrs"].get("sub_block", 0) for block in found for op in block["ops"]}
    return [block for at, block in enumerate(found) if at in {0, *run}]


def variable(v: Any) -> Json:
    """One variable."""
    if not holds_numbers(v):
        return {"name": v.name, "type": "STEP_SCOPES"}
    facts = {
        "name": v.name,
        "shape": [int(n) for n in v.shape],
        "dtype": dtype_name(v),
        "persistable": bool(v.persistable),
        "stop_gradient": bool(v.stop_gradient),
    }
    return facts | ({"trainable": v.trainable} if hasattr(v, "trainable") else {})


def holds_numbers(v: Any) -> bool:
    """Whether a variable is no record of what a sub-block has computed."""
    return not str(v.type).endswith("STEP_SCOPES")


def dtype_name(v: Any) -> str:
    """`float32`, however the library says it."""
    return str(v.dtype).rpartition(".")[2]


def operator(op: Any) -> Json:
    """One operator; a list of parameters that is empty is left out."""
    attrs = {name: plain(op.attr(name)) for name in sorted(op.attr_names)}
    if "sub_block" in attrs:
        attrs["sub_block"] = getattr(attrs["sub_block"], "id", attrs["sub_block"])
    if "backward_skip_vars" in attrs:
        attrs["backward_skip_vars"].sort()  # a set in Paddle
    order = sorted if op.type in SETS else list
    return {
        "type": op.type,
        "inputs": {slot: order(op.input(slot)) for slot in sorted(op.input_names)},
        "outputs": {slot: order(op.output(slot)) for slot in sorted(op.output_names)},
        "attrs": {
            name: value
            for name, value in attrs.items()
            if name not in UNSEEN and (name, value) != ("op_role_var", [])
        },
    }


def plain(value: Any) -> Json:
    """An attribute as JSON has it; arrays as lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def returned(value: Any) -> Json:
    """What a builder returned: names for variables and operators, else programs."""
    if value is None:
        return None
    if hasattr(value, "global_block"):
        return {"program": described(value)}
    if isinstance(value, Iterable) and not hasattr(value, "persistable"):
        return [returned(item) for item in value]
    return value.name if hasattr(value, "persistable") else value.type


def values_of(paddle: Any, main: Any, startup: Any) -> Json:
    """The small values after one run, from parameters and data that are made up."""
    wanted = list(computed(main))
    if not wanted:
        return {}
    executor, scope = paddle.static.Executor(), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        if startup.global_block().ops:
            executor.run(startup)
        for at, parameter in enumerate(main.all_parameters()):
            value = np.sin(at + np.arange(np.prod(parameter.shape)), dtype="float32")
            tensor = scope.find_var(parameter.name).get_tensor()
            tensor.set(value.reshape(parameter.shape), paddle.CPUPlace())
        found = executor.run(main, feed=feed_of(main), fetch_list=wanted)
    return {
        name: np.asarray(value, "float64").round(8).tolist()
        for name, value in zip(wanted, found, strict=True)
    }


def computed(main: Any) -> Iterator[str]:
    """The small variables that an operator computes from what it is given."""
    block = main.global_block()
    made = {
        name
        for op in block.ops
        if "random" not in op.type and op.type not in (*PERHAPS, "seed")
        for slot in op.output_names
        if slot != "XShape"
        for name in op.output(slot)
    }
    made -= {
        name for op in block.ops if op.type == "while" for name in op.output("Out")
    }
    for v in block.vars.values():
        if (
            v.name in made
            and holds_numbers(v)
            and not str(v.type).endswith("ARRAY")
            and abs(np.prod(v.shape)) * BATCH <= SMALL
        ):
            yield v.name


def feed_of(main: Any) -> dict[str, Any]:
    """Numbers in (0, 1] for each data variable, classes 0, 1, 2 for integers."""
    feed = {}
    for at, v in enumerate(main.global_block().vars.values()):
        if v.is_data:
            shape = [BATCH if n == -1 else n for n in v.shape]
            count = np.arange(np.prod(shape))
            numbers = (
                count % 3
                if dtype_name(v) == "int64"
                else 0.6 + np.cos(at + count) / 2.5
            )
            feed[v.name] = numbers.astype(dtype_name(v)).reshape(shape)
    return feed
