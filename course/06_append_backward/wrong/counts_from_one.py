"""Counts the parts from 1.

zh: 从 1 开始数各份。
task: second_part
says: from_zero
"""


def second_part():
    return "w@GRAD@RENAME@block0@2"
