"""Counts the units.

zh: 数的是单元。
task: numbers_to_learn
says: wrong
"""


def numbers_to_learn():
    return 34
