"""Thinks of one product.

zh: 只想了一个乘积。
task: spread_of_scores
says: one
"""


def spread_of_scores():
    return 1.0
