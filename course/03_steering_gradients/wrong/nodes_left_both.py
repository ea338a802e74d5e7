"""Counts the op inside, too.

zh: 把里面的算子也数了进去。
task: nodes_left
says: both
"""


def nodes_left():
    return 2
