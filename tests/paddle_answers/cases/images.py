"""Images: sizes of 1, uneven padding, the last window, the nearest pixel."""

from __future__ import annotations

__all__ = ["LINES"]

LINES = """
F.interpolate(t([[[1.0, 3.0]]]), size=[1], mode="linear", data_format="NCW")
F.interpolate(t([[[1.0, 3.0]]]), size=[1], mode="linear", align_corners=True, data_format="NCW")
F.interpolate(t([[[1.0, 3.0]]]), size=[1], mode="linear", align_mode=1, data_format="NCW")
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[1, 1], mode="bilinear")
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[2, 1], mode="bilinear")
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[1, 1], mode="bicubic")
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[1, 1], mode="nearest")
F.interpolate(t([[[[1.0, 3.0], [5.0, 7.0]]]]), size=[1, 1], mode="area")
F.interpolate(t([[[[[1.0, 3.0], [5.0, 7.0]]]]]), size=[1, 1, 2], mode="trilinear", data_format="NCDHW")
F.interpolate(t([[[[1.0, 3.0, 9.0, 2.0]]]]), scale_factor=[1.0, 0.7], mode="bilinear")
F.avg_pool1d(t([[[1.0, 2.0]]]), 2, stride=1, padding="SAME")
F.avg_pool1d(t([[[1.0, 2.0]]]), 2, stride=1, padding="SAME", exclusive=False)
F.avg_pool2d(t([[[[1.0, 2.0], [3.0, 4.0]]]]), 2, stride=1, padding=[0, 1, 0, 1], exclusive=False)
F.avg_pool2d(t([[[[1.0, 2.0], [3.0, 4.0]]]]), 2, stride=1, padding=[1, 0, 1, 0], exclusive=False)
F.avg_pool1d(t([[[1.0, 2.0, 3.0]]]), 2, stride=2, ceil_mode=True, exclusive=False)
F.max_pool1d(t([[[1.0, 3.0, 2.0]]]), 2, stride=2, ceil_mode=True)
F.max_pool1d(t([[[1.0, 3.0, 2.0]]]), 2, stride=2, ceil_mode=True, return_mask=True)
F.max_pool1d(t([[[1.0, 3.0, 2.0]]]), 2, padding="SAME", return_mask=True)
F.max_pool1d(t([[[1.0, 2.0, 3.0]]]), 1, stride=3, ceil_mode=True)
F.max_pool2d(t([[[[1.0, 3.0], [2.0, 0.0]]]]), 1, stride=2, padding=1)
F.affine_grid(t([[[1.0, 0.5, 0.25], [0.5, 1.0, 0.75]]]), [1, 1, 1, 1])
F.grid_sample(t([[[[1.0, 2.0], [3.0, 4.0]]]]), t([[[[0.1, 0.2]]]]))
F.grid_sample(t([[[[1.0, 2.0], [3.0, 4.0]]]]), t([[[[0.1, 0.2]]]]), mode="nearest")
"""  # noqa: E501
