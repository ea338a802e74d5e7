"""Adds in place to the array that the first pass brought, which another leaf may hold.

zh: 就地加到第一遍带来的数组上，而别的叶子可能也拿着它。
task: accumulate
says: in_place
"""


def accumulate(loss, retain_graph=False):
    for leaf, dx in backward(loss, retain_graph).items():
        if leaf.grad is None:
            leaf.grad = dx
        else:
            leaf.grad += dx
