"""Arithmetic of integers and of truth values: which dtype comes out, and how cut."""

from __future__ import annotations

__all__ = ["LINES"]

LINES = """
paddle.divide(t([7, 3], "int64"), t([2, 2], "int64"))
paddle.divide(t([7, 3], "int32"), t([2, 2], "int32"))
paddle.divide(t([7, 3], "int8"), t([2, 2], "int8"))
paddle.divide(t([7, 3], "uint8"), t([2, 2], "uint8"))
paddle.divide(t([-7, 7, -7, 6], "int64"), t([2, -2, -2, -3], "int64"))
paddle.divide(t([[7, -7], [9, -9]], "int64"), t([2, 4], "int64"))
paddle.divide(t([True, False], "bool"), t([True, True], "bool"))
paddle.divide(t([7, 3], "int64"), t([2, 0], "int64"))
paddle.divide(t([True, False], "bool"), t([True, False], "bool"))
paddle.divide(t([7.0, 3.0]), t([2.0, 0.0]))
t([7, 3], "int64").divide(t([2, 2], "int64"))
t([7, 3], "int64").divide_(t([2, 2], "int64"))
t([7, 3], "int64") / t([2, 2], "int64")
t([7, 3], "int64") / t([2, 2], "int32")
t([7, 3], "int64") / t([2, 0], "int64")
t([7, 3], "int64") / t([2, 2])
t([7, 3]) / t([2, 2], "int64")
t([7, 3], "float64") / t([2, 2], "int64")
t([7, 3], "int64") / t([2, 2], "float64")
t([7, 3], "int64") / 2
t([7, 3], "int64") / 2.5
2 / t([7, 3], "int64")
t([True, False], "bool") / 2
t([-7, 3], "int64") // 2
t([-7, 3], "int64") // t([2, -2], "int64")
t([-7, 3], "int64") % t([2, -2], "int64")
t([-7.5, 3]) // 2
t([-7.5, 3]) % 2
t([7, 3], "int64") // 2.5
t([7, 3], "int64") % 2.5
paddle.floor_divide(t([-7, 3], "int32"), t([2, 2], "int32"))
paddle.remainder(t([-7, 3], "int32"), t([2, 2], "int32"))
t([7, 3], "int64") * 2.5
255 - t([250, 10], "uint8")
t([250, 10], "uint8") - 10
-t([250, 10], "uint8")
2.5 - t([7, 3], "int64")
t([7, 3], "int64") ** 2
t([7, 3], "int64") ** 2.5
2 ** t([7, 3], "int64")
2.5 ** t([7, 3], "int64")
t([True, False], "bool") + 1
t([True, False], "bool") * 2.5
t([7, 3], "int64") > 2.5
paddle.pow(t([7, 3], "int64"), 2)
paddle.pow(t([7, 3], "int64"), 0.5)
paddle.mean(t([7, 4], "int64"))
paddle.nanmean(t([7, 4], "int64"))
paddle.nanmedian(t([7, 4], "int64"))
paddle.median(t([7, 4], "int64"))
paddle.nansum(t([7, 4], "int64"))
paddle.sum(t([7, 4], "int32"))
paddle.sum(t([True, True], "bool"))
paddle.prod(t([7, 4], "int32"))
paddle.cumsum(t([7, 4], "int32"))
paddle.max(t([7, 4], "int32"))
paddle.linalg.cov(t([[1, 2, 4], [2, 1, 0]], "int64"))
paddle.exp(t([7, 4], "int64"))
paddle.exp(t([7, 4], "int32"))
paddle.expm1(t([1, 4], "int64"))
paddle.log(t([7, 4], "int64"))
paddle.log1p(t([7, 4], "int32"))
paddle.log2(t([7, 4], "int64"))
paddle.log10(t([7, 4], "int64"))
t([7, 4], "int64").exp()
t([7, 4], "int64").log()
paddle.sqrt(t([7, 4], "int64"))
paddle.sin(t([7, 4], "int64"))
paddle.tanh(t([7, 4], "int64"))
paddle.rsqrt(t([7, 4], "int64"))
paddle.reciprocal(t([7, 4], "int64"))
paddle.erf(t([7, 4], "int64"))
paddle.rad2deg(t([1, 4], "int64"))
paddle.deg2rad(t([1, 4], "int32"))
paddle.logaddexp(t([1, 0], "int32"), t([1, 0], "int32"))
paddle.logaddexp(t([1, 0], "int64"), t([1, 0], "int64"))
paddle.atan2(t([1, -4], "int64"), t([2, 3], "int64"))
paddle.atan2(t([1, -4], "int32"), t([2, 3], "int32"))
paddle.square(t([7, -4], "int64"))
paddle.abs(t([7, -4], "int64"))
paddle.clip(t([1, 4], "int64"), 2, 3)
paddle.clip(t([1, 4], "int64"), 1.5, 3.5)
paddle.scale(t([1, 4], "int64"), 2.5, 1)
paddle.increment(t([1], "int64"), 2.5)
paddle.where(t([True, False], "bool"), 1.5, 2.5)
paddle.where(t([True, False], "bool"), 1, 2)
paddle.where(t([True, False], "bool"), t([1, 2], "int64"), t([3, 4], "int64"))
paddle.nn.functional.softmax(t([1, 2], "int64"))
paddle.nn.functional.sigmoid(t([1, 2], "int64"))
paddle.dist(t([1, 2], "int64"), t([1, 4], "int64"))
paddle.dot(t([1, 2], "int64"), t([1, 4], "int64"))
paddle.lerp(t([1, 2], "int64"), t([1, 4], "int64"), 0.5)
paddle.cast(t([1.7, -2.7]), "int64")
paddle.cast(t([0.2, 0.0]), "bool")
"""
