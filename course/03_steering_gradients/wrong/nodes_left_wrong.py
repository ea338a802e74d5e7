"""Takes the block to last for ever.

zh: 以为这个块一直有效。
task: nodes_left
says: wrong
"""


def nodes_left():
    return 0
