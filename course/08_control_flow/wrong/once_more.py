"""Counts a second call, for the way back.

zh: 为返回多数了一次。
task: calls_of_body
says: wrong
"""


def calls_of_body():
    return 2
