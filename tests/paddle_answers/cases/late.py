"""Numbers given as Tensors and, in programs, as Variables: sizes, axes, counts."""

from __future__ import annotations

from typing import Any

__all__ = ["LINES", "STORIES"]

LINES = """
paddle.reshape(t([[0, 1, 2], [3, 4, 5]], "float32"), [t([2], "int32"), -1])
paddle.reshape(t([[0, 1, 2], [3, 4, 5]], "float32"), [t([3], "int32"), t([2], "int32")])
paddle.concat([t([[0, 1, 2], [3, 4, 5]], "float32"), t([[0, 1, 2], [3, 4, 5]], "float32")], axis=t([1], "int32"))
paddle.concat([t([[0, 1, 2], [3, 4, 5]], "float32"), t([[0, 1, 2], [3, 4, 5]], "float32")], axis=t(1, "int32"))
paddle.slice(t([[0, 1, 2], [3, 4, 5]], "float32"), [0, 1], [0, t([1], "int32")], [2, t([3], "int32")])
paddle.slice(t([[0, 1, 2], [3, 4, 5]], "float32"), [0, 1], t([0, 1], "int32"), t([2, 3], "int32"))
paddle.strided_slice(t([[0, 1, 2], [3, 4, 5]], "float32"), [0, 1], [0, t([1], "int32")], [2, t([3], "int32")], [1, t([1], "int32")])
paddle.zeros(t([2, 3], "int32"))
paddle.zeros([t([2], "int32"), 3])
paddle.ones([t([2], "int32"), t([3], "int32")])
paddle.full([t([2], "int32"), 3], 2.5)
paddle.full([2, 3], t([2], "int32"))
paddle.full(t([2, 3], "int32"), 7)
paddle.tile(t([[0, 1, 2], [3, 4, 5]], "float32"), t([2, 3], "int32"))
paddle.tile(t([[0, 1, 2], [3, 4, 5]], "float32"), [t([2], "int32"), 1])
paddle.expand(t([[0, 1, 2], [3, 4, 5]], "float32"), [t([2], "int32"), 2, 3])
paddle.expand(t([[0, 1, 2], [3, 4, 5]], "float32"), t([2, 2, 3], "int32"))
paddle.unsqueeze(t([[0, 1, 2], [3, 4, 5]], "float32"), t([1], "int32"))
paddle.unsqueeze(t([[0, 1, 2], [3, 4, 5]], "float32"), [t([1], "int32"), t([0], "int32")])
paddle.squeeze(t([[[0, 1, 2]], [[3, 4, 5]]], "float32"), t([1], "int32"))
paddle.squeeze(t([[[0, 1, 2]], [[3, 4, 5]]], "float32"), [t([1], "int32")])
paddle.split(t([[0, 1, 2], [3, 4, 5]], "float32"), [t([1], "int32"), 2], axis=1)
paddle.split(t([[0, 1, 2], [3, 4, 5]], "float32"), 3, axis=t([1], "int32"))
paddle.split(t([[0, 1, 2], [3, 4, 5]], "float32"), [1, -1], axis=t([1], "int32"))
paddle.topk(t([[0, 1, 2], [3, 4, 5]], "float32"), t([2], "int32"))
paddle.topk(t([[0, 1, 2], [3, 4, 5]], "float32"), k=t([2], "int32"), axis=0)
paddle.arange(t([0], "int32"), t([3], "int32"), t([1], "int32"))
paddle.linspace(t([0.0]), t([3.0]), t([3], "int32"))
paddle.eye(t([2], "int32"))
paddle.sum(t([[0, 1, 2], [3, 4, 5]], "float32"), axis=t([1], "int32"))
paddle.mean(t([[0, 1, 2], [3, 4, 5]], "float32"), axis=[t([1], "int32")])
paddle.max(t([[0, 1, 2], [3, 4, 5]], "float32"), axis=t([1], "int32"))
paddle.cumsum(t([[0, 1, 2], [3, 4, 5]], "float32"), axis=t([1], "int32"))
paddle.argmax(t([[0, 1, 2], [3, 4, 5]], "float32"), axis=t([1], "int32"))
paddle.roll(t([[0, 1, 2], [3, 4, 5]], "float32"), t([1], "int32"))
paddle.crop(t([[0, 1, 2], [3, 4, 5]], "float32"), [t([1], "int32"), t([2], "int32")], [t([1], "int32"), 0])
F.pad(t(np.arange(24).reshape(1, 2, 3, 4), "float32"), t([2, 2, 1, 3], "int32"))
F.interpolate(t(np.arange(24).reshape(1, 2, 3, 4), "float32"), size=[t([2], "int32"), t([3], "int32")])
F.one_hot(t([0, 1], "int32"), t([3], "int32"))
F.adaptive_avg_pool2d(t(np.arange(24).reshape(1, 2, 3, 4), "float32"), [t([1], "int32"), t([2], "int32")])
F.sequence_mask(t([2, 3], "int32"), maxlen=t([3], "int32"))
paddle.scale(t([[0, 1, 2], [3, 4, 5]], "float32"), t([3.0]))
paddle.full_like(t([[0, 1, 2], [3, 4, 5]], "float32"), t([2], "int32"))
paddle.bincount(t([0, 1], "int32"), minlength=t([3], "int32"))
t([[0, 1, 2], [3, 4, 5]], "float32")[t([0], "int32"):t([2], "int32")]
t([[0, 1, 2], [3, 4, 5]], "float32")[:, t([1], "int32"):t([3], "int32")]
t([[0, 1, 2], [3, 4, 5]], "float32")[t([1], "int32"), t([0], "int32")]
paddle.unsqueeze(t([[0, 1, 2], [3, 4, 5]], "float32"), [1, 0])
paddle.unsqueeze(t([[0, 1, 2], [3, 4, 5]], "float32"), [2, 0])
paddle.unsqueeze(t([[0, 1, 2], [3, 4, 5]], "float32"), [3, 0])
paddle.unsqueeze(t([[0, 1, 2], [3, 4, 5]], "float32"), [-1, -2])
paddle.unsqueeze(t([[0, 1, 2], [3, 4, 5]], "float32"), [1, 1])
"""  # noqa: E501


def decay_rates_are_tensors(paddle: Any) -> Any:
    found = []
    for kind in (
        paddle.optimizer.Adam,
        paddle.optimizer.AdamW,
        paddle.optimizer.Adamax,
    ):
        w = paddle.to_tensor([1.0, -2.0], stop_gradient=False)
        beta1, beta2 = paddle.to_tensor([0.9]), paddle.to_tensor([0.999])
        adam = kind(0.1, beta1=beta1, beta2=beta2, parameters=[w])
        for _ in range(3):
            (w * w).sum().backward()
            adam.step()
            adam.clear_grad()
        found.append(w)
    return found


STORIES = [decay_rates_are_tensors]
