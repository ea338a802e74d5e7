"""Writes the golden programs anew, from the transpilers of the real Paddle 1.8.5.

    PYTHON tests/distributed/capture.py         all of them
    PYTHON tests/distributed/capture.py adam    this one

PYTHON is a Python 3.7 with `paddlepaddle==1.8.5` and `protobuf<3.21`; `teachgraph` is
not needed, and this file is written in the Python of that time. Each golden holds the
programs that went into the transpiler and those that came out, so that ours is asked
about the very same programs, whatever the layers of later versions append.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Iterator  # noqa: UP035  the Python of that time

HERE = Path(__file__).parent
FOLDER = HERE / "transpiled"
VERSION = "1.8.5"
ENDPOINTS = "10.0.0.1:6174,10.0.0.2:6174"

UNSEEN = {
    *("op_callstack", "op_device", "use_cudnn", "use_mkldnn", "mkldnn_data_type"),
    *("mkldnn_kernel", "use_quantizer", "force_cpu", "Scale_x", "Scale_y", "Scale_out"),
    *("Scale_in", "is_test", "rpc_get_thread_num", "rpc_prefetch_thread_num"),
    *("rpc_send_thread_num", "trainer_sync_mode", "str_value", "force_fp32_output"),
    *(
        "scale_x",
        "scale_y",
        "scale_out",
        "Scale_in_eltwise",
        "fuse_relu_depthwise_conv",
    ),
    *(
        "workspace_size_MB",
        "exhaustive_search",
        "data_format",
        "is_runtime_infer_shape",
    ),
    *("RecordFileName", "lr_decay_block_id_"),
}
"""Attributes that choose a device, a library or a number of threads."""


def mlp(layers: Any, wide: bool = False) -> Any:
    """A loss of two layers; wide ones are sliced in two."""
    x = layers.data("x", [120 if wide else 4], dtype="float32")
    y = layers.data("y", [1], dtype="float32")
    hidden = layers.fc(x, 150 if wide else 3, act="relu")
    return layers.mean(layers.square_error_cost(layers.fc(hidden, 1), y))


def words(layers: Any, rows: Any) -> Any:
    """A loss of a table whose gradient is sparse."""
    ids = layers.data("ids", [1], dtype="int64")
    y = layers.data("y", [1], dtype="float32")
    vectors = layers.embedding(ids, [rows, 8], is_sparse=True)
    return layers.mean(layers.square_error_cost(layers.fc(vectors, 1), y))


def sgd(fluid: Any) -> None:
    fluid.optimizer.SGD(0.1).minimize(mlp(fluid.layers))


def momentum(fluid: Any) -> None:
    fluid.optimizer.Momentum(0.1, 0.9).minimize(mlp(fluid.layers))


def momentum_in_slices(fluid: Any) -> None:
    fluid.optimizer.Momentum(0.1, 0.9).minimize(mlp(fluid.layers, wide=True))


def adam_in_slices(fluid: Any) -> None:
    fluid.optimizer.Adam(0.01).minimize(mlp(fluid.layers, wide=True))


def adagrad(fluid: Any) -> None:
    fluid.optimizer.Adagrad(0.01).minimize(mlp(fluid.layers))


def rmsprop(fluid: Any) -> None:
    fluid.optimizer.RMSProp(0.01).minimize(mlp(fluid.layers))


def decayed(fluid: Any) -> None:
    decay = fluid.regularizer.L2Decay(1e-3)
    optimizer = fluid.optimizer.Momentum(0.1, 0.9, regularization=decay)
    optimizer.minimize(mlp(fluid.layers, wide=True))


def clipped(fluid: Any) -> None:
    loss = mlp(fluid.layers)
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(1.0))
    fluid.optimizer.SGD(0.1).minimize(loss)


def clipped_and_decayed(fluid: Any) -> None:
    loss, decay = mlp(fluid.layers), fluid.regularizer.L1Decay(1e-3)
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByValue(1.0))
    fluid.optimizer.SGD(0.1, regularization=decay).minimize(loss)


def with_a_schedule(fluid: Any) -> None:
    rate = fluid.layers.exponential_decay(0.1, 10, 0.9)
    fluid.optimizer.SGD(rate).minimize(mlp(fluid.layers))


def with_a_stair(fluid: Any) -> None:
    rate = fluid.layers.piecewise_decay([5, 10], [0.1, 0.05, 0.01])
    fluid.optimizer.SGD(rate).minimize(mlp(fluid.layers))


def sparse(fluid: Any) -> None:
    fluid.optimizer.SGD(0.1).minimize(words(fluid.layers, 20))


def sparse_in_slices(fluid: Any) -> None:
    fluid.optimizer.Adam(0.1).minimize(words(fluid.layers, 3000))


SYNC = {"trainer_id": 0, "trainers": 2, "pservers": ENDPOINTS}
ASYNC = {**SYNC, "sync_mode": False}
COLLECTIVE = {
    "trainer_id": 1,
    "trainers": ENDPOINTS,
    "current_endpoint": "10.0.0.2:6174",
}
HALF = {"sync_mode": False, "runtime_split_send_recv": True, "half_async": True}

CASES = {
    "sgd": (sgd, SYNC, {}),
    "second_trainer": (sgd, {**SYNC, "trainer_id": 1}, {}),
    "alone": (sgd, {"trainer_id": 0, "pservers": "10.0.0.1:6174"}, {}),
    "whole": (momentum, SYNC, {"slice_var_up": False}),
    "momentum_in_slices": (momentum_in_slices, SYNC, {}),
    "bigger_blocks": (momentum_in_slices, SYNC, {"min_block_size": 20000}),
    "adam_in_slices": (adam_in_slices, SYNC, {}),
    "adagrad": (adagrad, SYNC, {}),
    "rmsprop": (rmsprop, SYNC, {}),
    "decayed": (decayed, SYNC, {}),
    "clipped": (clipped, SYNC, {}),
    "clipped_and_decayed": (clipped_and_decayed, SYNC, {}),
    "with_a_schedule": (with_a_schedule, SYNC, {}),
    "with_a_stair": (with_a_stair, SYNC, {}),
    "sparse": (sparse, SYNC, {}),
    "sparse_in_slices": (sparse_in_slices, SYNC, {}),
    "async": (sgd, ASYNC, {"sync_mode": False}),
    "async_in_slices": (momentum_in_slices, ASYNC, {"sync_mode": False}),
    "async_with_a_schedule": (with_a_schedule, ASYNC, {"sync_mode": False}),
    "half_async": (momentum_in_slices, ASYNC, HALF),
    "geo": (momentum_in_slices, ASYNC, {"geo_sgd_mode": True, "sync_mode": False}),
    "all_reduce": (momentum, COLLECTIVE, {"collective_mode": "grad_allreduce"}),
    "local_sgd": (momentum, COLLECTIVE, {"collective_mode": "local_sgd"}),
}
"""A builder, the arguments of `transpile`, and what the config says otherwise."""


def golden(fluid: Any, build: Any, arguments: Any, settings: Any) -> Any:
    """The programs that go in, and those that come out."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        build(fluid)
    before = {"main": described(main), "startup": described(startup)}
    config = fluid.DistributeTranspilerConfig()
    for name, value in settings.items():
        setattr(config, name, value)
    config.wait_port = False
    if "collective_mode" in settings:
        config.mode = "collective"
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        after = transpiled(fluid, config, main, startup, arguments)
    return {"arguments": arguments, "config": settings, "in": before, "out": after}


