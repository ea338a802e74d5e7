"""Slow steps after fast ones, beside the same steps in NumPy."""

from __future__ import annotations

import numpy as np

from teachgraph import fluid


def test_slow_parameters_follow_the_fast_ones() -> None:
    w = fluid.layers.create_parameter([2], "float32", name="w")
    x = fluid.data("x", [2], "float32")
    loss = fluid.layers.reduce_sum(w * w * x)
    inner = fluid.optimizer.SGD(learning_rate=0.1)
    lookahead = fluid.optimizer.LookaheadOptimizer(inner, alpha=0.5, k=2)
    lookahead.minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    fast = np.array(fluid.global_scope().find_var("w").get_tensor())
    slow, scale = fast.copy(), np.array([1.0, 2.0], "float32")
    for step in range(1, 6):
        (found,) = exe.run(feed={"x": scale}, fetch_list=["w"])
        fast = fast - 0.1 * 2 * fast * scale
        if step % 2 == 0:
            slow = fast = slow + 0.5 * (fast - slow)
        np.testing.assert_allclose(found, fast, rtol=1e-5)
