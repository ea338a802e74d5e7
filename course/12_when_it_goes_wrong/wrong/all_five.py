"""Thinks that all of them move.

zh: 以为全都会动。
task: weights_that_move
says: all
"""


def weights_that_move():
    return 5
