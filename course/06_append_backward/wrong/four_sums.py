"""Counts the parts, not the sums.

zh: 数的是份数，而不是 sum。
task: sums
says: wrong
"""


def sums():
    return 4
