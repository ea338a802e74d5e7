"""Forgets the learning rate.

zh: 忘了学习率。
task: in_the_scope
says: rate
"""


def in_the_scope():
    return ["w"]
