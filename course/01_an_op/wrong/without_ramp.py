"""Forgets the ramp: right for negative numbers only.

zh: 忘了斜坡：只对负数正确。
task: softplus
says: far
"""


def softplus(x):
    return np.log1p(np.exp(-np.abs(x)))
