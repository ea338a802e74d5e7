"""Thinks that it is sure.

zh: 以为模型很有把握。
task: at_random
says: one
"""


def at_random():
    return 1.0
