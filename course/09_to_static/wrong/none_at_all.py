"""Thinks that nothing is left of the loop.

zh: 以为循环什么也没留下。
task: written_out
says: wrong
"""


def written_out():
    return 0
