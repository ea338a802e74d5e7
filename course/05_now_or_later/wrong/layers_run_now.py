"""Takes a layer for something that computes at once.

zh: 以为层会立即计算。
task: six_lines
says: layers
"""


def six_lines():
    return "nnnnnn"
