"""Gives the share of wrong guesses.

zh: 给出的是猜错的比例。
task: loss_of_a_guess
says: share
"""


def loss_of_a_guess():
    return 0.9
