"""Forgets the loss.

zh: 忘了损失。
task: operators_in_test
says: loss
"""


def operators_in_test():
    return 6
