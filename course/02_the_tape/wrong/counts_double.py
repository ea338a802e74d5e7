"""Adds the first gradient twice.

zh: 把第一份梯度加了两次。
task: accumulate
says: wrong
"""

INSTEAD = {
    "dx if leaf.grad is None": "(dx if leaf.grad is None",
    "leaf.grad + dx": "leaf.grad) + dx",
}
