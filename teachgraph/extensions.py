"""Extensions of the core: what each adds, the hook it uses, and where it stands.

`teachgraph.core` knows none of them: each module registers with the core when it is
imported, or with its first use. To follow what an extension changes, read its hook in
the core, then the function or class in the last column. The kinds of hooks:

- A `HookPoint` is wrapped: the wrapper gets the core's function and returns another.
- A registry (a list, a dict) gets one entry more.
- A decorator of an op (`grad_builder`, `lowering`) gives that op a function of its own.
- A class is subclassed, or a `Node` is put on the tape by hand.

>>> for extension in using("core.tape.backward_pass"):
...     print(extension.where)
teachgraph.autograd.hooks:hooked
teachgraph.autograd.intermediate:keeping
teachgraph.autograd.versions:checked
teachgraph.distributed.buckets:reduced
teachgraph.autograd.observed:gradients_told
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["EXTENSIONS", "Extension", "using"]


class Extension(NamedTuple):
    """One use of a hook.

    Attributes:
        what: What it adds to the core.
        hook: The hook, below `teachgraph`; almost always one of the core's.
        where: What stands on the hook, as `module:name`.
    """

    what: str
    hook: str
    where: str


def using(hook: str) -> list[Extension]:
    """List the extensions that use a hook."""
    return [extension for extension in EXTENSIONS if extension.hook == hook]


EXTENSIONS = (
    # Ops and Tensors.
    Extension(
        "operators of Python on Tensors and Variables",
        "core.op.Traced",
        "teachgraph.ops.operators:Operators",
    ),
    Extension(
        "Paddle's methods of Tensors",
        "core.tensor.Tensor",
        "teachgraph.autograd.tensor:Tensor",
    ),
    Extension(
        "ops without inputs, and parameters, in dynamic mode",
        "core.modes.interpreters",
        "teachgraph.autograd.creation:Dynamic",
    ),
    Extension(
        "errors of ops: their inputs, what they need, the user's line",
        "core.op.explanation",
        "teachgraph.ops.error_message:in_full",
    ),
    Extension(
        "arrays, numbers and lists as inputs of ops on Tensors",
        "core.tensor.adopt",
        "teachgraph.autograd.foreign_inputs:adopting",
    ),
    Extension(
        "1.x's strategies of backward passes in place of an upstream gradient",
        "core.tensor.adopt",
        "teachgraph.fluid.dygraph.parallel:without_strategy",
    ),
    # The tape.
    Extension(
        "hooks of Tensors",
        "core.tape.backward_pass",
        "teachgraph.autograd.hooks:hooked",
    ),
    Extension(
        "gradients of intermediate results, in 1.x's dynamic mode",
        "core.tape.backward_pass",
        "teachgraph.autograd.intermediate:keeping",
    ),
    Extension(
        "in-place ops: check of the versions of saved arrays",
        "core.tape.backward_pass",
        "teachgraph.autograd.versions:checked",
    ),
    Extension(
        "higher-order gradients: `grad`, which records its backward pass",
        "core.tape.backward_from",
        "teachgraph.autograd.gradient:grad",
    ),
    Extension(
        "recompute: saved arrays that are computed again when they are read",
        "core.tape.Node",
        "teachgraph.autograd.recompute:Segment",
    ),
    Extension(
        "views: ops whose result lies in the memory of their input",
        "core.op.Op",
        "teachgraph.autograd.views:View",
    ),
    Extension(
        "views: an update reaches what lies in the memory of the tensor",
        "core.tensor.replace",
        "teachgraph.autograd.views:storing",
    ),
    Extension(
        "recording: a switch that holds without a `with` block",
        "core.threads.Guard",
        "teachgraph.autograd.grad_mode:set_grad_enabled",
    ),
    Extension(
        "PyLayer: the user's forward as an op",
        "core.op.Op",
        "teachgraph.autograd.py_layer:UserOp",
    ),
    Extension(
        "PyLayer: the user's backward as a rule",
        "core.op.Rule",
        "teachgraph.autograd.py_layer:UserRule",
    ),
    Extension(
        "PyLayer: its node on the tape",
        "core.tape.Node",
        "teachgraph.autograd.py_layer:recorded",
    ),
    # Programs.
    Extension(
        "Paddle's methods of programs; serialization",
        "core.program.Program",
        "teachgraph.static.program_io:ProgramIO",
    ),
    Extension(
        "Paddle's methods of blocks",
        "core.program.Block",
        "teachgraph.static.block:Block",
    ),
    Extension(
        "Paddle's methods of operators",
        "core.program.Operator",
        "teachgraph.static.operator:Operator",
    ),
    Extension(
        "Paddle's methods of variables",
        "core.program.Variable",
        "teachgraph.static.variable:Variable",
    ),
    Extension(
        "Paddle's methods of parameters",
        "core.program.Parameter",
        "teachgraph.static.variable:Parameter",
    ),
    Extension(
        "names of results: of the layer, or of the caller",
        "core.unique_name.namer",
        "teachgraph.ops.naming:from_around",
    ),
    Extension(
        "the `name` that a function is given",
        "ops.naming.Layer",
        "teachgraph.ops.given_name:Given",
    ),
    Extension(
        "Paddle's methods of scopes",
        "core.executor.Scope",
        "teachgraph.static.scope:Scope",
    ),
    Extension(
        "parameters of layers that a traced function creates",
        "core.build.new_parameter",
        "teachgraph.jit.tracing:Tracer.own_parameter",
    ),
    Extension(
        "arrays, and Tensors of a traced function, as inputs of operators",
        "core.build.adopt",
        "teachgraph.static.foreign_inputs:adopting",
    ),
    Extension(
        "`no_grad` in a traced function",
        "core.build.is_constant",
        "teachgraph.jit.tracing:Tracer.without_gradient",
    ),
    Extension(
        "shape inference: search for sizes of unknown dimensions",
        "core.build.search",
        "teachgraph.static.size_search:with_search",
    ),
    Extension(
        "shape inference: a size with room for a window",
        "core.build.further",
        "teachgraph.static.size_search:with_room",
    ),
    # Gradients of programs.
    Extension(
        "rules of one op: a program gets that op, no gradient operator",
        "core.op.Op.grad_builder",
        "teachgraph.ops.inline_rules:inline_grad",
    ),
    Extension(
        "callbacks after each gradient operator",
        "core.backward.Wrapper",
        "teachgraph.static.append_backward:calling_back",
    ),
    Extension(
        "recompute in programs: segments between checkpoints",
        "core.backward.Wrapper",
        "teachgraph.autograd.recompute_program:recomputing",
    ),
    Extension(
        "hooks of Variables",
        "core.backward.visitor",
        "teachgraph.static.gradient_hooks:with_hooks",
    ),
    Extension(
        "shapes of the gradients that a user's rule gives",
        "core.backward.visitor",
        "teachgraph.static.gradient_shapes:with_shapes",
    ),
    Extension(
        "double backward: which gradient operators have a gradient",
        "core.backward.has_gradient",
        "teachgraph.autograd.second_order_program:with_gradients",
    ),
    Extension(
        "counters: their gradient, where they are changed in place",
        "core.op.Op.grad_builder",
        "teachgraph.ops.math:build_increment_grad",
    ),
    Extension(
        "branches: a gradient in one goes through what ran around it",
        "core.backward.find_path",
        "teachgraph.control_flow.sub_block:path_with_outer",
    ),
    Extension(
        "double backward: gradient operators on the path, expanded into ops",
        "core.backward.expand",
        "teachgraph.autograd.second_order_program:with_expansion",
    ),
    Extension(
        "py_func: its gradient operator",
        "core.op.Op.grad_builder",
        "teachgraph.static.py_func:build_py_func_grad",
    ),
    Extension(
        "py_func: no gradient without a `backward_func`",
        "core.backward.has_gradient",
        "teachgraph.static.py_func:unless_without_backward",
    ),
    Extension(
        "static_pylayer: the user's gradient of a part of a program",
        "core.op.Op.grad_builder",
        "teachgraph.static.static_pylayer:build_gradient",
    ),
    Extension(
        "functions whose numbers are Variables: their gradient operator",
        "core.op.Op.grad_builder",
        "teachgraph.static.late_numbers:build_grad",
    ),
    # Control flow.
    Extension(
        "branches and loops: how the executor runs them",
        "core.op.Op.lowering",
        "teachgraph.control_flow.lowering:lowers",
    ),
    Extension(
        "branches: backward",
        "core.op.Op.grad_builder",
        "teachgraph.control_flow.backward:build_branch_grad",
    ),
    Extension(
        "`while`: backward",
        "core.op.Op.grad_builder",
        "teachgraph.control_flow.backward:build_loop_grad",
    ),
    Extension(
        "recurrent networks: backward",
        "core.op.Op.grad_builder",
        "teachgraph.control_flow.backward:build_recurrent_grad",
    ),
    Extension(
        "branches, `while`, recurrent networks: double backward",
        "autograd.second_order_program.double_grad_builder",
        "teachgraph.control_flow.double_backward:build_loop",
    ),
    Extension(
        "random operators in loops: a new seed for each round",
        "core.steps.lower",
        "teachgraph.control_flow.random_rounds:seeded",
    ),
    # Many machines.
    Extension(
        "operators that send and receive: the names of what they do",
        "core.op.Op.lowering",
        "teachgraph.distributed.ops:lower_send",
    ),
    Extension(
        "DataParallel: sums of gradients over the trainers, while backward goes on",
        "core.tape.backward_pass",
        "teachgraph.distributed.buckets:reduced",
    ),
    # Observers.
    Extension(
        "ops on Tensors, announced",
        "core.tensor.run_op",
        "teachgraph.autograd.observed:ops_told",
    ),
    Extension(
        "gradients on the tape, announced",
        "core.tape.backward_pass",
        "teachgraph.autograd.observed:gradients_told",
    ),
    # The executor.
    Extension(
        "the public executor: passes, data sets, backends",
        "core.executor.Executor",
        "teachgraph.planning.executor:Executor",
    ),
    Extension(
        "kernels that call the user's code: in the context of the run's caller",
        "core.executor.silence",
        "teachgraph.ops.foreign:with_caller",
    ),
    Extension(
        "programs of Paddle 1.x that feed themselves",
        "planning.executor.feeding",
        "teachgraph.fluid.feeding:with_loaders",
    ),
    Extension(
        "messages of what is missing when a run begins",
        "core.executor.Plan",
        "teachgraph.planning.refusals:Refusals",
    ),
    Extension(
        "plans that are walked once and written down for what runs again",
        "planning.refusals.Refusals",
        "teachgraph.planning.plan:Plan",
    ),
    Extension(
        "programs as Python, with NumPy where declarations hold; a plan of the memory",
        "planning.refusals.Refusals",
        "teachgraph.planning.written:WrittenPlan",
    ),
    Extension(
        "calls written as the NumPy statements that ops come to",
        "core.steps.Call",
        "teachgraph.planning.statements:Statements",
    ),
    Extension(
        "statements in the program's names",
        "control_flow.source.Writer",
        "teachgraph.planning.statements:StatementWriter",
    ),
    Extension(
        "ONNX Runtime as a backend of the executor",
        "planning.plan.Plan",
        "teachgraph.deploy.onnxruntime:RuntimePlan",
    ),
    # to_static.
    Extension(
        "to_static and traced layers: ops on Tensors are appended to a program",
        "core.tensor.run_op",
        "teachgraph.jit.tracing:Tracer.dispatch",
    ),
    Extension(
        "to_static: names and values that may be missing",
        "core.op.Traced",
        "teachgraph.jit.undefined:Undefined",
    ),
    Extension(
        "to_static: a program as one node of the tape",
        "core.tape.Node",
        "teachgraph.jit.taped:Taped",
    ),
    Extension(
        "to_static: the rule of that node, which runs the backward of the program",
        "core.op.Rule",
        "teachgraph.jit.taped:ProgramRule",
    ),
    Extension(
        "to_static: forward and backward of a program as two plans",
        "planning.written.WrittenPlan",
        "teachgraph.jit.split_program:Part",
    ),
    Extension(
        "to_static: ops that join and part tensor arrays on the tape",
        "core.op.Op",
        "teachgraph.jit.array_gradient:ProgramOp",
    ),
    Extension(
        "to_static: rules of these ops",
        "core.op.Rule",
        "teachgraph.jit.array_gradient:SaveNothingRule",
    ),
    Extension(
        "to_static: nodes of these ops",
        "core.tape.Node",
        "teachgraph.jit.array_gradient:stack_tensors",
    ),
    # Loading: what an op's type or a mode needs, imported when it is first asked for.
    Extension(
        "ops, modes and backends of other rooms, imported when first used",
        "core.extend.unregistered",
        "teachgraph:_import_registering",
    ),
    # Who watches.
    Extension(
        "names of the cells of a notebook, for places in the user's code",
        "core.callsite.position",
        "teachgraph.cli.ipython:in_cell",
    ),
    Extension(
        "files of the framework, which are no places in the user's code",
        "core.callsite.add_own_files",
        "teachgraph:callsite",
    ),
)
"""All uses of hooks of the core, in the order of the journeys."""
