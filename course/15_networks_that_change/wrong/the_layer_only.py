"""Counts the layer only.

zh: 只数那一层。
task: ops_a_push
says: two
"""


def ops_a_push():
    return 2
