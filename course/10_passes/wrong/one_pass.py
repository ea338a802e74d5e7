"""Counts after the first pass.

zh: 数的是第一个 pass 之后的。
task: operators_left
says: unused
"""


def operators_left():
    return 6
