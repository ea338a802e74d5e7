"""Counts the loss as well.

zh: 把损失也数了进去。
task: operators_left
says: loss
"""


def operators_left():
    return 8
