"""Computes in the array that it was given.

zh: 就在交给它的数组里计算。
task: slope
says: changed_input
"""


def slope(x):
    first = np.sin(x)
    x *= np.cos(x)
    x += first
    return x
