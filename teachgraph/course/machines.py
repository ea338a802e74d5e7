"""A small network on two trainers and a server, in the threads of one process.

Lesson 14 has the learner write the list of a trainer's operators and messages; here it
becomes a program, which runs beside the server's on `LocalTransport`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from teachgraph import fluid
from teachgraph.core.errors import InvalidValueError
from teachgraph.distributed.local import run_local
from teachgraph.distributed.rewrite import insert
from teachgraph.distributed.roles import Role
from teachgraph.distributed.trainer_program import RPC

__all__ = ["alone", "batch", "network", "program_of", "together", "trainer_program"]

Array = np.ndarray[Any, Any]
Rewrite = Callable[[Sequence[Any]], Iterable[Any]]

SERVER = "server:6174"
ROWS, INPUTS = 8, 3
MESSAGES = {"send": 2, "send_barrier": 1, "recv": 2, "fetch_barrier": 1}
"""The length of each message, with its kind."""


def network(widths: Sequence[int] = (2, 1), seed: int = 0) -> tuple[Any, Any, Any]:
    """Programs of a small network that SGD trains: main, startup and the loss.

    Args:
        widths: The sizes of its layers.
        seed: Decides the first weights.

    >>> main, startup, loss = network()
    >>> [op.type for op in main.global_block().ops][-2:]
    ['sgd', 'sgd']
    """
    draw = np.random.default_rng(seed)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        hidden = fluid.layers.data("x", [INPUTS])
        y, rows = fluid.layers.data("y", [widths[-1]]), INPUTS
        for number, columns in enumerate(widths, start=1):
            first = draw.normal(0.0, 1.0, (rows, columns)).astype("float32")
            initializer = fluid.initializer.NumpyArrayInitializer(first)
            attr = fluid.ParamAttr(initializer=initializer)
            act = "tanh" if number < len(widths) else None
            hidden = fluid.layers.fc(hidden, columns, act=act, param_attr=attr)
            rows = columns
        loss = fluid.layers.mean(fluid.layers.square(hidden - y))
        fluid.optimizer.SGD(0.1).minimize(loss)
    return main, startup, loss


def batch(step: int, part: slice = slice(None), outputs: int = 1) -> dict[str, Array]:
    """A trainer's part of a step's batch of 8 rows; by default the whole."""
    draw = np.random.default_rng(step)
    x = draw.normal(size=(ROWS, INPUTS)).astype("float32")
    y = np.repeat(x[:, :1] * x[:, 1:2], outputs, axis=1)
    return {"x": x[part], "y": y[part]}


def alone(steps: int, widths: Sequence[int] = (2, 1)) -> dict[str, Array]:
    """The parameters after steps on whole batches, in one process."""
    main, startup, _ = network(widths)
    executor, scope = fluid.Executor(), fluid.Scope()
    with fluid.scope_guard(scope):
        executor.run(startup)
        for step in range(steps):
            executor.run(main, feed=batch(step, outputs=widths[-1]))
        return weights(main)


def together(
    steps: int,
    for_a_trainer: Rewrite | None = None,
    widths: Sequence[int] = (2, 1),
    trainers: int = 2,
) -> list[dict[str, Array]]:
    """The parameters of each trainer after steps on its part of each batch.

    Args:
        steps: The number of steps.
        for_a_trainer: Of the operators of one process it gives a trainer's; by default
            the transpiler writes the programs.
        widths: The sizes of the network's layers.
        trainers: The number of trainers.

    Raises:
        DistributedError: All wait for each other.
    """

    def work(role: Role) -> Any:
        main, startup, _ = network(widths)
        executor = fluid.Executor()
        if role.is_server:
            return serve(executor, main, startup, role)
        if for_a_trainer is None:
            program = transpiled(main, startup, role).get_trainer_program()
        else:
            program = program_of(for_a_trainer, main, role.index)
        executor.run(startup)
        part = slice(role.index, None, role.trainers)
        for step in range(steps):
            executor.run(program, feed=batch(step, part, widths[-1]))
        return weights(program)

    if for_a_trainer is not None:  # its own errors come from here, not from a thread
        trainer_program(for_a_trainer, widths)
    return run_local(work, trainers=trainers, pservers=SERVER)


def serve(executor: Any, main: Any, startup: Any, role: Role) -> None:
    """Be the server: the mean of all gradients of a step, then SGD."""
    transpiler = transpiled(main, startup, role)
    program, first = transpiler.get_pserver_programs(SERVER)
    executor.run(first)
    executor.run(program)


def transpiled(main: Any, startup: Any, role: Role) -> Any:
    """The transpiler that has rewritten the programs for a role."""
    transpiler = fluid.DistributeTranspiler()
    number = 0 if role.is_server else role.index
    transpiler.transpile(number, main, SERVER, role.trainers, True, startup)
    return transpiler


def weights(program: Any) -> dict[str, Array]:
    """The parameters of a program, by name."""
    values = fluid.global_scope().values
    parameters = program.global_block().all_parameters()
    return {one.name: np.array(values[one.name]) for one in parameters}


def trainer_program(
    for_a_trainer: Rewrite, widths: Sequence[int] = (2, 1), trainer: int = 0
) -> Any:
    """The program of one trainer, to look at."""
    return program_of(for_a_trainer, network(widths)[0], trainer)


def program_of(for_a_trainer: Rewrite, main: Any, trainer: int = 0) -> Any:
    """The program of a trainer: operators that stay, and messages.

    Args:
        for_a_trainer: Of a list of operators it gives one of operators and messages:
            `("send", gradient)`, `("send_barrier",)`, `("recv", parameter)` and
            `("fetch_barrier",)`.
        main: The program of one process, which is changed.
        trainer: The number of the trainer.

    Raises:
        InvalidValueError: Something in the list is neither, or names no variable.
    """
    block = main.global_block()
    before = list(block.ops)
    rows = list(for_a_trainer(list(before)))
    kept = [row for row in rows if not isinstance(row, tuple)]
    if kept != [one for one in before if one in kept]:
        message = "a trainer keeps operators of the list, once each and in their order"
        raise InvalidValueError.here(message)
    for one in before:
        if one not in kept:
            block.remove(block.ops.index(one))
    signs: list[str] = []
    for at, row in enumerate(rows):
        if isinstance(row, tuple):
            put(block, at, row, trainer, signs)
    return main


def put(block: Any, at: int, row: Any, trainer: int, signs: list[str]) -> None:
    """Insert the operator of a message; `signs` are the outputs of those before it.

    Raises:
        InvalidValueError: There is no such message, or no such variable.
    """
    kind, *names = row or ("",)
    if MESSAGES.get(kind) != len(row) or not all(name in block.vars for name in names):
        message = (
            f"{row!r} is no message: there are ('send', gradient), ('send_barrier',), "
            "('recv', parameter) and ('fetch_barrier',)"
        )
        raise InvalidValueError.here(message)
    sign = f"{kind}_{at}"
    if kind != "recv":
        block.create_var(name=sign, shape=[], dtype="bool")
    inputs = {"X": names if kind == "send" else list(signs)}
    outputs = {"Out": names if kind == "recv" else [sign]}
    attrs: dict[str, Any] = {"op_role": RPC}
    if kind == "send":
        labels = [f"{name}.trainer_{trainer}" for name in names]
        attrs |= {"epmap": [SERVER], "send_varnames": labels}
    elif kind == "recv":
        attrs |= {"epmap": [SERVER], "recv_varnames": names, "trainer_id": trainer}
    else:
        attrs |= {"endpoints": [SERVER], "trainer_id": trainer}
    insert(block, at, kind, inputs, outputs, **attrs)
    if kind == "send":
        signs.append(sign)
    elif kind == "send_barrier":
        signs[:] = [sign]
