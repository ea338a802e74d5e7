"""Lets both go.

zh: 两个都去掉。
task: two_dropouts
says: wrong
"""


def two_dropouts():
    return 1
