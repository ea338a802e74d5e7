"""Devices: what code asks before it chooses one, and the storage of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["LINES", "STORIES"]

LINES = """
t([1, 2], "float32").cpu()
(t([1, 2], "float32") * 2).cpu()
"""


def a_machine_without_a_gpu_says_so(paddle: Any) -> Any:
    device = paddle.device
    return [
        device.get_device(),
        str(device.set_device("cpu")),
        device.cuda.device_count(),
        device.get_all_device_type(),
        device.get_available_device(),
        device.get_cudnn_version() is None,
        device.is_compiled_with_cuda(),
        device.is_compiled_with_xpu(),
        device.is_compiled_with_rocm(),
        device.cuda.empty_cache() is None,
        paddle.get_device(),
        paddle.is_compiled_with_xpu(),
        paddle.is_compiled_with_rocm(),
        paddle.is_compiled_with_custom_device("npu"),
        paddle.ones([2]).place.is_cpu_place(),
        paddle.ones([2]).place.is_gpu_place(),
    ]


def refused(act: Callable[[], Any]) -> str:
    """The built-in error that an act raises."""
    try:
        act()
    except ValueError:
        return "ValueError"
    except RuntimeError:
        return "RuntimeError"
    except TypeError:
        return "TypeError"
    return "none"


def what_needs_a_gpu_is_refused(paddle: Any) -> Any:
    device = paddle.device
    return [
        refused(lambda: device.set_device("gpu:0")),
        refused(lambda: device.set_device("cpu:0")),
        refused(device.cuda.synchronize),
        refused(device.cuda.Stream),
        refused(device.cuda.memory_allocated),
        refused(device.cuda.get_device_name),
        refused(device.synchronize),
        refused(device.Event),
        refused(lambda: paddle.ones([2]).to("gpu")),
    ]


def a_tensor_tells_of_its_storage(paddle: Any) -> Any:
    x = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    t = x.t()
    return [
        *(x.dim(), x.ndimension(), x.element_size(), x.is_tensor(), x.persistable),
        *(x.strides, t.strides, x.is_contiguous(), t.is_contiguous()),
        *(t.contiguous().is_contiguous(), t.contiguous().tolist(), str(x.place)),
        *(x.layout, x.is_dense(), x.is_sparse(), x.get_strides()),
        *(x.cpu() is x, x.contiguous() is x, x.to("float32") is x),
        paddle.create_parameter([2], "float32").persistable,
    ]


def to_takes_a_device_a_dtype_or_a_tensor(paddle: Any) -> Any:
    def x() -> Any:  # anew each time: the tensor itself is converted
        return paddle.to_tensor([1.5, 2.5])

    other = paddle.zeros([1], "int32")
    return [
        x().to("int64").tolist(),
        x().to("cpu", "int32").tolist(),
        x().to(other).tolist(),
        x().to(dtype="int64", blocking=True).tolist(),
        x().to(device="cpu", dtype="float64").tolist(),
        x().to(paddle.CPUPlace(), "int32").tolist(),
    ]


def to_converts_the_tensor_itself(paddle: Any) -> Any:
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    row, name = x[0], x.name
    first = [x.to("cpu") is x, x.to("float64") is x, x.name == name, x, row]
    y = x.to(paddle.ones([1], "int64"))
    return [*first, y is x, x]


def to_converts_parameters_and_what_gradients_flow_through(paddle: Any) -> Any:
    w = paddle.create_parameter([2], "float32")
    same = w.to("float64") is w
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    x.to("float64")
    leaf = [x.is_leaf, x.stop_gradient]
    (x * x).sum().backward()
    h = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    part = h[0]
    part.to("float64")
    return [same, w.shape, w.numpy().dtype, leaf, x.grad, part, h, part.stop_gradient]


def values_of_what_was_cast_flow_back(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    h = x * 3
    h.to("float64")
    (h * h).sum().backward()
    return x.grad


def what_was_saved_before_to_is_out_of_date(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    h = x * 3
    s = (h * h).sum()
    h.to("float64")
    return refused(s.backward) != "none"


def to_counts_no_version(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2.0])
    x.to("float32")
    same = x.inplace_version
    x.to("float64")
    return [same, x.inplace_version]


def to_takes_a_type_of_numpys(paddle: Any) -> Any:
    return paddle.to_tensor([1.0, 2.0]).to(np.float64)


def what_was_detached_before_to(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0, 2.0])
    y = x.detach()
    x.to("float64")
    return y


def a_layer_is_moved_and_cast(paddle: Any) -> Any:
    def layer() -> Any:
        found = paddle.nn.Linear(2, 2)
        found.register_buffer("mean", paddle.ones([2]))
        return found

    def dtypes(*args: Any, **kwargs: Any) -> Any:
        found = layer()
        weight, same = found.weight, found.to(*args, **kwargs) is found
        parts = (found.weight, found.bias, found.mean)
        return [same, weight is found.weight, *[part.numpy().dtype for part in parts]]

    return [
        dtypes(),
        dtypes("cpu"),
        dtypes(paddle.CPUPlace(), "float64"),
        dtypes(dtype=paddle.float64),
        *[refused(lambda x=x: layer().to(x)) for x in ("float64", "gpu", "mycpu")],
        refused(lambda: layer().to(paddle.ones([1]))) != "none",
    ]


def a_cast_layer_has_integers(paddle: Any) -> Any:
    layer = paddle.nn.Linear(2, 2)
    layer.register_buffer("ids", paddle.to_tensor([1, 2]))
    return [layer.to(dtype="float64").ids, layer.float().ids]


def a_diagonal_is_filled(paddle: Any) -> Any:
    def zeros(*shape: int) -> Any:
        return paddle.zeros(list(shape))

    return [
        zeros(3, 4).fill_diagonal_(2.0).tolist(),
        zeros(3, 4).fill_diagonal_(2.0, offset=1).tolist(),
        zeros(3, 4).fill_diagonal_(1.0, offset=-1).tolist(),
        zeros(7, 3).fill_diagonal_(2.0, wrap=True).tolist(),
        zeros(7, 3).fill_diagonal_(2.0).tolist(),
        zeros(3, 3, 3).fill_diagonal_(1.0).tolist(),
    ]


def what_was_filled_gets_no_gradient(paddle: Any) -> Any:
    x = paddle.ones([3, 3])
    x.stop_gradient = False
    y = x * 2.0
    y.fill_diagonal_(5.0)
    y.sum().backward()
    return x.grad


def a_variable_tells_of_its_storage(paddle: Any) -> Any:
    paddle.enable_static()
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        y = paddle.static.data("x", [2, 3], "float32") * 2.0
        answers = [y.element_size(), y.dim(), list(y.size().shape), list(y.cpu().shape)]
        return [*answers, str(y.place())]


def seed_returns_the_generator(paddle: Any) -> Any:
    generator = paddle.seed(3)
    first, state = paddle.rand([2]).tolist(), generator.get_state()
    second = paddle.rand([2]).tolist()
    generator.set_state(state)
    again = paddle.rand([2]).tolist()
    generator.manual_seed(3)
    from_the_start = paddle.rand([2]).tolist()
    return [second == again, from_the_start == first, generator.initial_seed()]


STORIES = [
    a_machine_without_a_gpu_says_so,
    what_needs_a_gpu_is_refused,
    a_tensor_tells_of_its_storage,
    to_takes_a_device_a_dtype_or_a_tensor,
    to_converts_the_tensor_itself,
    to_converts_parameters_and_what_gradients_flow_through,
    values_of_what_was_cast_flow_back,
    what_was_saved_before_to_is_out_of_date,
    to_counts_no_version,
    to_takes_a_type_of_numpys,
    what_was_detached_before_to,
    a_layer_is_moved_and_cast,
    a_cast_layer_has_integers,
    a_diagonal_is_filled,
    what_was_filled_gets_no_gradient,
    a_variable_tells_of_its_storage,
    seed_returns_the_generator,
]
