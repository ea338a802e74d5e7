"""Computes but does not return.

zh: 算了，但没有返回。
task: halve
says: nothing
"""


def halve(x):
    x / 2
