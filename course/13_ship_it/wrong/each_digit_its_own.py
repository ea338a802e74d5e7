"""Thinks that each digit gets scores of its own.

zh: 以为每个数字都有自己的分数。
task: different_answers
says: all
"""


def different_answers():
    return 360
