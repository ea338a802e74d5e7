"""Praises each push for the whole game.

zh: 每一推都算整局的功劳。
task: to_go
says: whole
"""


def to_go(rewards, gamma):
    return [sum(rewards)] * len(rewards)
