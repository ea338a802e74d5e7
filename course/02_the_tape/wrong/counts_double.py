"""Adds the first gradient twice.

zh: 把第一份梯度加了两次。
task: accumulate
says: wrong
"""


def accumulate(loss, retain_graph=False):
    for leaf, dx in backward(loss, retain_graph).items():
        leaf.grad = (dx if leaf.grad is None else leaf.grad) + dx
