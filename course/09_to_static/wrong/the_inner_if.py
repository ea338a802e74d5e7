"""Names the if.

zh: 说的是 if。
task: refused
says: condition
"""


def refused():
    return 5
