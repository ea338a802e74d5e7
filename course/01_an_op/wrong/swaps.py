"""Gives x the gradient of y, and y that of x.

zh: 把 y 的梯度给了 x，又把 x 的给了 y。
task: mul_rule
says: swapped
"""


def mul_rule(dout, x, y):
    return unbroadcast(dout * x, x.shape), unbroadcast(dout * y, y.shape)
