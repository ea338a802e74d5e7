"""Adds the possibilities.

zh: 把可能性相加。
task: graphs
says: twice
"""


def graphs():
    return 12
