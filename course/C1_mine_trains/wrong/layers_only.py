"""Counts layers for ops.

zh: 把层当成算子来数。
task: nodes_of_a_step
says: wrong
"""


def nodes_of_a_step():
    return 2
