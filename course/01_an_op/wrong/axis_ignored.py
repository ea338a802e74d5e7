"""Ignores the axis: right only if everything was summed.

zh: 不管 axis：只有全部求和时才对。
task: sum_rule
says: raised
"""


def sum_rule(dout, x, axis=None, keepdims=False):
    return (dout * np.ones(x.shape),)
