"""Counts the way back, too.

zh: 把返回的路也数了进去。
task: operators_in_test
says: wrong
"""


def operators_in_test():
    return 16
