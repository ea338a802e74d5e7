"""Takes the mean over the copies instead of the sum.

zh: 对副本取了平均，而不是求和。
task: unbroadcast
says: wrong
"""


def unbroadcast(dout, shape):
    dout = dout.mean(axis=tuple(range(dout.ndim - len(shape))))
    ones = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return dout.mean(axis=ones, keepdims=True)
