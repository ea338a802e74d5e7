"""Counts the steps of training only.

zh: 只数训练的步数。
task: updates
says: three
"""


def updates():
    return 3
