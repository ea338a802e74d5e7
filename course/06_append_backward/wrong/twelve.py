"""Counts the variables, not the operators.

zh: 数的是变量，而不是算子。
task: operators_added
says: wrong
"""


def operators_added():
    return 12
