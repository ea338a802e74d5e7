"""Gradients of tables with sparse gradients: rows from the backward pass on."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from teachgraph import fluid
from teachgraph.distributed.transport import Rows, transport_guard

HEIGHT, WIDTH = 1_000_000, 16
IDS = np.array([[3], [999_999], [3], [0]])


class Post:
    """A transport that keeps what a trainer sends; all parameters are ones."""

    rank, world, step, overlaps = 0, 1, 0, False

    def __init__(self) -> None:
        self.sent: dict[str, Any] = {}

    def send(self, endpoint: str, name: str, value: Any) -> None:
        self.sent[name] = value

    def recv(self, endpoint: str, name: str, rows: Any = None) -> Any:
        if rows is not None:
            return np.ones((len(rows), WIDTH), "float32")
        return np.ones((WIDTH, 1) if name.startswith("fc_0.w") else (1,), "float32")

    def barrier(self, kind: str, endpoints: Any) -> None:
        """Wait for nobody."""


def sent_of(
    servers: str, *, clip: Any = None, sync: bool = True, **settings: Any
) -> tuple[dict[str, Any], int]:
    """What one step of a trainer sends, and the most memory that it takes."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        ids = fluid.layers.data("ids", [1], dtype="int64")
        rows = fluid.layers.embedding(ids, [HEIGHT, WIDTH], is_sparse=True, **settings)
        loss = fluid.layers.reduce_sum(fluid.layers.fc(rows, 1))
        fluid.optimizer.SGD(0.1, grad_clip=clip).minimize(loss)
    config = fluid.DistributeTranspilerConfig()
    config.sync_mode = sync
    transpiler = fluid.DistributeTranspiler(config)
    transpiler.transpile(0, main, servers, 1, sync, startup)
    program, executor, post = transpiler.get_trainer_program(), fluid.Executor(), Post()
    with fluid.scope_guard(fluid.Scope()), transport_guard(post):
        executor.run(startup)
        executor.run(program, {"ids": IDS})
        tracemalloc.start()
        executor.run(program, {"ids": IDS})
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    tables = ("embedding", "clip_0")
    return {n: v for n, v in post.sent.items() if n.startswith(tables)}, peak


def test_no_dense_gradient_is_made_in_the_trainer() -> None:
    sent, peak = sent_of("a:1,b:1")
    first, second = sent.values()
    assert isinstance(first, Rows)
    assert isinstance(second, Rows)
    assert (first.ids.tolist(), first.height) == ([0, 3], HEIGHT // 2)
    assert (second.ids.tolist(), second.height) == ([HEIGHT // 2 - 1], HEIGHT // 2)
    assert peak < 1_000_000, "the gradient has 64 MB"


@pytest.mark.parametrize("sync", [True, False])
def test_a_row_is_the_sum_of_what_its_ids_have(sync: bool) -> None:
    (rows,) = sent_of("a:1", sync=sync)[0].values()
    assert rows.ids.tolist() == [0, 3, HEIGHT - 1]
    assert (rows.values == np.float32([[1], [2], [1]])).all()


def test_the_row_of_padding_has_no_gradient() -> None:
    (rows,) = sent_of("a:1", padding_idx=3)[0].values()
    assert rows.ids.tolist() == [0, HEIGHT - 1]


def test_a_gradient_that_is_clipped_is_cut_from_the_whole() -> None:
    clip = fluid.clip.GradientClipByValue(1.5)
    (rows,) = sent_of("a:1", clip=clip)[0].values()
    assert isinstance(rows, Rows)
    assert rows.ids.tolist() == [0, 3, HEIGHT - 1]
    assert (rows.values == np.float32([[1], [1.5], [1]])).all()


def test_rows_are_an_array_to_who_looks_at_them() -> None:
    rows: Any = Rows(np.array([1]), np.float32([[4.0]]), 3)
    assert np.asarray(rows).tolist() == [[0.0], [4.0], [0.0]]
