"""Sums over the axes in front, and forgets those of size 1.

zh: 只对前面的轴求和，忘了大小为 1 的轴。
task: unbroadcast
says: shape
"""


def unbroadcast(dout, shape):
    return dout.sum(axis=tuple(range(dout.ndim - len(shape))))
