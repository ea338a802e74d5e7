"""Takes every line for one that only writes.

zh: 以为每一行都只是写下。
task: six_lines
says: runs
"""


def six_lines():
    return "llllll"
