"""Thinks that the last layer learns.

zh: 以为最后一层会学。
task: weights_that_move
says: last
"""


def weights_that_move():
    return 1
