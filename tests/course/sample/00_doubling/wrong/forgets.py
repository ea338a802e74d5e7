"""Computes but does not return.

task: halve
says: half of 4 is 2
"""


def halve(x):
    x / 2
