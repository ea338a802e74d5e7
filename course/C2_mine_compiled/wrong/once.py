"""Counts the training program only.

zh: 只数训练程序。
task: times_written
says: only_main
"""


def times_written():
    return 1
