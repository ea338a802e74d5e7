"""Rounds down.

zh: 向下取整。
task: too_large
says: still
"""


def too_large():
    return 88
