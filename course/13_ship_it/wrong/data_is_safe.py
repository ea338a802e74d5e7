"""Thinks that reading runs nothing.

zh: 以为读文件什么也不运行。
task: lines_printed
says: never
"""


def lines_printed():
    return 0
