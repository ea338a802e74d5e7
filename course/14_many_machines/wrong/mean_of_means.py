"""Takes the mean of the means.

zh: 取了平均的平均。
task: slope_of_all
says: plain
"""


def slope_of_all():
    return 6.0
