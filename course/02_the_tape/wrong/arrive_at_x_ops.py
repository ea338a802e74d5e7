"""Counts the ops, not the uses.

zh: 数的是算子，而不是使用次数。
task: arrive_at_x
says: ops
"""


def arrive_at_x():
    return 2
