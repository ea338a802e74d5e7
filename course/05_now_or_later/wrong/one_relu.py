"""Takes the loop to be in the program.

zh: 以为循环在程序里。
task: relus
says: one
"""


def relus():
    return 1
