"""Divides dout among the elements, as a mean would.

zh: 把 dout 平分给各个元素，那是求平均的做法。
task: sum_rule
says: wrong
"""


def sum_rule(dout, x, axis=None, keepdims=False):
    shape = list(x.shape)
    summed = range(x.ndim) if axis is None else np.atleast_1d(axis)
    for one in summed:
        shape[one] = 1
    return (dout.reshape(shape) * np.ones(x.shape) * dout.size / x.size,)
