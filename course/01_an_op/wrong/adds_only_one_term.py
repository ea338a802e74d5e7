"""Leaves out a term of the product rule.

zh: 漏掉了乘积法则中的一项。
task: slope
says: one_term
"""


def slope(x):
    return x * np.cos(x)
