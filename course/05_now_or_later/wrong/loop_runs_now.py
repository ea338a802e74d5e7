"""Takes a Python loop for one that computes.

zh: 以为 Python 的循环会计算。
task: six_lines
says: loop
"""


def six_lines():
    return "nllnnn"
