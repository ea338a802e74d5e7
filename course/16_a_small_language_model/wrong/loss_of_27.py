"""Gives the mean loss.

zh: 给出了平均损失。
task: at_random
says: loss
"""


def at_random():
    return 3.3
