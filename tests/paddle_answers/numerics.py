"""Differences of numbers: dtypes, no elements, limits of formulas, losses, images."""

from __future__ import annotations

from tests.paddle_answers.row import each

__all__ = ["NUMERICS"]

NUMERICS = [
    each(
        "a fraction is not cut in silence, nor a large integer: operands are "
        "promoted, as in NumPy and PyTorch; Paddle casts the right one to the dtype "
        "of the left one, with a gradient of 0, and refuses the same in its "
        "functions",
        """
t([1, 2], "int64") + t([0.5, 1.5]) -> [["float32", [2], [1.5, 3.5]]]
t([1, 2], "int64") - t([0.5, 1.5]) -> [["float32", [2], [0.5, 0.5]]]
t([1, 2], "int64") * t([0.5, 1.5]) -> [["float32", [2], [0.5, 3.0]]]
t([7, 3], "int64") ** t([0.5, 1.5]) -> [["float32", [2], [2.64575, 5.19615]]]
t([1, 2], "int64") @ t([0.5, 1.5]) -> [["float32", [], [3.5]]]
t([1, 2], "int32") + t([1, 2**40], "int64") -> [["int64", [2], [2, 1099511627778]]]
t([1, 2], "int64") == t([1.5, 2.0]) -> [["bool", [2], [false, true]]]
""",
        ("eager", "static"),
    ),
    each(
        "a fraction is not cut in silence, nor a large integer: operands are "
        "promoted, as in NumPy and PyTorch; Paddle casts the right one to the dtype "
        "of the left one, with a gradient of 0, and refuses the same in its "
        "functions",
        """
t([1, 2], "int64") + t([0.5, 1.5]) -> [["float32", [2], [-0.6, -0.35]]]
t([1, 2], "int64") - t([0.5, 1.5]) -> [["float32", [2], [0.6, 0.35]]]
t([1, 2], "int64") * t([0.5, 1.5]) -> [["float32", [2], [-0.6, -0.7]]]
t([7, 3], "int64") ** t([0.5, 1.5]) -> [["float32", [2], [-3.08904, -1.998]]]
""",
        ("gradient",),
    ),
    each(
        "operands are promoted, as in NumPy and PyTorch, by functions as by "
        "operators; Paddle refuses",
        """
t([7, 3], "int64") // t([0.5, 1.5]) -> [["float32", [2], [14.0, 2.0]]]
t([7, 3], "int64") % t([0.5, 1.5]) -> [["float32", [2], [0.0, 0.0]]]
t([True, False], "bool") + t([0.5, 1.5]) -> [["float32", [2], [1.5, 1.5]]]
t([True, False], "bool") + t([3, 4], "int64") -> [["int64", [2], [4, 4]]]
paddle.add(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [1.5, 3.5]]]
paddle.subtract(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [0.5, 0.5]]]
paddle.multiply(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [0.5, 3.0]]]
paddle.divide(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [2.0, 1.33333]]]
paddle.maximum(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [1.0, 2.0]]]
paddle.minimum(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [0.5, 1.5]]]
paddle.fmax(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [1.0, 2.0]]]
paddle.pow(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [1.0, 2.82843]]]
paddle.floor_divide(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [2.0, 1.0]]]
paddle.remainder(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [0.0, 0.5]]]
paddle.add(t([0.5, 1.5]), t([1, 2], "int64")) -> [["float32", [2], [1.5, 3.5]]]
paddle.add(t([1, 2], "int32"), t([1, 2], "int64")) -> [["int64", [2], [2, 4]]]
paddle.greater_than(t([1, 2], "int64"), t([0.5, 1.5])) -> [["bool", [2], [true, true]]]
paddle.equal(t([1, 2], "int64"), t([0.5, 1.5])) -> [["bool", [2], [false, false]]]
paddle.lerp(t([1, 2], "float64"), t([0.5, 1.5]), 0.5) -> [["float64", [2], [0.75, 1.75]]]
paddle.atan2(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [1.10715, 0.927295]]]
paddle.hypot(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [1.11803, 2.5]]]
paddle.heaviside(t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [1.0, 1.0]]]
paddle.where(t([True, False], "bool"), t([1, 2], "int64"), t([0.5, 1.5])) -> [["float32", [2], [1.0, 1.5]]]
paddle.where(t([True, False], "bool"), t([1, 2], "int64"), 3.5) -> [["float32", [2], [1.0, 3.5]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "a number takes the dtype of the tensor beside it, as in every op; Paddle's "
        "is float64",
        """
paddle.where(t([True, False], "bool"), t([1.0, 2.0]), 3.0) -> [["float32", [2], [1.0, 3.0]]]
paddle.where(t([True, False], "bool"), 3.0, t([1.0, 2.0])) -> [["float32", [2], [3.0, 2.0]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "what nothing comes to is as in NumPy and PyTorch; Paddle refuses",
        """
paddle.mean(t([], "float32")) -> [["float32", [], ["nan"]]]
paddle.mean(t([[], []], "float32"), axis=1) -> [["float32", [2], ["nan", "nan"]]]
paddle.mean(t([[], []], "float32"), axis=0) -> [["float32", [0], []]]
paddle.sum(t([[], []], "float32"), axis=1) -> [["float32", [2], [0.0, 0.0]]]
paddle.sum(t([[], []], "float32"), axis=0) -> [["float32", [0], []]]
paddle.prod(t([[], []], "float32"), axis=1) -> [["float32", [2], [1.0, 1.0]]]
paddle.max(t([[], []], "float32"), axis=0) -> [["float32", [0], []]]
paddle.amin(t([[], []], "int64"), axis=0) -> [["int64", [0], []]]
paddle.norm(t([], "float32")) -> [["float32", [], [0.0]]]
paddle.norm(t([], "float32"), p=1) -> [["float32", [], [0.0]]]
paddle.norm(t([[], []], "float32"), axis=1) -> [["float32", [2], [0.0, 0.0]]]
paddle.all(t([], "bool")) -> [["bool", [], [true]]]
paddle.any(t([], "bool")) -> [["bool", [], [false]]]
paddle.count_nonzero(t([], "float32")) -> [["int64", [], [0]]]
paddle.nansum(t([], "float32")) -> [["float32", [], [0.0]]]
paddle.nansum(t([[], []], "float32"), axis=1) -> [["float32", [2], [0.0, 0.0]]]
paddle.nanmean(t([], "float32")) -> [["float32", [], ["nan"]]]
paddle.logsumexp(t([[], []], "float32"), axis=1) -> [["float32", [2], ["-inf", "-inf"]]]
paddle.matmul(t([[], []], "float32"), t([[], []], "float32"), transpose_y=True) -> [["float32", [2, 2], [0.0, 0.0, 0.0, 0.0]]]
F.mse_loss(t([], "float32"), t([], "float32")) -> [["float32", [], ["nan"]]]
F.mse_loss(t([], "float32"), t([], "float32"), reduction="sum") -> [["float32", [], [0.0]]]
paddle.split(t([1.0]), [1, -1]) -> [["float32", [1], [1.0]], ["float32", [0], []]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "nothing has a gradient of its shape, as anything has; Paddle's is None",
        """
paddle.cumsum(t([], "float32")) -> [["float32", [0], []]]
paddle.trace(t([[], []], "float32")) -> [["float32", [2, 0], []]]
paddle.dot(t([], "float32"), t([], "float32")) -> [["float32", [0], []], ["float32", [0], []]]
paddle.abs(t([], "float32")) -> [["float32", [0], []]]
F.softmax(t([], "float32")) -> [["float32", [0], []]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "so many bins as are asked for",
        """
paddle.bincount(t([], "int64"), minlength=2) -> [["int64", [2], [0, 0]]]
""",
        ("eager", "static"),
    ),
    each(
        "the derivative at the limit; Paddle's formula divides 0 by 0, or is one- "
        "sided",
        """
F.celu(t([inf, -inf, 1.0, -1.0])) -> [["float32", [4], [-0.6, -0.0, -0.1, 0.0551819]]]
paddle.abs(t([inf, -inf, 0.0, -1.0])) -> [["float32", [4], [-0.6, 0.35, -0.0, -0.15]]]
paddle.logaddexp(t([1.0, -1.0, -inf]), t([1.0, 2.0, 0.0])) -> [["float32", [3], [-0.3, -0.0165991, -0.0]], ["float32", [3], [-0.3, -0.333401, -0.1]]]
paddle.pow(t([0.0, -1.0]), 0.0) -> [["float32", [2], [-0.0, -0.0]]]
paddle.prod(t([0.0, 2.0, 3.0])) -> [["float32", [3], [-3.6, -0.0, -0.0]]]
paddle.prod(t([0.0, 2.0, 0.0])) -> [["float32", [3], [-0.0, -0.0, -0.0]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "NaN is not hidden, as in NumPy and PyTorch",
        """
F.relu(t([inf, -inf, nan, 0.0])) -> [["float32", [4], ["inf", 0.0, "nan", 0.0]]]
F.thresholded_relu(t([inf, -inf, nan, 1.0])) -> [["float32", [4], ["inf", 0.0, "nan", 0.0]]]
paddle.maximum(t([nan, 1.0]), t([0.0, nan])) -> [["float32", [2], ["nan", "nan"]]]
paddle.minimum(t([nan, 1.0]), t([2.0, nan])) -> [["float32", [2], ["nan", "nan"]]]
paddle.argmax(t([0.0, 1.0, nan])) -> [["int64", [], [2]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "the limit of the formula; Paddle computes inf - inf, or 0 inf, or leaves "
        "the domain",
        """
F.softshrink(t([inf, -inf, nan, 0.5])) -> [["float32", [4], ["inf", "-inf", "nan", 0.0]]]
F.log_sigmoid(t([inf, -inf, 100.0, -100.0])) -> [["float32", [4], [-0.0, "-inf", -3.78351e-44, -100.0]]]
paddle.logsumexp(t([inf, 1.0])) -> [["float32", [], ["inf"]]]
paddle.logsumexp(t([-inf, -inf])) -> [["float32", [], ["-inf"]]]
paddle.quantile(t([-inf, 1.0]), 0.0) -> [["float64", [], ["-inf"]]]
paddle.erfinv(t([2.0, 0.5])) -> [["float32", [2], ["nan", 0.476936]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "the limit of the formula; Paddle computes inf - inf, or 0 inf, or leaves "
        "the domain",
        """
F.log_sigmoid(t([inf, -inf, 100.0, -100.0])) -> [["float32", [4], [-0.0, -0.35, -0.0, 0.15]]]
paddle.logsumexp(t([inf, 1.0])) -> [["float32", [2], ["nan", -0.0]]]
paddle.logsumexp(t([-inf, -inf])) -> [["float32", [2], [-0.0, -0.0]]]
paddle.erfinv(t([2.0, 0.5])) -> [["float32", [2], ["nan", -0.389405]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "the logarithm of a softmax has no bound; Paddle cuts it at -64",
        """
F.log_softmax(t([-200.0, 1.0])) -> [["float32", [2], [-201.0, 0.0]]]
F.cross_entropy(t([[-200.0, 1.0]]), t([0], "int64")) -> [["float32", [], [201.0]]]
F.softmax_with_cross_entropy(t([[-200.0, 1.0]]), t([[0]], "int64")) -> [["float32", [1, 1], [201.0]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "the derivative, as finite differences have it; Paddle's is 0 for a single "
        "element, and the first row's for all",
        """
paddle.cummax(t(1.5), axis=0) -> [["float32", [], [-0.6]]]
paddle.trapezoid(t([[1.0, 2.0], [3.0, 5.0]])) -> [["float32", [2, 2], [-0.3, -0.3, -0.175, -0.175]]]
paddle.cumulative_trapezoid(t([[1.0, 2.0, 3.0], [3.0, 5.0, 1.0]])) -> [["float32", [2, 3], [-0.475, -0.65, -0.175, 0.025, 0.1, 0.075]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "a median that is NaN is that element; Paddle's gradient goes to the middle "
        "of the others too",
        """
paddle.median(t([1.0, nan, 2.0])) -> [["float32", [3], [0.0, -0.6, 0.0]]]
paddle.median(t([[1.0, nan, 2.0, 0.5], [3.0, 1.0, 2.0, 0.5]]), axis=1) -> [["float32", [2, 4], [0.0, -0.6, 0.0, 0.0, 0.0, -0.175, -0.175, 0.0]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "what is overwritten by a later one has no influence, so its gradient is 0",
        """
paddle.scatter(t([1.0, 2, 3]), t([1, 1], "int64"), t([10.0, 20])) -> [["float32", [3], [-0.6, 0.0, -0.1]], ["float32", [2], [-0.0, -0.35]]]
paddle.index_put(t([1.0, 2, 3]), (t([1, 1], "int64"),), t([10.0, 20])) -> [["float32", [3], [-0.6, 0.0, -0.1]], ["float32", [2], [-0.0, -0.35]]]
paddle.index_put(t([1.0, 2, 3]), (t([1, 1], "int64"),), t([10.0])) -> [["float32", [3], [-0.6, 0.0, -0.1]], ["float32", [1], [-0.35]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "a number is a factor in a program too",
        """
paddle.inner(t([2.0]), t([3.0])) -> "as eager"
paddle.inner(t([[2.0]]), t([3.0])) -> "as eager"
""",
        ("static",),
    ),
    each(
        "the derivative, as finite differences have it, of a factor whose other "
        "half is not 0",
        """
paddle.linalg.cholesky_solve(t([[1.5], [0.1]]), t([[2.0, 0.5], [0.5, 1.0]])) -> [["float32", [2, 1], [-0.1, -0.2]], ["float32", [2, 2], [0.208125, 0.0, 0.0675, -0.11]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "labels [N, 1] are smoothed as labels [N] are; Paddle refuses",
        """
F.cross_entropy(t([[1.0, 1.5, 0.0]]), t([[0]], "int64"), reduction="none", label_smoothing=0.2) -> [["float32", [1, 1], [1.13746]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "both results have a gradient; Paddle's leaves that of the softmax out",
        """
F.softmax_with_cross_entropy(t([[2.0, 2.0, -0.5]]), t([[2]], "int64"), return_softmax=True) -> [["float32", [1, 3], [-0.355309, -0.235237, 0.590547]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "-(w y log p + (1 - y) log(1 - p)) and its derivative, as documented and in "
        "PyTorch; Paddle's kernel weighs a part of it",
        """
F.binary_cross_entropy_with_logits(t([1.5, -2.5]), t([0.5, 0.5]), reduction="none", pos_weight=t([0.25, 3.0])) -> [["float32", [2], [0.875883, 3.90778]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "-(w y log p + (1 - y) log(1 - p)) and its derivative, as documented and in "
        "PyTorch; Paddle's kernel weighs a part of it",
        """
F.binary_cross_entropy_with_logits(t([1.5, -2.5]), t([1.0, 0.0]), reduction="none", pos_weight=t([0.25, 3.0])) -> [["float32", [2], [0.0273638, -0.0265504]], null, null]
F.binary_cross_entropy_with_logits(t([1.5, -2.5]), t([0.5, 0.5]), reduction="none", pos_weight=t([0.25, 3.0])) -> [["float32", [2], [-0.23159, 0.471899]], null, null]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "a variance is learned too; Paddle cuts its gradient",
        """
F.gaussian_nll_loss(t([2.0, 3.0]), t([-1.0, 0.25]), t([0.25, 2.0])) -> [["float32", [2], [-3.6, -0.4125]], ["float32", [2], [3.6, 0.4125]], ["float32", [2], [21.0, 0.208594]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "the weight of the label's class for each row, as in PyTorch; Paddle "
        "broadcasts it over all rows, and takes it to the power p",
        """
F.multi_margin_loss(t([[0.5, -1.0], [1.0, 1.5]]), t([0, 1], "int64"), weight=t([2.0, 0.5]), reduction="none") -> [["float32", [2], [0.0, 0.125]]]
F.multi_margin_loss(t([[0.5, -1.0]]), t([1], "int64"), p=2, weight=t([2.0, 0.5])) -> [["float32", [], [1.5625]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "the weight of the label's class for each row, as in PyTorch; Paddle "
        "broadcasts it over all rows, and takes it to the power p",
        """
F.multi_margin_loss(t([[0.5, -1.0], [1.0, 1.5]]), t([0, 1], "int64"), weight=t([2.0, 0.5]), reduction="none") -> [["float32", [2, 2], [0.0, 0.0, -0.0875, 0.0875]], ["float32", [2], [0.0, -0.0875]]]
F.multi_margin_loss(t([[0.5, -1.0]]), t([1], "int64"), p=2, weight=t([2.0, 0.5])) -> [["float32", [1, 2], [-0.75, 0.75]], ["float32", [2], [0.0, -1.875]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "integer labels leave the loss a fraction, as operands are promoted",
        """
F.multi_label_soft_margin_loss(t([[0.5, 1.0]]), t([[1, 0]], "int64")) -> [["float32", [], [0.893669]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "a scale without a shift is learned too; Paddle gives it no gradient",
        """
F.batch_norm(t([[1.0, 2.0], [3.0, 5.0]]), t([0.0, 0.0]), t([1.0, 1.0]), weight=t([1.0, 2.0])) -> [["float32", [2, 2], [-0.599997, -0.699996, -0.0999995, 0.299999]], null, null, ["float32", [2], [-0.899996, 0.0499998]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "a size of 1 is the middle, as in ONNX and PyTorch; Paddle takes the first "
        "pixel",
        """
F.interpolate(t([[[1.0, 3.0]]]), size=[1], mode="linear", data_format="NCW") -> [["float32", [1, 1, 1], [2.0]]]
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[1, 1], mode="bilinear") -> [["float32", [1, 1, 1, 1], [4.0]]]
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[2, 1], mode="bilinear") -> [["float32", [1, 1, 2, 1], [2.0, 6.0]]]
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[1, 1], mode="bicubic") -> [["float32", [1, 1, 1, 1], [4.0]]]
F.interpolate(t([[[[[1.0, 3.0], [5.0, 7.0]]]]]), size=[1, 1, 2], mode="trilinear", data_format="NCDHW") -> [["float32", [1, 1, 1, 1, 2], [3.0, 5.0]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "a size of 1 is the middle, as in ONNX and PyTorch; Paddle takes the first "
        "pixel",
        """
F.interpolate(t([[[1.0, 3.0]]]), size=[1], mode="linear", data_format="NCW") -> [["float32", [1, 1, 2], [-0.3, -0.3]]]
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[1, 1], mode="bilinear") -> [["float32", [1, 1, 2, 2], [-0.15, -0.15, -0.15, -0.15]]]
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[2, 1], mode="bilinear") -> [["float32", [1, 1, 2, 2], [-0.3, -0.3, -0.175, -0.175]]]
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[1, 1], mode="bicubic") -> [["float32", [1, 1, 2, 2], [-0.15, -0.15, -0.15, -0.15]]]
F.interpolate(t([[[[[1.0, 3.0], [5.0, 7.0]]]]]), size=[1, 1, 2], mode="trilinear", data_format="NCDHW") -> [["float32", [1, 1, 1, 2, 2], [-0.3, -0.175, -0.3, -0.175]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "padding is counted after the image as before it; Paddle's kernel counts as "
        "much of it as lies before",
        """
F.avg_pool1d(t([[[1.0, 2.0]]]), 2, stride=1, padding="SAME", exclusive=False) -> [["float32", [1, 1, 2], [1.5, 1.0]]]
F.avg_pool2d(t([[[[1.0, 2.0], [3.0, 4.0]]]]), 2, stride=1, padding=[0, 1, 0, 1], exclusive=False) -> [["float32", [1, 1, 2, 2], [2.5, 1.5, 1.75, 1.0]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "padding is counted after the image as before it; Paddle's kernel counts as "
        "much of it as lies before",
        """
F.avg_pool1d(t([[[1.0, 2.0]]]), 2, stride=1, padding="SAME", exclusive=False) -> [["float32", [1, 1, 2], [-0.3, -0.475]]]
F.avg_pool2d(t([[[[1.0, 2.0], [3.0, 4.0]]]]), 2, stride=1, padding=[0, 1, 0, 1], exclusive=False) -> [["float32", [1, 1, 2, 2], [-0.15, -0.2375, -0.175, -0.225]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "the places of the largest are those of the same call without them; Paddle "
        "ignores the mode of the last window, and padding by name, where places are "
        "asked for",
        """
F.max_pool1d(t([[[1.0, 3.0, 2.0]]]), 2, stride=2, ceil_mode=True, return_mask=True) -> [["float32", [1, 1, 2], [3.0, 2.0]], ["int32", [1, 1, 2], [1, 2]]]
F.max_pool1d(t([[[1.0, 3.0, 2.0]]]), 2, padding="SAME", return_mask=True) -> [["float32", [1, 1, 2], [3.0, 2.0]], ["int32", [1, 1, 2], [1, 2]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "the places of the largest are those of the same call without them; Paddle "
        "ignores the mode of the last window, and padding by name, where places are "
        "asked for",
        """
F.max_pool1d(t([[[1.0, 3.0, 2.0]]]), 2, stride=2, ceil_mode=True, return_mask=True) -> [["float32", [1, 1, 3], [0.0, -0.6, -0.35]]]
F.max_pool1d(t([[[1.0, 3.0, 2.0]]]), 2, padding="SAME", return_mask=True) -> [["float32", [1, 1, 3], [0.0, -0.6, -0.35]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "a window without a pixel has no largest one; Paddle's is -3.4e38",
        """
F.max_pool1d(t([[[1.0, 2.0, 3.0]]]), 1, stride=3, ceil_mode=True) -> "refused"
F.max_pool2d(t([[[[1.0, 3.0], [2.0, 0.0]]]]), 1, stride=2, padding=1) -> "refused"
""",
        ("eager", "static"),
    ),
    each(
        "a window without a pixel has no largest one; Paddle's is -3.4e38",
        """
F.max_pool1d(t([[[1.0, 2.0, 3.0]]]), 1, stride=3, ceil_mode=True) -> null
F.max_pool2d(t([[[[1.0, 3.0], [2.0, 0.0]]]]), 1, stride=2, padding=1) -> null
""",
        ("gradient",),
    ),
    each(
        "the centre of a single pixel is 0; Paddle divides by 0",
        """
F.affine_grid(t([[[1.0, 0.5, 0.25], [0.5, 1.0, 0.75]]]), [1, 1, 1, 1]) -> [["float32", [1, 1, 1, 2], [0.25, 0.75]]]
""",  # noqa: E501
        ("eager", "static"),
    ),
    each(
        "the centre of a single pixel is 0; Paddle divides by 0",
        """
F.affine_grid(t([[[1.0, 0.5, 0.25], [0.5, 1.0, 0.75]]]), [1, 1, 1, 1]) -> [["float32", [1, 2, 3], [0.0, 0.0, -0.6, 0.0, 0.0, -0.35]]]
""",  # noqa: E501
        ("gradient",),
    ),
    each(
        "rounded coordinates have no gradient; Paddle's is 0",
        """
F.grid_sample(t([[[[1.0, 2.0], [3.0, 4.0]]]]), t([[[[0.1, 0.2]]]]), mode="nearest") -> [["float32", [1, 1, 2, 2], [0.0, 0.0, 0.0, -0.6]], null]
""",  # noqa: E501
        ("gradient",),
    ),
]
