"""Counts before the passes.

zh: 数的是 pass 之前的。
task: kernels_called
says: all_of_test
"""


def kernels_called():
    return 7
