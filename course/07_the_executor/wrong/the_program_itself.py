"""Gives back the training program.

zh: 返回的就是训练程序。
task: clone_for_test
says: changed
"""


def clone_for_test(program):
    return program
