"""What a saved layer holds: its parameters, and its hooks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["STORIES"]


def saved(paddle: Any, change: Callable[[Any], None], **how: Any) -> Any:
    """What a layer gives that `change` has changed, before and after it is saved."""
    twos = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(2.0))
    layer = paddle.nn.Linear(2, 2, weight_attr=twos, bias_attr=False)
    layer.eval()
    change(layer)
    x, spec = paddle.ones([1, 2]), paddle.static.InputSpec([None, 2], "float32")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "layer")
        paddle.jit.save(layer, path, input_spec=[spec], **how)
        return [np.array(layer(x)), np.array(paddle.jit.load(path)(x))]


def doubled(layer: Any, inputs: Any) -> Any:
    return tuple(x * 2.0 for x in inputs)


def less_one(layer: Any, inputs: Any, output: Any) -> Any:
    return output - 1.0


def a_saved_layer_has_its_own_hook_before(paddle: Any) -> Any:
    return saved(paddle, lambda layer: layer.register_forward_pre_hook(doubled))


def a_saved_layer_has_its_own_hook_after(paddle: Any) -> Any:
    return saved(paddle, lambda layer: layer.register_forward_post_hook(less_one))


def a_saved_layer_has_its_hooks_unasked(paddle: Any) -> Any:
    def change(layer: Any) -> None:
        layer.register_forward_post_hook(less_one)
        layer.register_forward_pre_hook(doubled)

    return saved(paddle, change, with_hook=False)


def a_saved_layer_lacks_a_hook_that_was_removed(paddle: Any) -> Any:
    return saved(
        paddle, lambda layer: layer.register_forward_post_hook(less_one).remove()
    )


def a_saved_layer_with_a_normed_weight(paddle: Any) -> Any:
    return saved(paddle, paddle.nn.utils.weight_norm)


def a_saved_layer_takes_other_sizes(paddle: Any) -> Any:
    layer, spec = paddle.nn.Linear(2, 1), paddle.static.InputSpec([3, 2], "float32")
    layer.weight.set_value(np.array([[1.0], [2.0]], "float32"))
    batches = [np.arange(2.0 * n, dtype="float32").reshape(n, 2) for n in (3, 5, 1)]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "layer")
        paddle.jit.save(layer, path, input_spec=[spec])
        loaded = paddle.jit.load(path)
        config = paddle.inference.Config(f"{path}.pdmodel", f"{path}.pdiparams")
        predictor = paddle.inference.create_predictor(config)
        entry = predictor.get_input_handle(predictor.get_input_names()[0])
        answers = []
        for batch in batches:
            answers.append(loaded(paddle.to_tensor(batch)))
            entry.copy_from_cpu(batch)
            predictor.run()
            name = predictor.get_output_names()[0]
            answers.append(predictor.get_output_handle(name).copy_to_cpu())
        return answers


def a_saved_layer_takes_no_rows_of_other_length(paddle: Any) -> Any:
    layer, spec = paddle.nn.Linear(2, 1), paddle.static.InputSpec([3, 2], "float32")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "layer")
        paddle.jit.save(layer, path, input_spec=[spec])
        return paddle.jit.load(path)(paddle.ones([3, 3]))


STORIES = (
    a_saved_layer_has_its_own_hook_before,
    a_saved_layer_has_its_own_hook_after,
    a_saved_layer_has_its_hooks_unasked,
    a_saved_layer_lacks_a_hook_that_was_removed,
    a_saved_layer_with_a_normed_weight,
    a_saved_layer_takes_other_sizes,
    a_saved_layer_takes_no_rows_of_other_length,
)
