"""Forgets gamma.

zh: 忘了 gamma。
task: first_of_three
says: whole
"""


def first_of_three():
    return 3
