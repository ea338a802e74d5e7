"""Thinks that saving calls it, too.

zh: 以为保存时也会调用。
task: lines_printed
says: saving
"""


def lines_printed():
    return 4