def transpiled(fluid: Any, config: Any, main: Any, startup: Any, arguments: Any) -> Any:
    """Describe the results, program by program."""
    from paddle.fluid.transpiler import collective, geo_sgd_transpiler

    kind = fluid.DistributeTranspiler
    if config.geo_sgd_mode:
        kind = geo_sgd_transpiler.GeoSgdTranspiler
    # Its op is not in Paddle's build for the CPU: programs are captured without it.
    collective.Collective._init_communicator = lambda *arguments: None
    transpiler = kind(config=config)
    transpiler.transpile(program=main, startup_program=startup, **arguments)
    if config.mode == "collective":
        return {"main": described(main), "startup": described(startup)}
    after = {}
    for endpoint in arguments["pservers"].split(","):
        server, its_startup = transpiler.get_pserver_programs(endpoint)
        after[endpoint] = described(server)
        after[endpoint + " startup"] = described(its_startup)
    trainer = transpiler.get_trainer_program(wait_port=False)
    started = getattr(transpiler, "trainer_startup_program", startup)
    return {"main": described(trainer), "startup": described(started), **after}


def described(program: Any) -> Any:
    """The variables and operators of each block, in order."""
    return [
        {
            "parent": block.parent_idx,
            "vars": [variable(v) for v in block.vars.values()],
            "ops": [operator(op) for op in block.ops],
        }
        for block in (program.block(i) for i in range(program.num_blocks))
    ]


def variable(v: Any) -> Any:
    """One variable: a line."""
    kind = str(v.type).rpartition(".")[2]
    facts = {"name": v.name}
    if kind != "LOD_TENSOR":
        facts["type"] = kind
    if v.persistable:
        facts["persistable"] = True
    if kind in ("LOD_TENSOR", "SELECTED_ROWS"):
        facts["shape"] = [int(n) for n in v.shape]
        facts["dtype"] = str(v.dtype).rpartition(".")[2].lower()
    if hasattr(v, "trainable"):
        facts["parameter"] = True
    return facts


def operator(op: Any) -> Any:
    """One operator: a line."""
    attrs = {name: plain(op.attr(name)) for name in sorted(op.attr_names)}
    if op.type == "listen_and_serv":
        attrs["grad_to_block_id"].sort()  # a set in Paddle
    return {
        "type": op.type,
        "inputs": {s: op.input(s) for s in sorted(op.input_names) if op.input(s)},
        "outputs": {s: op.output(s) for s in sorted(op.output_names) if op.output(s)},
        "attrs": {
            name: value
            for name, value in attrs.items()
            if name not in UNSEEN and value and value != "/"  # these say nothing
        },
    }


def plain(value: Any) -> Any:
    """An attribute as JSON has it; a block as its number."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.idx if hasattr(value, "idx") else getattr(value, "id", value)


def lines(value: Any, depth: Any) -> Iterator[str]:
    """JSON with a line for each thing `depth` levels down."""
    if depth == 0 or not isinstance(value, (dict, list)) or not value:
        yield json.dumps(value)
        return
    named = isinstance(value, dict)
    items = list(value.items() if named else enumerate(value))
    yield "{" if named else "["
    for at, (key, item) in enumerate(items):
        inner = list(lines(item, depth - 1))
        inner[0] = json.dumps(key) + ": " + inner[0] if named else inner[0]
        inner[-1] += "," * (at < len(items) - 1)
        for line in inner:
            yield " " + line
    yield "}" if named else "]"


def main() -> None:
    """Write the golden files."""
    import paddle
    from paddle import fluid

    if paddle.__version__ != VERSION:
        sys.exit("the programs are those of Paddle " + VERSION)
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or CASES:
        text = "\n".join(lines(golden(fluid, *CASES[name]), 5)) + "\n"
        (FOLDER / (name + ".json")).write_text(text, "utf-8")
        print(name)


if __name__ == "__main__":
    main()
