"""Looks for it on the way there.

zh: 在去程里找。
task: highest
says: there
"""


def highest():
    return "relu"
