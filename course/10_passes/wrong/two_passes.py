"""Counts after the second pass.

zh: 数的是第二个 pass 之后的。
task: operators_left
says: twice
"""


def operators_left():
    return 5
