"""Swaps the two shapes.

zh: 把两个形状弄反了。
task: shapes_back
says: wrong
"""


def shapes_back():
    return [[4], [3, 1]]
