"""Takes a unit a class.

zh: 以为每个类别一个单元。
task: different_units
says: wrong
"""


def different_units():
    return 2
