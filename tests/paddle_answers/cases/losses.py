"""Losses: their weights, what is smoothed, and what has a gradient."""

from __future__ import annotations

__all__ = ["LINES"]

LINES = """
F.cross_entropy(t([[1.5, 0.1], [0.5, 0.2]]), t([0, 1], "int64"), weight=t([1.0, 2.0]))
F.cross_entropy(t([[1.5, 0.1], [0.5, 0.2]]), t([0, -100], "int64"), weight=t([1.0, 2.0]))
F.cross_entropy(t([[1.5, 0.1], [0.5, 0.2]]), t([0, 1], "int64"), weight=t([1.0, 2.0]), ignore_index=1)
F.cross_entropy(t([[1.5, 0.1]]), t([0], "int64"), weight=t([1.0, 2.0]), reduction="sum")
F.cross_entropy(t([[[1.5, 0.1], [0.5, 0.2]]]), t([[0, 1]], "int64"), weight=t([1.0, 2.0]), axis=1, reduction="none")
F.cross_entropy(t([[1.5, 0.1]]), t([[0.5, 0.5]]), weight=t([1.0, 2.0]), soft_label=True)
F.cross_entropy(t([[1.0, 1.5, 0.0]]), t([0], "int64"), reduction="none", label_smoothing=0.2)
F.cross_entropy(t([[1.0, 1.5, 0.0]]), t([0], "int64"), reduction="none", weight=t([1.0, 2.0, 3.0]), label_smoothing=0.2)
F.cross_entropy(t([[1.0, 1.5, 0.0]]), t([[0]], "int64"), reduction="none", label_smoothing=0.2)
F.cross_entropy(t([[[1.0, 1.5], [0.0, 2.0]]]), t([[0, 1]], "int64"), axis=1, reduction="none", label_smoothing=0.2)
F.nll_loss(t([[1.5, 0.1]]), t([0], "int64"), weight=t([1.0, 2.0]))
F.softmax_with_cross_entropy(t([[2.0, 2.0, -0.5]]), t([[2]], "int64"), return_softmax=True)
F.binary_cross_entropy(t([0.5, 0.2]), t([1.0, 0.0]), weight=t([1.0, 2.0]))
F.binary_cross_entropy_with_logits(t([1.5, -2.5]), t([1.0, 0.0]), reduction="none")
F.binary_cross_entropy_with_logits(t([1.5, -2.5]), t([1.0, 0.0]), reduction="none", pos_weight=t([0.25, 3.0]))
F.binary_cross_entropy_with_logits(t([1.5, -2.5]), t([0.5, 0.5]), reduction="none", pos_weight=t([0.25, 3.0]))
F.gaussian_nll_loss(t([2.0, 3.0]), t([-1.0, 0.25]), t([0.25, 2.0]))
F.multi_margin_loss(t([[0.5, -1.0], [1.0, 1.5]]), t([0, 1], "int64"), reduction="none")
F.multi_margin_loss(t([[0.5, -1.0], [1.0, 1.5]]), t([0, 1], "int64"), weight=t([2.0, 0.5]), reduction="none")
F.multi_margin_loss(t([[0.5, -1.0]]), t([1], "int64"), p=2, weight=t([2.0, 0.5]))
F.multi_label_soft_margin_loss(t([[0.5, 1.0]]), t([[1, 0]], "int64"))
F.batch_norm(t([[1.0, 2.0], [3.0, 5.0]]), t([0.0, 0.0]), t([1.0, 1.0]), weight=t([1.0, 2.0]))
"""  # noqa: E501
