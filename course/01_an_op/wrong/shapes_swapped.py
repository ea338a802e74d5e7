"""Swaps the two shapes.

zh: 把两个形状弄反了。
task: shapes_back
says: wrong
"""

INSTEAD = {
    "return [[3, 1], [4]]": "return [[4], [3, 1]]",
}
