"""Names the last return.

zh: 说的是最后的 return。
task: refused
says: last
"""


def refused():
    return 8
