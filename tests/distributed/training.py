"""Small trainings, in one process and in a cluster, on the same batches."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep
from typing import Any, NamedTuple

import numpy as np

from teachgraph import fluid
from teachgraph.distributed import Role, current_role, get_start_step, run_local

STEPS = 20
BATCH = 12
SERVERS = "10.0.0.1:6174,10.0.0.2:6174"

Array = np.ndarray[Any, Any]


class Case(NamedTuple):
    """A network, its batches and how its parameters begin."""

    network: Callable[[], Any]
    batches: list[dict[str, Array]]


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def fixed(*shape: int, scale: float = 0.5, dtype: str = "float32") -> Any:
    """A parameter that begins with the same numbers on whichever server it is."""
    numbers = rng().normal(0, scale, shape).astype(dtype)
    return fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(numbers))


def mlp() -> Any:
    x, y = fluid.layers.data("x", [6]), fluid.layers.data("y", [1])
    hidden = fluid.layers.fc(x, 5, act="tanh", param_attr=fixed(6, 5))
    out = fluid.layers.fc(hidden, 1, param_attr=fixed(5, 1))
    return fluid.layers.mean(fluid.layers.square_error_cost(out, y))


def conv() -> Any:
    x, y = fluid.layers.data("x", [1, 8, 8]), fluid.layers.data("y", [1], dtype="int64")
    maps = fluid.layers.conv2d(x, 4, 3, act="relu", param_attr=fixed(4, 1, 3, 3))
    maps = fluid.layers.pool2d(maps, 2, "max", 2)
    maps = fluid.layers.conv2d(maps, 3, 2, act="relu", param_attr=fixed(3, 4, 2, 2))
    logits = fluid.layers.fc(maps, 3, param_attr=fixed(12, 3))
    return fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(logits, y))


def large() -> Any:
    """A parameter of 240 kB: on each of two servers more than travels in a message."""
    x, y = fluid.layers.data("x", [300]), fluid.layers.data("y", [1])
    first, second = fixed(300, 200, scale=0.05), fixed(200, 1, scale=0.05)
    hidden = fluid.layers.fc(x, 200, act="tanh", param_attr=first)
    out = fluid.layers.fc(hidden, 1, param_attr=second)
    return fluid.layers.mean(fluid.layers.square_error_cost(out, y))


def lenet() -> Any:
    """In double precision: in single, 20 steps of Adam make 1e-5 of one rounding."""

    def weights(*shape: int) -> Any:
        return fixed(*shape, scale=float(np.prod(shape[1:])) ** -0.5, dtype="float64")

    x = fluid.layers.data("x", [1, 28, 28], dtype="float64")
    y = fluid.layers.data("y", [1], dtype="int64")
    first, second = weights(6, 1, 5, 5), weights(16, 6, 5, 5)
    maps = fluid.layers.conv2d(x, 6, 5, padding=2, act="tanh", param_attr=first)
    maps = fluid.layers.pool2d(maps, 2, "max", 2)
    maps = fluid.layers.conv2d(maps, 16, 5, act="tanh", param_attr=second)
    maps = fluid.layers.pool2d(maps, 2, "max", 2)
    hidden = fluid.layers.fc(maps, 120, act="tanh", param_attr=weights(400, 120))
    hidden = fluid.layers.fc(hidden, 84, act="tanh", param_attr=weights(120, 84))
    logits = fluid.layers.fc(hidden, 10, param_attr=weights(84, 10))
    return fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(logits, y))


def words() -> Any:
    ids, y = fluid.layers.data("ids", [1], dtype="int64"), fluid.layers.data("y", [1])
    vectors = fluid.layers.embedding(
        ids, [30, 4], is_sparse=True, param_attr=fixed(30, 4)
    )
    out = fluid.layers.fc(vectors, 1, param_attr=fixed(4, 1))
    return fluid.layers.mean(fluid.layers.square_error_cost(out, y))


def batches_of(**kinds: Callable[[np.random.Generator], Array]) -> list[Any]:
    draws = rng()
    return [{name: draw(draws) for name, draw in kinds.items()} for _ in range(STEPS)]


def normal(
    *shape: int, dtype: str = "float32"
) -> Callable[[np.random.Generator], Array]:
    return lambda draws: draws.normal(size=(BATCH, *shape)).astype(dtype)


def classes(count: int) -> Callable[[np.random.Generator], Array]:
    return lambda draws: draws.integers(0, count, (BATCH, 1))


CASES = {
    "mlp": Case(mlp, batches_of(x=normal(6), y=normal(1))),
    "conv": Case(conv, batches_of(x=normal(1, 8, 8), y=classes(3))),
    "words": Case(words, batches_of(ids=classes(30), y=normal(1))),
}

LARGE = Case(large, batches_of(x=normal(300), y=normal(1)))
LENET = Case(lenet, batches_of(x=normal(1, 28, 28, dtype="float64"), y=classes(10)))

OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: fluid.optimizer.SGD(0.1),
    "momentum": lambda: fluid.optimizer.Momentum(0.1, 0.9),
    "adam": lambda: fluid.optimizer.Adam(0.01),
    "decayed": lambda: fluid.optimizer.Momentum(
        0.1, 0.9, regularization=fluid.regularizer.L2Decay(0.01)
    ),
    "scheduled": lambda: fluid.optimizer.SGD(
        fluid.layers.exponential_decay(0.1, 5, 0.8)
    ),
    "stairs": lambda: fluid.optimizer.SGD(
        fluid.layers.piecewise_decay([5, 10], [0.1, 0.05, 0.02])
    ),
}


def built(case: Case, optimizer: Callable[[], Any]) -> tuple[Any, Any, Any]:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = case.network()
        optimizer().minimize(loss)
    return main, startup, loss


def parameters(program: Any) -> dict[str, Array]:
    """The parameters that a process has by the end."""
    values = fluid.global_scope().values
    return {v.name: np.array(values[v.name]) for v in program.all_parameters()}


def in_one_process(case: Case, optimizer: Callable[[], Any]) -> dict[str, Array]:
    main, startup, _ = built(case, optimizer)
    executor = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        executor.run(startup)
        for batch in case.batches:
            executor.run(main, batch)
        return parameters(main)


def share(batch: dict[str, Array], role: Role) -> dict[str, Array]:
    """A trainer's part of a batch."""
    count = BATCH // role.trainers
    rows = slice(role.index * count, (role.index + 1) * count)
    return {name: value[rows] for name, value in batch.items()}


