"""Squares instead: right for 2 only.

zh: 算的是平方：只对 2 正确。
task: double
says: twice
"""


def double(x):
    return x * x
