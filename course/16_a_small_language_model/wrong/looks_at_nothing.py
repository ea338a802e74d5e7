"""Thinks that it looks at nothing.

zh: 以为它什么也不看。
task: first_share
says: none
"""


def first_share():
    return 0.0
