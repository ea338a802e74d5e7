"""Forgets that w * w reads w twice.

zh: 忘了 w * w 把 w 读了两次。
task: sums
says: one
"""


def sums():
    return 1