def with_servers(
    case: Case,
    optimizer: Callable[[], Any],
    *,
    trainers: int = 2,
    servers: str = SERVERS,
    sync: bool = True,
    **settings: Any,
) -> dict[str, Array]:
    """The parameters of trainer 0 after training with parameter servers, in threads.

    What stays on the servers is taken from their scopes.
    """
    found: dict[str, Array] = {}

    def work(role: Role) -> dict[str, Array]:
        trained = train(case, optimizer, sync, settings)
        if role.is_server:
            found.update(fluid.global_scope().values)
        return trained

    trained = run_local(work, trainers, servers)[0]
    for name in trained:
        slices = sorted(n for n in found if n == name or n.startswith(f"{name}.block"))
        if slices:
            trained[name] = np.concatenate([found[n] for n in slices])
    return trained


def train(
    case: Case,
    optimizer: Callable[[], Any],
    sync: bool = True,
    settings: dict[str, Any] | None = None,
    pause: float = 0.0,
) -> dict[str, Array]:
    """Do the part of this process: serve, or train and return the parameters."""
    role = current_role()
    main, startup, _ = built(case, optimizer)
    transpiler = fluid.DistributeTranspiler(config_of(sync, settings or {}))
    number, servers = 0 if role.is_server else role.index, ",".join(role.endpoints)
    transpiler.transpile(number, main, servers, role.trainers, sync, startup)
    executor = fluid.Executor()
    if role.is_server:
        program, its_startup = transpiler.get_pserver_programs(role.endpoint)
        executor.run(its_startup)
        executor.run(program)
        return {}
    program = transpiler.get_trainer_program()
    executor.run(startup)
    for batch in case.batches[get_start_step() :]:
        executor.run(program, share(batch, role))
        sleep(pause)
    return parameters(program)


def config_of(sync: bool, settings: dict[str, Any]) -> fluid.DistributeTranspilerConfig:
    config = fluid.DistributeTranspilerConfig()
    config.sync_mode = sync
    config.min_block_size = 8
    for name, value in settings.items():
        setattr(config, name, value)
    return config


def farthest(one: dict[str, Array], other: dict[str, Array]) -> float:
    """The largest difference of two sets of parameters."""
    assert {*one} == {*other}
    return max(float(abs(one[name] - other[name]).max()) for name in one)
