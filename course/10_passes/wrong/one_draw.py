"""Takes two dropouts for one.

zh: 把两个 dropout 当成一个。
task: two_dropouts
says: merged
"""


def two_dropouts():
    return 2
