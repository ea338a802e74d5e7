"""Gives the variance.

zh: 给出的是方差。
task: spread_of_scores
says: variance
"""


def spread_of_scores():
    return 64.0
