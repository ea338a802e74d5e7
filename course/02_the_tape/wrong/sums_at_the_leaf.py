"""Sums the gradient of a leaf.

zh: 把叶子的梯度加成了一个数。
task: backward
says: shape
"""

INSTEAD = {"leaves[edge] = dout": "leaves[edge] = dout.sum()"}
