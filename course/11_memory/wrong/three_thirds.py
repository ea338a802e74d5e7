"""Makes three stretches of the same length.

zh: 分成一样长的三段。
task: two_checkpoints
says: thirds
"""


def two_checkpoints():
    return [3, 6]
