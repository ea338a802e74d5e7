"""Leaves out the relu: two layers without it are one.

zh: 漏了 relu：没有它，两层等于一层。
task: digits_network
says: relu
"""

INSTEAD = {
    '32, act="relu")': "32)",
}
