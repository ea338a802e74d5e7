"""Forgets the branches.

zh: 忘了分支。
task: blocks
says: two
"""


def blocks():
    return 2
