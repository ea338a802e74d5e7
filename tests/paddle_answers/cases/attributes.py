"""Attributes of layers, metrics and datasets that users read, and change."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["STORIES"]

IMAGE = np.arange(32, dtype="float32").reshape(1, 2, 4, 4)


def read(thing: Any, names: str) -> list[Any]:
    """The values of some of its attributes."""
    return [getattr(thing, name) for name in names.split()]


def of_losses(paddle: Any) -> Any:
    nn = paddle.nn
    return [
        read(
            nn.CrossEntropyLoss(),
            "weight ignore_index reduction soft_label axis use_softmax label_smoothing",
        ),
        read(nn.BCELoss(), "weight reduction name"),
        read(nn.BCEWithLogitsLoss(reduction="sum"), "weight reduction pos_weight"),
        read(nn.CosineEmbeddingLoss(0.5), "margin reduction"),
        read(nn.GaussianNLLLoss(), "full epsilon reduction"),
        read(nn.HingeEmbeddingLoss(), "margin reduction name"),
        read(nn.KLDivLoss("batchmean"), "reduction"),
        read(nn.L1Loss("none", name="l"), "reduction name"),
        read(nn.MSELoss(), "reduction"),
        read(nn.MarginRankingLoss(), "margin reduction"),
        read(nn.MultiLabelSoftMarginLoss(), "weight reduction"),
        read(nn.MultiMarginLoss(), "p margin weight reduction"),
        read(nn.PairwiseDistance(), "p epsilon keepdim"),
        read(nn.SmoothL1Loss(delta=2.0), "reduction delta"),
        read(nn.SoftMarginLoss(), "reduction"),
        read(nn.TripletMarginLoss(), "margin p epsilon swap reduction"),
        read(
            nn.TripletMarginWithDistanceLoss(),
            "distance_function margin swap reduction",
        ),
    ]


def of_pools(paddle: Any) -> Any:
    nn = paddle.nn
    return [
        read(nn.AdaptiveAvgPool1D(2), "output_size name"),
        read(nn.AdaptiveMaxPool1D(2), "output_size return_mask name"),
        read(nn.AvgPool1D(2), "kernel_size stride padding exclusive ceil_mode"),
        *(
            read(pool(2), "ksize stride padding exclusive divisor data_format")
            for pool in (nn.AvgPool2D, nn.AvgPool3D)
        ),
        read(nn.MaxPool1D(2, 1), "kernel_size stride padding return_mask ceil_mode"),
        *(
            read(pool([2, 2]), "ksize stride padding return_mask ceil_mode data_format")
            for pool in (nn.MaxPool2D, nn.MaxPool3D)
        ),
        *(
            read(pool(2), "ksize stride padding output_size data_format name")
            for pool in (nn.MaxUnPool1D, nn.MaxUnPool2D, nn.MaxUnPool3D)
        ),
    ]


def of_cells(paddle: Any) -> Any:
    nn = paddle.nn
    cells = nn.SimpleRNNCell(2, 3), nn.LSTMCell(2, 3), nn.GRUCell(2, 3)
    return [read(cell, "input_size hidden_size state_shape") for cell in cells]


def of_metrics(paddle: Any) -> Any:
    scores, labels = np.array([0.9, 0.8, 0.1, 0.7]), np.array([1, 0, 1, 1])
    precision, recall = paddle.metric.Precision(), paddle.metric.Recall()
    for metric in (precision, recall):
        metric.update(scores, labels)
    found = [read(precision, "tp fp"), read(recall, "tp fn")]
    return [[[int(n) for n in pair] for pair in found], paddle.metric.Accuracy().topk]


def of_datasets(paddle: Any) -> Any:
    datasets = [paddle.io.TensorDataset([paddle.ones([n, 2])]) for n in (3, 4)]
    return read(paddle.io.ConcatDataset(datasets), "cumulative_sizes")


def a_loss_is_changed(paddle: Any) -> Any:
    x, y = paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]]), paddle.to_tensor([0, 1])
    loss = paddle.nn.CrossEntropyLoss()
    before = loss(x, y)
    loss.reduction, loss.weight = "none", paddle.to_tensor([1.0, 2.0])
    return [before, loss(x, y), [name for name, _ in loss.named_buffers()]]


def a_pool_is_changed(paddle: Any) -> Any:
    x, pool = paddle.to_tensor(IMAGE), paddle.nn.AvgPool2D(2)
    before = pool(x)
    pool.ksize, pool.stride, pool.data_format = [1, 3], 1, "NHWC"
    return [before, pool(x)]


def initial_states(paddle: Any) -> Any:
    x = paddle.ones([2, 5, 3])
    cell, lstm = paddle.nn.GRUCell(3, 4), paddle.nn.LSTMCell(3, 4)
    return [
        cell.get_initial_states(x),
        cell.get_initial_states(x, batch_dim_idx=1),
        cell.get_initial_states(x, [2, 3], init_value=1.5),
        cell.get_initial_states(x, [-1, 2], "float64"),
        lstm.get_initial_states(x),
        lstm.get_initial_states(x, ([2], [3]), "int32", 7),
        lstm.get_initial_states([x, x]),
    ]


def a_cell_with_the_shape_of_its_state(paddle: Any) -> Any:
    class Sum(paddle.nn.RNNCellBase):  # type: ignore[misc, name-defined]
        @property
        def state_shape(self) -> Any:
            return (3,)

        def forward(self, inputs: Any, states: Any) -> Any:
            total = states + inputs
            return total, total

    x = paddle.to_tensor(np.arange(12, dtype="float32").reshape(2, 2, 3))
    return [list(paddle.nn.RNN(Sum())(x)), Sum().get_initial_states(x)]


STORIES = [
    of_losses,
    of_pools,
    of_cells,
    of_metrics,
    of_datasets,
    a_loss_is_changed,
    a_pool_is_changed,
    initial_states,
    a_cell_with_the_shape_of_its_state,
]
