"""Takes one sigmoid only.

zh: 只算一个 sigmoid。
task: what_passes
says: one
"""


def what_passes():
    return 0.25
