"""Counts how many layers there can be.

zh: 数的是能有几层。
task: graphs
says: seven
"""


def graphs():
    return 7
