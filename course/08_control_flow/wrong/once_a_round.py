"""Thinks that rounds call Python.

zh: 以为每一轮都调用 Python。
task: calls_of_body
says: four
"""


def calls_of_body():
    return 4
