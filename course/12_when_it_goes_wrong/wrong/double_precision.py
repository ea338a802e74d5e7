"""Takes float64.

zh: 用了 float64。
task: too_large
says: double
"""


def too_large():
    return 710
