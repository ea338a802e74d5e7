"""Takes Python's loop for one of the program's.

zh: 把 Python 的循环当成程序的。
task: written_out
says: one
"""


def written_out():
    return 1
