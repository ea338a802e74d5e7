"""Takes training to part the units.

zh: 以为训练会把各单元分开。
task: different_units
says: all
"""


def different_units():
    return 32
