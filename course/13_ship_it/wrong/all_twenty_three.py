"""Counts the training program.

zh: 数的是训练程序。
task: operators_left
says: all
"""


def operators_left():
    return 23
