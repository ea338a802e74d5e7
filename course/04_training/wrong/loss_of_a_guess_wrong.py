"""Gives the probability.

zh: 给出的是概率。
task: loss_of_a_guess
says: wrong
"""


def loss_of_a_guess():
    return 0.1
