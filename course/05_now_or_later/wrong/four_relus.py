"""Counts the operator of fc as well.

zh: 把 fc 的算子也数了进去。
task: relus
says: wrong
"""


def relus():
    return 4
