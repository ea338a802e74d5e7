"""Names and arguments that code of Paddle uses and that are rarely written about."""

from __future__ import annotations

import tempfile
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["LINES", "STORIES"]

LINES = """
paddle.einsum("i->ii", t([1.0, 2.0]))
paddle.einsum("ij->iji", t([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
paddle.einsum("bi,i->bii", t([[1.0, 2.0], [3.0, 4.0]]), t([0.5, 2.0]))
F.nll_loss(t([[-1.0, -2.0], [-3.0, -4.0]]), t([[1], [0]], "int64"))
F.grid_sample(t(np.arange(24).reshape(1, 2, 2, 3, 2) % 7), t(np.linspace(-1.3, 1.2, 24).reshape(1, 2, 2, 2, 3)))
F.grid_sample(t(np.arange(24).reshape(1, 2, 2, 3, 2) % 7), t(np.linspace(-1.3, 1.2, 24).reshape(1, 2, 2, 2, 3)), padding_mode="border", align_corners=False)
F.grid_sample(t(np.arange(24).reshape(1, 2, 2, 3, 2) % 7), t(np.linspace(-1.3, 1.2, 24).reshape(1, 2, 2, 2, 3)), padding_mode="reflection")
"""  # noqa: E501


def diagonals_are_filled_with_tensors(paddle: Any) -> Any:
    x, y = paddle.ones([4, 3]), paddle.to_tensor([1.0, 2.0, 3.0])
    x.stop_gradient = False
    z = x.fill_diagonal_tensor(y)
    (z * z).sum().backward()
    w = paddle.ones([3, 3])
    w.fill_diagonal_tensor_(paddle.to_tensor([5.0, 6.0]), offset=1)
    blocks = paddle.ones([2, 2, 2]).fill_diagonal_tensor(
        paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), 0, 0, 2
    )
    return [z, x.grad, w, blocks]


def tensors_are_asked_about_themselves(paddle: Any) -> Any:
    x = paddle.ones([4, 3])
    other = paddle.ones([3])
    return [x.is_dist(), x.is_same_shape(paddle.zeros([4, 3])), x.is_same_shape(other)]


def a_state_has_prefixes_and_all_buffers(paddle: Any) -> Any:
    net = paddle.nn.Sequential(paddle.nn.BatchNorm1D(3))
    net[0].register_buffer("extra", paddle.ones([1]), persistable=False)
    return [
        sorted(net.state_dict(structured_name_prefix="a.")),
        sorted(net.state_dict(include_sublayers=False)),
        sorted(net.to_static_state_dict()),
    ]


def a_program_is_saved_like_a_state(paddle: Any) -> Any:
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [None, 2], "float32")
        y = x * 2.0
    with tempfile.TemporaryDirectory() as folder:
        paddle.save(main, f"{folder}/net.pdmodel")
        again = paddle.load(f"{folder}/net.pdmodel")
    feed = {"x": np.array([[1.0, 2.0]], "float32")}
    found = paddle.static.Executor().run(again, feed, [y.name])
    return [type(again).__name__, [op.type for op in again.global_block().ops], found]


def modules_hold_what_code_imports(paddle: Any) -> Any:
    flow = import_module(f"{paddle.__name__}.static.nn.control_flow")
    names = ["Assert", "While", "cond", "while_loop"]
    found = [hasattr(flow, name) for name in names]
    traced = import_module(f"{paddle.__name__}.jit.dy2static.program_translator")
    return [*found, hasattr(traced, "StaticFunction")]


def strategies_have_names(paddle: Any) -> Any:
    strategy = paddle.static.BuildStrategy()
    strategy.reduce_strategy = paddle.static.BuildStrategy.ReduceStrategy.Reduce
    return str(strategy.reduce_strategy)


def pieces_of_an_image_are_drawn(paddle: Any) -> Any:
    crop = paddle.vision.transforms.RandomCrop(3)
    image = np.zeros((3, 4, 1), "uint8")
    top, left, height, width = crop._get_param(image, (3, 4))
    return [top, left, height, width]


def gradients_are_applied_by_hand(paddle: Any) -> Any:
    w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    optimizer = paddle.optimizer.SGD(0.5, parameters=[w])
    loss = (w * w).sum()
    loss.backward()
    pairs = optimizer.backward(loss)
    found = optimizer.apply_gradients([(p, grad * 0.5) for p, grad in pairs])
    return [found, w]


STORIES = [
    diagonals_are_filled_with_tensors,
    tensors_are_asked_about_themselves,
    a_state_has_prefixes_and_all_buffers,
    a_program_is_saved_like_a_state,
    modules_hold_what_code_imports,
    strategies_have_names,
    pieces_of_an_image_are_drawn,
    gradients_are_applied_by_hand,
]
