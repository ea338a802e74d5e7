"""Counts the way back, too.

zh: 连返回的路也数了进去。
task: fused_in_training
says: wrong
"""


def fused_in_training():
    return 4
