"""Counts the layers.

zh: 数的是层。
task: graphs
says: six
"""


def graphs():
    return 6
