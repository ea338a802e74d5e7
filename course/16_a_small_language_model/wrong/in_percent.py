"""Gives the share in percent.

zh: 给出的是百分数。
task: first_share
says: percent
"""


def first_share():
    return 100.0
