"""Calls of `fluid.layers` whose answers Paddle 1.8.5 gave, to be given here too.

    python -m tests.fluid.cases

Run it at the root of the repository, in an environment that has `paddlepaddle==1.8.5`
(Python 3.7). It writes `tests/fluid/answers.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("answers.json")

RNG = np.random.RandomState(0)
FEED = {
    "x": RNG.randn(2, 4).astype("float32"),
    "y": RNG.randn(2, 4).astype("float32"),
    "square": RNG.randn(3, 3).astype("float32"),
    "rows": RNG.randn(2, 3, 4).astype("float32"),
    "image": RNG.randn(1, 4, 2, 4).astype("float32"),
    "other": RNG.randn(1, 2, 2, 4).astype("float32"),
    "label": np.array([[1.0], [0.0]], "float32"),
    "side": np.array([[1.0], [-1.0]], "float32"),
    "left": np.array([[0.5], [2.0]], "float32"),
    "right": np.array([[1.5], [-1.0]], "float32"),
    "numbers": np.array([2, 3, 3, 1, 5, 3], "int64"),
    "said": np.array([[0, 1], [2, 2]], "int32"),
    "true": np.array([[0, 1], [1, 2]], "int32"),
    "vector": np.array([1.0, 2.0, 3.0], "float32"),
}

CASES = {
    "activations": (
        "[L.hard_sigmoid(x), L.leaky_relu(x), L.brelu(x), L.softshrink(x), "
        "L.hard_shrink(x), L.thresholded_relu(x), L.stanh(x), L.elu(x), L.selu(x), "
        "L.hard_swish(x), L.swish(x), L.relu6(x), L.soft_relu(x), L.gelu(x)]"
    ),
    "addcmul": "[L.addcmul(x, x, y, value=0.5)]",
    "addmm": "[L.addmm(square, square, square, alpha=0.5, beta=2.0)]",
    "affine_channel": "[L.affine_channel(L.unsqueeze(rows, [3]), vector, vector)]",
    "argsort": "list(L.argsort(x, axis=1, descending=True))",
    "clamp": "[L.clamp(x, min=0.0), L.clamp(x, -1.0, max=0.5)]",
    "cos_sim": "[L.cos_sim(X=x, Y=y)]",
    "cross": "[L.cross(square, square)]",
    "cumsum": "[L.cumsum(x), L.cumsum(x, axis=0, exclusive=True, reverse=True)]",
    "diag_embed": "[L.diag_embed(x, offset=1)]",
    "cross_entropy": ("[L.cross_entropy(L.softmax(x), L.softmax(y), soft_label=True)]"),
    "dist": "[L.dist(x, y), L.dist(x, y, p=1)]",
    "dot": "[L.dot(x, y)]",
    "eye": "[L.eye(2, 3), L.eye(2, batch_shape=[2])]",
    "fill_like": "[L.fill_constant_batch_size_like(x, [5, 3], 'float32', 2.0)]",
    "flip": "[L.flip(x, dims=[1])]",
    "fsp_matrix": "[L.fsp_matrix(image, other)]",
    "full": "[L.full([2], 3.0, dtype='float32'), L.full_like(x, 2.0)]",
    "huber_loss": "[L.huber_loss(left, right, 0.5)]",
    "kldiv_loss": "[L.kldiv_loss(x, L.softmax(y), 'batchmean')]",
    "kron": "[L.kron(x, y)]",
    "l2_normalize": "[L.l2_normalize(x, axis=1)]",
    "label_smooth": "[L.label_smooth(label, epsilon=0.2)]",
    "log_loss": "[L.log_loss(L.sigmoid(left), label)]",
    "log_softmax": "[L.log_softmax(x), L.log_softmax(x, axis=0)]",
    "logsumexp": "[L.logsumexp(x), L.logsumexp(x, dim=1, keepdim=True)]",
    "lrn": "[L.lrn(image, n=3)]",
    "margin_rank_loss": "[L.margin_rank_loss(side, left, right)]",
    "mean": "[L.mean(x), L.reduce_mean(x, dim=1, keep_dim=True)]",
    "mean_iou": "list(L.mean_iou(said, true, 3))",
    "meshgrid": "list(L.meshgrid([vector, vector]))",
    "mish": "[L.mish(x), L.mish(x, threshold=1)]",
    "mse_loss": "[L.mse_loss(left, right)]",
    "out": "[L.sums([x, y], out=L.fill_constant([2, 4], 'float32', 0.0))]",
    "pad": "[L.pad(x, [0, 1, 1, 0], pad_value=2.0)]",
    "pad2d": (
        "[L.pad2d(image, [1, 0, 2, 1], 'constant', 3.0), L.pad2d(image, [1, 1, 1, 1], "
        "'reflect'), L.pad2d(image, [1, 0, 2, 1], 'edge')]"
    ),
    "pad_constant_like": "[L.pad_constant_like(rows, rows[:, :2], 1.5)]",
    "pool2d": (
        "[L.pool2d(image, 2), L.pool2d(image, [2, 2], 'avg', 1, 1), "
        "L.pool2d(image, 2, 'avg', 1, 1, exclusive=False), "
        "L.pool2d(image, pool_type='avg', global_pooling=True)]"
    ),
    "position": "[L.add_position_encoding(rows, 0.5, 2.0)]",
    "rank_loss": "[L.rank_loss(label, left, right)]",
    "resize": (
        "[L.image_resize(image, [3, 5]), L.resize_nearest(image, scale=2.0), "
        "L.resize_bilinear(image, [4, 8], align_corners=False, align_mode=0), "
        "L.image_resize_short(image, 3)]"
    ),
    "roll": "[L.roll(x, 1), L.roll(x, shifts=[1], dims=[1])]",
    "sequence_mask": "[L.sequence_mask(numbers, maxlen=4)]",
    "shuffle_channel": "[L.shuffle_channel(image, 2)]",
    "smooth_l1": "[L.smooth_l1(x, y), L.smooth_l1(x, y, L.abs(y), L.exp(x), 2.0)]",
    "space_to_depth": "[L.space_to_depth(image, 2)]",
    "split": "L.split(x, 2) + L.split(x, num_or_sections=[1, 3], dim=1)",
    "squeeze": "[L.squeeze(label, axes=[1]), L.unsqueeze(x, axes=[0, 3])]",
    "temporal_shift": "[L.temporal_shift(L.reshape(rows, [2, 4, 3, 1]), 2)]",
    "topk": "list(L.topk(input=x, k=2))",
    "trace": "[L.trace(square, offset=1), L.tril(square), L.triu(square, diagonal=1)]",
    "unique": "list(L.unique(numbers)) + list(L.unique_with_counts(numbers))",
    "where": "[L.where(x > 0)]",
}


def answers(fluid: Any, case: str) -> list[Any]:
    """What a call gives, as lists."""
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        names = {
            name: fluid.data(name, list(value.shape), str(value.dtype))
            for name, value in FEED.items()
        }
        fetches = eval(CASES[case], {"L": fluid.layers, **names})  # noqa: S307  our own
        exe = fluid.Executor(fluid.CPUPlace())
        found = exe.run(feed=FEED, fetch_list=fetches)
    return [np.asarray(value) for value in found]


def main() -> None:
    """Write Paddle's answers."""
    from paddle import fluid

    lines = []
    for case in CASES:
        found = [np.round(a.astype("float64"), 5) for a in answers(fluid, case)]
        lines.append(f"{json.dumps(case)}: {json.dumps([a.tolist() for a in found])}")
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
