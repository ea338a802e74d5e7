"""Small things that Paddle's own tests call: handles, settings in words, odd calls."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["LINES", "STORIES"]

LINES = """
paddle.reshape(t([0, 1, 2, 3], "float32"), t([-1], "int32"))
paddle.expand(t([2.0]), t([4], "int32"))
paddle.tile(t([2.0, 3.0]), t([2], "int32"))
paddle.slice(t([0, 1, 2, 3], "float32"), [0], t([1], "int32"), t([3], "int32"))
paddle.zeros(t([3], "int32"))
paddle.unsqueeze(t([[0, 1, 2], [3, 4, 5]], "float32"), [0, 3, 3])
paddle.nn.functional.maxout(t([[[[1.0, 4.0], [3.0, 2.0]]]]), 2, 2)
paddle.tensor.fill_constant([2], "float32", 2.5)
paddle.tensor.fill_constant(t([2], "int32"), "int64", 7)
"""

LAYERS = """
nn.CosineSimilarity(axis=0)
nn.PairwiseDistance()
nn.PairwiseDistance(1.0, 1e-5, True)
nn.RReLU()
nn.BatchNorm1D(1)
nn.BatchNorm2D(1)
nn.BatchNorm2D(1, data_format="NHWC")
nn.BatchNorm3D(1)
nn.BatchNorm(3)
nn.LSTM(16, 32, 2, dropout=0.5)
nn.GRU(16, 32, direction="bidirect")
nn.SimpleRNN(2, 3, 2, time_major=True)
nn.RNN(nn.GRUCell(2, 3))
nn.Upsample(scale_factor=2)
nn.Upsample(size=[12, 12])
nn.UpsamplingNearest2D(size=12)
nn.UpsamplingBilinear2D(size=12)
nn.PReLU(3)
nn.PReLU(1, 0.5, data_format="NHWC")
nn.TransformerEncoderLayer(4, 2, 8)
nn.ZeroPad2D(1)
nn.Unfold([3, 3])
nn.Fold([4, 5], [2, 2])
nn.Conv2D(2, 2, 3, groups=2, dilation=2, padding="same")
nn.Embedding(4, 2, padding_idx=1)
nn.LayerDict({"a": nn.ReLU()})
nn.Sequential(("conv", nn.Conv2D(1, 20, 5)), ("relu", nn.ReLU()))
"""


def layers_say_what_they_are(paddle: Any) -> Any:
    lines = LAYERS.strip().split("\n")
    return {line: str(eval(line, {"nn": paddle.nn})) for line in lines}  # noqa: S307


def hooks_of_leaves_are_for_their_own_gradients(paddle: Any) -> Any:
    x = paddle.ones([1])
    x.stop_gradient = False
    x.register_hook(lambda dx: dx * 2.0)
    y = x * x
    (dx,) = paddle.grad(y, x, create_graph=True)
    (y + dx).backward()
    return [dx, x.grad]


def hooks_on_the_way_run_for_gradients_by_name(paddle: Any) -> Any:
    x = paddle.ones([1])
    x.stop_gradient = False
    h = x * 3.0
    h.register_hook(lambda dh: dh * 2.0)
    y = h * h
    return [*paddle.grad(y, x, retain_graph=True), *paddle.grad(y, h)]


def one_is_given(paddle: Any, backward: Any) -> Any:
    """The gradients of two inputs of a function that has this backward."""

    class Sum(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.mark_not_inplace(x)
            return x + y

    Sum.backward = staticmethod(backward)
    inputs = [paddle.ones([2]), paddle.ones([2])]
    for x in inputs:
        x.stop_gradient = False
    Sum.apply(*inputs).sum().backward()
    return [x.grad for x in inputs]


def a_function_gives_no_gradient_of_one_input(paddle: Any) -> Any:
    return one_is_given(paddle, lambda ctx, dy: (None, dy * 3.0))


def a_function_gives_a_number_for_a_gradient(paddle: Any) -> Any:
    return one_is_given(paddle, lambda ctx, dy: (1, 1))


def a_sequence_forgets_layers(paddle: Any) -> Any:
    nn = paddle.nn
    net = nn.Sequential(("a", nn.ReLU()), ("b", nn.Tanh()), ("c", nn.Sigmoid()))
    del net["b"]
    numbered = nn.Sequential(nn.ReLU(), nn.Tanh())
    del numbered[0]
    found = [[type(layer).__name__ for layer in one] for one in (net, numbered)]
    return [*found, len(net), list(net.named_children())[1][0]]


def values_have_a_handle(paddle: Any) -> Any:
    x = paddle.ones([2, 3])
    handle = x.value().get_tensor()
    found = [x.value() is x, handle.shape(), float(np.array(handle).sum())]
    handle.set(np.zeros([2, 3], "float32"), paddle.CPUPlace())
    found.append(x)
    x.get_tensor().set(np.arange(4.0), paddle.CPUPlace())
    return [*found, x, handle._is_initialized()]


def tensors_are_cut_off_and_copied_to(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2.0
    same = y.detach_() is y
    z = paddle.ones([2])
    z.copy_(y, True)
    rows = paddle.ones([2, 3])
    return [same, y.stop_gradient, y.is_leaf, z, rows.offset, rows[1].offset]


def tensors_are_no_other_kind(paddle: Any) -> Any:
    x = paddle.ones([2])
    kinds = [x.is_sparse_coo(), x.is_sparse_csr(), x.is_selected_rows()]
    return [*kinds, x.numpy(False), isinstance(x.data_ptr(), int)]


def cosines_restart_after_a_fraction(paddle: Any) -> Any:
    restarts = paddle.optimizer.lr.CosineAnnealingWarmRestarts
    rates = []
    for first in (1.0, 2):
        try:
            schedule = restarts(0.5, T_0=first, T_mult=1)
        except (TypeError, ValueError):
            rates.append("no")
            continue
        for _ in range(4):
            rates.append(schedule())
            schedule.step()
    return rates


def numbers_are_asked_for_in_a_traced_condition(paddle: Any) -> Any:
    @paddle.jit.to_static
    def function(x: Any) -> Any:
        count = paddle.to_tensor(np.array([3], "int64"))
        if count.shape[0] == 1:
            return x * 2.0
        return x

    return function(paddle.ones([2]))


def trapezoids_are_wide(paddle: Any) -> Any:
    y = paddle.to_tensor([[2.0, 4.0, 8.0], [3.0, 5.0, 9.0]])
    widths = paddle.to_tensor(3.0), paddle.to_tensor([1.0, 2.0]), 3
    areas = [paddle.trapezoid(y, dx=width) for width in widths]
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program()):
        width = paddle.static.data("width", [], "float32")
        area = paddle.trapezoid(paddle.static.data("y", [3], "float32"), dx=width)
        feed = {"y": np.array([2, 4, 8], "float32"), "width": np.array(3, "float32")}
        return [areas, paddle.static.Executor().run(feed=feed, fetch_list=[area])]


def an_error_tells_the_versions(paddle: Any) -> Any:
    x = paddle.ones([2])
    x.stop_gradient = False
    y = x * 2.0
    y[0] = 3.0
    z = y * y
    y.sin_()
    try:
        z.sum().backward()
    except RuntimeError as error:
        text = str(error)
    return "tensor_version:2 != wrapper_version_snapshot:1" in text


def indices_are_tensors_of_one_element(paddle: Any) -> Any:
    three = paddle.full([1], 3, "int32")
    pair = paddle.to_tensor([[2]])
    found = [[*range(three)], [1, 2, 3, 4][three], [*range(pair)]]
    try:
        range(paddle.to_tensor([1, 2]))
    except (AssertionError, ValueError):
        found.append("no")
    return found


def values_are_stored_in_the_kind_of_the_whole(paddle: Any) -> Any:
    found = []
    for kind in ("int64", "int32", "bool", "float32"):
        for value in (1.7, -3, paddle.to_tensor(2.5), np.array(0.5)):
            for index in (1, slice(0, 2), [0, 2], paddle.to_tensor([1, 3])):
                x = paddle.to_tensor(np.arange(4)).astype(kind)
                x[index] = value
                found.append(x)
    return found


def handles_print_what_they_hold(paddle: Any) -> Any:
    lists = [1.0], [[1.5, 2.25], [3, 4]], [1, 2], [True, False], [0.1, 1e-9, 1e10], 3.0
    tensors = [paddle.to_tensor(numbers) for numbers in lists]
    return [str(tensor.get_tensor()) for tensor in tensors]


def losses_know_their_reductions(paddle: Any) -> Any:
    found = []
    for name in ("L1Loss", "MSELoss", "BCELoss", "NLLLoss", "TripletMarginLoss"):
        try:
            getattr(paddle.nn, name)(reduction="product")
        except ValueError:
            found.append(name)
    paddle.nn.KLDivLoss(reduction="batchmean")
    return found


def names_are_where_code_looks_for_them(paddle: Any) -> Any:
    places = [paddle.framework.CPUPlace(), paddle.base.CPUPlace(), paddle.CPUPlace()]
    return [
        *(str(place) for place in places),
        paddle.tensor.math.add(paddle.ones([1]), paddle.ones([1])),
        paddle.tensor.creation.ones([2]),
        paddle.autograd.grad is paddle.grad,
        paddle.vision.LeNet is paddle.vision.models.LeNet,
        paddle.vision.Resize is paddle.vision.transforms.Resize,
        paddle.get_cudnn_version() is None,
    ]


def memory_is_handed_over(paddle: Any) -> Any:
    dlpack = paddle.utils.dlpack
    x = paddle.to_tensor([1.0, 2.0])
    return dlpack.from_dlpack(dlpack.to_dlpack(x))


STORIES = [
    layers_say_what_they_are,
    hooks_of_leaves_are_for_their_own_gradients,
    hooks_on_the_way_run_for_gradients_by_name,
    a_function_gives_no_gradient_of_one_input,
    a_function_gives_a_number_for_a_gradient,
    a_sequence_forgets_layers,
    values_have_a_handle,
    tensors_are_cut_off_and_copied_to,
    tensors_are_no_other_kind,
    cosines_restart_after_a_fraction,
    numbers_are_asked_for_in_a_traced_condition,
    trapezoids_are_wide,
    an_error_tells_the_versions,
    indices_are_tensors_of_one_element,
    values_are_stored_in_the_kind_of_the_whole,
    handles_print_what_they_hold,
    losses_know_their_reductions,
    names_are_where_code_looks_for_them,
    memory_is_handed_over,
]
