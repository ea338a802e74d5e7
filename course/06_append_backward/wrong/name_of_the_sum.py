"""Gives the name of the whole gradient.

zh: 给出的是整个梯度的名字。
task: second_part
says: whole
"""


def second_part():
    return "w@GRAD"
