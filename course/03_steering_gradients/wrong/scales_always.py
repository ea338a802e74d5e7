"""Scales every gradient to that norm, short ones too.

zh: 把所有梯度都缩放到那个范数，短的也不放过。
task: clip
says: short
"""


def clip(most):
    return lambda g: g * most / np.sqrt(np.sum(g * g))
