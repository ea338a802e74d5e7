"""The second interpreter: ops become operators of a program, and run later.

A `Program` is a list of blocks; a `Block` has variables and operators. Layers append to
two programs at once: what starts the parameters goes into the startup program, what
uses them into the main one.

>>> import numpy as np
>>> import teachgraph as tg
>>> from teachgraph import passes, static, unique_name
>>> main, startup = static.Program(), static.Program()
>>> with static.program_guard(main, startup), unique_name.guard():
...     x = static.data("x", [None, 2])
...     h = static.nn.fc(x, 3, activation="relu")
...     loss = tg.mean(h)
>>> [op.type for op in startup.global_block().ops]
['uniform_random', 'fill_constant']
>>> [op.type for op in main.global_block().ops]
['mul', 'elementwise_add', 'relu', 'reduce_mean']

A `Variable` has a name, a shape and a dtype, but no value yet. The `Operator` that
wrote it knows its slots, its attributes and the line of the user that it comes from.

>>> h.name, h.shape, h.op.input("X")
('fc_0.tmp_2', (-1, 3), ['fc_0.tmp_1'])

The way back is more operators: `append_backward` goes through those on the way to the
loss in reverse, and appends the gradient rule of each.

>>> with static.program_guard(main, startup):
...     pairs = static.append_backward(loss)
>>> [(parameter.name, grad.name) for parameter, grad in pairs]
[('fc_0.w_0', 'fc_0.w_0@GRAD'), ('fc_0.b_0', 'fc_0.b_0@GRAD')]
>>> [op.type for op in main.global_block().ops][4:]
['fill_constant', 'reduce_mean_grad', 'relu_grad', 'elementwise_add_grad', 'mul_grad']

Branches and loops are operators with a block of their own.

>>> branching = static.Program()
>>> with static.program_guard(branching), unique_name.guard():
...     n, end = static.data("n", [1]), static.data("end", [1])
...     (last,) = static.nn.while_loop(lambda n: n < end, lambda n: [n * 2.0], [n])
>>> [[op.type for op in block.ops] for block in branching.blocks]
[['less_than', 'while'], ['scale', 'less_than', 'assign', 'assign']]

An `Executor` makes straight Python of a program, once, and runs it. Parameters live in
a scope from one run to the next; all else is gone after it, but for what is fetched.

>>> with static.scope_guard(static.Scope()):
...     executor = static.Executor()
...     _ = executor.run(startup)
...     fetched = executor.run(main, {"x": np.ones((4, 2), "float32")}, [loss, h])
...     numbers = {"n": np.float32([1]), "end": np.float32([100])}
...     looped = executor.run(branching, numbers, [last])
>>> fetched[1].shape, looped[0].tolist()
((4, 3), [128.0])

Passes rewrite a copy of a program into one that computes the same.

>>> faster = passes.apply_pass(main, ["fc_fuse"], fetches=[loss])
>>> [op.type for op in faster.global_block().ops]
['fc', 'reduce_mean', 'fill_constant', 'reduce_mean_grad', 'fc_grad']

For a test, what only training needs is left out; what is saved is read again alike.

>>> test = main.clone(for_test=True)
>>> [op.type for op in test.global_block().ops]
['mul', 'elementwise_add', 'relu', 'reduce_mean']
>>> saved = static.serialize_program([x], [h], program=test)
>>> [op.type for op in static.deserialize_program(saved).global_block().ops]
['mul', 'elementwise_add', 'relu']

In Paddle this is `paddle.static`.
"""

from importlib import import_module
from inspect import isfunction
from typing import Any

from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as
from teachgraph.ops.param_attr import WeightNormParamAttr
from teachgraph.static import (
    late_numbers,  # noqa: F401  appends calls of functions
    nn,
)
from teachgraph.static.append_backward import append_backward, gradients
from teachgraph.static.block import Block
from teachgraph.static.devices import cpu_places, cuda_places, device_guard
from teachgraph.static.ema import ExponentialMovingAverage
from teachgraph.static.input_spec import InputSpec
from teachgraph.static.layers import (
    accuracy,
    auc,
    create_global_var,
    create_parameter,
    data,
    name_scope,
    setitem,
)
from teachgraph.static.operator import Operator, OpRole
from teachgraph.static.print_assert import Print
from teachgraph.static.program import (
    Program,
    default_main_program,
    default_startup_program,
    program_guard,
)
from teachgraph.static.py_func import py_func
from teachgraph.static.scope import Scope as Scope
from teachgraph.static.scope import global_scope as global_scope
from teachgraph.static.scope import scope_guard as scope_guard
from teachgraph.static.variable import Parameter, Variable

__all__ = [
    "Block",
    "ExponentialMovingAverage",
    "InputSpec",
    "OpRole",
    "Operator",
    "Parameter",
    "Print",
    "Program",
    "Variable",
    "WeightNormParamAttr",
    "accuracy",
    "append_backward",
    "auc",
    "cpu_places",
    "create_global_var",
    "create_parameter",
    "cuda_places",
    "data",
    "default_main_program",
    "default_startup_program",
    "device_guard",
    "gradients",
    "name_scope",
    "nn",
    "program_guard",
    "py_func",
    "setitem",
]

_UPSTAIRS = {
    "teachgraph.planning.executor": ["Executor"],
    "teachgraph.passes": ["BuildStrategy", "CompiledProgram"],
    "teachgraph.io.inference": [
        "deserialize_persistables",
        "deserialize_program",
        "load_from_file",
        "load_inference_model",
        "normalize_program",
        "save_inference_model",
        "save_to_file",
        "serialize_persistables",
        "serialize_program",
    ],
    "teachgraph.io.programs": [
        "is_persistable",
        "load",
        "load_program_state",
        "save",
        "set_program_state",
    ],
}
"""Paddle has these in `static` too; they live a floor up."""

_LOCAL = [name for name in __all__ if isfunction(globals()[name]) and name != "py_func"]
"""The functions of `static` alone; `py_func` is one of `static.nn` too."""

all_in_words(_LOCAL, globals())


def __getattr__(name: str) -> Any:
    for module, names in _UPSTAIRS.items():
        if name in names:
            return getattr(import_module(module), name)
    return absent("static")(name)


known_as("static")
