"""Replaces what an earlier pass left in grad.

zh: 取代了先前一遍留在 grad 里的值。
task: accumulate
says: replaced
"""


def accumulate(loss, retain_graph=False):
    for leaf, dx in backward(loss, retain_graph).items():
        leaf.grad = dx
