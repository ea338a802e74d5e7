"""Counts one trainer only.

zh: 只数了一个训练端。
task: through_the_line
says: one_trainer
"""


def through_the_line():
    return 200
