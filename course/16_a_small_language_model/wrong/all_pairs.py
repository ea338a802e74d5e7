"""Counts all pairs.

zh: 数了所有的对。
task: pairs_of_six
says: all
"""


def pairs_of_six():
    return 36
