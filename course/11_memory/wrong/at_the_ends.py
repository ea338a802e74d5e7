"""Puts the checkpoints at both ends.

zh: 把重算点放在两端。
task: two_checkpoints
says: wrong
"""


def two_checkpoints():
    return [1, 9]
