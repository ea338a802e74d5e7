"""Takes x for one edge.

zh: 以为 x 只有一条边。
task: arrive_at_x
says: wrong
"""


def arrive_at_x():
    return 1
