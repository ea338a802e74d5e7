"""Leaves dropout out.

zh: 漏了 dropout。
task: kernels_called
says: without_dropout
"""


def kernels_called():
    return 3
