"""Digits with parameter servers or all-reduce: `teachgraph launch digits.py`."""

import sys

import numpy as np

import teachgraph as paddle
from teachgraph.distributed import fleet, get_start_step

STEPS, BATCH = int(sys.argv[1]) if len(sys.argv) > 1 else 60, 64

paddle.enable_static()
fleet.init()
images = paddle.static.data("images", [None, 784])
labels = paddle.static.data("labels", [None, 1], "int64")
hidden = paddle.static.nn.fc(images, 32, activation="relu")
logits = paddle.static.nn.fc(hidden, 10)
loss = paddle.nn.functional.cross_entropy(logits, labels)
optimizer = fleet.distributed_optimizer(paddle.optimizer.Momentum(0.05, 0.9))
optimizer.minimize(loss)

if fleet.is_server():
    fleet.init_server()
    print("serves")
    fleet.run_server()
    print("all trainers have finished")
else:
    executor = paddle.static.Executor()
    executor.run(paddle.static.default_startup_program())
    data = paddle.dataset.digits.train()
    pairs = [*data()]
    x = np.stack([image for image, _ in pairs]).astype("float32")
    y = np.array([[label] for _, label in pairs])
    rank, world = fleet.worker_index(), fleet.worker_num()
    print(f"begins at step {get_start_step()}")
    for step in range(get_start_step(), STEPS):
        rows = np.random.default_rng(step).integers(0, len(x), BATCH)[rank::world]
        (value,) = executor.run(
            feed={"images": x[rows], "labels": y[rows]}, fetch_list=[loss]
        )
        if step % 10 == 9:
            print(f"step {step + 1}: loss {value.item():.4f}")
