"""Keeps the gradient as well.

zh: 连梯度也留下。
task: in_the_scope
says: gradient
"""


def in_the_scope():
    return ["w", "w@GRAD", "learning_rate_0"]
