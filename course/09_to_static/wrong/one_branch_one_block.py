"""Takes the two branches for one block.

zh: 把两个分支当作一个块。
task: blocks
says: three
"""


def blocks():
    return 3
