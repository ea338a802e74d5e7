"""Counts one way only.

zh: 只数了单程。
task: through_the_line
says: one_way
"""


def through_the_line():
    return 1000
