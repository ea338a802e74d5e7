"""Returns the gradient of one leaf only.

zh: 只返回一个叶子的梯度。
task: backward
says: which
"""

INSTEAD = {
    "leaves[edge] = dout": "leaves = {edge: dout}",
}
