"""Adds the slopes.

zh: 把斜率相加。
task: what_passes
says: sum
"""


def what_passes():
    return 4 * 0.25
